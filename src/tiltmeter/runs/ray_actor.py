"""What lives in a Ray cluster while a run is at work there; see `tiltmeter.runs.ray_crew`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import tiltmeter
from tiltmeter.runs.job import Job
from tiltmeter.runs.work import Outcome, SharedWork, Work

_PATIENCE = 60.0  # seconds that helpers have at least, beside twice those that their owner has been at the job


class Actor:
    """A `Work`, and how far it is. It does jobs of its own, or helps others of its kind with theirs."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._at = (0, 0)
        self._busy = threading.Lock()  # one whose owner has died may be given a job while it is still helping

    def version(self) -> str:
        """Told once it is up."""
        return tiltmeter.__version__

    def do(self, job: Job, helpers: Sequence[Any]) -> tuple[Outcome, dict[int, str]]:
        """The outcome, and which of the helpers were of no help, and why."""
        with self._busy:
            self._at = (0, 0)
            if not helpers:
                return self._work(job, self._report), {}
            return self._share(job, helpers)

    def _share(self, job: Job, helpers: Sequence[Any]) -> tuple[Outcome, dict[int, str]]:
        import ray

        assert isinstance(self._work, SharedWork)
        begun = time.monotonic()
        parts: list[Any] = []

        def ask(budget: int) -> Callable[[], object]:
            parts.extend(helper.help.remote(job, at, len(helpers), budget) for at, helper in enumerate(helpers, 1))
            return wait

        def wait() -> None:
            # What a helper that has died or is stuck leaves undone is then done here.
            ray.wait(parts, num_returns=len(parts), timeout=_PATIENCE + 2 * (time.monotonic() - begun))

        outcome = self._work.share(job, self._report, len(helpers), ask)
        if outcome.error or outcome.skipped:  # for the helpers too
            return outcome, {}
        failures = {at: reason for at, part in enumerate(parts) if (reason := _failure(part))}
        return outcome, failures

    def help(self, job: Job, number: int, helpers: int, budget: int) -> str:
        """What went wrong, if anything did."""
        with self._busy:
            assert isinstance(self._work, SharedWork)
            return self._work.help(job, number, helpers, budget)

    def end(self) -> None:
        """Clean up; a process that is killed does not."""
        if isinstance(self._work, SharedWork):
            self._work.close()

    def at(self) -> tuple[int, int]:
        """Batches done, and in all; asked while `do` is at work."""
        return self._at

    def _report(self, done: int, total: int) -> None:
        self._at = (done, total)


def _failure(part: Any) -> str:
    """Why a part was not done by its helper, or nothing."""
    import ray

    if not ray.wait([part], timeout=0)[0]:
        return "it took too long"
    try:
        return str(ray.get(part))
    except ray.exceptions.RayError as error:
        return f"it died: {type(error).__name__}"
