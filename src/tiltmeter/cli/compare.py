"""`tiltmeter compare`: two runs side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiltmeter.cli.output import Json, print_json, print_rows, say


def compare(
    first: Annotated[Path, typer.Argument(help="The folder of a finished run: one model, or before a change.")],
    second: Annotated[Path, typer.Argument(help="The folder of another: the other model, or after the change.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Also write compare.html, compare.md and figures into this folder."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Two runs side by side: what both measured, the difference with its interval, and where the intervals part.

    Measurements are matched by test, metric and language, and by model; two different models if each run has one.
    Matrices are matched cell by cell. Where both keep the scores of the same words, names or pairs, intervals
    are paired.
    """
    from rich.text import Text

    from tiltmeter.report.compare_runs import compare_runs
    from tiltmeter.runs.results import read_run

    found = compare_runs(read_run(first), read_run(second))
    if out is not None:
        from tiltmeter.report.compare_page import write_comparison

        written = write_comparison(out, found, (first.resolve().name, second.resolve().name))
        say(Text(f"wrote {written[0]} and {len(written) - 1} more", style="dim"))
    if as_json:
        print_json([pair.as_dict() for pair in found.pairs])
        return
    title = f"first: {first}, second: {second}; difference: the second less the first"
    print_rows(found.rows(), title=title, as_json=False)
    for sentence in found.summary():
        say(Text(sentence, style="dim"))
