"""Tests: which word sets are compared with which."""

from __future__ import annotations

from dataclasses import dataclass

from tiltmeter.errors import InputError
from tiltmeter.lexicon.grammar import grammar_of
from tiltmeter.lexicon.templates import Template
from tiltmeter.lexicon.words import Kind, Word, WordSet


@dataclass(frozen=True, slots=True)
class Passage:
    """What a model is given for one word of a test: the word alone, or a sentence around it."""

    text: str
    word: str  # the entry of the word set: children
    start: int  # where the word stands in `text`, in the form that it has there: child
    end: int

    @property
    def form(self) -> str:
        return self.text[self.start : self.end]


Texts = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...], tuple[str, ...]]  # of X, Y, A and B


@dataclass(frozen=True, slots=True)
class SentenceTest:
    """An association test between sentences: each of the four sets is the passages of its words, in their order."""

    name: str
    language: str
    title: str
    x: tuple[Passage, ...]
    y: tuple[Passage, ...]
    a: tuple[Passage, ...]
    b: tuple[Passage, ...]
    source: str
    note: str = ""

    def texts(self) -> Texts:
        """What a model is given for X, Y, A and B."""
        return _texts(self.x), _texts(self.y), _texts(self.a), _texts(self.b)


def _texts(passages: tuple[Passage, ...]) -> tuple[str, ...]:
    return tuple(passage.text for passage in passages)


@dataclass(frozen=True, slots=True)
class AssociationTest:
    """Are the targets X more strongly associated with A, and Y with B, than the other way round?

    A sentence-level test of its own (the double binds) puts its words into templates; `{word}` is the slot, and
    `{subject}`, `{possessive}` the pronouns that agree with the word's gender.
    """

    name: str
    language: str
    title: str
    x: WordSet
    y: WordSet
    a: WordSet
    b: WordSet
    source: str
    target_template: Template | None = None
    attribute_template: Template | None = None
    note: str = ""

    @property
    def has_sentences(self) -> bool:
        """Whether a model is given sentences, rather than the words themselves."""
        return self.target_template is not None or self.attribute_template is not None

    def texts(self) -> Texts:
        """What a model is given for X, Y, A and B: words, or the sentences of a test that has its own."""
        return self.passages().texts()

    def passages(self) -> SentenceTest:
        """The same, with the place of each word in its text."""
        x, y, a, b = (
            tuple(self._passage(word, template) for word in words.words)
            for words, template in (
                (self.x, self.target_template),
                (self.y, self.target_template),
                (self.a, self.attribute_template),
                (self.b, self.attribute_template),
            )
        )
        return SentenceTest(self.name, self.language, self.title, x, y, a, b, self.source, self.note)

    def _passage(self, word: Word, template: Template | None) -> Passage:
        if template is None:
            return Passage(word.text, word.text, 0, len(word.text))
        pronouns = {slot: self._pronoun(slot, word) for slot in template.slots if slot != "word"}
        filled = template.fill_marked({"word": word, **pronouns})
        if filled is None:
            kinds = ", ".join(sorted(word.kinds))
            raise InputError(
                f"the word {word.text!r} ({kinds}) does not fit the template {template.text!r}.",
                where=f"test {self.name}",
                hint="Give the word another kind, or ask for another form in the template.",
            )
        return Passage(filled.text, word.text, *filled.places["word"])

    def _pronoun(self, slot: str, word: Word) -> Word:
        by_gender = grammar_of(self.language).pronouns
        slots = sorted({known for pronouns in by_gender.values() for known in pronouns})
        if slot not in slots:
            raise InputError(
                f"the template has a slot {{{slot}}}.",
                where=f"test {self.name}",
                hint=f"In language {self.language!r} a test may use: {', '.join(['word', *slots])}.",
            )
        if word.gender is None or word.gender not in by_gender:
            raise InputError(
                f"the template has a slot {{{slot}}}, but {word.text!r} is of no one gender.",
                where=f"test {self.name}",
                hint='Add gender = "female" or gender = "male" to the word.',
            )
        return Word(by_gender[word.gender][slot], frozenset({Kind(slot)}), gender=word.gender)


@dataclass(frozen=True, slots=True)
class MulticlassTest:
    """Several classes of protected words, each with the attributes that stereotypes give it."""

    name: str
    language: str
    title: str
    classes: tuple[str, ...]
    definitions: tuple[tuple[str, ...], ...]  # each one word a class, in the order of `classes`
    stereotypes: dict[str, tuple[str, ...]]
    source: str
    note: str = ""
