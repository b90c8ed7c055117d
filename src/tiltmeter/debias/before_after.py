"""Before and after: the same measures on the same words in both models, and what no single number would show.

A debiasing that is measured by what it was built to change looks perfect. So the measures of bias stand beside what a
classifier can still recover, how far words moved that had nothing to do with the bias, and whether the vectors still
work; and each row says whether the method makes it so by construction.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tiltmeter.bayes.data import CONTROLS, Distances
from tiltmeter.debias.along import along, directions
from tiltmeter.debias.associations import associations
from tiltmeter.debias.closeness import closeness
from tiltmeter.debias.construction import LEANING_GROUP, Construction
from tiltmeter.debias.leaning import Leaning
from tiltmeter.debias.paired import Differences, differences
from tiltmeter.debias.remains import Group, recovered
from tiltmeter.debias.sample import Sample, wide
from tiltmeter.debias.useful import kept_neighbours, moved, useful
from tiltmeter.lexicon.catalogue import word_sets
from tiltmeter.lexicon.debias import Bias, usefulness
from tiltmeter.lexicon.words import Gender
from tiltmeter.measurement import Measurement
from tiltmeter.models.base import Embedder

if TYPE_CHECKING:
    from tiltmeter.bayes.fit import Posterior

BEFORE, AFTER = "before", "after"
LEANING = 500  # words of each class, as Gonen & Goldberg
_ROUNDING = {"float16": 2**-11, "bfloat16": 2**-8}
_SINGLE = 1e-6

Report = Callable[[str], None]


def precision(numbers: str, dimension: int) -> float:
    """How far rounding moves a cosine similarity: u / √d for numbers with a relative error of u.

    Each of the d products of two vectors of length 1 is about 1 / d, and has a rounding error of its own.
    """
    return max(_ROUNDING.get(numbers, 0.0) / math.sqrt(dimension), _SINGLE)


@dataclass(frozen=True)
class BeforeAfter:
    """All that was measured of a debiasing."""

    title: str
    before: tuple[Measurement, ...]
    after: tuple[Measurement, ...]
    differences: Differences = field(default_factory=dict)  # intervals, where the sides are not independent
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
    made: Construction,
    *,
    title: str,
    numbers: str = "float32",
    in_sentences: bool = False,
    bayes: bool = True,
    seed: int = 0,
    tell: Report = lambda _: None,
) -> BeforeAfter:
    """Everything that can be measured of vectors. `leaning` are the words that leaned furthest before; `numbers` is the
    type in which the vectors of after are kept."""
    remarks: list[str] = []
    rows: dict[str, list[Measurement]] = {BEFORE: [], AFTER: []}
    models = {BEFORE: before, AFTER: after}
    lang = bias.language
    smallest = precision(numbers, sample.before.shape[1])
    if numbers in _ROUNDING:
        remarks.append(
            f"The vectors are kept as {numbers}. What a method makes exactly 0 is 0 up to the rounding of these "
            f"numbers: a cosine similarity is off by about {smallest:.0e}, where float32 would keep 1e-06."
        )
    tell("association tests")
    tested, apart = associations(models, bias, seed=seed, in_sentences=in_sentences, smallest=smallest, remarks=remarks)
    for side, found in tested.items():
        rows[side] += found
    tell("distances to stereotypes and control words")
    near = closeness(models, bias, bayes=bayes, seed=seed, remarks=remarks)
    for side, found in near.rows.items():
        rows[side] += found
    tell("direct and indirect bias")
    probes = [word for name in bias.probe if name in word_sets(lang) for word in word_sets(lang)[name].texts]
    for row in along(sample, bias, probes, (BEFORE, AFTER)):
        rows[row.model].append(row)
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
    named = neutral_words(bias) | {"all neutral words": tuple(word for word in sample.words if word not in own)}
    rows[AFTER] += moved(sample, named, AFTER, lang)
    at_first, at_last = (directions(sample, side, bias) for side in (sample.before, sample.after))
    return BeforeAfter(
        title=title,
        before=tuple(rows[BEFORE]),
        after=tuple(made.flagged(rows[AFTER], bias, at_first, at_last)),
        differences={**differences(rows[BEFORE], rows[AFTER]), **apart, **near.changes},
        posteriors=near.posteriors,
        distances=near.distances,
        remarks=tuple(dict.fromkeys(remarks)),
    )


def neutral_words(bias: Bias) -> dict[str, tuple[str, ...]]:
    """Words that have nothing to do with a bias, or should not have."""
    sets = word_sets(bias.language)
    named = {f"{name} words": sets[name].texts for name in CONTROLS if name in sets}
    probes = tuple(word for name in bias.probe if name in sets for word in sets[name].texts)
    return named | ({"words that should show no bias": probes} if probes else {})


def groups(sample: Sample, bias: Bias, leaning: Leaning) -> Iterator[Group]:
    """Words whose class shall be told: those that leaned furthest, and those that have a class of their own; in either
    case none that a method was fitted to."""
    here = [place for place, word in enumerate(leaning.words) if word in sample.row]
    if here:
        words = tuple(leaning.words[place] for place in here)
        yield Group(LEANING_GROUP, words, leaning.labels[here], bias.classes)
    words_of = word_sets(bias.language).get(bias.labelled)
    genders = [Gender(name) for name in bias.classes if name in {*Gender}]
    if words_of is not None and len(genders) == len(bias.classes):
        fitted = bias.own_words | {word for context in bias.contexts for row in context.sets for word in row}
        known = [
            word
            for word in words_of.words
            if word.gender in genders and word.text in sample.row and word.text not in fitted
        ]
        labels = np.array([genders.index(word.gender) for word in known if word.gender], dtype=np.intp)
        if known:
            yield Group(words_of.title.lower(), tuple(word.text for word in known), labels, bias.classes)


def asked_words(bias: Bias) -> list[str]:
    """Every word of the lexicon that a comparison looks at: the vocabulary of a model that has none of its own."""
    sets = word_sets(bias.language)
    names = [*bias.probe, *CONTROLS, bias.labelled]
    words = [word for name in names if name in sets for word in sets[name].texts]
    if (tasks := usefulness(bias.language)) is not None:
        words += [word for pairs in tasks.analogies.values() for pair in pairs for word in pair]
        words += [word for triple in tasks.triples for word in triple]
    return list(dict.fromkeys([*words, *(word for row in (*bias.definitions, *bias.equalise) for word in row if word)]))
