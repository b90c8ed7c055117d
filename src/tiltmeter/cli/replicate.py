"""`tiltmeter replicate`: a published experiment again, and its figures beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli.output import Json, print_json, print_rows, say

if TYPE_CHECKING:
    from tiltmeter.replicate.catalogue import Replication
    from tiltmeter.replicate.source import Source


def replicate(
    name: Annotated[
        str | None, typer.Argument(help="The source, such as caliskan2017. Default: list them all.")
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model", "-m", help="A model; repeatable. Default: the source's if they are here, else a demo model."
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="What the source was measured on; the list of sources says what that is."),
    ] = None,
    part: Annotated[
        list[str] | None, typer.Option("--part", "-p", help="Only this part of the source; repeatable.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The run folder. Default: replicate-NAME.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of everything drawn at random.")] = 0,
    as_json: Json = False,
) -> None:
    """Do a published experiment again: published and measured figures side by side, and a run folder.

    Where the models of the source are not on this machine, it runs on the demo model, and says so.
    """
    from rich.text import Text

    from tiltmeter.cli.run import live
    from tiltmeter.replicate.catalogue import SOURCES
    from tiltmeter.replicate.catalogue import replicate as again

    if name is None:
        _list(list(SOURCES.values()), as_json)
        return
    folder = out or Path(f"replicate-{name}")
    try:
        with live() as watcher:
            done = again(name, folder, models=models or (), data=data, parts=part or (), seed=seed, watcher=watcher)
    except KeyboardInterrupt:
        say("[yellow]stopped.[/] Finished jobs are kept: the same command goes on from here.")
        raise typer.Exit(130) from None
    if as_json:
        print_json(
            {
                "name": name,
                "folder": str(done.folder),
                "models": list(done.models),
                "told": done.told,
                "summary": done.summary(),
                "tables": [table.as_dict() for table in done.tables],
            }
        )
        return
    _print(done)
    lost = " (measurements.tsv names the lost words)" if (done.folder / "measurements.tsv").exists() else ""
    say(Text(f"results: {done.folder}{lost}, figures: {done.folder / 'replication.tsv'}", style="dim"))


def _list(sources: Sequence[Source], as_json: bool) -> None:
    details = [
        {
            "about": source.about,
            "parts": ", ".join(source.parts),
            "--data": source.data,
            "models": ", ".join(source.weights),
        }
        for source in sources
    ]
    title = "Published experiments that can be done again"
    if as_json:
        rows = [{"name": source.name, **known} for source, known in zip(sources, details, strict=True)]
    else:  # two columns, so that a narrow terminal does not break names
        lines = [
            "\n".join([known["about"], *(f"{key}: {known[key]}" for key in list(known)[1:] if known[key]), ""])
            for known in details
        ]
        rows = [{"name": source.name, "what": text} for source, text in zip(sources, lines, strict=True)]
    print_rows(rows, title=title, as_json=as_json)


def _print(done: Replication) -> None:
    from rich.text import Text

    from tiltmeter.cli.output import console

    if done.told:
        console().print(Text(f"{done.told}\n", style="bold" if done.told.startswith("DEMO") else "dim"), soft_wrap=True)
    for table in done.tables:
        rows = list(table.rows())
        print_rows(rows, title=f"{table.title}, on {table.model}", as_json=False)
        for line in (table.source, table.note, f"{table.summary()}."):
            if line:
                console().print(Text(line, style="dim"), soft_wrap=True)
        console().print()
    if len(done.tables) > 1:
        console().print(Text(f"All tables: {done.summary()[:1].lower()}{done.summary()[1:]}.\n", style="bold"))
