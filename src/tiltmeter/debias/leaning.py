"""The words that lean furthest to each class of a bias: what some methods learn from, and what all are tested with."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.debias.classify import Labels
from tiltmeter.debias.subspace import Defined
from tiltmeter.debias.vocabulary import Block, Vocabulary, unit_rows
from tiltmeter.metrics.association import Array

FREQUENT = 50_000  # files put frequent words first; among the rarest, those that lean furthest are noise


@dataclass(frozen=True, slots=True)
class Leaning:
    """Words by class, in the order of the alphabet; rows of length 1."""

    words: tuple[str, ...]
    rows: Array
    labels: Labels


def leaning(vocabulary: Vocabulary, words: Defined, directions: Array, most: int, *, among: int = FREQUENT) -> Leaning:
    """Up to `most` neutral words of each class that lie furthest to its side of the bias subspace.

    The side of a class is the mean of its defining words, within the subspace and less the mean of all classes. All
    classes get equally many words.
    """
    sides = np.stack([unit_rows(rows).mean(axis=0) for rows in words.classes]) @ directions.T
    sides -= sides.mean(axis=0)
    sides /= np.maximum(np.linalg.norm(sides, axis=1, keepdims=True), 1e-300)
    names: list[str] = []
    rows: list[NDArray[np.float32]] = []
    for block in frequent(vocabulary, among, words.kept):
        names += [word.decode() for word in block.words]
        rows.append(np.asarray(block.rows, dtype=np.float32))
    if not names:
        return Leaning((), np.empty((0, vocabulary.dimension)), np.empty(0, dtype=np.intp))
    near = np.concatenate([unit_rows(part) @ directions.T for part in rows]) @ sides.T
    order = np.sort(near, axis=1)
    margin = order[:, -1] - order[:, -2]
    side = np.argmax(near, axis=1)
    found = {number: np.flatnonzero((side == number) & (margin > 0)) for number in range(len(sides))}
    most = min(most, *(of.size for of in found.values()))
    alphabet = np.array(names)
    chosen: list[tuple[str, int, int]] = []
    for number, of in found.items():
        best = of[np.lexsort((alphabet[of], -margin[of]))][:most]
        chosen += [(names[place], number, int(place)) for place in best]
    chosen.sort()
    matrix = np.concatenate(rows)
    return Leaning(
        tuple(word for word, _, _ in chosen),
        unit_rows(matrix[[place for _, _, place in chosen]]),
        np.array([number for _, number, _ in chosen], dtype=np.intp),
    )


def frequent(vocabulary: Vocabulary, among: int, without: Collection[str] = ()) -> Iterator[Block]:
    """The first words of a vocabulary that are words (letters alone, each once) and have a direction."""
    seen: set[bytes] = set()
    left = among
    for block in vocabulary.blocks():
        part = slice(0, left)
        nonzero = np.any(block.rows[part] != 0, axis=1).tolist()
        kept = []
        for row, word in enumerate(block.words[part]):
            if nonzero[row] and word not in seen and _is_word(word, without):
                seen.add(word)
                kept.append(row)
        if kept:
            yield Block([block.words[row] for row in kept], block.rows[kept])
        left -= len(block.words)
        if left <= 0:
            return


def _is_word(word: bytes, without: Collection[str]) -> bool:
    try:
        text = word.decode()
    except UnicodeDecodeError:
        return False
    return text.isalpha() and text not in without
