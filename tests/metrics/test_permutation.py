"""Permutation p-values: exact ones against enumeration and published numbers, the others against the exact ones."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import mannwhitneyu, rankdata

from tiltmeter.metrics._halves import count_by_halves
from tiltmeter.metrics._shift import shift_bounds
from tiltmeter.metrics.permutation import permutation_test


def by_enumeration(scores: list[int], first: int) -> tuple[Fraction, Fraction]:
    """One-sided and two-sided p-values by looking at every partition, in whole numbers."""
    n, total = len(scores), sum(scores)
    observed = n * sum(scores[:first]) - first * total
    differences = [n * sum(chosen) - first * total for chosen in itertools.combinations(scores, first)]
    greater = sum(difference >= observed for difference in differences)
    two_sided = sum(abs(difference) >= abs(observed) for difference in differences)
    return Fraction(greater, len(differences)), Fraction(two_sided, len(differences))


# Few distinct values, so that ties and zero variance are common.
small_cases = st.tuples(
    st.lists(st.integers(-5, 5) | st.integers(-1000, 1000), min_size=2, max_size=11), st.floats(0, 1)
).map(lambda drawn: (drawn[0], 1 + int(drawn[1] * (len(drawn[0]) - 2))))


@given(small_cases, st.sampled_from([1.0, 0.1, 1 / 3, 1e-9, 1e6]), st.sampled_from([0.0, 0.3, -7.7]))
def test_exact_agrees_with_enumeration(case: tuple[list[int], int], unit: float, offset: float) -> None:
    # Multiples of 0.1 or 1/3 are rounded, so that equal sums differ in their last bits and must still tie.
    scores, first = case
    greater, two_sided = by_enumeration(scores, first)
    array = np.array(scores) * unit + offset * unit
    assert permutation_test(array, first).p_value == pytest.approx(float(greater), rel=1e-12)
    assert permutation_test(array, first, alternative="two-sided").p_value == pytest.approx(float(two_sided), rel=1e-12)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(12, 30), st.floats(0.1, 0.9), st.floats(-1, 2))
def test_shift_bounds_hold_the_exact_share(seed: int, n: int, share: float, lean: float) -> None:
    k = max(1, round(share * n))
    scores = np.random.default_rng(seed).normal(size=n)
    scores[:k] += lean
    scores = (scores - scores.mean()) / np.abs(scores - scores.mean()).max()
    threshold = scores[:k].sum() - 1e-11
    exact = count_by_halves(scores, k, threshold) / math.comb(n, k)
    low, high = shift_bounds(scores, k, threshold, agree=0.05)
    assert low <= exact <= high


@pytest.mark.parametrize(
    ("n", "k", "lean"), [(48, 24, 0.0), (48, 24, 1.0), (60, 20, 0.7), (90, 45, 2.0), (150, 50, 0.3)]
)
def test_bounds_agree_to_one_percent_beyond_enumeration(n: int, k: int, lean: float) -> None:
    scores = np.random.default_rng(n + k).normal(size=n)
    scores[:k] += lean
    test = permutation_test(scores, k)
    assert 0 < test.low <= test.high <= 1.01 * test.low
    assert test.p_value == test.high
    # The larger group's lead is the smaller group's lag: the same question, asked of the other side.
    mirrored = permutation_test(np.concatenate([-scores[k:], -scores[:k]]), n - k)
    assert mirrored.low <= test.high
    assert test.low <= mirrored.high


@pytest.mark.parametrize(("m", "n", "lean"), [(30, 35, 0.8), (24, 24, 0.0), (40, 60, 0.4), (25, 25, 2.5)])
def test_ranks_give_the_exact_mann_whitney_test(m: int, n: int, lean: float) -> None:
    rng = np.random.default_rng(m * n)
    x, y = rng.normal(size=m) + lean, rng.normal(size=n)
    ranks = rankdata(np.concatenate([x, y]))
    for alternative in ("greater", "two-sided"):
        ours = permutation_test(ranks, m, alternative=alternative)
        theirs = mannwhitneyu(x, y, alternative=alternative, method="exact").pvalue
        assert ours.p_value == pytest.approx(theirs, rel=1e-7)


def test_two_values_give_the_hypergeometric_tail() -> None:
    # 100 items, 30 of them ones; 22 of the first 50 are ones.
    scores = np.array([1.0] * 22 + [0.0] * 28 + [1.0] * 8 + [0.0] * 42)
    tail = Fraction(sum(math.comb(30, i) * math.comb(70, 50 - i) for i in range(22, 31)), math.comb(100, 50))
    assert permutation_test(scores, 50).p_value == pytest.approx(float(tail), rel=1e-8)


@pytest.mark.slow
def test_sentence_tests_of_hundreds_of_items_are_bounded_to_one_percent() -> None:
    scores = np.random.default_rng(0).normal(size=700)
    scores[:350] += 0.25
    test = permutation_test(scores, 350)
    assert 0 < test.low <= test.high <= 1.01 * test.low


def test_first_group_on_top_leaves_one_partition() -> None:
    scores = np.arange(60.0)[::-1] ** 1.1
    total = math.comb(60, 30)
    test = permutation_test(scores, 30)
    assert test.low == pytest.approx(1 / total, rel=0.01)
    assert test.high == pytest.approx(1 / total, rel=0.01)
    assert permutation_test(scores[::-1], 30).p_value == 1.0


def test_p_values_follow_the_uniform_distribution_where_there_is_no_bias() -> None:
    rng = np.random.default_rng(7)
    p_values = np.array([permutation_test(rng.normal(size=16), 8).p_value for _ in range(2000)])
    for level in (0.01, 0.05, 0.25, 0.5):
        share = float((p_values <= level).mean())
        assert share == pytest.approx(level, abs=4 * math.sqrt(level * (1 - level) / p_values.size))


def lopsided() -> NDArray[np.float64]:
    scores = np.random.default_rng(3).normal(size=24)
    scores[:10] += 0.6
    return scores


@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_sampled_and_normal_come_near_the_exact_value(alternative: str) -> None:
    exact = permutation_test(lopsided(), 10, alternative=alternative).p_value  # type: ignore[arg-type]
    sampled = permutation_test(lopsided(), 10, alternative=alternative, method="sampled").p_value  # type: ignore[arg-type]
    normal = permutation_test(lopsided(), 10, alternative=alternative, method="normal").p_value  # type: ignore[arg-type]
    assert sampled == pytest.approx(exact, abs=5 * math.sqrt(exact / 100_000))
    assert normal == pytest.approx(exact, rel=0.2)


def test_a_sampled_p_value_is_never_zero_and_repeats_with_its_seed() -> None:
    scores = np.concatenate([np.ones(30) * 10, np.zeros(30)]) + np.linspace(0, 1, 60)
    assert permutation_test(scores, 30, method="sampled", samples=999).p_value == 1 / 1000
    first = permutation_test(lopsided(), 10, method="sampled", samples=5000, seed=1).p_value
    assert permutation_test(lopsided(), 10, method="sampled", samples=5000, seed=1).p_value == first
    assert permutation_test(lopsided(), 10, method="sampled", samples=5000, seed=2).p_value != first


def test_no_spread_means_that_every_partition_ties() -> None:
    assert permutation_test(np.full(60, 0.1 + 0.2), 30).p_value == 1.0
    assert permutation_test([0.3, 0.1 + 0.2, 0.3], 1).p_value == 1.0


@pytest.mark.parametrize(
    ("scores", "first", "says"),
    [([1.0, 2.0], 0, "both groups"), ([1.0, 2.0], 2, "both groups"), ([1.0, math.nan, 2.0], 1, "not a finite number")],
)
def test_refuses_what_cannot_be_tested(scores: list[float], first: int, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        permutation_test(scores, first)
