"""A run folder that is kept in an object store too, so that a run goes on wherever it is started again.

What is finished is copied there as it is finished; at the start, what is there and not here is fetched. States of
language models go the same way: whole files under names that say what they hold, so that copying is all there is to do.
Any place that fsspec knows will do: s3://bucket/run, gs://..., file:///mnt/shared/run.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import weakref
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tiltmeter.errors import InputError
from tiltmeter.files import replacing
from tiltmeter.runs.arrays import Arrays
from tiltmeter.runs.store import Record, RunFolder

_LARGEST = 2**31
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
        self._known: set[str] = set()  # files that both have

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
            self._known.add(name)

    def send(self, folder: Path, files: Iterable[Path], *, again: bool = False) -> None:
        """Files that have not been sent or fetched; with `again` those too, as they may have changed."""
        for file in files:
            name = file.relative_to(folder).as_posix()
            if again or name not in self._known:
                path = f"{self._root}/{name}"
                self._do("written", self._system.makedirs, path.rpartition("/")[0], exist_ok=True)
                self._do("written", self._system.pipe_file, path, file.read_bytes())
                self._known.add(name)

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
        self.folder = Path(tempfile.mkdtemp(prefix="tiltmeter-states-"))
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def fetch(self) -> None:
        """What others have computed."""
        self._mirror.fetch(self.folder, _STATES)

    def send(self) -> None:
        """What was computed here."""
        self._mirror.send(self.folder, sorted(self.folder.glob("states/*/*.states")))


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
        """Let others run here, and leave the tables there too."""
        files = [one for one in sorted(self.path.iterdir()) if one.is_file() and not one.name.startswith(".")]
        super().close()
        self._mirror.send(self.path, files, again=True)

    def drop_cache(self) -> None:
        super().drop_cache()
        self._mirror.drop("cache")
