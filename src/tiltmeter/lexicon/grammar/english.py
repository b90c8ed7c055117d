"""English: "a" or "an" by the sound, and regular plurals."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tiltmeter.lexicon.grammar.base import Form, Grammar
from tiltmeter.lexicon.words import Gender, Word

# Spelling and sound disagree at the start of these.
_SOUNDS_LIKE_CONSONANT = re.compile(
    r"""eu|ewe|one(?![ir])|once
    |uni(?:[cfopqtv]|l(?!l)|s(?!s)|di|$|\W)  # a union, a unilateral step; but an unimpressive, an unidentified
    |u(?:bi|fo|gand|k|nani|ra|re|ri|ro|ru|sa|se|su|tah|ten|ter|til|top|v|\b)
    |US(?![a-z])""",
    re.IGNORECASE | re.VERBOSE,
)
_SOUNDS_LIKE_VOWEL = re.compile(r"hour|heir|honest|honou?r|x-|8|1[18](?:\d\d)?(?!\d)", re.IGNORECASE)
_SPELLED_OUT = re.compile(r"[FHLMNRSX](?:(?=[B-DF-HJ-NP-TV-Z])|\b)")  # an MRI, an F-16; but a NASA engineer


def indefinite_article(text: str, override: str | None = None) -> str:
    """'a' or 'an', by the sound that `text` starts with."""
    if override in ("a", "an"):
        return override
    if _SOUNDS_LIKE_VOWEL.match(text) or _SPELLED_OUT.match(text):
        return "an"
    if _SOUNDS_LIKE_CONSONANT.match(text):
        return "a"
    return "an" if text[:1].lower() in "aeiou" else "a"


def regular_plural(text: str) -> str:
    """The regular plural of the last word of `text`; irregular plurals are written out in the lexicon."""
    if re.search(r"(?:[^aeiou]|qu)y$", text, re.IGNORECASE):
        return text[:-1] + "ies"
    if re.search(r"(?:s|x|z|ch|sh)$", text, re.IGNORECASE):
        return text + "es"
    return text + "s"


class English(Grammar):
    pronouns: Mapping[Gender, Mapping[str, str]] = {
        Gender.MALE: {"subject": "he", "possessive": "his"},
        Gender.FEMALE: {"subject": "she", "possessive": "her"},
    }

    def inflect(self, word: Word, form: str, agreement: Gender | None = None) -> Form | None:
        if form == "the":  # "a" and "an" are articles to choose, not to keep
            return Form(word.text, "the " if word.article == "the" else "")
        return super().inflect(word, form, agreement)

    def pluralise(self, word: Word) -> str:
        return regular_plural(word.text)

    def indefinite(self, word: Word) -> Form:
        noun = self.singular(word)
        return Form(noun, f"{indefinite_article(noun, word.article)} ")

    def definite(self, word: Word) -> Form:
        return Form(self.singular(word), "the ")

    def definites(self, word: Word) -> Form | None:
        plural = self.plural(word)
        return None if plural is None else Form(plural, "the ")

    def open_article(self, form: str, agreement: Gender | None) -> str:  # noqa: ARG002 - English has no genders
        return "a " if form == "a" else ""


GRAMMAR = English()
