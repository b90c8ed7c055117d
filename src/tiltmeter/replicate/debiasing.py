"""Dobrzeniecka & Urbaniak, table 2 and section 5.2: MAC and similarities before and after debiasing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.stats import ttest_rel

from tiltmeter.bayes.data import CONNECTIONS, CONTROLS, Distances, mean_average_cosine
from tiltmeter.bayes.embedding import alone, distances_in
from tiltmeter.debias.fit import fit
from tiltmeter.debias.vocabulary import ArrayVocabulary
from tiltmeter.lexicon.catalogue import multiclass_test, word_set
from tiltmeter.lexicon.debias import bias
from tiltmeter.models.load import load
from tiltmeter.models.static import StaticEmbedding
from tiltmeter.replicate.source import published
from tiltmeter.replicate.tables import Figure, Replicated

NAME = "dobrzeniecka-urbaniak"
TESTS = ("religion", "race")  # of which section 5.2 prints figures
METHODS = ("hard", "soft")
_MISSING = "needs the embedding itself, not distances: --model"
_RESAMPLES = 1_999

Array = NDArray[np.float64]
Found = Mapping[str, Mapping[str, Distances]]  # by test, and by what was done: before, hard, soft


def before_and_after(model: str, test_name: str) -> dict[str, Distances]:
    """Distances of a test in a model, before debiasing and after hard and soft debiasing of its words."""
    test, of = multiclass_test(test_name), bias(test_name)
    words = dict.fromkeys(
        [
            *(word for definition in test.definitions for word in definition),
            *(word for stereotypes in test.stereotypes.values() for word in stereotypes),
            *(word for controls in CONTROLS for word in word_set(controls).texts),
            *sorted(of.own_words),
        ]
    )
    embedder = load(model)
    embedded = embedder.embed([alone(word) for word in words])
    names = [list(words)[place] for place in embedded.kept]
    matrix = np.asarray(embedded.vectors, dtype=np.float32)
    vocabulary = ArrayVocabulary(names, matrix, embedder.name)
    made = {"before": matrix}
    for method in METHODS:
        options = {"strength": published(NAME)["mac"]["strength"]} if method == "soft" else {}
        made[method] = fit(vocabulary, of, method, **options).transform(names, matrix)
    return {
        when: distances_in(StaticEmbedding.from_arrays(names, rows, name=f"{embedder.name}, {when}"), test)
        for when, rows in made.items()
    }


def tables(model: str, found: Found, *, seed: int = 0) -> list[Replicated]:
    """Table 2 and the shares of section 5.2; what `found` lacks is said to be missing."""
    printed = published(NAME)
    return [
        Replicated(
            title="Mean average cosine distance of the religion test",
            source=f"{printed['source']}, table 2",
            model=model,
            columns=("debiasing", "figure"),
            figures=tuple(_mac(found.get("religion", {}), seed)),
            note="The published figures are of the Reddit embedding. Here debiasing is fitted to the words of the test "
            "alone, there to the whole embedding. p-values: paired t-tests of the averages by word and set, which the "
            f"paper shows not to be trusted. Intervals: bootstrap over protected words. Met: a MAC within "
            f"{printed['tolerance']['mac']:g}.",
        ),
        *(_shares(model, test, found[test], seed) for test in TESTS if test in found),
    ]


def _mac(found: Mapping[str, Distances], seed: int) -> list[Figure]:
    printed = published(NAME)
    figures = []
    for when in ("before", *METHODS):
        here = found.get(when)
        low, high = _interval(_set_means(here), seed) if here else (math.nan, math.nan)
        figures.append(
            Figure(
                labels=(when, "MAC"),
                published=printed["mac"][when],
                measured=mean_average_cosine(here) if here else None,
                low=low,
                high=high,
                digits=3,
                tolerance=printed["tolerance"]["mac"],
                remark="" if here else _MISSING,
            )
        )
        if when in printed["mac"]["p_value"]:
            figures.append(
                Figure(
                    labels=(when, "p-value"),
                    published=printed["mac"]["p_value"][when],
                    measured=_p_value(found["before"], here) if here else None,
                    digits=None,
                    remark="" if here else _MISSING,
                )
            )
    return figures


def _shares(model: str, test: str, found: Mapping[str, Distances], seed: int) -> Replicated:
    printed = published(NAME)
    limit = 1 - printed["mac"]["before"]
    figures = []
    for connection, known in printed["within"][test].items():
        for theirs, when in zip(known, ("before", "hard"), strict=True):
            here = found.get(when)
            inside = _inside(here, connection, limit) if here else []
            low, high = _interval(inside, seed) if here else (math.nan, math.nan)
            figures.append(
                Figure(
                    labels=(connection, when),
                    published=float(theirs),
                    measured=float(np.mean(np.concatenate(inside))) if here else None,
                    low=low,
                    high=high,
                    digits=0,
                    tolerance=printed["tolerance"]["within"],
                    remark="" if here else _MISSING,
                )
            )
    note = (
        "The published figures are of the Reddit embedding. Intervals: bootstrap over protected words. Met: within "
        f"{printed['tolerance']['within']:g}."
    )
    if test != "religion":
        note += (
            f" The paper prints no bounds for {test}; these are those of religion. In its distances no bounds give "
            "both figures before debiasing: within 0 ± 0.14 are 67 % of the human ones, within 0 ± 0.11 are 39 % of "
            "the different ones."
        )
    return Replicated(
        title=f"Per cent of similarities within 0 ± {limit:.3f}, {test} test",
        source=f"{printed['source']}, section 5.2",
        model=model,
        columns=("words", "debiasing"),
        figures=tuple(figures),
        note=note,
    )


def _inside(distances: Distances, connection: str, limit: float) -> list[Array]:
    """100 for each similarity inside the bounds, 0 for the others, by protected word."""
    rows = distances.connection == CONNECTIONS.index(connection)
    hundred = 100.0 * (np.abs(1 - distances.distance) <= limit)
    return [hundred[rows & (distances.word == word)] for word in range(len(distances.words))]


def _set_means(distances: Distances) -> list[Array]:
    """The mean distances to each set of stereotypes, by protected word: what MAC is the mean of."""
    of = np.array([name or CONNECTIONS[code] for name, code in zip(distances.sets, distances.connection, strict=True)])
    stereotypes = ~np.isin(distances.connection, [CONNECTIONS.index(name) for name in CONTROLS])
    names = np.unique(of[stereotypes])
    found = []
    for word in range(len(distances.words)):
        rows = [stereotypes & (distances.word == word) & (of == name) for name in names]
        found.append(np.array([distances.distance[each].mean() for each in rows if each.any()]))
    return found


def _p_value(before: Distances, after: Distances) -> float:
    return float(ttest_rel(np.concatenate(_set_means(before)), np.concatenate(_set_means(after))).pvalue)


def _interval(by_word: Sequence[Array], seed: int) -> tuple[float, float]:
    """A percentile interval of the mean of all values: a bootstrap over the words that they are of."""
    sums = np.array([values.sum() for values in by_word])
    counts = np.array([values.size for values in by_word])
    drawn = np.random.default_rng(seed).integers(0, len(by_word), (_RESAMPLES, len(by_word)))
    totals = counts[drawn].sum(axis=1)
    means = sums[drawn].sum(axis=1)[totals > 0] / totals[totals > 0]
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)
