"""A results table, cut into what a reader takes in at once: one section a metric, with adjusted p-values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tiltmeter.measurement import Measurement
from tiltmeter.report.labels import labels
from tiltmeter.report.meanings import MATRICES, Meaning, excludes_neutral, family, headline, meaning
from tiltmeter.runs.results import ALPHA, adjusted

_ORDER = ("weat", "seat", "wefat", "rnd", "ect", "mac", "lpbs", "crows", "bayes", "direct", "indirect")


@dataclass(frozen=True, slots=True)
class Row:
    """A measurement, its p-value after the correction over the table, and what a reader sees of its test."""

    measured: Measurement
    adjusted: float
    label: str

    def significant(self, alpha: float = ALPHA) -> bool:
        return self.adjusted <= alpha

    def named(self, *, many: bool) -> str:
        """The label, with the language where the table has `many`."""
        return f"{self.label} ({self.measured.language})" if many else self.label

    @property
    def settled(self) -> bool | None:
        """Whether the interval excludes the neutral value; None where that cannot be said."""
        return excludes_neutral(self.measured)


@dataclass(frozen=True, slots=True)
class Section:
    """All rows of one metric, in the order of the run."""

    family: str
    meaning: Meaning
    rows: tuple[Row, ...]

    @property
    def headlines(self) -> tuple[Row, ...]:
        """The rows that stand for whole tests; all rows of a matrix of scores."""
        return tuple(row for row in self.rows if headline(row.measured)) or self.rows

    @property
    def is_matrix(self) -> bool:
        """Whether the rows are the cells of targets × features."""
        return self.family in MATRICES

    def strongest(self, most: int) -> tuple[Row, ...]:
        """The first `most` rows by size of the value: first those with an interval, then those with a value alone."""

        def unsure(row: Row) -> tuple[bool, float]:
            value = row.measured.value
            return row.settled is None, -abs(value) if math.isfinite(value) else math.inf

        return tuple(sorted(self.rows, key=unsure)[:most])


def tests_made(measurements: Sequence[Measurement]) -> int:
    """How many p-values Holm's correction is over."""
    return sum("p_adjusted" not in row.details and not math.isnan(row.p_value) for row in measurements)


def sections(measurements: Sequence[Measurement]) -> list[Section]:
    """The rows by metric: those known here in their order, then others by name."""
    by_family: dict[str, list[Row]] = {}
    for measured, (p, _), label in zip(measurements, adjusted(measurements), labels(measurements), strict=True):
        by_family.setdefault(family(measured.metric), []).append(Row(measured, p, label))
    order = sorted(by_family, key=lambda name: (_ORDER.index(name) if name in _ORDER else len(_ORDER), name))
    return [Section(name, meaning(name), tuple(by_family[name])) for name in order]


def models(measurements: Sequence[Measurement]) -> list[str]:
    """The models in the order of the run."""
    return list(dict.fromkeys(row.model for row in measurements))


def languages(measurements: Sequence[Measurement]) -> list[str]:
    """The languages in the order of the run."""
    return list(dict.fromkeys(row.language for row in measurements))


def methods(rows: Sequence[Row]) -> list[str]:
    """How the numbers of these rows were computed, each way once, without what differs from row to row."""
    parts = (part.partition(":")[0].strip() for row in rows for part in row.measured.method.split(";"))
    return list(dict.fromkeys(part for part in parts if part))


def counted(row: Measurement) -> str:
    """What took part: the sizes of X, Y, A and B, or each count by its name."""
    if {"X", "Y", "A", "B"} <= row.counts.keys():
        return "{X}, {Y} × {A}, {B}".format(**row.counts)
    return ", ".join(
        f"{count:,} {name.removesuffix('s') if count == 1 else name}" for name, count in row.counts.items()
    )


def detail(row: Row, name: str) -> float:
    """A number of the details; NaN where there is none."""
    value = row.measured.details.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else math.nan


def by_word(rows: Sequence[Row]) -> bool:
    """Whether tests have several sentences a word, so that the p-value over whole words is another."""
    return any(
        "p_value_words" in row.measured.details and row.measured.details["p_value_words"] != row.measured.p_value
        for row in rows
    )


def lost_words(rows: Sequence[Row]) -> dict[tuple[str, str], list[str]]:
    """Where each lost word took no part (test and set), by word and reason."""
    lost: dict[tuple[str, str], dict[str, None]] = {}
    for row in rows:
        for each in row.measured.lost:
            test = each.where if row.measured.metric in (*MATRICES, "crows") else f"{row.measured.test} {each.where}"
            lost.setdefault((each.word, each.reason), {})[test] = None
    return {key: list(places) for key, places in lost.items()}
