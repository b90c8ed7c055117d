"""`tiltmeter demo`: a short audit of the model in the box, from nothing to a page that can be explored."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.output import Json, console, print_json, say
from tiltmeter.errors import InputError, ModelError

if TYPE_CHECKING:
    from tiltmeter.runs.job import Job
    from tiltmeter.runs.run import Watcher
    from tiltmeter.runs.store import Record

MODEL = "demo:en"
# `male` and `female` are rare in novels, and mostly of animals: people are men and women, boys and girls.
FEATURES = (("woman", "man"), ("girl", "boy"))
LEAST = 100
_SETS = {"beverage": "drinks", "occupation": "occupations"}
_SPEC = f"""\
# tiltmeter demo: a short audit of the model in the box. Do it again with: tiltmeter run spec.yaml
title: "A first look at {MODEL}"
seed: 0
# What the model met less often in training is noise in it, and is left out.
least: {LEAST}
output: "."
models:
  - path: "{MODEL}"
    several_tokens: false
metrics:
  - {{ metric: indirect, targets: beverage, features: gender, top: 20 }}
  - {{ metric: indirect, targets: occupation, features: gender, top: 20 }}
  - {{ metric: crows }}
"""


def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="The run folder.")] = Path("tiltmeter-demo"),
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="Open the explorer on the run when it is done.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Measure the small language model in the box, say what was found, and open the results to be explored.

    It was trained on novels of 1830 to 1930: what it leans to are their leanings, and those of no product.
    """
    from rich.text import Text

    from tiltmeter.models.named import demo as named_demo

    model = named_demo(MODEL)
    if model.kind != "masked":
        raise ModelError(f"there is no language model in the box, only {model.name}. Install Tiltmeter again.")
    say(Text(f"{MODEL}: {model.about}, {model.bytes / 1e6:.0f} MB. What it leans to are those novels' leanings."))

    from tiltmeter.cli.run import live
    from tiltmeter.report.html import write_report
    from tiltmeter.runs.run import run
    from tiltmeter.runs.spec import parse_spec
    from tiltmeter.runs.yaml_text import yaml_from

    with live() as bars:
        teller = _teller(bars, out, quiet=as_json)
        try:
            summary = run(parse_spec(yaml_from(_SPEC, out / "spec.yaml")), out, watcher=teller)
        except KeyboardInterrupt:
            say("[yellow]stopped.[/] Finished jobs are kept: the same command goes on from here.")
            raise typer.Exit(130) from None
    teller.tell_rest()
    if not as_json:
        _print_losses(teller.lost())
    with console(stderr=True).status("writing the report"):
        page = write_report(out)[-1]
    if as_json:
        print_json(
            {
                "folder": str(out),
                "report": str(page),
                "findings": [{"job": title, "said": said} for title, said in teller.found],
                "lost": teller.lost(),
                "failed": [{"job": job, "error": error} for job, error in summary.failed],
                "seconds": round(summary.seconds, 3),
            }
        )
    else:
        measured = f"{summary.jobs - len(summary.failed)} of {summary.jobs} measurements"
        say(Text(f"\n{measured} in {summary.seconds:.0f} s. Everything is in {out}: tables, figures, spec.yaml."))
        say(Text(f"report: {page}"))
    if summary.failed:
        raise typer.Exit(1)
    if browser and not as_json:
        _explore(out)


def _teller(bars: Watcher, folder: Path, *, quiet: bool) -> Any:
    """Shows the bars, and says what a job has found as soon as it is done."""
    from rich.text import Text

    from tiltmeter.lexicon.catalogue import word_sets
    from tiltmeter.measurement import Lost
    from tiltmeter.report.findings import losses, matrix_finding, pairs_finding
    from tiltmeter.runs.arrays import read_arrays
    from tiltmeter.runs.run import Watcher
    from tiltmeter.runs.store import RunFolder

    class Teller(Watcher):
        def __init__(self) -> None:
            self.found: list[tuple[str, list[str]]] = []
            self._jobs: list[Job] = []
            self._told: dict[str, tuple[Lost, ...]] = {}

        def planned(self, jobs: Sequence[Job], kept: int) -> None:
            self._jobs = list(jobs)
            bars.planned(jobs, kept)

        def started(self, job: Job) -> None:
            bars.started(job)

        def batch(self, job: Job, done: int, total: int) -> None:
            bars.batch(job, done, total)

        def ended(self, job: Job, record: Record | None, error: str) -> None:
            bars.ended(job, record, error)
            if record is not None:
                self._tell(job, record)

        def tell_rest(self) -> None:
            """Say what was found by an earlier start in the same folder."""
            for job in self._jobs:
                if job.hash not in self._told and (record := RunFolder(folder).record(job.hash)) is not None:
                    self._tell(job, record)

        def lost(self) -> list[str]:
            sizes = {name: len(words) for name, words in word_sets().items()}
            return losses(dict.fromkeys(one for of_job in self._told.values() for one in of_job), sizes)

        def _tell(self, job: Job, record: Record) -> None:
            rows = record.measurements
            self._told[job.hash] = rows[0].lost if rows else job.left_out
            if job.metric == "crows":
                said = pairs_finding(rows)
            elif record.arrays:
                arrays = read_arrays(RunFolder(folder).arrays / f"{job.hash}.safetensors")
                said = matrix_finding(arrays, _SETS[arrays.about["row_set"]], FEATURES)
            else:
                said = [f"{job.title} was skipped: {record.skipped}"]
            self.found.append((job.title, said))
            if not quiet:
                first, *more = said or [f"{job.title}: nothing to report."]
                console().print(Text(f"\n{len(self.found)}. {first}", style="bold"), soft_wrap=True)
                for line in more:
                    console().print(Text(f"   {line}"), soft_wrap=True)

    return Teller()


def _print_losses(lines: list[str]) -> None:
    from rich.text import Text

    console().print(Text("\nWhat took no part, and why", style="bold"))
    for line in lines or ["Nothing: all words took part."]:
        console().print(Text(f"   {line}"), soft_wrap=True)
    console().print(
        Text(
            "   An interval says how far a number would move with other first names or sentences for the same groups. "
            "It says nothing about other words, other models, or people."
        ),
        soft_wrap=True,
    )


def _explore(folder: Path) -> None:
    """The explorer on the run. Where nobody watches, or what it needs is missing, how to start it is said instead."""
    from rich.text import Text

    if sys.stdout.isatty():
        try:
            from tiltmeter.cli.explore import explore

            explore([str(folder), MODEL])  # what was measured, and the model for questions that the run does not answer
        except InputError as error:
            say(Text(str(error), style="dim"))
        else:
            return
    say(Text(f"explore it: tiltmeter explore {folder}"))
