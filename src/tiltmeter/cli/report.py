"""`tiltmeter report`: the tables, figures and page of a run, rendered again from its measurements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiltmeter.cli.output import Json, print_json, say


def report(
    run: Annotated[Path, typer.Argument(help="The folder of a finished run.")],
    as_json: Json = False,
) -> None:
    """Render tables/*.tex, figures/* and report.html of a run. Nothing is measured again."""
    from rich.text import Text

    from tiltmeter.report.html import write_report

    written = write_report(run)
    if as_json:
        print_json([str(path) for path in written])
        return
    for kind, of_kind in (("tables", "*.tex"), ("figures", "*.pdf|png|svg")):
        count = sum(path.parent.name == kind for path in written)
        say(Text(f"wrote {count} files: {run / kind / of_kind}", style="dim"))
    say(Text(f"wrote {written[-1]}"))
