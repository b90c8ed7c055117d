"""Who may ask, and from where.

A page of another site must not be able to read this server, nor one whose name was made to point here (DNS rebinding):
so the Host must be one of ours, an Origin must be our own, and beyond this machine a token is demanded. Requests are
small, have no body, and change nothing. What the page may load is told to the browser with every response.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import socket
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tiltmeter.explorer.problems import RefusalError, described

API = "/api/"
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?", re.IGNORECASE | re.ASCII)
_LONGEST = 8192  # bytes of path and query together
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def is_loopback(host: str) -> bool:
    """Whether an address reaches this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


@dataclass(frozen=True)
class Hosts:
    """The names by which this server may be called. A `port` of 0 says that any will do."""

    names: frozenset[str]
    port: int
    any_address: bool = False  # whether it may be called by any address in numbers

    @classmethod
    def of(cls, host: str, port: int, more: tuple[str, ...] = ()) -> Hosts:
        """Those of a server that listens on `host`."""
        names = {host.strip("[]").lower(), *(one.strip("[]").lower() for one in more)}
        if is_loopback(host):
            return cls(frozenset(names | {"localhost", "127.0.0.1", "::1"}), port)
        own = socket.gethostname().lower()
        return cls(frozenset(names | {own, f"{own}.local", "localhost"}), port, any_address=True)

    def allow(self, header: str) -> bool:
        """Whether a Host header names this server."""
        match = _HOST.fullmatch(header)
        if match is None:
            return False
        name = match["name"].strip("[]").lower()
        port = int(match["port"] or 80)
        if self.port and port != self.port:
            return False
        return name in self.names or (self.any_address and _is_address(name))


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Guard:
    """Looks at every request before anything else does, and at every response last."""

    def __init__(self, app: ASGIApp, *, hosts: Hosts, token: str | None = None) -> None:
        self._app, self._hosts, self._token = app, hosts, token
        self._cookie = f"tiltmeter_{hosts.port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # no websockets here: the server closes it

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
            await send(message)

        refusal = self._refusal(scope)
        await (refusal or self._app)(scope, receive, sealed)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > _LONGEST:
            return _refused(414, "too_large", "The address is too long.", "Remove some words.")
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._hosts.allow(hosts[0]):
            return _refused(403, "forbidden", "This server is not called by that name.", "Use the address it printed.")
        methods = ("GET",) if scope["path"].startswith(API) else ("GET", "HEAD")
        if scope["method"] not in methods:
            refused = _refused(405, "invalid", "Nothing here can be changed: only GET is answered.", None)
            refused.headers["Allow"] = ", ".join(methods)
            return refused
        if headers.get("content-length", "0") != "0" or "transfer-encoding" in headers:
            return _refused(413, "too_large", "A request has no body here.", "Put everything into the address.")
        if self._is_foreign(scope, headers, hosts[0]):
            return _refused(403, "forbidden", "Pages of other sites may not ask here.", "Open the explorer itself.")
        return self._without_token(scope, headers)

    @staticmethod
    def _is_foreign(scope: Scope, headers: Headers, host: str) -> bool:
        origin = headers.get("origin")
        if origin is not None and origin.lower() != f"{scope['scheme']}://{host}".lower():
            return True
        # A link from elsewhere may open the page, but nothing may load data for another site.
        return scope["path"].startswith(API) and headers.get("sec-fetch-site") in ("cross-site", "same-site")

    def _without_token(self, scope: Scope, headers: Headers) -> Response | None:
        if self._token is None:
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == "token"]
        if given and not scope["path"].startswith(API):
            if not self._is_token(given[-1]):
                return _unauthorised(scope)
            rest = urlencode([(name, value) for name, value in query if name != "token"])
            # The path of our own page, and no other: a path that begins with // would lead elsewhere.
            response = RedirectResponse(f"/?{rest}" if rest else "/", status_code=303)
            response.set_cookie(self._cookie, self._token, httponly=True, samesite="strict", max_age=30 * 86_400)
            response.headers["Cache-Control"] = "no-store"
            return response
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer" and self._is_token(bearer.strip()):
            return None
        return None if self._is_token(_cookie(headers, self._cookie)) else _unauthorised(scope)

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode("utf-8", "replace"), (self._token or "").encode())


def _cookie(headers: Headers, name: str) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return found.value if found else ""


def _unauthorised(scope: Scope) -> Response:
    if scope["path"].startswith(API):
        return _refused(401, "unauthorised", "This server asks for its token.", "Open the address it printed, once.")
    return HTMLResponse(
        "<!doctype html><meta charset=utf-8><title>Tiltmeter</title><h1>This explorer asks for its token</h1>"
        "<p>Open the whole address that <code>tiltmeter explore</code> printed, with its token, once.",
        status_code=401,
        headers={"Cache-Control": "no-store", "WWW-Authenticate": "Bearer"},
    )


def _refused(status: int, code: str, message: str, hint: str | None) -> Response:
    headers = {"Cache-Control": "no-store"} | ({"WWW-Authenticate": "Bearer"} if status == 401 else {})
    return JSONResponse(
        described(RefusalError(status, code, message, hint=hint))[1], status_code=status, headers=headers
    )
