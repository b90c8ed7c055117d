"""The run folder: what is finished is in it, whole, and nothing else is.

    RUN/spec.yaml           the spec as it was given (spec.txt, if it was lines of the BIAS framework)
    RUN/jobs/<hash>.json    {"job", "measurements", "skipped", "seconds"} of one finished job
    RUN/arrays/<hash>.safetensors   its matrices or its posterior, if it has any
    RUN/run.log             what happened when
    RUN/cache/              states of language models, while the run lasts

A job's file appears at once or not at all, so that a run killed at any point goes on where it was. What the tables are
made of stands in `tiltmeter.runs.results`.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import re
import shutil
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tiltmeter.errors import InputError
from tiltmeter.files import ensure_folder, replacing
from tiltmeter.measurement import Measurement
from tiltmeter.runs.arrays import Arrays, is_arrays, write_arrays
from tiltmeter.runs.job import Model
from tiltmeter.runs.results import MANIFEST, read_object

_RECORD_BYTES = 256 * 2**20
_HASH = re.compile(r"[0-9a-f]{64}")
_MODEL = {**dict.fromkeys(("name", "path", "kind", "language", "fingerprint"), str), "options": dict}
_FREE_SPACE = "Free some space, or choose another folder, and run again: finished jobs are kept."


@dataclass(frozen=True, slots=True)
class Record:
    """A finished job: what it was, what it measured, or why there was nothing to measure."""

    job: dict[str, Any]
    measurements: tuple[Measurement, ...]
    seconds: float
    skipped: str = ""
    arrays: bool = False  # whether it left a file of arrays


class RunFolder:
    """A folder that a run writes to, held by one process at a time."""

    states_url = ""  # where states are, if workers are not to look for them in this folder

    def __init__(self, path: Path) -> None:
        self.path = path
        self.jobs = path / "jobs"
        self.arrays = path / "arrays"
        self.cache = path / "cache"
        self._lock: IO[str] | None = None

    def open(self, spec_name: str, spec_text: str) -> None:
        """Create the folder, or go on with the run that is in it."""
        if self.path.is_dir() and not self.jobs.is_dir() and {one.name for one in self.path.iterdir()} - {spec_name}:
            raise InputError(
                "holds other files, and is no run.", where=self.path, hint="Give a new folder, or that of a run."
            )
        for one in (self.jobs, self.arrays, self.cache, self.path / "run.log"):
            if one.is_symlink():
                raise InputError("is a link.", where=one, hint="A run holds its files itself: delete it.")
        try:
            self.jobs.mkdir(parents=True, exist_ok=True)
            self._lock = (self.path / "run.log").open("a", encoding="utf-8")
        except OSError as error:
            raise InputError(
                f"cannot be written ({error.strerror}).", where=self.path, hint="Choose another folder with --out."
            ) from None
        if not locked(self._lock):
            raise InputError("another process runs in it.", where=self.path, hint="Wait for it, or stop it.")
        for folder in (self.path, self.jobs, self.arrays):
            for unfinished in folder.glob(".*.part"):  # of a run that was killed
                unfinished.unlink(missing_ok=True)
        (self.path / MANIFEST).unlink(missing_ok=True)  # it is of what was there before
        self.write(spec_name, spec_text)

    def close(self) -> None:
        """Let others run here."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def record(self, key: str) -> Record | None:
        """The finished job of this hash, or None. A damaged one is named in a warning, and is to be done again."""
        path = self.jobs / f"{key}.json"
        if not path.exists():
            return None
        try:
            return self._read(path)
        except (InputError, ValueError) as error:
            reason = str(error).removeprefix(f"{path}: ")
            warnings.warn(f"{path} is damaged and is done again: {reason}", RuntimeWarning, stacklevel=2)
            return None

    def records(self) -> Iterator[Record]:
        """All finished jobs that can be read, of whichever spec."""
        for path in sorted(self.jobs.glob("*.json")):
            try:
                yield self._read(path)
            except (InputError, ValueError):
                continue

    def models(self) -> dict[str, Model]:
        """The models of the finished jobs, by name."""
        found: dict[str, Model] = {}
        for record in self.records():
            given = record.job.get("model")
            if isinstance(given, dict) and {one: type(value) for one, value in given.items()} == _MODEL:
                found[given["name"]] = Model(**given)
        return found

    def add(self, key: str, record: Record, arrays: Arrays | None) -> None:
        """Keep a finished job; its arrays first, so that they are there once its file is."""
        if arrays is not None:
            with _space_needed():
                ensure_folder(self.arrays)
                write_arrays(self.arrays / f"{key}.safetensors", arrays)
        value = {
            "job": record.job,
            "arrays": arrays is not None,
            "measurements": [one.as_dict() for one in record.measurements],
            "skipped": record.skipped,
            "seconds": round(record.seconds, 6),
        }
        self._write(self.jobs / f"{key}.json", json.dumps(value, ensure_ascii=False, allow_nan=False), flush=False)

    def write(self, name: str, text: str) -> None:
        """A file of the folder."""
        self._write(self.path / name, text)

    def log(self, *words: str) -> None:
        """A line of run.log."""
        if self._lock is None:
            return
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")
        line = " ".join(" ".join(words).split())
        try:
            self._lock.write(f"{now} {line}\n")
            self._lock.flush()
        except OSError as error:
            raise InputError(
                f"cannot be written ({error.strerror}).", where=self.path / "run.log", hint=_FREE_SPACE
            ) from None

    def drop_cache(self) -> None:
        """States are of no use once every job is done."""
        shutil.rmtree(self.cache, ignore_errors=True)

    def _read(self, path: Path) -> Record:
        value = read_object(path, _RECORD_BYTES)
        rows, job, seconds = value.get("measurements"), value.get("job"), value.get("seconds")
        skipped = value.get("skipped")
        if (
            not _HASH.fullmatch(path.stem)
            or not isinstance(rows, list)
            or not isinstance(job, dict)
            or job.get("hash") != path.stem
            or not isinstance(seconds, int | float)
            or not isinstance(skipped, str)
        ):
            raise ValueError("it is not the record of this job")
        if value.get("arrays") and not is_arrays(self.arrays / f"{path.stem}.safetensors"):
            raise ValueError("its arrays are missing or damaged")
        if not all(isinstance(row, dict) for row in rows):
            raise ValueError("a measurement is no table")
        measurements = tuple(Measurement.from_dict(row) for row in rows)
        return Record(job, measurements, float(seconds), skipped, bool(value.get("arrays")))

    def _write(self, path: Path, text: str, *, flush: bool = True) -> None:
        with _space_needed(), replacing(path, flush=flush) as part:
            part.write_text(text, encoding="utf-8")


@contextlib.contextmanager
def _space_needed() -> Iterator[None]:
    """Says what to do where a file cannot be written."""
    try:
        yield
    except InputError as error:
        raise InputError(error.message, where=error.where, hint=_FREE_SPACE) from error


def locked(file: IO[str]) -> bool:
    """Whether this process now holds the file; the system lets go of it when the process ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # Windows
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
