"""Spanish articles, plurals and agreement, on the words that mislead a rule about letters."""

from __future__ import annotations

import pytest

from tiltmeter.lexicon.catalogue import word_set
from tiltmeter.lexicon.grammar import grammar_of
from tiltmeter.lexicon.words import Gender, Genus, Kind, Word

SPANISH = grammar_of("es")


def _noun(text: str, genus: str, **forms: str) -> Word:
    return Word(text, genus=Genus(genus), **forms)  # type: ignore[arg-type]


def test_a_and_de_join_the_masculine_article_only() -> None:
    forms = ("a", "definite", "definites", "of", "to")
    book, table = _noun("libro", "m"), _noun("mesa", "f")
    assert [str(SPANISH.inflect(book, form)) for form in forms] == [
        "un libro",
        "el libro",
        "los libros",
        "del libro",
        "al libro",
    ]
    assert [str(SPANISH.inflect(table, form)) for form in forms] == [
        "una mesa",
        "la mesa",
        "las mesas",
        "de la mesa",
        "a la mesa",
    ]


@pytest.mark.parametrize(
    ("set_name", "text"), [("instruments", "arpa"), ("weapons", "hacha"), ("math", "álgebra"), ("beverage", "agua")]
)
def test_feminine_nouns_in_stressed_a_take_el(set_name: str, text: str) -> None:
    word = next(word for word in word_set(set_name, "es").words if word.text == text)
    assert word.genus is Genus.FEMININE
    assert str(SPANISH.inflect(word, "definite")) == f"el {text}"
    assert str(SPANISH.inflect(word, "of")) == f"del {text}"


@pytest.mark.parametrize(
    ("text", "definite", "indefinite"),
    [
        ("águila", "el águila", "un águila"),
        ("hambre", "el hambre", "un hambre"),
        ("aula", "el aula", "un aula"),
        ("araña", "la araña", "una araña"),
        ("amapola", "la amapola", "una amapola"),
        ("amiga", "la amiga", "una amiga"),
        ("harina", "la harina", "una harina"),
    ],
)
def test_the_commonest_of_them_are_known(text: str, definite: str, indefinite: str) -> None:
    assert str(SPANISH.inflect(_noun(text, "f"), "definite")) == definite
    assert str(SPANISH.inflect(_noun(text, "f"), "a")) == indefinite
    assert str(SPANISH.inflect(_noun(text, "f", article="el"), "of")) == f"del {text}"


def test_their_plural_takes_las() -> None:
    axe = _noun("hacha", "f", article="el")
    assert str(SPANISH.inflect(axe, "a")) == "un hacha"
    assert str(SPANISH.inflect(axe, "definites")) == "las hachas"


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        ("mesa", "mesas"),
        ("café", "cafés"),
        ("canción", "canciones"),
        ("jardín", "jardines"),
        ("interés", "intereses"),
        ("inglés", "ingleses"),
        ("capitán", "capitanes"),
        ("pan", "panes"),
        ("luz", "luces"),
        ("lápiz", "lápices"),
        ("cárcel", "cárceles"),
        ("reloj", "relojes"),
        ("rey", "reyes"),
        ("pared", "paredes"),
    ],
)
def test_regular_plurals(singular: str, plural: str) -> None:
    assert str(SPANISH.inflect(_noun(singular, "m"), "plural")) == plural


@pytest.mark.parametrize("text", ["joven", "examen", "lunes", "mes", "fagot", "bambú", "jabalí", "piel roja"])
def test_a_plural_that_the_letters_do_not_tell_is_asked_for(text: str) -> None:
    assert SPANISH.inflect(_noun(text, "m"), "plural") is None


@pytest.mark.parametrize(
    ("masculine", "feminine", "masculines", "feminines"),
    [
        ("tímido", "tímida", "tímidos", "tímidas"),
        ("hablador", "habladora", "habladores", "habladoras"),
        ("alegre", "alegre", "alegres", "alegres"),
        ("cruel", "cruel", "crueles", "crueles"),
        ("feliz", "feliz", "felices", "felices"),
        ("egoísta", "egoísta", "egoístas", "egoístas"),
        ("seductor", "seductora", "seductores", "seductoras"),
        ("común", "común", "comunes", "comunes"),
    ],
)
def test_adjectives_agree(masculine: str, feminine: str, masculines: str, feminines: str) -> None:
    word = Word(masculine, frozenset({Kind.ADJECTIVE}))
    assert [
        str(SPANISH.inflect(word, form, gender))
        for form in ("adjective", "adjectives")
        for gender in (Gender.MALE, Gender.FEMALE)
    ] == [masculine, feminine, masculines, feminines]
    assert str(SPANISH.inflect(word, "feminine", Gender.MALE)) == feminine


@pytest.mark.parametrize("text", ["alemán", "burlón", "inglés", "español", "andaluz", "superior", "chiquitín"])
def test_a_feminine_that_the_letters_do_not_tell_is_asked_for(text: str) -> None:
    word = Word(text, frozenset({Kind.ADJECTIVE}))
    assert [SPANISH.inflect(word, form, Gender.FEMALE) for form in ("adjective", "feminine", "feminines")] == [None] * 3
    assert str(SPANISH.inflect(word, "adjective", Gender.MALE)) == text


def test_the_plural_of_joven_takes_an_accent_and_is_asked_for() -> None:
    young = Word("joven", frozenset({Kind.ADJECTIVE}))
    assert SPANISH.inflect(young, "adjectives") is None
    assert str(SPANISH.inflect(young, "feminine")) == "joven"


def test_a_nationality_writes_its_feminine() -> None:
    forms = {
        word.text: str(SPANISH.inflect(word, "adjectives", Gender.FEMALE)) for word in word_set("origin", "es").words
    }
    assert forms["francés"] == "francesas"
    assert forms["alemán"] == "alemanas"
    assert forms["español"] == "españolas"
    assert forms["marroquí"] == "marroquíes"


def test_an_occupation_that_is_alike_for_both_still_has_two_articles() -> None:
    pilot = next(word for word in word_set("occupation", "es").words if word.text == "piloto")
    assert [str(SPANISH.inflect(pilot, "to", gender)) for gender in (Gender.MALE, Gender.FEMALE)] == [
        "al piloto",
        "a la piloto",
    ]
