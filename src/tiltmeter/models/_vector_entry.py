"""What the readers of vector files share: what they give, the bounds they keep, and how they complain."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from tiltmeter.errors import InputError
from tiltmeter.models.base import Vectors

# No published embedding comes near these; a file that goes beyond them is damaged or hostile.
MAX_DIMENSION = 65_536
MAX_WORDS = 100_000_000
MAX_WORD = 65_536
CUT_SHORT = "The file was cut short: fetch it again, or write it again."


class Entry(NamedTuple):
    """A word, in the bytes that the file has for it, and its vector."""

    word: bytes
    vector: Vectors
    built: bool = False  # from sub-words, since the vocabulary does not have it


class Reader(Protocol):
    """One form of vector file, opened, its header read and found sound."""

    @property
    def form(self) -> str:
        """What such files are called."""

    @property
    def dimension(self) -> int:
        """How long each vector is."""

    @property
    def words(self) -> int | None:
        """How many words the file holds; None until that is known."""

    @property
    def has_subwords(self) -> bool:
        """Whether it can build a vector for a word that it does not hold."""

    def entries(self, wanted: Collection[bytes], unknown: Collection[bytes] = ()) -> Iterator[Entry]:
        """The wanted words that it holds, as they come; then those of `unknown` that can be built from sub-words."""

    def rows(self) -> Iterator[Entry]:
        """Every row of its matrix, first to last; a row that is no word has an empty one."""


def check_shape(words: int, dimension: int, path: Path, *, line: int | None = None) -> None:
    """Refuse counts that no file of vectors has."""
    if not 1 <= dimension <= MAX_DIMENSION:
        raise InputError(
            f"its header says that vectors have {dimension} numbers (1 to {MAX_DIMENSION} are read).",
            where=path,
            line=line,
            hint="The file is damaged, or is no vector file.",
        )
    if not 1 <= words <= MAX_WORDS:
        raise InputError(
            f"its header says that it holds {words} words (1 to {MAX_WORDS} are read).",
            where=path,
            line=line,
            hint="The file is damaged, or is no vector file.",
        )


def check_finite(vector: Vectors, word: bytes, path: Path, *, line: int | None = None) -> None:
    if not np.isfinite(vector).all():
        raise InputError(
            f"the vector of {shown(word)} holds a number that is not finite (NaN or infinite).",
            where=path,
            line=line,
            hint="Take the word out of the file, or make the embedding again.",
        )


def shown(word: bytes) -> str:
    """A word for a message: some files hold words that are not UTF-8."""
    text = word.decode("utf-8", errors="replace")
    return repr(text if len(text) <= 60 else text[:60] + "…")
