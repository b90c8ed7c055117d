"""The four sets of an association test as a model sees them: their vectors, and the words that have none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InputError
from tiltmeter.lexicon.tests import AssociationTest, Passage, SentenceTest
from tiltmeter.measurement import Lost
from tiltmeter.models.base import Embedder


@dataclass(frozen=True, slots=True)
class Side:
    """One of the four sets."""

    name: str
    vectors: NDArray[np.float32]
    words: tuple[str, ...]  # of each vector
    lost: tuple[Lost, ...]


def sides_of(embedder: Embedder, test: AssociationTest | SentenceTest, **at_least: int) -> list[Side]:
    """X, Y, A and B, of each of which so many words must be known: x=2, y=2, a=1, b=1."""
    passages = test.passages() if isinstance(test, AssociationTest) else test
    return [_side(embedder, name.upper(), getattr(passages, name), least, test) for name, least in at_least.items()]


def _side(
    embedder: Embedder, name: str, passages: Sequence[Passage], at_least: int, test: AssociationTest | SentenceTest
) -> Side:
    embedded = embedder.embed(passages)
    words = tuple(passages[kept].word for kept in embedded.kept)
    reasons = {passages[lost].word: reason for lost, reason in embedded.lost}
    if len(set(words)) < at_least:
        named = "; ".join(f"{word!r}: {reason}" for word, reason in list(reasons.items())[:2])
        rest = f"; and {len(reasons) - 2} more" if len(reasons) > 2 else ""
        left = len(set(words))
        raise InputError(
            f"of the {len({passage.word for passage in passages})} words of {name}, {left} "
            f"{'has' if left == 1 else 'have'} a vector in {embedder.name}; {at_least} must. Lost: {named}{rest}.",
            where=f"test {test.name} ({test.language})",
        )
    lost = tuple(Lost(passages[position].text, name, reason) for position, reason in embedded.lost)
    return Side(name, embedded.vectors, words, lost)
