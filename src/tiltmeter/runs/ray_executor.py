"""Executing a plan on Ray: on this machine, or on a cluster that stands already. Nothing else knows about Ray.

A worker is an actor. It is given the jobs of one model, one at a time and in their order, so that it loads the model
once, and gets the next job when the outcome of the last has been fetched: no more than one result a worker waits in the
cluster. When a worker dies, whatever took it down, the rest of its jobs go to another. Should the same job see several
workers die it has failed, and the others go on. Where more workers are asked for than there are models, those that are
left over help: they compute their parts of a large job (`tiltmeter.models.parts`) while another does the job itself.

A cluster of Ray runs what anybody who reaches it sends. The one that is started here listens on loopback alone.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import socket
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tiltmeter.errors import InputError
from tiltmeter.runs.execute import Progress, by_model
from tiltmeter.runs.job import Job
from tiltmeter.runs.ray_crew import Crew
from tiltmeter.runs.work import Outcome, Work

_STORE_BYTES = 512 * 2**20  # outcomes on their way, on this machine
_SAFE = {
    # Ray's own word for "one machine, on loopback": without it, it listens on every interface.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    # Asked for anything when it is not connected, as when a cluster has been lost, Ray would start one by itself.
    "RAY_ENABLE_AUTO_CONNECT": "0",
}
_BUSY_MACHINE = {"RAY_agent_register_timeout_ms": "180000", "RAY_raylet_start_wait_time_s": "180"}
_LOOPBACK = "127.0.0.1"
_TRIES = 3
_RESTART = f"Set {' and '.join(f'{name}={value}' for name, value in _SAFE.items())} before this program starts."


class RayExecutor:
    """Jobs on Ray, a model at a time on each worker.

    `address`: of a cluster, "ray://host:10001"; None starts Ray on this machine, for the run alone.
    `workers`: at most; by default one for each model, as far as there is room for them. `cpus` and `gpus` are what one
    worker takes: a part of a GPU lets several share it. By default a worker takes a GPU where the cluster has any.
    """

    def __init__(
        self, address: str | None = None, *, workers: int | None = None, cpus: float = 1, gpus: float | None = None
    ) -> None:
        if address is not None and not re.fullmatch(r"ray://[^/]+:\d+", address):
            raise InputError("is no address of a Ray cluster.", where=address, hint="Write ray://HOST:10001.")
        if (workers is not None and workers < 1) or cpus <= 0 or (gpus is not None and gpus < 0):
            raise ValueError(f"{workers} workers with {cpus} processors and {gpus} GPUs do nothing")
        if gpus is not None and gpus > 1 and not float(gpus).is_integer():
            raise InputError(
                f"a worker on Ray cannot have {gpus:g} GPUs.", hint="Give it a part of one, such as 0.5, or whole ones."
            )
        self.address, self.workers, self.cpus, self.gpus = address, workers, cpus, gpus

    def run(self, jobs: Sequence[Job], work: Work, progress: Progress | None = None) -> Iterator[Outcome]:
        groups = by_model(jobs)
        if not groups:
            return
        with self.connected() as ray:
            gpus = self._gpus(ray)
            room = self._room(ray, gpus)
            size = min(self.workers or len(groups), room)

            def free() -> int:
                left = ray.available_resources()
                on_gpus = [left.get("GPU", 0) / gpus] if gpus else []
                return int(min([left.get("CPU", 0) / self.cpus, *on_gpus]) + 1e-9)

            crew = Crew(ray, work, size, self._options(gpus), progress, free)
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
            _init(ray, address)
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
    loaded: Any = sys.modules.get("ray")
    if loaded is None:
        os.environ.update(_SAFE)
    elif not loaded.is_initialized() and any(os.environ.get(name) != value for name, value in _SAFE.items()):
        raise InputError("Ray was loaded in a way in which it may listen beyond this machine.", hint=_RESTART)
    for name, patience in _BUSY_MACHINE.items() if here else ():
        os.environ.setdefault(name, patience)
    try:
        import ray
    except ImportError as error:
        raise InputError(f"Ray is missing ({error}).", hint="Install it: pip install 'tiltmeter[ray]'") from None
    return ray


def _init(ray: Any, address: str) -> None:
    """Connect, and again where the cluster turns us away: the process that it starts for each client now and then ends
    at once, likely for being forked off from busy threads."""
    for left in reversed(range(_TRIES)):
        try:
            ray.init(address, log_to_driver=False)
            return
        except ConnectionAbortedError:
            if not left:
                raise
            time.sleep(1)


def _resource(node: Mapping[str, Any], name: str) -> float:
    return float(node["Resources"].get(name, 0)) if node["Alive"] else 0.0


def fitting(node: Mapping[str, Any], cpus: float, gpus: float) -> int:
    """How many workers fit onto a node. A part of a GPU is never made up of parts of two."""
    on_cpus = int(_resource(node, "CPU") / cpus + 1e-9)
    if not gpus:
        return on_cpus
    per_gpu = int(1 / gpus + 1e-9)
    return min(on_cpus, int(_resource(node, "GPU")) * per_gpu if per_gpu else int(_resource(node, "GPU") / gpus))
