"""Before and after: the same measures on the same words in both models, and what no single number would show.

A debiasing that is measured by what it was built to change looks perfect. So the measures of bias stand beside what a
classifier can still recover, how far words moved that had nothing to do with the bias, and whether the vectors still
work; and each row says whether the method makes it so by construction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tiltmeter.bayes.data import CONTROLS, Distances, mean_average_cosine
from tiltmeter.bayes.embedding import distances_in
from tiltmeter.debias.leaning import Leaning
from tiltmeter.debias.remains import Group, recovered
from tiltmeter.debias.sample import Sample, wide
from tiltmeter.debias.useful import kept_neighbours, mean_with_interval, moved, useful
from tiltmeter.errors import InputError, ModelError
from tiltmeter.lexicon.catalogue import association_test, association_tests, multiclass_tests, word_sets
from tiltmeter.lexicon.debias import Bias, usefulness
from tiltmeter.lexicon.words import Gender
from tiltmeter.measure.association import seat, weat
from tiltmeter.measurement import Measurement
from tiltmeter.metrics.association import Array
from tiltmeter.metrics.subspace import bias_subspace, direct_bias, indirect_bias
from tiltmeter.models.base import Embedder

if TYPE_CHECKING:
    from tiltmeter.bayes.fit import Posterior

BEFORE, AFTER = "before", "after"
LEANING = 500  # words of each class, as Gonen & Goldberg
_NEAREST = 5

Report = Callable[[str], None]


@dataclass(frozen=True)
class BeforeAfter:
    """All that was measured of a debiasing."""

    title: str
    before: tuple[Measurement, ...]
    after: tuple[Measurement, ...]
    posteriors: tuple[Posterior, ...] = ()  # before, after
    distances: tuple[Distances, ...] = ()  # likewise
    remarks: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)

    def both(self, metric: str) -> list[tuple[Measurement, Measurement]]:
        """The rows of a metric that stand on both sides."""
        after = {row.test: row for row in self.after if row.metric == metric}
        return [(row, after[row.test]) for row in self.before if row.metric == metric and row.test in after]


def compare_vectors(
    before: Embedder,
    after: Embedder,
    bias: Bias,
    sample: Sample,
    leaning: Leaning,
    *,
    title: str,
    in_sentences: bool = False,
    bayes: bool = True,
    seed: int = 0,
    tell: Report = lambda _: None,
) -> BeforeAfter:
    """Everything that can be measured of vectors. `leaning` are the words that leaned furthest before."""
    remarks: list[str] = []
    rows: dict[str, list[Measurement]] = {BEFORE: [], AFTER: []}
    models = {BEFORE: before, AFTER: after}
    lang = bias.language
    tell("association tests")
    for side, model in models.items():
        rows[side] += _tests(model, side, bias, seed, remarks, in_sentences=in_sentences)
    tell("distances to stereotypes and control words")
    found = _distances(models, bias, remarks)
    for side, distances in found.items():
        rows[side].append(_mac(distances, side))
    posteriors = _posteriors(list(found.values()), seed, remarks) if bayes and found else ()
    if posteriors:
        from tiltmeter.bayes.summary import measurements

        for side, posterior in zip(rows, posteriors, strict=True):
            rows[side] += measurements(posterior)
    tell("direct and indirect bias")
    probes = [word for name in bias.probe if name in word_sets(lang) for word in word_sets(lang)[name].texts]
    for side, vectors in zip(rows, (sample.before, sample.after), strict=True):
        rows[side] += _subspace(sample, wide(vectors), bias, probes, side)
    tell("what a classifier still tells")
    for group in groups(sample, bias, leaning):
        places = sample.rows_of(group.words)
        sides = {BEFORE: wide(sample.before[places]), AFTER: wide(sample.after[places])}
        for row in recovered(sides, group, language=lang, seed=seed):
            rows[row.model].append(row)
    tell("whether it still works")
    for row in useful(sample, (BEFORE, AFTER), usefulness(lang), lang):
        rows[row.model].append(row)
    kept = kept_neighbours(sample, AFTER, lang, seed=seed)
    rows[AFTER] += [] if kept is None else [kept]
    own = {way for word in bias.own_words for way in (word, word.lower(), word.title())}
    named = {f"{name} words": word_sets(lang)[name].texts for name in CONTROLS if name in word_sets(lang)}
    named |= {"words that should show no bias": tuple(probes)} if probes else {}
    named["all neutral words"] = tuple(word for word in sample.words if word not in own)
    rows[AFTER] += moved(sample, named, AFTER, lang)
    return BeforeAfter(
        title=title,
        before=tuple(rows[BEFORE]),
        after=tuple(rows[AFTER]),
        posteriors=tuple(posteriors),
        distances=tuple(found.values()),
        remarks=tuple(dict.fromkeys(remarks)),
    )


def groups(sample: Sample, bias: Bias, leaning: Leaning) -> Iterator[Group]:
    """Words whose class shall be told: those that leaned furthest, and those that have a class of their own."""
    here = [place for place, word in enumerate(leaning.words) if word in sample.row]
    if here:
        words = tuple(leaning.words[place] for place in here)
        yield Group("words that leaned furthest", words, leaning.labels[here], bias.classes)
    words_of = word_sets(bias.language).get(bias.labelled)
    genders = [Gender(name) for name in bias.classes if name in {*Gender}]
    if words_of is not None and len(genders) == len(bias.classes):
        known = [word for word in words_of.words if word.gender in genders and word.text in sample.row]
        labels = np.array([genders.index(word.gender) for word in known if word.gender], dtype=np.intp)
        if known:
            yield Group(words_of.title.lower(), tuple(word.text for word in known), labels, bias.classes)


def _tests(
    model: Embedder, side: str, bias: Bias, seed: int, remarks: list[str], *, in_sentences: bool
) -> Iterator[Measurement]:
    for name in bias.tests:
        if name not in association_tests(bias.language):
            continue
        test = association_test(name, bias.language)
        try:
            found = (seat if in_sentences else weat)(model, test, seed=seed)
        except InputError as error:
            remarks.append(f"{name}: {error}")
            continue
        row = found.measurement()
        yield renamed(row, side)
        # In the unit of before a vanishing association shows as what it is; its own spread may vanish with it.
        yield renamed(
            row,
            side,
            metric="association",
            value=found.statistic / max(1, found.counts["X"]),
            low=float("nan"),
            high=float("nan"),
            p_value=float("nan"),
            method="difference of the mean associations of X and Y, in cosine similarity",
            details={},
        )


def renamed(row: Measurement, side: str, **changed: Any) -> Measurement:
    import dataclasses

    return dataclasses.replace(row, model=side, **changed)


def _distances(models: dict[str, Embedder], bias: Bias, remarks: list[str]) -> dict[str, Distances]:
    if bias.multiclass not in multiclass_tests(bias.language):
        return {}
    import dataclasses

    try:
        found = {side: distances_in(model, bias.multiclass, lang=bias.language) for side, model in models.items()}
    except InputError as error:
        remarks.append(f"{bias.multiclass}: {error}")
        return {}
    if not all("associated" in one.present and "different" in one.present for one in found.values()):
        remarks.append(f"{bias.multiclass}: its words or its stereotypes are not in the vocabulary")
        return {}
    return {side: dataclasses.replace(one, model=side) for side, one in found.items()}


def _mac(distances: Distances, side: str) -> Measurement:
    """MAC, with an interval over the protected words."""
    stereotype = np.isin(distances.connection, (0, 1))
    sets = sorted({distances.sets[row] for row in np.flatnonzero(stereotype)})
    of = np.array([sets.index(name) if here else -1 for name, here in zip(distances.sets, stereotype, strict=True)])
    means = []
    for word in range(len(distances.words)):
        mine = [distances.distance[(distances.word == word) & (of == each)] for each in range(len(sets))]
        means.append(
            np.mean([each.mean() for each in mine if each.size]) if any(each.size for each in mine) else np.nan
        )
    values = np.array(means)[np.isfinite(means)]
    row = mean_with_interval(side, distances.name, "mac", values, language=distances.language, method="protected words")
    return renamed(row, side, value=mean_average_cosine(distances), lost=distances.lost)


def _posteriors(found: Sequence[Distances], seed: int, remarks: list[str]) -> tuple[Posterior, ...]:
    from tiltmeter.bayes.fit import fit, require

    try:
        require()
        return tuple(fit(list(found), seed=seed, draws=2_000))
    except (ModelError, InputError) as error:
        remarks.append(f"no Bayesian estimate: {error}")
        return ()


def _subspace(sample: Sample, rows: Array, bias: Bias, probes: Sequence[str], side: str) -> Iterator[Measurement]:
    """Direct and indirect bias, along the direction that this side's own defining words show."""
    sets = [rows[sample.rows_of([word for word in row if word])] for row in bias.definitions]
    sets = [one for one in sets if len(one) > 1]
    words = np.unique(sample.rows_of(probes))
    if not sets or words.size < 2:
        return
    try:
        found = bias_subspace(sets, min(len(bias.classes) - 1, sum(len(one) - 1 for one in sets)))
    except ValueError:
        return
    vectors = rows[words]
    what = f"{' and '.join(bias.probe)} words"
    how = {"details": {"direction": "of its own defining words"}}
    lean = np.sqrt(np.sum((vectors @ found.directions.T) ** 2, axis=1))
    if len(found.directions) == 1:
        lean = np.array([direct_bias(vector[None], found.directions[0]) for vector in vectors])
    direct = mean_with_interval(side, what, "direct bias", lean, language=bias.language, method="words")
    yield renamed(direct, side, **how)
    if len(found.directions) > 1:
        return
    start = wide(sample.before[words])
    near = start @ start.T
    np.fill_diagonal(near, -np.inf)
    order = np.argsort(-near, axis=1)[:, : min(_NEAREST, len(words) - 1)]  # the same pairs on both sides
    shares = np.abs(indirect_bias(vectors, vectors, found.directions[0]))
    mean = np.nanmean(np.take_along_axis(shares, order, axis=1), axis=1)
    indirect = mean_with_interval(
        side, f"{what}, nearest pairs", "indirect bias", mean, language=bias.language, method="words"
    )
    yield renamed(indirect, side, **how)


def asked_words(bias: Bias) -> list[str]:
    """Every word of the lexicon that a comparison looks at: the vocabulary of a model that has none of its own."""
    sets = word_sets(bias.language)
    names = [*bias.probe, *CONTROLS, bias.labelled]
    words = [word for name in names if name in sets for word in sets[name].texts]
    if (tasks := usefulness(bias.language)) is not None:
        words += [word for pairs in tasks.analogies.values() for pair in pairs for word in pair]
        words += [word for triple in tasks.triples for word in triple]
    return list(dict.fromkeys([*words, *(word for row in (*bias.definitions, *bias.equalise) for word in row if word)]))
