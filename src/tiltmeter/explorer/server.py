"""Starting the server: where it listens, what it demands, and what it prints."""

from __future__ import annotations

import secrets
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fastapi import FastAPI

from tiltmeter.errors import InputError
from tiltmeter.explorer.app import create_app
from tiltmeter.explorer.security import Hosts, is_loopback
from tiltmeter.explorer.source import Source

_SHORTEST_TOKEN = 16


@dataclass(frozen=True)
class Settings:
    """Where to listen. A port of 0 takes a free one; `token` is made up if one is needed and none is given."""

    host: str = "127.0.0.1"
    port: int = 0
    token: str | None = None
    called: tuple[str, ...] = ()  # further names by which it may be called


def serve(sources: Sequence[Source], settings: Settings, ready: Callable[[str], None]) -> None:
    """Serve until interrupted. `ready` is called with the address once connections are taken."""
    listen(lambda hosts, token: create_app(sources, hosts=hosts, token=token, warm=True), settings, ready)


def listen(make: Callable[[Hosts, str | None], FastAPI], settings: Settings, ready: Callable[[str], None]) -> None:
    """Serve what `make` gives for the names and the token of this server."""
    import uvicorn

    token = _token(settings)
    listening = _listen(settings)
    port = int(listening.getsockname()[1])
    app = make(Hosts.of(settings.host, port, settings.called), token)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        http="h11",  # whose limits are set below
        ws="none",
        limit_concurrency=512,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=2,
        h11_max_incomplete_event_size=16_384,
    )
    with listening:
        ready(address(settings.host, port, token))
        uvicorn.Server(config).run(sockets=[listening])


def address(host: str, port: int, token: str | None) -> str:
    """What to open in a browser."""
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    elif ":" in host:
        host = f"[{host.strip('[]')}]"
    return f"http://{host}:{port}/" + (f"?token={token}" if token else "")


def _token(settings: Settings) -> str | None:
    if settings.token is not None:
        if len(settings.token) < _SHORTEST_TOKEN or not settings.token.isascii() or not settings.token.isalnum():
            raise InputError(
                f"the token must be {_SHORTEST_TOKEN} letters and digits or more.",
                hint="Leave --token out, and a good one is made up where it is needed.",
            )
        return settings.token
    return None if is_loopback(settings.host) else secrets.token_hex(16)


def _listen(settings: Settings) -> socket.socket:
    host = settings.host.strip("[]")
    try:
        if not 0 <= settings.port <= 65_535:  # the system would take its last 16 bits
            raise OverflowError("there is no such port")
        family, kind, protocol, _, where = socket.getaddrinfo(
            host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(where)
        listening.listen(256)  # who comes before the server runs is not turned away
    except (OSError, OverflowError) as error:
        raise InputError(
            f"cannot listen on {settings.host}, port {settings.port} ({error}).",
            hint="Choose another with --host and --port, or leave --port out.",
        ) from None
    return listening
