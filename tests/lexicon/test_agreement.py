"""Template sets that agree: how they are written, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tiltmeter.errors import InputError
from tiltmeter.lexicon.templates import Template, TemplateSet
from tiltmeter.lexicon.toml_format import read_lexicon
from tiltmeter.lexicon.words import Gender, Kind, Word

Read = Callable[[str], TemplateSet]
SETS = """
language = "de"
[sets.job]
kind = "person"
words = [{ text = "Arzt", plural = "Ärzte", feminine = "Ärztin" }, { text = "Koch", feminine = "Köchin" }]
[sets.who]
kind = "name"
words = ["Anna", "Paul"]
[templates.job-who]
target = "job"
feature = "who"
"""


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read_templates(rest: str) -> TemplateSet:
        path = tmp_path / "mine.toml"
        path.write_text(SETS + rest, encoding="utf-8")
        return read_lexicon(path).templates["job-who"]

    return read_templates


def test_each_sentence_is_made_in_both_genders(read: Read) -> None:
    used = read(
        'agrees = true\nsentences = ["{Er|Sie} heißt {feature} und ist {target:noun}.", "{feature} ist {target:a}."]'
    )
    doctor, anna = Word("Arzt", frozenset({Kind.PERSON}), feminine="Ärztin"), Word("Anna", frozenset({Kind.NAME}))
    assert [template.fill({"target": doctor, "feature": anna}) for template in used.templates] == [
        "Er heißt Anna und ist Arzt.",
        "Sie heißt Anna und ist Ärztin.",
        "Anna ist ein Arzt.",
        "Anna ist eine Ärztin.",
    ]
    assert used.groups == ((0, 1), (2, 3))
    assert len(used.sentences) == 2


def test_sentences_of_one_version_stand_alone_even_if_they_are_alike() -> None:
    same = Template("{target} ist {feature}.", "de")
    used = TemplateSet("a-b", "de", "a", "b", (same, same, *same.versions()), "here")
    assert used.groups == ((0,), (1,), (2, 3))


def test_a_neutral_form_is_the_same_in_both() -> None:
    forms = (("neutral", "Lehrkraft"), ("neutral-plural", "Lehrkräfte"))
    teacher = Word("Lehrer", frozenset({Kind.PERSON}), feminine="Lehrerin", forms=forms)
    masculine, feminine = Template("{word:neutral-plural} helfen. {word:neutral} {er|sie}.", "de").versions()
    assert masculine.fill({"word": teacher}) == "Lehrkräfte helfen. Lehrkraft er."
    assert feminine.fill({"word": teacher}) == "Lehrkräfte helfen. Lehrkraft sie."


def test_a_word_without_two_forms_is_the_same_in_both() -> None:
    masculine, feminine = Template("{word:a} ist da.", "de").versions()
    child = Word("Kind", frozenset({Kind.PERSON}), genus=None, gender=Gender.MALE)
    assert masculine.fill({"word": child}) == feminine.fill({"word": child}) == "Ein Kind ist da."


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ('sentences = ["{feature} ist {target:noun}."]', r"'Arzt' of set 'job' has the feminine form 'Ärztin'.*agrees"),
        ('agrees = "ja"\nsentences = ["{feature} ist {target}."]', r"'agrees' must be true or false, not a text"),
        ('agrees = false\nsentences = ["{Er|Sie} heißt {feature}, {target}."]', r"a choice by gender.*agrees = true"),
        ('agrees = true\nsentences = ["{Er|Sie|Es} heißt {feature}, {target}."]', r"no choice of two.*\{masculine\|"),
        ('agrees = true\nsentences = ["{feature} ist {target:zzz}."]', r"'zzz'.*Known forms in language 'de'.*dative"),
    ],
)  # fmt: skip
def test_what_is_refused_says_what_to_do(read: Read, rest: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(rest)
    assert caught.value.line is not None


def test_one_form_may_be_asked_for_on_purpose(read: Read) -> None:
    assert len(read('agrees = false\nsentences = ["{feature} ist {target:noun}."]')) == 1


def test_a_written_form_that_the_language_does_not_have_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('language = "de"\n[sets.a]\nwords = [{ text = "Rose", locative = "Rose" }]\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"unknown key 'locative'.*dative"):
        read_lexicon(path)


def test_a_language_without_a_grammar_takes_what_is_written(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'language = "sv"\n[sets.a]\nwords = [{ text = "ros", article = "en", plural = "rosor", definite = "rosen" }]\n',
        encoding="utf-8",
    )
    rose = read_lexicon(path).sets["a"].words[0]
    texts = [Template(f"Här är {{word:{form}}}.", "sv").fill({"word": rose}) for form in ("a", "definite", "plural")]
    assert texts == ["Här är en ros.", "Här är rosen.", "Här är rosor."]
    assert Template("{word:definites} är här.", "sv").fill({"word": rose}) is None
