"""Executing a plan on Ray: on this machine, or on a cluster that stands already. Nothing else knows about Ray.

A worker is an actor. It is given the jobs of one model, one at a time and in their order, so that it loads the model
once, and gets the next job when the outcome of the last has been fetched: no more than one result a worker waits in the
cluster. When a worker dies, whatever took it down, the rest of its jobs go to another. Should the same job see several
workers die it has failed, and the others go on. Where more workers are asked for than there are models, each has
helpers, actors too, which compute their parts of a large job (`tiltmeter.models.parts`) before it does the job itself.

A cluster of Ray runs what anybody who reaches it sends. The one that is started here listens on loopback alone.
"""

from __future__ import annotations

import contextlib
import math
import os
import socket
import sys
import time
from collections import Counter, deque
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import tiltmeter
from tiltmeter.errors import InputError
from tiltmeter.runs.execute import Progress, by_model
from tiltmeter.runs.job import Job
from tiltmeter.runs.ray_actor import Actor
from tiltmeter.runs.work import Outcome, SharedWork, Work

_PULSE = 0.2  # seconds between two looks at how far the workers are
_LAST_WORDS = 5.0  # seconds for a worker to clean up
_DEATHS = 3  # of workers at the same job, or of workers that never began
_PATIENCE = 300.0  # seconds without a worker, after which the cluster is taken to have no room
_STORE_BYTES = 512 * 2**20  # outcomes on their way, on this machine
# Ray's own word for "one machine, on loopback": without it, it listens on every interface.
_ONE_MACHINE = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
_BUSY_MACHINE = {"RAY_agent_register_timeout_ms": "180000", "RAY_raylet_start_wait_time_s": "180"}
_LOOPBACK = "127.0.0.1"


class RayExecutor:
    """Jobs on Ray, a model at a time on each worker.

    `address`: of a cluster, "ray://host:10001"; None starts Ray on this machine, for the run alone.
    `workers`: at most; by default one for each model, as far as there is room for them. `cpus` and `gpus` are what one
    worker takes: a part of a GPU lets several share it. By default a worker takes a GPU where the cluster has any.
    """

    def __init__(
        self, address: str | None = None, *, workers: int | None = None, cpus: float = 1, gpus: float | None = None
    ) -> None:
        if address is not None and not address.startswith("ray://"):
            raise InputError("is no address of a Ray cluster.", where=address, hint="Write ray://HOST:10001.")
        if (workers is not None and workers < 1) or cpus <= 0 or (gpus is not None and gpus < 0):
            raise ValueError(f"{workers} workers with {cpus} processors and {gpus} GPUs do nothing")
        self.address, self.workers, self.cpus, self.gpus = address, workers, cpus, gpus

    def run(self, jobs: Sequence[Job], work: Work, progress: Progress | None = None) -> Iterator[Outcome]:
        groups = by_model(jobs)
        if not groups:
            return
        with self.connected() as ray:
            gpus = self._gpus(ray)
            room = self._room(ray, gpus)
            size = min(self.workers or room, len(groups))
            shared = isinstance(work, SharedWork) and any(map(work.can_be_shared, jobs))
            helpers = max(min(self.workers or 0, room) // size - 1, 0) if shared else 0  # of each
            crew = _Crew(ray, work, size, helpers, self._options(gpus), progress)
            with contextlib.closing(crew.outcomes(groups)) as outcomes:
                yield from outcomes

    @contextlib.contextmanager
    def connected(self) -> Iterator[Any]:
        """Ray, connected; what is connected already is used, and left as it is."""
        ray = _ray(here=self.address is None)
        if ray.is_initialized():
            yield ray
            return
        with contextlib.redirect_stdout(sys.stderr):  # it speaks up where results are printed
            if self.address is None:
                ray.init(**here(math.ceil((self.workers or os.cpu_count() or 1) * self.cpus)))
            else:
                self._connect(ray, self.address)
        try:
            if self.address is None and ray.util.get_node_ip_address() != _LOOPBACK:
                raise InputError(f"Ray would listen on {ray.util.get_node_ip_address()}.", hint=_RESTART)
            yield ray
        finally:
            ray.shutdown()

    def _connect(self, ray: Any, address: str) -> None:
        host, _, port = address.removeprefix("ray://").rpartition(":")
        try:
            with socket.create_connection((host.strip("[]"), int(port)), timeout=10):
                pass  # Ray itself would try for half a minute, and say less
            ray.init(address, log_to_driver=False)
        except (OSError, ValueError, OverflowError, RuntimeError) as error:
            raise InputError(
                f"no Ray cluster answers there ({error!s:.200}).",
                where=address,
                hint="Start it with `ray start --head`, with the same versions of Python and Ray as here; its token "
                "must be known here too (RAY_AUTH_TOKEN). The port is that for clients, 10001 unless told otherwise.",
            ) from None

    def _gpus(self, ray: Any) -> float:
        if self.gpus is not None:
            return self.gpus
        return 1.0 if any(_resource(node, "GPU") for node in ray.nodes()) else 0.0

    def _room(self, ray: Any, gpus: float) -> int:
        """How many workers fit onto the nodes that are there."""
        if room := sum(fitting(node, self.cpus, gpus) for node in ray.nodes()):
            return room
        raise InputError(
            f"no node of the Ray cluster has {self.cpus:g} processors and {gpus:g} GPUs for a worker.",
            hint="Ask for less with --gpus, or add a node.",
        )

    def _options(self, gpus: float) -> dict[str, Any]:
        options: dict[str, Any] = {"num_cpus": self.cpus, "num_gpus": gpus, "max_restarts": 0}
        if threads := os.environ.get("OMP_NUM_THREADS"):  # other threads add up in another order: other last digits
            options["runtime_env"] = {"env_vars": {"OMP_NUM_THREADS": threads}}
        return options


_RESTART = f"Set {_ONE_MACHINE}=0 before this program starts."


def here(cpus: int) -> dict[str, Any]:
    """What Ray is started with on this machine."""
    return {
        "address": "local",
        "num_cpus": cpus,
        "object_store_memory": _STORE_BYTES,
        "include_dashboard": False,
        "log_to_driver": False,
        "configure_logging": False,
    }


def _ray(*, here: bool) -> Any:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would report to its makers
    if here and os.environ.get(_ONE_MACHINE) != "0":
        loaded: Any = sys.modules.get("ray")
        if loaded is not None and not loaded.is_initialized():
            raise InputError("Ray was loaded in a way in which it listens beyond this machine.", hint=_RESTART)
        os.environ[_ONE_MACHINE] = "0"
        for name, patience in _BUSY_MACHINE.items():
            os.environ.setdefault(name, patience)
    try:
        import ray
    except ImportError as error:
        raise InputError(f"Ray is missing ({error}).", hint="Install it: pip install 'tiltmeter[ray]'") from None
    return ray


def _resource(node: Mapping[str, Any], name: str) -> float:
    return float(node["Resources"].get(name, 0)) if node["Alive"] else 0.0


def fitting(node: Mapping[str, Any], cpus: float, gpus: float) -> int:
    """How many workers fit onto a node. A part of a GPU is never made up of parts of two."""
    on_cpus = int(_resource(node, "CPU") / cpus + 1e-9)
    if not gpus:
        return on_cpus
    per_gpu = int(1 / gpus + 1e-9)
    return min(on_cpus, int(_resource(node, "GPU")) * per_gpu if per_gpu else int(_resource(node, "GPU") / gpus))


@dataclass(eq=False)
class _Worker:
    """An actor, and the jobs that it is at. `waited` is for its first sign of life, and then for an outcome."""

    handle: Any
    helpers: list[Any]
    waited: Any
    left: deque[Job] = field(default_factory=deque)
    up: bool = False
    asked: Any = None  # how far it is
    seen: tuple[int, int] = (0, 0)


class _Crew:
    """The workers of one run: `size` of them, with so many helpers each."""

    def __init__(
        self,
        ray: Any,
        work: Work,
        size: int,
        helpers: int,
        options: Mapping[str, Any],
        progress: Progress | None,
    ) -> None:
        # One thread works, and one says how far it is.
        self._actor = ray.remote(**options, max_concurrency=2)(Actor)
        self._ray, self._work, self._size, self._helpers, self._progress = ray, ray.put(work), size, helpers, progress
        self._workers: list[_Worker] = []
        self._deaths: Counter[str] = Counter()  # by the hash of the job; "" for workers that never came up
        self._alone_since = self._watched = time.monotonic()

    def outcomes(self, groups: Sequence[Sequence[Job]]) -> Generator[Outcome, None, None]:
        waiting = deque(deque(group) for group in groups)
        try:
            while waiting or any(worker.left for worker in self._workers):
                self._hire(waiting)
                for worker in self._finished():
                    yield from self._next(worker, waiting)
                self._watch()
        finally:
            for worker in list(self._workers):
                self._dismiss(worker)

    def _hire(self, waiting: deque[deque[Job]]) -> None:
        """Workers for all that there is to do. One that the cluster has no room for is waited for: others may end."""
        busy = sum(bool(worker.left) for worker in self._workers)
        while len(self._workers) < min(self._size, busy + len(waiting)):
            helpers = [self._actor.remote(self._work) for _ in range(self._helpers)]
            handle = self._actor.remote(self._work, helpers)
            self._workers.append(_Worker(handle, helpers, handle.version.remote()))
        if any(worker.up for worker in self._workers):
            self._alone_since = time.monotonic()
        elif time.monotonic() - self._alone_since > _PATIENCE:
            raise InputError(
                f"the Ray cluster has had no room for a worker for {_PATIENCE / 60:.0f} minutes.",
                hint="Add a node, or wait for other work to end; then run again: finished jobs are kept.",
            )

    def _finished(self) -> list[_Worker]:
        by_ref = {worker.waited: worker for worker in self._workers}
        ready, _ = self._ray.wait(list(by_ref), num_returns=1, timeout=_PULSE)
        return [by_ref[ref] for ref in ready]

    def _next(self, worker: _Worker, waiting: deque[deque[Job]]) -> Iterator[Outcome]:
        """What has come of a worker, which is then given its next job."""
        exceptions = self._ray.exceptions
        outcome: Outcome | None = None
        try:
            came = self._ray.get(worker.waited)
        except exceptions.RayTaskError as error:
            if not worker.left:
                raise
            outcome = Outcome(worker.left[0].hash, 0.0, error=f"{type(error).__name__}: {_last_line(error)}")
        except (exceptions.RayError, ConnectionError) as error:
            yield from self._bury(worker, waiting, error)
            return
        else:
            if worker.up:
                outcome = came
            elif came != tiltmeter.__version__:
                raise InputError(
                    f"the Ray cluster has Tiltmeter {came}, and this is {tiltmeter.__version__}.",
                    hint="Install the same on every node.",
                )
        worker.up = True
        if outcome is not None:
            worker.left.popleft()
        if not worker.left and waiting:
            worker.left = waiting.popleft()
        if worker.left:
            self._give(worker, worker.left[0])
        else:
            self._dismiss(worker)
        if outcome is not None:
            yield outcome

    def _give(self, worker: _Worker, job: Job) -> None:
        worker.waited = worker.handle.do.remote(job)
        worker.asked, worker.seen = None, (0, 0)
        if self._progress is not None:
            self._progress.started(job)

    def _bury(self, worker: _Worker, waiting: deque[deque[Job]], error: Exception) -> Iterator[Outcome]:
        self._dismiss(worker)
        job = worker.left[0] if worker.left else None
        key = "" if job is None else job.hash
        self._deaths[key] += 1
        if self._deaths[key] >= _DEATHS:
            if job is None:
                raise InputError(
                    f"no worker can be started on the Ray cluster: {_last_line(error)}",
                    hint="Is the same Tiltmeter installed on every node?",
                )
            worker.left.popleft()
            reason = f"its worker died {_DEATHS} times ({_last_line(error)}); is there enough memory?"
            yield Outcome(job.hash, 0.0, error=reason)
        if worker.left:
            waiting.appendleft(worker.left)

    def _watch(self) -> None:
        """Pass on how far each worker is; one question at a time is on its way."""
        if self._progress is None or time.monotonic() - self._watched < _PULSE:
            return
        self._watched = time.monotonic()
        for worker in self._workers:
            if not worker.left or not worker.up:
                continue
            if worker.asked is None:
                worker.asked = worker.handle.at.remote()
                continue
            ready, _ = self._ray.wait([worker.asked], timeout=0)
            if not ready:
                continue
            with contextlib.suppress(self._ray.exceptions.RayError, ConnectionError):  # its outcome says so too
                at = self._ray.get(worker.asked)
                if at != worker.seen and at[1]:
                    self._progress.batch(worker.left[0], *at)
                    worker.seen = at
            worker.asked = None

    def _dismiss(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        actors = [worker.handle, *worker.helpers]
        with contextlib.suppress(self._ray.exceptions.RayError, ConnectionError, ValueError):
            if worker.up and not worker.left:
                said = [actor.end.remote() for actor in actors]
                self._ray.wait(said, num_returns=len(said), timeout=_LAST_WORDS)
        for actor in actors:
            with contextlib.suppress(self._ray.exceptions.RayError, ConnectionError, ValueError):
                self._ray.kill(actor)


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:300]
