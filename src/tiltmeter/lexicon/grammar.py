"""The forms of English words: articles, plurals, and which form fits which slot of a template."""

from __future__ import annotations

import re

from tiltmeter.lexicon.words import Kind, Word

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

_NOUNS = frozenset({Kind.THING, Kind.PERSON})
FORMS = (
    "a",
    "the",
    "noun",
    "plural",
    "generic",
    "several",
    "adjective",
    "mass",
    "name",
    "place",
    "number",
    "verb",
)


def indefinite_article(text: str, override: str | None = None) -> str:
    """'a' or 'an', by the sound that `text` starts with."""
    if override in ("a", "an"):
        return override
    if _SOUNDS_LIKE_VOWEL.match(text) or _SPELLED_OUT.match(text):
        return "an"
    if _SOUNDS_LIKE_CONSONANT.match(text):
        return "a"
    return "an" if text[:1].lower() in "aeiou" else "a"


def pluralise(text: str) -> str:
    """The regular plural of the last word of `text`; irregular plurals are written out in the lexicon."""
    if re.search(r"(?:[^aeiou]|qu)y$", text, re.IGNORECASE):
        return text[:-1] + "ies"
    if re.search(r"(?:s|x|z|ch|sh)$", text, re.IGNORECASE):
        return text + "es"
    return text + "s"


def plural_of(word: Word) -> str:
    if Kind.PLURAL in word.kinds or word.singular:
        return word.text
    return word.plural or pluralise(word.text)


def singular_of(word: Word) -> str:
    return word.singular or word.text


def with_definite_article(word: Word) -> str:
    return f"the {word.text}" if word.article == "the" else word.text


def inflect(word: Word, form: str) -> str | None:
    """The form of `word` that a slot asks for, or None where the word has no such form."""
    if form == "":
        return word.text
    if form == "a":
        if not word.kinds & _NOUNS:
            return None
        return f"{indefinite_article(singular_of(word), word.article)} {singular_of(word)}"
    if form == "the":
        return with_definite_article(word)
    if form == "noun":
        return singular_of(word) if word.kinds & _NOUNS else None
    if form == "plural":
        return plural_of(word) if word.kinds & (_NOUNS | {Kind.PLURAL}) else None
    if form == "generic":  # water, milkshakes: what one has a lot of
        return word.text if Kind.MASS in word.kinds else inflect(word, "plural")
    if form == "several":  # "2 years", where "1 years" would be wrong
        return word.text if Kind.NUMBER in word.kinds and word.text != "1" else None
    return word.text if Kind(form) in word.kinds else None
