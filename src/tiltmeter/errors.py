"""Errors that speak to the person who can put them right."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path


class TiltmeterError(Exception):
    """Anything that Tiltmeter refuses or cannot do; the command line prints it without a traceback."""


class InputError(TiltmeterError):
    """Something sent in from outside is wrong: a file, a name, a word. Exit code 2.

    `where` and `line` say where it stands, `hint` what to do about it.
    """

    def __init__(
        self,
        message: str,
        *,
        where: str | Path | None = None,
        line: int | None = None,
        hint: str | None = None,
    ) -> None:
        self.message = message
        self.where = where
        self.line = line
        self.hint = hint
        super().__init__(message)

    def __str__(self) -> str:
        place = "" if self.where is None else f"{self.where}: "
        if self.line is not None:
            place = f"{place.removesuffix(': ')}:{self.line}: " if place else f"line {self.line}: "
        hint = "" if self.hint is None else f" {self.hint}"
        return f"{place}{self.message}{hint}"


class ModelError(TiltmeterError):
    """A model cannot be loaded, or cannot do what was asked of it."""


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A hint with the nearest known names, or None where nothing is near."""
    by_folded = {candidate.casefold(): candidate for candidate in known}
    near = difflib.get_close_matches(name.casefold(), by_folded, n=3, cutoff=0.6)
    return f"Did you mean {' or '.join(repr(by_folded[match]) for match in near)}?" if near else None
