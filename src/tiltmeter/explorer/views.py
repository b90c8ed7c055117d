"""What a view shows: one model's scores of a category of targets with a category of features."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tiltmeter.explorer.problems import RefusalError
from tiltmeter.lexicon.templates import BLANK
from tiltmeter.lexicon.words import Kind, Word, WordSet
from tiltmeter.measurement import Lost

ScoreKind = Literal["indirect", "direct"]
MOST_WORDS = 20
WORD_CHARACTERS = 60


@dataclass(frozen=True)
class View:
    """`add_names`: first names that were typed and join the bridge."""

    model: str
    targets: str
    features: str
    kind: ScoreKind = "indirect"
    add_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Typed:
    """Words that were typed, beside those of the view."""

    targets: tuple[str, ...] = ()
    features: tuple[str, ...] = ()


def typed_words(given: Sequence[str], where: str) -> tuple[tuple[str, ...], tuple[Lost, ...]]:
    """Words as they were typed, tidied, each once; and those that are no words or too many, with the reason."""
    words: dict[str, None] = {}
    lost: dict[str, Lost] = {}
    for one in given:
        word = _tidied(one)
        fault = _fault(word)
        if fault is None and word not in words and len(words) == MOST_WORDS:
            fault = f"at most {MOST_WORDS} words are taken at a time"
        if fault is None:
            words[word] = None
        else:
            lost[one] = Lost(one, where, fault)
    return tuple(words), tuple(lost.values())


def typed_word(given: str, what: str) -> str:
    """A word that something is asked about; an error says what is wrong with it."""
    word = _tidied(given)
    fault = _fault(word)
    if fault:
        raise RefusalError(
            422, "invalid", f"{word[:WORD_CHARACTERS]!r} is no word for {what}: {fault}.", hint="Type a word."
        )
    return word


def _tidied(given: str) -> str:
    return " ".join(unicodedata.normalize("NFC", given).split())


def _fault(word: str) -> str | None:
    if not word:
        return "it is empty"
    if len(word) > WORD_CHARACTERS:
        return f"it has more than {WORD_CHARACTERS} characters"
    if BLANK in word or re.search(r"[{}<>\[\]]", word):
        return "it holds a character that has a meaning in templates or for models"
    if any(unicodedata.category(one) in ("Cc", "Cf", "Cs", "Co", "Cn") for one in word):
        return "it holds a character that cannot be seen"
    return None


def main_kind(words: WordSet) -> Kind:
    """The grammatical kind that most words of a set have: a word typed into it is taken for one.

    Of kinds that are equally frequent it is the one that `Kind` names first: a person rather than a plural.
    """
    counts = Counter(kind for word in words.words for kind in word.kinds)
    return max(Kind, key=lambda kind: counts[kind])


def as_word(text: str, words: WordSet) -> Word:
    """A typed word, as one of the set."""
    return Word(text, frozenset({main_kind(words)}))
