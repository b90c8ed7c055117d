"""Direct and indirect scores, their sources, LPBS and CrowS, on models whose answers are known."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tiltmeter.errors import InputError, ModelError
from tiltmeter.lexicon.words import Kind, Role
from tiltmeter.measure import scores
from tiltmeter.measure.blanks import blank_table
from tiltmeter.measure.discovery import discover
from tiltmeter.measure.lpbs import lpbs
from tiltmeter.measure.sources import COMMONNESS, explain
from tiltmeter.models.lm import LanguageModel

from .planted import PlantedModel, own, template_set, word_set

JOBS = {"nurse": 1.5, "usher": 0.4, "miner": -1.2}
WORDS = {"gentle": 1.0, "brave": -0.7, "old": 0.0}


@pytest.fixture
def planted() -> PlantedModel:
    rng = np.random.default_rng(2)
    return PlantedModel(rng.normal(size=60), rng.normal(size=60), JOBS, WORDS)


def measured(model: PlantedModel, resamples: int = 100) -> scores.ScoreMatrix:
    return scores.indirect(
        model,
        word_set("job", [*JOBS, "unheard"], Kind.PERSON),
        word_set("quality", [*WORDS, "strange"], Kind.ADJECTIVE),
        bridge=word_set("name", model.names, Kind.NAME, Role.BRIDGE),
        to_target=template_set(
            "job", "name", "{feature} is {target:a}.", "The name of the {target:noun} is {feature}."
        ),
        to_feature=template_set("name", "quality", "{target} is {feature:adjective}."),
        resamples=resamples,
    )


def test_the_planted_model_is_a_language_model(planted: PlantedModel) -> None:
    assert isinstance(planted, LanguageModel)


def test_indirect_scores_are_the_planted_ones(planted: PlantedModel) -> None:
    matrix = measured(planted, resamples=200)
    assert matrix.features == tuple(WORDS)
    for job in JOBS:
        for word in WORDS:
            planted_score = np.corrcoef(planted.score_of_name(job), planted.score_of_word(word))[0, 1]
            row = matrix.measurement(job, word)
            assert row.value == pytest.approx(planted_score, abs=1e-9)
            assert row.low <= row.value <= row.high
            assert row.counts == {"names": 60}
    assert matrix.measurement("nurse", "gentle").value > 0.5
    assert matrix.measurement("miner", "gentle").value < -0.5


def test_a_word_that_cannot_be_scored_is_lost_with_its_reason(planted: PlantedModel) -> None:
    matrix = measured(planted)
    assert [(lost.word, lost.where, lost.reason) for lost in matrix.lost] == [("strange", "quality", "unknown")]
    with pytest.raises(InputError, match="no score of 'nurse' with 'strange'"):
        matrix.measurement("nurse", "strange")


def test_a_target_without_any_lean_has_no_score(planted: PlantedModel) -> None:
    # "unheard" is no job that the model knows: every name is as likely beside it as beside a blank.
    row = measured(planted).measurement("unheard", "gentle")
    assert np.isnan(row.value)
    assert row.as_dict()["value"] is None


def test_every_distinct_sentence_is_asked_for_once(planted: PlantedModel) -> None:
    measured(planted)
    # Two templates with four jobs and their priors ("a", "an" in one of them), 60 names and the prior of the other.
    assert planted.asked == 2 * 4 + 2 + 1 + 60 + 1


def test_articles_agree_with_the_word_in_the_blank() -> None:
    model = PlantedModel(np.zeros(2), np.zeros(2), JOBS, {"usher": 1.0, "nurse": 1.0})
    texts: list[str] = []
    original = model.fill

    def listening(queries, words):  # type: ignore[no-untyped-def]
        texts.extend(query.text for query in queries)
        return original(queries, words)

    model.fill = listening  # type: ignore[method-assign]
    table = blank_table(
        model,
        template_set("name", "job", "{target} is {feature:a}."),
        word_set("name", model.names, Kind.NAME).words,
        word_set("job", ["usher", "nurse"], Kind.PERSON).words,
        read_slot="feature",
    )
    assert set(texts) == {
        "N0 is an ___.",
        "N1 is an ___.",
        "N0 is a ___.",
        "N1 is a ___.",
        "___ is an ___.",
        "___ is a ___.",
    }
    assert table.log_p.shape == (1, 2, 2)


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        (
            ["{target} is {feature}.", "{target} works."],
            r"'\{target\} works\.' does not have \{target\} and \{feature\}",
        ),
        (["{feature} is what it is."], "does not have"),
        (["{targt} is {feature}."], "does not have"),
        (["{target} is {feature}, and {target} is here."], "once each"),
        ([], r"template set name-quality \(en\): has no sentence"),
    ],
)
def test_a_template_without_its_slots_is_refused(planted: PlantedModel, sentences: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        scores.direct(
            planted,
            word_set("name", planted.names, Kind.NAME),
            word_set("quality", list(WORDS), Kind.ADJECTIVE),
            templates=template_set("name", "quality", *sentences),
        )


def test_direct_scores_compare_with_an_open_blank(planted: PlantedModel) -> None:
    matrix = scores.direct(
        planted,
        word_set("name", planted.names, Kind.NAME),
        word_set("quality", list(WORDS), Kind.ADJECTIVE),
        templates=template_set(
            "name", "quality", "{target} is {feature:adjective}.", "{target} seems {feature:adjective}."
        ),
    )
    for word in WORDS:
        assert matrix.score[:, matrix.features.index(word)] == pytest.approx(planted.score_of_word(word))
    row = json.loads(json.dumps(matrix.measurement("N0", "gentle").as_dict(), allow_nan=False))
    assert row["metric"] == "direct"
    assert row["counts"] == {"templates": 2}


def test_scores_of_a_part_are_those_among_all(planted: PlantedModel) -> None:
    whole = measured(planted)
    part = scores.submatrix(whole, ["miner"], ["old", "brave"])
    assert part.measurement("miner", "brave") == whole.measurement("miner", "brave")
    assert part.score.shape == (1, 2)


def test_a_model_that_does_not_give_its_vocabulary_cannot_be_searched(planted: PlantedModel) -> None:
    with pytest.raises(ModelError, match="planted does not give its whole vocabulary at a blank: use a masked model"):
        discover(planted, measured(planted), "nurse")


def test_lpbs_of_a_planted_lean() -> None:
    leans = {"a1": 1.0, "a2": 1.2, "b1": -1.0, "b2": -0.7}
    model = PlantedModel(np.array([1.0, 0.8, -1.0, -0.9]), np.zeros(4), leans, {})
    result = lpbs(model, own(["N0", "N1"], ["N2", "N3"], ["a1", "a2"], ["b1", "b2"]))
    by_attribute = np.array(list(leans.values())) * ((1.0 + 0.8) / 2 - (-1.0 - 0.9) / 2)
    expected = (by_attribute[:2].mean() - by_attribute[2:].mean()) / by_attribute.std(ddof=1)
    assert result.value == pytest.approx(expected)
    assert result.p_value == pytest.approx(2 / 6)
    assert result.metric == "lpbs"


def test_lpbs_says_which_words_are_missing(planted: PlantedModel) -> None:
    with pytest.raises(InputError, match="can score 0 words of Y, and 1 must be"):
        lpbs(planted, own(["N0", "N1"], ["zzz", "yyy"], ["nurse", "usher"], ["miner", "nurse"]))


def test_lpbs_does_without_words_that_have_only_some_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that has fewest goes, and not the others for its sake; the score is that of the test without it."""
    leans = {"a1": 1.0, "a2": 1.2, "a3": 0.4, "b1": -1.0, "b2": -0.7}
    model = PlantedModel(np.array([1.0, 0.8, -1.0, -0.9]), np.zeros(4), leans, {})
    without = lpbs(model, own(["N0"], ["N2", "N3"], ["a1", "a2"], ["b1", "b2"]))
    answer = model._log_p

    def with_gaps(text: str, word: str) -> float:
        gap = ("a3" in text and word in ("N0", "N1", "N2")) or (word == "N1" and ("b1" in text or "b2" in text))
        return float("nan") if gap else answer(text, word)

    monkeypatch.setattr(model, "_log_p", with_gaps)
    result = lpbs(model, own(["N0", "N1"], ["N2", "N3"], ["a1", "a2", "a3"], ["b1", "b2"]))
    assert result.value == pytest.approx(without.value)
    assert result.counts == without.counts == {"X": 1, "Y": 2, "A": 2, "B": 2}
    assert [(lost.word, lost.where, lost.reason) for lost in result.lost] == [
        ("N1", "X", "has no score beside 2 of the words of the other side"),
        ("a3", "A", "has no score beside 3 of the words of the other side"),
    ]


def test_commonness_is_the_prior(planted: PlantedModel) -> None:
    bridge = measured(planted).bridge
    assert bridge is not None
    assert bridge.commonness == pytest.approx(planted.common - np.logaddexp.reduce(planted.common))


def test_the_planted_source_is_found_and_nothing_else() -> None:
    rng = np.random.default_rng(6)
    traits = rng.normal(size=150)
    words = {"gentle": 0.9, "brave": -0.6, "manly": -1.1, "womanly": 1.2, "plain": 0.0}
    model = PlantedModel(traits, rng.normal(size=150), JOBS, words, noise=0.3)
    names = word_set("name", model.names, Kind.NAME, Role.BRIDGE)
    matrix = scores.indirect(
        model,
        word_set("job", list(JOBS), Kind.PERSON),
        word_set("quality", ["gentle", "brave"], Kind.ADJECTIVE),
        bridge=names,
        to_target=template_set("job", "name", "{feature} is {target:a}."),
        to_feature=template_set("name", "quality", "{target} is {feature:adjective}."),
    )
    gender = word_set("sex", ["manly", "womanly"], Kind.ADJECTIVE, Role.SENSITIVE)
    found = explain(
        model,
        matrix,
        {gender: template_set("name", "sex", "{target} is {feature:adjective}.")},
        bridge=names,
        resamples=200,
    )
    ranked = found.ranked("nurse", "gentle")
    assert {source.name for source in ranked} == {"manly", "womanly", "sex", COMMONNESS}
    assert found.category["manly"] == found.category["sex"] == "sex"
    # Names go with jobs and with words by their trait, of which the sensitive words are two noisy witnesses; how common
    # a name is has nothing to do with either.
    assert ranked[0].name in ("sex", "manly", "womanly")
    assert ranked[-1].name == COMMONNESS
    assert next(source.share for source in ranked if source.name == "sex") > 0.5
    assert abs(ranked[-1].share) < 0.1
    assert "nurse and gentle shrinks from" in found.sentence("nurse", "gentle")


def test_a_direct_score_has_no_sources(planted: PlantedModel) -> None:
    matrix = scores.direct(
        planted,
        word_set("name", planted.names, Kind.NAME),
        word_set("quality", list(WORDS), Kind.ADJECTIVE),
        templates=template_set("name", "quality", "{target} is {feature:adjective}."),
    )
    with pytest.raises(InputError, match="no bridge"):
        explain(planted, matrix)
