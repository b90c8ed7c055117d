"""One table of a TOML document: what it may hold, checked, and where it stands for messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TypeVar

from tiltmeter.errors import InputError, did_you_mean
from tiltmeter.lexicon.checks import check_count, check_twins
from tiltmeter.lexicon.source_text import SourceText, clean, fault, shown
from tiltmeter.lexicon.words import Gender, Genus, Kind, Word

_Choice = TypeVar("_Choice", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the document and the way to it, for messages."""

    source: SourceText
    path: tuple[str, ...]
    values: Mapping[str, object]

    @property
    def name(self) -> str:
        return f"[{shown('.'.join(self.path))[1:-1]}] " if self.path else ""

    def error(
        self, message: str, *keys: str, value: str | None = None, nth: int = 1, hint: str | None = None
    ) -> InputError:
        line = self.source.line_of(*self.path, *keys, value=value, nth=nth)
        return self.source.error(f"{self.name}{message}", line=line, hint=hint)

    def only(self, *allowed: str, required: Sequence[str] = ()) -> None:
        for key in self.values:
            if key not in allowed:
                hint = did_you_mean(key, allowed) or f"Known keys: {', '.join(allowed)}."
                raise self.error(f"has the unknown key {shown(key)}.", key, hint=hint)
        for key in required:
            if key not in self.values:
                raise self.error(f"lacks the key {key!r}.", hint=f"Add {key!r} there.")

    def table(self, key: str) -> Table:
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self.error(
                f"{shown(key)} must be a table, not {type_name(value)}.", key, hint=f"Write [{key}.NAME] above it."
            )
        return Table(self.source, (*self.path, key), value)

    def checked(self, value: object, key: str, nth: int = 1) -> str:
        if not isinstance(value, str):
            raise self.error(
                f"{shown(key)} must be a text, not {type_name(value)}.", key, hint='Put it in quotes: "like this".'
            )
        text = clean(value)
        if problem := fault(text):
            raise self.error(f"a text in {shown(key)} ({shown(value)}) {problem}.", key, value=value, nth=nth)
        return text

    def text(self, key: str, default: str) -> str:
        return self.checked(self.values[key], key) if key in self.values else default

    def note(self) -> str:
        return "" if self.values.get("note", "") == "" else self.text("note", "")

    def list(self, key: str) -> list[object]:
        value = self.values[key]
        if not isinstance(value, list):
            raise self.error(
                f"{shown(key)} must be a list, not {type_name(value)}.", key, hint=f'Write {key} = ["...", "..."].'
            )
        check_count(self.source, f"{self.name}{shown(key)}", len(value), lambda _: self.source.line_of(*self.path, key))
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts, as they stand."""
        return tuple(self.checked(value, key) for value in self.list(key))

    def words(self, key: str, what: str) -> tuple[str, ...]:
        """A list of distinct texts."""
        return self.distinct(self.list(key), key, what)

    def distinct(self, values: Sequence[object], key: str, what: str) -> tuple[str, ...]:
        raw = [value for value in values if isinstance(value, str)]
        texts = tuple(self.checked(value, key) for value in values)
        check_twins(self.source, what, [Word(text) for text in texts], self.lines(key, raw), raw)
        return texts

    def lines(self, key: str, raw: Sequence[str]) -> _Lines:
        return _Lines(self, key, raw)

    def choice(self, enum: type[_Choice], key: str, value: object, near: str | None = None) -> _Choice:
        text = self.checked(value, key)
        try:
            return enum(text)
        except ValueError:
            known = [str(member) for member in enum]
            hint = did_you_mean(text, known) or f"Known: {', '.join(known)}."
            of = "" if near is None else f" of {shown(near)}"
            raise self.error(f"unknown {key} {shown(text)}{of}.", value=str(value), hint=hint) from None

    def kinds(self, default: frozenset[Kind], near: str | None = None) -> frozenset[Kind]:
        if "kind" not in self.values:
            return default
        value = self.values["kind"]
        values = self.list("kind") if isinstance(value, list) else [value]
        return _shared(frozenset(self.choice(Kind, "kind", entry, near) for entry in values))

    def gender(self, default: Gender | None, near: str | None = None) -> Gender | None:
        return self.choice(Gender, "gender", self.values["gender"], near) if "gender" in self.values else default

    def genus(self, default: Genus | None, near: str | None = None) -> Genus | None:
        return self.choice(Genus, "genus", self.values["genus"], near) if "genus" in self.values else default


@cache
def _shared(kinds: frozenset[Kind]) -> frozenset[Kind]:
    return kinds


THING = _shared(frozenset({Kind.THING}))


@dataclass(frozen=True, slots=True)
class _Lines:
    """The line of each entry of a list; found only when a message needs it."""

    table: Table
    key: str
    raw: Sequence[str]

    def __call__(self, index: int) -> int | None:
        path = (*self.table.path, self.key)
        if index >= len(self.raw):
            return self.table.source.line_of(*path)
        text = self.raw[index]
        return self.table.source.line_of(*path, value=text, nth=self.raw[: index + 1].count(text))


def type_name(value: object) -> str:
    names = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "a table",
        type(None): "null",
    }
    return names.get(type(value), "a date or a time")
