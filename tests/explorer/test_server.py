"""The server's numbers are those of the library."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tiltmeter.lexicon.catalogue import word_set
from tiltmeter.lexicon.words import Kind, Word, WordSet
from tiltmeter.measure.discovery import discover
from tiltmeter.measure.scores import direct, indirect, submatrix
from tiltmeter.measure.sources import explain
from tiltmeter.models.masked import MaskedModel

from .ask import SMALL, Ask


def wider(name: str, *texts: str, kind: Kind) -> WordSet:
    words = word_set(name)
    return dataclasses.replace(words, words=(*words.words, *(Word(text, frozenset({kind})) for text in texts)))


def test_the_catalogue_names_what_can_be_asked(ask: Ask) -> None:
    catalogue = ask.json("catalogue")
    assert [one["id"] for one in catalogue["models"]] == ["small", "other"]
    assert ["occupation", "trait"] in catalogue["pairs"]["indirect"]
    assert ["occupation", "gender"] in catalogue["pairs"]["direct"]
    occupations = next(one for one in catalogue["sets"] if one["name"] == "occupation")
    assert occupations["words"][0] == "accountant"
    assert occupations["size"] == 99
    genders = next(one for one in catalogue["sets"] if one["name"] == "gender")["genders"]
    assert (genders["woman"], genders["boy"]) == ("female", "male")
    assert next(one for one in catalogue["sets"] if one["name"] == "name")["genders"] == {}
    assert catalogue["models"][0]["absent"] == {}
    assert catalogue["default"]["model"] == "small"


@pytest.mark.parametrize("kind", ["indirect", "direct"])
def test_a_table_has_the_scores_of_the_library(ask: Ask, models: list[MaskedModel], kind: str) -> None:
    table = ask.table(**SMALL, kind=kind)
    expected = (direct if kind == "direct" else indirect)(models[0], "beverage", "gender")
    assert table.header["rows"] == list(expected.targets)
    assert table.header["columns"] == list(expected.features)
    step = table.header["arrays"]["score"]["scale"]
    for name in ("score", "low", "high"):
        np.testing.assert_allclose(table.arrays[name], getattr(expected, name), atol=0.51 * step)
    np.testing.assert_allclose(table.arrays["adjusted"], expected.adjusted, rtol=1e-3, atol=1e-30)
    np.testing.assert_array_equal(table.arrays["n"], expected.n)
    assert table.header["max_abs"] == pytest.approx(np.abs(expected.score).max(), rel=1e-6)


def test_a_typed_feature_scores_as_if_it_stood_in_the_set(ask: Ask, models: list[MaskedModel]) -> None:
    found = ask.json("words", **SMALL, add_feature=["nurse", "zzqxv"])
    nurse, lost = found["features"]
    expected = indirect(models[0], "beverage", wider("gender", "nurse", kind=Kind.PERSON))
    column = expected.features.index("nurse")
    assert found["rows"] == list(expected.targets)
    for name in ("score", "low", "high", "adjusted"):
        np.testing.assert_allclose(nurse[name], getattr(expected, name)[:, column], rtol=1e-5, atol=1e-7)
    assert "one" in lost["lost"]
    assert "tokens" in lost["lost"]


def test_a_typed_target_scores_as_if_it_stood_in_the_set(ask: Ask, models: list[MaskedModel]) -> None:
    found = ask.json("words", **SMALL, add_target="barista", add_feature="nurse")
    (barista,) = found["targets"]
    expected = indirect(
        models[0],
        wider("beverage", "barista", kind=Kind.MASS),
        wider("gender", "nurse", kind=Kind.PERSON),
    )
    row = expected.targets.index("barista")
    np.testing.assert_allclose(barista["score"], expected.score[row, :-1], rtol=1e-4, atol=1e-6)
    # The typed target with the typed feature stands at the end of the feature's own column.
    assert found["rows"][-1] == "barista"
    assert found["features"][0]["score"][-1] == pytest.approx(expected.score[row, -1], rel=1e-4)


def test_typed_words_score_directly_too(ask: Ask, models: list[MaskedModel]) -> None:
    found = ask.json("words", **SMALL, kind="direct", add_target="barista", add_feature="nurse")
    expected = direct(
        models[0],
        wider("beverage", "barista", kind=Kind.MASS),
        wider("gender", "nurse", kind=Kind.PERSON),
    )
    np.testing.assert_allclose(found["targets"][0]["score"], expected.score[-1, :-1], rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found["features"][0]["score"], expected.score[:, -1], rtol=1e-4, atol=1e-5)


def test_a_word_of_the_table_is_not_scored_twice(ask: Ask) -> None:
    found = ask.json("words", **SMALL, add_feature="woman")
    assert found["features"] == [{"word": "woman", "lost": "stands in the table already"}]


def test_a_typed_name_joins_the_bridge(ask: Ask, models: list[MaskedModel]) -> None:
    table = ask.table(**SMALL, add_name="barista")
    expected = indirect(models[0], "beverage", "gender", bridge=wider("name", "barista", kind=Kind.NAME))
    assert table.header["bridge"] == len(word_set("name")) + 1 == len(expected.bridge.names if expected.bridge else ())
    np.testing.assert_allclose(table.arrays["score"], expected.score, atol=1e-4)
    cell = ask.json("cell", **SMALL, add_name="barista", target="wine", feature="woman")
    assert [one["name"] for one in cell["names"] if one["typed"]] == ["barista"]


def test_a_typed_name_has_a_profile(ask: Ask, models: list[MaskedModel]) -> None:
    found = ask.json("words", **SMALL, profile_name=["Amy", "zzqxv"])
    amy, lost = found["names"]
    expected = indirect(models[0], "beverage", "gender").bridge
    assert expected is not None
    place = expected.names.index("Amy")
    np.testing.assert_allclose(amy["to_target"], expected.to_target[:, place], rtol=1e-5, atol=1e-6)
    # The name itself may be read in another batch than before, and differ in the last digits.
    np.testing.assert_allclose(amy["to_feature"], expected.to_feature[place], rtol=1e-4, atol=1e-5)
    assert lost["lost"]


def test_the_names_behind_a_cell_correlate_as_its_score_says(ask: Ask) -> None:
    cell = ask.json("cell", **SMALL, target="wine", feature="woman")
    x, y = (np.array([one[side] for one in cell["names"]], dtype=float) for side in ("x", "y"))
    assert np.corrcoef(x, y)[0, 1] == pytest.approx(cell["score"], abs=1e-5)
    assert cell["fit"]["slope"] == pytest.approx(cell["score"] * y.std() / x.std(), rel=1e-4)
    assert {one["gender"] for one in cell["names"]} >= {"female", "male"}
    assert cell["low"] < cell["score"] < cell["high"]


def test_a_direct_cell_shows_its_sentences(ask: Ask) -> None:
    cell = ask.json("cell", **SMALL, kind="direct", target="wine", feature="woman")
    assert cell["names"] == []
    assert len(cell["templates"]) == cell["n"]
    assert any("wine" in one["text"] and "woman" in one["text"] for one in cell["templates"])
    for one in cell["templates"]:
        assert one["log_ratio"] == pytest.approx(one["log_p"] - one["log_prior"], abs=1e-5)


def test_sources_are_those_of_the_library(ask: Ask, models: list[MaskedModel]) -> None:
    found = ask.json("sources", **SMALL, target="wine", feature="woman", sensitive=["gender", "race"])
    matrix = submatrix(indirect(models[0], "beverage", "gender"), ["wine"], ["woman"])
    expected = explain(models[0], matrix, ["gender", "race"]).ranked("wine", "woman")
    assert [one["name"] for one in found["sources"]] == [one.name for one in expected]
    for one, other in zip(found["sources"], expected, strict=True):
        partial = np.nan if one["partial"] is None else one["partial"]  # with "woman" itself held fixed
        assert partial == pytest.approx(other.partial, abs=1e-5, nan_ok=True)
    assert len(found["sentences"]) == len(expected)
    assert "nothing of 'woman' is left to vary" in found["sentences"][[one.name for one in expected].index("gender")]
    assert {one["category"] for one in found["sources"] if one["whole"]} >= {"gender", "race"}


def test_sources_of_typed_words(ask: Ask) -> None:
    found = ask.json("sources", **SMALL, target="barista", feature="nurse", sensitive="gender")
    assert {one["category"] for one in found["sources"]} == {"gender", "how common a name is"}


@pytest.mark.slow
def test_discovery_is_that_of_the_library(ask: Ask, models: list[MaskedModel]) -> None:
    found = ask.json("discover", **SMALL, target="wine", k=5)
    expected = discover(models[0], indirect(models[0], "beverage", "gender"), "wine", k=5)
    assert [one["word"] for one in found["towards"] + found["away"]] == [one.details["feature"] for one in expected]
    assert found["searched"] == expected[0].details["words_searched"]


def test_blanks_differ_by_the_word_that_was_changed(ask: Ask, models: list[MaskedModel]) -> None:
    from tiltmeter.models.lm import Query

    a, b = "The nurse is ___.", "The engineer is ___."
    found = ask.json("blanks", a=a, b=b, words="gender")
    assert found["changed"] == ["nurse", "engineer"]
    woman = next(one for one in found["words"] if one["word"] == "woman")
    expected = models[0].fill([Query(a), Query(b)], ["woman"]).log_p[:, 0]
    assert (woman["a"], woman["b"]) == pytest.approx(tuple(expected), abs=1e-5)
    by_word = {one["word"]: one["difference"] for one in found["words"]}
    female, male = (sum(by_word[word] for word in words) for words in (("woman", "girl"), ("man", "boy")))
    assert female < male  # it was planted so
    assert len(ask.json("blanks", a=a, b=b, k=7)["words"]) == 7
    assert ask.json("blanks", a=a, b="An engineer was ___.", words="gender")["note"]


def test_the_summary_speaks_of_the_strongest_certain_link(ask: Ask) -> None:
    table = ask.table(**SMALL)
    found = ask.json("summary", **SMALL, sensitive="gender")
    sure = (table.arrays["low"] > 0) | (table.arrays["high"] < 0)
    stands_out = sure & (table.arrays["adjusted"] < 0.05)
    row, column = divmod(int(np.where(stands_out, np.abs(table.arrays["score"]), -1).argmax()), sure.shape[1])
    strongest = found["strongest"]
    assert (strongest["target"], strongest["feature"]) == (table.header["rows"][row], table.header["columns"][column])
    assert found["certain"] == sure.sum()
    assert "".join(part["text"] for part in found["parts"]) == found["sentence"]
    chosen = ask.json("summary", **SMALL, target="wine", feature="woman")
    assert "wine" in chosen["sentence"]


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ({"model": "nobody"}, 404, "unknown_model"),
        ({"targets": "gender"}, 404, "unknown_set"),
        ({"features": "../../etc/passwd"}, 404, "unknown_set"),
        ({"kind": "sideways"}, 422, "invalid"),
        ({"targets": ""}, 422, "invalid"),
    ],
)
def test_what_cannot_be_answered_says_why(ask: Ask, query: dict[str, object], status: int, code: str) -> None:
    error = ask.json("table", status=status, **query)["error"]
    assert error["code"] == code
    assert error["message"]


@pytest.mark.parametrize(
    ("what", "query", "said"),
    [
        ("discover", {"target": "wine", "k": 0}, "k is less than 1."),
        ("discover", {"target": "wine", "k": 1000}, "k is more than 100."),
        ("discover", {"target": "wine", "k": "many"}, "k is no whole number."),
        ("discover", {}, "target is missing."),
        ("cell", {"target": "", "feature": "woman"}, "target is empty."),
        ("cell", {"target": "w" * 201, "feature": "woman"}, "target has more than 200 characters."),
        ("table", {"kind": "sideways"}, "kind must be one of 'indirect' or 'direct'."),
        ("map", {"by": ["gender"] * 13}, "by is given more than 12 times."),
    ],
)
def test_a_parameter_that_is_wrong_is_named_in_plain_words(
    ask: Ask, what: str, query: dict[str, object], said: str
) -> None:
    assert ask.json(what, status=422, **(SMALL | query))["error"]["message"] == said


ODD = {"\u202eevil": "cannot be seen", "a" * 61: "more than 60 characters", " ": "empty", "Amy{": "templates"}


def test_typed_names_that_are_none_are_lost_and_the_table_stands(ask: Ask) -> None:
    header = ask.table(**SMALL, add_name=[*ODD, "barista"]).header
    assert header["bridge"] == len(word_set("name")) + 1
    lost = {one["word"]: one["reason"] for one in header["lost"] if one["where"] == "names"}
    assert set(lost) == set(ODD)
    assert all(ODD[word] in reason for word, reason in lost.items())


def test_typed_words_that_are_none_do_not_keep_the_others_from_their_scores(ask: Ask) -> None:
    found = ask.json("words", **SMALL, add_feature=["nurse", *ODD], add_target="<mask>", profile_name="[MASK]")
    nurse, *odd = found["features"]
    assert nurse["lost"] is None
    assert {one["word"] for one in odd} == set(ODD)
    assert all(ODD[one["word"]] in one["lost"] for one in odd)
    assert "templates" in found["targets"][0]["lost"]
    assert "templates" in found["names"][0]["lost"]


def test_of_too_many_typed_words_the_first_are_scored(ask: Ask) -> None:
    typed = ["nurse"] * 3 + ["n" * (i + 2) for i in range(20)]  # twenty-one different ones
    *_, last = ask.json("words", **SMALL, add_feature=typed)["features"]
    assert last == {"word": typed[-1], "lost": "at most 20 words are taken at a time"}


def test_a_lost_word_says_why(ask: Ask) -> None:
    error = ask.json("cell", status=422, **SMALL, target="wine", feature="zzqxv")["error"]
    assert error["code"] == "lost"
    assert error["lost"][0]["word"] == "zzqxv"
    table = ask.table(**SMALL)
    for lost in table.header["lost"]:
        assert ask.json("cell", status=422, **SMALL, target="wine", feature=lost["word"])["error"]["code"] == "lost"


@pytest.mark.parametrize("word", ["___", "{target}", "[MASK]", "</s>", " ", "\x00"])
def test_a_word_cannot_be_a_sentence_or_a_mask(ask: Ask, word: str) -> None:
    assert ask.json("cell", status=422, **SMALL, target="wine", feature=word)["error"]["code"] == "invalid"
