"""Spanish: articles, al and del, regular plurals with their accents, the feminine of adjectives."""

from __future__ import annotations

import re

from tiltmeter.lexicon.grammar.romance import Romance
from tiltmeter.lexicon.words import Kind, Word

_PLAIN = str.maketrans("áéíóú", "aeiou")
_STRESSED_A = re.compile(  # the commonest feminine nouns that take "el"; where the a has its sign, all do
    r"h?á|(?:acta|agua|ala|alba|alga|alma|ama|anca|ancla|ansia|arca|arma|arpa|asa|ascua|asma|aula|ave|"
    r"haba|habla|hacha|hada|hambre|haya)$"
)
_MAY_TAKE_A = re.compile(r"(?:[áíó]n|és|o[lr]|uz)$")  # alemán, chiquitín, burlón, inglés, español, superior, andaluz
_MAY_TAKE_AN_ACCENT = re.compile(r"[aeiou][^aeiou]+[aeiou]n$|[aeiouáéíóú].*[^áéíóú]s$")  # joven, jóvenes; gratis


class Spanish(Romance):
    """A feminine noun that begins with a stressed a takes "el"; where that is not known, it brings its article:
    { text = "alca", article = "el" }."""

    def article(self, form: str, feminine: bool, noun: str, written: str | None) -> str:
        if form == "definites":
            return "las " if feminine else "los "
        if feminine and (written or ("el" if _STRESSED_A.match(noun) else "la")) == "la":
            return {"a": "una ", "definite": "la ", "of": "de la ", "to": "a la "}[form]
        return {"a": "un ", "definite": "el ", "of": "del ", "to": "al "}[form]

    def feminine(self, word: Word) -> str | None:
        """Of adjectives by rule: -o becomes -a; -dor, -tor and -sor take an a."""
        if word.feminine is not None or Kind.ADJECTIVE not in word.kinds:
            return word.feminine
        if word.text.endswith("o"):
            return word.text[:-1] + "a"
        return word.text + "a" if word.text.endswith(("dor", "tor", "sor")) else None

    def is_alike(self, text: str) -> bool:
        return _MAY_TAKE_A.search(text) is None

    def pluralise(self, word: Word) -> str | None:
        """None where the letters do not tell: "joven" takes an accent, "fagot" is foreign, "bambú" wavers."""
        text = word.text
        if " " in text or re.search(r"[íú]$|[^aáeéiíoóuúdjlnrsyz]$|[aeiou][^aeiou]+[aeiou]n$|[^áéíóú]s$", text):
            return None
        return _plural(text)

    def plural_adjective(self, text: str) -> str | None:
        return None if _MAY_TAKE_AN_ACCENT.search(text) else _plural(text)


def _plural(text: str) -> str:
    if re.search(r"[aeiouáéó]$", text):
        return text + "s"
    if text.endswith("z"):
        return text[:-1] + "ces"
    if re.search(r"[áéíóú][ns]$", text):  # the stress stays on its syllable without the sign
        return text[:-2] + text[-2:].translate(_PLAIN) + "es"
    return text + "es"


GRAMMAR = Spanish()
