"""Dobrzeniecka & Urbaniak, table 2 and section 5.2: MAC and similarities before and after debiasing."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tiltmeter.bayes.data import Distances, mean_average_cosine
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
_TEST = "religion"
METHODS = ("hard", "soft")


def before_and_after(model: str) -> dict[str, Distances]:
    """Distances of the religion test in a model, before debiasing and after hard and soft debiasing of its words."""
    test, of = multiclass_test(_TEST), bias(_TEST)
    words = dict.fromkeys(
        [
            *(word for definition in test.definitions for word in definition),
            *(word for stereotypes in test.stereotypes.values() for word in stereotypes),
            *(word for controls in ("human", "neutral") for word in word_set(controls).texts),
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


def tables(model: str, found: Mapping[str, Distances]) -> list[Replicated]:
    """Table 2 and the shares of section 5.2; what `found` lacks is said to be missing."""
    printed = published(NAME)
    missing = "needs the embedding itself, not distances: --model"
    mac = tuple(
        Figure(
            labels=(when,),
            published=printed["mac"][when],
            measured=mean_average_cosine(found[when]) if when in found else None,
            digits=3,
            tolerance=printed["tolerance"]["mac"],
            remark="" if when in found else missing,
        )
        for when in ("before", *METHODS)
    )
    limit = 1 - printed["mac"]["before"]
    shares = tuple(
        Figure(
            labels=(connection, when),
            published=float(known[position]),
            measured=_within(found[when], connection, limit) if when in found else None,
            digits=0,
            tolerance=printed["tolerance"]["within"],
            remark="" if when in found else missing,
        )
        for connection, known in printed["within"][_TEST].items()
        for position, when in enumerate(("before", "hard"))
    )
    note = "The published figures are of the Reddit embedding."
    return [
        Replicated(
            title="Mean average cosine distance of the religion test",
            source=f"{printed['source']}, table 2",
            model=model,
            columns=("debiasing",),
            figures=mac,
            note=f"{note} Here debiasing is fitted to the words of the test alone, there to the whole embedding.",
        ),
        Replicated(
            title=f"Per cent of similarities within 0 ± {limit:.3f}, religion test",
            source=f"{printed['source']}, section 5.2",
            model=model,
            columns=("words", "debiasing"),
            figures=shares,
            note=note,
        ),
    ]


def _within(distances: Distances, connection: str, limit: float) -> float:
    return 100 * float(np.mean(np.abs(1 - distances.of(connection)) <= limit))
