"""What the grammars of all languages share: which forms a slot may ask for, and how agreement chooses among them.

A rule stands in a language's module only where it is certain; any other form is written with its word in the data, and
a written form always wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tiltmeter.lexicon.words import Gender, Genus, Kind, Word

FORMS = (
    "a",  # with the indefinite article, where the language has one: a piano, ein Klavier
    "the",  # with the article that the word brings along: the Netherlands
    "definite",  # the piano, das Klavier, pianoet
    "definites",  # the pianos, die Klaviere, pianoene
    "noun",
    "plural",
    "generic",  # what one has a lot of: water, milkshakes
    "several",  # a number over 1
    "adjective",  # as it stands after "is"
    "adjectives",  # and after "are"
    "feminine",  # beside a feminine noun, whoever is meant: une personne intelligente
    "neutral",  # a form for all genders: Lehrkraft
    "neutral-plural",
    *(kind.value for kind in Kind if kind not in (Kind.ADJECTIVE, Kind.PLURAL)),
)
_NOUNS = frozenset({Kind.THING, Kind.PERSON})
_TWIN = "feminine-"


@dataclass(frozen=True, slots=True)
class Form:
    """What a slot is filled with. Beside a blank stay `before` (an article) and `after` (a suffix)."""

    text: str
    before: str = ""
    after: str = ""

    def __str__(self) -> str:
        return self.before + self.text + self.after


class Grammar:
    """A language without rules. Those that have some override the methods below `inflect`."""

    extra: tuple[str, ...] = ()  # forms beyond FORMS that a slot may ask for
    written: tuple[str, ...] = ()  # forms that a word may bring along, beside those of every language
    pronouns: Mapping[Gender, Mapping[str, str]] = {}  # that a template of a test may ask for

    def forms(self) -> tuple[str, ...]:
        """All that may stand in a slot after the colon."""
        return (*FORMS, *self.extra)

    def keys(self) -> tuple[str, ...]:
        """All forms that may be written out with a word, but for `plural`, `singular` and `feminine`."""
        own = tuple(dict.fromkeys(("definite", "definites", "adjectives", *self.written)))
        return ("neutral", "neutral-plural", *own, *(f"{_TWIN}{form}" for form in ("plural", *own)))

    def inflect(self, word: Word, form: str, agreement: Gender | None = None) -> Form | None:
        """The form of `word` that a slot asks for, or None where the word has no such form.

        With `agreement`, a word that has a masculine and a feminine form takes that one; others stay as they are.
        """
        if form in ("neutral", "neutral-plural"):
            written = word.form(form)
            return None if written is None else Form(written)
        word = self.agreeing(word, Gender.FEMALE if form == "feminine" else agreement)
        if form in ("", "feminine"):
            return Form(word.text)
        if form == "several":
            return Form(word.text) if Kind.NUMBER in word.kinds and self.is_several(word.text) else None
        if form == "generic":
            return Form(word.text) if Kind.MASS in word.kinds else self.inflect(word, "plural")
        if form == "plural":
            plural = self.plural(word) if word.kinds & (_NOUNS | {Kind.PLURAL}) else None
            return None if plural is None else Form(plural)
        if form in ("a", "noun", "definite", "definites"):
            return self._noun(word, form)
        if form in ("adjective", "adjectives"):
            if Kind.ADJECTIVE not in word.kinds:
                return None
            text = word.text if form == "adjective" else word.form(form) or self.plural_adjective(word.text)
            return None if text is None else Form(text)
        if form == "the":
            return Form(word.text, f"{word.article} ") if word.article else Form(word.text)
        if form in self.extra:
            return self.further(word, form)
        return Form(word.text) if Kind(form) in word.kinds else None

    def _noun(self, word: Word, form: str) -> Form | None:
        if not word.kinds & (_NOUNS | {Kind.PLURAL} if form == "definites" else _NOUNS):
            return None
        if form == "noun":
            return Form(self.singular(word))
        if form == "a":
            return self.indefinite(word)
        written = word.form(form)
        if written is not None:
            return self.around(word, form, written)
        return self.definite(word) if form == "definite" else self.definites(word)

    def agreeing(self, word: Word, agreement: Gender | None) -> Word:
        """The feminine twin of a word that has one, where the feminine is asked for; else the word."""
        feminine = self.feminine(word) if agreement is Gender.FEMALE else None
        if feminine is None:
            return word
        written = tuple((form.removeprefix(_TWIN), text) for form, text in word.forms if form.startswith(_TWIN))
        return replace(
            word,
            text=feminine,
            plural=dict(written).get("plural"),
            singular=None,
            article=None,
            feminine=None,
            genus=Genus.FEMININE,
            forms=tuple((form, text) for form, text in written if form != "plural"),
        )

    def singular(self, word: Word) -> str:
        return word.singular or word.text

    def plural(self, word: Word) -> str | None:
        if Kind.PLURAL in word.kinds or word.singular:
            return word.text
        return word.plural or self.pluralise(word)

    def genus(self, word: Word) -> Genus | None:
        """As written; of a person, by the gender, and masculine where there is a feminine form beside it."""
        if word.genus is not None or Kind.PERSON not in word.kinds:
            return word.genus
        if word.gender in (Gender.FEMALE, Gender.MALE):
            return Genus.FEMININE if word.gender is Gender.FEMALE else Genus.MASCULINE
        return Genus.MASCULINE if self.feminine(word) is not None else None

    def feminine(self, word: Word) -> str | None:
        """The feminine form of a word whose text is the masculine one; None where there are no two forms."""
        return word.feminine

    def pluralise(self, word: Word) -> str | None:  # noqa: ARG002 - no rule here
        """The plural by rule, where the rule is certain."""
        return None

    def plural_adjective(self, text: str) -> str | None:
        """An adjective as it stands after "are", where the rule is certain."""
        return text

    def is_several(self, number: str) -> bool:
        """Whether a number goes with a plural: "2 years", where "1 years" would be wrong."""
        return number != "1"

    def indefinite(self, word: Word) -> Form | None:
        """The noun with its indefinite article; bare where the language has none."""
        return Form(self.singular(word), f"{word.article} " if word.article else "")

    def definite(self, word: Word) -> Form | None:  # noqa: ARG002 - no rule here
        """The noun with its definite article."""
        return None

    def definites(self, word: Word) -> Form | None:  # noqa: ARG002 - no rule here
        """The plural noun with its definite article."""
        return None

    def around(self, word: Word, form: str, written: str) -> Form:  # noqa: ARG002 - for others to use
        """What stands around a definite noun that is written out."""
        return Form(written)

    def further(self, word: Word, form: str) -> Form | None:
        """A form of `extra`: as it is written with the word, or by a rule of the language."""
        written = word.form(form)
        return None if written is None else Form(written)

    def open_article(self, form: str, agreement: Gender | None) -> str:  # noqa: ARG002 - no article here
        """What stands before a blank that any word may fill."""
        return ""

    def capitalised(self, text: str) -> str:
        """The text as it begins a sentence."""
        return text[:1].upper() + text[1:]
