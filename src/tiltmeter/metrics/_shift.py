"""Certified bounds on the tail of a permutation distribution, by the shift algorithm on a grid.

The shift algorithm (Pagano & Tritchler 1983; Streitberg & Röhmel 1986) counts the k-subsets of integers by their sum,
one item at a time: an item shifts the counts of the smaller subsets by its value. Real scores are rounded to a grid of
width h, so the true sum T of a subset is its sum Q on the grid plus the sum E of its rounding errors. For every d > 0

    #{Q >= t + d} - #{Q >= t + d, E < -d}  <=  #{T >= t}  <=  #{Q >= t - d} + #{T >= t, E > d}.

The algorithm gives the counts of Q. The corrections are bounded by Chernoff's inequality on both sums together, whose
generating function is an elementary symmetric polynomial, hence exact and cheap.

Two changes make large problems small. Counts are weighted by exp(λ·Q) with λ at the saddle point, so that the mass
lies at the threshold and a window of a few standard deviations around it is enough; the mass of all k-subsets is known,
so what fell outside the window is known too, and is added to the upper bound. And a row of counts, all subsets of one
size, takes in an item by one scaled addition in place.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import daxpy
from scipy.optimize import brentq
from scipy.special import expit, gammaln

Vector = NDArray[np.float64]

_WINDOW = 5.5  # half-width of the window, in standard deviations of the weighted sum
_ROUNDING = 1e-10  # relative error granted to floating-point sums of non-negative terms
_DEVIATIONS = (3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0)  # candidates for d, in standard deviations of E
_MOST_WORK = 2e10  # additions in one pass, some ten seconds; where that is not enough, the bounds stay wider
_MOST_CELLS = 5e7  # counts held at once: 400 MB


def shift_bounds(s: Vector, k: int, threshold: float, agree: float = 0.01) -> tuple[float, float]:
    """Bounds on the share of the k-subsets of s whose sum is at least `threshold`, aimed to lie within 1 + `agree`.

    Scores that are whole multiples of a step (ranks, counts, two values) are counted without rounding: the bounds meet.
    """
    ordered = np.sort(s)
    smallest, largest = math.fsum(ordered[:k]), math.fsum(ordered[-k:])
    if threshold <= smallest:
        return 1.0, 1.0
    if threshold > largest:
        return 0.0, 0.0
    step = _lattice(s)
    if step is not None:
        # No sum lies between two multiples of the step: half-way down to the next one, rounding cannot matter.
        threshold = smallest + step * (math.ceil((threshold - smallest) / step - 1e-6) - 0.5)
    # Measured from the threshold, so that it is 0; in an order without trend, so that partial sums stay near 0 too.
    s = np.random.default_rng(0).permutation(s) - threshold / k
    tilt = _tilt(s, k, below=1e-3 * (largest - smallest))
    if step is not None:
        return _bounds(s, k, tilt, step)
    width = _grid_width(tilt, 0.7 * agree)
    finest = _finest_width(s, k, tilt)
    low, high = _bounds(s, k, tilt, max(width, finest))
    while high > low * (1 + agree) and width > finest and high > np.finfo(np.float64).tiny:
        width /= 2
        once = _bounds(s, k, tilt, max(width, finest))
        gap = high - low
        low, high = max(low, once[0]), min(high, once[1])
        if high - low > 0.9 * gap:
            break  # what separates the bounds is one sum next to the threshold: no grid tells it from a tie
    return low, high


def _lattice(s: Vector) -> float | None:
    """The step of which all differences between scores are multiples, where it is coarse enough for a grid."""
    values = np.unique(s)
    gaps = np.diff(values)
    gaps = gaps[gaps > 1e-9 * (values[-1] - values[0])]
    step = float(gaps.min())
    multiples = (values - values[0]) / step
    fits = np.abs(multiples - np.rint(multiples)).max() < 1e-7 and multiples[-1] < 20_000
    return step if fits else None


@dataclass(frozen=True, slots=True)
class _Tilt:
    """Weights exp(zeta + lam·s) under which a random subset has k items and a sum of 0, on average."""

    lam: float
    zeta: float
    chance: Vector  # of each item to be in the subset

    @property
    def variances(self) -> Vector:
        return self.chance * (1 - self.chance)


def _tilt(s: Vector, k: int, below: float) -> _Tilt:
    """The saddle point; where the threshold is the mean or less, no tilt; near the largest sum, one just below it."""

    def at(lam: float) -> _Tilt:
        zeta = _level(lam * s, k)
        return _Tilt(lam, zeta, expit(zeta + lam * s))

    def mean(lam: float) -> float:
        return float(at(lam).chance @ s)

    if mean(0.0) >= 0:
        return at(0.0)
    upper = 1.0 / float(np.abs(s).max())
    for _ in range(60):
        if mean(upper) >= -below:
            break
        upper *= 2
    if mean(upper) <= 0:
        return at(upper)
    return at(brentq(mean, 0.0, upper, rtol=1e-6))


def _level(exponents: Vector, k: int) -> float:
    """zeta such that the chances expit(zeta + exponent) add up to k."""
    edge = math.log(exponents.size) + 1
    low, high = -float(exponents.max()) - edge, -float(exponents.min()) + edge
    return float(brentq(lambda zeta: float(expit(zeta + exponents).sum()) - k, low, high, xtol=1e-12))


def _grid_width(tilt: _Tilt, agree: float) -> float:
    """The width at which the bounds should agree: they differ by the tail from t - d to t + d, d being 4 sd of E."""
    slope = tilt.lam + 1 / _spread(tilt)
    return agree / (8 * math.sqrt(float(tilt.variances.sum()) / 12) * slope)


def _spread(tilt: _Tilt) -> float:
    # The sum's standard deviation given the size of the subset, in units where an item's is about one.
    return math.sqrt(float(tilt.variances.sum()))


def _half_window(s: Vector, tilt: _Tilt) -> float:
    path = np.cumsum(tilt.chance * s)
    variance = float(tilt.variances @ s**2)
    # Between two fixed ends a walk strays half as far as a free one; the end itself needs its own tail.
    tail = min(_WINDOW, 1 + 25 / (tilt.lam * math.sqrt(variance) + 1e-9)) if tilt.lam else _WINDOW
    return float(np.abs(path).max()) + math.sqrt(variance) * max(tail, _WINDOW / 2)


def _rows(tilt: _Tilt, k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which subset sizes to keep after each item: those from which size k is reached with more than a trace of mass."""
    n = tilt.chance.size
    path = np.cumsum(tilt.chance)
    walked = np.cumsum(tilt.variances)
    stray = 1 + (_WINDOW + 1) * np.sqrt(walked * (1 - walked / walked[-1]).clip(0))
    item = np.arange(1, n + 1)
    low = np.maximum(np.maximum(0, k - (n - item)), np.floor(path - stray)).astype(np.int64)
    high = np.minimum(np.minimum(item, k), np.ceil(path + stray)).astype(np.int64)
    return low, high


def _finest_width(s: Vector, k: int, tilt: _Tilt) -> float:
    """The narrowest grid that time and memory allow."""
    low, high = _rows(tilt, k)
    rows = high - low + 1
    window = 2 * _half_window(s, tilt)
    return window * max(float(rows.sum()) / _MOST_WORK, float(rows.max() + 1) / _MOST_CELLS)


def _bounds(s: Vector, k: int, tilt: _Tilt, width: float) -> tuple[float, float]:
    """Bounds on the share of the k-subsets whose sum is at least 0, on a grid of the given width."""
    n = s.size
    steps = np.rint(s / width).astype(np.int64)
    on_grid = steps.astype(np.float64) * width
    log_weights = tilt.zeta + tilt.lam * on_grid
    # Errors measured from their weighted mean: E = mean + (a sum that is 0 on average).
    errors = s - on_grid
    mean = float(tilt.chance @ errors)
    errors -= mean / k
    reach = math.ceil((_half_window(s, tilt) + abs(mean)) / width) + 4
    row, log_scale = _count(steps, log_weights, tilt, k, reach)

    sums = width * np.arange(-reach, reach + 1, dtype=np.float64)
    outside = max(0.0, math.exp(_log_elementary(log_weights, k) - log_scale) - float(row.sum()))
    outside += _ROUNDING * float(row.sum())
    counts = row * np.exp(-tilt.lam * sums)
    tail = np.concatenate([np.cumsum(counts[::-1])[::-1], [0.0]])
    log_comb = _log_comb(n, k)
    unit = math.exp(log_scale - k * tilt.zeta - log_comb)

    deviation = math.sqrt(float(tilt.variances @ errors**2)) + 1e-300
    worst = math.fsum(np.sort(np.abs(errors))[-k:])
    low, high = 0.0, 1.0
    for d in (*(x * deviation for x in _DEVIATIONS), worst):
        first = math.ceil((-mean - d) / width - 1e-6) + reach
        last = math.ceil((-mean + d) / width + 1e-6) + reach
        if first < 0 or last > 2 * reach:
            continue
        above = below = 0.0
        if d < worst:
            mu = d / deviation**2
            above = _log_elementary(tilt.lam * s + mu * errors, k) - mu * d
            below = _log_elementary(tilt.lam * on_grid - mu * errors, k) - mu * d - tilt.lam * (d - mean)
            above, below = math.exp(min(0.0, above - log_comb)), math.exp(min(0.0, below - log_comb))
        unseen = outside * math.exp(-tilt.lam * (first - reach) * width)
        high = min(high, (float(tail[first]) * (1 + _ROUNDING) + unseen) * unit + above)
        low = max(low, float(tail[last]) * (1 - _ROUNDING) * unit - below)
    return low, high


def _count(steps: NDArray[np.int64], log_weights: Vector, tilt: _Tilt, k: int, reach: int) -> tuple[Vector, float]:
    """The weights of the k-subsets by their sum on the grid, from -reach to reach, and the log of their unit."""
    length = 2 * reach + 1
    rows: dict[int, Vector] = {0: np.zeros(length)}
    rows[0][reach] = 1.0
    log_scale, growth = 0.0, 0.0
    for step, log_weight, low, high in zip(steps.tolist(), log_weights.tolist(), *_rows(tilt, k), strict=True):
        weight = math.exp(log_weight)
        moved = length - abs(step)
        # From the largest size down, so that a row still holds the counts without this item when it is read.
        for size in range(high, low - 1, -1):
            if size - 1 not in rows:
                continue
            if size not in rows:
                rows[size] = np.zeros(length)
            if moved > 0:
                daxpy(rows[size - 1], rows[size], n=moved, a=weight, offx=max(0, -step), offy=max(0, step))
        for size in [size for size in rows if not low <= size <= high]:
            del rows[size]
        growth += math.log1p(weight)
        if growth > 200:
            for counts in rows.values():
                np.multiply(counts, math.exp(-growth), out=counts)
            log_scale, growth = log_scale + growth, 0.0
    return rows[k], log_scale


def _log_elementary(exponents: Vector, k: int) -> float:
    """log of the elementary symmetric polynomial: the sum over all k-subsets of exp(the sum of their exponents)."""
    zeta = _level(exponents, k)
    chance = expit(zeta + exponents)
    sizes = np.zeros(k + 1)
    sizes[0] = 1.0
    for p in chance.tolist():
        sizes[1:] = sizes[1:] * (1 - p) + sizes[:-1] * p
        sizes[0] *= 1 - p
    return math.log(sizes[k]) + float(np.logaddexp(0.0, zeta + exponents).sum()) - k * zeta


def _log_comb(n: int, k: int) -> float:
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
