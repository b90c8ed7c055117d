"""p-values adjusted for how many tests were made; NaN stands for a test that gave none, and is not counted."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


def holm(p_values: ArrayLike) -> Array:
    """p̃_(i) = max_{j <= i} min(1, (m - j + 1) p_(j)), in the order of the p-values   (Holm 1979).

    Rejecting where p̃ <= α keeps the chance of even one false rejection among the m tests at α, however they depend.
    """
    p, made, order = _ordered(p_values)
    steps = np.arange(order.size, 0, -1)
    p[made[order]] = np.minimum(1.0, np.maximum.accumulate(steps * p[made[order]]))
    return p


def benjamini_hochberg(p_values: ArrayLike) -> Array:
    """p̃_(i) = min_{j >= i} min(1, m p_(j) / j), in the order of the p-values   (Benjamini & Hochberg 1995).

    Rejecting where p̃ <= α keeps the expected share of false ones among the rejections at α, for independent tests.
    """
    p, made, order = _ordered(p_values)
    inflated = order.size * p[made[order]] / np.arange(1, order.size + 1)
    p[made[order]] = np.minimum(1.0, np.minimum.accumulate(inflated[::-1])[::-1])
    return p


def _ordered(p_values: ArrayLike) -> tuple[Array, NDArray[np.intp], NDArray[np.intp]]:
    """A copy of the p-values, which of them are numbers, and the ascending order of those."""
    p = np.array(p_values, dtype=np.float64)
    if p.ndim != 1:
        raise ValueError(f"p-values come as a list, not as an array of shape {p.shape}")
    outside = np.flatnonzero((p < 0) | (p > 1))
    if outside.size:
        raise ValueError(f"p-value {outside[0]} is {p[outside[0]]}; it must lie between 0 and 1")
    made = np.flatnonzero(~np.isnan(p))
    return p, made, np.argsort(p[made], kind="stable")
