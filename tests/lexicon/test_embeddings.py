"""The bundled tests on the word vectors in the box, which were trained on novels of before 1940."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tiltmeter.lexicon.catalogue import association_test
from tiltmeter.lexicon.grammar import grammar_of
from tiltmeter.lexicon.words import WordSet
from tiltmeter.measure.association import weat
from tiltmeter.models.load import load

LANGUAGES = ("de", "fr", "it", "no")
LEAST = 5  # forms of each set that the novels must have
FORMS = ("", "plural", "definite", "definites")


def in_all_forms(words: WordSet) -> WordSet:
    """The words with their plurals and definite forms: novels have few flowers, and those as often in these."""
    grammar = grammar_of(words.language)
    found = {
        form.text: replace(word, text=form.text)
        for word in words.words
        for form in (grammar.inflect(word, asked) for asked in FORMS)
        if form is not None
    }
    return replace(words, words=tuple(found.values()))


@pytest.mark.parametrize("lang", LANGUAGES)
def test_flowers_and_instruments_are_pleasanter_than_insects_and_weapons(lang: str) -> None:
    """In the Norwegian novels, in old spelling, there are too few instruments."""
    model = load(f"demo:{lang}-static")
    effects = {}
    for name in ("weat1", "weat2"):
        test = association_test(name, lang)
        result = weat(model, replace(test, x=in_all_forms(test.x), y=in_all_forms(test.y)))
        if min(result.counts.values()) >= LEAST:
            effects[name] = result.effect_size
    assert set(effects) == ({"weat1"} if lang == "no" else {"weat1", "weat2"})
    assert all(effect > 0 for effect in effects.values()), effects


@pytest.mark.parametrize("lang", LANGUAGES)
def test_gender_is_measured_with_an_interval(lang: str) -> None:
    result = weat(load(f"demo:{lang}-static"), "weat6", lang=lang)
    assert min(result.counts.values()) >= LEAST
    assert result.interval.low < result.effect_size < result.interval.high
    assert result.language == lang
    assert result.effect_size > 0  # men's names go with career, women's with family
