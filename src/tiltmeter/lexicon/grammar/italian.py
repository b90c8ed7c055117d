"""Italian: articles by gender and by the sound that follows, regular plurals, feminine adjectives."""

from __future__ import annotations

import re

from tiltmeter.lexicon.grammar.base import Form
from tiltmeter.lexicon.grammar.romance import Romance
from tiltmeter.lexicon.words import Gender, Genus, Kind, Word

_VOWEL = re.compile(r"h?[aeiouàèéìòù]", re.IGNORECASE)
_GLIDE = re.compile(r"i[aeou]|y", re.IGNORECASE)  # lo iato, la iena, lo yoga
_IMPURE = re.compile(r"s[^aeiouàèéìòùh\W]|sh|z|x|ps|pn|gn", re.IGNORECASE)  # lo sci, lo zio, lo psicologo

# Stressed before the ending: zii, antichi; the letters are those of notai and pratici.
_STRESSED_IO = re.compile(r"^(?:(?:pro)?z|[pr]|rest|nat|stant|pend|legg|r?inv|avv)io$")
_STRESSED_ICO = re.compile(r"^(?:(?:sovrac|s)?carico|antico|(?:im)?pudico|fico)$")
_NO_RULE = re.compile(r"[aeou]co$")  # greci, but ciechi; austriaci, but opachi

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

    def is_alike(self, text: str) -> bool:
        return not text.endswith("tore")  # conservatore, conservatrice

    def inflect(self, word: Word, form: str, agreement: Gender | None = None) -> Form | None:
        """With the masculine plural of an adjective in -a: egoisti, ipocriti."""
        masculine = agreement is not Gender.FEMALE and word.genus is not Genus.FEMININE
        if masculine and form == "adjectives" and Kind.ADJECTIVE in word.kinds and word.text.endswith("a"):
            return Form(word.form(form) or _plural_in_a(word.text, feminine=False))
        return super().inflect(word, form, agreement)

    def pluralise(self, word: Word) -> str | None:
        """None where the letters do not tell: -go, -aco, -eco, -oco, -uco, -cia, -gia, -ie, several words."""
        text = word.text
        if _NO_RULE.search(text) or re.search(r"go$|[cg]ia$|ie$| ", text):
            return None
        if text.endswith("a"):
            return _plural_in_a(text, self.genus(word) is Genus.FEMININE)
        return _plural(text)

    def plural_adjective(self, text: str) -> str | None:
        if _NO_RULE.search(text):
            return None
        return _plural_in_a(text, feminine=True) if text.endswith("a") else _plural(text)


def _plural(text: str) -> str:
    if text.endswith("ico") and not _STRESSED_ICO.search(text):
        return text[:-1] + "i"  # medico, medici
    if text.endswith(("co", "go")):
        return text[:-1] + "hi"  # tedesco, tedeschi
    if text.endswith("io") and not _STRESSED_IO.search(text):
        return text[:-1]  # notaio, notai
    return text[:-1] + "i" if text.endswith(("o", "e")) else text  # città, film


def _plural_in_a(text: str, feminine: bool) -> str:
    if re.search(r"[^aeiou][cg]ia$", text):
        return text[:-2] + "e"  # saggia, sagge; but grigia, grigie
    hard = "h" if text.endswith(("ca", "ga")) and (feminine or text != "belga") else ""  # belgi, but belghe
    return text[:-1] + hard + ("e" if feminine else "i")


GRAMMAR = Italian()
