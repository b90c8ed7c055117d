"""Icelandic adjectives by gender, and years by their number."""

from __future__ import annotations

import pytest

from tiltmeter.lexicon.catalogue import template_set, word_set
from tiltmeter.lexicon.grammar import grammar_of
from tiltmeter.lexicon.words import Gender, Kind, Word

ICELANDIC = grammar_of("is")
ADJECTIVE = frozenset({Kind.ADJECTIVE})


def form(word: Word, name: str, agreement: Gender | None = None) -> str | None:
    found = ICELANDIC.inflect(word, name, agreement)
    return None if found is None else str(found)


@pytest.mark.parametrize(
    ("masculine", "feminine", "plural"),
    [
        ("duglegur", "dugleg", "duglegir"),
        ("heiðarlegur", "heiðarleg", "heiðarlegir"),
        ("öflugur", "öflug", "öflugir"),
        ("skynsamur", "skynsöm", "skynsamir"),
        ("feiminn", "feimin", None),  # feimnir
    ],
)
def test_adjectives_whose_feminine_is_certain(masculine: str, feminine: str, plural: str | None) -> None:
    word = Word(masculine, ADJECTIVE)
    assert form(word, "adjective", Gender.FEMALE) == feminine
    assert form(word, "adjective", Gender.MALE) == masculine
    assert form(word, "adjectives", Gender.MALE) == plural


def test_other_feminines_are_written() -> None:
    for text in ("glaður", "rauður", "hýr"):  # glöð, rauð, hýr
        assert form(Word(text, ADJECTIVE), "adjective", Gender.FEMALE) == text
    assert form(Word("latur", ADJECTIVE, feminine="löt"), "adjective", Gender.FEMALE) == "löt"


def test_every_trait_has_a_feminine_form() -> None:
    """A masculine -ur or -inn beside a woman would be wrong; the r of döpur belongs to its stem."""
    for word in word_set("trait", "is").words:
        feminine = form(word, "adjective", Gender.FEMALE)
        assert feminine is not None
        assert feminine == "döpur" or not feminine.endswith(("ur", "nn"))


@pytest.mark.parametrize(("number", "fits"), [("2", True), ("11", True), ("111", True), ("21", False), ("91", False)])
def test_years_that_go_with_the_plural(number: str, fits: bool) -> None:
    """21 árs, but 11 ára and 22 ára."""
    assert (form(Word(number, frozenset({Kind.NUMBER})), "several") is not None) is fits


def test_a_noun_has_no_indefinite_article() -> None:
    assert form(Word("píanó"), "a") == "píanó"


def test_the_adjective_follows_the_pronoun_and_not_the_occupation() -> None:
    doctor = next(word for word in word_set("occupation", "is").words if word.text == "læknir")
    clever = next(word for word in word_set("trait", "is").words if word.text == "greindur")
    texts = [t.fill({"target": doctor, "feature": clever}) for t in template_set("occupation-trait", "is").templates]
    assert texts[:2] == ["Hann er læknir. Hann er greindur.", "Hún er læknir. Hún er greind."]


def test_an_adjective_beside_words_of_gender_gives_no_answer_away() -> None:
    clever = Word("greindur", ADJECTIVE, feminine="greind")
    for template in template_set("trait-gender", "is").templates:
        texts = [template.fill({"target": clever, "feature": word}) for word in word_set("gender", "is").words]
        assert all(text is not None and "greind manneskja" in text.lower() for text in texts)
