"""Before and after, for a masked model that is projected at the blank."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from tiltmeter.debias.before_after import AFTER, BEFORE, BeforeAfter, Report, neutral_words
from tiltmeter.debias.blank_vectors import BlankVectors
from tiltmeter.debias.closeness import closeness
from tiltmeter.debias.held_out import FEWEST_SETS, held_out
from tiltmeter.debias.paired import Differences, differences, mean_with_interval
from tiltmeter.debias.remains import Group, recovered
from tiltmeter.debias.sample import sample_of_models
from tiltmeter.debias.templates import in_sentences
from tiltmeter.debias.useful import moved
from tiltmeter.errors import InputError
from tiltmeter.lexicon.catalogue import association_test, association_tests, template_sets, word_sets
from tiltmeter.lexicon.debias import SLOT, Bias, filled
from tiltmeter.lexicon.pairs import pair_set
from tiltmeter.lexicon.words import Gender
from tiltmeter.measure.crows import CrowsResult, crows
from tiltmeter.measure.lpbs import lpbs
from tiltmeter.measure.scores import ScoreMatrix, direct, indirect
from tiltmeter.measurement import Measurement
from tiltmeter.metrics.association import Array
from tiltmeter.metrics.paired import preference_difference
from tiltmeter.metrics.pairs import DIRECTIONS, preferences
from tiltmeter.models.lm import Query
from tiltmeter.models.masked import MaskedModel

_NAMES = 120  # of each class
_SENTENCES = 3  # with names
_PREDICTED = 10
_NAMED = 12  # lost words of one kind that a remark names


def compare_masked(
    before: MaskedModel,
    after: MaskedModel,
    bias: Bias,
    *,
    title: str,
    dimensions: int | None = None,
    bayes: bool = True,
    seed: int = 0,
    tell: Report = lambda _: None,
) -> BeforeAfter:
    """Everything that can be measured of the probabilities of a masked model."""
    remarks: list[str] = []
    rows: dict[str, list[Measurement]] = {BEFORE: [], AFTER: []}
    models = {BEFORE: before, AFTER: after}

    def measured(what: str, run: Callable[[MaskedModel], Iterator[Measurement]]) -> None:
        tell(what)
        for side, model in models.items():
            try:
                rows[side] += [dataclasses.replace(row, model=side) for row in run(model)]
            except InputError as error:
                remarks.append(f"{what}: {str(error).replace(model.name, 'the model')}")  # once for both sides

    for name in bias.tests:
        if name in association_tests(bias.language):
            measured(f"LPBS, {name}", lambda model, name=name: _lpbs(model, name, bias, seed))  # type: ignore[misc]
    pairs: list[CrowsResult] = []
    measured("CrowS pairs", lambda model: _crows(model, bias, seed, pairs))
    measured("direct scores", lambda model: _direct(model, bias))
    measured("indirect scores", lambda model: _indirect(model, bias, seed))
    tell("distances to stereotypes and control words")
    vectors = {side: BlankVectors(model, bias, side) for side, model in models.items()}
    near = closeness(vectors, bias, bayes=bayes, seed=seed, remarks=remarks)
    for side, found in near.rows.items():
        rows[side] += found
    tell("what a classifier still tells")
    for group, sides in _groups(models, bias, dimensions or len(bias.classes) - 1, remarks):
        for row in recovered(sides, group, language=bias.language, seed=seed):
            rows[row.model].append(row)
    measured("whether it still works", lambda model: _expected(model, bias))
    rows[AFTER] += _predictions(before, after, bias)
    rows[AFTER] += _moved(vectors, bias)
    remarks += _lost(rows[BEFORE])
    return BeforeAfter(
        title=title,
        before=tuple(rows[BEFORE]),
        after=tuple(rows[AFTER]),
        differences={**differences(rows[BEFORE], rows[AFTER]), **_of_pairs(pairs, seed), **near.changes},
        posteriors=near.posteriors,
        distances=near.distances,
        remarks=tuple(dict.fromkeys(remarks)),
    )


def _moved(vectors: dict[str, BlankVectors], bias: Bias) -> Iterator[Measurement]:
    """How far the states went that say what the model expects of words that are neutral."""
    named = neutral_words(bias)
    words = list(dict.fromkeys(word for group in named.values() for word in group))
    sample = sample_of_models(vectors[BEFORE], vectors[AFTER], words)
    yield from moved(sample, {f"states after {name}": group for name, group in named.items()}, AFTER, bias.language)


def _lost(rows: list[Measurement]) -> Iterator[str]:
    """Which words took no part, by measure and reason."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for row in rows:
        for one in row.lost:
            found.setdefault((row.metric, row.test, one.reason), []).append(one.word)
    for (metric, test, reason), words in found.items():
        distinct = list(dict.fromkeys(words))
        more = f" and {len(distinct) - _NAMED} more (all in debias.json)" if len(distinct) > _NAMED else ""
        yield f"{metric}, {test}: without {', '.join(distinct[:_NAMED])}{more}: {reason}."


def _crows(model: MaskedModel, bias: Bias, seed: int, kept: list[CrowsResult]) -> Iterator[Measurement]:
    kept.append(crows(model, lang=bias.language, seed=seed))
    yield from kept[-1].measurements()


def _of_pairs(sides: Sequence[CrowsResult], seed: int) -> Differences:
    """The intervals of the differences, over pairs of sentences that are resampled on both sides together."""
    if len(sides) != 2 or sides[0].pairs != sides[1].pairs:
        return {}
    first, second = (preferences(one.log_more, one.log_less) for one in sides)
    pairs = sides[0].pairs
    parts = {"": [True] * len(pairs)}
    parts |= {f"{way}type": [pair.direction == way for pair in pairs] for way in DIRECTIONS}
    parts |= {kind: [pair.bias_type == kind for pair in pairs] for kind in dict.fromkeys(p.bias_type for p in pairs)}
    found: Differences = {}
    for part, here in parts.items():
        _, interval = preference_difference(
            first[here], second[here], ties_count=not part.endswith("stereotype"), seed=seed
        )
        found["crows", f"{sides[0].pair_set} {part}".strip()] = (interval.low, interval.high)
    return found


def _lpbs(model: MaskedModel, name: str, bias: Bias, seed: int) -> Iterator[Measurement]:
    yield lpbs(model, association_test(name, bias.language), seed=seed)


def _direct(model: MaskedModel, bias: Bias) -> Iterator[Measurement]:
    if len(bias.scores) != 3:
        return
    targets, features, _ = bias.scores
    if f"{targets}-{features}" not in template_sets(bias.language):
        return
    matrix = direct(model, targets, features, lang=bias.language)
    yield _size(model, matrix, f"{targets} × {features}", "direct scores", bias)


def _indirect(model: MaskedModel, bias: Bias, seed: int) -> Iterator[Measurement]:
    if len(bias.scores) != 3:
        return
    targets, features, bridge = bias.scores
    known = template_sets(bias.language)
    if f"{targets}-{bridge}" not in known or f"{bridge}-{features}" not in known:
        return
    matrix = indirect(model, targets, features, bridge=bridge, lang=bias.language, seed=seed)
    yield _size(model, matrix, f"{targets} × {features}, by {bridge}", "indirect scores", bias)


def _size(model: MaskedModel, matrix: ScoreMatrix, test: str, metric: str, bias: Bias) -> Measurement:
    """The mean size of the scores, how far they lean either way; over the targets."""
    here = np.isfinite(matrix.score).any(axis=1)
    known = matrix.score[here]
    values = np.nanmean(np.abs(known), axis=1) if known.size else np.empty(0)
    if not values.size:
        raise InputError(f"{model.name} can score none of {test}.")
    targets = [matrix.targets[row] for row in np.flatnonzero(here)]
    row = mean_with_interval(
        model.name, test, metric, values, of=targets, language=bias.language, method="targets, mean size"
    )
    return dataclasses.replace(row, lost=matrix.lost)


def _groups(
    models: dict[str, MaskedModel], bias: Bias, dimensions: int, remarks: list[str]
) -> Iterator[tuple[Group, dict[str, Array]]]:
    """Whose sentence was it? From the states at blanks: of defining words, and of first names of either gender, in both
    cases of words that the projection was not fitted to."""
    found = held_out(in_sentences(models[BEFORE], bias, "blank"), bias.classes, dimensions)
    if found is None:
        remarks.append(
            "What a classifier tells of the defining words: not tested, as half of them and of their sentences must be "
            f"held out. It takes {FEWEST_SETS} definitions or more, each in two sentences or more."
        )
    else:
        yield found[0], {BEFORE: found[1], AFTER: found[2]}
    genders = [Gender(name) for name in bias.classes if name in {*Gender}]
    sets = word_sets(bias.language)
    if bias.labelled not in sets or len(genders) != len(bias.classes):
        return
    fitted = {word for context in bias.contexts for words in context.sets for word in words}
    words: list[str] = []
    labels: list[int] = []
    for label, gender in enumerate(genders):
        named = [word.text for word in sets[bias.labelled].words if word.gender is gender and word.text not in fitted]
        mine = named[:: max(len(named) // _NAMES, 1)][:_NAMES]
        words += mine
        labels += [label] * len(mine)
    queries = [Query(filled(sentence, word)) for word in words for sentence in bias.contexts[-1].blanks[:_SENTENCES]]
    states = {
        side: np.asarray(model.blank_states(queries), dtype=np.float64).reshape(len(words), -1)
        for side, model in models.items()
    }
    title = f"states after {sets[bias.labelled].title.lower()}"
    yield Group(title, tuple(words), np.array(labels), bias.classes), states


def _expected(model: MaskedModel, bias: Bias) -> Iterator[Measurement]:
    """How likely the model finds the words of plain sentences: the mean log-probability of a token that is masked."""
    texts = list(dict.fromkeys(pair.less for pair in pair_set(bias.language).pairs))[:40]
    values = []
    for tokens in model.sentence_tokens(texts):
        masked = [(tokens.ids, place) for place in range(len(tokens.ids)) if not tokens.special[place]]
        if masked:
            values.append(float(np.mean(model.masked_token_log_probs(masked))))
    yield mean_with_interval(
        model.name,
        "log P of a masked token",
        "log-likelihood",
        np.array(values),
        language=bias.language,
        method="sentences",
    )


def _predictions(before: MaskedModel, after: MaskedModel, bias: Bias) -> Iterator[Measurement]:
    """Of the ten likeliest words at a blank before, how many per cent are among the ten likeliest after."""
    queries = [
        Query(filled(sentence, word))
        for context in bias.contexts
        for sentence in context.blanks
        for word in context.sets[0]
        if word and SLOT in sentence
    ]
    tops = []
    for model in (before, after):
        parts = list(model.fill_vocabulary(queries))
        words = np.array([word for part, _ in parts for word in part])
        log_p = np.concatenate([found for _, found in parts], axis=1) if parts else np.empty((len(queries), 0))
        tops.append([set(words[np.argsort(-line)[:_PREDICTED]].tolist()) for line in log_p])
    shared = np.array([100 * len(one & other) / max(len(one), 1) for one, other in zip(*tops, strict=True)])
    if shared.size:
        yield mean_with_interval(
            AFTER, f"{_PREDICTED} likeliest words", "predictions kept", shared, language=bias.language, method="blanks"
        )
