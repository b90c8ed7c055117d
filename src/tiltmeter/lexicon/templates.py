"""Templates, and the one place that turns a template and words into a sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tiltmeter.lexicon.grammar import Form, Grammar, grammar_of
from tiltmeter.lexicon.words import Gender, Kind, Word

BLANK = "___"
_SLOT = re.compile(r"\{(?P<name>[a-z]+)(?::(?P<form>[a-z-]+))?\}")
_CHOICE = re.compile(r"\{(?P<masculine>[^{}|]*)\|(?P<feminine>[^{}|]*)\}")
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

    A slot may ask for a form of its word, as listed in `tiltmeter.lexicon.grammar.base`: `a` (with the indefinite
    article), `noun`, `plural` ..., or for a kind such as `adjective`, which only words of that kind fit.

    With `agreement` it is the masculine or the feminine version of a sentence that needs one: words with two forms
    take that one, and "{He|She}" becomes the first or the second of the two.
    """

    text: str
    language: str = "en"
    agreement: Gender | None = None

    @property
    def slots(self) -> tuple[str, ...]:
        """The names of the slots, in the order in which they stand."""
        return tuple(dict.fromkeys(match["name"] for match in _SLOT.finditer(self.text)))

    @property
    def frame(self) -> str:
        """The text with its choices made."""
        chosen = "feminine" if self.agreement is Gender.FEMALE else "masculine"
        return _CHOICE.sub(lambda choice: choice[chosen], self.text)

    @property
    def grammar(self) -> Grammar:
        return grammar_of(self.language)

    def versions(self) -> tuple[Template, Template]:
        """The masculine and the feminine version."""
        return replace(self, agreement=Gender.MALE), replace(self, agreement=Gender.FEMALE)

    def form(self, slot: str, word: Word) -> str | None:
        """What `word` looks like in `slot`, without its article; None where the word does not fit.

        This is what a model must put into the blank, so it has a capital where the slot begins a sentence.
        """
        frame = self.frame
        matches = [match for match in _SLOT.finditer(frame) if match["name"] == slot]
        forms = [self.grammar.inflect(word, match["form"] or "", self.agreement) for match in matches]
        if not forms or forms[0] is None or None in forms:
            return None
        starts = not matches[0].start() or _STARTS_SENTENCE.search(frame[: matches[0].start()])
        return self.grammar.capitalised(forms[0].text) if starts and not forms[0].before else forms[0].text

    def fill(self, words: Mapping[str, Word | Blank]) -> str | None:
        """The sentence, capitalised; None where a word has no form that fits its slot."""
        filled = self.fill_marked(words)
        return None if filled is None else filled.text

    def fill_marked(self, words: Mapping[str, Word | Blank]) -> Filled | None:
        """The same, and where the words stand in it: looking for "his" in "This is his." would find "This"."""
        grammar = self.grammar
        template = grammar.capitalised(self.frame)
        text = ""
        end = 0
        places: dict[str, tuple[int, int]] = {}
        for match in _SLOT.finditer(template):
            filling = self._filling(words[match["name"]], match["form"] or "")
            if filling is None:
                return None
            text += template[end : match.start()]
            start = len(text) + len(filling.before)
            whole = str(filling)
            text += grammar.capitalised(whole) if _STARTS_SENTENCE.search(text) else whole
            places.setdefault(match["name"], (start, start + len(filling.text)))
            end = match.end()
        return Filled(text + template[end:], places)

    def _filling(self, word: Word | Blank, form: str) -> Form | None:
        if isinstance(word, Word):
            return self.grammar.inflect(word, form, self.agreement)
        if word.like is None:
            return Form(BLANK, self.grammar.open_article(form, self.agreement))
        filled = self.grammar.inflect(word.like, form, self.agreement)
        return None if filled is None else replace(filled, text=BLANK)


@dataclass(frozen=True, slots=True)
class TemplateSet:
    """The templates that link one category of words to another.

    A sentence that agrees in gender stands here twice, in its masculine and its feminine version, one after the other.
    """

    name: str
    language: str
    target: str  # the name of the word set that fills {target}
    feature: str  # and of the one that fills {feature}
    templates: tuple[Template, ...]
    source: str
    note: str = ""

    def __len__(self) -> int:
        return len(self.templates)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The templates as they are written: both versions of a sentence are one."""
        return tuple(self.templates[group[0]].text for group in self.groups)

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The places of the versions of each sentence."""
        groups: list[tuple[int, ...]] = []
        for place, template in enumerate(self.templates):
            before = self.templates[place - 1] if place else None
            if before is not None and template.agreement is Gender.FEMALE and before == template.versions()[0]:
                groups[-1] = (place - 1, place)
            else:
                groups.append((place,))
        return tuple(groups)


def word(text: str, kind: Kind = Kind.THING) -> Word:
    """A word that stands in no word set: one that a user typed."""
    return Word(text=text, kinds=frozenset({kind}))
