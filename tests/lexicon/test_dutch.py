"""Dutch articles and capitals."""

from __future__ import annotations

import pytest

from tiltmeter.lexicon.catalogue import word_set
from tiltmeter.lexicon.grammar import grammar_of
from tiltmeter.lexicon.templates import BLANK, Blank, Template
from tiltmeter.lexicon.words import Gender, Genus, Kind, Word

DUTCH = grammar_of("nl")
PERSON = frozenset({Kind.PERSON})


def form(word: Word, name: str, agreement: Gender | None = None) -> str | None:
    found = DUTCH.inflect(word, name, agreement)
    return None if found is None else str(found)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (Word("zwaard", genus=Genus.NEUTER, plural="zwaarden"), ["een zwaard", "het zwaard", "de zwaarden"]),
        (Word("viool", genus=Genus.COMMON, plural="violen"), ["een viool", "de viool", "de violen"]),
        (Word("meisje", PERSON, gender=Gender.FEMALE, genus=Genus.NEUTER), ["een meisje", "het meisje", "de meisjes"]),
        (Word("vrouw", PERSON, gender=Gender.FEMALE, plural="vrouwen"), ["een vrouw", "de vrouw", "de vrouwen"]),
    ],
)
def test_articles(word: Word, expected: list[str]) -> None:
    assert [form(word, name) for name in ("a", "definite", "definites")] == expected


def test_de_or_het_of_a_thing_is_written() -> None:
    assert form(Word("accordeon"), "definite") is None


def test_plurals_that_are_certain() -> None:
    words = {"vergadering": Genus.COMMON, "waarheid": Genus.COMMON, "madeliefje": Genus.NEUTER, "kapster": None}
    plurals = [form(Word(text, genus=genus), "plural") for text, genus in words.items()]
    assert plurals == ["vergaderingen", "waarheden", "madeliefjes", "kapsters"]
    assert form(Word("schip", genus=Genus.NEUTER), "plural") is None
    assert form(Word("ding", genus=Genus.NEUTER), "plural") is None
    for text in ("ster", "filmster", "camping"):  # sterren, filmsterren, campings
        assert form(Word(text, PERSON), "plural") is None


def test_ij_is_one_letter() -> None:
    glass = Word("ijzer", genus=Genus.NEUTER, kinds=frozenset({Kind.MASS}))
    assert Template("{word} is hard.", "nl").fill({"word": glass}) == "IJzer is hard."
    assert Template("{word} is hard.", "nl").form("word", glass) == "IJzer"


def test_a_feminine_form_is_used_where_it_is_usual() -> None:
    jobs = {word.text: form(word, "noun", Gender.FEMALE) for word in word_set("occupation", "nl").words}
    assert jobs["kapper"] == "kapster"
    assert jobs["rechter"] == "rechter"


def test_a_blank_keeps_its_article() -> None:
    job = Word("zanger", PERSON, plural="zangers", feminine="zangeres")
    template = Template("{word:definite} is hier.", "nl", Gender.FEMALE)
    assert template.fill({"word": Blank(like=job)}) == f"De {BLANK} is hier."
    assert template.form("word", job) == "zangeres"
