"""A run folder that is kept in an object store too, so that a run goes on wherever it is started again.

What is finished is copied there as it is finished; at the start, what is there and not here is fetched. States of
language models go the same way: whole files under names that say what they hold, so that copying is all there is to do.
Any place that fsspec knows will do: s3://bucket/run, gs://..., file:///mnt/shared/run.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
import time
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from tiltmeter.errors import InputError
from tiltmeter.files import replacing
from tiltmeter.runs.arrays import Arrays
from tiltmeter.runs.store import Record, RunFolder, locked

_LARGEST = 2**31
_PREFIX, _HELD = "tiltmeter-store-", ".held"  # of a folder of states, and the file in it that its process holds
_STALE = 3600.0  # seconds after which a folder that nobody holds is left over
# What a run keeps; nothing else is fetched, and nothing leads out of the folder.
_KEPT = re.compile(r"jobs/[0-9a-f]{64}\.json|arrays/[0-9a-f]{64}\.safetensors")
_STATES = re.compile(r"states/[0-9a-f]{32}/[0-9a-f]{32}\.states")


class Mirror:
    """The files below a URL."""

    def __init__(self, url: str) -> None:
        try:
            import fsspec
        except ImportError as error:
            raise InputError(
                f"fsspec is missing ({error}).", where=url, hint="Install it: pip install 'tiltmeter[ray]'"
            ) from None
        self.url = url.rstrip("/")
        try:
            self._system, self._root = fsspec.core.url_to_fs(self.url)
        except (ValueError, ImportError, OSError) as error:
            raise InputError(f"is no store that can be reached ({error!s:.200}).", where=url) from None
        # Files that both have, and when each was last written here: one that was damaged is written, and sent, again.
        self._known: dict[str, int] = {}

    def fetch(self, folder: Path, names: re.Pattern[str]) -> None:
        """Files that are there and not here, among those whose name is one of `names`."""
        for name, size in self._listed().items():
            if not names.fullmatch(name) or name in self._known:
                continue
            place = folder / name
            if not place.exists():
                if size > _LARGEST:
                    raise InputError(
                        f"holds {name}, of {size} bytes.", where=self.url, hint="No run writes such a file."
                    )
                place.parent.mkdir(parents=True, exist_ok=True)
                with replacing(place, flush=False) as part:
                    part.write_bytes(self._do("read", self._system.cat_file, f"{self._root}/{name}"))
            about = place.stat()
            if about.st_size == size:
                self._known[name] = about.st_mtime_ns

    def send(self, folder: Path, files: Iterable[Path]) -> None:
        """Files that have not been sent or fetched as they are now."""
        for file in files:
            name = file.relative_to(folder).as_posix()
            written = file.stat().st_mtime_ns
            if self._known.get(name) != written:
                path = f"{self._root}/{name}"
                self._do("written", self._system.makedirs, path.rpartition("/")[0], exist_ok=True)
                self._do("written", self._put, path, file.read_bytes())
                self._known[name] = written

    def _put(self, path: str, content: bytes) -> None:
        """A whole file or none, as object stores do it by themselves."""
        from fsspec.implementations.local import LocalFileSystem

        if not isinstance(self._system, LocalFileSystem):
            self._system.pipe_file(path, content)
            return
        with replacing(Path(path), flush=False) as part:
            part.write_bytes(content)

    def drop(self, name: str) -> None:
        """Delete a folder."""
        path = f"{self._root}/{name}"
        if self._do("read", self._system.exists, path):
            self._do("written", self._system.rm, path, recursive=True)

    def _listed(self) -> dict[str, int]:
        self._system.invalidate_cache()
        if not self._do("read", self._system.exists, self._root):
            return {}
        found = self._do("read", self._system.find, self._root, detail=True)
        return {path[len(self._root) :].lstrip("/"): int(about["size"] or 0) for path, about in found.items()}

    def _do(self, what: str, act: Any, *given: Any, **named: Any) -> Any:
        try:
            return act(*given, **named)
        except Exception as error:  # each kind of store has errors of its own
            raise InputError(
                f"cannot be {what} ({type(error).__name__}: {error!s:.200}).",
                where=self.url,
                hint="Run again when it can: finished jobs are kept.",
            ) from error


class MirroredStates:
    """The states of one model, in a folder of this process and in a store."""

    def __init__(self, url: str) -> None:
        self._mirror = Mirror(url)
        _sweep(Path(tempfile.gettempdir()))
        self.folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        held = (self.folder / _HELD).open("w")
        locked(held)
        self.close = weakref.finalize(self, _remove, self.folder, held)

    def fetch(self) -> None:
        """What others have computed."""
        self._mirror.fetch(self.folder, _STATES)

    def send(self) -> None:
        """What was computed here."""
        self._mirror.send(self.folder, sorted(self.folder.glob("states/*/*.states")))


def _sweep(place: Path) -> None:
    """Remove what processes that were killed have left: their folders are held no longer."""
    for folder in place.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            held = (folder / _HELD).open("r+")
            if time.time() - folder.stat().st_mtime > _STALE and locked(held):
                _remove(folder, held)
            held.close()


def _remove(folder: Path, held: IO[str]) -> None:
    held.close()
    shutil.rmtree(folder, ignore_errors=True)


class MirroredFolder(RunFolder):
    """A run folder here, and the same in a store."""

    def __init__(self, path: Path, url: str) -> None:
        super().__init__(path)
        self._mirror = Mirror(url)
        self.states_url = f"{self._mirror.url}/cache"

    def open(self, spec_name: str, spec_text: str) -> None:
        super().open(spec_name, spec_text)
        self._mirror.fetch(self.path, _KEPT)

    def add(self, key: str, record: Record, arrays: Arrays | None) -> None:
        super().add(key, record, arrays)
        kept = (self.arrays / f"{key}.safetensors",) if arrays is not None else ()
        self._mirror.send(self.path, (*kept, self.jobs / f"{key}.json"))  # the job last: then it is finished

    def close(self) -> None:
        """Let others run here, and leave the tables there too, and what was finished here and never sent."""
        places = (self.arrays, self.jobs, self.path)
        found = [one for place in places if place.is_dir() for one in sorted(place.iterdir())]
        super().close()
        self._mirror.send(self.path, [one for one in found if one.is_file() and not one.name.startswith(".")])

    def drop_cache(self) -> None:
        super().drop_cache()
        self._mirror.drop("cache")
