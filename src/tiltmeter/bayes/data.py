"""Cosine distances between protected words and attributes, and the few numbers of each cell that the model needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InputError
from tiltmeter.measurement import Lost

Array = NDArray[np.float64]

# How an attribute stands to a protected word: a stereotype of its own group, of another group, or a control word.
CONNECTIONS = ("associated", "different", "human", "neutral")
CONTROLS = ("human", "neutral")
# Distances closer than this, relative to their size, are equal: rounding in the file or the vectors.
_EQUAL = 1e-7


@dataclass(frozen=True, slots=True, kw_only=True)
class Distances:
    """One data set: the distance of every protected word to every attribute, one row a pair."""

    name: str  # of the test, or of the file
    model: str
    words: tuple[str, ...]  # the protected words
    word: NDArray[np.intp]  # of each row, a position in `words`
    connection: NDArray[np.intp]  # of each row, a position in CONNECTIONS
    attributes: tuple[str, ...]  # of each row
    sets: tuple[str, ...]  # of each row: the attribute set that its attribute is in
    distance: Array
    language: str = "en"
    lost: tuple[Lost, ...] = ()
    remarks: tuple[str, ...] = ()  # what a reader of the results must know of the data
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return self.name if self.model.startswith(self.name) else f"{self.name}, {self.model}"

    @property
    def present(self) -> tuple[str, ...]:
        """The connections that have a distance."""
        return tuple(CONNECTIONS[code] for code in np.unique(self.connection))

    def of(self, connection: str) -> Array:
        """The distances of one connection."""
        return np.asarray(self.distance[self.connection == CONNECTIONS.index(connection)], dtype=np.float64)

    def counts(self) -> dict[str, int]:
        """Protected words, and rows by connection."""
        rows = np.bincount(self.connection, minlength=len(CONNECTIONS))
        return {"protected": len(self.words), **dict(zip(CONNECTIONS, rows.tolist(), strict=True))}


@dataclass(frozen=True, slots=True)
class Cells:
    """Count, mean and sum of squared deviations by protected word (row) and connection (column).

    They are sufficient: the normal likelihood of a cell's distances y depends on nothing else, as
    Σ (y - µ)² = Σ (y - ȳ)² + n (ȳ - µ)².
    """

    count: Array
    mean: Array  # 0 where the count is 0
    deviations: Array

    def __post_init__(self) -> None:
        for table in (self.count, self.mean, self.deviations):
            if table.shape != self.count.shape or table.shape[1:] != (len(CONNECTIONS),):
                raise ValueError(f"cells are words × {len(CONNECTIONS)} connections, not {table.shape}")


def cells(distances: Distances) -> Cells:
    """The sufficient statistics of a data set."""
    shape = (len(distances.words), len(CONNECTIONS))
    where = np.ravel_multi_index((distances.word, distances.connection), shape)
    size = shape[0] * shape[1]
    count = np.bincount(where, minlength=size).astype(np.float64)
    mean = np.bincount(where, weights=distances.distance, minlength=size) / np.maximum(count, 1)
    deviations = np.bincount(where, weights=(distances.distance - mean[where]) ** 2, minlength=size)
    tables = (np.asarray(each, dtype=np.float64).reshape(shape) for each in (count, mean, deviations))
    return Cells(*tables)


def mean_average_cosine(distances: Distances) -> float:
    """MAC over the stereotypes, associated or not: each set of each word weighs the same (Manzini et al. 2019).

    Where the rows name no attribute sets, their connections stand in for them.
    """
    rows = [index for index, code in enumerate(distances.connection) if CONNECTIONS[code] not in CONTROLS]
    names = [distances.sets[index] or CONNECTIONS[distances.connection[index]] for index in rows]
    cell, of = np.unique(
        np.array([f"{distances.word[index]} {name}" for index, name in zip(rows, names, strict=True)]),
        return_inverse=True,
    )
    sums = np.bincount(of, weights=distances.distance[rows], minlength=cell.size)
    return float(np.mean(sums / np.bincount(of, minlength=cell.size)))


def check(distances: Distances) -> None:
    """Refuse what no posterior can be computed from, and say what to do."""

    def wrong(message: str, hint: str) -> InputError:
        return InputError(message, where=distances.title, hint=hint)

    if not distances.distance.size:
        raise wrong("there are no distances.", "Were all its words lost? Give words that the model knows.")
    for row in np.flatnonzero(~np.isfinite(distances.distance)):
        raise wrong(
            f"the distance of {distances.words[distances.word[row]]!r} to {distances.attributes[row]!r} is "
            f"{distances.distance[row]}.",
            "Take the pair out, or give it a number.",
        )
    if "associated" not in distances.present:
        raise wrong(
            "no distance is to an attribute that a stereotype associates with the protected word.",
            "Give rows of the connection 'associated'; there is nothing to compare without them.",
        )
    if len(distances.present) < 2:
        raise wrong(
            "all distances are of the connection 'associated'.",
            "Give rows of the connection 'different', 'human' or 'neutral' to compare them with.",
        )
    statistics = cells(distances)
    for code, name in enumerate(CONNECTIONS):
        values = distances.of(name)
        counts, deviations = statistics.count[:, code], statistics.deviations[:, code]
        if values.size < 2:
            continue
        scale = max(1.0, float(np.abs(values).max())) * _EQUAL
        within = values.size > np.count_nonzero(counts) and float(deviations.sum()) <= values.size * scale**2
        if within or float(np.ptp(values)) <= scale:
            of = "" if float(np.ptp(values)) <= scale else " of each protected word"
            raise wrong(
                f"the {values.size} distances{of} of the connection {name!r} are all equal ({values[0]:.6g}), so that "
                "their spread, and how sure one can be, cannot be told.",
                "Are they distances between different vectors?",
            )
