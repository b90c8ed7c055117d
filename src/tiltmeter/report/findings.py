"""What a run found, in a few sentences for a terminal: what goes more with which word, and what sentence pairs say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.measurement import Lost, Measurement
from tiltmeter.metrics.contrasts import correlation_contrasts
from tiltmeter.report.tables import number, p_text
from tiltmeter.runs.arrays import Arrays

_NAMED = 6
_STRONGEST = 3


@dataclass(frozen=True, slots=True)
class Link:
    """A target that goes more with one of two features, by how much, and the interval of that."""

    target: str
    more: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"“{self.target}” {number(self.more)} ({number(self.low)} … {number(self.high)})"


def matrix_finding(arrays: Arrays, things: str, pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Which targets go more with the one feature and which with the other, for each pair of features that was scored.

    Named are only those whose interval lies above 0 after allowing for all that might have been named.
    """
    columns, targets = ([str(name) for name in arrays.about[side]] for side in ("columns", "rows"))
    scored = [pair for pair in pairs if {*pair} <= {*columns}]
    if not scored:
        return [f"Of {things} nothing can be said: the model hardly knows the words they were to be compared with."]
    found = correlation_contrasts(
        arrays.arrays["bridge_to_row"],
        arrays.arrays["bridge_to_column"],
        [(columns.index(one), columns.index(other)) for one, other in scored],
    )
    sides: list[tuple[str, str, list[Link]]] = []
    for at, (one, other) in enumerate(scored):
        value, low, high = (table[:, at] for table in (found.value, found.low, found.high))
        sides.append((one, other, _sure(targets, value, low, high)))
        sides.append((other, one, _sure(targets, -value, -high, -low)))
    heads = [f"{_quoted(links)} with {one} more than with {other}" for one, other, links in sides[:2] if links]
    count, sure = found.value.size, sum(len(links) for _, _, links in sides)
    return [
        f"{things.capitalize()}, by way of {found.names:,} first names: "
        + ("; ".join(heads) if heads else f"none goes with {' or '.join(scored[0])} more than with the other")
        + ".",
        *(
            f"{one} more than {other}: {', '.join(map(str, links[:_STRONGEST])) or 'none'}"
            + (f", and {len(links) - _STRONGEST} more" if len(links) > _STRONGEST else "")
            for one, other, links in sides
        ),
        f"These are differences of two correlations. Of {count}, {sure} exclude 0 and {count - sure} are open; "
        f"the intervals allow for the number of them ({100 * found.level:g} % for all together).",
    ]


def _sure(
    targets: Sequence[str], value: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]
) -> list[Link]:
    """Those whose interval lies above 0, as far as two decimals show it, the furthest first."""
    rows = [row for row in np.argsort(-value, kind="stable") if round(float(low[row]), 2) > 0]
    return [Link(targets[row], float(value[row]), float(low[row]), float(high[row])) for row in rows]


def _quoted(links: Sequence[Link]) -> str:
    first = [f"“{link.target}”" for link in links[:_STRONGEST]]
    joined = f"{', '.join(first[:-1])} and {first[-1]}" if len(first) > 1 else first[0]
    return f"{joined} {'go' if len(first) > 1 else 'goes'}"


def pairs_finding(measurements: Iterable[Measurement]) -> list[str]:
    """How often a model prefers the more stereotypical sentence, and whether that is more than a coin does."""
    row = next((one for one in measurements if one.details.get("part") == "all"), None)
    if row is None:
        return []
    open_ = row.low <= 50 <= row.high
    return [
        f"Pairs of sentences: of {row.counts.get('pairs', 0)}, the model finds the more stereotypical one likelier in "
        f"{number(row.value, 0)} % ({number(row.low, 0)} … {number(row.high, 0)}, p = {p_text(row.p_value)}).",
        f"A coin would give 50 %, which the {100 * row.level:g} % interval "
        + ("includes: the direction is open." if open_ else "excludes."),
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
    if reason.startswith("fits no template"):
        return "of a form that fits none of the sentences"
    return reason
