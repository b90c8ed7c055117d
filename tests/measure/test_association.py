"""WEAT and SEAT on models: the published numbers, what is lost, and what is refused."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

import tiltmeter as tm
from tiltmeter.errors import InputError
from tiltmeter.lexicon.catalogue import association_test
from tiltmeter.lexicon.seat import seat_test
from tiltmeter.lexicon.tests import AssociationTest
from tiltmeter.measure.association import all_passages
from tiltmeter.models.static import StaticEmbedding

from .planted import own

# Caliskan, Bryson & Narayanan 2017, table 1, on GloVe-840B.
PUBLISHED_EFFECT_SIZES = {
    "weat1": 1.50,
    "weat2": 1.53,
    "weat3": 1.41,
    "weat4": 1.50,
    "weat5": 1.28,
    "weat6": 1.81,
    "weat7": 1.06,
    "weat8": 1.24,
    "weat9": 1.38,
    "weat10": 1.21,
}


@pytest.fixture(scope="module")
def glove(shared: Path) -> StaticEmbedding:
    embedding = StaticEmbedding.open(shared / "data" / "glove-840b-caliskan-words.w2v.txt.xz")
    embedding.prepare(all_passages([association_test(name).passages() for name in PUBLISHED_EFFECT_SIZES]))
    return embedding


@pytest.mark.parametrize(("name", "published"), PUBLISHED_EFFECT_SIZES.items())
def test_published_effect_sizes_to_two_decimals(glove: StaticEmbedding, name: str, published: float) -> None:
    result = tm.weat(glove, name)
    assert round(result.effect_size, 2) == published
    assert result.lost == ()
    assert result.interval.low < result.effect_size < result.interval.high


@pytest.mark.parametrize(
    ("name", "p_value"), [("weat4", 9.5162e-07), ("weat5", 2.24363e-05), ("weat7", 0.0156954), ("weat8", 0.0047397)]
)
def test_exact_p_values(glove: StaticEmbedding, name: str, p_value: float) -> None:
    assert tm.weat(glove, name).p_value == pytest.approx(p_value, rel=5e-6)


def test_the_p_value_of_fifty_words_is_bounded_to_one_percent(glove: StaticEmbedding) -> None:
    permutation = tm.weat(glove, "weat1").permutation
    assert 1.41e-9 <= permutation.low <= permutation.high <= 1.50e-9
    assert permutation.high <= 1.01 * permutation.low


def random_embedding(test: AssociationTest, seed: int = 0, without: tuple[str, ...] = ()) -> StaticEmbedding:
    words = list(
        dict.fromkeys(
            word.text for side in (test.x, test.y, test.a, test.b) for word in side.words if word.text not in without
        )
    )
    return StaticEmbedding.from_arrays(words, np.random.default_rng(seed).normal(size=(len(words), 20)), "random")


def test_lost_words_are_named_with_their_set_and_reason() -> None:
    weat7 = association_test("weat7")
    result = tm.weat(random_embedding(weat7, without=("algebra", "hers")), weat7)
    assert [(lost.word, lost.where) for lost in result.lost] == [("algebra", "X"), ("hers", "B")]
    assert all("not in the vocabulary" in lost.reason for lost in result.lost)
    assert result.counts == {"X": 7, "Y": 8, "A": 8, "B": 7}


def test_a_measurement_holds_everything_and_turns_into_json() -> None:
    weat7 = association_test("weat7")
    measurement = tm.weat(random_embedding(weat7), weat7, seed=3).measurement()
    row = json.loads(json.dumps(measurement.as_dict(), allow_nan=False))
    assert {"model", "test", "metric", "value", "low", "high", "p_value", "lost"} <= set(row)
    assert (row["model"], row["test"], row["metric"], row["language"]) == ("random", "weat7", "weat", "en")
    assert row["settings"]["seed"] == 3
    assert row["details"]["p_value_low"] <= row["p_value"] <= row["details"]["p_value_high"]
    again = tm.weat(random_embedding(weat7), weat7, seed=3).measurement()
    assert again == measurement


def test_swapping_the_targets_turns_the_sign() -> None:
    weat7 = association_test("weat7")
    embedding = random_embedding(weat7)
    swapped = dataclasses.replace(weat7, x=weat7.y, y=weat7.x)
    assert tm.weat(embedding, swapped).effect_size == pytest.approx(-tm.weat(embedding, weat7).effect_size)


def test_sentences_of_a_static_embedding_are_means_and_words_are_permuted_whole() -> None:
    weat7 = association_test("weat7")
    contexts = sorted({token for text in sum(seat_test(weat7).texts(), ()) for token in text.strip(".").split()})
    words = dict.fromkeys([*contexts, *(token.lower() for token in contexts)])
    embedding = StaticEmbedding.from_arrays(list(words), np.random.default_rng(5).normal(size=(len(words), 30)), "bag")
    result = tm.seat(embedding, "weat7")
    assert (result.test, result.metric) == ("sent-weat7", "seat")
    assert result.counts == {"X": 72, "Y": 82, "A": 80, "B": 80}
    # Sentences are many and alike, so that they look far more certain than their eight words are.
    assert result.p_value_words != result.p_value
    assert tm.seat(embedding, "sent-weat7").effect_size == result.effect_size


def plain(**vectors: list[float]) -> StaticEmbedding:
    return StaticEmbedding.from_arrays(list(vectors), list(vectors.values()), "plain")


def test_a_hand_worked_example() -> None:
    # cos with a and b is 1 and 0 for x1, 0.6 and 0.8 for x2 and its mirror image for y.
    embedding = plain(x1=[2, 0], x2=[3, 4], y1=[0, 1], y2=[4, 3], a=[1, 0], b=[0, 5])
    result = tm.weat(embedding, own(["x1", "x2"], ["y1", "y2"], ["a"], ["b"]))
    s = np.array([1.0, -0.2, -1.0, 0.2])
    assert result.effect_size == pytest.approx((0.4 - -0.4) / s.std(ddof=1))
    assert result.statistic == pytest.approx(1.6)
    # Of the six ways to choose two, {1, .2} and {1, -.2} reach a sum of 0.8.
    assert result.p_value == pytest.approx(2 / 6)
    assert result.settings["interval_over"] == "targets"


def test_words_without_any_difference_have_no_effect_size_and_say_so() -> None:
    embedding = plain(x1=[1, 0], x2=[2, 0], y1=[3, 0], y2=[1, 0], a=[1, 1], b=[1, -1])
    result = tm.weat(embedding, own(["x1", "x2"], ["y1", "y2"], ["a"], ["b"]))
    assert np.isnan(result.effect_size)
    assert result.p_value == 1.0
    assert result.measurement().as_dict()["value"] is None


@pytest.mark.parametrize(
    ("missing", "says"),
    [
        (
            ("math", "algebra", "geometry", "calculus", "equations", "computation", "numbers"),
            "of the 8 words of X, 1 has",
        ),
        (("poetry", "art", "dance", "literature", "novel", "symphony", "drama", "sculpture"), "words of Y, 0 have"),
    ],
)
def test_too_few_words_left_is_an_error_that_names_the_lost(missing: tuple[str, ...], says: str) -> None:
    weat7 = association_test("weat7")
    with pytest.raises(InputError) as refused:
        tm.weat(random_embedding(weat7, without=missing), weat7)
    assert says in str(refused.value)
    assert f"{missing[0]!r}: not in the vocabulary" in str(refused.value)
    assert "test weat7" in str(refused.value)


def test_zero_vectors_are_lost_not_nan() -> None:
    embedding = plain(x1=[1, 0], x2=[2, 1], x3=[0, 0], y1=[0, 1], y2=[1, 3], a=[1, 0], b=[0, 1])
    result = tm.weat(embedding, own(["x1", "x2", "x3"], ["y1", "y2"], ["a"], ["b"]))
    assert [lost.word for lost in result.lost] == ["x3"]
    assert np.isfinite(result.effect_size)


def test_a_model_may_be_named_by_its_file(tmp_path: Path) -> None:
    file = tmp_path / "tiny.txt"
    file.write_text("x1 2 0\nx2 3 4\ny1 0 1\ny2 4 3\na 1 0\nb 0 5\n")
    result = tm.weat(file, own(["x1", "x2"], ["y1", "y2"], ["a"], ["b"]))
    assert result.statistic == pytest.approx(1.6)
