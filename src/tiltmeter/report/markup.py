"""HTML in which every text is escaped, since only what `tag` made is taken as it is."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable

_VOID = frozenset({"meta", "br", "input", "line", "circle", "rect"})


class Markup(str):
    """HTML that is safe to put into a page."""

    __slots__ = ()


def tag(name: str, /, *children: object, **attributes: str | bool | float | None) -> Markup:
    """An element. An attribute that is None or False is left out; `_` ends those that Python keeps (class_)."""
    given = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(value)}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _VOID:
        return Markup(f"<{name}{given}>" if name in ("meta", "br", "input") else f"<{name}{given}/>")
    return Markup(f"<{name}{given}>{together(children)}</{name}>")


def together(children: Iterable[object]) -> Markup:
    """Elements and texts one after the other; None is left out."""
    return Markup(
        "".join(child if isinstance(child, Markup) else escape(child) for child in children if child is not None)
    )


def breakable(text: str) -> Markup:
    """A name that may go on in the next line after a stroke: names of tests are long."""
    return Markup(re.sub(r"([_/.·-])(?=\w)", r"\1<wbr>", escape(text)))


def escape(text: object) -> str:
    """Text as HTML that shows it; controls, and marks that would turn the text around them, show as their code."""
    shown = "".join(_shown(character) for character in str(text))
    return html.escape(shown, quote=True)


def _shown(character: str) -> str:
    if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co"):
        return character
    return f"\\u{{{ord(character):x}}}"
