"""What a method does to chosen words, step by step, seen along the bias direction and across it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tiltmeter.debias.leaning import Leaning
from tiltmeter.debias.transform import Debiaser
from tiltmeter.debias.vocabulary import Vocabulary, spelled, unit_rows
from tiltmeter.lexicon.debias import Bias
from tiltmeter.metrics.association import Array

_PAIRS, _NEUTRAL = 5, 10


@dataclass(frozen=True, slots=True)
class Step:
    """Where the chosen words are after a step: along the bias direction, and across it."""

    title: str
    said: str
    places: Mapping[str, tuple[float, float]]


def step_by_step(
    vocabulary: Vocabulary,
    debiaser: Debiaser,
    bias: Bias,
    leaning: Leaning,
    direction: Array,
    chosen: Sequence[str] = (),
) -> tuple[list[Step], dict[str, int], list[tuple[str, ...]]]:
    """The steps, the class of each word that is not neutral, and the sets that are drawn as lines.

    By default the first sets that are made equal, and the neutral words that lean furthest. Words have the spelling of
    the vocabulary; those that it lacks take no part.
    """
    words = [word for row in bias.equalise for word in row if word]
    found = vocabulary.find({way for word in (*words, *chosen, *leaning.words) for way in spelled(word)})
    found = {word: row for word, row in found.items() if row.any()}

    def here(word: str) -> str | None:
        return next((way for way in spelled(word) if way in found), None)

    rows = [tuple(map(here, row)) for row in bias.equalise if all(row)]
    pairs = [tuple(filter(None, row)) for row in rows if all(row)][:_PAIRS]
    neutral = list(filter(None, map(here, chosen))) or _furthest(leaning, direction)
    names = list(dict.fromkeys([*(one for row in pairs for one in row), *neutral]))
    if len(names) < 3:
        return [], {}, []
    sides = {word: side for row in pairs for side, word in enumerate(row)}
    start = {word: unit_rows(found[word][None])[0] for word in names}
    across = _across(np.stack(list(start.values())), direction)
    seen = [Step("1. As it is", "Vectors of length 1.", step_places(start, direction, across))]
    before = {word: debiaser.before(found[word][None])[0] for word in names}
    if debiaser.centre is not None:
        said = "The mean and one principal component are taken out."
        seen.append(Step(f"{len(seen) + 1}. What all words share", said, step_places(before, direction, across)))
    moved = {word: row if _kept(debiaser, word) else debiaser.neutral(row[None])[0] for word, row in before.items()}
    said = {
        "hard": "Neutral words lose their part along the direction.",
        "double-hard": "Neutral words lose their part along the direction.",
        "soft": "One linear map of all words.",
        "projection": "All words lose their part along the direction.",
        "inlp": f"All words lose {len(debiaser.directions)} directions that classifiers found.",
    }[debiaser.method]
    seen.append(Step(f"{len(seen) + 1}. The bias is taken out", said, step_places(moved, direction, across)))
    if debiaser.replaced:
        same = {word: debiaser.replaced.get(word.encode(), row) for word, row in moved.items()}
        said = "Words of a set become alike in all but the bias."
        seen.append(Step(f"{len(seen) + 1}. Sets are made equal", said, step_places(same, direction, across)))
    return seen, sides, pairs


def step_places(rows: Mapping[str, Array], along: Array, across: Array) -> dict[str, tuple[float, float]]:
    """Each word along the direction and across it."""
    return {word: (float(row @ along), float(row @ across)) for word, row in rows.items()}


def _kept(debiaser: Debiaser, word: str) -> bool:
    return word.encode() in debiaser.kept


def _furthest(leaning: Leaning, direction: Array) -> list[str]:
    """As many of each class, those that lean furthest."""
    size = np.abs(leaning.rows @ direction)
    found: list[str] = []
    classes = int(leaning.labels.max()) + 1 if leaning.labels.size else 0
    for label in range(classes):
        mine = np.flatnonzero(leaning.labels == label)
        best = mine[np.argsort(-size[mine], kind="stable")][: _NEUTRAL // classes]
        found += [leaning.words[place] for place in best]
    return found


def _across(rows: Array, direction: Array) -> Array:
    """The direction at right angles in which the words differ most."""
    rest = rows - rows.mean(axis=0)
    rest = rest - (rest @ direction)[:, None] * direction
    return np.asarray(np.linalg.svd(rest, full_matrices=False)[2][0], dtype=np.float64)
