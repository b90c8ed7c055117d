"""German: articles by genus and case, endings of adjectives, and the capital of every noun."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tiltmeter.lexicon.grammar.base import Form, Grammar
from tiltmeter.lexicon.words import Gender, Genus, Kind, Word

_INDEFINITE = {
    "a": {Genus.MASCULINE: "ein", Genus.FEMININE: "eine", Genus.NEUTER: "ein"},
    "accusative": {Genus.MASCULINE: "einen", Genus.FEMININE: "eine", Genus.NEUTER: "ein"},
    "dative": {Genus.MASCULINE: "einem", Genus.FEMININE: "einer", Genus.NEUTER: "einem"},
}
_DEFINITE = {Genus.MASCULINE: "der", Genus.FEMININE: "die", Genus.NEUTER: "das"}
# As an adjective ends after "ein" and "eine", as subject or after "ist".
_ENDINGS = {"attributive-m": "er", "attributive-f": "e", "attributive-n": "es"}
_LOSES_E = re.compile(r"(?:(?<=[^aeiouäöül])el|(?<=eu|au)er)$")  # dunkel → dunkl-, teuer → teur-
_TAKES_EN = re.compile(r"(?:ung|heit|keit|schaft|ion|tät)$")
# Men whose plural is not their singular, as that of Lehrer is: Väter, Brüder, Vettern, Schwäger, Bauern, Bayern.
_NOT_AS_LEHRER = re.compile(r"(?:vater|bruder|vetter|schwager|bauer|bayer)$", re.IGNORECASE)


class German(Grammar):
    """`oblique` is the singular of nouns such as Student and Junge outside the nominative: den Studenten."""

    extra = ("accusative", "dative", *_ENDINGS)
    written = ("oblique", "accusative", "dative", *_ENDINGS)
    pronouns: Mapping[Gender, Mapping[str, str]] = {Gender.MALE: {"subject": "er"}, Gender.FEMALE: {"subject": "sie"}}

    def inflect(self, word: Word, form: str, agreement: Gender | None = None) -> Form | None:
        found = super().inflect(word, form, agreement)
        noun = word.kinds & {Kind.THING, Kind.PERSON, Kind.PLURAL} and form not in ("", "adjective", "adjectives")
        if found is None or not noun or form in _ENDINGS:
            return found
        return Form(self.capitalised(found.text), found.before, found.after)

    def pluralise(self, word: Word) -> str | None:
        text, genus = word.text, self.genus(word)
        if genus is Genus.FEMININE:
            if text.endswith("in") and Kind.PERSON in word.kinds:
                return text + "nen"
            if _TAKES_EN.search(text):
                return text + "en"
            return text + "n" if text.endswith("e") else None
        if genus is Genus.MASCULINE and text.endswith("er") and Kind.PERSON in word.kinds:
            return None if _NOT_AS_LEHRER.search(text) else text  # der Lehrer, die Lehrer
        return text if genus is Genus.NEUTER and text.endswith(("chen", "lein")) else None

    def indefinite(self, word: Word) -> Form | None:
        return self._with_article(word, "a")

    def _with_article(self, word: Word, case: str) -> Form | None:
        genus = self.genus(word)
        if genus is None or genus not in _INDEFINITE[case]:
            return None
        written = None if case == "a" else word.form(case) or word.form("oblique")
        return Form(written or self.singular(word), f"{_INDEFINITE[case][genus]} ")

    def definite(self, word: Word) -> Form | None:
        return self.around(word, "definite", self.singular(word)) if self.genus(word) in _DEFINITE else None

    def definites(self, word: Word) -> Form | None:
        plural = self.plural(word)
        return None if plural is None else Form(plural, "die ")

    def around(self, word: Word, form: str, written: str) -> Form:
        genus = self.genus(word)
        return Form(written, "die " if form == "definites" or genus is None else f"{_DEFINITE[genus]} ")

    def further(self, word: Word, form: str) -> Form | None:
        if form in _INDEFINITE:
            return self._with_article(word, form) if word.kinds & {Kind.THING, Kind.PERSON} else None
        if Kind.ADJECTIVE not in word.kinds:
            return None
        return Form(word.form(form) or attributive(word.text, _ENDINGS[form]))

    def open_article(self, form: str, agreement: Gender | None) -> str:
        if form not in _INDEFINITE:
            return ""
        genus = Genus.FEMININE if agreement is Gender.FEMALE else Genus.MASCULINE
        return f"{_INDEFINITE[form][genus]} "


def attributive(text: str, ending: str) -> str:
    """freundlich → freundlicher, leise → leiser, dunkel → dunkler; "hoch", which changes its stem, is written out."""
    stem = text.removesuffix("e")
    if lost := _LOSES_E.search(stem):
        stem = stem[: lost.start()] + lost[0][1:]
    return stem + ending


GRAMMAR = German()
