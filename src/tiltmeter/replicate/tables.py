"""Published and measured side by side: what every replication ends in."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltmeter.files import replacing

TSV = "replication.tsv"
_COLUMNS = ("table", "source", "model", "what", "published", "measured", "difference", "low", "high", "met", "remark")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of a source and what was measured in its place; None where there is no such thing.

    A published number is met where the measured one rounds to it, or lies within `tolerance` of it.
    """

    labels: tuple[str, ...]
    published: float | str | None
    measured: float | str | None
    low: float = math.nan
    high: float = math.nan
    digits: int | None = 2  # decimals that the source prints; None: two significant digits
    tolerance: float | None = None
    remark: str = ""

    @property
    def difference(self) -> float | None:
        """Measured less published, of numbers."""
        if isinstance(self.published, str | None) or isinstance(self.measured, str | None):
            return None
        return self.measured - self.published

    @property
    def met(self) -> bool | None:
        """Whether the published figure came out; None where there is nothing to compare."""
        if self.published is None:
            return None
        if self.measured is None:
            return False
        if self.difference is not None and self.tolerance is not None:
            return abs(self.difference) <= self.tolerance
        return self.shown(self.measured) == self.shown(self.published)

    def shown(self, value: float | str | None) -> str:
        """A value for a reader, with the digits that the source prints."""
        if value is None:
            return "–"
        if isinstance(value, str):
            return value
        if not math.isfinite(value):
            return "–"
        return f"{value:.2g}" if self.digits is None else f"{round(value, self.digits) + 0.0:.{self.digits}f}"

    @property
    def shown_difference(self) -> str:
        """The difference with its sign."""
        sign = "+" if (self.difference or 0) > 0 else ""
        return "–" if self.difference is None else sign + self.shown(self.difference)

    @property
    def shown_interval(self) -> str:
        """The interval of the measured value."""
        return f"{self.shown(self.low)} … {self.shown(self.high)}" if math.isfinite(self.low) else "–"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replicated:
    """One table of a source. `columns` say what the labels of its figures are."""

    title: str
    source: str  # which table or page
    model: str  # on which it was measured
    columns: tuple[str, ...]
    figures: tuple[Figure, ...]
    note: str = ""

    def rows(self) -> Iterator[dict[str, str]]:
        """For a reader: labels, published, measured, difference, interval, remark; what no figure has is left out."""
        intervals = any(math.isfinite(each.low) for each in self.figures)
        numbers = any(each.difference is not None for each in self.figures)
        remarks = any(each.remark for each in self.figures)
        for each in self.figures:
            row = dict(zip(self.columns, each.labels, strict=True))
            row |= {"published": each.shown(each.published), "measured": each.shown(each.measured)}
            if numbers:
                row["difference"] = each.shown_difference
            if intervals:
                row["interval"] = each.shown_interval
            if remarks:
                row["remark"] = each.remark
            yield row

    def summary(self) -> str:
        """How many of the published figures came out."""
        compared = [each for each in self.figures if each.met is not None and each.measured is not None]
        if not compared:
            return "there are no published figures to compare these with"
        return f"{sum(bool(each.met) for each in compared)} of {len(compared)} published figures are met"

    def as_dict(self) -> dict[str, Any]:
        """Plain types only."""
        return {
            "title": self.title,
            "source": self.source,
            "model": self.model,
            "note": self.note,
            "figures": [
                {
                    **dict(zip(self.columns, each.labels, strict=True)),
                    "published": each.published,
                    "measured": _finite(each.measured),
                    "difference": each.difference,
                    "low": _finite(each.low),
                    "high": _finite(each.high),
                    "met": each.met,
                    "remark": each.remark,
                }
                for each in self.figures
            ],
        }


def write_tsv(folder: Path, tables: Sequence[Replicated]) -> Path:
    """All figures of a replication, one row each, beside the measurements of its run."""
    with replacing(folder / TSV) as part, part.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", lineterminator="\n")
        table.writerow(_COLUMNS)
        for each in tables:
            for figure in each.figures:
                values = (figure.published, figure.measured, figure.difference, figure.low, figure.high)
                met = "" if figure.met is None else "yes" if figure.met else "no"
                table.writerow(
                    [
                        *(each.title, each.source, each.model, " / ".join(figure.labels)),
                        *("" if _finite(value) is None else value for value in values),
                        *(met, figure.remark),
                    ]
                )
    return folder / TSV


def _finite(value: float | str | None) -> float | str | None:
    return None if isinstance(value, float) and not math.isfinite(value) else value
