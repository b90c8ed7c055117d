"""How far apart two results on the same items are: both are resampled together, so that what moves both cancels out."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiltmeter.metrics._correlations import basis, residuals, weighted
from tiltmeter.metrics.interval import Interval, bca, effect_sizes, over_words, words_of

Array = NDArray[np.float64]

_BATCH = 1_000  # resamples at once


def preference_difference(
    first: ArrayLike,
    second: ArrayLike,
    *,
    ties_count: bool,
    resamples: int = 9_999,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[float, Interval]:
    """d = s₂ - s₁ of two scores on the same pairs of sentences, s = 100 · #{preferred} / #pairs (see `pair_scores`).

    `first` and `second` say of each pair which of its sentences is preferred: 1, -1, or 0 for a tie. A resample of the
    pairs is decided by how many it holds of each of the nine outcomes that two models can have. Where none of n pairs
    changed, no resample shows a change: then |d| is no more than the share of changes under which n pairs stay as they
    are with a probability of (1 - level) / 2 (Clopper & Pearson 1934).
    """
    a, b = (np.asarray(given, dtype=np.intp) for given in (first, second))
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"outcomes of shape {a.shape} and {b.shape} are not of the same pairs")
    codes = (a + 1) * 3 + b + 1
    counts = np.bincount(codes, minlength=9)

    def difference(tables: NDArray[np.intp]) -> Array:
        table = tables.reshape(-1, 3, 3)
        return _per_cent(table.sum(axis=1), ties_count) - _per_cent(table.sum(axis=2), ties_count)

    observed = float(difference(counts)[0]) if a.size else math.nan
    if math.isnan(observed):
        return observed, bca([], [], observed, level)
    if np.array_equal(a, b):
        most = 100 * (1 - ((1 - level) / 2) ** (1 / (a.size if ties_count else np.count_nonzero(a))))
        return 0.0, Interval(-most, most, level, "exact: no pair changed")
    drawn = np.random.default_rng(seed).multinomial(a.size, counts / a.size, size=resamples)
    left_out = np.repeat(counts - np.eye(9, dtype=np.intp), counts, axis=0)
    return observed, bca(difference(drawn), [difference(left_out)], observed, level)


def _per_cent(counts: NDArray[np.intp], ties_count: bool) -> Array:
    """Of the counts of -1, 0 and 1 in each row."""
    of = counts[:, 0] + counts[:, 2] + (counts[:, 1] if ties_count else 0)
    return np.asarray(100 * counts[:, 2] / np.where(of > 0, of, np.nan), dtype=np.float64)


def effect_size_difference(
    first: ArrayLike,
    second: ArrayLike,
    n_x: int,
    n_a: int,
    *,
    words: Sequence[str] | None = None,
    attribute_words: Sequence[str] | None = None,
    over_attributes: bool = True,
    resamples: int = 9_999,
    level: float = 0.95,
    ddof: int = 1,
    seed: int = 0,
) -> tuple[float, Interval]:
    """d = s₂ - s₁ of two association effect sizes of the same words; BCa over the words, drawn for both at once.

    `first` and `second` are similarities as `effect_size_interval` takes them, with the same rows and columns.
    """
    a, b = (np.asarray(given, dtype=np.float64) for given in (first, second))
    if a.ndim != 2 or a.shape != b.shape:
        raise ValueError(f"similarities of shape {a.shape} and {b.shape} are not of the same words")
    if not 2 <= n_x <= len(a) - 2 or not 1 <= n_a < a.shape[1]:
        raise ValueError(f"similarities of shape {a.shape} cannot be split after row {n_x} and column {n_a}")
    return over_words(
        lambda weights: effect_sizes(b, weights, ddof) - effect_sizes(a, weights, ddof),
        [*words_of(words, n_x, len(a)), *words_of(attribute_words, n_a, a.shape[1])],
        over_attributes=over_attributes,
        resamples=resamples,
        level=level,
        seed=seed,
    )


def correlation_difference(
    first: tuple[ArrayLike, ArrayLike],
    second: tuple[ArrayLike, ArrayLike],
    *,
    resamples: int = 9_999,
    level: float = 0.95,
    seed: int = 0,
) -> tuple[float, Interval]:
    """d = r(x₂, y₂) - r(x₁, y₁) of two pairs of scores of the same bridge names, one score a name; BCa over the names.

    Names that lack one of the four scores (NaN) take no part.
    """
    given = np.stack([np.asarray(scores, dtype=np.float64) for scores in (*first, *second)])
    if given.ndim != 2:
        raise ValueError(f"each of the four has one score a name, and not the shape {given.shape[1:]}")
    scores = given[:, ~np.isnan(given).any(axis=0)]
    n = scores.shape[1]
    if n < 3:
        return math.nan, bca([], [], math.nan, level)
    x_1, y_1, x_2, y_2 = residuals(scores, basis(None, n))

    def difference(weights: NDArray[np.generic]) -> Array:
        return weighted(x_2, y_2, weights) - weighted(x_1, y_1, weights)

    observed = float((x_2 * y_2).mean() - (x_1 * y_1).mean())
    rng = np.random.default_rng(seed)
    estimates = [
        difference(rng.multinomial(n, np.full(n, 1 / n), size=min(_BATCH, resamples - start)))
        for start in range(0, resamples, _BATCH)
    ]
    return observed, bca(np.concatenate(estimates), [difference(1 - np.eye(n))], observed, level)
