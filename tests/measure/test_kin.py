"""WEFAT, relative norm distance, embedding coherence and MAC on models: against their formulas, and what is lost."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from tiltmeter.bayes.data import mean_average_cosine
from tiltmeter.bayes.embedding import distances_in
from tiltmeter.errors import InputError
from tiltmeter.lexicon.catalogue import association_test
from tiltmeter.lexicon.tests import AssociationTest
from tiltmeter.measure.kin import embedding_coherence, relative_norm_distance, wefat
from tiltmeter.measure.mac import mac
from tiltmeter.metrics import association
from tiltmeter.models.load import load
from tiltmeter.models.static import StaticEmbedding


@pytest.fixture(scope="module")
def glove(shared: Path) -> StaticEmbedding:
    return StaticEmbedding.open(shared / "data" / "glove-840b-caliskan-words.w2v.txt.xz")


@pytest.fixture(scope="module")
def novels() -> StaticEmbedding:
    model = load("demo:en-static")
    assert isinstance(model, StaticEmbedding)
    return model


def vectors(model: StaticEmbedding, test: AssociationTest) -> list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    passages = test.passages()
    return [model.embed(side).vectors for side in (passages.x, passages.y, passages.a, passages.b)]


def test_wefat_has_a_row_for_each_word_with_its_formula(glove: StaticEmbedding) -> None:
    test = association_test("weat7")
    X, Y, A, B = vectors(glove, test)
    rows = wefat(glove, test, resamples=500)
    assert [row.details["word"] for row in rows] == [*test.x.texts, *test.y.texts]
    expected = association.wefat(np.concatenate([X, Y]), A, B)
    assert [row.value for row in rows] == pytest.approx(expected.tolist())
    assert all(row.low < row.value < row.high for row in rows)
    assert all(0 < row.p_value <= 1 for row in rows)
    assert "all 12,870 partitions counted" in rows[0].method


def test_male_names_go_with_career_more_than_female_names_do(novels: StaticEmbedding) -> None:
    rows = {row.details["word"]: row for row in wefat(novels, "weat6", resamples=500)}
    names = [row for row in rows.values() if row.details["set"] == "X"]
    others = [row for row in rows.values() if row.details["set"] == "Y"]
    assert np.mean([row.value for row in names]) > np.mean([row.value for row in others])


def test_relative_norm_distance_and_coherence_follow_their_formulas(glove: StaticEmbedding) -> None:
    test = association_test("weat6")
    X, Y, A, B = vectors(glove, test)
    first, second = relative_norm_distance(glove, test, samples=199, resamples=200)
    assert first.value == pytest.approx(association.relative_norm_distance(X, A, B).mean)
    assert second.value == pytest.approx(association.relative_norm_distance(Y, A, B).mean)
    assert (first.details["set"], second.details["set"]) == ("X", "Y")
    assert first.counts == {"X": 8, "A": 8, "B": 8}
    coherence = embedding_coherence(glove, test)
    assert coherence.value == pytest.approx(association.embedding_coherence(np.concatenate([X, Y]), A, B))
    assert coherence.high < 1  # career and family rank male and female names differently
    assert coherence.p_value < 0.001


def test_mac_is_manzini_s_and_stands_beside_control_words(novels: StaticEmbedding) -> None:
    rows = {row.details["part"]: row for row in mac(novels, "weat7", resamples=500)}
    assert list(rows) == ["stereotypes", "associated", "different", "human", "neutral"]
    X, Y, A, B = vectors(novels, association_test("weat7"))
    expected = association.mean_average_cosine_distance(np.concatenate([X, Y]), [A, B])
    assert rows["stereotypes"].value == pytest.approx(expected, abs=1e-6)
    assert rows["stereotypes"].value == pytest.approx(mean_average_cosine(distances_in(novels, "weat7")))
    for row in rows.values():
        assert row.low < row.value < row.high
        assert math.isnan(row.p_value)
        assert row.method.startswith("no p-value")
    assert {lost.where for lost in rows["stereotypes"].lost}.isdisjoint({"human", "neutral"})
    assert {lost.where for lost in rows["human"].lost} >= {"human"}


def test_lost_words_are_named_and_too_few_are_refused(novels: StaticEmbedding) -> None:
    known = {word for row in wefat(novels, "weat7", resamples=100) for word in [row.details["word"]]}
    lost = {lost.word for row in wefat(novels, "weat7", resamples=100) for lost in row.lost}
    assert known.isdisjoint(lost)
    assert "computation" in lost
    with pytest.raises(InputError, match="must"):
        embedding_coherence(load("demo:de-static"), "weat7")
