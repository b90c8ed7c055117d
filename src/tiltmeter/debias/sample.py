"""The frequent words of an embedding before and after: what the tests of recoverability and of usefulness look at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tiltmeter.bayes.embedding import alone
from tiltmeter.debias.leaning import frequent
from tiltmeter.debias.transform import Debiaser
from tiltmeter.debias.vocabulary import Vocabulary, spelled, unit_rows
from tiltmeter.metrics.association import Array
from tiltmeter.models.base import Embedder

AMONG = 20_000

Rows = NDArray[np.float32]


@dataclass(frozen=True)
class Sample:
    """Words, and their vectors of length 1 before and after; words that either lacks are left out."""

    words: tuple[str, ...]
    before: Rows
    after: Rows

    @cached_property
    def row(self) -> dict[str, int]:
        """Where a word stands; the first of those that differ in capitals alone also answers to lower case."""
        found = {word: row for row, word in reversed(list(enumerate(self.words)))}
        for row, word in reversed(list(enumerate(self.words))):
            found.setdefault(word.lower(), row)
        return found

    def rows_of(self, words: Sequence[str]) -> NDArray[np.intp]:
        return np.array([self.row[word] for word in words if word in self.row], dtype=np.intp)


def sample_of_file(vocabulary: Vocabulary, debiaser: Debiaser, asked: Sequence[str] = (), among: int = AMONG) -> Sample:
    """The first words of a file, in most the frequent ones, and those that are asked for, wherever they stand."""
    names: list[str] = []
    before: list[Rows] = []
    after: list[Rows] = []

    def add(words: Sequence[bytes], rows: NDArray[np.floating]) -> None:
        names.extend(word.decode() for word in words)
        before.append(unit_rows(rows).astype(np.float32))
        after.append(unit_rows(debiaser.block(words, rows)).astype(np.float32))

    for block in frequent(vocabulary, among):
        add(block.words, block.rows)
    here = set(names)
    found = vocabulary.find({way for word in asked for way in spelled(word)} - here)
    ways = (next((way for way in spelled(word) if way in here or way in found), None) for word in asked)
    if more := [way for way in dict.fromkeys(ways) if way in found]:
        add([word.encode() for word in more], np.stack([found[word] for word in more]).astype(np.float32))
    empty = np.empty((0, vocabulary.dimension), dtype=np.float32)
    return _whole(names, np.concatenate(before or [empty]), np.concatenate(after or [empty]))


def sample_of_models(before: Embedder, after: Embedder, words: Sequence[str]) -> Sample:
    """The words of a list that both models can represent."""
    passages = [alone(word) for word in dict.fromkeys(words)]
    sides = [model.embed(passages) for model in (before, after)]
    kept = sorted(set(sides[0].kept) & set(sides[1].kept))
    rows = [
        np.asarray(unit_rows(side.vectors[[side.kept.index(place) for place in kept]]), dtype=np.float32)
        for side in sides
    ]
    return _whole([passages[place].text for place in kept], *rows)


def _whole(names: Sequence[str], before: Rows, after: Rows) -> Sample:
    kept = np.flatnonzero(before.any(axis=1) & after.any(axis=1))
    return Sample(tuple(names[row] for row in kept.tolist()), before[kept], after[kept])


def wide(rows: Rows) -> Array:
    return np.asarray(rows, dtype=np.float64)
