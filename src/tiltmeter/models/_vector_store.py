"""Tiltmeter's own form: vectors that are mapped into memory and found by bisection, so that nothing is read twice.

bytes 0-7     TILTVEC and the version, 1
bytes 8-11    length of the header, little-endian, as all numbers are
from 12       the header, JSON; zeros up to byte 4096
from 4096     the matrix, row by row, in float32 or float16
then          where each word starts in the text, in the order of the words' bytes, and where the last ends (uint64)
then          the row of each word (uint32)
then          the words, UTF-8, one after another
"""

from __future__ import annotations

import hashlib
import mmap
import struct
from collections.abc import Callable, Collection, Iterator
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tiltmeter.errors import InputError
from tiltmeter.models._streams import Stream
from tiltmeter.models._subwords import Subwords
from tiltmeter.models._vector_entry import MAX_DIMENSION, MAX_WORDS, Entry, check_finite, shown
from tiltmeter.models.base import Vectors

MAGIC = b"TILTVEC\x01"
MATRIX_AT = 4096
HEADER_AT = 12
_NOT_MINE = "Make it again with `tiltmeter vectors convert`."
NUMBERS: dict[str, np.dtype[Any]] = {"float32": np.dtype("<f4"), "float16": np.dtype("<f2")}

_Count = Annotated[int, Field(ge=0, le=MAX_WORDS)]


class NGrams(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    minn: Annotated[int, Field(le=64)]
    maxn: Annotated[int, Field(ge=1, le=64)]
    bucket: Annotated[int, Field(ge=1, le=MAX_WORDS)]


class StoreHeader(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    numbers: Literal["float32", "float16"]
    dimension: Annotated[int, Field(ge=1, le=MAX_DIMENSION)]
    rows: Annotated[int, Field(ge=1, le=2 * MAX_WORDS)]
    words: Annotated[int, Field(ge=1, le=MAX_WORDS)]
    text_bytes: Annotated[int, Field(ge=0, le=1 << 40)]
    source: Annotated[str, Field(max_length=200)]  # the form that it was converted from
    subwords: NGrams | None
    subword_base: _Count  # the row of the first n-gram
    hash: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]

    @property
    def row_bytes(self) -> int:
        return self.dimension * NUMBERS[self.numbers].itemsize

    @property
    def starts_at(self) -> int:
        return aligned(MATRIX_AT + self.rows * self.row_bytes)

    @property
    def rows_at(self) -> int:
        return self.starts_at + 8 * (self.words + 1)

    @property
    def text_at(self) -> int:
        return self.rows_at + 4 * self.words


class StoreReader:
    """A converted file, opened."""

    def __init__(self, stream: Stream) -> None:
        self._path = stream.path
        if stream.compression is not None:
            raise InputError(
                "is a converted file that was compressed, and cannot be mapped.", where=self._path, hint="Unpack it."
            )
        (size,) = struct.unpack("<I", stream.peek(HEADER_AT)[8:].ljust(4, b"\0"))
        try:
            self._header = StoreHeader.model_validate_json(stream.peek(min(size + HEADER_AT, MATRIX_AT))[HEADER_AT:])
        except ValidationError as error:
            raise self._damaged(f"its header is not sound ({error.errors()[0]['msg']})") from None
        header = self._header
        if stream.size != header.text_at + header.text_bytes:
            raise self._damaged(
                f"it has {stream.size} bytes, where its header asks for {header.text_at + header.text_bytes}"
            )
        self.form = f"converted from {header.source}" + (", float16" if header.numbers == "float16" else "")
        self.dimension, self.words = header.dimension, header.words
        grams = header.subwords
        self.subwords = None if grams is None else Subwords(grams.minn, grams.maxn, grams.bucket)
        if grams is not None and header.rows < header.subword_base + grams.bucket:
            raise self._damaged("it has too few rows for its n-grams")

    @property
    def has_subwords(self) -> bool:
        return self.subwords is not None

    @property
    def fingerprint(self) -> str:
        return self._header.hash

    def entries(self, wanted: Collection[bytes], unknown: Collection[bytes] = ()) -> Iterator[Entry]:
        with self._mapped() as data:
            find = self._finder(data)
            for word in sorted(wanted):
                if (row := find(word)) is not None:
                    yield Entry(word, self._vector(data, word, row))
            for word in unknown if self.subwords else ():
                if find(word) is None and self._made_of(word, None):
                    yield Entry(word, self._vector(data, word, None), built=True)

    def rows(self) -> Iterator[Entry]:
        raise InputError("is a converted file already.", where=self._path, hint="Copy it instead.")

    @property
    def header(self) -> StoreHeader:
        return self._header

    def vocabulary(self) -> list[bytes]:
        """The words in the order of their rows; a row that is no word of its own (a word's second vector, an n-gram)
        has an empty one."""
        header = self._header
        with self._mapped() as data:
            starts = np.frombuffer(data[header.starts_at : header.rows_at], "<u8").tolist()
            words = [b""] * header.rows
            for number, row in enumerate(np.frombuffer(data[header.rows_at : header.text_at], "<u4").tolist()):
                start, end = starts[number], starts[number + 1]
                if row >= header.rows or not start <= end <= header.text_bytes:
                    raise self._damaged(f"the place of word {number} lies outside of it")
                words[row] = data[header.text_at + start : header.text_at + end]
        return words

    def in_order(self) -> Iterator[Entry]:
        """Every row as its matrix has it."""
        header = self._header
        words = self.vocabulary()
        with self._mapped() as data:
            for row, word in enumerate(words):
                at = MATRIX_AT + row * header.row_bytes
                numbers = np.frombuffer(data[at : at + header.row_bytes], NUMBERS[header.numbers])
                yield Entry(word, numbers.astype(np.float32))

    def check(self) -> None:
        """Read it all and compare with the hash in its header."""
        digest = hashlib.sha256()
        with self._mapped() as data:
            for start in range(MATRIX_AT, len(data), 1 << 20):
                digest.update(data[start : start + (1 << 20)])
        if sealed(digest, self._header) != self._header.hash:
            raise self._damaged("its content is not what its hash says")

    def _mapped(self) -> mmap.mmap:
        with self._path.open("rb") as file:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if len(data) != self._header.text_at + self._header.text_bytes:
            data.close()
            raise self._damaged("it changed while it was being opened")
        return data

    def _finder(self, data: mmap.mmap) -> Callable[[bytes], int | None]:
        header = self._header
        starts_at, rows_at, text_at = header.starts_at, header.rows_at, header.text_at
        text_bytes, words = header.text_bytes, header.words
        place, row_of = struct.Struct("<QQ").unpack_from, struct.Struct("<I").unpack_from

        def find(word: bytes) -> int | None:
            low, high = 0, words
            while low < high:
                middle = (low + high) // 2
                start, end = place(data, starts_at + 8 * middle)
                if not start <= end <= text_bytes:
                    raise self._damaged(f"the place of word {middle} lies outside of it")
                here = data[text_at + start : text_at + end]
                if here == word:
                    return int(row_of(data, rows_at + 4 * middle)[0])
                if here < word:
                    low = middle + 1
                else:
                    high = middle
            return None

        return find

    def _made_of(self, word: bytes, row: int | None) -> list[int]:
        if self.subwords is not None:
            return self.subwords.rows(word, row, self._header.subword_base)
        return [] if row is None else [row]

    def _vector(self, data: mmap.mmap, word: bytes, row: int | None) -> Vectors:
        header = self._header
        needed = self._made_of(word, row)
        total = np.zeros(header.dimension)
        for each in needed:
            if each >= header.rows:
                raise self._damaged(f"the row of {shown(word)} lies outside of it")
            at = MATRIX_AT + each * header.row_bytes
            total += np.frombuffer(data[at : at + header.row_bytes], NUMBERS[header.numbers])
        vector = (total / len(needed)).astype(np.float32)
        check_finite(vector, word, self._path)
        return vector

    def _damaged(self, what: str) -> InputError:
        return InputError(f"is damaged: {what}.", where=self._path, hint=_NOT_MINE)


def sealed(content: hashlib._Hash, header: StoreHeader) -> str:
    """The hash of a file with this content after its header: equal hashes, equal vectors, whatever they came from."""
    digest = content.copy()
    digest.update(header.model_dump_json(exclude={"hash", "source"}).encode())
    return digest.hexdigest()


def aligned(position: int) -> int:
    return -(-position // 8) * 8
