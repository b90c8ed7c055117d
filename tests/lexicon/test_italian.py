"""Italian articles, plurals and agreement, on the words that mislead a rule about letters."""

from __future__ import annotations

import re

import pytest

from tiltmeter.lexicon.catalogue import template_sets, word_set, word_sets
from tiltmeter.lexicon.grammar import grammar_of
from tiltmeter.lexicon.templates import BLANK, Blank, Template
from tiltmeter.lexicon.words import Gender, Genus, Kind, Word

ITALIAN = grammar_of("it")


def _noun(text: str, genus: str, **forms: str) -> Word:
    return Word(text, genus=Genus(genus), **forms)  # type: ignore[arg-type]


def _adjective(text: str, **forms: str) -> Word:
    return Word(text, frozenset({Kind.ADJECTIVE}), **forms)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "genus", "indefinite", "definite"),
    [
        ("libro", "m", "un libro", "il libro"),
        ("sale", "m", "un sale", "il sale"),
        ("treno", "m", "un treno", "il treno"),
        ("albero", "m", "un albero", "l'albero"),
        ("uomo", "m", "un uomo", "l'uomo"),
        ("hotel", "m", "un hotel", "l'hotel"),
        ("specchio", "m", "uno specchio", "lo specchio"),
        ("sci", "m", "uno sci", "lo sci"),
        ("zaino", "m", "uno zaino", "lo zaino"),
        ("psicologo", "m", "uno psicologo", "lo psicologo"),
        ("gnomo", "m", "uno gnomo", "lo gnomo"),
        ("pneumatico", "m", "uno pneumatico", "lo pneumatico"),
        ("xilofono", "m", "uno xilofono", "lo xilofono"),
        ("yogurt", "m", "uno yogurt", "lo yogurt"),
        ("iato", "m", "uno iato", "lo iato"),
        ("whisky", "m", "un whisky", "il whisky"),
        ("casa", "f", "una casa", "la casa"),
        ("amica", "f", "un'amica", "l'amica"),
        ("scala", "f", "una scala", "la scala"),
        ("zia", "f", "una zia", "la zia"),
        ("psicologa", "f", "una psicologa", "la psicologa"),
        ("iena", "f", "una iena", "la iena"),
        ("isola", "f", "un'isola", "l'isola"),
    ],
)
def test_articles_follow_the_sound(text: str, genus: str, indefinite: str, definite: str) -> None:
    assert str(ITALIAN.inflect(_noun(text, genus), "a")) == indefinite
    assert str(ITALIAN.inflect(_noun(text, genus), "definite")) == definite


@pytest.mark.parametrize(
    ("text", "genus", "plural"),
    [
        ("libro", "m", "i libri"),
        ("zaino", "m", "gli zaini"),
        ("amico", "m", "gli amici"),
        ("studente", "m", "gli studenti"),
        ("albergatore", "m", "gli albergatori"),
        ("casa", "f", "le case"),
        ("amica", "f", "le amiche"),
        ("bottega", "f", "le botteghe"),
        ("città", "f", "le città"),
        ("orologio", "m", "gli orologi"),
        ("notaio", "m", "i notai"),
        ("stipendio", "m", "gli stipendi"),
        ("zio", "m", "gli zii"),
        ("pendio", "m", "i pendii"),
        ("tedesco", "m", "i tedeschi"),
        ("pianista", "m", "i pianisti"),
        ("pianista", "f", "le pianiste"),
        ("collega", "m", "i colleghi"),
        ("film", "m", "i film"),
    ],
)
def test_plurals_with_their_article(text: str, genus: str, plural: str) -> None:
    assert str(ITALIAN.inflect(_noun(text, genus), "definites")) == plural


@pytest.mark.parametrize(
    "text", ["psicologo", "chirurgo", "cuoco", "sindaco", "valigia", "camicia", "moglie", "capo reparto"]
)
def test_a_plural_that_the_letters_do_not_tell_is_asked_for(text: str) -> None:
    assert ITALIAN.inflect(_noun(text, "m"), "plural") is None
    assert str(ITALIAN.inflect(_noun(text, "m", plural="written"), "plural")) == "written"


def test_no_noun_of_the_data_changes_its_gender_in_the_plural() -> None:
    """il carcere, le carceri: the article of a plural goes by the gender, of which a noun has one."""
    changing = {
        "braccio", "carcere", "centinaio", "ciglio", "dito", "eco", "frutto", "ginocchio", "grido", "labbro",
        "lenzuolo", "membro", "migliaio", "miglio", "muro", "osso", "paio", "riso", "uovo", "urlo",
    }  # fmt: skip
    words = [word for words in word_sets("it").values() for word in words.words if Kind.THING in word.kinds]
    assert len(words) > 100
    assert changing & {word.text for word in words} == set()


@pytest.mark.parametrize(
    ("text", "genus", "of", "to"),
    [
        ("libro", "m", "del libro", "al libro"),
        ("zio", "m", "dello zio", "allo zio"),
        ("amico", "m", "dell'amico", "all'amico"),
        ("birra", "f", "della birra", "alla birra"),
        ("acqua", "f", "dell'acqua", "all'acqua"),
    ],
)
def test_prepositions_join_the_article(text: str, genus: str, of: str, to: str) -> None:
    assert str(ITALIAN.inflect(_noun(text, genus), "of")) == of
    assert str(ITALIAN.inflect(_noun(text, genus), "to")) == to


def test_champagne_sounds_like_sci() -> None:
    champagne = _noun("champagne", "m", article="lo")
    assert [str(ITALIAN.inflect(champagne, form)) for form in ("a", "definite", "of")] == [
        "uno champagne",
        "lo champagne",
        "dello champagne",
    ]


@pytest.mark.parametrize(
    ("masculine", "feminine", "masculines", "feminines"),
    [
        ("timido", "timida", "timidi", "timide"),
        ("simpatico", "simpatica", "simpatici", "simpatiche"),
        ("stanco", "stanca", "stanchi", "stanche"),
        ("largo", "larga", "larghi", "larghe"),
        ("serio", "seria", "seri", "serie"),
        ("gentile", "gentile", "gentili", "gentili"),
        ("antico", "antica", "antichi", "antiche"),
        ("saggio", "saggia", "saggi", "sagge"),
        ("grigio", "grigia", "grigi", "grigie"),
        ("ipocrita", "ipocrita", "ipocriti", "ipocrite"),
        ("belga", "belga", "belgi", "belghe"),
    ],
)
def test_adjectives_agree(masculine: str, feminine: str, masculines: str, feminines: str) -> None:
    word = _adjective(masculine)
    assert [
        str(ITALIAN.inflect(word, form, gender))
        for form in ("adjective", "adjectives")
        for gender in (Gender.MALE, Gender.FEMALE)
    ] == [masculine, feminine, masculines, feminines]
    assert str(ITALIAN.inflect(word, "feminine", Gender.MALE)) == feminine
    assert str(ITALIAN.inflect(word, "feminines", Gender.MALE)) == feminines


def test_forms_of_adjectives_that_the_letters_do_not_tell_are_asked_for() -> None:
    greek, talker = _adjective("greco"), _adjective("conservatore")
    assert ITALIAN.inflect(greek, "adjectives", Gender.MALE) is None
    assert [ITALIAN.inflect(talker, form, Gender.FEMALE) for form in ("adjective", "adjectives", "feminine")] == [
        None
    ] * 3
    assert str(ITALIAN.inflect(talker, "adjective", Gender.MALE)) == "conservatore"
    written = _adjective("conservatore", feminine="conservatrice")
    assert str(ITALIAN.inflect(written, "feminines")) == "conservatrici"


def test_an_adjective_in_a_has_two_plurals() -> None:
    egoista = next(word for word in word_set("trait", "it").words if word.text == "egoista")
    assert str(ITALIAN.inflect(egoista, "adjectives", Gender.MALE)) == "egoisti"
    assert str(ITALIAN.inflect(egoista, "adjectives", Gender.FEMALE)) == "egoiste"


def test_an_occupation_that_is_alike_for_both_still_has_two_articles() -> None:
    dentist = next(word for word in word_set("occupation", "it").words if word.text == "dentista")
    both = [str(ITALIAN.inflect(dentist, "definite", gender)) for gender in (Gender.MALE, Gender.FEMALE)]
    assert both == ["il dentista", "la dentista"]


def test_the_article_stays_beside_the_blank() -> None:
    template = Template("{word:definite} è la bevanda preferita di {name}.", "it")
    name = Word("Anna", frozenset({Kind.NAME}))
    water = Word("acqua", frozenset({Kind.MASS}), genus=Genus.FEMININE)
    assert template.fill({"word": Blank(like=water), "name": name}) == f"L'{BLANK} è la bevanda preferita di Anna."
    assert template.form("word", water) == "acqua"
    assert template.fill({"word": water, "name": name}) == "L'acqua è la bevanda preferita di Anna."


def test_no_word_before_a_name_tells_how_it_begins() -> None:
    """ "Ad Anna", but "a Marco": it must not stand beside the blank of a name."""
    for templates in template_sets("it").values():
        for slot in ("target", "feature"):
            if getattr(templates, slot) == "name":
                wrong = re.compile(rf"\b(?:a) {{{slot}\b", re.IGNORECASE)
                assert [text for text in templates.sentences if wrong.search(text)] == []
