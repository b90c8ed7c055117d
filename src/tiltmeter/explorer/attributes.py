"""Which attributes explain a map: how much of the scores with an attribute a plane over the map accounts for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.metrics.interval import bca

Array = NDArray[np.float64]

_FEWEST = 6  # targets: a plane has three coefficients


@dataclass(frozen=True)
class Fit:
    """A plane over the map, score = intercept + slope · (x, y), and the share of the variance that it accounts for."""

    r2: float
    low: float
    high: float
    slope: tuple[float, float]
    intercept: float


def fits(
    points: Array, scores: Array, *, resamples: int = 1_000, level: float = 0.95, seed: int = 0
) -> list[Fit | None]:
    """For each attribute (column of `scores`, one row a point), the adjusted R² of the plane over the n points:

        R² = 1 - (1 - r²) (n - 1) / (n - 3)   (Ezekiel 1930),   r² the share of the variance that the plane takes up

    1: the place says all; 0: as much as a plane fits by chance; it may be a little below. It does not matter how the
    map is turned or stretched.

    The interval is BCa over the targets, which are fitted anew in each resample. A resample fits by chance once more
    than the data do, so its r² is adjusted twice. Of intervals of level .95, as many held the R² of very many targets
    (1,000 maps of normal points, 500 resamples; `tests/explorer/test_maps.py` looks at some of them again):

        targets          20     60     100
        R² of 0.5       .945   .953   .943
        R² of 0.1       .980   .980   .968
        R² of 0         .988   .996   .997

    None for an attribute with fewer than 6 scores, or whose scores do not vary.
    """
    found: list[Fit | None] = [None] * scores.shape[1]
    patterns: dict[bytes, list[int]] = {}
    for column in range(scores.shape[1]):
        patterns.setdefault(np.isfinite(scores[:, column]).tobytes(), []).append(column)
    for pattern, columns in patterns.items():
        known = np.frombuffer(pattern, dtype=np.bool_)
        n = int(known.sum())
        if n < _FEWEST:
            continue
        p = points[known] - points[known].mean(axis=0)
        y = scores[np.ix_(known, np.array(columns))]
        y = y - y.mean(axis=0)
        drawn = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=resamples).astype(np.float64)
        observed = _adjusted(_share(np.ones((1, n)), p, y), n)[0]
        resampled = _adjusted(_adjusted(_share(drawn, p, y), n), n)
        without = _adjusted(_share(1 - np.eye(n), p, y), n - 1)
        plane = np.linalg.lstsq(np.column_stack([np.ones(n), points[known]]), scores[np.ix_(known, np.array(columns))])
        for place, column in enumerate(columns):
            if np.isnan(observed[place]):
                continue
            interval = bca(resampled[:, place], [without[:, place]], float(observed[place]), level)
            intercept, *slope = (float(one) for one in plane[0][:, place])
            found[column] = Fit(float(observed[place]), interval.low, interval.high, (slope[0], slope[1]), intercept)
    return found


def _adjusted(share: Array, n: int) -> Array:
    return 1 - (1 - share) * (n - 1) / (n - 3)


def _share(weights: Array, p: Array, y: Array) -> Array:
    """r² of each column of y on both of p, under each row of weights; NaN where there is no spread."""
    w = weights / weights.sum(axis=1, keepdims=True)
    mean_p, mean_y = w @ p, w @ y
    var = [w @ (p[:, i] * p[:, j]) - mean_p[:, i] * mean_p[:, j] for i, j in ((0, 0), (0, 1), (1, 1))]
    with_y = [w @ (p[:, [i]] * y) - mean_p[:, [i]] * mean_y for i in (0, 1)]
    var_y = w @ y**2 - mean_y**2
    a, b, c = (one[:, None] for one in var)
    taken = c * with_y[0] ** 2 - 2 * b * with_y[0] * with_y[1] + a * with_y[1] ** 2
    across = (a * c - b**2) * var_y
    spread = (a * c - b**2 > 1e-12 * a * c) & (var_y > 1e-12 * (y**2).mean(axis=0)) & (y**2).any(axis=0)
    return np.asarray(np.where(spread, taken / np.where(spread, across, 1.0), np.nan), dtype=np.float64)
