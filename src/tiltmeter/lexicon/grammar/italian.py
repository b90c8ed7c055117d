"""Italian: articles by gender and by the sound that follows, regular plurals, feminine adjectives."""

from __future__ import annotations

import re

from tiltmeter.lexicon.grammar.romance import Romance
from tiltmeter.lexicon.words import Genus, Kind, Word

_VOWEL = re.compile(r"h?[aeiouàèéìòù]", re.IGNORECASE)
_GLIDE = re.compile(r"i[aeou]|y", re.IGNORECASE)  # lo iato, la iena, lo yoga
_IMPURE = re.compile(r"s[^aeiouàèéìòùh\W]|sh|z|x|ps|pn|gn", re.IGNORECASE)  # lo sci, lo zio, lo psicologo

# Masculine before a consonant, before s + consonant, z and the like, before a vowel; then feminine likewise.
_DEFINITE = ("il ", "lo ", "l'", "la ", "la ", "l'")
_INDEFINITE = ("un ", "uno ", "un ", "una ", "una ", "un'")
_DEFINITES = ("i ", "gli ", "gli ", "le ", "le ", "le ")
_JOINED = {"il ": "l ", "lo ": "llo ", "l'": "ll'", "la ": "lla "}


class Italian(Romance):
    """A foreign word that begins with the sound of "sci" brings its article: { text = "champagne", article = "lo" }."""

    def article(self, form: str, feminine: bool, noun: str, written: str | None) -> str:
        place = 3 if feminine else 0
        if written == "lo" or _IMPURE.match(noun) or _GLIDE.match(noun):
            place += 1
        elif _VOWEL.match(noun):
            place += 2
        if form == "a":
            return _INDEFINITE[place]
        if form == "definites":
            return _DEFINITES[place]
        definite = _DEFINITE[place]
        return definite if form == "definite" else {"of": "de", "to": "a"}[form] + _JOINED[definite]

    def feminine(self, word: Word) -> str | None:
        """Of adjectives by rule: -o becomes -a, and those in -e are alike for both."""
        if word.feminine is None and Kind.ADJECTIVE in word.kinds and word.text.endswith("o"):
            return word.text[:-1] + "a"
        return word.feminine

    def pluralise(self, word: Word) -> str | None:
        """None where the letters do not tell: -go, -aco, -eco, -oco, -uco, -cia, -gia, -ie, several words."""
        text = word.text
        if re.search(r"go$|[aeou]co$|[cg]ia$|ie$| ", text):
            return None
        if text.endswith("a"):
            return _plural_in_a(text, self.genus(word) is Genus.FEMININE)
        return _plural(text)

    def plural_adjective(self, text: str) -> str:
        """A form in -a is taken for a feminine one; the plurals of "egoista" are written."""
        return _plural_in_a(text, feminine=True) if text.endswith("a") else _plural(text)


def _plural(text: str) -> str:
    if re.search(r"ico$", text):
        return text[:-1] + "i"  # medico, medici; the stress lies further ahead than in "antico"
    if re.search(r"[cg]o$", text):
        return text[:-1] + "hi"  # tedesco, tedeschi
    if text.endswith("io"):
        return text[:-1]  # notaio, notai; "zio", with its stress on the i, is written
    return text[:-1] + "i" if text.endswith(("o", "e")) else text  # città, film


def _plural_in_a(text: str, feminine: bool) -> str:
    hard = "h" if text.endswith(("ca", "ga")) else ""
    return text[:-1] + hard + ("e" if feminine else "i")


GRAMMAR = Italian()
