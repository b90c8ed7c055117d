"""Ray for tests: on this machine as `tiltmeter run --on ray` starts it, and a cluster of two nodes on loopback.

Everything that is started is ended, by its process group.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

from .commands import PATIENCE

# Ray takes 127.0.0.1 for a mistake and puts the machine's address in its place; it is meant here.
_NODE = """
import sys
from ray._private import ray_constants, services
services.get_node_ip_address = lambda address=None: "127.0.0.1"
ray_constants.ENABLE_RAY_CLUSTER = True
from ray.scripts.scripts import main
sys.argv = ["ray", *sys.argv[1:]]
main()
"""


def need_ray() -> None:
    """Skip a test for want of Ray."""
    if find_spec("ray") is None:
        pytest.skip("needs Ray: pip install 'tiltmeter[ray]'")


@dataclass
class Cluster:
    """A head and a worker, each in processes of its own."""

    address: str
    environment: dict[str, str]
    head: subprocess.Popen[bytes]
    worker: subprocess.Popen[bytes]


# The first process that the head starts for a client ends at once.
_LOSES_THE_FIRST = """
import os, sys
if any("--mode=specific-server" in word for word in sys.orig_argv):
    try:
        os.close(os.open(os.path.join(os.path.dirname(__file__), "lost"), os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        pass
    else:
        os._exit(1)
"""


@contextlib.contextmanager
def two_nodes(*, loses_the_first_client: bool = False) -> Iterator[Cluster]:
    """Two nodes of one processor each."""
    with tempfile.TemporaryDirectory(prefix="ray-") as name:  # a short one: the path of a socket has 107 letters
        folder = Path(name)
        site = folder / "site"
        site.mkdir()
        if loses_the_first_client:
            (site / "sitecustomize.py").write_text(_LOSES_THE_FIRST)
        yield from _two_nodes(folder, {"PYTHONPATH": str(site)} if loses_the_first_client else {})
        assert (site / "lost").exists() == loses_the_first_client


def _two_nodes(folder: Path, more: Mapping[str, str]) -> Iterator[Cluster]:
    gcs, clients, *agents = _free_ports(8)
    environment = {
        **os.environ,
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # listens on loopback alone
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN": secrets.token_hex(32),
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_agent_register_timeout_ms": "180000",
        "RAY_raylet_start_wait_time_s": "180",
        "RAY_health_check_period_ms": "1000",
        "RAY_health_check_failure_threshold": "8",
        "OMP_NUM_THREADS": "1",
        **more,
    }
    common = ["--node-ip-address=127.0.0.1", "--num-cpus=1", "--object-store-memory=100000000", "--block"]
    names = ("dashboard-agent-grpc-port", "dashboard-agent-listen-port", "runtime-env-agent-port")
    ports = [f"--{name}={port}" for name, port in zip((*names, *names), agents, strict=True)]
    started: list[subprocess.Popen[bytes]] = []

    def start(log: str, *options: str) -> subprocess.Popen[bytes]:
        with (folder / log).open("wb") as said:
            process = subprocess.Popen(
                [sys.executable, "-c", _NODE, "start", *common, *options],
                stdout=said,
                stderr=said,
                env=environment,
                start_new_session=True,
            )
        started.append(process)
        _wait(folder / log, process)
        return process

    try:
        head = start(
            "head.log",
            *("--head", f"--port={gcs}", f"--ray-client-server-port={clients}", "--include-dashboard=false"),
            *(f"--temp-dir={folder}", *ports[:3]),
        )
        worker = start("worker.log", f"--address=127.0.0.1:{gcs}", *ports[3:])
        _wait_for_clients(clients, head)
        yield Cluster(f"ray://127.0.0.1:{clients}", environment, head, worker)
    finally:
        for process in reversed(started):
            kill(process)


def kill(process: subprocess.Popen[bytes]) -> None:
    """End a node with all its processes; those that do the work are in groups of their own."""
    own = _descendants(process.pid)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    for pid in own:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()


def _descendants(pid: int) -> list[int]:
    parents: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                stat = (entry / "stat").read_text()
                parents.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry.name))
    found, new = [], [pid]
    while new:
        new = [child for one in new for child in parents.get(one, [])]
        found += new
    return found


def listening() -> dict[int, list[str]]:
    """The addresses at which processes started by this one listen, by process: hexadecimal, as the kernel says."""
    sockets: dict[str, str] = {}
    for table in ("tcp", "tcp6"):
        for line in Path("/proc/net", table).read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A":
                sockets[words[9]] = words[1].partition(":")[0]
    found: dict[int, list[str]] = {}
    for pid in (os.getpid(), *_descendants(os.getpid())):
        with contextlib.suppress(OSError):
            for handle in Path("/proc", str(pid), "fd").iterdir():
                with contextlib.suppress(OSError):
                    target = str(handle.readlink())
                    if target.startswith("socket:[") and target[8:-1] in sockets:
                        found.setdefault(pid, []).append(sockets[target[8:-1]])
    return found


def _free_ports(number: int) -> list[int]:
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(number)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [int(one.getsockname()[1]) for one in sockets]


def _wait_for_clients(port: int, head: subprocess.Popen[bytes]) -> None:
    """The head says that it has started before it answers at the port for clients, on a busy machine long before."""
    limit = time.monotonic() + PATIENCE
    while True:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=10):
            return
        if head.poll() is not None or time.monotonic() > limit:
            pytest.fail("the head of Ray answers no clients")
        time.sleep(0.1)


def _wait(log: Path, process: subprocess.Popen[bytes]) -> None:
    limit = time.monotonic() + PATIENCE
    while "Ray runtime started" not in log.read_text(errors="replace"):
        if process.poll() is not None or time.monotonic() > limit:
            pytest.fail(f"a node of Ray did not start: {log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.1)
