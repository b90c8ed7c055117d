"""Direct and indirect log-probability scores of a whole category of targets with a whole category of features.

The direct score asks one sentence: is the feature likelier beside the target than beside a blank? The indirect score
links the two through a bridge of first names: do the names that go with the target go with the feature as well?
(Louis-Alexandre 2022, chapter 3; Louis-Alexandre & Waldner 2023.)
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from tiltmeter.errors import InputError
from tiltmeter.lexicon.catalogue import template_set, word_set
from tiltmeter.lexicon.templates import TemplateSet
from tiltmeter.lexicon.words import WordSet
from tiltmeter.measure.blanks import BlankTable, blank_table, blank_tables
from tiltmeter.measurement import Lost, Measurement
from tiltmeter.metrics.indirect import bridge_bounds, indirect_scores
from tiltmeter.metrics.logprob import Averaging, averaged, bias_scores
from tiltmeter.metrics.multiplicity import benjamini_hochberg
from tiltmeter.metrics.template_jackknife import indirect_template_bounds, score_template_bounds
from tiltmeter.models.lm import LanguageModel
from tiltmeter.models.load import load_lm

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Bridge:
    """What the names say: how each goes with each target and each feature, and how common it is to the model."""

    names: tuple[str, ...]
    to_target: Array  # targets × names
    to_feature: Array  # names × features
    commonness: Array  # log prior of each name


@dataclass(frozen=True, slots=True)
class ScoreMatrix:
    """Scores of targets × features. `low` and `high` are over the bridge names; of direct scores, over templates."""

    model: str
    metric: str
    language: str
    target_set: str
    feature_set: str
    targets: tuple[str, ...]
    features: tuple[str, ...]
    score: Array
    low: Array
    high: Array
    template_low: Array
    template_high: Array
    p_value: Array
    adjusted: Array
    n: NDArray[np.intp]  # names or templates behind each score
    level: float
    method: str
    lost: tuple[Lost, ...]
    settings: Mapping[str, Any]
    bridge: Bridge | None = None

    def measurement(self, target: str, feature: str) -> Measurement:
        """One cell as a row of a results table."""
        if target not in self.targets or feature not in self.features:
            raise InputError(f"there is no score of {target!r} with {feature!r}.", hint="Was one of them lost?")
        return self._measurement(self.targets.index(target), self.features.index(feature))

    def measurements(self) -> Iterator[Measurement]:
        """All cells, target by target."""
        for row, column in np.ndindex(self.score.shape):
            yield self._measurement(row, column)

    def _measurement(self, row: int, column: int) -> Measurement:
        cell = (row, column)
        return Measurement(
            model=self.model,
            test=f"{self.targets[row]} × {self.features[column]}",
            metric=self.metric,
            language=self.language,
            value=float(self.score[cell]),
            low=float(self.low[cell]),
            high=float(self.high[cell]),
            level=self.level,
            p_value=float(self.p_value[cell]),
            method=self.method,
            counts={"names" if self.bridge else "templates": int(self.n[cell])},
            lost=self.lost,
            settings=self.settings,
            details={
                "target": self.targets[row],
                "feature": self.features[column],
                "p_adjusted": float(self.adjusted[cell]),
                "template_low": float(self.template_low[cell]),
                "template_high": float(self.template_high[cell]),
            },
        )


def submatrix(matrix: ScoreMatrix, targets: Iterable[str], features: Iterable[str]) -> ScoreMatrix:
    """The scores of some of the targets with some of the features, as they were computed among all."""
    rows = [matrix.targets.index(target) for target in targets]
    columns = [matrix.features.index(feature) for feature in features]
    cells = np.ix_(rows, columns)
    by_pair = ("score", "low", "high", "template_low", "template_high", "p_value", "adjusted", "n")
    bridge = matrix.bridge and dataclasses.replace(
        matrix.bridge, to_target=matrix.bridge.to_target[rows], to_feature=matrix.bridge.to_feature[:, columns]
    )
    return dataclasses.replace(
        matrix,
        targets=tuple(matrix.targets[row] for row in rows),
        features=tuple(matrix.features[column] for column in columns),
        bridge=bridge,
        **{name: getattr(matrix, name)[cells] for name in by_pair},
    )


def indirect(
    model: LanguageModel | str | Path,
    targets: WordSet | str = "occupation",
    features: WordSet | str = "trait",
    *,
    bridge: WordSet | str = "name",
    to_target: TemplateSet | str | None = None,
    to_feature: TemplateSet | str | None = None,
    lang: str = "en",
    averaging: Averaging = "probability",
    resamples: int = 1_000,
    level: float = 0.95,
    seed: int = 0,
) -> ScoreMatrix:
    """The indirect score: the correlation, over first names, of how they go with a target and with a feature.

    `to_target` are templates with a blank for the name beside each target (by default the set "occupation-name" for
    occupations), `to_feature` such with a blank for the feature beside each name ("name-trait" for traits).
    """
    model = _loaded(model)
    target_words, feature_words, names = (_words(given, lang) for given in (targets, features, bridge))
    of_target = _templates(to_target, f"{target_words.name}-{names.name}", lang)
    of_feature = _templates(to_feature, f"{names.name}-{feature_words.name}", lang)
    first, second = blank_tables(
        model,
        [
            (of_target, target_words.words, names.words, "feature"),
            (of_feature, names.words, feature_words.words, "feature"),
        ],
    )
    lost = _distinct(first.lost, second.lost)
    first = _without(first, rows=_scored(first, 1), columns=_scored(first, 2) & _scored(second, 1), lang=lang)
    second = _without(second, rows=[name in first.read for name in second.given], columns=_scored(second, 2), lang=lang)
    to_targets = bias_scores(first.log_p, first.log_prior, averaging=averaging)
    to_features = bias_scores(second.log_p, second.log_prior, averaging=averaging)
    scores = indirect_scores(to_targets, to_features)
    over_names = bridge_bounds(to_targets, to_features, resamples=resamples, level=level, seed=seed)
    over_templates = indirect_template_bounds(
        first.log_p,
        first.log_prior,
        second.log_p,
        second.log_prior,
        averaging=averaging,
        level=level,
    )
    return ScoreMatrix(
        model=model.name,
        metric="indirect",
        language=lang,
        target_set=target_words.name,
        feature_set=feature_words.name,
        targets=first.given,
        features=second.read,
        score=scores.score,
        low=over_names.low,
        high=over_names.high,
        template_low=over_templates.low,
        template_high=over_templates.high,
        p_value=scores.p_value,
        adjusted=scores.adjusted,
        n=scores.n,
        level=level,
        method=f"p-value of a correlation, Student's t; interval {over_names.method} over names",
        lost=lost,
        settings={
            **model.settings,
            "fingerprint": model.fingerprint,
            "bridge": names.name,
            "to_target": of_target.name,
            "to_feature": of_feature.name,
            "averaging": averaging,
            "resamples": resamples,
            "seed": seed,
        },
        bridge=Bridge(first.read, to_targets, to_features, commonness(first, averaging)),
    )


def direct(
    model: LanguageModel | str | Path,
    targets: WordSet | str = "occupation",
    features: WordSet | str = "gender",
    *,
    templates: TemplateSet | str | None = None,
    lang: str = "en",
    averaging: Averaging = "probability",
    level: float = 0.95,
) -> ScoreMatrix:
    """The direct score: log of how much likelier a feature is in its blank beside the target than beside a blank."""
    model = _loaded(model)
    target_words, feature_words = _words(targets, lang), _words(features, lang)
    used = _templates(templates, f"{target_words.name}-{feature_words.name}", lang)
    table = blank_table(model, used, target_words.words, feature_words.words, read_slot="feature")
    lost = table.lost
    table = _without(table, rows=_scored(table, 1), columns=_scored(table, 2), lang=lang)
    p_value, n = _against_zero(table.log_p - table.log_prior)
    bounds = score_template_bounds(table.log_p, table.log_prior, averaging=averaging, level=level)
    return ScoreMatrix(
        model=model.name,
        metric="direct",
        language=lang,
        target_set=target_words.name,
        feature_set=feature_words.name,
        targets=table.given,
        features=table.read,
        score=bias_scores(table.log_p, table.log_prior, averaging=averaging),
        low=bounds.low,
        high=bounds.high,
        template_low=bounds.low,
        template_high=bounds.high,
        p_value=p_value,
        adjusted=benjamini_hochberg(p_value.ravel()).reshape(p_value.shape),
        n=n,
        level=level,
        method=f"p-value of the templates' log ratios against 0, Student's t; interval {bounds.method} over templates",
        lost=lost,
        settings={
            **model.settings,
            "fingerprint": model.fingerprint,
            "templates": used.name,
            "averaging": averaging,
        },
    )


def commonness(table: BlankTable, averaging: Averaging) -> Array:
    """How common each read word is to the model: the log of its prior, averaged over templates and given words."""
    templates, given, read = table.log_prior.shape
    return averaged(table.log_prior.reshape(templates * given, read), averaging=averaging)


def _against_zero(log_ratios: Array) -> tuple[Array, NDArray[np.intp]]:
    """Student's t-test of the log ratios of the templates, for each pair; NaN with fewer than two templates."""
    known = ~np.isnan(log_ratios)
    n = known.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(known, log_ratios, 0).sum(axis=0) / n
        variance = np.where(known, (log_ratios - mean) ** 2, 0).sum(axis=0) / (n - 1)
        statistic = np.abs(mean) / np.sqrt(variance / n)
        p: Array = 2 * student.sf(statistic, np.maximum(n - 1, 1))
    return np.where(n > 1, p, math.nan), np.asarray(n, dtype=np.intp)


def _loaded(model: LanguageModel | str | Path) -> LanguageModel:
    return model if isinstance(model, LanguageModel) else load_lm(model)


def _words(given: WordSet | str, lang: str) -> WordSet:
    return word_set(given, lang) if isinstance(given, str) else given


def _templates(given: TemplateSet | str | None, default: str, lang: str) -> TemplateSet:
    return given if isinstance(given, TemplateSet) else template_set(given or default, lang)


def _scored(table: BlankTable, axis: int) -> NDArray[np.bool_]:
    """Which given (1) or read (2) words have any score."""
    return np.asarray(~np.isnan(table.log_p).all(axis=(0, 3 - axis)), dtype=np.bool_)


def _without(
    table: BlankTable, rows: Sequence[bool] | NDArray[np.bool_], columns: NDArray[np.bool_], lang: str
) -> BlankTable:
    """The table less the words that have no score at all."""
    row, column = np.flatnonzero(rows), np.flatnonzero(columns)
    if not row.size or not column.size:
        named = "; ".join(f"{lost.word!r}: {lost.reason}" for lost in table.lost[:2])
        which = "the first" if not row.size else "the second"
        raise InputError(f"no word of {which} set can be scored in language {lang!r}. {named}.")
    cells = np.ix_(np.arange(len(table.log_p)), row, column)
    return BlankTable(
        tuple(table.given[i] for i in row),
        tuple(table.read[i] for i in column),
        table.log_p[cells],
        table.log_prior[cells],
        table.lost,
    )


def _distinct(*lists: Sequence[Lost]) -> tuple[Lost, ...]:
    return tuple(dict.fromkeys(lost for several in lists for lost in several))
