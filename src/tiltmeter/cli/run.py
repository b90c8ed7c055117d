"""`tiltmeter run`: a batch of models × tests × metrics, described in a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.output import Json, console, print_json, say
from tiltmeter.errors import InputError

if TYPE_CHECKING:
    from tiltmeter.runs.execute import Executor
    from tiltmeter.runs.job import Job
    from tiltmeter.runs.run import Summary, Watcher
    from tiltmeter.runs.spec import SpecFile

Out = Annotated[Path | None, typer.Option("--out", "-o", help="The run folder. Default: what the spec says.")]
Workers = Annotated[
    int | None,
    typer.Option(
        "--workers",
        "-w",
        min=1,
        max=10_000,
        help="Processes; they share out the models. On Ray, where they are more, they share large jobs too.",
    ),
]
On = Annotated[
    str | None, typer.Option("--on", metavar="ray|ray://HOST:PORT", help="Run on Ray, here or on a cluster.")
]
Gpus = Annotated[
    float | None, typer.Option("--gpus", min=0, help="What each worker on Ray takes of a GPU, such as 0.5.")
]
Report = Annotated[bool, typer.Option("--report/--no-report", help="Make tables, figures and report.html.")]
Trust = Annotated[
    bool, typer.Option("--trust-remote-code", help="Run code that comes with a model whose spec asks for it.")
]
_SHOWN = 20  # skipped tests that are named


def run(
    spec: Annotated[
        Path, typer.Argument(help="A spec in YAML (see `tiltmeter init`), or lines of the BIAS framework.")
    ],
    out: Out = None,
    workers: Workers = None,
    on: On = None,
    gpus: Gpus = None,
    store: Annotated[
        str | None, typer.Option(metavar="URL", help="Keep the run folder in an object store too, such as s3://...")
    ] = None,
    report: Report = True,
    trust: Trust = False,
    as_json: Json = False,
) -> None:
    """Run a batch of experiments. What is interrupted goes on where it was when it is started again.

    Results are in the run folder: measurements.tsv and .parquet, manifest.json, run.log, tables, figures, report.html.
    """
    from tiltmeter.runs.spec import read_spec

    file = read_spec(spec)
    run_spec(file, out, executor=_executor(on, workers, gpus), store=store, report=report, trust=trust, as_json=as_json)


def _executor(on: str | None, workers: int | None, gpus: float | None) -> Executor:
    if on is None:
        if gpus is not None:
            raise InputError("--gpus shares out GPUs on Ray.", hint="Add --on ray.")
        from tiltmeter.runs.execute import LocalExecutor

        return LocalExecutor(workers or 1)
    from tiltmeter.runs.ray_executor import RayExecutor

    return RayExecutor(None if on == "ray" else on, workers=workers, gpus=gpus)


def run_spec(
    file: SpecFile,
    out: Path | None,
    *,
    executor: Executor | None = None,
    store: str | None = None,
    report: bool,
    trust: bool,
    as_json: bool,
) -> None:
    """Run a spec and say how it went. Exit code 1 where a job failed, 130 after Ctrl-C."""
    from tiltmeter.runs.run import run as start

    for number, model in enumerate(file.spec.models):
        if model.trust_remote_code and not trust:
            raise file.error(
                "the spec asks to run code that comes with this model.",
                ("models", number, "trust_remote_code"),
                "Read that code first; then add --trust-remote-code.",
            )
    try:
        with live() as watcher:
            summary = start(file, out, executor=executor, watcher=watcher, mirror=store)
    except KeyboardInterrupt:
        say("[yellow]stopped.[/] Finished jobs are kept: the same command goes on from here.")
        raise typer.Exit(130) from None
    page = _rendered(summary.folder) if report else None
    if as_json:
        print_json(_as_dict(summary, page))
    _say_how_it_went(summary, page)
    if summary.failed:
        raise typer.Exit(1)


def _rendered(folder: Path) -> Path:
    from tiltmeter.report.html import write_report

    with console(stderr=True).status("tables, figures and report"):
        return write_report(folder)[-1]


def _as_dict(summary: Summary, page: Path | None) -> dict[str, Any]:
    return {
        "folder": str(summary.folder),
        "jobs": summary.jobs,
        "kept": summary.kept,
        "measurements": summary.measurements,
        "skipped": [{"job": job, "reason": reason} for job, reason in summary.skipped],
        "failed": [{"job": job, "error": error} for job, error in summary.failed],
        "seconds": round(summary.seconds, 3),
        "report": None if page is None else str(page),
    }


def _say_how_it_went(summary: Summary, page: Path | None) -> None:
    from rich.text import Text

    for job, reason in summary.skipped[:_SHOWN]:
        say(Text(f"skipped {job}: {reason}", style="dim"))
    if len(summary.skipped) > _SHOWN:
        say(f"[dim]and {len(summary.skipped) - _SHOWN} more; manifest.json names them all[/]")
    done = summary.jobs - len(summary.failed)
    kept = f", {summary.kept} of them before" if summary.kept else ""
    say(
        f"{done} of {summary.jobs} jobs done{kept}; {summary.measurements} measurements in {summary.seconds:.1f} s"
        + (f"; [red]{len(summary.failed)} failed[/], to be tried again by the next run" if summary.failed else "")
    )
    say(Text(f"results: {summary.folder}" if page is None else f"report: {page}"))


@contextmanager
def live() -> Iterator[Watcher]:
    """A bar on a terminal: which job, how far, and how long still. Failures are printed as they come, wherever."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
    from rich.text import Text

    from tiltmeter.runs.run import Watcher

    out = console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=out,
        transient=True,
        disable=not out.is_terminal,
    )

    class Live(Watcher):
        def planned(self, jobs: Sequence[Job], kept: int) -> None:
            self.all = bar.add_task("all jobs", total=len(jobs), completed=kept)
            self.of_job: dict[str, Any] = {}

        def started(self, job: Job) -> None:
            self.of_job[job.hash] = bar.add_task(job.title[:60], total=None)

        def batch(self, job: Job, done: int, total: int) -> None:
            if job.hash in self.of_job:
                bar.update(self.of_job[job.hash], completed=done, total=total)

        def ended(self, job: Job, record: object, error: str) -> None:  # noqa: ARG002 - the bar shows no results
            if job.hash in self.of_job:
                bar.remove_task(self.of_job.pop(job.hash))
            bar.advance(self.all)
            if error:
                out.print(Text.assemble(("failed ", "bold red"), f"{job.title}: {error}"), soft_wrap=True)

    with bar:
        yield Live()


def refuse_to_overwrite(path: Path) -> None:
    """Nothing that somebody wrote is lost."""
    if path.exists() or path.is_symlink():
        raise InputError("exists already.", where=path, hint="Give another name, or delete it first.")
