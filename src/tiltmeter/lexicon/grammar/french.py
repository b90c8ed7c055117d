"""French: articles with elision, regular plurals, the feminine of adjectives."""

from __future__ import annotations

import re
from dataclasses import replace

from tiltmeter.lexicon.grammar.base import Form
from tiltmeter.lexicon.grammar.romance import Romance
from tiltmeter.lexicon.words import Gender, Genus, Kind, Word

_VOWEL = re.compile(r"[aàâeéèêëiîïoôuùûœæ]", re.IGNORECASE)
_ENDINGS = (  # of adjectives that change from masculine to feminine; where none fits, both are alike or it is written
    (re.compile(r"eux$"), "euse"),
    (re.compile(r"if$"), "ive"),
    (re.compile(r"ien$"), "ienne"),
    (re.compile(r"er$"), "ère"),
    (re.compile(r"el$"), "elle"),
    (re.compile(r"(?<=[éiu])$|(?<=[ainr]t)$|(?<=[inr]d)$|(?<=[ao]is)$|(?<=[ai]in)$|(?<=al)$"), "e"),
)


class French(Romance):
    """Further forms: `de`, "beaucoup d'eau", "le métier d'infirmière"; `of` is also what one drinks: "du thé".

    A word in h elides, unless the data give it its article: { text = "hockey", article = "le" }.
    """

    extra = (*Romance.extra, "de")

    def article(self, form: str, feminine: bool, noun: str, written: str | None) -> str:
        if form == "a":
            return "une " if feminine else "un "
        if form == "definites":
            return "les "
        if written is None and _elides(noun):
            return {"definite": "l'", "of": "de l'", "to": "à l'"}[form]
        if feminine:
            return {"definite": "la ", "of": "de la ", "to": "à la "}[form]
        return {"definite": "le ", "of": "du ", "to": "au "}[form]

    def further(self, word: Word, form: str) -> Form | None:
        if form == "de":
            return Form(word.text, "d'" if word.article is None and _elides(word.text) else "de ")
        return super().further(word, form)

    def open_article(self, form: str, agreement: Gender | None) -> str:
        return "de " if form == "de" else super().open_article(form, agreement)

    def agreeing(self, word: Word, agreement: Gender | None) -> Word:
        """Both forms begin alike: an h that does not elide (le hindou) does not in the feminine either."""
        twin = super().agreeing(word, agreement)
        return replace(twin, article="la") if twin is not word and word.article is not None else twin

    def feminine(self, word: Word) -> str | None:
        if word.feminine is not None or Kind.ADJECTIVE not in word.kinds or word.genus is Genus.FEMININE:
            return word.feminine
        for ending, feminine in _ENDINGS:
            if ending.search(word.text):
                return ending.sub(feminine, word.text, count=1)
        return None

    def pluralise(self, word: Word) -> str | None:
        """None for a compound, in which either part or both may change."""
        return None if re.search(r"[ -]", word.text) else _plural(word.text)

    def plural_adjective(self, text: str) -> str:
        return _plural(text)


def _elides(text: str) -> bool:
    return _VOWEL.match(text) is not None or text[:1] in ("h", "H")


def _plural(text: str) -> str:
    if text.endswith(("s", "x", "z")):
        return text
    if text.endswith(("au", "eu")):
        return text + "x"
    return text[:-1] + "ux" if text.endswith("al") else text + "s"


GRAMMAR = French()
