"""Words and word sets: what is measured, and the forms that a sentence needs."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
    """The grammatical kind of a word, as far as a sentence around it must know it."""

    THING = "thing"  # countable: a piano, pianos
    PERSON = "person"  # countable, of people: a nurse, nurses
    NAME = "name"  # of a person: Amy
    MASS = "mass"  # takes no article and no plural: freedom, tennis, always
    ADJECTIVE = "adjective"
    VERB = "verb"  # in its base form: stink
    PLACE = "place"  # France, the United States
    NUMBER = "number"  # an age, a year
    PLURAL = "plural"  # already plural: children
    SUBJECT = "subject"  # he
    OBJECT = "object"  # him
    POSSESSIVE = "possessive"  # hers


class Gender(StrEnum):
    FEMALE = "female"
    MALE = "male"
    BOTH = "both"


class Genus(StrEnum):
    """The grammatical gender of a noun, in languages that have it."""

    MASCULINE = "m"
    FEMININE = "f"
    NEUTER = "n"
    COMMON = "c"  # the Dutch de-words, which do not part masculine from feminine


class Role(StrEnum):
    """What a word set is for in an experiment."""

    CONCEPT = "concept"  # occupations, traits, flowers: what may be linked to a person or a valence
    SENSITIVE = "sensitive"  # gender, religion: what a link should not rest upon
    BRIDGE = "bridge"  # first names: what links a target to a feature
    CONTROL = "control"  # neutral and human words, that should show no link


@dataclass(frozen=True, slots=True)
class Word:
    """One entry of a word set. `text` is what a static embedding looks up.

    Of a word with a masculine and a feminine form, such as an occupation, it is the masculine one.
    """

    text: str
    kinds: frozenset[Kind] = field(default_factory=lambda: frozenset({Kind.THING}))
    plural: str | None = None  # where the language's rule would get it wrong
    singular: str | None = None  # for an entry that is already plural
    article: str | None = None  # where it differs from the rule: "an" hour, "the" Netherlands
    gender: Gender | None = None  # of a person, or of the people who mostly bear a name
    genus: Genus | None = None
    feminine: str | None = None
    forms: tuple[tuple[str, str], ...] = ()  # others that are written out: ("definite", "húsið")

    def form(self, name: str) -> str | None:
        """A form that is written out with the word."""
        return next((text for form, text in self.forms if form == name), None)

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class WordSet:
    """A named list of words in one language."""

    name: str
    language: str
    words: tuple[Word, ...]
    title: str
    source: str
    role: Role = Role.CONCEPT
    note: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(word.text for word in self.words)

    def __len__(self) -> int:
        return len(self.words)
