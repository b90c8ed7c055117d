"""Norwegian Bokmål: en, ei and et, the article at the end of the noun, and adjectives in the plural."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from tiltmeter.lexicon.grammar.base import Form, Grammar
from tiltmeter.lexicon.words import Gender, Genus, Kind, Word

_ARTICLES = {Genus.MASCULINE: "en", Genus.FEMININE: "ei", Genus.NEUTER: "et"}
_LOSES_E = re.compile(r"(?<=[^aeiouyæøå])e(?=[lnr]$)")  # vakker → vakre, sulten → sultne
_STRESSED_E = frozenset({"ren", "uren", "stueren", "pen", "sen", "suveren"})  # ren → rene
_DOUBLE = re.compile(r"(.)\1(?=[lnr]$)")
_NO_RULE = re.compile(r"^ting$|(?:bonde|søster|datter|mester)$")  # ting, bønder, søstre, døtre, mestre or mestere
_MAY_CHANGE = ("m", "el", "en", "é")  # hjemmet, and the definite forms of himmel, våpen and orkidé


class Norwegian(Grammar):
    """Feminine nouns that most people say "en" with in Bokmål are masculine here."""

    pronouns: Mapping[Gender, Mapping[str, str]] = {Gender.MALE: {"subject": "han"}, Gender.FEMALE: {"subject": "hun"}}

    def genus(self, word: Word) -> Genus | None:
        return word.genus or (Genus.MASCULINE if Kind.PERSON in word.kinds else None)

    def agreeing(self, word: Word, agreement: Gender | None) -> Word:
        twin = super().agreeing(word, agreement)
        # en lærerinne: the two genders of people share their article
        return twin if twin is word else replace(twin, genus=Genus.MASCULINE)

    def pluralise(self, word: Word) -> str | None:
        text, genus = word.text, self.genus(word)
        if _NO_RULE.search(text):
            return None
        if genus in (Genus.MASCULINE, Genus.FEMININE):
            if text.endswith("e"):
                return text + "r"  # jente, jenter
            if text.endswith("er"):
                return text + "e" if Kind.PERSON in word.kinds else None  # lærer, lærere
            return text + "er" if re.search(r"(?:ist|log|graf|ent|ant|ør|sjon|ing|het|tekt|naut|kat)$", text) else None
        return None

    def indefinite(self, word: Word) -> Form | None:
        genus = self.genus(word)
        return None if genus not in _ARTICLES else Form(self.singular(word), f"{_ARTICLES[genus]} ")

    def definite(self, word: Word) -> Form | None:
        """pianoet, trommelen are not so: where the stem may change, the form is written out."""
        noun, genus = self.singular(word), self.genus(word)
        if genus is None or noun.endswith(_MAY_CHANGE) or (noun.endswith("er") and Kind.PERSON not in word.kinds):
            return None
        if noun.endswith("e"):
            return Form(noun[:-1] + {Genus.MASCULINE: "en", Genus.FEMININE: "a"}.get(genus, "et"))
        return Form(noun + {Genus.MASCULINE: "en", Genus.FEMININE: "a"}.get(genus, "et"))

    def definites(self, word: Word) -> Form | None:
        plural = self.plural(word)
        if plural is None:
            return None
        if plural.endswith("ere"):
            return Form(plural[:-1] + "ne")  # lærere, lærerne
        return Form(plural[:-1] + "ne") if plural.endswith("er") else None  # jenter, jentene

    def plural_adjective(self, text: str) -> str | None:
        """snill → snille, vakker → vakre, morsom → morsomme; stille and bra stay. "ny" and "blå" are no rule."""
        if text.endswith(("e", "a")):
            return text
        if text.endswith(("i", "o", "u", "y", "æ", "ø", "å", "et")):
            return None
        if _LOSES_E.search(text) and text not in _STRESSED_E:
            return _DOUBLE.sub(r"\1", _LOSES_E.sub("", text)) + "e"
        if text.endswith("m"):
            return text + "me" if text.endswith("som") else None  # slem, slemme; but varm, varme
        return text + "e"

    def open_article(self, form: str, agreement: Gender | None) -> str:  # noqa: ARG002 - "en" is for people of both
        return "en " if form == "a" else ""


GRAMMAR = Norwegian()
