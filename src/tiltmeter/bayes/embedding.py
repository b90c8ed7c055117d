"""Cosine distances of the words of a test in a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from tiltmeter.bayes.data import CONNECTIONS, CONTROLS, Array, Distances
from tiltmeter.errors import InputError
from tiltmeter.lexicon.catalogue import association_tests, multiclass_test, multiclass_tests, word_set
from tiltmeter.lexicon.tests import AssociationTest, MulticlassTest, Passage
from tiltmeter.lexicon.words import WordSet
from tiltmeter.measurement import Lost
from tiltmeter.metrics.association import cosines
from tiltmeter.models.base import Embedder
from tiltmeter.models.load import load

Passages = tuple[Passage, ...]

_SET_OF = {"X": "A", "Y": "B"}  # what an association test holds to be associated with its targets


def distances_in(
    model: Embedder | str | Path,
    test: MulticlassTest | AssociationTest | str,
    *,
    lang: str = "en",
    controls: Mapping[str, WordSet] | None = None,
) -> Distances:
    """The distance of each protected word of a test to each attribute, in a model.

    In a multiclass test, the attributes of a word's own class are associated with it, those of the other classes are
    different. In an association test, X is associated with A and different from B, Y the reverse. `controls` gives the
    word sets for "human" and "neutral"; by default they are those of that name in the lexicon.
    """
    given = named(test, lang) if isinstance(test, str) else test
    embedder = model if isinstance(model, Embedder) else load(model)
    if controls is None:
        controls = {name: word_set(name, given.language) for name in CONTROLS}
    if unknown := set(controls) - set(CONTROLS):
        raise ValueError(f"the controls are {CONTROLS}, not {sorted(unknown)}")
    protected, attributes = _sides(given)
    control_words = {name: tuple(map(alone, controls[name].texts)) for name in CONTROLS if name in controls}
    embedder.prepare([each for side in (protected, attributes, control_words) for of in side.values() for each in of])

    lost: list[Lost] = []
    sets = _SET_OF if isinstance(given, AssociationTest) else {name: f"{name} stereotypes" for name in protected}
    words = {name: _embedded(embedder, passages, name, lost) for name, passages in protected.items()}
    stereotypes = {name: _embedded(embedder, passages, sets[name], lost) for name, passages in attributes.items()}
    spoken_for = {passage.word: "an attribute" for side in stereotypes.values() for passage, _ in side}
    spoken_for |= {passage.word: "a protected word" for side in words.values() for passage, _ in side}
    neutral = {}
    for name, passages in control_words.items():
        free = [passage for passage in passages if passage.word not in spoken_for]
        lost += [
            Lost(passage.word, name, f"it is {spoken_for[passage.word]} of this test")
            for passage in passages
            if passage.word in spoken_for
        ]
        neutral[name] = _embedded(embedder, free, name, lost)

    rows: list[tuple[str, str, str, str, float]] = []
    for own, side in words.items():
        for connection, name, targets in _targets(own, stereotypes, neutral):
            if not side or not targets:
                continue
            between = 1 - cosines([vector for _, vector in side], [vector for _, vector in targets])
            rows += [
                (passage.word, connection, target.text, sets.get(name, name), float(distance))
                for (passage, _), line in zip(side, between, strict=True)
                for (target, _), distance in zip(targets, line, strict=True)
                if passage.word != target.word  # at a distance of 0 from itself, which says nothing
            ]
    order = tuple(dict.fromkeys(row[0] for row in rows))
    position = {word: index for index, word in enumerate(order)}
    return Distances(
        name=given.name,
        model=embedder.name,
        words=order,
        word=np.array([position[row[0]] for row in rows], dtype=np.intp),
        connection=np.array([CONNECTIONS.index(row[1]) for row in rows], dtype=np.intp),
        attributes=tuple(row[2] for row in rows),
        sets=tuple(row[3] for row in rows),
        distance=np.array([row[4] for row in rows], dtype=np.float64),
        language=given.language,
        lost=tuple(lost),
        settings={
            **embedder.settings,
            "fingerprint": embedder.fingerprint,
            "controls": {name: controls[name].name for name in CONTROLS if name in controls},
        },
    )


def named(test: str, lang: str = "en") -> MulticlassTest | AssociationTest:
    """The bundled multiclass or association test of this name."""
    if test in association_tests(lang):
        return association_tests(lang)[test]
    if test in multiclass_tests(lang):
        return multiclass_tests(lang)[test]
    try:
        return multiclass_test(test, lang)
    except InputError as error:
        known = ", ".join([*multiclass_tests(lang), *association_tests(lang)])
        raise InputError(
            f"there is no test {test!r} in language {lang!r}.", hint=error.hint or f"Known: {known}."
        ) from None


def alone(word: str) -> Passage:
    return Passage(word, word, 0, len(word))


def _sides(test: MulticlassTest | AssociationTest) -> tuple[dict[str, Passages], dict[str, Passages]]:
    """The protected words and the stereotypes of each class."""
    if isinstance(test, AssociationTest):
        four = test.passages()
        return {"X": four.x, "Y": four.y}, {"X": four.a, "Y": four.b}
    classes: dict[str, str] = {}
    for definition in test.definitions:
        for word, name in zip(definition, test.classes, strict=True):
            if classes.setdefault(word, name) != name:
                raise InputError(
                    f"the word {word!r} stands for the class {classes[word]!r} and for {name!r}.",
                    where=f"test {test.name}",
                    hint="Keep it in one class.",
                )
    protected = {name: tuple(alone(word) for word, of in classes.items() if of == name) for name in test.classes}
    return protected, {name: tuple(map(alone, test.stereotypes.get(name, ()))) for name in test.classes}


Side = list[tuple[Passage, Array]]


def _targets(own: str, stereotypes: Mapping[str, Side], controls: Mapping[str, Side]) -> list[tuple[str, str, Side]]:
    """Connection, name and words of each set that the words of class `own` are compared with.

    A stereotype that several classes share is associated with each, and different from none of them.
    """
    associated = stereotypes[own]
    theirs = {passage.text for passage, _ in associated}
    return [
        ("associated", own, associated),
        *(
            ("different", name, [(passage, vector) for passage, vector in side if passage.text not in theirs])
            for name, side in stereotypes.items()
            if name != own
        ),
        *((name, name, side) for name, side in controls.items()),
    ]


def _embedded(embedder: Embedder, passages: Sequence[Passage], where: str, lost: list[Lost]) -> Side:
    distinct = list(dict.fromkeys(passages))
    embedded = embedder.embed(distinct)
    lost += [Lost(distinct[position].text, where, reason) for position, reason in embedded.lost]
    vectors = np.asarray(embedded.vectors, dtype=np.float64)
    return [(distinct[position], vector) for position, vector in zip(embedded.kept, vectors, strict=True)]
