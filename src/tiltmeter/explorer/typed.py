"""Scores of words that somebody typed: only what is new is computed, from the states that the model keeps.

A new feature is read off the blanks that have been computed for all the others: one dot product for each. A new target
has sentences of its own, one pass for each of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InputError
from tiltmeter.lexicon.templates import TemplateSet
from tiltmeter.lexicon.words import WordSet
from tiltmeter.measure.blanks import BlankTable, blank_table
from tiltmeter.measure.scores import ScoreMatrix, direct
from tiltmeter.measurement import Lost
from tiltmeter.metrics.indirect import bridge_bounds, indirect_scores
from tiltmeter.metrics.logprob import bias_scores
from tiltmeter.metrics.multiplicity import benjamini_hochberg
from tiltmeter.models.lm import LanguageModel

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Extended:
    """The scores of a view, with rows and columns for the words that were typed; those without scores are lost."""

    matrix: ScoreMatrix
    lost: tuple[Lost, ...] = ()


_BY_PAIR = ("score", "low", "high", "template_low", "template_high", "p_value", "adjusted", "n")
_NONE: tuple[Lost, ...] = ()
IN_TABLE = "stands in the table already"


def extended_indirect(
    model: LanguageModel,
    matrix: ScoreMatrix,
    names: WordSet,
    targets: WordSet,
    features: WordSet,
    templates: Callable[[str], TemplateSet],
) -> Extended:
    """Rows for new targets, columns for new features; over templates there is no interval. `templates` finds a set by
    its name."""
    assert matrix.bridge is not None
    known = {word.text: word for word in names.words}
    bridge = [known[name] for name in matrix.bridge.names]
    settings = matrix.settings
    to_target, rows, lost_rows = matrix.bridge.to_target, matrix.targets, _NONE
    to_feature, columns, lost_columns = matrix.bridge.to_feature, matrix.features, _NONE
    if targets.words:
        table = blank_table(model, templates(settings["to_target"]), targets.words, bridge, read_slot="feature")
        scores = bias_scores(table.log_p, table.log_prior, averaging=settings["averaging"])
        kept = np.flatnonzero(~np.isnan(scores).all(axis=1))
        rows += tuple(table.given[row] for row in kept)
        to_target = np.concatenate([to_target, scores[kept]])
        lost_rows = _lost(targets, table, rows)
    if features.words:
        table = blank_table(model, templates(settings["to_feature"]), bridge, features.words, read_slot="feature")
        scores = bias_scores(table.log_p, table.log_prior, averaging=settings["averaging"])
        kept = np.flatnonzero(~np.isnan(scores).all(axis=0))
        columns += tuple(table.read[column] for column in kept)
        to_feature = np.concatenate([to_feature, scores[:, kept]], axis=1)
        lost_columns = _lost(features, table, columns)
    whole = dataclasses.replace(
        _room_for(matrix, rows, columns), bridge=dataclasses.replace(
            matrix.bridge, to_target=to_target, to_feature=to_feature
        )
    )  # fmt: skip
    old_rows, old_columns = matrix.score.shape
    for part in ((slice(old_rows, None), slice(0, old_columns)), (slice(None), slice(old_columns, None))):
        _fill(whole, to_target, to_feature, part)
    return Extended(_adjusted(whole), (*lost_rows, *lost_columns))


def extended_direct(
    model: LanguageModel,
    matrix: ScoreMatrix,
    targets: WordSet,
    features: WordSet,
    new_targets: WordSet,
    new_features: WordSet,
) -> Extended:
    """The same for direct scores."""
    parts: list[ScoreMatrix] = []
    lost: list[Lost] = []
    all_features = dataclasses.replace(features, words=features.words + new_features.words)
    for given, read, new in (
        (targets, new_features, new_features),
        (new_targets, all_features, new_targets),
    ):
        if not new.words:
            continue
        try:
            part = direct(model, given, read, lang=matrix.language)
        except InputError as error:  # none of the new words can be scored
            lost += [Lost(word.text, new.name, error.message) for word in new.words]
            continue
        parts.append(part)
        scored = {*part.targets, *part.features}
        reasons = {one.word: one for one in part.lost}
        lost += [
            reasons.get(word.text, Lost(word.text, new.name, "fits no template"))
            for word in new.words
            if word.text not in scored
        ]
    rows = [word.text for word in new_targets.words if any(word.text in part.targets for part in parts)]
    columns = [word.text for word in new_features.words if any(word.text in part.features for part in parts)]
    whole = _room_for(matrix, (*matrix.targets, *rows), (*matrix.features, *columns))
    row_of = {word: row for row, word in enumerate(whole.targets)}
    column_of = {word: column for column, word in enumerate(whole.features)}
    for part in parts:
        common_rows = [row for row, word in enumerate(part.targets) if word in row_of]
        common_columns = [column for column, word in enumerate(part.features) if word in column_of]
        here = np.ix_(
            [row_of[part.targets[row]] for row in common_rows],
            [column_of[part.features[column]] for column in common_columns],
        )
        for name in _BY_PAIR:
            getattr(whole, name)[here] = getattr(part, name)[np.ix_(common_rows, common_columns)]
    return Extended(_adjusted(whole), tuple(lost))


def _room_for(matrix: ScoreMatrix, rows: Sequence[str], columns: Sequence[str]) -> ScoreMatrix:
    """The matrix with room for more rows and columns, which have no numbers yet."""
    more = ((0, len(rows) - matrix.score.shape[0]), (0, len(columns) - matrix.score.shape[1]))
    wider: dict[str, Any] = {
        name: np.pad(getattr(matrix, name), more, constant_values=0 if name == "n" else np.nan) for name in _BY_PAIR
    }
    return dataclasses.replace(matrix, targets=tuple(rows), features=tuple(columns), **wider)


def _fill(matrix: ScoreMatrix, to_target: Array, to_feature: Array, part: tuple[slice, slice]) -> None:
    x, y = to_target[part[0]], to_feature[:, part[1]]
    if not x.shape[0] or not y.shape[1]:
        return
    scores = indirect_scores(x, y)
    resamples, seed = int(matrix.settings["resamples"]), int(matrix.settings["seed"])
    bounds = bridge_bounds(x, y, resamples=resamples, level=matrix.level, seed=seed)
    matrix.score[part], matrix.p_value[part], matrix.n[part] = scores.score, scores.p_value, scores.n
    matrix.low[part], matrix.high[part] = bounds.low, bounds.high


def _adjusted(matrix: ScoreMatrix) -> ScoreMatrix:
    """With the p-values adjusted over all pairs, new ones included."""
    adjusted = benjamini_hochberg(matrix.p_value.ravel()).reshape(matrix.p_value.shape)
    return dataclasses.replace(matrix, adjusted=adjusted)


def _lost(words: WordSet, table: BlankTable, scored: Sequence[str]) -> tuple[Lost, ...]:
    reasons = {one.word: one.reason for one in table.lost}
    return tuple(
        Lost(word.text, words.name, reasons.get(word.text, "fits no template, or cannot be scored by the model"))
        for word in words.words
        if word.text not in scored
    )
