"""Published and measured side by side: what every replication ends in."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltmeter.files import replacing
from tiltmeter.measurement import Measurement

TSV = "replication.tsv"
_NUMBERS = ("published", "measured", "difference", "low", "high", "p_value", "p_corrected")
_COLUMNS = ("table", "source", "model", "what", *_NUMBERS, "level", "met", "remark")
_MET = {True: "yes", False: "no", None: ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One figure of a source and what was measured in its place; None where there is no such thing.

    A published number is met where the measured one rounds to it, or lies within `tolerance` of it; where it is an
    upper `bound`, if the measured one does not exceed it.
    """

    labels: tuple[str, ...]
    published: float | str | None
    measured: float | str | None
    low: float = math.nan
    high: float = math.nan
    digits: int | None = 2  # decimals that the source prints; None: two significant digits
    tolerance: float | None = None
    bound: bool = False
    p_value: float = math.nan
    p_corrected: float = math.nan
    remark: str = ""

    @classmethod
    def of(
        cls,
        row: Measurement,
        *labels: str,
        published: float | None = None,
        p_corrected: float = math.nan,
        digits: int = 2,
    ) -> Figure:
        """A measurement in place of a published figure."""
        return cls(
            labels=labels,
            published=published,
            measured=row.value,
            low=row.low,
            high=row.high,
            digits=digits,
            p_value=row.p_value,
            p_corrected=p_corrected,
            remark=f"{len(row.lost)} lost" if row.lost else "",
        )

    @property
    def difference(self) -> float | None:
        """Measured less published, of numbers."""
        if self.bound or isinstance(self.published, str | None) or isinstance(self.measured, str | None):
            return None
        return self.measured - self.published

    @property
    def met(self) -> bool | None:
        """Whether the published figure came out; None where there is none, or none was measured."""
        ours = _finite(self.measured)
        if self.published is None or ours is None:
            return None
        if self.bound:
            return float(ours) <= float(self.published)
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
    def shown_published(self) -> str:
        """The published value, and whether it is a bound."""
        return ("< " if self.bound else "") + self.shown(self.published)

    @property
    def shown_difference(self) -> str:
        """The difference with its sign."""
        if self.difference is None:
            return "–"
        shown = self.shown(self.difference)
        return f"+{shown}" if float(shown) > 0 else shown

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
    level: float = 0.95  # of the intervals

    def rows(self) -> Iterator[dict[str, str]]:
        """For a reader: labels, published, measured, difference, whether it is met, interval, remark; what no figure
        has is left out."""
        compared = any(each.met is not None for each in self.figures)
        intervals = any(math.isfinite(each.low) for each in self.figures)
        numbers = any(each.difference is not None for each in self.figures)
        tested = any(math.isfinite(each.p_value) for each in self.figures)
        corrected = any(math.isfinite(each.p_corrected) for each in self.figures)
        remarks = any(each.remark for each in self.figures)
        for each in self.figures:
            row = dict(zip(self.columns, each.labels, strict=True))
            row |= {"published": each.shown_published, "measured": each.shown(each.measured)}
            if numbers:
                row["difference"] = each.shown_difference
            if compared:
                row["met"] = _MET[each.met]
            if intervals:
                row[f"{100 * self.level:.0f} % interval"] = each.shown_interval
            if tested:
                row["p-value"] = _shown_p(each.p_value)
            if corrected:
                row["corrected"] = _shown_p(each.p_corrected)
            if remarks:
                row["remark"] = each.remark
            yield row

    def summary(self) -> str:
        """How many of the published figures came out, and how many were not measured."""
        return summary(self.figures)

    def as_dict(self) -> dict[str, Any]:
        """Plain types only."""
        return {
            "title": self.title,
            "source": self.source,
            "model": self.model,
            "note": self.note,
            "level": self.level,
            "figures": [
                {
                    **dict(zip(self.columns, each.labels, strict=True)),
                    "published": each.published,
                    "measured": _finite(each.measured),
                    "difference": each.difference,
                    "low": _finite(each.low),
                    "high": _finite(each.high),
                    "p_value": _finite(each.p_value),
                    "p_corrected": _finite(each.p_corrected),
                    "met": each.met,
                    "remark": each.remark,
                }
                for each in self.figures
            ],
        }


def summary(figures: Iterable[Figure]) -> str:
    """How many of the published figures came out, and how many were not measured."""
    compared = [each for each in figures if each.published is not None]
    if not compared:
        return "No published figures are at hand to compare these with"
    missing = sum(each.met is None for each in compared)
    met = f"{sum(bool(each.met) for each in compared):,} of {len(compared):,} published figures are met"
    return f"{met}, {missing:,} not measured" if missing else met


def write_tsv(folder: Path, tables: Sequence[Replicated]) -> Path:
    """All figures of a replication, one row each, beside the measurements of its run."""
    folder.mkdir(parents=True, exist_ok=True)  # nothing was measured where only null models were drawn
    with replacing(folder / TSV) as part, part.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", lineterminator="\n")
        table.writerow(_COLUMNS)
        for each in tables:
            for figure in each.figures:
                values = [getattr(figure, name) for name in _NUMBERS]
                level = each.level if math.isfinite(figure.low) else ""
                table.writerow(
                    [
                        *(each.title, each.source, each.model, " / ".join(figure.labels)),
                        *("" if _finite(value) is None else value for value in values),
                        *(level, _MET[figure.met], figure.remark),
                    ]
                )
    return folder / TSV


def _shown_p(value: float) -> str:
    return f"{value:.2g}" if math.isfinite(value) else "–"


def _finite(value: float | str | None) -> float | str | None:
    return None if isinstance(value, float) and not math.isfinite(value) else value
