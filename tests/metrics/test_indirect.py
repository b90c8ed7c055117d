"""The indirect score: the thesis's algorithm written out, a planted world, and intervals that hold what they say."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import correlation
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import bootstrap, pearsonr

from tiltmeter.metrics._correlations import Resampled, accelerations, basis, correlations, name_weights, residuals
from tiltmeter.metrics.indirect import bridge_bounds, bridge_interval, indirect_scores
from tiltmeter.metrics.logprob import bias_scores

Array = NDArray[np.float64]
Plant = Callable[..., Any]
NAN = math.nan


def algorithm_3_1(p1: Array, prior1: Array, p2: Array, prior2: Array) -> float:
    """Louis-Alexandre 2022, Algorithm 3.1, line by line, for one target and one feature: templates × names."""
    bs1, bs2 = [], []
    for b in range(p1.shape[1]):
        tgt_1 = sum(p1[i, b] for i in range(len(p1))) / len(p1)
        prior_1 = sum(prior1[i, b] for i in range(len(p1))) / len(p1)
        tgt_2 = sum(p2[i, b] for i in range(len(p2))) / len(p2)
        prior_2 = sum(prior2[i, b] for i in range(len(p2))) / len(p2)
        bs1.append(math.log(tgt_1 / prior_1))
        bs2.append(math.log(tgt_2 / prior_2))
    return correlation(bs1, bs2)


def test_the_matrix_is_that_of_the_algorithm_run_for_each_pair() -> None:
    rng = np.random.default_rng(0)
    p1, prior1 = rng.uniform(size=(3, 4, 9)), rng.uniform(size=(3, 1, 9))
    p2, prior2 = rng.uniform(size=(5, 9, 6)), rng.uniform(size=(5, 1, 6))
    found = indirect_scores(bias_scores(np.log(p1), np.log(prior1)), bias_scores(np.log(p2), np.log(prior2))).score
    for t in range(4):
        for f in range(6):
            prior_f = np.repeat(prior2[:, :, f], 9, axis=1)
            assert found[t, f] == pytest.approx(algorithm_3_1(p1[:, t], prior1[:, 0], p2[:, :, f], prior_f), abs=1e-12)


def test_one_pair_by_hand() -> None:
    # 1 2 3 4 against 1 3 2 4: r = 1 - 6 · 2 / (4 · 15) = .8, and with two degrees of freedom p = 1 - |r|.
    found = indirect_scores([[1, 2, 3, 4]], [[1], [3], [2], [4]])
    assert found.score.item() == pytest.approx(0.8)
    assert found.p_value.item() == found.adjusted.item() == pytest.approx(0.2)
    assert found.n.item() == 4


def test_names_without_a_score_drop_out_of_their_pairs_only() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(4, 30)), rng.normal(size=(30, 5))
    x[0, 3] = x[2, [5, 6]] = x[:, 9] = NAN
    y[7, 1] = y[[3, 8], 4] = y[11] = NAN
    found = indirect_scores(x, y)
    for t in range(4):
        for f in range(5):
            both = ~np.isnan(x[t]) & ~np.isnan(y[:, f])
            theirs = pearsonr(x[t, both], y[both, f])
            assert found.score[t, f] == pytest.approx(theirs.statistic)
            assert found.p_value[t, f] == pytest.approx(theirs.pvalue)
            assert found.n[t, f] == both.sum()
    bounds = bridge_bounds(x, y, resamples=200)
    assert np.all((bounds.low < found.score) & (found.score < bounds.high))


def test_the_p_values_are_adjusted_over_the_whole_matrix() -> None:
    # With two degrees of freedom the p-values are 1 - |r|: .2 and 0; adjusted .2 · 2 / 2 and 0.
    found = indirect_scores([[1, 2, 3, 4]], [[1, 1], [3, 2], [2, 3], [4, 4]])
    assert found.p_value[0] == pytest.approx([0.2, 0], abs=1e-7)
    assert found.adjusted[0] == pytest.approx([0.2, 0], abs=1e-7)
    assert indirect_scores([[1, 2, 3, 4]], [[1, 3], [3, 1], [2, 4], [4, 2]]).adjusted.max() <= 1


def test_without_spread_or_without_names_there_is_no_score() -> None:
    x = np.array([[1.0, 2, 3, 4], [0.1, 0.1, 0.1, 0.1], [NAN, NAN, 1, 2], [NAN, NAN, NAN, NAN]])
    found = indirect_scores(x, x.T)
    assert np.argwhere(~np.isnan(found.score)).tolist() == [[0, 0]]
    assert found.score[0, 0] == 1
    bounds = bridge_bounds(x, x.T, resamples=50)
    assert np.argwhere(~np.isnan(bounds.low)).tolist() == [[0, 0]]
    assert math.isnan(bridge_interval(x[0], x[2]).low)
    assert math.isnan(bridge_interval(x[0], x[3]).low)


def test_planted_scores_come_out(planted: Plant) -> None:
    world = planted(60, 0, exact=True)
    x, y = bias_scores(world.target, world.target_prior), bias_scores(world.feature, world.feature_prior)
    assert indirect_scores(x, y).score == pytest.approx(world.raw)
    prior = world.target_prior[0, 0]
    assert indirect_scores(x, y, held=prior).score == pytest.approx(world.given_commonness)
    assert indirect_scores(x, y, held=world.gender).score == pytest.approx(world.given_gender)
    both = np.column_stack([world.gender, prior, world.gender - prior])  # the third follows from the others
    held = indirect_scores(x, y, held=both)
    assert held.score == pytest.approx(0, abs=1e-9)
    assert held.p_value == pytest.approx(1)


def test_a_partial_correlation_is_tested_with_fewer_degrees_of_freedom() -> None:
    # 5 names and one column held: two degrees of freedom, where p = 1 - |r|.
    x, y, z = np.random.default_rng(2).normal(size=(3, 5))
    found = indirect_scores(x[None], y[:, None], held=z)
    rx, ry, xy = correlation(x, z), correlation(y, z), correlation(x, y)
    assert found.score.item() == pytest.approx((xy - rx * ry) / math.sqrt((1 - rx**2) * (1 - ry**2)))
    assert found.p_value.item() == pytest.approx(1 - abs(found.score.item()))
    assert np.isnan(indirect_scores(x[None, :3], y[:3, None], held=z[:3]).score).all()


def test_resamples_in_single_precision_are_as_good_as_double() -> None:
    rng = np.random.default_rng(3)
    z = rng.normal(size=(80, 2))
    x, y = rng.normal(size=(3, 80)) - 9 + z[:, 0], rng.normal(size=(80, 4)) + 500 + 3 * z[:, :1]
    weights = name_weights(80, 50, 0)
    for held in (None, z):
        q = basis(held, 80)
        resampled = Resampled(residuals(y.T, q).T, q, weights)
        for t, row in enumerate(residuals(x, q)):
            ours = resampled.with_row(row)
            for i, w in enumerate(weights.astype(int)):
                drawn = np.repeat(np.arange(80), w)
                exact = indirect_scores(x[t : t + 1, drawn], y[drawn], held=None if held is None else held[drawn])
                assert ours[i] == pytest.approx(exact.score[0], abs=1e-5)


def weighted_partial(x: Array, y: Array, z: Array, weights: Array) -> float:
    """By the inverse of the weighted covariance matrix of x, y and z."""
    inverse = np.linalg.inv(np.cov(np.vstack([x, y, z.T]), aweights=weights))
    return float(-inverse[0, 1] / math.sqrt(inverse[0, 0] * inverse[1, 1]))


@pytest.mark.parametrize("columns", [0, 2])
def test_the_acceleration_follows_from_how_a_little_weight_on_a_name_moves_the_correlation(columns: int) -> None:
    rng = np.random.default_rng(8)
    g, z = rng.exponential(size=60), rng.normal(size=(60, columns))
    x, y = rng.exponential(size=60) + 2 * g, rng.exponential(size=60) + g + z.sum(axis=1)
    q = basis(z, 60)
    rest_x, rest_y = residuals(x[None], q), residuals(y[None], q).T
    ours = accelerations(rest_x, rest_y, correlations(rest_x, rest_y)).item()
    more = 1 + 1e-5 * np.eye(60)
    u = np.array([weighted_partial(x, y, z, w) for w in more]) - weighted_partial(x, y, z, np.ones(60))
    assert ours == pytest.approx((u**3).sum() / (6 * (u**2).sum() ** 1.5), rel=1e-3)
    assert abs(ours) > 0.005


def test_pairs_with_lost_names_share_the_resamples_of_the_others() -> None:
    # A name at the mean of both scores weighs nothing: without it the bounds stay where they are, but for chance, and
    # there is no chance in it when the resamples are the same.
    x, y = np.random.default_rng(9).normal(size=(2, 200))
    x[50], y[50] = np.delete(x, 50).mean(), np.delete(y, 50).mean()
    lost = np.where(np.arange(200) == 50, NAN, y)
    bounds = bridge_bounds(x[None], np.column_stack([y, lost]), resamples=400)
    assert bounds.low[0, 1] == pytest.approx(bounds.low[0, 0], abs=5e-4)
    assert bounds.high[0, 1] == pytest.approx(bounds.high[0, 0], abs=5e-4)


def test_the_interval_of_one_pair_is_that_of_scipy_but_for_chance() -> None:
    x, y = np.random.default_rng(4).normal(size=(2, 40)) + np.random.default_rng(5).exponential(size=40)
    theirs = bootstrap(
        (x, y), lambda a, b, axis: pearsonr(a, b, axis=axis).statistic, paired=True, n_resamples=20_000, rng=1
    ).confidence_interval
    ours = bridge_interval(x, y, resamples=20_000)
    assert ours.method == "BCa"
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.02)
    every = bridge_bounds(x[None], y[:, None], resamples=20_000)
    assert (every.low.item(), every.high.item()) == pytest.approx((theirs.low, theirs.high), abs=0.03)


def test_the_same_seed_gives_the_same_bounds_in_blocks_of_any_size(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=(2, 40)), rng.normal(size=(40, 7))
    once = bridge_bounds(x, y, resamples=300)
    assert np.array_equal(once.low, bridge_bounds(x, y, resamples=300).low)
    assert not np.array_equal(once.low, bridge_bounds(x, y, resamples=300, seed=1).low)
    monkeypatch.setattr("tiltmeter.metrics.indirect._BATCH", 300 * 5 * 2)  # two features at a time
    assert bridge_bounds(x, y, resamples=300).low == pytest.approx(once.low, abs=1e-5)


def coverage(planted: Plant, names: int, worlds: int, resamples: int) -> tuple[float, float]:
    """How often the bounds hold the scores of the population, raw and with the commonness of the names held fixed."""
    hits = np.zeros(2)
    for seed in range(worlds):
        world = planted(names, seed, templates=(1, 1))
        x, y = bias_scores(world.target, world.target_prior), bias_scores(world.feature, world.feature_prior)
        for i, (held, truth) in enumerate([(None, world.raw), (world.commonness, world.given_commonness)]):
            bounds = bridge_bounds(x, y, held=held, resamples=resamples, seed=seed)
            hits[i] += np.mean((bounds.low <= truth) & (truth <= bounds.high))
    raw, adjusted = hits / worlds
    return float(raw), float(adjusted)


def test_bounds_hold_the_planted_scores_as_often_as_they_say(planted: Plant) -> None:
    for share in coverage(planted, 120, 300, 400):
        assert 0.92 <= share <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("names", [50, 300])
def test_coverage_over_many_worlds(planted: Plant, names: int) -> None:
    for share in coverage(planted, names, 1_000, 1_000):
        assert 0.92 <= share <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize(("names", "held_truth"), [(20, 0.92), (100, 0.919), (300, 0.938)])
def test_coverage_of_skewed_scores_is_what_the_documentation_says(names: int, held_truth: float) -> None:
    rng = np.random.default_rng(7)
    lean = np.array([0, 0.5, 1, 2])
    truth = np.outer(lean, lean) / np.sqrt(np.outer(lean**2 + 1, lean**2 + 1))
    hits = 0.0
    for seed in range(500):
        g, *own = rng.exponential(size=(9, names))
        x, y = lean[:, None] * g + own[:4], (lean[:, None] * g + own[4:]).T
        bounds = bridge_bounds(x, y, seed=seed)
        hits += float(np.mean((bounds.low <= truth) & (truth <= bounds.high)))
    assert hits / 500 == pytest.approx(held_truth, abs=0.015)


TABLE = np.arange(12.0).reshape(3, 4)
REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: indirect_scores(TABLE, TABLE), "do not meet over a bridge"),
    (lambda: indirect_scores(TABLE - np.eye(3, 4) * math.inf, TABLE.T), "infinite: a probability was zero"),
    (lambda: indirect_scores(TABLE, TABLE.T, held=[1.0, 2]), "one row for each of the 4 names"),
    (lambda: indirect_scores(TABLE, TABLE.T, held=[1.0, 2, -math.inf, 0]), "infinite for name 2"),
    (lambda: bridge_bounds(TABLE, TABLE.T, level=95), "between 0 and 1"),
    (lambda: bridge_bounds(TABLE, TABLE.T, resamples=0), "one resample or more"),
    (lambda: bridge_interval(TABLE[0], TABLE[0, :2]), "one score a name on both sides"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_has_no_answer_is_refused(call: Callable[[], object], message: str) -> None:
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match=message):
        call()
