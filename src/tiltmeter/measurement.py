"""The measurement: a value with its interval, its p-value, and what it lost on the way."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Lost:
    """A word that took no part in a measurement, and why."""

    word: str
    where: str  # the word set, or X, Y, A, B
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """One row of a results table. `low` and `high` bound the value at `level`; NaN says: no such number."""

    model: str
    test: str
    metric: str
    value: float
    language: str = "en"
    low: float = math.nan
    high: float = math.nan
    level: float = 0.95
    p_value: float = math.nan
    method: str = ""  # how the p-value and the interval were computed
    counts: Mapping[str, int] = field(default_factory=dict)  # words or sentences that took part, by set
    lost: tuple[Lost, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)  # what is needed to compute it again
    details: Mapping[str, Any] = field(default_factory=dict)  # other numbers of the same computation

    def as_dict(self) -> dict[str, Any]:
        """Plain types only; a number that does not exist is None."""
        return {
            "model": self.model,
            "language": self.language,
            "test": self.test,
            "metric": self.metric,
            "value": _finite(self.value),
            "low": _finite(self.low),
            "high": _finite(self.high),
            "level": self.level,
            "p_value": _finite(self.p_value),
            "method": self.method,
            "counts": dict(self.counts),
            "lost": [{"word": lost.word, "where": lost.where, "reason": lost.reason} for lost in self.lost],
            "settings": dict(self.settings),
            "details": {key: _finite(value) for key, value in self.details.items()},
        }


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
