"""What every model that turns words or sentences into vectors has in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tiltmeter.lexicon.tests import Passage

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vectors of those passages that a model can represent, and why the others are lost."""

    kept: tuple[int, ...]  # positions in the passages that were given
    vectors: Vectors  # one row for each of `kept`
    lost: tuple[tuple[int, str], ...]  # position, reason


@runtime_checkable
class Embedder(Protocol):
    """A static embedding, a sentence encoder, or anything else that gives a passage a vector."""

    @property
    def name(self) -> str:
        """What the user called it."""

    @property
    def fingerprint(self) -> str:
        """A hash of what it is made of: equal fingerprints give equal vectors."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What else decides its vectors: lookup policy, pooling, layer, precision."""

    def prepare(self, passages: Sequence[Passage]) -> None:
        """Told of everything that will be asked for, a model may read its file once, or fill a batch."""

    def embed(self, passages: Sequence[Passage]) -> Embedded:
        """The vectors of `passages`."""
