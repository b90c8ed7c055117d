"""What a fitted method does to vectors, block by block: the same for arrays in memory and for files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.debias.vocabulary import unit_rows
from tiltmeter.errors import InputError
from tiltmeter.measurement import Lost
from tiltmeter.metrics.association import Array

# What is left of a vector of length 1 when it lay in the subspace: less than this is rounding, and has no direction.
NOTHING = 1e-6
_ROWS = 1024  # few enough to stay in the processor's cache
_LEAST = 1e-30  # squares of lengths within the range of a 32-bit float


@dataclass(frozen=True, kw_only=True)
class Debiaser:
    """A fitted method. `transform` gives new vectors; what it was given is not changed.

    Rows are brought to length 1 where `unit` is set (as the sources of these methods do), moved by `centre` and rid of
    `first`; then neutral words are multiplied by `matrix` and rid of `directions`, and brought to length 1 again.
    Words of `kept` take no part in the latter, and those of `replaced` get the vector that stands there.
    """

    method: str
    bias: str
    directions: Array  # orthonormal rows
    unit: bool
    matrix: Array | None = None
    centre: Array | None = None
    first: Array | None = None
    kept: frozenset[bytes] = frozenset()
    replaced: Mapping[bytes, Array] = field(default_factory=dict)
    lost: tuple[Lost, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def linear(self) -> bool:
        """Whether it is one linear map of all words, so that it may be applied to parts of words too."""
        return not (self.unit or self.kept or self.replaced or self.centre is not None)

    def before(self, rows: NDArray[np.floating], words: Sequence[Any] | None = None) -> Array:
        """What is done to every word, neutral or not."""
        made = unit_rows(rows, words) if self.unit else _finite(rows, words)
        if self.centre is not None:
            made -= self.centre
        if self.first is not None:
            made -= (made @ self.first.T) @ self.first
        return _shortened(made) if self.centre is not None or self.first is not None else made

    def neutral(self, before: Array) -> Array:
        """What is done to neutral words after that."""
        made = before @ self.matrix.T if self.matrix is not None else before.copy()
        if len(self.directions):
            made -= (made @ self.directions.T) @ self.directions
        return _shortened(made) if self.unit else made

    def transform(self, words: Sequence[str], matrix: NDArray[np.floating]) -> NDArray[np.float32]:
        """New vectors for the words, a row each; memory for them and for one block is all that it takes."""
        if matrix.ndim != 2 or len(words) != len(matrix) or matrix.shape[1] != self.dimension:
            raise InputError(
                f"a matrix of shape {matrix.shape} for {len(words)} words cannot be debiased by what was fitted to "
                f"vectors of {self.dimension} numbers.",
                hint="Give the embedding that it was fitted to, a row for each word.",
            )
        made = np.empty(matrix.shape, dtype=np.float32)
        own = {word.decode("utf-8", "surrogatepass"): row for word, row in self._own.items()}
        for start in range(0, len(words), _ROWS):
            part = slice(start, start + _ROWS)
            self._block(words[part], matrix[part], own, made[part])
        return made

    def block(self, words: Sequence[bytes], rows: NDArray[np.floating]) -> NDArray[np.float32]:
        """New vectors for some rows."""
        made = np.empty(rows.shape, dtype=np.float32)
        self._block(words, rows, self._own, made)
        return made

    @cached_property
    def _own(self) -> dict[bytes, Array | None]:
        """The words that are not neutral, with the vector that stands for them; None where they are kept."""
        return {**dict.fromkeys(self.kept), **self.replaced}

    def _block(
        self,
        words: Sequence[Any],
        rows: NDArray[np.floating],
        own: Mapping[Any, Array | None],
        made: NDArray[np.float32],
    ) -> None:
        if (
            self.unit
            and self.matrix is None
            and self.centre is None
            and self.first is None
            and rows.dtype == np.float32
        ):
            self._quickly(words, rows, made)
        else:
            made[:] = self.neutral(self.before(rows, words))
        here = [row for row, word in enumerate(words) if word in own]
        for row, kept in zip(here, self.before(rows[here]) if here else (), strict=True):
            made[row] = kept if (new := own[words[row]]) is None else new

    def _quickly(self, words: Sequence[Any], rows: NDArray[np.floating], made: NDArray[np.float32]) -> None:
        """x' = (x - V ᵀV x) / √(‖x‖² - ‖V x‖²), in single precision wherever the difference keeps its digits."""
        V = self.directions.astype(np.float32)
        along = rows @ V.T
        with np.errstate(over="ignore", invalid="ignore"):
            squares = np.einsum("ij,ij->i", rows, rows)
            rest = squares - np.einsum("ij,ij->i", along, along)
            sound = (squares > _LEAST) & (squares < 1 / _LEAST) & (rest > squares / 2)
            scale = 1 / np.sqrt(np.where(sound, rest, 1))[:, None]
            np.multiply(rows, scale, out=made)
            along *= scale
            made -= along @ V
        if not sound.all():
            others = np.flatnonzero(~sound)
            made[others] = self.neutral(self.before(rows[others], [words[row] for row in others.tolist()]))

    @property
    def dimension(self) -> int:
        return int(self.directions.shape[1])


def _finite(rows: NDArray[np.floating], words: Sequence[Any] | None) -> Array:
    made = np.array(rows, dtype=np.float64)
    if not np.isfinite(made.sum()) and not np.isfinite(made).all():
        unit_rows(made, words)  # names the word
    return made


def _shortened(rows: Array) -> Array:
    """Rows of length 1; those of which no more than rounding is left become zeros, which every metric knows as lost."""
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    gone = lengths <= NOTHING
    rows /= np.where(gone, 1.0, lengths)[:, None]
    rows[gone] = 0.0
    return rows
