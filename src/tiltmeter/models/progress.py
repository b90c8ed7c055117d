"""A progress bar for work that takes long enough to wonder."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tiltmeter.models.batching import Report

_PATIENCE = 2.0  # seconds


@contextmanager
def progress_bar(what: str) -> Iterator[Report]:
    """A function to report progress to: after two seconds a bar appears on standard error, if that is a terminal."""
    begun = time.monotonic()
    bar: Any = None
    task: Any = None

    def report(done: int, total: int) -> None:
        nonlocal bar, task
        if bar is None:
            if time.monotonic() - begun < _PATIENCE or not sys.stderr.isatty():
                return
            from rich.console import Console
            from rich.progress import Progress, TextColumn

            rate = TextColumn("{task.fields[rate]}", style="progress.data.speed")
            bar = Progress(*Progress.get_default_columns(), rate, console=Console(stderr=True), transient=True)
            task = bar.add_task(what, total=total, rate="")
            bar.start()
        seconds = max(time.monotonic() - begun, 1e-9)
        bar.update(task, completed=done, total=total, rate=f"{done / seconds:,.0f} a second, {done:,} of {total:,}")

    try:
        yield report
    finally:
        if bar is not None:
            bar.stop()
