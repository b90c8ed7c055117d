"""Permutation tests on a difference of means: exact, sampled, or by a normal fit.

Given scores s of n items, k of them in the first group, the test asks how often a random k-subset has a sum at least as
large as the observed one. With k fixed the sum orders the partitions exactly as the difference of the group means does,
and as the effect size does, for groups of equal and of unequal size alike:

    p = Pr[ Σ_{i ∈ S} s_i  >=  Σ_{i ∈ X} s_i ],   S uniform over the k-subsets

Two-sided, a partition counts if its sum lies at least as far from its expectation k·mean(s), on either side. Sums that
differ by less than one part in 10^12 of their scale are ties, and ties count (May et al. 2019, supplement A).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from tiltmeter.metrics._halves import count_by_halves
from tiltmeter.metrics._shift import shift_bounds

Method = Literal["exact", "sampled", "normal"]
Alternative = Literal["greater", "two-sided"]

_TIE = 1e-12
_HALVES_UP_TO = 40  # items: each half has 2^20 sums; beyond, the grid is quicker
_BATCH = 2_000_000  # random numbers held at once


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """A p-value with its certified bounds; they coincide where every partition was counted."""

    p_value: float
    low: float
    high: float
    method: str


def permutation_test(
    scores: ArrayLike,
    first: int,
    *,
    method: Method = "exact",
    alternative: Alternative = "greater",
    samples: int = 99_999,
    seed: int = 0,
    agree: float = 0.01,
) -> PermutationTest:
    """Test whether the `first` leading `scores` are larger than the rest.

    `exact` counts every partition: one by one in two halves up to 40 items, beyond that on a grid fine enough for the
    certified bounds to agree to the fraction `agree`; the p-value given is then the upper bound. `sampled` draws
    partitions with replacement and counts the observed one as one more; `normal` takes the tail of a normal
    distribution with the permutation mean and variance (Caliskan et al. 2017 estimate both from samples).
    """
    s = np.asarray(scores, dtype=np.float64)
    n = s.size
    if s.ndim != 1 or not 0 < first < n:
        raise ValueError(f"{n} scores cannot be split after {first}: both groups need at least one")
    if not np.all(np.isfinite(s)):
        raise ValueError("a score is not a finite number")
    centred = s - s.mean()
    scale = float(np.abs(centred).max())
    if scale <= _TIE * max(1.0, float(np.abs(s).max())):
        return PermutationTest(1.0, 1.0, 1.0, "exact: all scores are equal")
    centred /= scale
    observed = math.fsum(centred[:first])
    if alternative == "two-sided":
        observed = abs(observed)
    if method == "sampled":
        return _sampled(centred, first, observed, alternative, samples, seed)
    if method == "normal":
        return _normal(centred, first, observed, alternative)
    upper = _exact(centred, first, observed, agree)
    if alternative == "greater" or upper.p_value == 1.0:
        return upper
    if observed <= _TIE * n:
        return PermutationTest(1.0, 1.0, 1.0, upper.method)
    lower = _exact(-centred, first, observed, agree)
    return PermutationTest(
        min(1.0, upper.p_value + lower.p_value),
        min(1.0, upper.low + lower.low),
        min(1.0, upper.high + lower.high),
        upper.method,
    )


def _exact(s: NDArray[np.float64], k: int, observed: float, agree: float) -> PermutationTest:
    """The share of the k-subsets of s (centred, of scale 1) whose sum reaches `observed`."""
    threshold = observed - _TIE * s.size
    if 2 * k > s.size:
        # The rest of the items sums to -threshold at most: the same event, told by the smaller group.
        s, k = -s, s.size - k
    if s.size <= _HALVES_UP_TO:
        total = math.comb(s.size, k)
        p = count_by_halves(s, k, threshold) / total
        return PermutationTest(p, p, p, f"exact: all {total:,} partitions counted")
    low, high = shift_bounds(s, k, threshold, agree)
    return PermutationTest(high, low, high, f"exact: bounds {low:.6g} to {high:.6g} (shift algorithm)")


def _sampled(
    s: NDArray[np.float64], k: int, observed: float, alternative: Alternative, samples: int, seed: int
) -> PermutationTest:
    rng = np.random.default_rng(seed)
    reached = 0
    for start in range(0, samples, max(1, _BATCH // s.size)):
        rows = min(max(1, _BATCH // s.size), samples - start)
        chosen = np.argpartition(rng.random((rows, s.size)), k - 1, axis=1)[:, :k]
        sums = s[chosen].sum(axis=1)
        if alternative == "two-sided":
            sums = np.abs(sums)
        reached += int(np.count_nonzero(sums >= observed - _TIE * s.size))
    p = (reached + 1) / (samples + 1)
    return PermutationTest(p, p, p, f"sampled: {samples:,} + 1 partitions, seed {seed}")


def _normal(s: NDArray[np.float64], k: int, observed: float, alternative: Alternative) -> PermutationTest:
    n = s.size
    deviation = math.sqrt(k * (n - k) / n * float(s.var(ddof=1)))
    p = float(norm.sf(observed / deviation)) * (2 if alternative == "two-sided" else 1)
    return PermutationTest(p, p, p, "normal: tail of a normal fit to the permutation distribution")
