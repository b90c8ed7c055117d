"""German articles, cases, endings and capitals, on words that mislead a rule."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tiltmeter.lexicon.catalogue import association_tests, template_set, word_set, word_sets
from tiltmeter.lexicon.grammar import grammar_of
from tiltmeter.lexicon.seat import seat_test
from tiltmeter.lexicon.templates import BLANK, Blank, Template
from tiltmeter.lexicon.words import Gender, Genus, Kind, Word

GERMAN = grammar_of("de")
PERSON, ADJECTIVE = frozenset({Kind.PERSON}), frozenset({Kind.ADJECTIVE})
DOCTOR = Word("Arzt", PERSON, plural="Ärzte", feminine="Ärztin")
JOURNALIST = Word(
    "Journalist", PERSON, plural="Journalisten", feminine="Journalistin", forms=(("oblique", "Journalisten"),)
)


def form(word: Word, name: str, agreement: Gender | None = None) -> str | None:
    found = GERMAN.inflect(word, name, agreement)
    return None if found is None else str(found)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (Word("Klavier", genus=Genus.NEUTER, plural="Klaviere"), ["ein Klavier", "das Klavier", "die Klaviere"]),
        (Word("Geige", genus=Genus.FEMININE), ["eine Geige", "die Geige", "die Geigen"]),
        (Word("Degen", genus=Genus.MASCULINE, plural="Degen"), ["ein Degen", "der Degen", "die Degen"]),
        (
            Word("Mädchen", PERSON, gender=Gender.FEMALE, genus=Genus.NEUTER),
            ["ein Mädchen", "das Mädchen", "die Mädchen"],
        ),
        (Word("Frau", PERSON, gender=Gender.FEMALE, plural="Frauen"), ["eine Frau", "die Frau", "die Frauen"]),
        (DOCTOR, ["ein Arzt", "der Arzt", "die Ärzte"]),
    ],
)
def test_articles(word: Word, expected: list[str]) -> None:
    assert [form(word, name) for name in ("a", "definite", "definites")] == expected


@pytest.mark.parametrize(
    ("agreement", "expected"),
    [
        (None, ["ein Journalist", "einen Journalisten", "einem Journalisten", "Journalisten"]),
        (Gender.MALE, ["ein Journalist", "einen Journalisten", "einem Journalisten", "Journalisten"]),
        (Gender.FEMALE, ["eine Journalistin", "eine Journalistin", "einer Journalistin", "Journalistinnen"]),
    ],
)
def test_case_of_a_weak_noun_and_of_its_feminine(agreement: Gender | None, expected: list[str]) -> None:
    assert [form(JOURNALIST, name, agreement) for name in ("a", "accusative", "dative", "plural")] == expected


def test_a_nominalised_adjective_keeps_its_endings() -> None:
    german = next(word for word in word_set("origin", "de").words if word.text == "Deutscher")
    assert [form(german, name) for name in ("a", "definite", "dative")] == [
        "ein Deutscher", "der Deutsche", "einem Deutschen",
    ]  # fmt: skip
    assert [form(german, name, Gender.FEMALE) for name in ("a", "definite", "definites", "dative")] == [
        "eine Deutsche", "die Deutsche", "die Deutschen", "einer Deutschen",
    ]  # fmt: skip


# Nouns that are declined as adjectives: Verwandte, but die Verwandten.
NOMINALISED = {
    "Abgeordnete", "Alte", "Angehörige", "Angestellte", "Arbeitslose", "Bekannte", "Beamte", "Behinderte", "Blinde",
    "Delegierte", "Deutsche", "Erwachsene", "Fremde", "Gefangene", "Geflüchtete", "Gläubige", "Heilige", "Jugendliche",
    "Kranke", "Obdachlose", "Reisende", "Studierende", "Tote", "Verlobte", "Verwandte", "Vorsitzende",
}  # fmt: skip


def test_after_die_a_nominalised_adjective_ends_in_n() -> None:
    found = set()
    for name in word_sets("de"):
        for word in word_set(name, "de").words:
            plural = form(word, "plural")
            if plural in NOMINALISED:
                found.add(plural)
                assert form(word, "definites") == f"die {plural}n"
    assert found == {"Deutsche", "Verwandte"}


def test_no_sentence_of_seat_puts_die_before_it_as_it_stands_alone() -> None:
    for test in association_tests("de").values():
        made = seat_test(test)
        for passage in (*made.x, *made.y, *made.a, *made.b):
            words = passage.text.rstrip(".").split()
            assert not any(word in NOMINALISED for article, word in pairwise(words) if article in ("Die", "die"))


@pytest.mark.parametrize(
    ("adjective", "masculine", "feminine", "neuter"),
    [
        ("freundlich", "freundlicher", "freundliche", "freundliches"),
        ("müde", "müder", "müde", "müdes"),
        ("dunkel", "dunkler", "dunkle", "dunkles"),
        ("eitel", "eitler", "eitle", "eitles"),
        ("sensibel", "sensibler", "sensible", "sensibles"),
        ("teuer", "teurer", "teure", "teures"),
        ("sauer", "saurer", "saure", "saures"),
        ("tapfer", "tapferer", "tapfere", "tapferes"),
        ("parallel", "paralleler", "parallele", "paralleles"),
        ("schnell", "schneller", "schnelle", "schnelles"),
        ("originell", "origineller", "originelle", "originelles"),
        ("bescheiden", "bescheidener", "bescheidene", "bescheidenes"),
        ("schwer", "schwerer", "schwere", "schweres"),
    ],
)
def test_adjectives_before_a_noun(adjective: str, masculine: str, feminine: str, neuter: str) -> None:
    word = Word(adjective, ADJECTIVE)
    assert [form(word, f"attributive-{genus}") for genus in "mfn"] == [masculine, feminine, neuter]


def test_plurals_that_are_certain_and_those_that_are_not() -> None:
    certain = {"Zeitung": Genus.FEMININE, "Freiheit": Genus.FEMININE, "Rose": Genus.FEMININE, "Veilchen": Genus.NEUTER}
    plurals = [form(Word(text, genus=genus), "plural") for text, genus in certain.items()]
    assert plurals == ["Zeitungen", "Freiheiten", "Rosen", "Veilchen"]
    assert form(Word("Lehrer", PERSON, feminine="Lehrerin"), "plural") == "Lehrer"
    # der Bauer, die Bauern; der Großvater, die Großväter; der Vetter, die Vettern
    for text in ("Bauer", "Großvater", "Vetter", "Bayer"):
        assert form(Word(text, PERSON, gender=Gender.MALE), "plural") is None
    # der Käfer, die Käfer; der Tag, die Tage; das Büro, die Büros
    for text, genus in {"Käfer": Genus.MASCULINE, "Tag": Genus.MASCULINE, "Büro": Genus.NEUTER}.items():
        assert form(Word(text, genus=genus), "plural") is None


def test_a_noun_has_a_capital_wherever_it_stands() -> None:
    assert form(Word("geige", genus=Genus.FEMININE), "a") == "eine Geige"
    assert form(Word("e-gitarre", genus=Genus.FEMININE), "definite") == "die E-gitarre"
    assert form(Word("freundlich", ADJECTIVE), "adjective") == "freundlich"


def test_a_blank_keeps_its_article_and_case() -> None:
    template = Template("Wir sprachen mit {target:dative}.", "de", Gender.FEMALE)
    assert template.fill({"target": Blank(like=DOCTOR)}) == f"Wir sprachen mit einer {BLANK}."
    assert template.form("target", DOCTOR) == "Ärztin"
    assert Template("{target:definite} ist da.", "de").fill({"target": Blank(like=DOCTOR)}) == f"Der {BLANK} ist da."


def test_a_neutral_form_is_used_where_it_exists() -> None:
    neutral = {word.text: form(word, "neutral") for word in word_set("occupation", "de").words}
    assert neutral["Lehrer"] == "Lehrkraft"
    assert neutral["Maurer"] is None


def test_the_sentences_of_one_occupation() -> None:
    anna = Word("Anna", frozenset({Kind.NAME}))
    texts = [t.fill({"target": DOCTOR, "feature": anna}) for t in template_set("occupation-name", "de").templates]
    assert texts[:4] == [
        "Er heißt Anna und arbeitet als Arzt.",
        "Sie heißt Anna und arbeitet als Ärztin.",
        "Mein Nachbar Anna ist Arzt von Beruf.",
        "Meine Nachbarin Anna ist Ärztin von Beruf.",
    ]
