"""Bootstrap bounds for many values at once, by the formula of `tiltmeter.metrics.interval.bca`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lower and upper ends, one of each a cell; NaN where the value or its resamples do not exist."""

    low: Array
    high: Array
    level: float
    method: str


def check(level: float, resamples: int) -> None:
    if not 0 < level < 1:
        raise ValueError(f"the level of an interval lies between 0 and 1, and is not {level}")
    if resamples < 1:
        raise ValueError(f"an interval needs one resample or more, not {resamples}")


def bca_ends(
    estimates: NDArray[Any], observed: Array, acceleration: Array | float, level: float
) -> tuple[Array, Array]:
    """The ends of the interval of every column of `estimates`, one row a resample (Efron 1987).

    A column whose resamples lie all on one side of the observed value, or whose acceleration is too large, gets the
    percentiles. Undefined resamples (NaN) take no part.
    """
    columns = np.sort(estimates.T, axis=1)  # NaN last
    count = columns.shape[1] - np.isnan(columns).sum(axis=1)
    at = observed.astype(columns.dtype)[:, None]
    below = ((columns < at).sum(axis=1) + (columns <= at).sum(axis=1)) / (2 * np.maximum(count, 1))
    a = np.broadcast_to(np.asarray(acceleration, dtype=np.float64), below.shape)
    two_sided = (below > 0) & (below < 1) & np.isfinite(a)
    z0 = np.where(two_sided, ndtri(np.where(two_sided, below, 0.5)), 0.0)
    tails = ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))[:, None]
    shifted = z0 + tails
    room = 1 - np.where(two_sided, a, 0.0) * shifted
    fits = np.all(room > 0, axis=0)
    quantiles = ndtr(np.where(fits, z0 + shifted / np.where(fits, room, 1.0), tails))
    place = quantiles * np.maximum(count - 1, 0)
    left = np.floor(place).astype(np.intp)
    right = np.minimum(left + 1, np.maximum(count - 1, 0))
    lower = np.take_along_axis(columns, left.T, axis=1).astype(np.float64)
    upper = np.take_along_axis(columns, right.T, axis=1).astype(np.float64)
    ends = lower + (upper - lower) * (place - left).T
    ends[(count == 0) | np.isnan(observed)] = np.nan
    return ends[:, 0], ends[:, 1]
