"""Which of two features a target goes with more: differences of indirect scores, with intervals that hold together.

A score alone may be due to what all names share, such as how common each of them is; most of that is not in the
difference of two scores of one target. And whoever picks the largest of many needs intervals that allow for the choice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import t as student

from tiltmeter.metrics._correlations import basis, correlations, residuals
from tiltmeter.metrics.indirect import tables

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Contrasts:
    """Targets × pairs of features. `level` is that of all intervals together: that not one of them misses."""

    value: Array
    low: Array
    high: Array
    level: float
    names: int


def correlation_contrasts(
    to_target: ArrayLike, to_feature: ArrayLike, pairs: Sequence[tuple[int, int]], *, level: float = 0.95
) -> Contrasts:
    """d(t; f, g) = IBS(t, f) - IBS(t, g) for each target t and each pair (f, g) of columns of `to_feature`.

    The interval is d ± t s: s² = (n - 1)/n Σ (d₍ᵢ₎ - d̄)², the jackknife's variance, with d₍ᵢ₎ the difference without
    name i (Efron & Tibshirani 1993, eq. 11.5); and t the quantile of Student's t with n - 3 degrees of freedom, of an
    order that is Bonferroni's for the number of differences. Names that lack a score take no part.

    How often all intervals of level .95 held together (400 simulations, correlations of -.7 to .7):

        names                      50       100      244
        11 targets, 2 pairs       .915     .913     .965
        36 targets, 2 pairs                .925     .963
    """
    if not 0 < level < 1:
        raise ValueError(f"the level of an interval lies between 0 and 1, and is not {level}")
    x, y, _ = tables(to_target, to_feature, None)
    known = ~(np.isnan(x).any(axis=0) | np.isnan(y).any(axis=1))
    names, count = int(known.sum()), len(x) * len(pairs)
    if names < 5 or not count:
        nothing = np.full((len(x), len(pairs)), np.nan)
        return Contrasts(nothing, nothing, nothing, level, names)
    first, second = ([pair[side] for pair in pairs] for side in (0, 1))
    only_mean = basis(None, names)
    x, y = residuals(x[:, known], only_mean), residuals(y[known].T, only_mean).T
    score, without = correlations(x, y), _left_out(x, y)
    value = score[:, first] - score[:, second]
    each = without[:, :, first] - without[:, :, second]
    spread = np.sqrt((names - 1) * each.var(axis=1))
    reach = student.isf((1 - level) / (2 * count), names - 3) * spread
    return Contrasts(value, np.maximum(value - reach, -2.0), np.minimum(value + reach, 2.0), level, names)


def _left_out(x: Array, y: Array) -> Array:
    """The correlations of rows with columns without each name: targets × names × features. Means 0, mean squares 1."""
    names = x.shape[1]
    left = names - 1
    products = (x @ y)[:, None, :] - x[:, :, None] * y[None, :, :] * (1 + 1 / left)
    square_x, square_y = (names - each**2 * (1 + 1 / left) for each in (x, y))
    root = np.sqrt(np.maximum(square_x[:, :, None] * square_y[None, :, :], 0))
    with np.errstate(invalid="ignore", divide="ignore"):  # without the one name that differs, nothing varies
        return np.asarray(products / root, dtype=np.float64)
