"""The results of a run: a folder read back, and its measurements as one tidy table.

    RUN/manifest.json          what was run, with what, on what, and how long it took
    RUN/measurements.tsv       one row a measurement: the columns of `COLUMNS`
    RUN/measurements.parquet   the same
    RUN/seat.tsv               the association tests in the nine columns of May et al. 2019
    RUN/arrays/*.safetensors   whole matrices of scores, the scores of each pair of sentences, and posteriors
    RUN/jobs/*.json            one file for each finished job

Read with `pandas.read_parquet(f)`, `polars.read_parquet(f)`, or in DuckDB `SELECT * FROM 'RUN/measurements.parquet'`.
The columns counts, lost, settings and details hold JSON.
"""

from __future__ import annotations

import csv
import io
import json
import math
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltmeter.errors import InputError
from tiltmeter.files import replacing
from tiltmeter.measurement import Measurement
from tiltmeter.metrics.multiplicity import holm
from tiltmeter.report.tables import write_association_tsv

MANIFEST = "manifest.json"
TSV = "measurements.tsv"
PARQUET = "measurements.parquet"
SEAT = "seat.tsv"
FORMAT = 1
ALPHA = 0.01  # May et al. 2019 mark what is significant at this level after Holm's correction

_TEXTS = ("model", "language", "test", "metric")
_NUMBERS = ("value", "low", "high", "level", "p_value", "p_adjusted")
_JSON = ("counts", "lost", "settings", "details")
COLUMNS = (*_TEXTS, *_NUMBERS, "adjustment", "method", *_JSON)

_MANIFEST_BYTES = 64 * 2**20
_TABLE_BYTES = 2**30
_FIELD_CHARACTERS = 16 * 2**20
_ROWS = 5_000_000


@dataclass(frozen=True, slots=True)
class Run:
    """A finished run. `manifest` is as it was written by `tiltmeter.runs.manifest`."""

    folder: Path
    manifest: dict[str, Any]
    measurements: list[Measurement]
    alpha: float = ALPHA  # what is significant at this level after the correction is marked


def read_run(folder: Path | str) -> Run:
    """The run in a folder, whoever sent it: nothing outside the folder is read, and nothing larger than expected."""
    folder = Path(folder)
    path = folder / MANIFEST
    if folder.is_dir() and not path.exists():
        hint = "The run has not finished: start it again, and it goes on." if (folder / "jobs").is_dir() else None
        raise InputError(f"there is no {MANIFEST} in it.", where=folder, hint=hint or "Is it the folder of a run?")
    manifest = read_object(path, _MANIFEST_BYTES)
    if manifest.get("format") != FORMAT:
        raise InputError(
            f"is of format {manifest.get('format')!r:.20}; this version reads format {FORMAT}.",
            where=path,
            hint="Run it again, or use the version of Tiltmeter that wrote it.",
        )
    alpha = manifest.get("alpha", ALPHA)
    if not isinstance(alpha, float) or not 0 < alpha <= 0.5:
        raise InputError(f"is damaged: alpha is {alpha!r:.40}.", where=path, hint="Run it again.")
    return Run(folder, manifest, list(_measurements(folder / TSV)), alpha)


def adjusted(measurements: Sequence[Measurement]) -> list[tuple[float, str]]:
    """The p-value of each row after correction, and which correction: Holm's over the whole table.

    The cells of a matrix of scores were corrected over their own matrix, of which the table holds but the strongest;
    they keep that, and are not counted again.
    """
    own = ["p_adjusted" in row.details for row in measurements]
    whole = holm([math.nan if has else row.p_value for has, row in zip(own, measurements, strict=True)]).tolist()
    return [
        (float(row.details["p_adjusted"]), "Benjamini-Hochberg over its matrix")
        if has
        else (p, "" if math.isnan(p) else "Holm over the table")
        for has, row, p in zip(own, measurements, whole, strict=True)
    ]


def write_tables(folder: Path, measurements: Sequence[Measurement]) -> None:
    """The same table as TSV and Parquet; the same measurements give the same bytes."""
    rows = list(_rows(measurements))
    with replacing(folder / TSV) as part, part.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", lineterminator="\n")
        table.writerow(COLUMNS)
        for row in rows:
            table.writerow(["" if row[name] is None else row[name] for name in COLUMNS])
    import polars as pl

    schema = {name: pl.Float64 if name in _NUMBERS else pl.String for name in COLUMNS}
    with replacing(folder / PARQUET) as part:
        pl.DataFrame(rows, schema=schema).write_parquet(part)
    association = [row for row in measurements if row.metric in ("weat", "seat")]
    if association:
        write_association_tsv(folder / SEAT, association)
    else:
        (folder / SEAT).unlink(missing_ok=True)


def read_object(path: Path, limit: int) -> dict[str, Any]:
    """The JSON object in a file of at most `limit` bytes."""
    try:
        value = _from_json(_bounded(path, limit).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"is damaged: it is no JSON ({error!s:.100}).", where=path, hint="Run it again.") from None
    if not isinstance(value, dict):
        raise InputError("is damaged: it holds no JSON object.", where=path, hint="Run it again.")
    return value


def to_json(value: Any) -> str:
    """One spelling for one value."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)


def _rows(measurements: Sequence[Measurement]) -> Iterator[dict[str, Any]]:
    for measured, (p, adjustment) in zip(measurements, adjusted(measurements), strict=True):
        row = measured.as_dict()
        row["p_adjusted"] = None if math.isnan(p) else p
        row["adjustment"] = adjustment
        yield {name: to_json(row[name]) if name in _JSON else row[name] for name in COLUMNS}


def _measurements(path: Path) -> Iterator[Measurement]:
    text = _bounded(path, _TABLE_BYTES)
    try:
        lines = io.StringIO(text.decode("utf-8"), newline="")
    except UnicodeDecodeError as error:
        raise _damaged(path, None, f"it is not UTF-8 ({error.reason})") from None
    before = csv.field_size_limit(_FIELD_CHARACTERS)
    try:
        table = csv.reader(lines, delimiter="\t", strict=True)
        if tuple(next(table, ())) != COLUMNS:
            raise _damaged(path, 1, "its columns are not those of a run")
        for row in table:
            if table.line_num > _ROWS:
                raise _damaged(path, table.line_num, f"it has more than {_ROWS:,} rows")
            yield _measurement(path, table.line_num, row)
    except csv.Error as error:
        raise _damaged(path, table.line_num, str(error)) from None
    finally:
        csv.field_size_limit(before)


def _measurement(path: Path, line: int, row: list[str]) -> Measurement:
    if len(row) != len(COLUMNS):
        raise _damaged(path, line, f"it has {len(row)} columns, not {len(COLUMNS)}")
    cells: dict[str, Any] = dict(zip(COLUMNS, row, strict=True))
    try:
        for name in _NUMBERS:
            cells[name] = _plain_float(cells[name]) if cells[name] else None
        for name in _JSON:
            cells[name] = _from_json(cells[name])
        measured = Measurement.from_dict(cells)
        _check_probabilities(measured)
    except (ValueError, RecursionError) as error:
        raise _damaged(path, line, f"{error!s:.100}") from None
    return measured


def _check_probabilities(measured: Measurement) -> None:
    """What corrections over the table compute with."""
    given = {"column p_value": measured.p_value, "column details, p_adjusted": measured.details.get("p_adjusted")}
    for where, p in given.items():
        if p is not None and not (isinstance(p, int | float) and (math.isnan(p) or 0 <= p <= 1)):
            raise ValueError(f"{where} is {p!r:.40}, not between 0 and 1")


def _from_json(text: str) -> Any:
    """A value of JSON proper: no NaN, and no number that a float or 64 bits cannot hold."""

    def whole(digits: str) -> int:
        if len(digits) > 19:
            raise ValueError(f"the number {digits[:20]}… is too long")
        return int(digits)

    def refuse(name: str) -> Any:
        raise ValueError(f"{name} is no number of JSON")

    value = json.loads(text, parse_int=whole, parse_float=_plain_float, parse_constant=refuse)
    if "\\ud" in text or "\\uD" in text:
        json.dumps(value, ensure_ascii=False).encode()  # half a character is no text: UnicodeEncodeError, a ValueError
    return value


def _plain_float(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text:.40} is not finite")
    return number


def _damaged(path: Path, line: int | None, what: str) -> InputError:
    return InputError(f"is damaged: {what}.", where=path, line=line, hint="Run it again: finished jobs are kept.")


def _bounded(path: Path, limit: int) -> bytes:
    try:
        if path.is_symlink() or not stat.S_ISREG(path.stat().st_mode):
            raise InputError("is not a regular file.", where=path, hint="A run holds its files itself.")
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except FileNotFoundError:
        raise InputError("there is no such file.", where=path, hint="Is it the folder of a run?") from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read ({error!s:.100}).", where=repr(str(path))) from None
    if len(data) > limit:
        raise InputError(f"is larger than {limit / 2**20:.0f} MB.", where=path, hint="No run writes such a file.")
    return data
