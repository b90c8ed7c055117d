"""Templates that remember their sentences, so that a typed word does not wait until thousands are written again.

What stands in the sentence is filled in by name and target; of the word that is read, only the shape of its blank can
matter: its article, which the same sentence with the other slot open shows. So a sentence is found by what is given and
that shape, whichever word is read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

from tiltmeter.lexicon.templates import Blank, Template, TemplateSet
from tiltmeter.lexicon.words import Word

_MOST = 200_000  # sentences and forms of one template; then all are forgotten


@dataclass(frozen=True)
class Remembered(Template):
    """A template that fills and inflects as its own kind does, each once."""

    known: dict[Hashable, str | None] = field(default_factory=dict, compare=False, repr=False)

    def fill(self, words: Mapping[str, Word | Blank]) -> str | None:
        shapes = [slot for slot, word in words.items() if isinstance(word, Blank) and word.like is not None]
        key: Hashable = tuple(words.items())
        if len(words) == 2 and len(shapes) >= 1:
            read = shapes[0]  # `tiltmeter.measure.blanks` names the slot that is read first
            given = next(slot for slot in words if slot != read)
            if words[given] != Blank():
                key = (given, words[given], self.fill({read: words[read], given: Blank()}))
        return self._once(key, lambda: super(Remembered, self).fill(words))

    def form(self, slot: str, word: Word) -> str | None:
        return self._once((slot, word), lambda: super(Remembered, self).form(slot, word))

    def _once(self, key: Hashable, make: Callable[[], str | None]) -> str | None:
        try:
            return self.known[key]  # another thread may clear it in between
        except KeyError:
            if len(self.known) >= _MOST:
                self.known.clear()
            made = self.known[key] = make()
            return made


def remembered(templates: TemplateSet) -> TemplateSet:
    """The same set, with a memory."""
    names = [one.name for one in dataclasses.fields(Template)]
    return dataclasses.replace(
        templates,
        templates=tuple(Remembered(**{name: getattr(one, name) for name in names}) for one in templates.templates),
    )
