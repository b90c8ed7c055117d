"""Differences of two results on the same items: by hand, and what pairing is good for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tiltmeter.metrics.association import effect_size
from tiltmeter.metrics.indirect import bridge_interval
from tiltmeter.metrics.interval import effect_size_interval
from tiltmeter.metrics.paired import correlation_difference, effect_size_difference, preference_difference
from tiltmeter.metrics.pairs import pair_scores


def test_the_difference_of_two_scores_by_hand() -> None:
    # 3 of 4 against 1 of 4; without ties 3 of 4 against 1 of 2
    first, second = [1, 1, 1, -1], [1, 0, -1, 0]
    assert preference_difference(first, second, ties_count=True)[0] == -50
    assert preference_difference(first, second, ties_count=False)[0] == -25
    assert preference_difference(second, first, ties_count=False)[0] == 25


def test_the_difference_is_that_of_the_published_scores() -> None:
    rng = np.random.default_rng(1)
    more = rng.standard_normal((2, 60)).round(1)
    less = rng.standard_normal((2, 60)).round(1)
    scores = [pair_scores(*one, ["stereo"] * 60, ["age"] * 60, resamples=100) for one in zip(more, less, strict=True)]
    outcomes = np.sign((more - less).round(3)).astype(int)
    for part, ties_count in (("overall", True), ("stereotype", False)):
        expected = getattr(scores[1], part).score - getattr(scores[0], part).score
        assert preference_difference(*outcomes, ties_count=ties_count)[0] == pytest.approx(expected)


def test_models_that_agree_on_most_pairs_are_told_apart_where_independent_ones_are_not() -> None:
    rng = np.random.default_rng(0)
    before = np.where(rng.random(300) < 0.6, 1, -1)
    after = before.copy()
    after[np.flatnonzero(before == 1)[:12]] = -1  # a change of twelve pairs, all one way: 4 points
    value, interval = preference_difference(before, after, ties_count=True)
    assert value == pytest.approx(-4)
    assert interval.high < 0
    shuffled = preference_difference(before, rng.permutation(after), ties_count=True)[1]
    assert shuffled.low < 0 < shuffled.high


def test_few_pairs_of_which_none_changed_do_not_show_that_nothing_changes() -> None:
    value, interval = preference_difference([1, 1, -1, 0], [1, 1, -1, 0], ties_count=True)
    assert value == 0
    assert (interval.low, interval.high) == pytest.approx((-60.2, 60.2), abs=0.1)  # (1 - 0.602)⁴ = 0.025
    many = preference_difference([1, -1] * 150, [1, -1] * 150, ties_count=False)[1]
    assert many.high == pytest.approx(1.22, abs=0.01)
    assert math.isnan(preference_difference([0, 0], [0, 0], ties_count=False)[0])


def test_the_interval_holds_the_true_difference_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    held, times = 0, 400
    for _ in range(times):
        stays, first = rng.random(200) < 0.7, rng.random(200) < 0.6
        second = np.where(stays, first, rng.random(200) < 0.6)  # the same chance, so the difference is 0
        outcomes = [np.where(one, 1, -1) for one in (first, second)]
        interval = preference_difference(*outcomes, ties_count=True, resamples=500)[1]
        held += interval.low <= 0 <= interval.high
    assert held / times == pytest.approx(0.95, abs=0.03)


def test_a_difference_from_a_word_that_says_nothing_is_the_correlation() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((2, 80))
    y += x
    opposite = (-x, y)
    value, interval = correlation_difference(opposite, (x, y))
    r = np.corrcoef(x, y)[0, 1]
    assert value == pytest.approx(2 * r)
    alone = bridge_interval(x, y)
    assert (interval.low, interval.high) == pytest.approx((2 * alone.low, 2 * alone.high), abs=0.02)


def test_the_difference_of_effect_sizes_is_that_of_the_sizes_and_pairing_makes_it_surer() -> None:
    rng = np.random.default_rng(5)
    first = rng.standard_normal((20, 16)) + np.where(np.arange(20) < 10, 0.4, -0.4)[:, None] * (np.arange(16) < 8)
    second = first + 0.05 * rng.standard_normal(first.shape)
    first[:10, :8] += 0.1
    sizes = [
        effect_size(scores[:10], scores[10:])
        for scores in (table[:, :8].mean(axis=1) - table[:, 8:].mean(axis=1) for table in (first, second))
    ]
    value, interval = effect_size_difference(first, second, 10, 8, resamples=2_000)
    assert value == pytest.approx(sizes[1] - sizes[0])
    assert interval.low < value < interval.high
    alone = [effect_size_interval(table, 10, 8, resamples=2_000) for table in (first, second)]
    apart = math.hypot(*(one.high - one.low for one in alone))
    assert interval.high - interval.low < apart / 2


def test_the_interval_of_a_difference_of_effect_sizes_holds_the_truth_as_often_as_it_says() -> None:
    rng = np.random.default_rng(6)
    held, times = 0, 300
    for _ in range(times):
        words = rng.standard_normal(50)  # of X and Y, 25 each; the same in both models, and no effect in either
        first, second = (np.stack([words + rng.standard_normal(50), np.zeros(50)], axis=1) for _ in range(2))
        interval = effect_size_difference(first, second, 25, 1, over_attributes=False, resamples=400)[1]
        held += interval.low <= 0 <= interval.high
    assert held / times == pytest.approx(0.95, abs=0.035)


def test_similarities_of_other_words_are_refused() -> None:
    with pytest.raises(ValueError, match="not of the same words"):
        effect_size_difference(np.zeros((4, 4)), np.zeros((5, 4)), 2, 2)
    with pytest.raises(ValueError, match="cannot be split"):
        effect_size_difference(np.zeros((4, 4)), np.zeros((4, 4)), 3, 2)


def test_names_without_a_score_take_no_part_and_nothing_comes_of_none() -> None:
    rng = np.random.default_rng(0)
    scores = rng.standard_normal((4, 30))
    some = scores.copy()
    some[2, 20:] = math.nan
    whole = correlation_difference((scores[0][:20], scores[1][:20]), (scores[2][:20], scores[3][:20]))
    assert correlation_difference((some[0], some[1]), (some[2], some[3])) == whole
    flat = correlation_difference((scores[0], scores[1]), (scores[2], np.ones(30)))
    assert math.isnan(flat[0])
    assert math.isnan(flat[1].low)
    assert math.isnan(preference_difference([], [], ties_count=True)[0])
