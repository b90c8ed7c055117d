"""Bootstrap intervals: agreement with SciPy, coverage of a known truth, and what happens where BCa is undefined."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import bootstrap

from tiltmeter.metrics.association import cosines, effect_size, weat
from tiltmeter.metrics.interval import bca, effect_size_interval

Array = NDArray[np.float64]


def left_out(sample: Array) -> list[Array]:
    return [np.delete(sample, i) for i in range(sample.size)]


@pytest.mark.parametrize("statistic", [np.mean, np.median, np.std])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_one_sample_agrees_with_scipy(statistic: Callable[..., Any], level: float) -> None:
    sample = np.random.default_rng(4).exponential(size=23)
    theirs = bootstrap((sample,), statistic, method="BCa", confidence_level=level, n_resamples=999, rng=1)
    jackknife = [float(statistic(rest)) for rest in left_out(sample)]
    ours = bca(theirs.bootstrap_distribution, [jackknife], float(statistic(sample)), level)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval))
    assert (ours.method, ours.level) == ("BCa", level)


@pytest.mark.parametrize("sizes", [(25, 25), (6, 11)])
def test_two_samples_agree_with_scipy(sizes: tuple[int, int]) -> None:
    rng = np.random.default_rng(2)
    x, y = rng.exponential(size=sizes[0]), rng.normal(size=sizes[1])
    theirs = bootstrap((x, y), effect_size, method="BCa", n_resamples=499, vectorized=False, rng=1)
    groups = [[effect_size(rest, y) for rest in left_out(x)], [effect_size(x, rest) for rest in left_out(y)]]
    ours = bca(theirs.bootstrap_distribution, groups, effect_size(x, y))
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval))


def test_the_interval_of_an_effect_size_is_that_of_scipy_but_for_chance() -> None:
    rng = np.random.default_rng(3)
    scores = rng.normal(size=20) + np.repeat([1.0, 0.0], [12, 8])
    alone = np.column_stack([scores, np.zeros(20)])  # one word in A carries the scores, one in B has no similarity

    def difference(x: Array, y: Array, axis: int) -> Array:
        spread = np.concatenate([x, y], axis).std(axis, ddof=1)
        return np.asarray((x.mean(axis) - y.mean(axis)) / spread, dtype=np.float64)

    samples = (scores[:12], scores[12:])
    theirs = bootstrap(samples, difference, method="BCa", n_resamples=100_000, batch=10_000, rng=1).confidence_interval
    ours = effect_size_interval(alone, 12, 1, over_attributes=False, resamples=100_000)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.03)  # three standard errors


def test_attributes_are_resampled_when_asked_for() -> None:
    # The scores are of one sign by a little only: which words of X and Y are drawn hardly moves the effect size, which
    # of A are drawn can turn it around.
    words = np.array([1, 1.1, 0.9, 1.2, 0.8, 0, 0.1, -0.1, 0.2, -0.2])
    attributes = np.array([1, -1, 1, -1, 1, -0.5, 0, 0, 0, 0, 0, 0])
    table = np.outer(words, attributes)
    assert effect_size_interval(table, 5, 6, over_attributes=False).low > 1.5
    wide = effect_size_interval(table, 5, 6)
    assert wide.low < -1.5
    assert wide.high > 1.5


def test_resampling_attributes_agrees_with_scipy_but_for_chance() -> None:
    rng = np.random.default_rng(5)
    X, Y, A, B = rng.normal(size=(4, 7, 4))
    X += 0.5 * A.mean(axis=0)

    def of_words(x: Array, y: Array, a: Array, b: Array) -> float:
        return weat(*(s[i] for s, i in zip((X, Y, A, B), (x, y, a, b), strict=True))).effect_size

    theirs = bootstrap(
        tuple(np.arange(7) for _ in range(4)), of_words, method="BCa", n_resamples=10_000, vectorized=False, rng=1
    ).confidence_interval
    table = cosines(np.concatenate([X, Y]), np.concatenate([A, B]))
    ours = effect_size_interval(table, 7, 7, resamples=20_000)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.06)


def test_the_same_seed_gives_the_same_interval() -> None:
    table = np.random.default_rng(0).normal(size=(16, 16))
    assert effect_size_interval(table, 8, 8, seed=5) == effect_size_interval(table, 8, 8, seed=5)
    assert effect_size_interval(table, 8, 8, seed=5) != effect_size_interval(table, 8, 8, seed=6)


def test_swapping_the_targets_turns_the_interval_around() -> None:
    table = np.random.default_rng(0).normal(size=(20, 16))
    one = effect_size_interval(table, 10, 8, resamples=40_000)
    other = effect_size_interval(np.roll(table, 10, axis=0), 10, 8, resamples=40_000)
    assert (one.low, one.high) == pytest.approx((-other.high, -other.low), abs=0.03)


def test_memory_does_not_grow_with_the_resamples() -> None:
    table = np.random.default_rng(0).normal(size=(400, 40))
    tracemalloc.start()
    effect_size_interval(table, 200, 20, resamples=20_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 120e6  # 64 MB would be needed for all counts of the targets at once, in each of several tables


def test_coverage_of_a_difference_of_means() -> None:
    rng = np.random.default_rng(11)
    hits, trials = 0, 500
    for _ in range(trials):
        x, y = rng.normal(0.7, 1, 25), rng.normal(0, 2, 25)
        estimates = rng.choice(x, (999, 25)).mean(axis=1) - rng.choice(y, (999, 25)).mean(axis=1)
        groups = [[rest.mean() - y.mean() for rest in left_out(x)], [x.mean() - rest.mean() for rest in left_out(y)]]
        interval = bca(estimates, groups, x.mean() - y.mean())
        hits += interval.low <= 0.7 <= interval.high
    assert hits / trials == pytest.approx(0.94, abs=0.03)  # three standard errors


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "shift", "coverage"), [(8, 0, 0.96), (8, 2, 0.91), (8, 4, 0.82), (25, 2, 0.93), (25, 4, 0.91)]
)
def test_coverage_of_the_effect_size_is_what_the_documentation_says(n: int, shift: float, coverage: float) -> None:
    rng = np.random.default_rng(12)
    truth = shift / math.sqrt(1 + shift**2 / 4)
    hits, trials = 0, 1_000
    for seed in range(trials):
        scores = rng.normal(size=2 * n) + np.repeat([shift, 0.0], n)
        interval = effect_size_interval(
            np.column_stack([scores, np.zeros(2 * n)]), n, 1, over_attributes=False, resamples=999, seed=seed
        )
        hits += interval.low <= truth <= interval.high
    assert hits / trials == pytest.approx(coverage, abs=0.03)


def test_sentences_of_a_word_are_resampled_together() -> None:
    rng = np.random.default_rng(4)
    by_word = rng.normal(size=(10, 6))
    words = [f"word {i}" for i in range(10)]
    alone = effect_size_interval(by_word, 5, 3, words=words)
    # Each word three times says nothing more than once, but for the sample standard deviation of three times the rows.
    thrice = effect_size_interval(np.repeat(by_word, 3, axis=0), 15, 3, words=np.repeat(words, 3).tolist(), ddof=0)
    once = effect_size_interval(by_word, 5, 3, words=words, ddof=0)
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))
    assert alone == effect_size_interval(by_word, 5, 3)
    independent = effect_size_interval(np.repeat(by_word, 3, axis=0), 15, 3, ddof=0)
    assert independent.high - independent.low < thrice.high - thrice.low
    doubled = effect_size_interval(
        np.repeat(by_word, 2, axis=1), 5, 6, attribute_words=np.repeat([*"abcdef"], 2).tolist()
    )
    assert (doubled.low, doubled.high) == pytest.approx((alone.low, alone.high))


def test_without_spread_there_is_no_interval() -> None:
    interval = effect_size_interval(np.full((8, 4), 0.3), 4, 2)
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)
    assert interval.method == "none: no resample is defined"


def test_resamples_without_spread_are_counted() -> None:
    # Two words a side, one of X like one of Y: the resamples that hold just these two alike have no spread.
    interval = effect_size_interval([[0.5, 0], [0.1, 0], [0.1, 0], [0.0, 0]], 2, 1, over_attributes=False)
    assert interval.method.startswith("percentile: a set of 2 says nothing of the acceleration; ")
    assert interval.method.endswith(" of 9,999 resamples undefined")
    assert interval.low < effect_size([0.5, 0.1], [0.1, 0.0]) <= interval.high


SPREAD = np.linspace(0, 1, 101)
FALLBACKS: list[tuple[Array, list[list[float]], float, str, tuple[float, float]]] = [
    (np.full(9, 0.4), [[0.4] * 5], 0.4, "percentile: all resamples are equal", (0.4, 0.4)),
    (SPREAD, [[1, 2, 4]], 1.5, "percentile: no resample lies on one side of the value", (0.1, 0.9)),
    (SPREAD, [[1, 2]], 0.5, "percentile: a set of 2 says nothing of the acceleration", (0.1, 0.9)),
    (SPREAD, [[1, 2, math.nan]], 0.5, "percentile: the jackknife does not define the acceleration", (0.1, 0.9)),
    (SPREAD, [[1, 1, 1]], 0.5, "percentile: the jackknife does not define the acceleration", (0.1, 0.9)),
]


@pytest.mark.parametrize(("estimates", "groups", "observed", "method", "ends"), FALLBACKS)
def test_where_bca_is_undefined_the_percentiles_are_given_by_name(
    estimates: Array, groups: list[list[float]], observed: float, method: str, ends: tuple[float, float]
) -> None:
    interval = bca(estimates, groups, observed, level=0.8)
    assert interval.method == method
    assert (interval.low, interval.high) == pytest.approx(ends)


def test_an_acceleration_beyond_its_pole_falls_back_too() -> None:
    # One item that carries all influence: a is nearly 1/6, and z0 + z = 2.6 + 3.9 lies beyond 1/a.
    interval = bca(SPREAD, [[0.0] * 400 + [-1.0]], 1.0, level=0.9999)
    assert interval.method == "percentile: the acceleration is too large"
    assert (interval.low, interval.high) == pytest.approx((5e-5, 1 - 5e-5))


def test_an_undefined_value_has_no_interval() -> None:
    assert bca(SPREAD, [[1, 2, 4]], math.nan).method == "none: the value itself is undefined"
    assert bca([], [[1, 2, 4]], 0.5).method == "none: no resample is defined"


TABLE = np.arange(24.0).reshape(6, 4)
REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: effect_size_interval(TABLE, 1, 2), "cannot be split after row 1 and column 2"),
    (lambda: effect_size_interval(TABLE, 5, 2), "X and Y need two words or more"),
    (lambda: effect_size_interval(TABLE, 3, 4), "after row 3 and column 4"),
    (lambda: effect_size_interval(TABLE[0], 3, 2), r"shape \(4,\)"),
    (lambda: effect_size_interval(TABLE, 3, 1), "A and B need two words or more"),
    (lambda: effect_size_interval(TABLE * math.nan, 3, 2), "not a finite number"),
    (lambda: effect_size_interval(TABLE, 3, 2, resamples=0), "one resample or more, not 0"),
    (lambda: bca(SPREAD, [[1, 2, 4]], 0.5, level=95), "between 0 and 1, and is not 95"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_has_no_answer_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
