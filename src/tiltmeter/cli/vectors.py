"""`tiltmeter vectors`: look at a file of word vectors, or make one that opens at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tiltmeter.cli.output import Json, print_json, print_rows, say

app = typer.Typer(
    name="vectors",
    help="Look at a file of word vectors, or make one that opens at once.",
    no_args_is_help=True,
)
VectorFile = Annotated[
    Path,
    typer.Argument(help="A file of word vectors, in any form that Tiltmeter reads, or demo:de-static."),
]


@app.command("convert")
def convert(
    source: VectorFile,
    out: Annotated[Path, typer.Argument(help="The file to write; if it exists, it is replaced.")],
    half: Annotated[bool, typer.Option("--half", help="Store float16: half the size, three digits.")] = False,
) -> None:
    """Convert vectors to a form that is mapped into memory, so that opening it takes no time."""
    from tiltmeter.models._streams import Stream
    from tiltmeter.models._vector_convert import write_store
    from tiltmeter.models._vector_formats import open_reader
    from tiltmeter.models.named import path_of
    from tiltmeter.models.progress import progress_bar

    with progress_bar(f"Converting {source.name}") as report, Stream(path_of(source), report) as stream:
        header = write_store(open_reader(stream), out, half=half)
    say(f"{out}: {header.words} words, {header.dimension} numbers each, from {header.source}")


@app.command("info")
def info(
    source: VectorFile,
    check: Annotated[
        bool, typer.Option("--check", help="Read every vector; compare a converted file with its hash.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Say what a file of vectors is: its form, words, dimension and fingerprint."""
    found = _describe(source, check)
    if as_json:
        print_json(found)
    else:
        print_rows([found], title=source.name, as_json=False)


def _describe(source: Path, check: bool) -> dict[str, Any]:
    from tiltmeter.models._streams import Stream
    from tiltmeter.models._vector_formats import fingerprint, open_reader
    from tiltmeter.models._vector_store import StoreReader
    from tiltmeter.models.named import path_of
    from tiltmeter.models.progress import progress_bar

    path = path_of(source)
    with progress_bar(f"Reading {source.name}") as report, Stream(path, report) as stream:
        reader = open_reader(stream)
        if isinstance(reader, StoreReader):
            if check:
                reader.check()
        elif check or reader.words is None:
            for _ in reader.rows() if check else reader.entries(frozenset()):
                pass
        return {
            "form": reader.form,
            "compression": stream.compression or "none",
            "words": reader.words,
            "dimension": reader.dimension,
            "sub_words": "yes" if reader.has_subwords else "no",
            "fingerprint": fingerprint(path, reader),
        }
