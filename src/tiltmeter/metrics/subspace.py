"""Bias as a direction or subspace of the embedding: how to find it, and how much of a word lies in it.

All word vectors are brought to length 1 first, as in the sources. A direction is a vector; a subspace has orthonormal
directions as its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tiltmeter.metrics.association import TIE, Array, units


@dataclass(frozen=True, slots=True)
class Subspace:
    """Orthonormal directions, and the share of the defining sets' variance that lies along each."""

    directions: Array
    explained: Array


def bias_subspace(defining_sets: Sequence[ArrayLike], dimensions: int = 1, *, centred: bool = True) -> Subspace:
    """The first rows of SVD(C), C = Σ_i Σ_{w ∈ D_i} (w - μ_i)ᵀ(w - μ_i) / |D_i|   (Bolukbasi et al. 2016).

    A defining set D_i names one thing in words that differ by group: she, he. μ_i is its mean; without centring it is
    taken as 0. Each direction points to where the first words of the sets lie, so that its sign is not left to chance.
    """
    if not defining_sets:
        raise ValueError("a bias subspace needs one defining set or more")
    sets = units(**{f"defining set {i}": rows for i, rows in enumerate(defining_sets, start=1)})
    for i, rows in enumerate(sets, start=1):
        if len(rows) < 2:
            raise ValueError(f"defining set {i} has one word; a difference between groups needs two or more")
    spreads = [rows - rows.mean(axis=0) if centred else rows for rows in sets]
    weighted = np.concatenate([rows / np.sqrt(len(rows)) for rows in spreads])
    _, lengths, directions = np.linalg.svd(weighted, full_matrices=False)
    found = int(np.count_nonzero(lengths > TIE * np.sqrt(len(sets))))
    if not 1 <= dimensions <= found:
        raise ValueError(f"{dimensions} dimensions were asked of defining sets that span {found}")
    towards_first = directions @ np.sum([rows[0] for rows in spreads], axis=0)
    oriented = directions * np.where(towards_first < 0, -1.0, 1.0)[:, None]
    return Subspace(
        np.asarray(oriented[:dimensions], dtype=np.float64),
        np.asarray((lengths**2 / np.sum(lengths**2))[:dimensions], dtype=np.float64),
    )


def direction_by_means(A: ArrayLike, B: ArrayLike) -> Array:
    """g = (μ_A - μ_B) / ‖μ_A - μ_B‖, from the mean of the second group to that of the first."""
    a, b = units(A=A, B=B)
    return _direction(a.mean(axis=0) - b.mean(axis=0), "the difference of the means of A and B")


def cultural_dimension(first: ArrayLike, second: ArrayLike, *, unit_differences: bool = True) -> Array:
    """The mean of the differences of antonym pairs, p_i - q_i, of length 1   (Kozlowski, Taddy & Evans 2019).

    Row i of `first` and of `second` are a pair: rich, poor. The paper's formula takes the differences as they are; its
    published code brings each to length 1 first, so that all pairs weigh the same, and that is the default.
    """
    p, q = units(first=first, second=second)
    if len(p) != len(q):
        raise ValueError(f"antonyms come in pairs: {len(p)} first words do not match {len(q)} second words")
    differences = p - q
    if unit_differences:
        same = np.flatnonzero(np.linalg.norm(differences, axis=1) <= TIE)
        if same.size:
            raise ValueError(f"both words of pair {same[0]} have the same direction")
        (differences,) = units(differences=differences)
    return _direction(differences.mean(axis=0), "the mean of the pair differences")


def projection(W: ArrayLike, direction: ArrayLike) -> Array:
    """cos(w, g) of every row w of W: where the word stands on a cultural dimension (Kozlowski, Taddy & Evans 2019)."""
    w, g = units(W=W, direction=np.asarray(direction)[None])
    return np.asarray(np.clip(w @ g[0], -1.0, 1.0), dtype=np.float64)


def direct_bias(W: ArrayLike, direction: ArrayLike, c: float = 1.0) -> float:
    """DirectBias_c = mean_{w ∈ W} |cos(w, g)|^c, over words that should be neutral   (Bolukbasi et al. 2016).

    c sets how strict the measure is; with c = 0 it is the share of words that lean at all, however little.
    """
    if not c >= 0:
        raise ValueError(f"the strictness c of the direct bias is 0 or more, not {c}")
    lean = np.abs(projection(W, direction))
    lean[lean <= TIE] = 0.0
    return float(np.mean(lean > 0 if c == 0 else lean**c))


def indirect_bias(W: ArrayLike, V: ArrayLike, direction: ArrayLike) -> Array:
    """β(w, v) = (w·v - w⊥·v⊥ / (‖w⊥‖ ‖v⊥‖)) / w·v, rows of W down, of V across   (Bolukbasi et al. 2016).

    w⊥ = w - (w·g) g is what is left of a word without the bias direction g: β is the share of a similarity that is owed
    to g. NaN where there is no similarity to share out, w·v = 0, or where nothing is left of a word.
    """
    w, v, g = units(W=W, V=V, direction=np.asarray(direction)[None])
    similarity = w @ v.T
    w_rest, v_rest = (rows - (rows @ g.T) * g for rows in (w, v))
    lengths = np.outer(np.linalg.norm(w_rest, axis=1), np.linalg.norm(v_rest, axis=1))
    shared = np.where(np.abs(similarity) <= TIE, np.nan, similarity)
    rest = (w_rest @ v_rest.T) / np.where(lengths <= TIE, np.nan, lengths)
    return np.asarray((similarity - rest) / shared, dtype=np.float64)


def _direction(vector: Array, name: str) -> Array:
    length = float(np.linalg.norm(vector))
    if length <= TIE:
        raise ValueError(f"{name} is zero: there is no direction to measure along")
    return np.asarray(vector / length, dtype=np.float64)
