"""The command line: `tiltmeter COMMAND`."""

from __future__ import annotations

import sys
import warnings
from typing import Annotated

import typer

import tiltmeter
from tiltmeter.cli import (
    association,
    audit,
    bayes,
    compare,
    crows,
    debias,
    demo,
    discover,
    explore,
    indirect,
    init,
    kin,
    list_,
    lpbs,
    plan,
    pull,
    replicate,
    report,
    run,
    score,
    sentences,
    show,
    vectors,
)
from tiltmeter.cli.output import console
from tiltmeter.errors import TiltmeterError

app = typer.Typer(
    name="tiltmeter",
    help="Measure social bias in word embeddings and language models, and see how sure each number is.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("demo")(demo.demo)
app.command("list")(list_.list_)
app.command("show")(show.show)
app.command("sentences")(sentences.sentences)
app.command("weat")(association.weat)
app.command("seat")(association.seat)
app.command("wefat")(kin.wefat)
app.command("rnd")(kin.rnd)
app.command("ect")(kin.ect)
app.command("mac")(kin.mac)
app.command("bayes")(bayes.bayes)
app.command("score")(score.score)
app.command("lpbs")(lpbs.lpbs)
app.command("indirect")(indirect.indirect)
app.command("discover")(discover.discover)
app.command("crows")(crows.crows)
app.command("audit")(audit.audit)
app.command("init")(init.init)
app.command("plan")(plan.plan)
app.command("run")(run.run)
app.command("report")(report.report)
app.command("compare")(compare.compare)
app.command("debias")(debias.debias)
app.command("explore")(explore.explore)
app.command("replicate")(replicate.replicate)
app.command("pull")(pull.pull)
app.add_typer(vectors.app, name="vectors")


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tiltmeter {tiltmeter.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and stop.")
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line. Bad input ends in one clear message and exit code 2, never in a traceback."""
    warnings.showwarning = _warned
    try:
        app()
    except TiltmeterError as error:
        from rich.text import Text

        console(stderr=True).print(Text.assemble(("error: ", "bold red"), str(error)), soft_wrap=True)
        sys.exit(2)


def _warned(message: Warning | str, *_where: object, **_also: object) -> None:
    """A warning for a reader, who has no use for the line of code that it came from."""
    from rich.text import Text

    console(stderr=True).print(Text.assemble(("warning: ", "bold yellow"), str(message)), soft_wrap=True)


if __name__ == "__main__":
    main()
