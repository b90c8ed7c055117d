"""An embedding as debiasing takes it: some words looked up, all rows in blocks: no file need fit in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InputError
from tiltmeter.metrics.association import Array
from tiltmeter.models._fasttext import FastTextReader
from tiltmeter.models._streams import Progress, Stream
from tiltmeter.models._vector_entry import Entry, Reader
from tiltmeter.models._vector_formats import open_reader
from tiltmeter.models._vector_store import StoreReader

BLOCK = 4096  # rows
_BUILT = 50_000  # words whose vectors are put together at once
_TINY = 1e-150  # below its square a length is lost to underflow


class Block(NamedTuple):
    """Rows that follow one another, and their words as the file has them."""

    words: Sequence[bytes]
    rows: NDArray[np.float32] | Array


class Vocabulary(Protocol):
    """Words with a vector each."""

    @property
    def name(self) -> str:
        """What the user called it."""

    @property
    def dimension(self) -> int:
        """How long each vector is."""

    def find(self, words: Collection[str]) -> dict[str, Array]:
        """The vectors of those of `words` that it has, spelled as they are; of a word that stands twice, the first."""

    def blocks(self) -> Iterator[Block]:
        """All rows, first to last."""


class ArrayVocabulary:
    """Words and a matrix in memory, which is not changed."""

    def __init__(self, words: Sequence[str], matrix: NDArray[np.floating], name: str = "arrays") -> None:
        if matrix.ndim != 2 or len(matrix) != len(words) or not matrix.size:
            raise InputError(
                f"there are {len(words)} words for a matrix of shape {matrix.shape}.",
                where=name,
                hint="Give one row for each word.",
            )
        self.name, self.words, self.matrix = name, words, matrix

    @property
    def dimension(self) -> int:
        return int(self.matrix.shape[1])

    def find(self, words: Collection[str]) -> dict[str, Array]:
        wanted = frozenset(words)
        found: dict[str, Array] = {}
        for row in [row for row, word in enumerate(self.words) if word in wanted]:
            found.setdefault(self.words[row], np.asarray(self.matrix[row], dtype=np.float64))
        return found

    def blocks(self) -> Iterator[Block]:
        for start in range(0, len(self.words), BLOCK):
            part = slice(start, start + BLOCK)
            yield Block([word.encode("utf-8", "surrogatepass") for word in self.words[part]], self.matrix[part])


class FileVocabulary:
    """A file of vectors in any form that Tiltmeter reads; it is read again for each pass."""

    def __init__(self, path: Path, name: str | None = None, progress: Progress | None = None) -> None:
        self.path, self.name, self._progress = path, name or path.name, progress
        with Stream(path) as stream:
            self.dimension = open_reader(stream).dimension

    def find(self, words: Collection[str]) -> dict[str, Array]:
        wanted = {word.encode("utf-8", "surrogatepass"): word for word in words}
        found: dict[str, Array] = {}
        with Stream(self.path, self._progress) as stream:
            for entry in open_reader(stream).entries(wanted.keys()):
                found.setdefault(wanted[entry.word], entry.vector.astype(np.float64))
        return found

    def blocks(self) -> Iterator[Block]:
        with Stream(self.path, self._progress) as stream:
            reader = open_reader(stream)
            if not reader.has_subwords:
                yield from in_blocks(rows_of(reader))
                return
            assert isinstance(reader, FastTextReader | StoreReader)
            words = [word for word in reader.vocabulary() if word]
        # The vector of a word is put together from rows that are all over the file: a pass for many words at once.
        for start in range(0, len(words), _BUILT):
            with Stream(self.path, self._progress) as stream:
                entries = {
                    one.word: one for one in open_reader(stream).entries(frozenset(words[start : start + _BUILT]))
                }
            # A word that stands twice has one vector, the first.
            yield from in_blocks(entries.pop(word) for word in words[start : start + _BUILT] if word in entries)


def rows_of(reader: Reader) -> Iterator[Entry]:
    """Every row of a file, words first to last; a converted file is read in the order of its matrix too."""
    return reader.in_order() if isinstance(reader, StoreReader) else reader.rows()


def in_blocks(entries: Iterator[Entry]) -> Iterator[Block]:
    words: list[bytes] = []
    rows: list[NDArray[np.float32]] = []
    for entry in entries:
        words.append(entry.word)
        rows.append(entry.vector)
        if len(words) == BLOCK:
            yield Block(words, np.stack(rows))
            words, rows = [], []
    if words:
        yield Block(words, np.stack(rows))


def spelled(word: str) -> tuple[str, str, str]:
    """The ways in which a vocabulary may have a word, the first that it has counts: as it is written, in lower case, in
    title case."""
    return word, word.lower(), word.title()


def resolve(found: dict[str, Array], word: str) -> Array | None:
    """The vector of a word, in the first spelling that there is."""
    return next((found[way] for way in spelled(word) if way in found), None)


def unit_rows(rows: NDArray[np.floating], words: Sequence[Any] | None = None, where: str = "") -> Array:
    """Rows of length 1, in double precision; a row of zeros stays as it is, one that is not finite is refused."""
    made = np.array(rows, dtype=np.float64)
    with np.errstate(over="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", made, made))
    odd = np.flatnonzero(~(np.isfinite(lengths) & (lengths > _TINY)))
    if odd.size:
        largest = np.abs(made[odd]).max(axis=1)
        if not np.isfinite(largest).all():
            raise _not_finite(int(odd[np.flatnonzero(~np.isfinite(largest))[0]]), words, where)
        # The square of a very large or small number leaves the range of a float.
        made[odd] /= np.where(largest == 0, 1.0, largest)[:, None]
        lengths[odd] = np.linalg.norm(made[odd], axis=1)
    made /= np.where(lengths == 0, 1.0, lengths)[:, None]
    return made


def _not_finite(row: int, words: Sequence[Any] | None, where: str) -> InputError:
    name = None if words is None else words[row]
    text = name.decode("utf-8", "replace") if isinstance(name, bytes) else name
    word = f"row {row}" if text is None else f"{text!r:.80}"
    return InputError(
        f"the vector of {word} holds a number that is not finite (NaN or infinite).",
        where=where or None,
        hint="Take the word out, or make the embedding again.",
    )
