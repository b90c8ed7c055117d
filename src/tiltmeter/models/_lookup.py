"""Under which spellings a word is looked for in a vocabulary, and in which order."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from tiltmeter.errors import InputError, did_you_mean
from tiltmeter.lexicon.tests import Passage

Case = Literal["as is", "lower", "title"]
Multiword = Literal["average", "underscore", "none"]
_CASES: tuple[Case, ...] = get_args(Case)
_MULTIWORD: tuple[Multiword, ...] = get_args(Multiword)
_GAP = re.compile(r"[\s_]+")
_PIECE = re.compile(r"[^\s_-]+")
_ELIDED = re.compile(r"((?:[^\W\d_]{1,2}|\w*(?:qu|ll)|anch|quest)['’])(?!(?:d|ll|m|re|s|t|ve)$)(\w.*)", re.IGNORECASE)
_CLITIC = re.compile(r"(.+?)(n['’]t|['’]\w*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a sentence; `own` if it belongs to the word that the sentence is about."""

    text: str
    own: bool


@dataclass(frozen=True, slots=True)
class Lookup:
    """Letter case first: as it is written, in lower case, in title case. Then, for a name of several words: joined by
    `_`, by a space, and at last (`average`) the mean of the vectors of its parts."""

    cases: tuple[Case, ...]
    multiword: Multiword

    @classmethod
    def checked(cls, cases: Sequence[str], multiword: str) -> Lookup:
        for name, known in [*((case, _CASES) for case in cases), (multiword, _MULTIWORD)]:
            if name not in known:
                raise InputError(
                    f"there is no way to look words up named {name!r}.",
                    hint=did_you_mean(name, known) or f"There are: {', '.join(map(repr, known))}.",
                )
        if not cases or len(set(cases)) != len(cases):
            raise InputError(
                f"the ways to look words up are {list(cases)!r}.", hint="Give one or more of them, each once."
            )
        return cls(tuple(case for name in cases for case in _CASES if case == name), _multiword(multiword))

    def spellings(self, text: str) -> Iterator[tuple[str, str]]:
        """How the word is found, and the spelling, from the best to the last; none twice."""
        seen = set()
        for joint, joined in self._joined(text):
            for case in self.cases:
                how = case if not joint else joint if case == "as is" else f"{joint}, {case}"
                # Canonically equal forms are the same word to Unicode, and not to a file.
                for form in (joined, unicodedata.normalize("NFC", joined), unicodedata.normalize("NFD", joined)):
                    for spelling in (_in_case(form, case), _in_turkish_case(form, case)):
                        if spelling and spelling not in seen:
                            seen.add(spelling)
                            yield how, spelling

    def parts(self, text: str) -> list[str]:
        """The words of a name of several words, where they may stand in for the whole."""
        parts = [part for part in _GAP.split(text) if part]
        return parts if self.multiword == "average" and len(parts) > 1 else []

    def _joined(self, text: str) -> Iterator[tuple[str, str]]:
        yield "", text
        parts = [part for part in _GAP.split(text) if part]
        if self.multiword != "none" and len(parts) > 1:
            yield "underscore", "_".join(parts)
            yield "space", " ".join(parts)


def tokens(passage: Passage) -> list[Token]:
    """What stands between spaces in a sentence, without the punctuation around it.

    An article that elides before the passage's own word is a token of its own: in "L'amour est ici", "L'" is known to
    every vocabulary, and must not be taken for "amour".
    """
    found = []
    for match in re.finditer(r"\S+", passage.text):
        start, end = match.span()
        while start < end and _is_punctuation(passage.text[start]):
            start += 1
        while start < end and _is_punctuation(passage.text[end - 1]):
            end -= 1
        if start < passage.start < end and passage.text[passage.start - 1] in "'’":
            found.append(Token(passage.text[start : passage.start].replace("’", "'"), own=False))
            start = passage.start
        if start < end:
            own = start < passage.end and passage.start < end
            found.append(Token(passage.text[start:end], own))
    return found


def clitics(token: str) -> list[str]:
    """`person's` in two pieces, as the tokenizer of GloVe's corpora has them: person, 's; and what French and Italian
    elide as that of fastText's has it: c', est."""
    if found := _ELIDED.fullmatch(token):
        return [found[1].replace("’", "'"), found[2]]
    found = _CLITIC.fullmatch(token)
    return [found[1], found[2].replace("’", "'")] if found else []


def is_sentence(passage: Passage) -> bool:
    """Whether there is more to the text than its word."""
    return passage.start > 0 or passage.end < len(passage.text)


def _multiword(name: str) -> Multiword:
    return next(known for known in _MULTIWORD if known == name)


def _in_case(text: str, case: Case) -> str:
    if case == "lower":
        return text.lower()
    if case == "title":  # str.title would make a capital after every apostrophe
        return _PIECE.sub(lambda piece: piece[0].capitalize(), text)
    return text


def _in_turkish_case(text: str, case: Case) -> str:
    """In Turkish the capital of i is İ, and that of ı is I: İbrahim, ibrahim; Işıl, ışıl."""
    small = text.replace("İ", "i").replace("I", "ı").lower()
    if case == "lower":
        return small
    if case == "title":
        return _PIECE.sub(lambda piece: piece[0][0].replace("i", "İ").upper() + piece[0][1:], small)
    return text


def _is_punctuation(character: str) -> bool:
    return unicodedata.category(character).startswith("P")
