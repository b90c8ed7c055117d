"""French elision, plurals and agreement, on the words that mislead a rule about letters."""

from __future__ import annotations

import re

import pytest

from tiltmeter.lexicon.catalogue import template_sets, word_set, word_sets
from tiltmeter.lexicon.grammar import grammar_of
from tiltmeter.lexicon.templates import BLANK, Blank, Template
from tiltmeter.lexicon.words import Gender, Genus, Kind, Word

FRENCH = grammar_of("fr")


def _noun(text: str, genus: str, **forms: str) -> Word:
    return Word(text, genus=Genus(genus), **forms)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "genus", "definite", "of", "to", "bare"),
    [
        ("livre", "m", "le livre", "du livre", "au livre", "de livre"),
        ("bière", "f", "la bière", "de la bière", "à la bière", "de bière"),
        ("arbre", "m", "l'arbre", "de l'arbre", "à l'arbre", "d'arbre"),
        ("eau", "f", "l'eau", "de l'eau", "à l'eau", "d'eau"),
        ("école", "f", "l'école", "de l'école", "à l'école", "d'école"),
        ("œillet", "m", "l'œillet", "de l'œillet", "à l'œillet", "d'œillet"),
        ("homme", "m", "l'homme", "de l'homme", "à l'homme", "d'homme"),
        ("yoga", "m", "le yoga", "du yoga", "au yoga", "de yoga"),
    ],
)
def test_elision_and_contraction(text: str, genus: str, definite: str, of: str, to: str, bare: str) -> None:
    forms = ("definite", "of", "to", "de")
    assert [str(FRENCH.inflect(_noun(text, genus), form)) for form in forms] == [definite, of, to, bare]


def test_an_h_that_does_not_elide_brings_its_article() -> None:
    hockey = _noun("hockey", "m", article="le")
    forms = [str(FRENCH.inflect(hockey, form)) for form in ("a", "definite", "of", "to", "de")]
    assert forms == ["un hockey", "le hockey", "du hockey", "au hockey", "de hockey"]
    player = Word("handballeur", frozenset({Kind.PERSON}), article="le", feminine="handballeuse")
    assert str(FRENCH.inflect(player, "definite", Gender.FEMALE)) == "la handballeuse"


@pytest.mark.parametrize(
    ("text", "definite"),
    [
        ("homard", "le homard"),
        ("héros", "le héros"),
        ("Hollandais", "le Hollandais"),
        ("handicapé", "le handicapé"),
        ("hasard", "le hasard"),
        ("huit", "le huit"),
        ("héroïsme", "l'héroïsme"),
        ("haltère", "l'haltère"),
        ("habitant", "l'habitant"),
        ("hôtel", "l'hôtel"),
        ("huissier", "l'huissier"),
        ("hachisch", "le hachisch"),
        ("horloger", "l'horloger"),
        ("Haïtien", "l'Haïtien"),
    ],
)
def test_the_commonest_words_whose_h_does_not_elide_are_known(text: str, definite: str) -> None:
    assert str(FRENCH.inflect(_noun(text, "m"), "definite")) == definite


# No letter tells which h elides, and no dictionary that is at hand: each word in h of the data stands in one list.
ASPIRATED = {
    "hache", "haine", "handball", "hanneton", "harpe", "hautain", "hautbois", "hockey", "honte",
}  # fmt: skip
MUTE = {
    "habiter", "habitude", "harmonica", "herbe", "hier", "hindou", "historien", "homme", "honneur", "honnête",
    "horloge", "horreur", "hortensia", "hypocrite", "hystérique",
}  # fmt: skip


def test_every_word_in_h_elides_or_not_as_french_has_it() -> None:
    words = [word for words in word_sets("fr").values() for word in words.words if word.text.startswith("h")]
    assert {word.text for word in words} == ASPIRATED | MUTE
    for word in words:
        of = str(FRENCH.inflect(word, "de"))
        assert of == (f"de {word.text}" if word.text in ASPIRATED else f"d'{word.text}")
        if word.kinds & {Kind.THING, Kind.PERSON}:
            assert str(FRENCH.inflect(word, "definite")).startswith("l'") == (word.text in MUTE), word.text


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        ("livre", "livres"),
        ("bras", "bras"),
        ("voix", "voix"),
        ("nez", "nez"),
        ("château", "châteaux"),
        ("jeu", "jeux"),
        ("cheval", "chevaux"),
        ("clou", "clous"),
        ("genou", "genoux"),
        ("carnaval", "carnavals"),
        ("travail", "travaux"),
        ("détail", "détails"),
        ("pneu", "pneus"),
        ("infirmière", "infirmières"),
    ],
)
def test_regular_plurals(singular: str, plural: str) -> None:
    assert str(FRENCH.inflect(_noun(singular, "m"), "plural")) == plural
    assert str(FRENCH.inflect(_noun(singular, "m"), "definites")) == f"les {plural}"


@pytest.mark.parametrize("text", ["grand-père", "assistant social", "monsieur", "œil"])
def test_the_plural_of_a_compound_is_asked_for(text: str) -> None:
    assert FRENCH.inflect(_noun(text, "m"), "plural") is None


@pytest.mark.parametrize(
    ("masculine", "feminine", "masculines", "feminines"),
    [
        ("grand", "grande", "grands", "grandes"),
        ("joli", "jolie", "jolis", "jolies"),
        ("rusé", "rusée", "rusés", "rusées"),
        ("têtu", "têtue", "têtus", "têtues"),
        ("heureux", "heureuse", "heureux", "heureuses"),
        ("actif", "active", "actifs", "actives"),
        ("fier", "fière", "fiers", "fières"),
        ("cruel", "cruelle", "cruels", "cruelles"),
        ("loyal", "loyale", "loyaux", "loyales"),
        ("parisien", "parisienne", "parisiens", "parisiennes"),
        ("chinois", "chinoise", "chinois", "chinoises"),
        ("roumain", "roumaine", "roumains", "roumaines"),
        ("patient", "patiente", "patients", "patientes"),
        ("délicat", "délicate", "délicats", "délicates"),
        ("adroit", "adroite", "adroits", "adroites"),
        ("froid", "froide", "froids", "froides"),
        ("calme", "calme", "calmes", "calmes"),
        ("envieux", "envieuse", "envieux", "envieuses"),
        ("serein", "sereine", "sereins", "sereines"),
        ("bleu", "bleue", "bleus", "bleues"),
        ("banal", "banale", "banals", "banales"),
    ],
)
def test_adjectives_agree(masculine: str, feminine: str, masculines: str, feminines: str) -> None:
    word = Word(masculine, frozenset({Kind.ADJECTIVE}))
    assert [
        str(FRENCH.inflect(word, form, gender))
        for form in ("adjective", "adjectives")
        for gender in (Gender.MALE, Gender.FEMALE)
    ] == [masculine, feminine, masculines, feminines]
    assert str(FRENCH.inflect(word, "feminine", Gender.MALE)) == feminine


@pytest.mark.parametrize(
    "text", ["beau", "vieux", "fou", "favori", "épais", "frais", "gentil", "malin", "muet", "blanc", "travailleur"]
)
def test_a_feminine_that_the_letters_do_not_tell_is_asked_for(text: str) -> None:
    word = Word(text, frozenset({Kind.ADJECTIVE}))
    assert [FRENCH.inflect(word, form, Gender.FEMALE) for form in ("adjective", "adjectives", "feminine")] == [None] * 3
    assert str(FRENCH.inflect(word, "adjective", Gender.MALE)) == text


def test_an_irregular_feminine_is_written_with_the_word() -> None:
    forms = {word.text: str(FRENCH.inflect(word, "feminine")) for word in word_set("trait", "fr").words}
    assert forms["doux"] == "douce"
    assert forms["jaloux"] == "jalouse"
    assert forms["franc"] == "franche"
    assert forms["naïf"] == "naïve"


def test_only_adjectives_in_e_are_alike_for_both() -> None:
    for set_name in ("trait", "religion", "origin"):
        for word in word_set(set_name, "fr").words:
            form = str(FRENCH.inflect(word, "feminine"))
            assert form.endswith("e"), word.text
            assert (form == word.text) == word.text.endswith("e"), word.text


def test_what_elides_stays_beside_the_blank() -> None:
    template = Template("Léa boit beaucoup {word:de}.", "fr")
    water = Word("eau", frozenset({Kind.MASS}), genus=Genus.FEMININE)
    assert template.fill({"word": Blank(like=water)}) == f"Léa boit beaucoup d'{BLANK}."
    assert template.form("word", water) == "eau"


def test_no_word_before_a_name_tells_how_it_begins() -> None:
    """ "D'Anne", but "de Léa": it must not stand beside the blank of a name."""
    for templates in template_sets("fr").values():
        for slot in ("target", "feature"):
            if getattr(templates, slot) == "name":
                wrong = re.compile(rf"\b(?:de|que|si|lorsque) {{{slot}\b", re.IGNORECASE)
                assert [text for text in templates.sentences if wrong.search(text)] == []
