"""`tiltmeter run` in a process of its own, as it is killed, starved and started again."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

PATIENCE = 500.0  # seconds until something is taken to hang; a busy machine takes many times as long as an idle one
RESULTS = ("measurements.tsv", "measurements.parquet", "seat.tsv")
_MAIN = """
import sys, typer
from tiltmeter.cli.run import run
from tiltmeter.errors import TiltmeterError
app = typer.Typer()
app.command()(run)
try:
    app()
except TiltmeterError as error:
    print("error:", error, file=sys.stderr)
    sys.exit(2)
"""


def command(spec: Path, out: Path, *options: str, before: str = "") -> list[str]:
    """The command line; `before` is run in the process first. Spawned workers need no main module."""
    return [sys.executable, "-c", before + _MAIN, str(spec), "--out", str(out), "--no-report", *options]


def run_it(spec: Path, out: Path, *options: str, before: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(spec, out, *options, before=before), capture_output=True, text=True, timeout=PATIENCE)


def results(folder: Path) -> dict[str, bytes]:
    """The bytes of all that is measured."""
    found = {name: (folder / name).read_bytes() for name in RESULTS if (folder / name).exists()}
    return found | {path.name: path.read_bytes() for path in (folder / "arrays").glob("*")}


def finished(folder: Path) -> dict[str, int]:
    """The files of finished jobs, and when each was written."""
    return {path.name: path.stat().st_mtime_ns for path in (folder / "jobs").glob("*.json")}


def times_done(folder: Path) -> Counter[str]:
    """How often run.log says that each job was done."""
    lines = [line.split(maxsplit=3) for line in (folder / "run.log").read_text(encoding="utf-8").splitlines()]
    return Counter(line[2] for line in lines if line[1] in ("done", "skipped"))
