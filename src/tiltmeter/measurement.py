"""The measurement: a value with its interval, its p-value, and what it lost on the way."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

_NUMBERS = ("value", "low", "high", "level", "p_value")
_TEXTS = ("model", "test", "metric", "language", "method")
_TEXT_DETAILS = ("word",)  # absent is None; every other detail that is absent is a number


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

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Measurement:
        """What `as_dict` was made of; ValueError says what is wrong with what is no such thing."""
        known = {one.name for one in dataclasses.fields(cls)}
        if missing := known - given.keys():
            raise ValueError(f"a measurement has no {min(missing)!r}")
        for name in _TEXTS:
            if not isinstance(given[name], str):
                raise ValueError(f"{name} is {given[name]!r:.60}, not text")
        for name in ("counts", "settings", "details"):
            if not isinstance(given[name], Mapping):
                raise ValueError(f"{name} is {given[name]!r:.60}, not a table")
        counts = given["counts"]
        if not all(isinstance(count, int) for count in counts.values()):
            raise ValueError("a count is not a whole number")
        if not isinstance(given["lost"], list):
            raise ValueError("lost is not a list")
        numbers: dict[str, Any] = {name: _number(name, given[name]) for name in _NUMBERS}
        return cls(
            **{name: given[name] for name in _TEXTS},
            **numbers,
            counts=dict(counts),
            lost=tuple(_lost(one) for one in given["lost"]),
            settings=dict(given["settings"]),
            details={
                key: math.nan if value is None and key not in _TEXT_DETAILS else value
                for key, value in given["details"].items()
            },
        )


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _number(name: str, value: Any) -> float:
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} is {value!r:.60}, not a number")
    return float(value)


def _lost(given: Any) -> Lost:
    fields = ("word", "where", "reason")
    if not isinstance(given, Mapping) or not all(isinstance(given.get(one), str) for one in fields):
        raise ValueError("a lost word needs the texts word, where and reason")
    return Lost(given["word"], given["where"], given["reason"])
