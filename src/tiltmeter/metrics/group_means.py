"""Two metrics that compare words with the means of two groups, tested and bounded.

Relative norm distance and embedding coherence follow from two tables of dot products, of words with group words and of
group words with each other. So thousands of other groupings, or of other words, cost a few products of matrices.

The test asks how often the group words, dealt out anew into groups of the same sizes, show as much: which group a word
belongs to should not matter where there is no bias. The groupings are all counted where there are at most `samples`.

How many intervals of level .95 held the expected value (400 simulations each, words that scatter along the axis of the
groups, 1,000 resamples):

    words, A, B          16, 8, 8      60, 20, 20    60, 20, 10
    norm distance        .95 to .98    .96           .93
    coherence            .92 to .94    .95           .92
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from tiltmeter.metrics.association import TIE, Array, embedding_coherence, relative_norm_distance, units
from tiltmeter.metrics.interval import Interval, bca
from tiltmeter.metrics.permutation import PermutationTest

_BATCH = 1_000_000  # numbers in the largest table held at once


@dataclass(frozen=True, slots=True)
class GroupMeans:
    """The value of one metric on words W and groups A and B."""

    value: float
    permutation: PermutationTest
    interval: Interval


@dataclass(frozen=True, slots=True)
class _Tables:
    """Dot products of words (down) with the group words (across), and of these with each other: A, then B."""

    products: Array
    gram: Array
    n_a: int


# The metric for each row of weights: over all group words for the mean of A, likewise for B, and over the words.
_Statistic = Callable[[_Tables, Array, Array, Array], Array]


def norm_distance_of_groups(
    W: ArrayLike,
    A: ArrayLike,
    B: ArrayLike,
    *,
    samples: int = 19_999,
    resamples: int = 9_999,
    level: float = 0.95,
    seed: int = 0,
) -> GroupMeans:
    """The mean of `relative_norm_distance` over W, with a two-sided test.

    What the groupings show is compared with their own mean: groups of unequal size have means of unequal length.
    """
    value = relative_norm_distance(W, A, B).mean
    w, a, b = units(W=W, A=A, B=B)
    return _measured(value, (w, a, b), _distance, "two-sided", samples, resamples, level, seed)


def coherence_of_groups(
    W: ArrayLike,
    A: ArrayLike,
    B: ArrayLike,
    *,
    samples: int = 19_999,
    resamples: int = 9_999,
    level: float = 0.95,
    seed: int = 0,
) -> GroupMeans:
    """`embedding_coherence` with a one-sided test: how many groupings are as incoherent as this one."""
    value = embedding_coherence(W, A, B)
    (w,) = units(W=W)
    a, b = (np.asarray(rows, dtype=np.float64) for rows in (A, B))
    scale = float(np.abs(np.concatenate([a, b])).max())  # ties are told in units of the largest number
    return _measured(value, (w, a / scale, b / scale), _coherence, "less", samples, resamples, level, seed)


def _measured(
    value: float,
    vectors: tuple[Array, Array, Array],
    statistic: _Statistic,
    alternative: Literal["less", "two-sided"],
    samples: int,
    resamples: int,
    level: float,
    seed: int,
) -> GroupMeans:
    w, a, b = vectors
    both = np.concatenate([a, b])
    tables = _Tables(w @ both.T, both @ both.T, len(a))
    return GroupMeans(
        value,
        _relabelled(tables, statistic, value, alternative, samples, seed),
        _interval(tables, statistic, value, (len(a), len(b), len(w)), resamples, level, seed),
    )


def _over(tables: _Tables, statistic: _Statistic, counts: Sequence[Array]) -> Array:
    """The metric where row r of each table of counts says how often each word of A, of B and of W is there."""
    in_a, in_b, words = counts
    rows = max(len(each) for each in counts)
    weights = np.zeros((2, rows, len(tables.gram)))
    weights[0, :, : tables.n_a] = in_a / in_a.sum(axis=1, keepdims=True)
    weights[1, :, tables.n_a :] = in_b / in_b.sum(axis=1, keepdims=True)
    return statistic(tables, weights[0], weights[1], np.broadcast_to(words, (rows, words.shape[1])))


def _distance(tables: _Tables, to_a: Array, to_b: Array, words: Array) -> Array:
    def lengths(weights: Array) -> Array:
        squares = 1 - 2 * weights @ tables.products.T
        squares += np.einsum("ij,jk,ik->i", weights, tables.gram, weights, optimize=True)[:, None]
        return np.asarray(np.sqrt(np.maximum(squares, 0.0)), dtype=np.float64)

    by_word = lengths(to_a) - lengths(to_b)
    return np.asarray((words * by_word).sum(axis=1) / words.sum(axis=1), dtype=np.float64)


def _coherence(tables: _Tables, to_a: Array, to_b: Array, words: Array) -> Array:
    """The length of a mean scales all of its similarities, which changes no rank."""
    drawn = np.repeat(np.tile(np.arange(words.shape[1]), len(words)), words.astype(np.intp).ravel())
    places = drawn.reshape(len(words), -1)  # each resample has as many words
    first, second = (
        rankdata(np.take_along_axis(np.round(weights @ tables.products.T, 12), places, axis=1), axis=1)
        for weights in (to_a, to_b)
    )
    first, second = (ranks - ranks.mean(axis=1, keepdims=True) for ranks in (first, second))
    size = np.sqrt((first**2).sum(axis=1) * (second**2).sum(axis=1))
    spread = size > 0
    return np.asarray(
        np.where(spread, (first * second).sum(axis=1) / np.where(spread, size, 1.0), np.nan), dtype=np.float64
    )


def _relabelled(
    tables: _Tables,
    statistic: _Statistic,
    value: float,
    alternative: Literal["less", "two-sided"],
    samples: int,
    seed: int,
) -> PermutationTest:
    n, k = len(tables.gram), tables.n_a
    total = math.comb(n, k)
    if math.isnan(value):
        return PermutationTest(math.nan, math.nan, math.nan, "none: the value itself is undefined")
    if total <= samples:
        every = np.array(list(itertools.combinations(range(n), k)))
        method = f"exact: all {total:,} groupings counted"
    else:
        order = np.random.default_rng(seed).random((samples, n))
        every = np.concatenate([np.arange(k)[None], np.argpartition(order, k - 1, axis=1)[:, :k]])
        method = f"sampled: {samples:,} + 1 groupings, seed {seed}"
    words = np.ones((1, len(tables.products)))
    found = np.empty(len(every))
    step = max(1, _BATCH // max(n, len(tables.products)))
    for start in range(0, len(every), step):
        chosen = every[start : start + step]
        inside = np.zeros((len(chosen), n), dtype=bool)
        np.put_along_axis(inside, chosen, True, axis=1)
        found[start : start + step] = statistic(
            tables, inside / k, ~inside / (n - k), np.broadcast_to(words, (len(chosen), words.shape[1]))
        )
    found = found[~np.isnan(found)]
    if alternative == "two-sided":
        centre = float(found.mean())
        reached = np.abs(found - centre) >= abs(value - centre) - TIE
    else:
        reached = found <= value + TIE
    p = min(1.0, float(np.count_nonzero(reached)) / len(found))
    return PermutationTest(p, p, p, method)


def _interval(
    tables: _Tables,
    statistic: _Statistic,
    value: float,
    sizes: tuple[int, int, int],
    resamples: int,
    level: float,
    seed: int,
) -> Interval:
    if min(sizes) < 2:
        return Interval(math.nan, math.nan, level, "none: one word says nothing of how far words scatter")
    rng = np.random.default_rng(seed)
    step = max(1, _BATCH // max(len(tables.gram), len(tables.products)))
    estimates = []
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        drawn = [rng.multinomial(size, np.full(size, 1 / size), size=rows).astype(np.float64) for size in sizes]
        estimates.append(_over(tables, statistic, drawn))
    once: list[Array] = [np.ones((1, size)) for size in sizes]
    without = [
        _over(tables, statistic, [*once[:at], 1 - np.eye(size), *once[at + 1 :]]) for at, size in enumerate(sizes)
    ]
    return bca(np.concatenate(estimates), without, value, level)
