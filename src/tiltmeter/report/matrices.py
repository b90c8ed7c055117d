"""Whole matrices of scores, as a heat map wants them: out of a run's arrays, or of the rows of its table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InputError
from tiltmeter.report.labels import variants
from tiltmeter.report.meanings import MATRICES
from tiltmeter.report.sections import Row, Section
from tiltmeter.runs.arrays import Arrays, of_jobs

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Scores of rows × columns, and their adjusted p-values; NaN where there is none."""

    model: str
    metric: str
    name: str  # what it is of, and what tells it from others of that
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    score: Array
    adjusted: Array
    sure: NDArray[np.bool_]  # whether a score has an interval

    @property
    def top(self) -> float:
        """The size of the strongest score."""
        return float(np.nan_to_num(np.abs(self.score)).max(initial=0.0)) or 1.0

    def strongest(self, rows: int, columns: int) -> Matrix:
        """So many rows and columns as hold the strongest scores that have an interval, in alphabetical order."""
        known = np.nan_to_num(np.abs(self.score))
        size = np.where(self.sure & (known > 0), 1.0, 0.0) + known / self.top
        down = _first(size.max(axis=1, initial=0.0), self.rows, rows)
        across = _first(size[down].max(axis=0, initial=0.0), self.columns, columns)
        cells = np.ix_(down, across)
        return Matrix(
            self.model,
            self.metric,
            self.name,
            tuple(self.rows[place] for place in down),
            tuple(self.columns[place] for place in across),
            self.score[cells],
            self.adjusted[cells],
            self.sure[cells],
        )


def read_matrices(folder: Path, manifest: Mapping[str, Any]) -> list[Matrix]:
    """The matrices that the jobs of a run kept; InputError where one is damaged."""
    found: list[Matrix] = []
    options: list[Mapping[str, Any]] = []
    for model, path, job, arrays in of_jobs(folder, manifest, MATRICES):
        found.append(_read(path, model, str(job.get("test", "")), arrays))
        given = job.get("options")
        options.append(given if isinstance(given, Mapping) else {})
    alike: dict[tuple[str, str, str], list[int]] = {}
    for place, matrix in enumerate(found):
        alike.setdefault((matrix.model, matrix.metric, matrix.name), []).append(place)
    for places in alike.values():
        if len(places) > 1:
            for place, variant in zip(places, variants([options[one] for one in places]), strict=True):
                found[place] = replace(found[place], name=f"{found[place].name} ({variant})")
    return found


def matrices(section: Section) -> list[Matrix]:
    """The matrices that the rows of a table make up, one a model; a cell that no row tells of is empty."""
    by_model: dict[tuple[str, str], list[Row]] = {}
    for row in section.rows:
        variant = row.label.removeprefix(row.measured.test).strip()
        by_model.setdefault((row.measured.model, variant), []).append(row)
    return [_of_rows(model, section.family, variant, rows) for (model, variant), rows in by_model.items()]


def _of_rows(model: str, metric: str, name: str, given: Sequence[Row]) -> Matrix:
    places = [(str(row.measured.details.get("target")), str(row.measured.details.get("feature"))) for row in given]
    rows = tuple(dict.fromkeys(target for target, _ in places))
    columns = tuple(dict.fromkeys(feature for _, feature in places))
    score, adjusted = np.full((2, len(rows), len(columns)), math.nan)
    sure = np.zeros(score.shape, dtype=bool)
    at_row, at_column = ({name: place for place, name in enumerate(names)} for names in (rows, columns))
    for row, (target, feature) in zip(given, places, strict=True):
        cell = at_row[target], at_column[feature]
        score[cell], adjusted[cell], sure[cell] = row.measured.value, row.adjusted, row.settled is not None
    return Matrix(model, metric, name, rows, columns, score, adjusted, sure)


def _read(path: Path, model: str, name: str, found: Arrays) -> Matrix:
    try:
        rows, columns = (tuple(map(str, found.about[key])) for key in ("rows", "columns"))
        keys = ("score", "adjusted", "low")
        score, adjusted, low = (np.array(found.arrays[key], dtype=np.float64) for key in keys)
        metric = str(found.about["metric"])
        score[~np.isfinite(score)] = math.nan
    except (KeyError, TypeError, ValueError):
        raise InputError("is damaged: it holds no matrix of scores.", where=path, hint="Run it again.") from None
    if not score.shape == adjusted.shape == low.shape == (len(rows), len(columns)):
        raise InputError("is damaged: its arrays do not fit together.", where=path, hint="Run it again.")
    return Matrix(model, metric, name, rows, columns, score, adjusted, np.isfinite(low))


def _first(size: Array, names: Sequence[str], most: int) -> list[int]:
    order = np.argsort(-size, kind="stable")[:most].tolist()
    return sorted(order, key=lambda place: names[place])
