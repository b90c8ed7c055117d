"""Every generated sentence of every language, read by Debian's hunspell with the dictionary of that language.

A slot holds the same form whatever stands in the other one. So each template filled with every target beside one
feature, and with every feature beside one target, shows all words that its sentences have.
"""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tiltmeter.lexicon import catalogue
from tiltmeter.lexicon.grammar import grammar_of
from tiltmeter.lexicon.sampling import of_pairs, of_test
from tiltmeter.lexicon.templates import TemplateSet

from .required import LANGUAGES

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
each_language = pytest.mark.parametrize("lang", LANGUAGES)


def sentences(lang: str) -> Iterator[str]:
    for templates in catalogue.template_sets(lang).values():
        yield from covering(templates)
    for test in catalogue.association_tests(lang).values():
        yield from (sentence.text for sentence in of_test(test, seat=True))
    yield from (sentence.text for sentence in of_pairs(lang))
    yield from neutral_forms(lang)
    for multiclass in catalogue.multiclass_tests(lang).values():
        yield from (word for words in (*multiclass.definitions, *multiclass.stereotypes.values()) for word in words)


def neutral_forms(lang: str) -> Iterator[str]:
    """Lehrkraft: no bundled template asks for them, but users' templates may."""
    for words in catalogue.word_sets(lang).values():
        for word, form in itertools.product(words.words, ("neutral", "neutral-plural")):
            found = grammar_of(lang).inflect(word, form)
            yield from () if found is None else (found.text,)


def covering(templates: TemplateSet) -> Iterator[str]:
    sets = {
        "target": catalogue.word_set(templates.target, templates.language).words,
        "feature": catalogue.word_set(templates.feature, templates.language).words,
    }
    for template in templates.templates:
        one = {slot: next(word for word in words if template.form(slot, word)) for slot, words in sets.items()}
        for slot, words in sets.items():
            texts = (template.fill({**one, slot: word}) for word in words)
            yield from (text for text in texts if text is not None)


def exceptions(lang: str) -> Any:
    return tomllib.loads((Path(__file__).parent / "spelling" / f"{lang}.toml").read_text("utf-8"))


def excepted(lang: str) -> set[str]:
    words: set[str] = set()
    for entry in exceptions(lang)["exception"]:
        assert entry["reason"]
        words |= set(entry.get("words", ()))
        for name in entry.get("sets", ()):
            words |= {part for text in catalogue.word_set(name, lang).texts for part in text.split()}
    return words


@cache
def misspelled(lang: str) -> frozenset[str]:
    """The words that the dictionary does not know."""
    dictionary = exceptions(lang)["dictionary"]
    if shutil.which("hunspell") is None:
        pytest.skip("needs the program hunspell (Debian: apt-get install hunspell)")
    text = "\n".join(sorted({word for text in sentences(lang) for word in _WORD.findall(text)}))
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    found = subprocess.run(
        ["hunspell", "-d", dictionary, "-i", "utf-8", "-l"],
        input=text,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=environment,
        check=False,
    )
    if "Can't open" in found.stderr:
        pytest.skip(f"needs hunspell's dictionary {dictionary} (Debian: apt-get install hunspell-{lang})")
    assert found.returncode == 0, found.stderr
    return frozenset(found.stdout.split("\n")) - {""}


@pytest.mark.parametrize("lang", ["de", "is", "nl", "no"])
def test_neutral_forms_are_read(lang: str) -> None:
    assert len(set(neutral_forms(lang))) >= 4


@each_language
def test_every_word_of_every_sentence_is_in_the_dictionary(lang: str) -> None:
    known = {word.casefold() for word in excepted(lang)}  # a word may begin a sentence
    assert sorted(word for word in misspelled(lang) if word.casefold() not in known) == []


@each_language
def test_the_dictionary_would_notice(lang: str) -> None:
    """Every exception in words is one that the dictionary does not know: it has been read, and none is idle."""
    written = {word for entry in exceptions(lang)["exception"] for word in entry.get("words", ())}
    unknown = {word.casefold() for word in misspelled(lang)}
    assert sorted(word for word in written if word.casefold() not in unknown) == []
