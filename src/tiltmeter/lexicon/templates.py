"""Templates, and the one place that turns a template and words into a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tiltmeter.lexicon import grammar
from tiltmeter.lexicon.words import Kind, Word

BLANK = "___"
_SLOT = re.compile(r"\{(?P<name>[a-z]+)(?::(?P<form>[a-z]+))?\}")
_STARTS_SENTENCE = re.compile(r"(?:^|[.!?][\"'”’)]*\s+)$")


@dataclass(frozen=True, slots=True)
class Blank:
    """A slot left open for a model to fill. Its article agrees with `like`, where a word is given."""

    like: Word | None = None


@dataclass(frozen=True, slots=True)
class Filled:
    """A sentence, and the span of characters in which the word of each slot first stands, article left out."""

    text: str
    places: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence with named slots: "{name} works as {occupation:a}."

    A slot may ask for a form of its word: `a` (with the indefinite article), `the` (with the definite one, where
    the word needs it), `noun`, `plural`, `generic` (water, milkshakes), `several` (a number over 1), or a kind such as
    `adjective`, which only words of that kind fit.
    """

    text: str

    @property
    def slots(self) -> tuple[str, ...]:
        """The names of the slots, in the order in which they stand."""
        return tuple(dict.fromkeys(match["name"] for match in _SLOT.finditer(self.text)))

    def form(self, slot: str, word: Word) -> str | None:
        """What `word` looks like in `slot`, without its indefinite article; None where the word does not fit.

        This is what a model must put into the blank, so it has a capital where the slot begins a sentence.
        """
        matches = [match for match in _SLOT.finditer(self.text) if match["name"] == slot]
        forms = [grammar.inflect(word, "noun" if match["form"] == "a" else match["form"] or "") for match in matches]
        if not forms or forms[0] is None or None in forms:
            return None
        starts = not matches[0].start() or _STARTS_SENTENCE.search(self.text[: matches[0].start()])
        return _capitalised(forms[0]) if starts and matches[0]["form"] != "a" else forms[0]

    def fill(self, words: Mapping[str, Word | Blank]) -> str | None:
        """The sentence, capitalised; None where a word has no form that fits its slot."""
        filled = self.fill_marked(words)
        return None if filled is None else filled.text

    def fill_marked(self, words: Mapping[str, Word | Blank]) -> Filled | None:
        """The same, and where the words stand in it: looking for "his" in "This is his." would find "This"."""
        template = _capitalised(self.text)
        text = ""
        end = 0
        places: dict[str, tuple[int, int]] = {}
        for match in _SLOT.finditer(template):
            word, form = words[match["name"]], match["form"] or ""
            filling = _filling(word, form)
            if filling is None:
                return None
            text += template[end : match.start()]
            start = len(text)
            if form == "a":
                start += filling.index(" ") + 1
            text += _capitalised(filling) if _STARTS_SENTENCE.search(text) else filling
            places.setdefault(match["name"], (start, len(text)))
            end = match.end()
        return Filled(text + template[end:], places)


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]


def _filling(word: Word | Blank, form: str) -> str | None:
    if isinstance(word, Word):
        return grammar.inflect(word, form)
    if word.like is None:
        return f"a {BLANK}" if form == "a" else BLANK
    filled = grammar.inflect(word.like, form)
    if filled is None:
        return None
    if form == "a" or (form == "the" and filled != word.like.text):
        return f"{filled.split(' ', 1)[0]} {BLANK}"
    return BLANK


@dataclass(frozen=True, slots=True)
class TemplateSet:
    """The templates that link one category of words to another."""

    name: str
    language: str
    target: str  # the name of the word set that fills {target}
    feature: str  # and of the one that fills {feature}
    templates: tuple[Template, ...]
    source: str
    note: str = ""

    def __len__(self) -> int:
        return len(self.templates)


def word(text: str, kind: Kind = Kind.THING) -> Word:
    """A word that stands in no word set: one that a user typed."""
    return Word(text=text, kinds=frozenset({kind}))
