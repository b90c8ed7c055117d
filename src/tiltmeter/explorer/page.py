"""The built page: its files are read once, when the server starts, and found by name in memory alone."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable

from tiltmeter.errors import InputError
from tiltmeter.explorer.wire import Body

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
}
_MOST = 64 * 2**20  # bytes in all
_UNBUILT = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>Tiltmeter</title>"
    "<h1>The page has not been built</h1>"
    "<p>This is a checkout without the built page. Build it (see CONTRIBUTING.md) and start again. "
    "The data is there: <a href=/api/v1/catalogue>/api/v1/catalogue</a>."
)


def files(folder: Traversable | None = None) -> dict[str, Body]:
    """The files of the page by their path in an address: "/" and "/assets/…"."""
    folder = folder if folder is not None else resources.files("tiltmeter.explorer") / "static"
    found: dict[str, Body] = {}
    if folder.is_dir():
        size = 0
        for path, file in _walk(folder, ""):
            kind = _TYPES.get(f".{path.rsplit('.', 1)[-1].lower()}")
            if kind is None:
                continue
            found[path] = Body(file.read_bytes(), kind)
            size += len(found[path].content)
            if size > _MOST:
                raise InputError(f"the built page has more than {_MOST / 2**20:.0f} MB.", hint="Build it again.")
    index = found.pop("/index.html", Body(_UNBUILT.encode(), _TYPES[".html"]))
    return {**found, "/": index, "/index.html": index}


def cache_of(path: str) -> str:
    """Built assets have their hash in their name, and never change."""
    return "public, max-age=31536000, immutable" if path.startswith("/assets/") else "no-cache"


def _walk(folder: Traversable, above: str) -> Iterator[tuple[str, Traversable]]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        path = f"{above}/{entry.name}"
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            yield from _walk(entry, path)
        elif entry.is_file():
            yield path, entry
