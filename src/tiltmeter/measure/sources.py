"""Where an association comes from: what is left of it when a sensitive attribute of the names is held fixed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InputError
from tiltmeter.lexicon.catalogue import template_set, template_sets, word_set
from tiltmeter.lexicon.templates import TemplateSet
from tiltmeter.lexicon.words import Kind, WordSet
from tiltmeter.measure.blanks import BlankTable, blank_tables
from tiltmeter.measure.scores import ScoreMatrix
from tiltmeter.metrics.logprob import averaged, bias_scores
from tiltmeter.metrics.sources import Source, Sources, rank_sources, sources
from tiltmeter.models.lm import LanguageModel

COMMONNESS = "how common a name is"
_MOST_COLUMNS = 20  # of some 780 names: 20 columns of noise explain under 3 % of the variance
SENSITIVE = ("gender", "age", "race", "origin", "religion", "sexual-orientation")


@dataclass(frozen=True, slots=True)
class Explained:
    """For every pair of a score matrix, what each sensitive word and each category as a whole explains."""

    matrix: ScoreMatrix
    category: dict[str, str]  # of each candidate: "gender" for "woman", and for "gender" itself
    sources: Sources

    def ranked(self, target: str, feature: str) -> list[Source]:
        """The candidates for one pair, those that explain most first."""
        if target not in self.matrix.targets or feature not in self.matrix.features:
            raise InputError(f"there is no score of {target!r} with {feature!r}.", hint="Was one of them lost?")
        return rank_sources(self.sources, self.matrix.targets.index(target), self.matrix.features.index(feature))

    def sentence(self, target: str, feature: str) -> str:
        """What explains most, in plain words."""
        first = self.ranked(target, feature)[0]
        raw = self.matrix.measurement(target, feature).value
        verb = "shrinks" if abs(first.partial) < abs(raw) else "grows"
        return (
            f"Holding {first.name!r} fixed, the link between {target} and {feature} {verb} "
            f"from {raw:.2f} to {first.partial:.2f} ({first.partial_low:.2f} to {first.partial_high:.2f})."
        )


def sensitive_sets(lang: str, bridge: str = "name") -> tuple[str, ...]:
    """Those of SENSITIVE that a language has, with templates that link its names to them."""
    known = template_sets(lang)
    return tuple(one for one in SENSITIVE if f"{bridge}-{one}" in known)


def explain(
    model: LanguageModel,
    matrix: ScoreMatrix,
    sensitive: Sequence[str] | Mapping[WordSet, TemplateSet] | None = None,
    *,
    bridge: WordSet | None = None,
    resamples: int = 1_000,
    level: float = 0.95,
    seed: int = 0,
) -> Explained:
    """Partial correlations of an indirect score matrix, each sensitive attribute of the names held fixed in turn.

    A category, such as gender, is held fixed as a whole too: all of its words at once. A category of numbers, such as
    age, is the number that the model expects beside the name. How common a name is to the model is one more candidate,
    though not a sensitive one. Categories are bundled word sets by name, or your own with their templates; by default
    all of SENSITIVE that the language has.
    """
    if matrix.bridge is None:
        raise InputError("direct scores have no bridge, and so no sources.", hint="Use the indirect score.")
    names = bridge or word_set(str(matrix.settings["bridge"]), matrix.language)
    known = {word.text: word for word in names.words}
    given = [known[name] for name in matrix.bridge.names]
    lang = matrix.language
    sensitive = sensitive_sets(lang, names.name) if sensitive is None else sensitive
    categories = (
        sensitive
        if isinstance(sensitive, Mapping)
        else {word_set(one, lang): template_set(f"{names.name}-{one}", lang) for one in sensitive}
    )
    tables = blank_tables(model, [(used, given, words.words, "feature") for words, used in categories.items()])
    candidates: dict[str, NDArray[np.float64]] = {}
    category: dict[str, str] = {}
    for words, table in zip(categories, tables, strict=True):
        for name, columns in _candidates(words, table).items():
            candidates[name] = columns
            category[name] = words.name
    candidates[COMMONNESS] = matrix.bridge.commonness
    category[COMMONNESS] = COMMONNESS
    found = sources(
        matrix.bridge.to_target, matrix.bridge.to_feature, candidates, resamples=resamples, level=level, seed=seed
    )
    return Explained(matrix, category, found)


def _candidates(words: WordSet, table: BlankTable) -> dict[str, NDArray[np.float64]]:
    """What a category offers to be held fixed: each word, and all together. So many columns that they would explain
    anything are not offered."""
    if all(Kind.NUMBER in word.kinds for word in words.words):
        p = np.exp(averaged(table.log_p))
        values = np.array([float(text) for text in table.read])
        known = ~np.isnan(p).all(axis=0)
        return {words.name: np.asarray(p[:, known] @ values[known] / p[:, known].sum(axis=1))}
    scores = bias_scores(table.log_p, table.log_prior)
    scored = np.flatnonzero(~np.isnan(scores).all(axis=0))
    single = {table.read[column]: scores[:, column] for column in scored}
    return single | ({words.name: scores[:, scored]} if 1 < scored.size <= _MOST_COLUMNS else {})
