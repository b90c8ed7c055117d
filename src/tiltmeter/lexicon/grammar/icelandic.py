"""Icelandic: no indefinite article, and adjectives that agree. Declensions are written out with their words."""

from __future__ import annotations

from collections.abc import Mapping

from tiltmeter.lexicon.grammar.base import Form, Grammar
from tiltmeter.lexicon.words import Gender, Kind, Word

# The feminine of adjectives with these endings is certain: duglegur, dugleg; heiðarlegur, heiðarleg; feiminn, feimin.
_FEMININE = {"legur": "leg", "ugur": "ug", "inn": "in", "samur": "söm"}
# And their masculine plural, with that of the feminine.
_PLURAL = {"legur": "legir", "ugur": "ugir", "samur": "samir", "leg": "legar", "ug": "ugar", "söm": "samar"}


class Icelandic(Grammar):
    extra = ("accusative", "dative", "genitive")
    written = ("accusative", "dative", "genitive")
    pronouns: Mapping[Gender, Mapping[str, str]] = {Gender.MALE: {"subject": "hann"}, Gender.FEMALE: {"subject": "hún"}}

    def feminine(self, word: Word) -> str | None:
        if word.feminine is not None or Kind.ADJECTIVE not in word.kinds:
            return word.feminine
        return _by_ending(word.text, _FEMININE)

    def indefinite(self, word: Word) -> Form:
        return Form(self.singular(word))

    def plural_adjective(self, text: str) -> str | None:
        return _by_ending(text, _PLURAL)

    def is_several(self, number: str) -> bool:
        """21 árs, but 11 ára."""
        return number.endswith("11") or not number.endswith("1")


def _by_ending(text: str, endings: Mapping[str, str]) -> str | None:
    return next((text.removesuffix(old) + new for old, new in endings.items() if text.endswith(old)), None)


GRAMMAR = Icelandic()
