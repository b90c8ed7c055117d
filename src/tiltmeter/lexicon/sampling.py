"""Sentences of a language, for a reader who knows it: all there are of one source, or some of every kind."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tiltmeter.lexicon import catalogue
from tiltmeter.lexicon.pairs import pair_languages, pair_set
from tiltmeter.lexicon.seat import seat_languages, seat_test
from tiltmeter.lexicon.templates import TemplateSet
from tiltmeter.lexicon.tests import AssociationTest


@dataclass(frozen=True, slots=True)
class Sentence:
    """A text that a model is given, and where it comes from."""

    source: str  # a template set, a test or "pairs"
    words: str  # "Anna × nurse", or the side of a test: "X"
    text: str


def of_templates(templates: TemplateSet) -> Iterator[Sentence]:
    """Every template with every pair of its words."""
    targets = catalogue.word_set(templates.target, templates.language)
    features = catalogue.word_set(templates.feature, templates.language)
    for template in templates.templates:
        for target, feature in itertools.product(targets.words, features.words):
            text = template.fill({"target": target, "feature": feature})
            if text is not None:
                yield Sentence(templates.name, f"{target} × {feature}", text)


def of_test(test: AssociationTest, *, seat: bool) -> Iterator[Sentence]:
    """What a model is given for each side of a test: its words, its own sentences, or those of SEAT."""
    sides = (seat_test(test) if seat else test).texts()
    for side, texts in zip("XYAB", sides, strict=True):
        for text in texts:
            yield Sentence(test.name, side, text)


def of_pairs(lang: str) -> Iterator[Sentence]:
    for pair in pair_set(lang).pairs:
        yield Sentence("pairs", pair.bias_type, pair.more)
        yield Sentence("pairs", pair.bias_type, pair.less)


def sample(lang: str, count: int, *, seed: int = 0) -> list[Sentence]:
    """`count` distinct sentences of a language, as many of every template set, test and set of pairs as can be."""
    chance = random.Random(seed)
    draws: list[Callable[[], Sentence | None]] = [
        lambda templates=templates: _drawn(templates, chance)  # type: ignore[misc]
        for templates in catalogue.template_sets(lang).values()
        if not templates.name.endswith("-printed")
    ]
    fixed = [
        list(of_test(test, seat=not test.has_sentences))
        for test in catalogue.association_tests(lang).values()
        if test.has_sentences or lang in seat_languages()
    ]
    if lang in pair_languages():
        fixed.append(list(of_pairs(lang)))
    draws += [lambda sentences=sentences: chance.choice(sentences) for sentences in fixed]  # type: ignore[misc]
    chance.shuffle(draws)
    found: dict[str, Sentence] = {}
    for draw in itertools.islice(itertools.cycle(draws), 100 * count):
        sentence = draw()
        if sentence is not None:
            found.setdefault(sentence.text, sentence)
        if len(found) == count:
            break
    return list(found.values())


def _drawn(templates: TemplateSet, chance: random.Random) -> Sentence | None:
    """One template with one pair of words; None where they do not fit."""
    target = chance.choice(catalogue.word_set(templates.target, templates.language).words)
    feature = chance.choice(catalogue.word_set(templates.feature, templates.language).words)
    text = chance.choice(templates.templates).fill({"target": target, "feature": feature})
    return None if text is None else Sentence(templates.name, f"{target} × {feature}", text)
