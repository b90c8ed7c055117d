"""The words of a corpus: paragraphs, tokens, and the letter case that each token has when no sentence begins with it.

Case is kept, because it carries meaning: German nouns, and names that are also words (Rose, Will, Grace). Only a token
that begins a sentence, or is written in capitals throughout, is put into the form that is commonest elsewhere. In the
Norwegian corpus, of which the older half writes nouns with a capital as Danish did and the younger half does not, a
capitalised form is folded into the small one wherever the small one is common too; names are not touched by that.
"""

from __future__ import annotations

import functools
import lzma
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

_LETTERS = r"[^\W\d_]+"
_WORD = re.compile(rf"(?<!\w){_LETTERS}(?:['-]{_LETTERS})*'?(?!\w)")
_ENDS = re.compile(r"[.!?…:;»\"”’)—–-]$")
_BREAK = re.compile(r"[.!?…:\"“”„«»‘()—–]")
_QUOTES = str.maketrans({"’": "'", "ʼ": "'", "`": "'", "\u00ad": None, "\ufeff": None})
_ENGLISH_CLITIC = re.compile(r"(.+?)('(?:s|ll|re|ve|d|m)|n't)", re.IGNORECASE)
_GERMAN_CLITIC = re.compile(r"(.+?)('[sn])")
_ROMANCE_PROCLITIC = re.compile(rf"({_LETTERS}')(.+)")
_FRENCH_ENCLITIC = re.compile(
    r"(.+?)-(?:t-)?(je|tu|il|elle|on|nous|vous|ils|elles|ce|le|la|les|lui|leur|moi|toi|y|en|là|ci)", re.IGNORECASE
)
# Written with an apostrophe or a hyphen, and yet one word.
_WHOLE: dict[str, frozenset[str]] = {
    "fr": frozenset(("aujourd'hui", "quelqu'un", "quelqu'une", "presqu'île", "prud'homme", "peut-être", "celui-ci")),
    "it": frozenset(("po'",)),
}
# A full stop after these ends no sentence.
_ABBREVIATIONS: dict[str, frozenset[str]] = {
    "en": frozenset(("Mr", "Mrs", "Dr", "St", "Messrs", "Capt", "Col", "Rev", "Hon", "Esq", "Sir")),
    "de": frozenset(("Dr", "Hr", "Fr", "St", "Frl", "Se", "Ew")),
    "fr": frozenset(("M", "MM", "Mme", "Mlle", "Dr", "St", "Mgr")),
    "it": frozenset(("sig", "Sig", "dott", "don", "S")),
    "no": frozenset(("Hr", "Dr", "Fr", "St", "Frk")),
}
_MARK = "^"  # no token begins with it
_FOLD = {"no": 0.1}  # share of the small form from which on the capitalised one is folded into it


def paragraphs(corpus: Path) -> Iterator[str]:
    """The paragraphs of an xz file, one a line; a line that goes on in the next is joined to it."""
    held = ""
    with lzma.open(corpus, "rt", encoding="utf-8") as lines:
        for raw in lines:
            line = unicodedata.normalize("NFC", raw.strip()).translate(_QUOTES)
            if held and line[:1].islower() and not _ENDS.search(held):
                held = f"{held} {line}"
                continue
            if held:
                yield held
            held = line
    if held:
        yield held


def tokens(paragraph: str, language: str) -> Iterator[tuple[str, bool]]:
    """The tokens of a paragraph, and whether each may owe its capital to its place."""
    end, last = 0, ""
    for match in _WORD.finditer(paragraph):
        between = paragraph[end : match.start()]
        begins = end == 0 or bool(_BREAK.search(between))
        if begins and between.strip() == "." and last in _ABBREVIATIONS[language]:
            begins = False
        end = match.end()
        pieces = _pieces(match[0], language)
        for place, piece in enumerate(pieces):
            yield piece, begins and place == 0
        # After a sentence-initial article that is elided (L'uomo), the noun has its own case.
        last = pieces[-1] if pieces else last


@functools.lru_cache(maxsize=1 << 17)
def _pieces(word: str, language: str) -> tuple[str, ...]:
    """A word, or what it is put together from: l' homme, person 's, dit il."""
    whole = _WHOLE.get(language, frozenset())
    if word.lower() in whole:
        return (word,)
    bare = word.removesuffix("'")
    if bare.lower() in whole:
        return (bare,)
    if language == "en" and (found := _ENGLISH_CLITIC.fullmatch(bare)):
        return (found[1], found[2].lower())
    if language == "de" and (found := _GERMAN_CLITIC.fullmatch(bare)):
        return (found[1], found[2])
    if language == "fr" and (found := _FRENCH_ENCLITIC.fullmatch(bare)):
        return (*_pieces(found[1], language), found[2])
    if language in ("fr", "it") and (found := _ROMANCE_PROCLITIC.fullmatch(bare)):
        return (found[1], *_pieces(found[2], language))
    return (bare,)


def marked(paragraph: str, language: str) -> list[str]:
    """The tokens of a paragraph, with a mark before each that may owe its capital to its place."""
    return [_MARK + token if begins else token for token, begins in tokens(paragraph, language)]


@dataclass
class Casing:
    """How often each form occurs where its case is its own, and which words a token stands for by that.

    A hyphened word stays whole if it occurs `least` times; otherwise its parts count.
    """

    language: str
    least: int = 20
    counts: Counter[str] = field(default_factory=Counter)
    _hyphened: Counter[str] = field(default_factory=Counter)
    _commonest: dict[str, str] = field(default_factory=dict)
    _known: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, paragraphs: Iterable[list[str]], language: str) -> Casing:
        """What marked paragraphs tell of their language."""
        casing = cls(language)
        for paragraph in paragraphs:
            casing.counts.update(paragraph)
        for token in list(casing.counts):
            bare = token.removeprefix(_MARK)
            if "-" in bare:
                casing._hyphened[bare] += casing.counts[token]
            if bare != token or _shouted(token):
                del casing.counts[token]
        for form, count in casing.counts.items():
            folded = form.lower()
            if count > casing.counts[casing._commonest.get(folded, "")]:
                casing._commonest[folded] = form
        return casing

    def words(self, paragraph: Iterable[str]) -> Iterator[str]:
        """The words of a marked paragraph, each in the case that it has by itself."""
        for token in paragraph:
            found = self._known.get(token)
            if found is None:
                found = self._known[token] = self._words(token)
            yield from found

    def _words(self, token: str) -> tuple[str, ...]:
        bare = token.removeprefix(_MARK)
        begins = bare != token
        if "-" in bare and self._hyphened[bare] < self.least:
            return tuple(self._form(part, begins and not at) for at, part in enumerate(bare.split("-")) if part)
        return (self._form(bare, begins),)

    def _form(self, token: str, begins: bool) -> str:
        if begins or _shouted(token):
            token = self._commonest.get(token.lower(), token)
        share = _FOLD.get(self.language)
        if share is not None and token[:1].isupper():
            small = self.counts[token.lower()]
            if small and small >= share * (small + self.counts[token]):
                return token.lower()
        return token


def _shouted(token: str) -> bool:
    return len(token) > 1 and token.isupper()
