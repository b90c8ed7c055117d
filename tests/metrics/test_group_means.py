"""Relative norm distance and embedding coherence: the p-value by brute force, and what the interval must do."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiltmeter.metrics.association import embedding_coherence, relative_norm_distance
from tiltmeter.metrics.group_means import GroupMeans, coherence_of_groups, norm_distance_of_groups

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]


def made(seed: int, words: int, n_a: int, n_b: int, apart: float = 0.0) -> tuple[Array, Array, Array]:
    rng = np.random.default_rng(seed)
    towards = np.eye(6)[0] * apart
    lean = rng.normal(size=(words, 1)) * towards  # words scatter along what parts the groups
    return (
        rng.normal(size=(words, 6)) + lean,
        rng.normal(size=(n_a, 6)) + towards,
        rng.normal(size=(n_b, 6)) - towards,
    )


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10_000), n_a=st.integers(2, 4), n_b=st.integers(2, 4))
def test_p_values_are_those_of_every_grouping_by_hand(seed: int, n_a: int, n_b: int) -> None:
    W, A, B = made(seed, 5, n_a, n_b)
    both = np.concatenate([A, B])
    distance, coherence = [], []
    for chosen in itertools.combinations(range(n_a + n_b), n_a):
        inside = np.isin(np.arange(n_a + n_b), chosen)
        distance.append(relative_norm_distance(W, both[inside], both[~inside]).mean)
        coherence.append(embedding_coherence(W, both[inside], both[~inside]))
    first = np.abs(np.array(distance) - np.mean(distance))
    found = norm_distance_of_groups(W, A, B, resamples=100)
    assert found.value == pytest.approx(distance[0])
    assert found.permutation.p_value == pytest.approx(np.mean(first >= first[0] - 1e-12))
    ranked = coherence_of_groups(W, A, B, resamples=100)
    assert ranked.value == pytest.approx(coherence[0])
    assert ranked.permutation.p_value == pytest.approx(np.mean(np.array(coherence) <= coherence[0] + 1e-12))
    assert ranked.permutation.method.startswith("exact")


@pytest.mark.parametrize("metric", [norm_distance_of_groups, coherence_of_groups])
def test_a_sampled_p_value_counts_the_observed_grouping_and_repeats_itself(
    metric: Callable[..., GroupMeans],
) -> None:
    W, A, B = made(3, 12, 8, 9, apart=3.0)
    sampled = metric(W, A, B, samples=999, resamples=100, seed=4)
    assert sampled.permutation.method == "sampled: 999 + 1 groupings, seed 4"
    assert sampled.permutation.p_value >= 1 / 1_000
    assert sampled == metric(W, A, B, samples=999, resamples=100, seed=4)
    exact = metric(W, A, B, samples=30_000, resamples=100)
    assert exact.permutation.method == "exact: all 24,310 groupings counted"
    assert sampled.permutation.p_value == pytest.approx(exact.permutation.p_value, abs=0.05)


def test_groups_that_lie_apart_rank_words_the_other_way_round_more_often_than_chance_does() -> None:
    W, A, B = made(1, 30, 8, 8, apart=3.0)
    found = coherence_of_groups(W, A, B)
    assert found.value < 0
    assert found.interval.high < 1
    assert found.permutation.p_value < 0.01


def test_turning_the_groups_round_turns_the_distance_round() -> None:
    W, A, B = made(2, 10, 5, 7)
    one, other = norm_distance_of_groups(W, A, B), norm_distance_of_groups(W, B, A)
    assert one.value == pytest.approx(-other.value)
    assert one.permutation.p_value == pytest.approx(other.permutation.p_value)
    assert one.interval.low < one.value < one.interval.high


def test_one_word_has_no_interval_and_one_direction_no_coherence() -> None:
    W, A, B = made(5, 6, 3, 3)
    assert norm_distance_of_groups(W[:1], A, B).interval.method.startswith("none: one word")
    same = np.repeat(W[:1], 4, axis=0)
    found = coherence_of_groups(same, A, B)
    assert np.isnan(found.value)
    assert np.isnan(found.permutation.p_value)
    assert np.isnan(found.interval.low)


@pytest.mark.slow
@pytest.mark.parametrize("metric", [norm_distance_of_groups, coherence_of_groups])
def test_without_bias_the_p_value_is_small_as_rarely_as_it_says(metric: Callable[..., GroupMeans]) -> None:
    found = np.array(
        [metric(*made(seed, 12, 5, 6), samples=499, resamples=10).permutation.p_value for seed in range(600)]
    )
    for level in (0.05, 0.2, 0.5):
        # exact tests are never too eager, and discrete ones a little shy: three standard errors on either side
        assert float(np.mean(found <= level)) == pytest.approx(
            level, abs=3 * np.sqrt(level * (1 - level) / 600) + 0.003
        )
