"""A debiased copy of a file of vectors, in the form that came in. The original is only read.

The copy is written beside its place and moved there when it is whole: a run that is interrupted leaves no part of one.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from tiltmeter.debias.originals import files_of, protect
from tiltmeter.debias.transform import Debiaser
from tiltmeter.debias.vocabulary import BLOCK, in_blocks, rows_of
from tiltmeter.errors import InputError
from tiltmeter.files import replacing
from tiltmeter.models._fasttext import FastTextReader
from tiltmeter.models._streams import Progress, Stream
from tiltmeter.models._vector_arrays import MatrixReader
from tiltmeter.models._vector_binary import BinaryReader
from tiltmeter.models._vector_convert import write_store
from tiltmeter.models._vector_entry import CUT_SHORT, Entry, Reader
from tiltmeter.models._vector_formats import open_reader
from tiltmeter.models._vector_store import StoreReader
from tiltmeter.models._vector_text import TextReader
from tiltmeter.models._word_list import find_word_list

_BFLOAT16 = np.dtype("<u2")  # which numpy does not have
_DIGITS = 7  # significant: those of a 32-bit float
_COPIED = 1 << 20


def rewrite(source: Path, out: Path, debiaser: Debiaser, progress: Progress | None = None) -> None:
    """Write `source`, debiased, to `out`: the same words in the same order, form, number type and compression."""
    if out.is_dir():
        raise InputError("is a folder.", where=out, hint="Name the file to write.")
    protect(written(source, out), files_of(source))
    with Stream(source, progress) as stream:
        reader = open_reader(stream)
        if not debiaser.linear:
            refuse_parts(reader, source)
        if reader.dimension != debiaser.dimension:
            raise InputError(
                f"has vectors of {reader.dimension} numbers; what was fitted takes {debiaser.dimension}.", where=source
            )
        out.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(reader, MatrixReader):
            _copy_word_list(reader.word_list, out)
        if isinstance(reader, StoreReader):
            write_store(_Debiased(reader, debiaser), out, half=reader.header.numbers == "float16")
            return
        with replacing(out) as part, _compressed(part, stream.compression, source) as file:
            if isinstance(reader, TextReader):
                _write_text(reader, debiaser, file)
            elif isinstance(reader, BinaryReader):
                _write_binary(reader, debiaser, file)
            elif isinstance(reader, MatrixReader):
                _write_matrix(source, reader, debiaser, file)
            else:
                assert isinstance(reader, FastTextReader)
                _write_fasttext(stream, reader, debiaser, file)


def refuse_parts(reader: Reader, source: Path) -> None:
    """A method that is no single linear map of all words cannot be applied to what words are built from."""
    if reader.has_subwords:
        raise InputError(
            "builds words from n-grams: a word is the mean of several rows, and this method does not treat all words "
            "alike.",
            where=source,
            hint="Take --method projection or inlp; or write its words as text (fastText's .vec), and debias that.",
        )


class _Debiased:
    """A converted file whose vectors are debiased as they are read."""

    def __init__(self, reader: StoreReader, debiaser: Debiaser) -> None:
        self._reader, self._debiaser = reader, debiaser
        self.form, self.dimension, self.subwords = reader.header.source, reader.dimension, reader.subwords
        self.has_subwords = reader.has_subwords
        self.words = reader.header.subword_base if self.has_subwords else reader.words  # rows before the n-grams

    def rows(self) -> Iterator[Entry]:
        for words, rows in _debiased(self._reader, self._debiaser):
            yield from map(Entry, words, rows)

    def entries(self, wanted: Any, unknown: Any = ()) -> Iterator[Entry]:
        raise NotImplementedError


def _debiased(reader: Reader, debiaser: Debiaser) -> Iterator[tuple[Any, Any]]:
    for block in in_blocks(rows_of(reader)):
        yield block.words, debiaser.block(block.words, block.rows)


def _write_text(reader: TextReader, debiaser: Debiaser, file: IO[bytes]) -> None:
    if reader.words is not None:
        file.write(b"%d %d\n" % (reader.words, reader.dimension))
    line = " ".join([f"%.{_DIGITS}g"] * reader.dimension)
    for words, rows in _debiased(reader, debiaser):
        file.write(
            b"".join(
                b"%b %b\n" % (word, (line % tuple(row)).encode())
                for word, row in zip(words, rows.tolist(), strict=True)
            )
        )


def _write_binary(reader: BinaryReader, debiaser: Debiaser, file: IO[bytes]) -> None:
    file.write(b"%d %d\n" % (reader.words, reader.dimension))
    for words, rows in _debiased(reader, debiaser):
        numbers = rows.astype("<f4")
        file.write(b"".join(b"%b %b\n" % (word, row.tobytes()) for word, row in zip(words, numbers, strict=True)))


def _write_matrix(source: Path, reader: MatrixReader, debiaser: Debiaser, file: IO[bytes]) -> None:
    """What stands before the matrix and after it is copied as it is."""
    with Stream(source) as whole:
        file.write(whole.read(reader.start))
        for _, rows in _debiased(reader, debiaser):
            if reader.kind == _BFLOAT16:  # bfloat16: the upper half of a float32, rounded to even
                bits = rows.astype("<f4").view("<u4")
                file.write(((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype("<u2").tobytes())
            else:
                file.write(rows.astype(reader.kind).tobytes())
        assert reader.words is not None
        whole.skip(reader.words * reader.dimension * reader.kind.itemsize)
        while piece := whole.some(_COPIED):
            file.write(piece)


def _write_fasttext(stream: Stream, reader: FastTextReader, debiaser: Debiaser, file: IO[bytes]) -> None:
    """The rows of words and n-grams are debiased; what stands before them and after them is copied as it is."""
    words = list(reader.vocabulary())
    rows = reader.matrix()
    with Stream(stream.path) as whole:
        left = stream.position
        while left:
            piece = whole.some(min(left, _COPIED))
            file.write(piece)
            left -= len(piece)
    left = rows if reader.has_subwords else reader.words
    words += [b""] * (left - len(words))
    for start in range(0, left, BLOCK):
        part = words[start : start + BLOCK]
        data = stream.read(4 * reader.dimension * len(part))
        if len(data) < 4 * reader.dimension * len(part):
            raise InputError("ends in the middle of its matrix.", where=stream.path, hint=CUT_SHORT)
        block = np.frombuffer(data, "<f4").reshape(len(part), reader.dimension)
        file.write(debiaser.block(part, block).astype("<f4").tobytes())
    while piece := stream.some(_COPIED):
        file.write(piece)


def written(source: Path, out: Path) -> list[Path]:
    """The files that `rewrite` writes: the copy, and beside a bare matrix the list of its words."""
    return [out, *(_copy_of(words, out) for words in files_of(source)[1:])]


def _copy_word_list(words: Path, out: Path) -> None:
    copy = _copy_of(words, out)
    with replacing(copy) as part:
        shutil.copyfile(words, part)
    if (found := find_word_list(out)) != copy:
        raise InputError(
            f"would be taken for the word list of {out.name}.", where=found, hint="Take it away, or write elsewhere."
        )


def _copy_of(words: Path, out: Path) -> Path:
    """The words of a matrix, beside the copy under its name, in the form of their own file."""
    compression = words.suffix if words.suffix in (".gz", ".xz", ".bz2", ".zip") else ""
    return out.with_name(out.name + (".words.json" if ".json" in words.suffixes else ".words.txt") + compression)


def number_type(path: Path) -> str:
    """The type of the numbers in a file of vectors; text is read as float32."""
    with Stream(path) as stream:
        reader = open_reader(stream)
        if isinstance(reader, MatrixReader):
            return "bfloat16" if reader.kind == _BFLOAT16 else reader.kind.name
        return reader.header.numbers if isinstance(reader, StoreReader) else "float32"


@contextmanager
def _compressed(part: Path, compression: str | None, source: Path) -> Iterator[IO[bytes]]:
    """The file to write to, compressed as the original is; the same vectors give the same bytes."""
    with part.open("wb") as raw:
        if compression is None:
            yield raw
        elif compression == "gzip":
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=6, mtime=0) as packed:
                yield cast("IO[bytes]", packed)
        elif compression == "xz":
            with lzma.open(raw, "wb", preset=3) as packed_xz:
                yield cast("IO[bytes]", packed_xz)
        elif compression == "bzip2":
            with bz2.open(raw, "wb") as packed_bz:
                yield cast("IO[bytes]", packed_bz)
        else:
            with (
                zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive,
                archive.open(zipfile.ZipInfo(f"{source.stem}.txt"), "w", force_zip64=True) as member,
            ):
                yield member
