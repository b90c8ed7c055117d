"""Two runs side by side: two models, or one before and after a change; what differs, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.errors import InputError
from tiltmeter.measurement import Measurement
from tiltmeter.report.labels import labels
from tiltmeter.report.markup import escape
from tiltmeter.report.meanings import family, meaning, neutral
from tiltmeter.report.names import shown_names
from tiltmeter.report.sections import models
from tiltmeter.report.tables import number


@dataclass(frozen=True, slots=True)
class Pair:
    """One measurement in both runs."""

    first: Measurement
    second: Measurement
    label: str = ""  # what a reader sees of the test
    paired: tuple[float, float] | None = None  # the interval of the difference, where both kept what they share

    @property
    def difference(self) -> float:
        """The second value less the first."""
        return self.second.value - self.first.value

    @property
    def interval(self) -> tuple[float, float]:
        """An interval of the difference d = b - a from those of a and b   (MOVER: Zou & Donner 2008)

            d - √((b - l_b)² + (u_a - a)²)   to   d + √((u_b - b)² + (a - l_a)²)

        as if a and b were independent. Two models tested with the same words mostly move together, which makes it too
        wide rather than too narrow; where both runs kept what they share, `paired` stands in its place (see
        `tiltmeter.metrics.paired`). NaN where either has no interval, or their levels differ.
        """
        if self.paired is not None:
            return self.paired
        a, b = self.first, self.second
        if a.level != b.level or not all(math.isfinite(end) for end in (a.low, a.high, b.low, b.high)):
            return math.nan, math.nan
        down = math.hypot(b.value - b.low, a.high - a.value)
        up = math.hypot(b.high - b.value, a.value - a.low)
        return self.difference - down, self.difference + up

    @property
    def apart(self) -> bool | None:
        """Whether the two intervals share no point; None where either is missing."""
        a, b = self.first, self.second
        if not all(math.isfinite(end) for end in (a.low, a.high, b.low, b.high)):
            return None
        return a.high < b.low or b.high < a.low

    def as_dict(self) -> dict[str, Any]:
        """Plain types only; a number that does not exist is None."""
        low, high = self.interval
        numbers = {"difference": self.difference, "difference_low": low, "difference_high": high}
        return {
            **{key: getattr(self.first, key) for key in ("test", "metric", "language")},
            "first": self.first.as_dict(),
            "second": self.second.as_dict(),
            **{key: value if math.isfinite(value) else None for key, value in numbers.items()},
            "intervals_apart": self.apart,
            "paired": self.paired is not None,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two runs have in common, and what only one has."""

    pairs: tuple[Pair, ...]
    only_first: tuple[Measurement, ...]
    only_second: tuple[Measurement, ...]

    @property
    def apart(self) -> tuple[Pair, ...]:
        """The pairs whose intervals share no point."""
        return tuple(pair for pair in self.pairs if pair.apart)

    def by_family(self) -> dict[str, list[Pair]]:
        """The pairs of each metric; all quantities of the Bayesian estimate are one."""
        found: dict[str, list[Pair]] = {}
        for pair in self.pairs:
            found.setdefault(family(pair.first.metric), []).append(pair)
        return found

    def rows(self) -> list[dict[str, str]]:
        """One row a pair, for a reader."""
        names = self.names()
        several = len({pair.first.model for pair in self.pairs}) > 1
        return [
            {
                "test": pair.label,
                "metric": meaning(pair.first.metric).name,
                **({"model": names[pair.first.model]} if several else {}),
                "first": _with_interval(pair.first),
                "second": _with_interval(pair.second),
                "difference": _signed(pair.difference, pair.first),
                "its interval": " … ".join(_signed(end, pair.first) for end in pair.interval),
                "intervals": {True: "apart", False: "overlap", None: "–"}[pair.apart],
            }
            for pair in self.pairs
        ]

    def summary(self) -> list[str]:
        """What differs, in sentences."""
        known = [pair for pair in self.pairs if pair.apart is not None]
        said = [
            f"{len(self.pairs):,} measurements stand in both runs. Of the {len(known):,} with both intervals, "
            f"{len(self.apart):,} have intervals that share no point."
        ]
        beyond = [pair for pair in self.pairs if pair.interval[0] > 0 or pair.interval[1] < 0]
        said.append(f"The interval of the difference excludes 0 in {len(beyond):,}.")
        if paired := sum(pair.paired is not None for pair in self.pairs):
            said.append(
                f"In {paired:,} both runs kept the scores of the same words, names or pairs of sentences: there, the "
                "interval of the difference resamples these in both runs together."
                + (" The others take the runs to be independent." if paired < len(self.pairs) else "")
            )
        nearer = [pair for pair in beyond if _distance(pair.second) < _distance(pair.first)]
        if beyond:
            said.append(
                f"Of these, the second value stands nearer to the neutral one in {len(nearer):,}, and not nearer in "
                f"{len(beyond) - len(nearer):,}."
            )
        if other := sum(pair.first.counts != pair.second.counts for pair in self.pairs):
            said.append(f"In {other:,} not as many words took part on both sides: a difference may come of words lost.")
        if changed := self.changed_settings():
            said.append(f"The runs differ in these settings, which may explain a difference: {', '.join(changed)}.")
        if self.only_first or self.only_second:
            said.append(
                f"{len(self.only_first):,} measurements stand in the first run alone, and {len(self.only_second):,} in "
                "the second alone; they are not compared."
            )
        return said

    def changed_settings(self) -> list[str]:
        """The settings that some pair does not share, less what tells one model from another."""
        differing = {
            name
            for pair in self.pairs
            for name in pair.first.settings.keys() | pair.second.settings.keys()
            if pair.first.settings.get(name) != pair.second.settings.get(name)
        }
        return sorted(differing - {"fingerprint"})

    def names(self) -> dict[str, str]:
        """The models of both runs as a reader sees them."""
        return shown_names(models([row for pair in self.pairs for row in (pair.first, pair.second)]))


def compare(first: Sequence[Measurement], second: Sequence[Measurement]) -> Comparison:
    """Match two runs by test, metric and language, and by model where both have it.

    A model that only the first has is matched with one that only the second has, where each has one such model.
    """
    own, others = _alone(first, second)
    renamed = same_models(first, second)
    if len(own) > 1 and len(own) == len(models(first)) and others:
        raise InputError(
            f"the runs have no model in common: {_some(own)} in the first, {_some(others)} in the second.",
            hint="Compare runs of one model each, or of the same models.",
        )

    def key(row: Measurement, count: dict[tuple[str, ...], int]) -> tuple[object, ...]:
        """With its turn: a run may measure the same thing twice, with other settings."""
        same = (row.test, row.metric, row.language, renamed.get(row.model, row.model))
        count[same] = count.get(same, 0) + 1
        return (*same, count[same])

    seen_first: dict[tuple[str, ...], int] = {}
    seen_second: dict[tuple[str, ...], int] = {}
    left = {key(row, seen_first): row for row in first}
    right = {key(row, seen_second): row for row in second}
    shown = dict(zip(left, labels(first), strict=True))
    pairs = tuple(Pair(row, right[at], shown[at]) for at, row in left.items() if at in right)
    if not pairs:
        raise InputError(
            "the runs have no measurement in common.", hint="Were other tests, metrics, languages or models run?"
        )
    return Comparison(
        pairs,
        tuple(row for at, row in left.items() if at not in right),
        tuple(row for at, row in right.items() if at not in left),
    )


def same_models(first: Sequence[Measurement], second: Sequence[Measurement]) -> dict[str, str]:
    """What the first run calls a model of the second, where each has one that the other has not."""
    own, others = _alone(first, second)
    return {others[0]: own[0]} if len(own) == len(others) == 1 else {}


def _alone(first: Sequence[Measurement], second: Sequence[Measurement]) -> tuple[list[str], list[str]]:
    """The models that only one of the runs has."""
    mine, theirs = models(first), models(second)
    return [name for name in mine if name not in theirs], [name for name in theirs if name not in mine]


def markdown(found: Comparison) -> str:
    """The comparison as Markdown."""
    rows = found.rows()
    head = list(rows[0])
    lines = [
        *found.summary(),
        "",
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
        *("| " + " | ".join(_markdown(cell) for cell in row.values()) + " |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


def _distance(row: Measurement) -> float:
    at = neutral(row)
    return math.nan if at is None else abs(row.value - at)


def _with_interval(row: Measurement) -> str:
    digits = meaning(row.metric).digits
    return f"{number(row.value, digits)} ({number(row.low, digits)} … {number(row.high, digits)})"


def _signed(value: float, row: Measurement) -> str:
    return f"{value:+.{meaning(row.metric).digits}f}" if math.isfinite(value) else "–"


def _markdown(text: str) -> str:
    """A cell: no HTML, no new column, no emphasis."""
    shown = escape(" ".join(text.split()))
    return "".join(f"\\{character}" if character in "\\|*_`[]" else character for character in shown)


def _some(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:3])) + (" …" if len(names) > 3 else "")
