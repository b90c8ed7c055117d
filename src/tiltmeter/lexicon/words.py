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


class Role(StrEnum):
    """What a word set is for in an experiment."""

    CONCEPT = "concept"  # occupations, traits, flowers: what may be linked to a person or a valence
    SENSITIVE = "sensitive"  # gender, religion: what a link should not rest upon
    BRIDGE = "bridge"  # first names: what links a target to a feature
    CONTROL = "control"  # neutral and human words, that should show no link


@dataclass(frozen=True, slots=True)
class Word:
    """One entry of a word set. `text` is what a static embedding looks up."""

    text: str
    kinds: frozenset[Kind] = field(default_factory=lambda: frozenset({Kind.THING}))
    plural: str | None = None  # where the language's rule would get it wrong
    singular: str | None = None  # for an entry that is already plural
    article: str | None = None  # where it differs from the rule: "an" hour, "the" Netherlands
    gender: Gender | None = None  # of a person, or of the people who mostly bear a name

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
