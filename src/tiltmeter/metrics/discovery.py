"""Discovery: of very many words, those whose names go most, or least, with the names of one target."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiltmeter.metrics._correlations import basis, blocks, correlations, residuals

Array = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Leaning:
    """Which columns, counted through all chunks, correlate most positively and most negatively, strongest first.

    `seen` columns were looked at, `undefined` of them had no correlation.
    """

    towards: Indices
    towards_score: Array
    away: Indices
    away_score: Array
    seen: int
    undefined: int


def leaning(to_target: ArrayLike, chunks: Iterable[ArrayLike], *, k: int = 20) -> Leaning:
    """The k words of highest, and the k of lowest indirect score with one target.

    `to_target` is BS1 of the target, one number a name. `chunks` yields BS2 of some words at a time, names × words;
    only one chunk and the best so far are held. Words of equal score keep their order. The highest of very many scores
    is high by chance too: of m words without any association, the strongest reach about √(2 log m / n) over n names.
    """
    x = np.asarray(to_target, dtype=np.float64)
    if x.ndim != 1 or k < 1:
        raise ValueError(f"one target has one score a name, not an array of shape {x.shape}; k = {k} must be 1 or more")
    best = {1.0: (np.empty(0, dtype=np.intp), np.empty(0)), -1.0: (np.empty(0, dtype=np.intp), np.empty(0))}
    seen = undefined = 0
    for chunk in chunks:
        y = np.asarray(chunk, dtype=np.float64)
        if y.ndim != 2 or len(y) != x.size:
            raise ValueError(f"a chunk of shape {y.shape} does not have a row for each of the {x.size} names")
        r = _one_row(x, y)
        defined = np.flatnonzero(~np.isnan(r))
        undefined += r.size - defined.size
        for sign in best:
            columns = np.append(best[sign][0], defined + seen)
            scores = np.append(best[sign][1], r[defined])
            order = np.argsort(-sign * scores, kind="stable")[:k]
            best[sign] = columns[order], scores[order]
        seen += r.size
    return Leaning(*best[1.0], *best[-1.0], seen, undefined)


def _one_row(x: Array, y: Array) -> Array:
    r = np.full(y.shape[1], np.nan)
    for _, columns, names in blocks(x[None], y):
        if names.size >= 3:
            q = basis(None, names.size)
            r[columns] = correlations(residuals(x[None, names], q), residuals(y[np.ix_(names, columns)].T, q).T)[0]
    return r
