"""Discovery: which words of a model's whole vocabulary lean most towards a target, and most away from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InputError, ModelError
from tiltmeter.lexicon.catalogue import template_set, word_set
from tiltmeter.lexicon.templates import Blank, TemplateSet
from tiltmeter.lexicon.words import Word, WordSet
from tiltmeter.measure.blanks import check_slots
from tiltmeter.measure.scores import ScoreMatrix
from tiltmeter.measurement import Measurement
from tiltmeter.metrics.agreement import over_versions
from tiltmeter.metrics.discovery import leaning
from tiltmeter.metrics.indirect import bridge_bounds, indirect_scores
from tiltmeter.metrics.logprob import Averaging, bias_scores
from tiltmeter.models.lm import LanguageModel, Query

Array = NDArray[np.float64]


@runtime_checkable
class VocabularyModel(Protocol):
    """A model that fills a blank with every word of its vocabulary at once."""

    def fill_vocabulary(self, queries: Sequence[Query], chunk: int = 4096) -> Iterator[tuple[list[str], Array]]:
        """Some words at a time, with log P of each (queries × words)."""


def with_vocabulary(model: LanguageModel) -> VocabularyModel:
    """The model, if its vocabulary can be searched: to be asked before anything is computed."""
    if not isinstance(model, VocabularyModel):
        raise ModelError(f"{model.name} does not give its whole vocabulary at a blank: use a masked model.")
    return model


def discover(
    model: LanguageModel,
    matrix: ScoreMatrix,
    target: str,
    *,
    templates: TemplateSet | None = None,
    bridge: WordSet | None = None,
    k: int = 20,
    resamples: int = 1_000,
    level: float = 0.95,
    seed: int = 0,
) -> list[Measurement]:
    """The k words of the vocabulary that go most with a target, strongest first, then the k that go least.

    The score is the indirect one: `matrix` gives how the names go with the target, and the templates of its features
    are read for every word of the vocabulary that is one token there. The p-value is adjusted for all of these words
    (Bonferroni): the highest of many is high by chance too.
    """
    if matrix.bridge is None:
        raise InputError("direct scores have no bridge to search by.", hint="Use the indirect score.")
    searched = with_vocabulary(model)
    if target not in matrix.targets:
        raise InputError(f"{target!r} is no target of these scores.", hint="Was it lost?")
    used = templates or template_set(str(matrix.settings["to_feature"]), matrix.language)
    check_slots(used)
    names = bridge or word_set(str(matrix.settings["bridge"]), matrix.language)
    known = {word.text: word for word in names.words}
    given = [known[name] for name in matrix.bridge.names]
    averaging: Averaging = matrix.settings["averaging"]
    to_target = matrix.bridge.to_target[matrix.targets.index(target)]
    queries = _queries(used, given)

    vocabulary: list[str] = []

    def chunks() -> Iterator[Array]:
        for words, log_p in searched.fill_vocabulary(queries):
            vocabulary.extend(words)
            yield _bias(log_p, used, averaging)

    found = leaning(to_target, chunks(), k=k)
    words = [vocabulary[place] for place in [*found.towards, *found.away]]
    if not words:
        raise InputError(f"no word of the vocabulary of {model.name} has a score with {target!r}.")
    to_words = _bias(model.fill(queries, words).log_p, used, averaging)
    scores = indirect_scores(to_target[None], to_words)
    bounds = bridge_bounds(to_target[None], to_words, resamples=resamples, level=level, seed=seed)
    return [
        Measurement(
            model=model.name,
            test=f"{target} × {word}",
            metric="indirect",
            language=matrix.language,
            value=float(scores.score[0, place]),
            low=float(bounds.low[0, place]),
            high=float(bounds.high[0, place]),
            level=level,
            p_value=min(1.0, float(scores.p_value[0, place]) * found.seen),
            method=f"p-value Bonferroni over {found.seen:,} words; interval {bounds.method} over names",
            counts={"names": int(scores.n[0, place])},
            settings={**matrix.settings, "to_feature": used.name},
            details={"target": target, "feature": word, "words_searched": found.seen},
        )
        for place, word in enumerate(words)
    ]


def _queries(templates: TemplateSet, names: Sequence[Word]) -> list[Query]:
    """For each template, the sentence of every name, then the one in which the name is a blank too."""
    queries: list[Query] = []
    for template in templates.templates:
        fillings: list[Word | Blank] = [*names, Blank()]
        texts = [template.fill({"target": filling, "feature": Blank()}) or "" for filling in fillings]
        queries += [*map(Query, texts[:-1]), Query(texts[-1], template.slots.index("feature"))]
    return queries


def _bias(log_p: Array, templates: TemplateSet, averaging: Averaging) -> Array:
    by_template = log_p.reshape(len(templates), -1, log_p.shape[1])
    prior = np.broadcast_to(by_template[:, -1:], by_template[:, :-1].shape)
    return bias_scores(*over_versions(by_template[:, :-1], prior, templates.groups), averaging=averaging)
