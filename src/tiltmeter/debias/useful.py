"""Whether an embedding still works: neighbours that stay, analogies and triples that are solved, words that moved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tiltmeter.debias.paired import mean_with_interval
from tiltmeter.debias.sample import Rows, Sample
from tiltmeter.lexicon.debias import Usefulness
from tiltmeter.measurement import Measurement
from tiltmeter.metrics.association import Array

NEIGHBOURS = 10
_ASKED = 1_000  # words whose neighbours are looked at


def useful(sample: Sample, names: tuple[str, str], tasks: Usefulness | None, lang: str) -> Iterator[Measurement]:
    """The share of analogies and triples that each model solves, in per cent."""
    if tasks is None:
        return
    for model, rows in zip(names, (sample.before, sample.after), strict=True):
        solved = {name: _analogies(sample, rows, pairs) for name, pairs in tasks.analogies.items()}
        if sum(values.size for values in solved.values()):
            pairs = np.concatenate(list(solved.values()))
            yield mean_with_interval(
                model, "analogies", "analogies", 100 * pairs, language=lang, method="pairs, each in all its questions"
            )
        triples = [triple for triple in tasks.triples if all(word in sample.row for word in triple)]
        if triples:
            one, near, far = (rows[[sample.row[triple[at]] for triple in triples]] for at in range(3))
            right = np.sum(one * near, axis=1) > np.sum(one * far, axis=1)
            yield mean_with_interval(
                model, "triples", "triples", 100.0 * right, language=lang, method="triples of words"
            )


def _analogies(sample: Sample, rows: Rows, pairs: Sequence[tuple[str, str]]) -> Array:
    """For each pair c : d, the share of other pairs a : b from which d is found as the word nearest to b - a + c.

    The three words of the question are no answers (Mikolov et al. 2013).
    """
    known = [pair for pair in pairs if all(word in sample.row for word in pair)]
    if len(known) < 2:
        return np.empty(0)
    places = np.array([[sample.row[word] for word in pair] for pair in known])
    offsets = rows[places[:, 1]] - rows[places[:, 0]]
    right = np.zeros(len(known))
    for at, (c, d) in enumerate(places):
        others = np.delete(np.arange(len(known)), at)
        near = (offsets[others] + rows[c]) @ rows.T
        near[np.arange(len(others))[:, None], np.column_stack([places[others], np.full(len(others), c)])] = -np.inf
        right[at] = np.mean(np.argmax(near, axis=1) == d)
    return right


def kept_neighbours(sample: Sample, model: str, lang: str, *, seed: int = 0) -> Measurement | None:
    """Of the ten nearest neighbours of a word before, how many per cent are among the ten nearest after."""
    most = min(NEIGHBOURS, len(sample.words) // 4)
    if most < 1:
        return None
    order = np.argsort(np.array(sample.words))  # the same words are asked, whatever their order in the file
    asked = np.sort(order[np.random.default_rng(seed).permutation(len(order))[:_ASKED]])
    shared = np.empty(len(asked))
    for start in range(0, len(asked), 100):
        part = asked[start : start + 100]
        first, second = (_nearest(rows, part, most) for rows in (sample.before, sample.after))
        shared[start : start + 100] = [
            len(set(one) & set(other)) / most for one, other in zip(first.tolist(), second.tolist(), strict=True)
        ]
    return mean_with_interval(
        model,
        f"{most} nearest of {len(sample.words):,} words",
        "neighbours kept",
        100 * shared,
        language=lang,
        method="words",
    )


def _nearest(rows: Rows, asked: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    near = rows[asked] @ rows.T
    near[np.arange(len(asked)), asked] = -np.inf
    return np.argpartition(-near, most - 1, axis=1)[:, :most]


def moved(sample: Sample, groups: Mapping[str, Sequence[str]], model: str, lang: str) -> Iterator[Measurement]:
    """How far words went: 1 - cos(w before, w after), in the mean of each group that has words here."""
    distance = np.maximum(1 - np.einsum("ij,ij->i", sample.before, sample.after, dtype=np.float64), 0.0)
    for name, words in groups.items():
        rows = np.unique(sample.rows_of(words))
        if rows.size:
            yield mean_with_interval(model, name, "moved", distance[rows], language=lang, method="words")
