"""Count k-subsets by their sum, meeting in the middle (Horowitz & Sahni 1974)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def count_by_halves(s: NDArray[np.float64], k: int, threshold: float) -> int:
    """How many k-subsets of s have a sum of at least `threshold`.

    Every subset of s is a subset of the one half and one of the other. With each half's sums sorted by subset size, the
    partners that reach the threshold are counted by bisection: 2^(n/2) sums in place of 2^n.
    """
    left = _sums_by_size(s[: s.size // 2])
    right = _sums_by_size(s[s.size // 2 :])
    count = 0
    for size, sums in enumerate(left):
        if 0 <= k - size < len(right):
            partners = np.sort(right[k - size])
            count += int((partners.size - np.searchsorted(partners, threshold - sums, side="left")).sum())
    return count


def _sums_by_size(s: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """The sums of all subsets of s, one array for each subset size."""
    sums = [np.zeros(1)]
    for value in s:
        grown = [*sums, np.empty(0)]
        for size, smaller in enumerate(sums):
            grown[size + 1] = np.concatenate([grown[size + 1], smaller + value])
        sums = grown
    return sums
