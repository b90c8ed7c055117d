"""Differences from before to after with an interval: the same words stand on both sides, and mostly move together."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tiltmeter.measurement import Measurement
from tiltmeter.metrics.association import Array

_RESAMPLES = 2_000
_FEWEST = 5  # of fewer numbers a bootstrap shows little more than their range

Differences = dict[tuple[str, str], tuple[float, float]]  # by metric and test: the ends of the interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Itemised(Measurement):
    """A measurement that is a mean over words, or whatever took part, and the number of each of them."""

    items: Mapping[Hashable, float] = field(default_factory=dict, repr=False, compare=False)


def mean_with_interval(
    model: str,
    test: str,
    metric: str,
    values: Array,
    *,
    language: str,
    method: str,
    of: Sequence[Hashable] | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> Itemised:
    """The mean of one number a word, with the percentile interval of a bootstrap over the words.

    `of` says whose the numbers are, where both sides may not have the same ones.
    """
    rng = np.random.default_rng(seed)
    low = high = float("nan")
    if values.size >= _FEWEST:
        means = rng.multinomial(values.size, np.full(values.size, 1 / values.size), size=_RESAMPLES) @ values
        low, high = np.quantile(means / values.size, ((1 - level) / 2, (1 + level) / 2)).tolist()
    return Itemised(
        model=model,
        test=test,
        metric=metric,
        language=language,
        value=float(values.mean()) if values.size else float("nan"),
        low=low,
        high=high,
        level=level,
        method=f"{method}; " + ("bootstrap over them" if values.size >= _FEWEST else "too few for an interval"),
        counts={"n": int(values.size)},
        items=dict(zip(of or range(values.size), values.tolist(), strict=True)),
    )


def difference(before: Measurement, after: Measurement, correlation: float) -> tuple[float, float]:
    """An interval of d = b - a from those of a and b, and the correlation r of the two   (MOVER: Zou 2007)

        d - √((b - l_b)² + (u_a - a)² - 2 r (b - l_b)(u_a - a))
        to   d + √((u_b - b)² + (a - l_a)² - 2 r (u_b - b)(a - l_a))

    With Wilson's intervals of shares it is Newcombe's (1998) for paired proportions.
    """
    a, b, r = before, after, correlation
    parts = ((b.value - b.low, a.high - a.value), (b.high - b.value, a.value - a.low))
    down, up = (math.sqrt(max(0.0, p * p + q * q - 2 * r * p * q)) for p, q in parts)
    return b.value - a.value - down, b.value - a.value + up


def differences(before: Iterable[Measurement], after: Iterable[Measurement]) -> Differences:
    """Of all measurements that are means over the same items on both sides, by how these go together."""
    left = {(row.metric, row.test): row for row in before if isinstance(row, Itemised)}
    found: Differences = {}
    for row in after:
        first = left.get((row.metric, row.test))
        if first is None or not isinstance(row, Itemised) or first.items.keys() != row.items.keys():
            continue
        if all(map(math.isfinite, (first.low, first.high, row.low, row.high))):
            found[row.metric, row.test] = difference(first, row, _correlation(first.items, row.items))
    return found


def _correlation(first: Mapping[Hashable, float], second: Mapping[Hashable, float]) -> float:
    """Pearson's; 0 where all items of a side are equal, which makes the interval that of independent sides."""
    a, b = np.array(list(first.values())), np.array([second[item] for item in first])
    if a.size < _FEWEST or np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])
