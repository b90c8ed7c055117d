"""Requests by the million, a slice of them in memory at a time.

More requests than a slice holds are first written to a temporary folder, into files by a hash of their text: so the
same text is always in the same slice, wherever it was asked for, and which slice that is follows from the text alone.
"""

from __future__ import annotations

import struct
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import chain, islice
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, NamedTuple
from zlib import crc32

from tiltmeter.errors import InputError
from tiltmeter.models.uncollected import uncollected

SLICE = 1 << 17  # requests
_BITS = 6  # of the hash, at each depth: a list is divided into 64 files, and a file that is too large again
_DEEPEST = 2


class Request(NamedTuple):
    """A position of a text."""

    ids: tuple[int, ...]
    position: int


@contextmanager
def writing_temporarily() -> Iterator[None]:
    """Inside, a temporary folder that is full or cannot be written is an error that says what to do."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"no temporary file can be written ({error.strerror or error}).",
            hint="Free some space, or name a folder with more of it in the variable TMPDIR, and run again.",
        ) from error


class Slices:
    """The slices of some requests, which may be gone through more than once."""

    def __init__(self, requests: Iterable[Request], most: int) -> None:
        self._most, self._count = most, 0
        self._folder: str | None = None
        self._finished = ExitStack()
        self._files: list[Path] = []
        rest = iter(requests)
        with uncollected():
            self._whole = list(islice(rest, most))
        self._count = len(self._whole)
        following = next(rest, None)
        if following is not None:
            with writing_temporarily(), ExitStack() as unfinished:
                self._folder = unfinished.enter_context(tempfile.TemporaryDirectory(prefix="tiltmeter-requests-"))
                self._count = self._divide(chain(self._whole, (following,), rest), Path(self._folder), 0)
                self._finished = unfinished.pop_all()
            self._whole = []

    def __len__(self) -> int:
        return self._count

    def __enter__(self) -> Slices:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._finished.close()

    def __iter__(self) -> Iterator[list[Request]]:
        if self._folder is None:
            yield self._whole
        for path in self._files:
            with uncollected():
                found = list(_read(path))
            yield found

    def _divide(self, requests: Iterable[Request], folder: Path, depth: int) -> int:
        counts: dict[Path, int] = {}
        files: dict[Path, BinaryIO] = {}
        folder.mkdir(exist_ok=True)
        with ExitStack() as stack:
            for ids, position in requests:
                body = struct.pack(f"<{len(ids)}i", *ids)
                path = folder / f"{(crc32(body) >> _BITS * depth) % (1 << _BITS):02}"  # other bits at each depth
                if path not in files:
                    files[path] = stack.enter_context(path.open("wb"))
                files[path].write(struct.pack("<ii", len(ids), position) + body)
                counts[path] = counts.get(path, 0) + 1
        for path, count in sorted(counts.items()):
            # What is still too large after three times is one text, asked for again and again.
            if count > self._most and depth < _DEEPEST:
                self._divide(_read(path), path.with_suffix(".parts"), depth + 1)
                path.unlink()
            else:
                self._files.append(path)
        return sum(counts.values())


def _read(path: Path) -> Iterator[Request]:
    with path.open("rb") as file:
        while head := file.read(8):
            length, position = struct.unpack("<ii", head)
            yield Request(struct.unpack(f"<{length}i", file.read(4 * length)), position)
