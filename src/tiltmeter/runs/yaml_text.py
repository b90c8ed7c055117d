"""YAML from outside: plain tables, lists and values, each with its line; nothing that grows, runs or surprises.

Refused: aliases (a few lines of which can stand for gigabytes), tags (which name Python objects), a key that stands
twice, and deep nesting. As in YAML 1.2, only `true`, `false` and `null` are words of their own: `no` is Norwegian.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tiltmeter.errors import InputError
from tiltmeter.lexicon.source_text import SourceText, decode, fault, read

MAX_BYTES = 2**20
_DEEPEST = 20
_NULL = ("", "~", "null")
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?")

Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class YamlText:
    """A document and the line of every key, list entry and value in it."""

    source: SourceText
    value: Any
    lines: dict[Place, int]

    def line_of(self, place: Place) -> int | None:
        """The line of what stands at `place`, or of the nearest thing around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place)

    def error(self, message: str, place: Place = (), hint: str | None = None) -> InputError:
        return InputError(message, where=self.source.where, line=self.line_of(place), hint=hint)


def read_yaml(path: Path) -> YamlText:
    """The document in a file."""
    return parse_yaml(read(path))


def yaml_from(text: str, where: str | Path) -> YamlText:
    """The document in a text."""
    return parse_yaml(decode(text.encode(), where))


@dataclass(slots=True)
class _Open:
    """A table or a list that is being read."""

    place: Place
    value: dict[str, Any] | list[Any]
    key: str | None = field(default=None)

    def next_place(self) -> Place:
        return (*self.place, self.key or "" if isinstance(self.value, dict) else len(self.value))


def parse_yaml(source: SourceText) -> YamlText:
    """The document in a text."""
    if len(source.text) > MAX_BYTES:
        raise source.error("is larger than 1 MB.", hint="Put word lists into files of their own.")
    lines: dict[Place, int] = {}
    whole: list[Any] = []
    stack: list[_Open] = []
    try:
        for event in yaml.parse(source.text, Loader=yaml.SafeLoader):
            line = event.start_mark.line + 1 if event.start_mark else 1
            _refuse(source, event, line, bool(whole) and not stack)
            if isinstance(event, yaml.ScalarEvent) and stack and isinstance(stack[-1].value, dict):
                above = stack[-1]
                if above.key is None:
                    above.key = _key(source, event, line, above)
                    lines[above.next_place()] = line
                    continue
            if isinstance(event, yaml.ScalarEvent):
                _put(source, stack, whole, lines, _scalar(event), line)
            elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                if len(stack) >= _DEEPEST:
                    raise source.error("is nested too deeply.", line=line, hint="See `tiltmeter init` for an example.")
                place = stack[-1].next_place() if stack else ()
                value: dict[str, Any] | list[Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
                _put(source, stack, whole, lines, value, line)
                stack.append(_Open(place, value))
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                stack.pop()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise source.error(
            f"is not YAML: {error.problem or error.context or 'it cannot be read'}.",
            line=None if mark is None else mark.line + 1,
            hint="Check the indentation, and put quotes around text with ':' or '#'.",
        ) from None
    except yaml.YAMLError as error:
        raise source.error(f"is not YAML ({error!s:.100}).") from None
    if not whole:
        raise source.error("is empty.", hint="`tiltmeter init` writes an example.")
    return YamlText(source, whole[0], lines)


def _refuse(source: SourceText, event: yaml.Event, line: int, done: bool) -> None:
    if isinstance(event, yaml.AliasEvent):
        raise source.error(f"has the alias '*{event.anchor}'.", line=line, hint="Write out what it stands for.")
    tag = getattr(event, "tag", None)
    if tag not in (None, "!"):
        raise source.error(f"has the tag {tag!r:.60}.", line=line, hint="Leave it out: plain values are enough.")
    if isinstance(event, yaml.ScalarEvent) and event.value and (wrong := fault(event.value)):
        raise source.error(f"the value {event.value!r:.60} {wrong}.", line=line, hint="Write it as one plain line.")
    if isinstance(event, yaml.DocumentStartEvent) and done:
        raise source.error("holds a second document.", line=line, hint="Put it into a file of its own.")


def _key(source: SourceText, event: yaml.ScalarEvent, line: int, table: _Open) -> str:
    if event.value in table.value:
        raise source.error(f"the key {event.value!r:.60} stands twice.", line=line, hint="Delete one of them.")
    return str(event.value)


def _put(
    source: SourceText, stack: list[_Open], whole: list[Any], lines: dict[Place, int], value: Any, line: int
) -> None:
    if not stack:
        whole.append(value)
        lines[()] = line
        return
    above = stack[-1]
    if isinstance(above.value, list):
        lines[above.next_place()] = line
        above.value.append(value)
        return
    if above.key is None:
        raise source.error("a key is a table or a list.", line=line, hint="A key is a plain word.")
    above.value[above.key] = value
    above.key = None


def _scalar(event: yaml.ScalarEvent) -> str | int | float | bool | None:
    text = str(event.value)
    if not event.implicit[0]:  # it is quoted, or a block of text
        return text
    if text in _NULL:
        return None
    if text in ("true", "false"):
        return text == "true"
    if _INTEGER.fullmatch(text):
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text
