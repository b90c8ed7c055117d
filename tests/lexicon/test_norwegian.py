"""Norwegian articles, the ends of definite nouns, and plural adjectives."""

from __future__ import annotations

import pytest

from tiltmeter.lexicon.catalogue import word_set
from tiltmeter.lexicon.grammar import grammar_of
from tiltmeter.lexicon.words import Gender, Genus, Kind, Word

NORWEGIAN = grammar_of("no")
PERSON, ADJECTIVE = frozenset({Kind.PERSON}), frozenset({Kind.ADJECTIVE})


def form(word: Word, name: str, agreement: Gender | None = None) -> str | None:
    found = NORWEGIAN.inflect(word, name, agreement)
    return None if found is None else str(found)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (Word("lærer", PERSON), "en lærer, læreren, lærere, lærerne"),
        (Word("lege", PERSON), "en lege, legen, leger, legene"),
        (Word("journalist", PERSON), "en journalist, journalisten, journalister, journalistene"),
        (Word("ingeniør", PERSON), "en ingeniør, ingeniøren, ingeniører, ingeniørene"),
        (Word("jente", PERSON, genus=Genus.FEMININE), "ei jente, jenta, jenter, jentene"),
        (Word("kniv", genus=Genus.MASCULINE, plural="kniver"), "en kniv, kniven, kniver, knivene"),
        (Word("yrke", genus=Genus.NEUTER, plural="yrker"), "et yrke, yrket, yrker, yrkene"),
    ],
)
def test_four_forms_of_a_noun(word: Word, expected: str) -> None:
    assert [form(word, name) for name in ("a", "definite", "plural", "definites")] == expected.split(", ")


@pytest.mark.parametrize("text", ["kvinne", "jente", "dame"])
def test_words_for_women_take_en_as_those_for_men_do(text: str) -> None:
    """Bokmål leaves the choice, and ei beside a blank would give the answer away."""
    words = [word for name in ("gender", "female-terms-7") for word in word_set(name, "no").words if word.text == text]
    assert words
    assert {form(word, "a") for word in words} == {f"en {text}"}


def test_where_a_stem_may_change_the_form_is_written() -> None:
    for text in ("himmel", "våpen", "hjem", "teater", "kafé"):  # himmelen, våpenet, hjemmet, teateret, kafeen
        assert form(Word(text, genus=Genus.NEUTER), "definite") is None
    for text in ("bonde", "søster", "datter", "mester"):  # bønder, søstre, døtre; mestre or mestere
        assert form(Word(text, PERSON), "plural") is None
    assert form(Word("ting", genus=Genus.MASCULINE), "plural") is None
    assert form(Word("hus", genus=Genus.NEUTER), "plural") is None
    home = Word("hjem", genus=Genus.NEUTER, plural="hjem", forms=(("definite", "hjemmet"), ("definites", "hjemmene")))
    assert [form(home, name) for name in ("a", "definite", "definites")] == ["et hjem", "hjemmet", "hjemmene"]


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        ("snill", "snille"),
        ("ærlig", "ærlige"),
        ("vakker", "vakre"),
        ("munter", "muntre"),
        ("beskjeden", "beskjedne"),
        ("sikker", "sikre"),
        ("gammel", "gamle"),
        ("morsom", "morsomme"),
        ("norsk", "norske"),
        ("ren", "rene"),
        ("pen", "pene"),
        ("åpen", "åpne"),
        ("stille", "stille"),
        ("bra", "bra"),
        ("sur", "sure"),
        ("ny", None),  # nye, but: sky, sky
        ("dum", None),  # dumme, but: varm, varme
        ("vellykket", None),  # vellykkede
    ],
)
def test_adjectives_in_the_plural(singular: str, plural: str | None) -> None:
    assert form(Word(singular, ADJECTIVE), "adjectives") == plural


def test_a_pair_of_occupations_shares_its_article() -> None:
    officer = next(word for word in word_set("occupation", "no").words if word.text == "politimann")
    assert form(officer, "a", Gender.MALE) == "en politimann"
    assert form(officer, "a", Gender.FEMALE) == "en politikvinne"
    assert form(officer, "definite", Gender.FEMALE) == "politikvinnen"
    assert form(officer, "neutral") == "politibetjent"
