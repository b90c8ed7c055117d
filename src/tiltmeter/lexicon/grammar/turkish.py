"""Turkish: suffixes by vowel harmony, consonants that soften or harden, the apostrophe of names, dotted i.

There is no grammatical gender, and no article: `a` and `definite` are the bare noun.
"""

from __future__ import annotations

from tiltmeter.lexicon.grammar.base import Form, Grammar
from tiltmeter.lexicon.words import Kind, Word

_VOWELS = "aâıoôuûeiîöü"
_FRONT = "eiöüî"
_VOICELESS = "fstkçşhp"
# Each suffix after a consonant: A is a or e, I is ı, i, u or ü, D is d or t. After a vowel: with its buffer.
_SUFFIXES = {
    "accusative": ("I", "yI"),
    "dative": ("A", "yA"),
    "genitive": ("In", "nIn"),
    "locative": ("DA", "DA"),
    "ablative": ("DAn", "DAn"),
    "instrumental": ("lA", "ylA"),
    "copula": ("DIr", "DIr"),
}


class Turkish(Grammar):
    """Further forms: the cases, `instrumental` ("tenisle"), and `copula` ("sabırlıdır").

    `stem` is what a suffix that begins with a vowel follows, where this is not the word itself: { text = "burun",
    stem = "burn" }. Of words in p, ç, t, nk and log no letter tells whether they soften (şarap, şarabı; but avukat,
    avukatı), nor of several words whether they are a compound: these have no such form without a `stem`. A compound
    ends in a possessive suffix and has n before every case: { text = "masa tenisi", stem = "masa tenisin" }.

    `sound` is what the end of a word that breaks the harmony sounds like to a suffix, which no letter tells:
    "Kemal'in", but "Erdal'ın", so { text = "Kemal", sound = "el" }. The last consonant of such a word stays.

    A suffix follows a proper noun after an apostrophe, and its consonants stay: of "Ayşe'nin", "Ayşe" is the word, and
    "'nin" stands beside it. The plural does without ("Türkler"), and so does what is made of one ("Suriyelinin").
    """

    extra = tuple(_SUFFIXES)
    written = (*_SUFFIXES, "stem", "sound")

    def pluralise(self, word: Word) -> str | None:
        return None if " " in word.text else word.text + _harmonised(word.form("sound") or word.text, "lAr")

    def definite(self, word: Word) -> Form:
        return Form(self.singular(word))

    def definites(self, word: Word) -> Form | None:
        plural = self.plural(word)
        return None if plural is None else Form(plural)

    def further(self, word: Word, form: str) -> Form | None:
        written = word.form(form)
        if written is not None:
            return Form(written)
        sound = word.form("sound")
        after_consonant, after_vowel = _SUFFIXES[form]
        if _takes_apostrophe(word):
            suffix = after_vowel if _ends_in_vowel(word.text) else after_consonant
            return Form(word.text, after="'" + _harmonised(sound or word.text, suffix))
        if form in ("instrumental", "copula"):
            stem: str | None = word.text
        else:
            stem = self._stem(word, vowel=after_consonant != after_vowel)
        if stem is None:
            return None
        suffix = after_vowel if _ends_in_vowel(stem) else after_consonant
        return Form(stem + _harmonised(sound or stem, suffix))

    def _stem(self, word: Word, *, vowel: bool) -> str | None:
        """What a case follows: one that begins with a `vowel`, or one in D; None where it must be written."""
        written = word.form("stem")
        if written is None and " " in word.text:
            return None
        if not vowel and written != word.text + "n":
            return word.text
        return written or (word.text if word.form("sound") else _softened(word.text))

    def capitalised(self, text: str) -> str:
        return text[:1].replace("i", "İ").upper() + text[1:]


def _takes_apostrophe(word: Word) -> bool:
    if Kind.NAME in word.kinds:
        return True
    made = word.kinds & {Kind.PERSON, Kind.ADJECTIVE} and word.text.endswith(("lı", "li", "lu", "lü"))
    return word.text[:1].isupper() and not made


def _lowered(text: str) -> str:
    return text.replace("İ", "i").replace("I", "ı").lower()


def _softened(text: str) -> str | None:
    """A k at the end of several syllables becomes ğ: mutfak, mutfağa. None where the letters do not tell."""
    if text.endswith(("p", "ç", "t", "nk", "log")):
        return None
    if text.endswith("k") and sum(letter in _VOWELS for letter in _lowered(text)) > 1:
        return text[:-1] + "ğ"
    return text


def _ends_in_vowel(text: str) -> bool:
    return _lowered(text)[-1:] in _VOWELS


def _harmonised(stem: str, suffix: str) -> str:
    """The suffix as it sounds after the stem: A and I follow the vowel before them, D the consonant.

    What has no vowel at all, as an abbreviation, is taken to sound like e.
    """
    stem, result = _lowered(stem), ""
    for letter in suffix:
        if letter in "AI":
            vowel = next((sound for sound in reversed(stem + result) if sound in _VOWELS), "e")
            front, rounded = vowel in _FRONT, vowel in "oôöuûü"
            low = "e" if front else "a"
            high = ("ü" if rounded else "i") if front else ("u" if rounded else "ı")
            result += low if letter == "A" else high
        elif letter == "D":
            result += "t" if (stem + result)[-1:] in _VOICELESS else "d"
        else:
            result += letter
    return result


GRAMMAR = Turkish()
