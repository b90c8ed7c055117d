"""Mean average cosine distance (MAC) of a model on a test, beside what its critics ask for: the same to other words."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from tiltmeter.bayes.data import CONNECTIONS, CONTROLS, Array, Distances
from tiltmeter.bayes.embedding import distances_in
from tiltmeter.errors import InputError
from tiltmeter.lexicon.tests import AssociationTest, MulticlassTest
from tiltmeter.measurement import Measurement
from tiltmeter.metrics.interval import Interval, bca
from tiltmeter.models.base import Embedder

STEREOTYPES = "stereotypes"
_BATCH = 2_000_000  # numbers held at once
_NO_P = "no p-value: 1 is the distance of unrelated words, not that of words without bias"


def mac(
    model: Embedder | str | Path,
    test: MulticlassTest | AssociationTest | str,
    *,
    lang: str = "en",
    level: float = 0.95,
    resamples: int = 9_999,
    seed: int = 0,
) -> list[Measurement]:
    """MAC(T, 𝒜) of the protected words of a test and its stereotypes (Manzini et al. 2019), with a bootstrap interval
    over the protected words and over the words of each attribute set.

    Further rows give the mean distance to the stereotypes of a word's own group, to those of other groups, and to human
    and neutral control words: the yardsticks that say more than 1 does (Dobrzeniecka & Urbaniak).
    """
    distances = distances_in(model, test, lang=lang)
    parts = {STEREOTYPES: CONNECTIONS[:2], **{name: (name,) for name in CONNECTIONS}}
    rows = [
        _row(distances, part, _Cells(distances, connections), level, resamples, seed)
        for part, connections in parts.items()
        if set(connections) & set(distances.present)
    ]
    if not rows or rows[0].details["part"] != STEREOTYPES:
        raise InputError(
            f"{distances.model} knows no protected word, or no stereotype.",
            where=f"test {distances.name} ({distances.language})",
        )
    return rows


class _Cells:
    """The distances of some connections: protected words down, attributes across; NaN where two are not compared."""

    def __init__(self, distances: Distances, connections: tuple[str, ...]) -> None:
        chosen = np.flatnonzero(np.isin(distances.connection, [CONNECTIONS.index(name) for name in connections]))
        items = [(distances.sets[row], distances.attributes[row]) for row in chosen]
        known = {item: place for place, item in enumerate(sorted(set(items)))}
        words, at = np.unique(distances.word[chosen], return_inverse=True)
        names = [name for name, _ in known]
        self.table: Array = np.full((len(words), len(known)), np.nan)
        self.table[at, [known[item] for item in items]] = distances.distance[chosen]
        self.sets = [np.array([own == name for own in names]) for name in dict.fromkeys(names)]

    def means(self, words: Array, attributes: Array) -> Array:
        """Where row r of each says how often each word is in resample r: each set of each word weighs the same."""
        compared = np.isfinite(self.table)
        filled = np.where(compared, self.table, 0.0)
        total, count = np.zeros((2, max(len(words), len(attributes))))
        for of_set in self.sets:
            drawn = attributes[:, of_set]
            pairs = drawn @ compared[:, of_set].T
            mean = drawn @ filled[:, of_set].T / np.where(pairs > 0, pairs, 1.0)
            weights = words * (pairs > 0)
            total += (weights * mean).sum(axis=1)
            count += weights.sum(axis=1)
        return np.asarray(np.where(count > 0, total / np.where(count > 0, count, 1.0), np.nan), dtype=np.float64)

    @property
    def value(self) -> float:
        n, m = self.table.shape
        return float(self.means(np.ones((1, n)), np.ones((1, m)))[0])

    def interval(self, level: float, resamples: int, seed: int) -> Interval:
        n, m = self.table.shape
        if n < 2:
            return Interval(math.nan, math.nan, level, "none: one protected word says nothing of how far words scatter")
        rng = np.random.default_rng(seed)
        step = max(1, _BATCH // (n + m))
        estimates = []
        for start in range(0, resamples, step):
            rows = min(step, resamples - start)
            attributes = np.empty((rows, m))
            for of_set in self.sets:
                size = int(of_set.sum())
                attributes[:, of_set] = rng.multinomial(size, np.full(size, 1 / size), size=rows)
            estimates.append(
                self.means(rng.multinomial(n, np.full(n, 1 / n), size=rows).astype(np.float64), attributes)
            )
        without = [self.means(1 - np.eye(n), np.ones((1, m)))]  # a set of one word is always drawn as it is
        without += [self.means(np.ones((1, n)), 1 - np.eye(m)[of_set]) for of_set in self.sets if of_set.sum() > 1]
        return bca(np.concatenate(estimates), without, self.value, level)


def _row(distances: Distances, part: str, cells: _Cells, level: float, resamples: int, seed: int) -> Measurement:
    interval = cells.interval(level, resamples, seed)
    n, m = cells.table.shape
    return Measurement(
        model=distances.model,
        test=distances.name,
        metric="mac",
        language=distances.language,
        value=cells.value,
        low=interval.low,
        high=interval.high,
        level=level,
        method=f"{_NO_P}; interval {interval.method} over protected words and attributes",
        counts={"protected": n, "attributes": m},
        lost=tuple(lost for lost in distances.lost if lost.where not in CONTROLS or lost.where == part),
        settings={**distances.settings, "resamples": resamples, "seed": seed},
        details={"part": part},
    )
