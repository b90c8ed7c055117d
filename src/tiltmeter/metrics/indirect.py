"""The indirect score: whether the names that go with a target are the names that go with a feature.

Two tables of bias scores meet over the bridge, BS1 (targets × names) and BS2 (names × features), both as
`tiltmeter.metrics.logprob.bias_scores` gives them. A name without one of its two scores (NaN) takes no part in that
pair. All pairs are computed at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiltmeter.metrics._bounds import Bounds, bca_ends, check
from tiltmeter.metrics._correlations import (
    Resampled,
    accelerations,
    basis,
    blocks,
    correlations,
    name_weights,
    p_values,
    residuals,
    weighted,
)
from tiltmeter.metrics.interval import Interval, bca
from tiltmeter.metrics.multiplicity import benjamini_hochberg

Array = NDArray[np.float64]

_BATCH = 16_000_000  # numbers in the largest table held at once


@dataclass(frozen=True, slots=True)
class IndirectScores:
    """Targets × features: the score, its p-value, the same adjusted (Benjamini-Hochberg), and how many names."""

    score: Array
    p_value: Array
    adjusted: Array
    n: NDArray[np.intp]


def indirect_scores(to_target: ArrayLike, to_feature: ArrayLike, *, held: ArrayLike | None = None) -> IndirectScores:
    """IBS(t, f) = Pearson correlation over the names b of BS1(t, b) and BS2(b, f)   (Louis-Alexandre 2022, Alg. 3.1).

    With `held`, one column or more beside the names, it is the partial correlation with those held fixed: the score
    adjusted for how common a name is holds its log prior. The p-value is that of t = r √(df / (1 - r²)) with
    df = n - 2 less the columns held, two-sided; it takes the names for independent. A pair with fewer than one degree
    of freedom, or a word whose scores do not vary, has no score (NaN).
    """
    x, y, z = tables(to_target, to_feature, held)
    score = np.full((len(x), y.shape[1]), np.nan)
    n = np.zeros(score.shape, dtype=np.intp)
    freedom = np.zeros(score.shape)
    for rows, columns, names in blocks(x, y):
        cells = np.ix_(rows, columns)
        n[cells] = names.size
        q = basis(None if z is None else z[names], names.size)
        freedom[cells] = names.size - 1 - q.shape[1]
        if names.size - 1 - q.shape[1] >= 1:
            score[cells] = correlations(
                residuals(x[np.ix_(rows, names)], q), residuals(y[np.ix_(names, columns)].T, q).T
            )
    p = p_values(score, freedom)
    return IndirectScores(score, p, benjamini_hochberg(p.ravel()).reshape(p.shape), n)


def bridge_bounds(
    to_target: ArrayLike,
    to_feature: ArrayLike,
    *,
    held: ArrayLike | None = None,
    resamples: int = 1_000,
    level: float = 0.95,
    seed: int = 0,
) -> Bounds:
    """How far each indirect score would move had other names been the bridge: a BCa bootstrap over the names.

    All pairs share the same resamples, and the acceleration comes from the influence of each name on the correlation,
    in closed form. Resamples are correlated in single precision, which differs from double by less than 1e-5.

    How many intervals of level .95 held the true correlation (600 simulations of 16 pairs each, 200 with 300 names;
    correlations of 0 to .8, 1,000 resamples; percentiles in brackets):

        names                20            50            100           300
        normal scores        .935 (.922)   .935 (.932)   .942 (.941)   .948 (.947)
        two groups           .936 (.915)   .940 (.931)   .939 (.935)   .946 (.944)
        exponential scores   .920 (.909)   .919 (.926)   .919 (.926)   .938 (.942)
    """
    check(level, resamples)
    x, y, z = tables(to_target, to_feature, held)
    low, high = np.full((2, len(x), y.shape[1]), np.nan)
    weights = name_weights(x.shape[1], resamples, seed)
    for rows, columns, names in blocks(x, y):
        q = basis(None if z is None else z[names], names.size)
        if names.size - 1 - q.shape[1] < 1:
            continue
        drawn = weights if names.size == x.shape[1] else weights[:, names]
        of_rows = residuals(x[np.ix_(rows, names)], q)
        step = max(1, _BATCH // (resamples * (q.shape[1] + 4)))
        for start in range(0, columns.size, step):
            some = columns[start : start + step]
            of_columns = residuals(y[np.ix_(names, some)].T, q).T
            observed = correlations(of_rows, of_columns)
            a = accelerations(of_rows, of_columns, observed)
            resampled = Resampled(of_columns, q, drawn)
            for i, row in enumerate(rows):
                ends = bca_ends(resampled.with_row(of_rows[i]), observed[i], a[i], level)
                low[row, some], high[row, some] = ends
    return Bounds(low, high, level, f"BCa over bridge names, {resamples:,} resamples, seed {seed}")


def bridge_interval(
    to_target: ArrayLike, to_feature: ArrayLike, *, resamples: int = 9_999, level: float = 0.95, seed: int = 0
) -> Interval:
    """The BCa interval of one pair over the bridge names, with its exact jackknife: for a pair looked at closely.

    `to_target` and `to_feature` have one score a name.
    """
    check(level, resamples)
    x, y = (np.asarray(v, dtype=np.float64) for v in (to_target, to_feature))
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"one pair has one score a name on both sides, not arrays of shape {x.shape} and {y.shape}")
    both = ~(np.isnan(x) | np.isnan(y))
    q = basis(None, int(both.sum()))
    if len(q) < 3:
        return bca([], [], np.nan, level)
    x, y = residuals(np.stack([x[both], y[both]]), q)
    rng = np.random.default_rng(seed)
    estimates = [
        weighted(x, y, rng.multinomial(x.size, np.full(x.size, 1 / x.size), size=min(1_000, resamples - start)))
        for start in range(0, resamples, 1_000)
    ]
    return bca(np.concatenate(estimates), [weighted(x, y, 1 - np.eye(x.size))], float((x * y).mean()), level)


def tables(to_target: ArrayLike, to_feature: ArrayLike, held: ArrayLike | None) -> tuple[Array, Array, Array | None]:
    """The two tables and what is held fixed, over the names for which the latter is known."""
    x, y = np.asarray(to_target, dtype=np.float64), np.asarray(to_feature, dtype=np.float64)
    if x.ndim != 2 or y.ndim != 2 or x.shape[1] != len(y):
        raise ValueError(
            f"scores of shape {x.shape} and {y.shape} do not meet over a bridge: the first table needs the names as "
            "its columns, the second the same names as its rows"
        )
    for scores, name in ((x, "a target and a name"), (y, "a name and a feature")):
        if np.isinf(scores).any():
            row, column = np.argwhere(np.isinf(scores))[0]
            raise ValueError(f"the score of {name}, row {row}, column {column}, is infinite: a probability was zero")
    if held is None:
        return x, y, None
    z = np.asarray(held, dtype=np.float64)
    z = z[:, None] if z.ndim == 1 else z
    if z.ndim != 2 or len(z) != len(y):
        raise ValueError(f"what is held fixed needs one row for each of the {len(y)} names, and has shape {z.shape}")
    if np.isinf(z).any():
        raise ValueError(f"what is held fixed is infinite for name {np.argwhere(np.isinf(z))[0][0]}")
    known = ~np.isnan(z).any(axis=1)
    return x[:, known], y[known], z[known]
