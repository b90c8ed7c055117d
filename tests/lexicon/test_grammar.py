"""English articles and plurals, on the words that mislead a rule about letters."""

from __future__ import annotations

import pytest

from tiltmeter.lexicon.grammar import english
from tiltmeter.lexicon.templates import BLANK, Blank, Template
from tiltmeter.lexicon.words import Kind, Word

# fmt: off
A = [
    "nurse", "union", "university", "unit", "unicorn", "uniform", "unique", "unisex", "unilateral",
    "unidirectional", "universal", "uni", "European", "euphemism", "ewe", "one-way", "once-over", "use",
    "user", "useful", "usual", "usurper", "utensil", "uterus", "utility", "utopia", "uranium",
    "urologist", "unanimous", "ubiquitous", "ukulele", "Ukrainian", "Ugandan", "UK", "US", "U-turn",
    "UFO", "house", "Hispanic", "hero", "NASA", "NATO",
]
AN = [
    "artist", "hour", "hourly", "heir", "heiress", "honest", "honor", "honourable", "oneiric", "onerous",
    "unemployed", "unimpressive", "unidentified", "unimaginative", "unintelligent", "uninhibited",
    "unanswered", "unillustrated", "uncle", "umpire", "ugly", "urban", "urge", "usher", "utter",
    "upright", "8-year-old", "80-year-old", "800", "11-year-old", "18-year-old", "18th", "1800", "x-ray",
    "X-ray", "MRI", "FBI", "HR", "NGO", "F-16", "elephant",
]
# fmt: on


def inflected(word: Word, form: str) -> str | None:
    found = english.GRAMMAR.inflect(word, form)
    return None if found is None else str(found)


@pytest.mark.parametrize("text", A)
def test_a(text: str) -> None:
    assert english.indefinite_article(text) == "a"


@pytest.mark.parametrize("text", AN)
def test_an(text: str) -> None:
    assert english.indefinite_article(text) == "an"


@pytest.mark.parametrize("text", ["1-year-old", "10-year-old", "19th", "110-year-old", "118-year-old", "180"])
def test_numbers_that_only_look_like_eleven_or_eighteen(text: str) -> None:
    assert english.indefinite_article(text) == "a"


def test_a_word_may_bring_its_own_article() -> None:
    assert inflected(Word("SUV", article="an"), "a") == "an SUV"
    assert inflected(Word("herb", article="an"), "a") == "an herb"


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        ("nurse", "nurses"),
        ("nanny", "nannies"),
        ("attorney", "attorneys"),
        ("boy", "boys"),
        ("coach", "coaches"),
        ("waitress", "waitresses"),
        ("box", "boxes"),
        ("wish", "wishes"),
        ("soliloquy", "soliloquies"),
        ("police officer", "police officers"),
        ("physician's assistant", "physician's assistants"),
        ("flight attendant", "flight attendants"),
    ],
)
def test_regular_plurals(singular: str, plural: str) -> None:
    assert english.regular_plural(singular) == plural


def test_an_irregular_plural_is_written_with_the_word() -> None:
    person = frozenset({Kind.PERSON})
    assert inflected(Word("barman", person, plural="barmen"), "plural") == "barmen"
    assert inflected(Word("men", frozenset({Kind.PLURAL}), singular="man"), "plural") == "men"


def test_what_one_has_a_lot_of() -> None:
    assert inflected(Word("water", frozenset({Kind.MASS})), "generic") == "water"
    assert inflected(Word("milkshake"), "generic") == "milkshakes"
    assert inflected(Word("brave", frozenset({Kind.ADJECTIVE})), "generic") is None


def test_one_year_is_not_several() -> None:
    number = frozenset({Kind.NUMBER})
    assert inflected(Word("1", number), "several") is None
    assert inflected(Word("2", number), "several") == "2"
    assert inflected(Word("two"), "several") is None


@pytest.mark.parametrize("form", english.GRAMMAR.forms())
def test_every_form_that_a_slot_may_ask_for_is_answered(form: str) -> None:
    every = [Word("x", frozenset({kind}), forms=(("neutral", "x"), ("neutral-plural", "x"))) for kind in Kind]
    assert any(inflected(one, form) is not None for one in every)


@pytest.mark.parametrize(
    ("template", "form"),
    [
        ("{word:plural} are here.", "Nannies"),
        ("They are here. {word:plural} are there.", "Nannies"),
        ("These are {word:plural}.", "nannies"),
        ("{word:a} is a person.", "nanny"),  # the article takes the capital
        ("It is {word:adjective}.", None),
    ],
)
def test_the_form_that_fills_a_blank(template: str, form: str | None) -> None:
    nanny = Word("nanny", frozenset({Kind.PERSON}))
    assert Template(template).form("word", nanny) == form
    if form is not None:
        blank = Template(template).fill({"word": Blank(like=nanny)})
        assert blank is not None
        assert blank.replace(BLANK, form) == Template(template).fill({"word": nanny})


def test_the_article_of_a_country_is_not_part_of_what_fills_its_blank() -> None:
    lives = Template("He lives in {word:the}.")
    netherlands = Word("Netherlands", frozenset({Kind.PLACE}), article="the")
    blank, form = lives.fill({"word": Blank(like=netherlands)}), lives.form("word", netherlands)
    assert blank is not None
    assert form is not None
    assert blank.replace(BLANK, form) == "He lives in the Netherlands."
