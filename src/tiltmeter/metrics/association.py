"""Association metrics: how much nearer some words stand to the attributes A than to B, by cosine similarity.

Vectors come as the rows of an array and are taken in double precision. A row of norm zero, or with a number that is not
finite, has no direction: a ValueError names it. Scores that differ by less than one part in 10^12 of their scale are
equal, as in the permutation test.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata

Array = NDArray[np.float64]

TIE = 1e-12


@dataclass(frozen=True, slots=True)
class Weat:
    """The association of every target word, and the effect that the two target sets show."""

    scores_x: Array
    scores_y: Array
    effect_size: float
    statistic: float


@dataclass(frozen=True, slots=True)
class RelativeNormDistance:
    """By word, and over all words; positive where words stand nearer to B."""

    by_word: Array
    total: float
    mean: float


def units(**vectors: ArrayLike) -> list[Array]:
    """The rows of each table, brought to length 1. The keyword is what an error calls the table."""
    tables = [_unit_rows(rows, name) for name, rows in vectors.items()]
    for name, rows in zip(vectors, tables, strict=True):
        if rows.shape[1] != tables[0].shape[1]:
            first = next(iter(vectors))
            raise ValueError(f"{first} has vectors of {tables[0].shape[1]} numbers, {name} of {rows.shape[1]}")
    return tables


def _unit_rows(vectors: ArrayLike, name: str) -> Array:
    rows = np.asarray(vectors, dtype=np.float64)
    if rows.ndim != 2 or rows.size == 0:
        raise ValueError(f"{name} needs one vector or more as the rows of a table, not an array of shape {rows.shape}")
    largest = np.abs(rows).max(axis=1, keepdims=True)
    bad = np.flatnonzero(~np.isfinite(largest))
    if bad.size:
        raise ValueError(f"row {bad[0]} of {name} holds a number that is not finite")
    bad = np.flatnonzero(largest == 0)
    if bad.size:
        raise ValueError(f"row {bad[0]} of {name} has norm zero: it has no direction")
    rows = rows / largest  # the square of a very large or small number would leave the range of a float
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float64)


def cosines(U: ArrayLike, V: ArrayLike) -> Array:
    """cos(u, v) = u·v / (‖u‖ ‖v‖) of every row of U (down) with every row of V (across)."""
    u, v = units(U=U, V=V)
    return _cosines(u, v)


def _cosines(u: Array, v: Array) -> Array:
    return np.asarray(np.clip(u @ v.T, -1.0, 1.0), dtype=np.float64)


def association(W: ArrayLike, A: ArrayLike, B: ArrayLike) -> Array:
    """s(w, A, B) = mean_{a ∈ A} cos(w, a) - mean_{b ∈ B} cos(w, b), for every row w of W (Caliskan et al. 2017)."""
    w, a, b = units(W=W, A=A, B=B)
    return _association(w, a, b)


def _association(w: Array, a: Array, b: Array) -> Array:
    return np.asarray(_cosines(w, a).mean(axis=1) - _cosines(w, b).mean(axis=1), dtype=np.float64)


def effect_size(scores_x: ArrayLike, scores_y: ArrayLike, *, ddof: int = 1) -> float:
    """d = (mean_{x ∈ X} s(x) - mean_{y ∈ Y} s(y)) / sd_{w ∈ X ∪ Y} s(w)   (Caliskan, Bryson & Narayanan 2017).

    The ten published effect sizes on GloVe-840B come out with the sample standard deviation, `ddof=1`, the default. NaN
    where all scores are equal: without spread there is no unit to measure in.

    With s = .5, .3 and -.6, -.3, the example under figure 1 of Dobrzeniecka & Urbaniak, d is 1.659 with the sample and
    1.916 with the population standard deviation. The paper prints 1.93, which neither gives; two words against two
    cannot even exceed √3 = 1.732 with the former.
    """
    x, y = _scores(scores_x, "X"), _scores(scores_y, "Y")
    both = np.concatenate([x, y])
    if without_spread(both):
        return math.nan
    return float(x.mean() - y.mean()) / float(both.std(ddof=ddof))


def statistic(scores_x: ArrayLike, scores_y: ArrayLike, *, form: Literal["sum", "mean"] = "sum") -> float:
    """s(X, Y, A, B) = Σ_{x ∈ X} s(x) - Σ_{y ∈ Y} s(y)   (Caliskan et al. 2017), or the difference of the means.

    The sums say something only where X and Y are of equal size; the means need no such care.
    """
    x, y = _scores(scores_x, "X"), _scores(scores_y, "Y")
    return float(x.mean() - y.mean()) if form == "mean" else math.fsum(x) - math.fsum(y)


def weat(
    X: ArrayLike,
    Y: ArrayLike,
    A: ArrayLike,
    B: ArrayLike,
    *,
    ddof: int = 1,
    form: Literal["sum", "mean"] = "sum",
) -> Weat:
    """The Word Embedding Association Test of the rows of X and Y with those of A and B (Caliskan et al. 2017).

    On the vectors of sentences it is the Sentence Encoder Association Test, SEAT (May et al. 2019).
    """
    x, y, a, b = units(X=X, Y=Y, A=A, B=B)
    _at_least_two(X=x, Y=y, A=a, B=b)
    scores_x, scores_y = _association(x, a, b), _association(y, a, b)
    return Weat(
        scores_x,
        scores_y,
        effect_size(scores_x, scores_y, ddof=ddof),
        statistic(scores_x, scores_y, form=form),
    )


def wefat(W: ArrayLike, A: ArrayLike, B: ArrayLike, *, ddof: int = 1) -> Array:
    """The Word Embedding Factual Association Test, for every row w of W (Caliskan et al. 2017):

    s(w, A, B) = (mean_{a ∈ A} cos(w, a) - mean_{b ∈ B} cos(w, b)) / sd_{v ∈ A ∪ B} cos(w, v)

    NaN for a word that is equally similar to all attributes.
    """
    w, a, b = units(W=W, A=A, B=B)
    _at_least_two(A=a, B=b)
    to_both = _cosines(w, np.concatenate([a, b]))
    difference = to_both[:, : len(a)].mean(axis=1) - to_both[:, len(a) :].mean(axis=1)
    spread = np.where(without_spread(to_both), np.nan, to_both.std(axis=1, ddof=ddof))
    return np.asarray(difference / spread, dtype=np.float64)


def mean_average_cosine_distance(T: ArrayLike, attributes: Sequence[ArrayLike]) -> float:
    """MAC(T, 𝒜) = mean_{t ∈ T} mean_{A ∈ 𝒜} mean_{a ∈ A} (1 - cos(t, a))   (Manzini et al. 2019).

    Each attribute set weighs the same, however many words it has. 1 is the distance of unrelated words.
    """
    if not attributes:
        raise ValueError("MAC needs one attribute set or more")
    t, *sets = units(T=T, **{f"attribute set {i}": A for i, A in enumerate(attributes, start=1)})
    return float(np.mean([1 - _cosines(t, a).mean() for a in sets]))


def relative_norm_distance(W: ArrayLike, A: ArrayLike, B: ArrayLike) -> RelativeNormDistance:
    """Σ_{w ∈ W} ‖w - μ_A‖ - ‖w - μ_B‖, with μ the mean vector of a group   (Garg et al. 2018).

    All word vectors are brought to length 1 first; the means are left as they come.
    """
    w, a, b = units(W=W, A=A, B=B)
    to_a = np.linalg.norm(w - a.mean(axis=0), axis=1)
    to_b = np.linalg.norm(w - b.mean(axis=0), axis=1)
    by_word = np.asarray(to_a - to_b, dtype=np.float64)
    return RelativeNormDistance(by_word, math.fsum(by_word), float(by_word.mean()))


def embedding_coherence(W: ArrayLike, A: ArrayLike, B: ArrayLike) -> float:
    """The embedding coherence test: Spearman's ρ between cos(w, μ_A) and cos(w, μ_B) over w ∈ W (Dev & Phillips 2019).

    μ is the mean of a group's vectors, at the lengths they come in. 1: both groups rank the words alike. NaN where a
    group is equally similar to all words.
    """
    w, *_ = units(W=W, A=A, B=B)
    _at_least_two(W=w)
    means = {f"the mean of {name}": _mean(rows) for name, rows in (("A", A), ("B", B))}
    to_a, to_b = _cosines(np.concatenate(units(**means)), w)
    if without_spread(to_a) or without_spread(to_b):
        return math.nan
    return float(np.corrcoef(rankdata(to_a), rankdata(to_b))[0, 1])


def _mean(vectors: ArrayLike) -> Array:
    return np.asarray(np.mean(np.asarray(vectors, dtype=np.float64), axis=0, keepdims=True), dtype=np.float64)


def without_spread(scores: Array) -> NDArray[np.bool_]:
    """Whether all scores of a row are equal, but for rounding."""
    return np.asarray(np.ptp(scores, axis=-1) <= TIE * np.maximum(1.0, np.abs(scores).max(axis=-1)), dtype=np.bool_)


def _scores(values: ArrayLike, name: str) -> Array:
    scores = np.asarray(values, dtype=np.float64)
    if scores.ndim != 1:
        raise ValueError(f"the scores of {name} are one number a word, not an array of shape {scores.shape}")
    _at_least_two(**{name: scores})
    bad = np.flatnonzero(~np.isfinite(scores))
    if bad.size:
        raise ValueError(f"score {bad[0]} of {name} is not a finite number")
    return scores


def _at_least_two(**sets: Array) -> None:
    for name, entries in sets.items():
        if len(entries) < 2:
            held = "one word" if len(entries) else "no words"
            raise ValueError(f"{name} has {held}; this metric needs two or more")
