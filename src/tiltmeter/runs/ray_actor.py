"""What lives in a Ray cluster while a run is at work there; see `tiltmeter.runs.ray_executor`."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any

import tiltmeter
from tiltmeter.runs.job import Job
from tiltmeter.runs.work import Outcome, SharedWork, Work

_TOGETHER = 60.0  # seconds that a worker waits for its helpers to come up, once


class Actor:
    """What lives in the cluster: a `Work`, and how far it is. `helpers` are others of its kind."""

    def __init__(self, work: Work, helpers: Sequence[Any] = ()) -> None:
        self._work: Work | None = work
        self._helpers = helpers
        self._at = (0, 0)

    def version(self) -> str:
        """Told once it is up."""
        return tiltmeter.__version__

    def do(self, job: Job) -> Outcome:
        self._at = (0, 0)
        work = self._work
        assert work is not None
        if not isinstance(work, SharedWork) or not work.can_be_shared(job) or not self._together():
            return work(job, self._report)
        import ray

        count = len(self._helpers)
        parts = [helper.help.remote(job, number, count) for number, helper in enumerate(self._helpers, 1)]

        def wait() -> None:
            ray.wait(parts, num_returns=count)  # one that has died is not waited for: its part is then done here

        outcome = work.share(job, self._report, count, wait)
        wait()  # a job that fails early does not: no helper may be at two jobs
        return outcome

    def help(self, job: Job, number: int, helpers: int) -> None:
        assert isinstance(self._work, SharedWork)
        self._work.help(job, number, helpers)

    def _together(self) -> bool:
        """Whether there are helpers. One that does not come up, or has died, is not asked again."""
        import ray

        asked = {helper.version.remote(): helper for helper in self._helpers}
        ready, _ = ray.wait(list(asked), num_returns=len(asked), timeout=_TOGETHER) if asked else ([], [])
        self._helpers = []
        for one in ready:
            with contextlib.suppress(ray.exceptions.RayError):
                ray.get(one)
                self._helpers.append(asked[one])
        return bool(self._helpers)

    def end(self) -> None:
        """Clean up; a process that is killed does not."""
        self._work = None

    def at(self) -> tuple[int, int]:
        """Batches done, and in all; asked while `do` is at work."""
        return self._at

    def _report(self, done: int, total: int) -> None:
        self._at = (done, total)
