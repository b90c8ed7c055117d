"""French: articles with elision, regular plurals, the feminine of adjectives."""

from __future__ import annotations

import re
from dataclasses import replace

from tiltmeter.lexicon.grammar.base import Form
from tiltmeter.lexicon.grammar.romance import Romance
from tiltmeter.lexicon.words import Gender, Genus, Kind, Word

_VOWEL = re.compile(r"[aàâeéèêëiîïoôuùûœæ]", re.IGNORECASE)
_ASPIRATED = re.compile(  # the commonest words whose h does not elide: la haine, le huit
    r"h(?:ach[eo]|achi|achure|aie\b|aillon|ain|aï[rsk]|all\b|alt[ae]\b|amac|amburger|ameau|amster|anch|and|angar|anneton|ant|"
    r"apper|arass|arcel|ard|arem|areng|argn|aricot|arnais|arp|asard|âbl|âch|ât|aub|auss|aut|avre|érisson|érisser|enn|ernie|éron\b|éros\b|"
    r"erse|êtr|eurt|ibou|ideu|iérarch|ip-hop|ippie|obby|oche|ockey|olland|omard|ongr|ont|oquet|ors\b|ot-dog|ott|oubl|ouill|oul|"
    r"ouss|oux|ublot|uch|uée|uit\b|uitaine|uitième|url|ussard|utte)",
    re.IGNORECASE,
)
_ENDINGS = (  # of adjectives that change from masculine to feminine; those in e are alike, and others are written
    (re.compile(r"(?<!^vi)eux$"), "euse"),
    (re.compile(r"if$"), "ive"),
    (re.compile(r"ien$"), "ienne"),
    (re.compile(r"er$"), "ère"),
    (re.compile(r"el$"), "elle"),
    (re.compile(r"(?<=é)$|(?<!favori)(?<=i)$|(?<=[^aeo]u)$|(?<=bleu)$|(?<=[ainr]t)$|(?<=[inr]d)$"), "e"),
    (re.compile(r"(?<=ois)$|(?<!épais)(?<!frais)(?<=ais)$|(?<=[ae]in)$|(?<=al)$"), "e"),
)
_IN_S = frozenset({  # plurals of those in -al, -au and -eu that have no x
    "bal", "cal", "carnaval", "chacal", "festival", "récital", "régal", "banal", "bancal", "fatal", "final", "natal",
    "naval", "bleu", "pneu", "landau", "sarrau",
})  # fmt: skip
_IN_X = frozenset({"bijou", "caillou", "chou", "genou", "hibou", "joujou", "pou"})
_IN_AUX = frozenset({"bail", "corail", "émail", "soupirail", "travail", "vantail", "vitrail"})
_NO_RULE = frozenset({"aïeul", "ail", "ciel", "madame", "mademoiselle", "monsieur", "œil"})


class French(Romance):
    """Further forms: `de`, "beaucoup d'eau", "le métier d'infirmière"; `of` is also what one drinks: "du thé".

    A word in h elides, unless it is one of the commonest that do not, or brings its article: { text = "hockey",
    article = "le" }.
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

    def is_alike(self, text: str) -> bool:
        return text.endswith("e")

    def pluralise(self, word: Word) -> str | None:
        """None for a compound, in which either part or both may change."""
        return None if re.search(r"[ -]", word.text) or word.text in _NO_RULE else _plural(word.text)

    def plural_adjective(self, text: str) -> str:
        return _plural(text)


def _elides(text: str) -> bool:
    return _VOWEL.match(text) is not None or (text[:1] in ("h", "H") and _ASPIRATED.match(text) is None)


def _plural(text: str) -> str:
    if text.endswith(("s", "x", "z")):
        return text
    if text in _IN_AUX:
        return text[:-2] + "ux"
    if text in _IN_X or (text.endswith(("au", "eu")) and text not in _IN_S):
        return text + "x"
    return text[:-1] + "ux" if text.endswith("al") and text not in _IN_S else text + "s"


GRAMMAR = French()
