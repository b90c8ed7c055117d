"""Differences from before to after: their intervals know that both sides are of the same words."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numpy.typing import NDArray

from tiltmeter.debias.associations import Similarities, resampled, similarities
from tiltmeter.debias.before_after import BeforeAfter
from tiltmeter.debias.classify import cross_validated, kernel_scores
from tiltmeter.debias.paired import Itemised, difference, differences, mean_with_interval
from tiltmeter.debias.remains import Group, _share, recovered
from tiltmeter.lexicon.catalogue import association_test
from tiltmeter.measure.association import weat
from tiltmeter.models.static import StaticEmbedding
from tiltmeter.report.debias_page import compared_sides, differences_of, summary

Array = NDArray[np.float64]


def mean(model: str, values: list[float], of: list[str] | None = None) -> Itemised:
    return mean_with_interval(model, "test", "moved", np.array(values), of=of, language="en", method="words")


def test_an_interval_of_a_difference_covers_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    covered, width, alone = 0, 0.0, 0.0
    for _ in range(300):
        shared = rng.normal(size=60)
        a, b = shared + 0.3 * rng.normal(size=60), shared + 0.2 + 0.3 * rng.normal(size=60)
        first, second = mean("before", a.tolist()), mean("after", b.tolist())
        low, high = differences([first], [second])["moved", "test"]
        covered += low <= 0.2 <= high
        width += high - low
        low, high = difference(first, second, 0.0)
        alone += high - low
    assert covered / 300 == pytest.approx(0.95, abs=0.035)
    assert width < 0.5 * alone


def test_shares_have_the_interval_of_paired_proportions() -> None:
    """Newcombe 1998, method 10 by hand, of 50 words: 36 right on both sides, 12 before only, 2 after only."""
    group = Group("words", tuple(map(str, range(50))), np.repeat([0, 1], 25), ("one", "two"))
    before = np.repeat([True, True, False], [36, 12, 2])
    after = np.repeat([True, False, True], [36, 12, 2])
    first, second = (_share(side, "recovered", group, right, "", "en") for side, right in (("b", before), ("a", after)))
    assert (first.value, second.value) == (96, 76)
    ends = differences([first], [second])["recovered", "words"]
    assert ends == pytest.approx((-34.04, -5.69), abs=0.01)


def test_where_the_sides_have_other_words_nothing_is_said_of_them_together() -> None:
    values = [0.1, 0.2, 0.4, 0.2, 0.3, 0.1]
    names = ["a", "b", "c", "d", "e", "f"]
    assert differences([mean("before", values, names)], [mean("after", values, names)])
    assert not differences([mean("before", values, names)], [mean("after", values, [*names[:5], "g"])])
    assert not differences([mean("before", values[:3])], [mean("after", values[:3])])


def test_few_numbers_have_no_interval() -> None:
    assert np.isnan(mean("after", [0.1, 0.2]).low)
    assert mean("after", [0.1, 0.2]).method == "words; too few for an interval"
    assert mean("after", [0.1, 0.2, 0.3, 0.2, 0.1]).low < 0.18


def planted(lean: float, seed: int = 0) -> StaticEmbedding:
    """The words of WEAT 6, of which X leans to A and Y to B."""
    test, rng = association_test("weat6"), np.random.default_rng(seed)
    made = {
        word: rng.normal(size=30) + sign * lean * np.ones(30)
        for side, sign in ((test.x, 1), (test.y, -1), (test.a, 1), (test.b, -1))
        for word in side.texts
    }
    return StaticEmbedding.from_arrays(list(made), np.stack(list(made.values())).astype(np.float32), name="planted")


def test_resampled_words_give_the_interval_of_weat() -> None:
    model, test = planted(0.2), association_test("weat6")
    found = weat(model, test)
    association, size = resampled(similarities(model, test, in_sentences=False), resamples=9_999)
    interval = size.interval(found.effect_size)
    assert (interval.low, interval.high) == pytest.approx((found.interval.low, found.interval.high), abs=0.03)
    assert association.interval(found.difference).low < found.difference < association.interval(found.difference).high


def test_both_sides_are_resampled_together() -> None:
    model, test = planted(0.2), association_test("weat6")
    seen = similarities(model, test, in_sentences=False)
    half = dataclasses.replace(seen, table=seen.table / 2)
    (before, size_before), (after, size_after) = resampled(seen), resampled(half)
    same = size_after.less(size_before)
    assert same.draws == pytest.approx(0.0, abs=1e-9)  # the unit of an effect size goes with it
    assert after.less(before).draws == pytest.approx(-before.draws / 2)


def test_a_set_of_one_word_is_not_resampled() -> None:
    table = np.random.default_rng(0).normal(size=(8, 3))
    words = (("a", "b", "c", "d"), ("e", "f", "g", "h"), ("i",), ("j", "k"))
    association, size = resampled(Similarities(table, words), resamples=50)
    assert np.isfinite(association.draws).all()
    assert len(size.without) == 3


def test_a_curved_boundary_tells_what_no_flat_one_does() -> None:
    rng = np.random.default_rng(0)
    near, far = rng.normal(size=(150, 4)), rng.normal(size=(150, 4))
    far *= 4 / np.linalg.norm(far, axis=1, keepdims=True)
    rows, labels = np.concatenate([near, far]), np.repeat([0, 1], 150)
    assert cross_validated(rows, labels).mean() < 0.65
    assert cross_validated(rows, labels, kernel=True).mean() > 0.9
    noise = rng.normal(size=(300, 20))
    assert cross_validated(noise, labels, kernel=True).mean() == pytest.approx(0.5, abs=0.09)


def test_kernel_scores_are_those_of_the_formula() -> None:
    rng = np.random.default_rng(1)
    X, asked, labels = rng.normal(size=(7, 3)), rng.normal(size=(2, 3)), np.array([0, 1, 2, 0, 1, 2, 2])
    Y = np.eye(3)[labels]

    def k(x: Array, y: Array) -> float:
        return float(np.exp(-np.sum((x - y) ** 2) / 3))

    K = np.array([[k(x, y) for y in X] for x in X])
    alpha = np.linalg.inv(K + 0.5 * np.eye(7)) @ (Y - Y.mean(axis=0))
    expected = [[sum(k(x, X[i]) * alpha[i, c] for i in range(7)) + Y[:, c].mean() for c in range(3)] for x in asked]
    assert kernel_scores(X, labels, 3, asked, ridge=0.5) == pytest.approx(np.array(expected))


def test_three_classifiers_look_at_each_group() -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 40)
    group = Group("words", tuple(map(str, range(80))), labels, ("one", "two"))
    rows = list(recovered({"model": rng.normal(size=(80, 5)) + 3 * labels[:, None]}, group))
    assert [row.metric for row in rows] == ["recovered", "recovered, curved", "clustered"]
    assert all(row.value > 95 for row in rows)
    assert [np.isfinite(row.p_value) for row in rows] == [True, True, False]


def test_every_difference_that_is_said_has_an_interval() -> None:
    values = np.random.default_rng(0).random(20).tolist()
    before = mean_with_interval("before", "gender", "mac", np.array(values), language="en", method="words")
    after = mean_with_interval("after", "gender", "mac", np.array(values) + 0.1, language="en", method="words")
    found = BeforeAfter("title", (before,), (after,), differences([before], [after]))
    (pair,) = compared_sides(found).pairs
    assert pair.interval == pytest.approx((0.1, 0.1), abs=0.02)
    (said,) = differences_of(found)
    assert said["difference"] == pytest.approx(0.1)
    assert said["paired"]
    assert "difference +0.100 (+0." in summary(found)[0]
    nothing = BeforeAfter("title", (before,), ())
    assert summary(nothing) == []
    assert compared_sides(nothing).only_first == (before,)
