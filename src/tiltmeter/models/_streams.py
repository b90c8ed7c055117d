"""The bytes of a file from first to last, decompressed in a thread while the reader parses."""

from __future__ import annotations

import bz2
import io
import lzma
import queue
import struct
import threading
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from tiltmeter.errors import InputError

BLOCK = 1 << 22
_COMPRESSED_BLOCK = 1 << 18
_WAITING_BLOCKS = 2
# A hostile xz header can ask for a dictionary of 4 GiB; `xz -9` needs 65 MiB.
_LZMA_MEMORY = 1 << 30
# What the decompressors of the standard library raise on damaged data; zipfile is the least choosy.
_DAMAGED = (
    *(EOFError, OSError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError),
    *(ValueError, IndexError, struct.error),
)

Progress = Callable[[int, int], None]  # bytes done, bytes in all


class Stream:
    """A file to be read once, from its beginning."""

    def __init__(self, path: Path, progress: Progress | None = None) -> None:
        if path.is_dir():
            raise InputError("this is a folder.", where=path, hint="Name the vector file in it.")
        try:
            self._file = _CountedFile(path)
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}.", where=path) from error
        self.path = path
        self.size = path.stat().st_size
        self.position = 0  # in the decompressed bytes
        self._progress = progress
        self._told = 0
        self._buffer = b""
        self._at = 0
        self._blocks: _Blocks | None = None
        try:
            self.compression, source = _decompressor(self._file, path)
        except BaseException:
            self._file.close()
            raise
        if source is not None:
            self._blocks = _Blocks(source, path)

    @property
    def length(self) -> int | None:
        """How many bytes there are, where that can be known without reading them."""
        return self.size if self._blocks is None else None

    def peek(self, count: int) -> bytes:
        """The next `count` bytes, fewer at the end, without passing them."""
        pieces = [self._buffer[self._at :]]
        size = len(pieces[0])
        while size < count and (block := self._more(count - size)):
            pieces.append(block)
            size += len(block)
        self._buffer, self._at = b"".join(pieces), 0
        return self._buffer[:count]

    def some(self, count: int = BLOCK) -> bytes:
        """The next bytes, at most `count`; none at the end."""
        if self._at == len(self._buffer):
            self._buffer, self._at = self._more(count), 0
        piece = self._buffer[self._at : self._at + count]
        self._at += len(piece)
        self.position += len(piece)
        self._tell()
        return piece

    def read(self, count: int) -> bytes:
        """The next `count` bytes, fewer at the end."""
        piece = self.some(count)
        if len(piece) == count or not piece:
            return piece
        pieces = [piece]
        missing = count - len(piece)
        while missing and (piece := self.some(missing)):
            pieces.append(piece)
            missing -= len(piece)
        return b"".join(pieces)

    def skip(self, count: int) -> None:
        """Pass over `count` bytes; what is not compressed is not even read."""
        here = min(count, len(self._buffer) - self._at)
        self._at += here
        self.position += here
        count -= here
        if self._blocks is None:
            self._file.seek(count, io.SEEK_CUR)
            self.position += count
            return
        while count and (piece := self.some(min(count, BLOCK))):
            count -= len(piece)

    def unread(self, count: int) -> None:
        """Step back by `count` bytes, which must come from the last block that was given."""
        if count > self._at:
            raise ValueError(f"only {self._at} bytes can be given back, not {count}")
        self._at -= count
        self.position -= count

    def close(self) -> None:
        if self._blocks is not None:
            self._blocks.close()
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _more(self, count: int) -> bytes:
        if self._blocks is not None:
            return self._blocks.next()
        try:
            return self._file.read(count) or b""
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror or error}.", where=self.path) from error

    def _tell(self) -> None:
        if self._progress is None:
            return
        done = min(self.position if self._blocks is None else self._file.done, self.size)
        if done - self._told >= BLOCK or (done == self.size and self._told < done):
            self._told = done
            self._progress(done, self.size)


class _CountedFile(io.FileIO):
    """A file that knows how many of its bytes have been read."""

    done = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(-1 if size is None else size) or b""
        self.done += len(data)
        return data


class _Blocks:
    """A thread that decompresses ahead of the reader."""

    def __init__(self, source: Iterator[bytes], path: Path) -> None:
        self._source = source
        self._path = path
        self._queue: queue.Queue[bytes | Exception] = queue.Queue(maxsize=_WAITING_BLOCKS)
        self._ended = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="tiltmeter-decompress", daemon=True)
        self._thread.start()

    def next(self) -> bytes:
        if self._ended:
            return b""
        item = self._queue.get()
        self._ended = not item or isinstance(item, Exception)
        if isinstance(item, _DAMAGED):
            raise InputError(
                f"cannot be decompressed: {item or type(item).__name__}.",
                where=self._path,
                hint="The file is damaged or was cut short: fetch it again.",
            ) from item
        if isinstance(item, Exception):
            raise item
        return item

    def close(self) -> None:
        self._stop.set()
        while self._thread.is_alive():
            try:
                self._queue.get(timeout=0.01)
            except queue.Empty:
                self._thread.join(timeout=0.01)

    def _run(self) -> None:
        try:
            for block in self._source:
                self._queue.put(block)
                if self._stop.is_set():
                    return
            self._queue.put(b"")
        except Exception as error:
            self._queue.put(error)


def _decompressor(file: _CountedFile, path: Path) -> tuple[str | None, Iterator[bytes] | None]:
    """What the first bytes say, whatever the name says."""
    head = file.read(6)
    file.seek(0)
    file.done = 0
    if head.startswith(b"\x1f\x8b"):
        return "gzip", _gzip(file)
    if head.startswith(b"\xfd7zXZ\x00"):
        return "xz", _unpack(file, lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_LZMA_MEMORY))
    if head.startswith(b"BZh"):
        return "bzip2", _unpack(file, bz2.BZ2Decompressor)
    if head.startswith(b"PK\x03\x04"):
        return "zip", _zip(file, path)
    return None, None


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = ...) -> bytes: ...


def _unpack(file: _CountedFile, new: Callable[[], _Decompressor]) -> Iterator[bytes]:
    """One compressed stream after another, in bounded blocks."""
    rest = b""
    while rest or (rest := file.read(_COMPRESSED_BLOCK)):
        if not rest.strip(b"\x00"):  # the padding that xz allows between streams
            rest = b""
            continue
        decompressor = new()
        data, rest = rest.lstrip(b"\x00"), b""
        while not decompressor.eof:
            if block := decompressor.decompress(data, BLOCK):
                yield block
            data = b""
            if decompressor.needs_input and not decompressor.eof and not (data := file.read(_COMPRESSED_BLOCK)):
                raise EOFError("it ends in the middle")
        rest = decompressor.unused_data


def _gzip(file: _CountedFile) -> Iterator[bytes]:
    rest = b""
    while rest or (rest := file.read(_COMPRESSED_BLOCK)):
        if not rest.strip(b"\x00"):
            rest = b""
            continue
        decompressor = zlib.decompressobj(wbits=31)
        data = rest
        while not decompressor.eof:
            if block := decompressor.decompress(data, BLOCK):
                yield block
            data = decompressor.unconsumed_tail
            if data or decompressor.eof or len(block) == BLOCK:  # a full block may leave more waiting in zlib
                continue
            if not (data := file.read(_COMPRESSED_BLOCK)):
                raise EOFError("it ends in the middle")
        rest = decompressor.unused_data


def _zip(file: _CountedFile, path: Path) -> Iterator[bytes]:
    try:
        archive = zipfile.ZipFile(file)
        members = [each for each in archive.infolist() if not each.is_dir() and "__MACOSX" not in each.filename]
    except _DAMAGED as error:
        raise InputError(
            f"is a damaged zip archive: {error}.", where=path, hint="Fetch the file again, whole."
        ) from error
    file.done = 0
    names = [member.filename for member in members]
    if any(name.endswith(("data.pkl", "/version")) for name in names):
        raise InputError(
            "is a PyTorch file, which holds pickled objects; Tiltmeter unpickles nothing.",
            where=path,
            hint="Save the matrix with safetensors.numpy.save_file, and its words, one a line, in words.txt beside it.",
        )
    if len(members) != 1:
        shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        raise InputError(
            f"is a zip archive of {len(members)} files{': ' if names else ''}{shown}.",
            where=path,
            hint="Unpack it and name the one that holds the vectors.",
        )
    return _zip_member(archive, members[0])


def _zip_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    with archive, archive.open(member) as inside:
        while block := inside.read(BLOCK):
            yield block
