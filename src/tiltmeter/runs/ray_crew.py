"""The workers of one run on Ray; see `tiltmeter.runs.ray_executor`.

All are alike. One that is up takes the jobs of a model, as long as there are such jobs; after that it helps others with
theirs. So a worker that the cluster has no room for, or that died, is never what another one waits for.
"""

from __future__ import annotations

import contextlib
import math
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import tiltmeter
from tiltmeter.errors import InputError
from tiltmeter.runs.execute import Progress
from tiltmeter.runs.job import Job
from tiltmeter.runs.ray_actor import Actor
from tiltmeter.runs.work import Outcome, SharedWork, Work

_PULSE = 0.2  # seconds between two looks at how far the workers are
_LOOK = 5.0  # seconds between two looks for room
_LAST_WORDS = 5.0  # seconds for workers to clean up
_DEATHS = 3  # of workers at the same job, or of workers that never began
_TOGETHER = 60.0  # seconds in which helpers come up, or are given up
_PATIENCE = 300.0  # seconds without a worker, after which the cluster is taken to have no room


@dataclass(eq=False)
class _Worker:
    """An actor, and the jobs that it is at. `waited` is for a sign of life, or for an outcome; a helper has none."""

    handle: Any
    waited: Any
    hired: float
    up: bool = False
    left: deque[Job] = field(default_factory=deque)
    helpers: list[_Worker] = field(default_factory=list)
    shared: bool = False  # one of these jobs was given to helpers too, or there were none
    asked: Any = None  # how far it is
    seen: tuple[int, int] = (0, 0)

    @property
    def free(self) -> bool:
        return self.up and not self.left and self.waited is None


class Crew:
    """At most `size` workers, that take what `options` say each; there is room for `room()` more now."""

    def __init__(
        self,
        ray: Any,
        work: Work,
        size: int,
        options: Mapping[str, Any],
        progress: Progress | None,
        room: Callable[[], int],
    ) -> None:
        # One thread works, and one says how far it is.
        self._actor = ray.remote(**options, max_concurrency=2)(Actor)
        self._can_be_shared = work.can_be_shared if isinstance(work, SharedWork) else lambda _job: False
        self._ray, self._work, self._size, self._progress, self._room = ray, ray.put(work), size, progress, room
        self._workers: list[_Worker] = []
        self._waiting: deque[deque[Job]] = deque()
        self._shared: set[str] = set()  # hashes of the jobs that helpers help with
        self._deaths: Counter[str] = Counter()  # by the hash of the job; "" for workers that never came up
        self._alone_since = self._watched = time.monotonic()
        self._looked = -math.inf

    def outcomes(self, groups: Sequence[Sequence[Job]]) -> Generator[Outcome, None, None]:
        self._waiting = deque(deque(group) for group in groups)
        if self._size > len(groups):
            self._shared = {job.hash for group in groups for job in group if self._can_be_shared(job)}
        try:
            while self._waiting or any(worker.left for worker in self._workers):
                self._keep_busy()
                for worker in self._finished():
                    if worker in self._workers:
                        yield from self._next(worker)
                self._watch()
        except (self._ray.exceptions.RayError, ConnectionError) as error:
            if self._ray.is_initialized() and not isinstance(error, ConnectionError):
                raise
            raise InputError(
                f"the Ray cluster was lost ({_last_line(error)}).",
                hint="Run again when it can be reached: finished jobs are kept.",
            ) from None
        finally:
            self._dismiss(*self._workers)

    def _keep_busy(self) -> None:
        self._share_out()
        self._hire()
        for worker in self._workers:
            if worker.left and worker.waited is None:
                self._give(worker, worker.left[0])

    def _share_out(self) -> None:
        """The jobs of a model for each that is free; who is of no use goes."""
        for worker in self._unbound():
            if self._waiting:
                worker.left, worker.shared = self._waiting.popleft(), False
            elif not self._help_is_wanted():
                self._dismiss(worker)

    def _unbound(self) -> list[_Worker]:
        bound = {helper for worker in self._workers for helper in worker.helpers}
        return [worker for worker in self._workers if worker.free and worker not in bound]

    def _help_is_wanted(self) -> bool:
        """Whether there are jobs to be shared that have not begun."""
        return any(
            job.hash in self._shared
            for worker in self._workers
            for number, job in enumerate(worker.left)
            if number or worker.waited is None
        )

    def _hire(self) -> None:
        """Workers for all models. One that the cluster has no room for is waited for: others may end. Then helpers, if
        there is room for them at once."""
        now = time.monotonic()
        pending = [worker for worker in self._workers if not worker.up]
        wanted = len(self._waiting) - len(pending)
        if not self._waiting:
            for worker in pending:
                if now - worker.hired > _TOGETHER:
                    self._drop(worker)
            if not pending and len(self._workers) < self._size and now - self._looked > _LOOK:
                self._looked = now
                wanted = self._room() if self._help_is_wanted() else 0
        for _ in range(min(wanted, self._size - len(self._workers))):
            handle = self._actor.remote(self._work)
            self._workers.append(_Worker(handle, handle.version.remote(), now))
        if any(worker.up for worker in self._workers):
            self._alone_since = now
        elif now - self._alone_since > _PATIENCE:
            raise InputError(
                f"the Ray cluster has had no room for a worker for {_PATIENCE / 60:.0f} minutes.",
                hint="Add a node, or wait for other work to end; then run again: finished jobs are kept.",
            )

    def _give(self, worker: _Worker, job: Job) -> None:
        """The next job, unless it is the first to be shared and helpers are about to come up."""
        helpers: list[_Worker] = []
        if job.hash in self._shared:
            soon = time.monotonic() - _TOGETHER
            if not worker.shared and any(not one.up and one.hired > soon for one in self._workers):
                return
            worker.shared = True
            self._find_helpers(worker)
            helpers = worker.helpers
        worker.waited = worker.handle.do.remote(job, [helper.handle for helper in helpers])
        worker.asked, worker.seen = None, (0, 0)
        if self._progress is not None:
            self._progress.started(job)

    def _find_helpers(self, worker: _Worker) -> None:
        """As many as each gets that has jobs to share; they stay until its last one, and load its model once."""
        owners = sum(any(job.hash in self._shared for job in one.left) for one in self._workers)
        share = math.ceil(sum(one.free for one in self._workers) / owners)
        worker.helpers += self._unbound()[: max(share - len(worker.helpers), 0)]

    def _finished(self) -> list[_Worker]:
        by_ref = {worker.waited: worker for worker in self._workers if worker.waited is not None}
        ready, _ = self._ray.wait(list(by_ref), num_returns=1, timeout=_PULSE)
        return [by_ref[ref] for ref in ready]

    def _next(self, worker: _Worker) -> Iterator[Outcome]:
        """What has come of a worker, and the next job for whoever is free."""
        try:
            came = self._ray.get(worker.waited)
        except self._ray.exceptions.RayTaskError as error:
            if not worker.left:
                raise
            came = Outcome(worker.left[0].hash, 0.0, error=f"{type(error).__name__}: {_last_line(error)}"), {}
        except self._ray.exceptions.RayError as error:
            if not self._ray.is_initialized():
                raise
            yield from self._bury(worker, error)
            return
        worker.waited = None
        if isinstance(came, str):
            self._welcome(worker, came)
            return
        outcome, failures = came
        job, helpers = worker.left.popleft(), list(worker.helpers)
        for number, reason in failures.items():
            self._drop(helpers[number])
            warnings.warn(
                f"{job.title}: a helper is not asked again ({reason}); its part was done without it.",
                RuntimeWarning,
                stacklevel=2,
            )
        if not worker.left or self._waiting:
            worker.helpers = []
        self._keep_busy()
        yield outcome

    def _welcome(self, worker: _Worker, version: str) -> None:
        if version != tiltmeter.__version__:
            raise InputError(
                f"the Ray cluster has Tiltmeter {version}, and this is {tiltmeter.__version__}.",
                hint="Install the same on every node.",
            )
        worker.up = True
        del self._deaths[""]

    def _bury(self, worker: _Worker, error: Exception) -> Iterator[Outcome]:
        for helper in worker.helpers:  # were they on the same node?
            helper.waited = helper.handle.version.remote()
        self._dismiss(worker)
        if not worker.left:
            self._deaths[""] += not worker.up
            if self._deaths[""] >= _DEATHS:
                self._give_up_hiring(error)
            return
        job = worker.left[0]
        self._deaths[job.hash] += 1
        if self._deaths[job.hash] >= _DEATHS:
            worker.left.popleft()
            reason = f"its worker died {_DEATHS} times ({_last_line(error)}); is there enough memory?"
            yield Outcome(job.hash, 0.0, error=reason)
        if worker.left:
            self._waiting.appendleft(worker.left)

    def _give_up_hiring(self, error: Exception) -> None:
        """Those that are up do all of it; without any there is nobody."""
        if not any(worker.up for worker in self._workers):
            raise InputError(
                f"no worker can be started on the Ray cluster: {_last_line(error)}",
                hint="Is the same Tiltmeter installed on every node?",
            )
        self._size = len(self._workers)
        del self._deaths[""]

    def _watch(self) -> None:
        """Pass on how far each worker is; one question at a time is on its way."""
        if self._progress is None or time.monotonic() - self._watched < _PULSE:
            return
        self._watched = time.monotonic()
        for worker in self._workers:
            if not worker.left or worker.waited is None:
                continue
            if worker.asked is None:
                worker.asked = worker.handle.at.remote()
                continue
            ready, _ = self._ray.wait([worker.asked], timeout=0)
            if not ready:
                continue
            with contextlib.suppress(self._ray.exceptions.RayError):  # its outcome says so too
                at = self._ray.get(worker.asked)
                if at != worker.seen and at[1]:
                    self._progress.batch(worker.left[0], *at)
                    worker.seen = at
            worker.asked = None

    def _drop(self, worker: _Worker) -> None:
        """A helper that is of no help: none comes in its place."""
        self._dismiss(worker)
        self._size -= 1

    def _dismiss(self, *workers: _Worker) -> None:
        self._workers = [worker for worker in self._workers if worker not in workers]
        for worker in self._workers:
            worker.helpers = [helper for helper in worker.helpers if helper not in workers]
        if not self._ray.is_initialized():  # the cluster is lost; to ask for it might start another
            return
        unheard = (self._ray.exceptions.RayError, ConnectionError, ValueError)
        with contextlib.suppress(*unheard):
            said = [worker.handle.end.remote() for worker in workers if worker.up]
            if said:
                self._ray.wait(said, num_returns=len(said), timeout=_LAST_WORDS)
        for worker in workers:
            with contextlib.suppress(*unheard):
                self._ray.kill(worker.handle)


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:300]
