"""Dutch: de and het, and the capital IJ."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tiltmeter.lexicon.grammar.base import Form, Grammar
from tiltmeter.lexicon.words import Gender, Genus, Kind, Word

# A star is no woman, as a verpleegster is (sterren, filmsterren); and campings are English.
_NO_RULE = re.compile(r"(?:^|film|pop|rock|zee)ster$|(?:camp|dress|meet|park)ing$")


class Dutch(Grammar):
    extra = written = ("attributive-c", "attributive-n")  # een aardige buur, een aardig kind: written out
    pronouns: Mapping[Gender, Mapping[str, str]] = {
        Gender.MALE: {"subject": "hij", "possessive": "zijn"},
        Gender.FEMALE: {"subject": "zij", "possessive": "haar"},
    }

    def genus(self, word: Word) -> Genus | None:
        """Common, of people, unless the word says that it is neuter: het meisje."""
        return word.genus or (Genus.COMMON if Kind.PERSON in word.kinds else None)

    def pluralise(self, word: Word) -> str | None:
        text = word.text
        if _NO_RULE.search(text):
            return None
        if text.endswith("heid"):
            return text.removesuffix("heid") + "heden"
        if text.endswith("ing"):
            return text + "en" if self.genus(word) is not Genus.NEUTER else None
        return text + "s" if text.endswith(("je", "ster", "esse")) else None

    def indefinite(self, word: Word) -> Form:
        return Form(self.singular(word), "een ")

    def definite(self, word: Word) -> Form | None:
        genus = self.genus(word)
        return None if genus is None else Form(self.singular(word), "het " if genus is Genus.NEUTER else "de ")

    def definites(self, word: Word) -> Form | None:
        plural = self.plural(word)
        return None if plural is None else Form(plural, "de ")

    def around(self, word: Word, form: str, written: str) -> Form:
        neuter = form == "definite" and self.genus(word) is Genus.NEUTER
        return Form(written, "het " if neuter else "de ")

    def open_article(self, form: str, agreement: Gender | None) -> str:  # noqa: ARG002 - "een" is for all
        return "een " if form == "a" else ""

    def capitalised(self, text: str) -> str:
        """IJsland, not Ijsland."""
        return "IJ" + text[2:] if text.startswith("ij") else super().capitalised(text)


GRAMMAR = Dutch()
