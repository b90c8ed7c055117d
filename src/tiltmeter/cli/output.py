"""How every command speaks: tables for people, JSON for programs, errors on standard error."""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

# A pipe has no width: wide enough that no table is cut.
_PIPE_WIDTH = 200
_NAME_WIDTH = 24

Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output, and nothing else there.")]
Lang = Annotated[str, typer.Option("--lang", "-l", help="Language of the words, as a two-letter code.")]
LangOfModel = Annotated[
    str | None,
    typer.Option(
        "--lang", "-l", help="Language of the words, as a two-letter code. Default: of a demo model its own, else en."
    ),
]


@functools.cache
def console(*, stderr: bool = False) -> Console:
    """The one console for a stream; colours only on a terminal."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, width=None if stream.isatty() else _PIPE_WIDTH, highlight=False)


def say(text: RenderableType) -> None:
    """A line for the reader that is not a result: to standard error."""
    console(stderr=True).print(text)


def print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def print_rows(
    rows: Sequence[Mapping[str, Any]], *, title: str, as_json: bool, columns: Sequence[str] | None = None
) -> None:
    """Rows as a table with the given columns (default: all), or every field as a JSON array."""
    if as_json:
        print_json(list(rows))
        return
    from rich import box
    from rich.table import Table

    shown = columns or (list(rows[0]) if rows else [])
    table = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left", title_style="bold")
    for name in shown:
        numbers = bool(rows) and all(isinstance(row[name], int | float) for row in rows)
        justify: Literal["left", "right"] = "right" if numbers else "left"
        # A name is there to be copied, and stays in one piece where that leaves room for the rest.
        whole = name == "name" and max((len(str(row[name])) for row in rows), default=0) <= _NAME_WIDTH
        table.add_column(name.replace("_", " "), justify=justify, overflow="fold", no_wrap=whole)
    for row in rows:
        table.add_row(*(str(row[name]) for name in shown))
    console().print(table)
