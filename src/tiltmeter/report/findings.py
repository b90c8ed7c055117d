"""What a run found, in a few sentences for a terminal: the strongest links of a matrix, and what sentence pairs say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measurement import Lost, Measurement
from tiltmeter.report.tables import number
from tiltmeter.runs.arrays import Arrays

_NAMED = 6


@dataclass(frozen=True, slots=True)
class Link:
    """A cell of a matrix of scores."""

    target: str
    feature: str
    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"“{self.target}” {number(self.value)} ({number(self.low)} … {number(self.high)})"


def strongest(arrays: Arrays, feature: str, most: int) -> list[Link]:
    """The targets that go most with a feature, of those whose interval lies above 0."""
    columns = [str(name) for name in arrays.about["columns"]]
    if feature not in columns:
        return []
    at = columns.index(feature)
    score, low, high = (_column(arrays, name, at) for name in ("score", "low", "high"))
    sure = [row for row in np.argsort(-np.nan_to_num(score, nan=-np.inf), kind="stable") if low[row] > 0]
    names = [str(name) for name in arrays.about["rows"]]
    return [Link(names[row], feature, float(score[row]), float(low[row]), float(high[row])) for row in sure[:most]]


def matrix_finding(arrays: Arrays, things: str, pairs: Sequence[tuple[str, str]], level: float) -> list[str]:
    """Which targets go with the one feature and which with the other, for each pair of features that was scored."""
    columns = set(arrays.about["columns"])
    scored = [pair for pair in pairs if columns.issuperset(pair)]
    said = [
        f"Which of {len(arrays.about['rows'])} {things} go with which of {' and '.join('/'.join(p) for p in scored)}, "
        f"by way of {len(arrays.about.get('bridge', ())):,} first names (correlation, {100 * level:g} % interval):"
        if scored
        else f"Of {things} nothing can be said: the model hardly knows the words they were to be compared with."
    ]
    for feature in (one for pair in scored for one in pair):
        links = ", ".join(map(str, strongest(arrays, feature, 3)))
        said.append(f"{feature}: {links}" if links else f"{feature}: none whose interval lies above 0")
    return said


def pairs_finding(measurements: Iterable[Measurement], part: str) -> list[str]:
    """How often a model prefers the more stereotypical sentence, and whether that is more than a coin does."""
    row = next((one for one in measurements if one.details.get("part") == part), None)
    if row is None:
        return []
    open_ = row.low <= 50 <= row.high
    verdict = (
        "the interval includes 50 %, which a coin would give: the direction is open"
        if open_
        else "the interval excludes 50 %, which a coin would give"
    )
    return [
        f"Of {row.counts.get('pairs', 0)} pairs of sentences about {part}, the model finds the more stereotypical one "
        f"likelier in {number(row.value, 0)} % ({number(row.low, 0)} … {number(row.high, 0)}); {verdict}."
    ]


def losses(lost: Iterable[Lost], sizes: Mapping[str, int]) -> list[str]:
    """How many words of each set took no part, the first of them, and why: reasons that differ in a number are one."""
    groups: dict[tuple[str, str], dict[str, None]] = {}
    for each in lost:
        groups.setdefault((each.where, _kind(each.reason)), {})[each.word] = None
    said = []
    for (where, reason), words in groups.items():
        first = ", ".join(list(words)[:_NAMED]) + (" …" if len(words) > _NAMED else "")
        of = f" of {sizes[where]:,}" if where in sizes else ""
        said.append(f"{where}: {len(words):,}{of} left out, {reason}: {first}")
    return said


def _kind(reason: str) -> str:
    if reason.startswith("the model met it ") and ", fewer than " in reason:
        return f"met fewer than {reason.rpartition(' ')[2]} times in training"
    if reason.startswith("it is ") and " tokens" in reason:
        return "of several tokens, where only whole words were asked for"
    return reason


def _column(arrays: Arrays, name: str, at: int) -> NDArray[np.float64]:
    return np.asarray(arrays.arrays[name][:, at], dtype=np.float64)
