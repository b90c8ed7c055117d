"""Where an indirect association comes from: how much of it is left when a sensitive attribute is held fixed."""

from __future__ import annotations

import math
from collections.abc import Mapping
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
)
from tiltmeter.metrics.indirect import tables

Array = NDArray[np.float64]

_BATCH = 16_000_000  # numbers in the largest table held at once


@dataclass(frozen=True, slots=True)
class Sources:
    """For each pair (targets × features) the raw score; for each candidate (first axis) and pair, what it explains.

    All are computed over the same names: those whose every candidate is known.
    """

    names: tuple[str, ...]
    n: NDArray[np.intp]
    raw: Array
    raw_bounds: Bounds
    partial: Array
    partial_p: Array
    partial_bounds: Bounds
    share: Array
    share_bounds: Bounds


@dataclass(frozen=True, slots=True)
class Source:
    """One candidate for one pair: what is left of the association with it held fixed, and the share that went."""

    name: str
    partial: float
    partial_low: float
    partial_high: float
    partial_p: float
    share: float
    share_low: float
    share_high: float


@dataclass(frozen=True, slots=True)
class _Candidate:
    q: Array
    x: Array
    y: Array
    r: Array
    a: Array


def sources(
    to_target: ArrayLike,
    to_feature: ArrayLike,
    candidates: Mapping[str, ArrayLike],
    *,
    resamples: int = 1_000,
    level: float = 0.95,
    seed: int = 0,
) -> Sources:
    """For every pair and candidate z, the partial correlation with z held fixed and the share that z explains.

        r_xy.z = corr(x - x̂(z), y - ŷ(z)),   share = 1 - r_xy.z / r_xy

    with x = BS1(t, ·) and y = BS2(·, f) over the bridge names, and x̂(z), ŷ(z) their least-squares fits on z (and a
    constant). `candidates` holds the bias scores of sensitive attributes with the names, names × columns (several words
    of one attribute are held fixed together), and may hold how common a name is, its log prior.

    A share of 1: nothing is left; 0: z explains nothing; below 0: z had hidden some of the association; above 1: what
    is left leans the other way. Shares of several candidates need not add up to 1, as candidates overlap. A share is a
    ratio, so it is given only where the interval of the raw score excludes 0: elsewhere there is nothing to explain.

    Intervals come from one bootstrap over the names: BCa for the correlations, bias-corrected percentiles for the
    share. Of intervals of level .95, as many held the truth (normal scores, one candidate, raw correlations of .42 to
    .71, shares of .56 to 1; 1,500 simulations of 4 pairs, 600 with 300 names; 1,000 resamples):

        names     50     100    300
        partial   .939   .937   .945
        share     .947   .943   .948
    """
    check(level, resamples)
    if not candidates:
        raise ValueError("to find a source, name one candidate or more")
    columns = [_columns(name, z) for name, z in candidates.items()]
    x, y, every = tables(to_target, to_feature, np.concatenate(columns, axis=1))
    assert every is not None
    ends = np.cumsum([c.shape[1] for c in columns])
    fixed = [None, *np.split(every, ends[:-1], axis=1)]  # the first: nothing held, the raw score
    shape = (len(fixed), len(x), y.shape[1])
    r, p, low, high = np.full((4, *shape), np.nan)
    share_low, share_high = np.full((2, *shape), np.nan)
    n = np.zeros(shape[1:], dtype=np.intp)
    weights = name_weights(x.shape[1], resamples, seed)
    for rows, features, names in blocks(x, y):
        n[np.ix_(rows, features)] = names.size
        bases = [basis(None if z is None else z[names], names.size) for z in fixed]
        fits = [names.size - 1 - q.shape[1] >= 1 for q in bases]
        if not fits[0]:
            continue
        drawn = weights if names.size == x.shape[1] else weights[:, names]
        used = [i for i, enough in enumerate(fits) if enough]
        step = max(1, _BATCH // (resamples * sum(bases[i].shape[1] + 4 for i in used)))
        for start in range(0, features.size, step):
            some = features[start : start + step]
            held = {i: _candidate(x[np.ix_(rows, names)], y[np.ix_(names, some)], bases[i]) for i in used}
            for i, c in held.items():
                r[i][np.ix_(rows, some)] = c.r
                p[i][np.ix_(rows, some)] = p_values(c.r, np.full(c.r.shape, names.size - 1.0 - c.q.shape[1]))
            resampled = {i: Resampled(c.y, c.q, drawn) for i, c in held.items()}
            for at, row in enumerate(rows):
                raw = resampled[0].with_row(held[0].x[at])
                for i, c in held.items():
                    partial = raw if i == 0 else resampled[i].with_row(c.x[at])
                    low[i, row, some], high[i, row, some] = bca_ends(partial, c.r[at], c.a[at], level)
                    if i:
                        with np.errstate(divide="ignore", invalid="ignore"):
                            left = 1 - partial / raw
                            observed = 1 - c.r[at] / held[0].r[at]
                        share_low[i, row, some], share_high[i, row, some] = bca_ends(left, observed, 0.0, level)
    exists = (low[0] > 0) | (high[0] < 0)
    share = np.where(exists, 1 - r[1:] / np.where(exists, r[0], 1.0), np.nan)
    how = f"over bridge names, {resamples:,} resamples, seed {seed}"
    return Sources(
        tuple(candidates),
        n,
        r[0],
        Bounds(low[0], high[0], level, f"BCa {how}"),
        r[1:],
        p[1:],
        Bounds(low[1:], high[1:], level, f"BCa {how}"),
        share,
        Bounds(
            np.where(exists, share_low[1:], np.nan),
            np.where(exists, share_high[1:], np.nan),
            level,
            f"bias-corrected percentile {how}; none where the interval of the raw score holds 0",
        ),
    )


def rank_sources(found: Sources, target: int, feature: int) -> list[Source]:
    """The candidates for one pair, those that explain most first; candidates without a partial correlation last."""
    cell = (slice(None), target, feature)
    raw = float(found.raw[target, feature])
    listed = [
        Source(name, *(float(v) for v in values))
        for name, *values in zip(
            found.names,
            found.partial[cell],
            found.partial_bounds.low[cell],
            found.partial_bounds.high[cell],
            found.partial_p[cell],
            found.share[cell],
            found.share_bounds.low[cell],
            found.share_bounds.high[cell],
            strict=True,
        )
    ]

    def explained(source: Source) -> float:
        """The share in units of the correlation; it exists where the share does not."""
        removed = math.copysign(1.0, raw) * (raw - source.partial)
        return -math.inf if math.isnan(removed) else removed

    return sorted(listed, key=explained, reverse=True)


def _columns(name: str, values: ArrayLike) -> Array:
    z = np.asarray(values, dtype=np.float64)
    z = z[:, None] if z.ndim == 1 else z
    if z.ndim != 2 or 0 in z.shape:
        raise ValueError(f"the candidate {name!r} needs names × columns, not an array of shape {z.shape}")
    lost = np.flatnonzero(np.isnan(z).all(axis=0))
    if lost.size:
        raise ValueError(f"column {lost[0]} of the candidate {name!r} has no score for any name: leave it out")
    return z


def _candidate(x: Array, y: Array, q: Array) -> _Candidate:
    rest_x, rest_y = residuals(x, q), residuals(y.T, q).T
    r = correlations(rest_x, rest_y)
    return _Candidate(q, rest_x, rest_y, r, accelerations(rest_x, rest_y, r))
