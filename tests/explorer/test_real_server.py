"""The real server over real connections: progress, and computations that stop when nobody waits."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tiltmeter.explorer.app import create_app
from tiltmeter.explorer.computations import Computations
from tiltmeter.explorer.live import LiveModel
from tiltmeter.explorer.security import Hosts
from tiltmeter.models.masked import MaskedModel

from .ask import API, SMALL, decoded

PATIENCE = 30.0
LARGE = {"targets": "occupation", "features": "trait"}  # 99 × 618, some thousands of sentences


@dataclass(frozen=True)
class Running:
    address: str
    computations: Computations
    model: MaskedModel


@pytest.fixture
def running(model_folders: list[Path]) -> Iterator[Running]:
    """A server in a thread, on a model that has read nothing yet."""
    import uvicorn

    model = MaskedModel.open(model_folders[0], several_tokens=False, tokens_per_batch=256)
    app = create_app([LiveModel("small", model)], hosts=Hosts.of("127.0.0.1", 0), page={})
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", ws="none", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        deadline = time.monotonic() + PATIENCE
        while not server.started and time.monotonic() < deadline:
            time.sleep(0.02)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield Running(f"http://127.0.0.1:{port}{API}", app.state.computations, model)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)


def events(response: httpx.Response) -> Iterator[tuple[str, dict[str, object]]]:
    name = ""
    for line in response.iter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def until(holds: Callable[[], bool]) -> bool:
    """Whether something comes true in time."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(0.01)
    return False


def test_progress_is_told_and_the_result_is_kept(running: Running) -> None:
    with httpx.stream("GET", f"{running.address}/progress/table", params=SMALL, timeout=PATIENCE) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        told = list(events(response))
    assert told[-1][0] == "done"
    reading = [one for name, one in told if name == "progress" and one["phase"] == "reading sentences"]
    assert reading
    texts = running.model.texts_computed
    table = decoded(httpx.get(f"{running.address}/table", params=SMALL).content)
    assert table.header["rows"][0] == "water"
    assert running.model.texts_computed == texts


@pytest.mark.parametrize("way", ["progress/table", "table"])
def test_what_nobody_waits_for_stops(running: Running, way: str) -> None:
    address = httpx.URL(f"{running.address}/{way}", params=LARGE)
    with socket.create_connection((address.host, address.port or 80), PATIENCE) as client:
        client.sendall(b"GET %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (address.raw_path, address.netloc))
        assert until(lambda: not running.computations.idle)  # it leaves as soon as it is computed
    assert until(lambda: running.computations.idle)
    with httpx.stream("GET", f"{running.address}/progress/table", params=LARGE, timeout=PATIENCE) as response:
        first = next(events(response))
    assert first[0] == "progress"  # it had not been finished: it begins again, and stops again
    assert until(lambda: running.computations.idle)


def test_others_are_served_while_one_computes(running: Running) -> None:
    httpx.get(f"{running.address}/table", params=SMALL, timeout=PATIENCE)
    with httpx.stream("GET", f"{running.address}/progress/table", params=LARGE, timeout=PATIENCE) as response:
        told = events(response)
        next(told)
        begun = time.monotonic()
        found = httpx.get(f"{running.address}/words", params={**SMALL, "add_feature": "nurse"}, timeout=PATIENCE)
        seconds = time.monotonic() - begun
        assert found.status_code == 200
        assert found.json()["features"][0]["lost"] is None
        assert next(told)[0] in ("progress", "done")
    assert seconds < PATIENCE / 3
    assert until(lambda: running.computations.idle)


def test_an_error_is_told_as_an_event(running: Running) -> None:
    with httpx.stream("GET", f"{running.address}/progress/table", params={"targets": "nothing"}) as response:
        told = list(events(response))
    assert told[-1][0] == "failed"
    error = told[-1][1]["error"]
    assert isinstance(error, dict)
    assert error["code"] == "unknown_set"
