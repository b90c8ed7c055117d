"""What every language model can be asked: how likely is a word in a blank?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tiltmeter.lexicon.templates import BLANK

__all__ = ["BLANK", "Filled", "LanguageModel", "Query"]

Array = NDArray[np.float64]


class Query(NamedTuple):
    """A text with one `BLANK` or more, and which of them is read; the others stay open (masked)."""

    text: str
    blank: int = 0  # counted from the left


@dataclass(frozen=True, slots=True)
class Filled:
    """log P(word in the blank): one row a query, one column a word. NaN where a word cannot be scored at all."""

    log_p: Array
    lost: Mapping[str, str]  # word, reason


@runtime_checkable
class LanguageModel(Protocol):
    """A masked or a causal language model."""

    @property
    def name(self) -> str:
        """What the user called it."""

    @property
    def fingerprint(self) -> str:
        """A hash of what it is made of: equal fingerprints give equal probabilities."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What else decides its probabilities, and over what they are normalised."""

    def prepare(self, asked: Sequence[tuple[Sequence[Query], Sequence[str]]]) -> None:
        """Told of everything that will be asked, the model computes it in full batches, each distinct text once."""

    def fill(self, queries: Sequence[Query], words: Sequence[str]) -> Filled:
        """How likely each of `words`, in the form in which it would stand there, is in the blank of each query."""
