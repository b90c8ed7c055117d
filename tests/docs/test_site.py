"""The site: built with warnings as errors, and nothing on it comes from elsewhere or leads nowhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

from .blocks import ROOT

pytestmark = pytest.mark.slow


class _Page(HTMLParser):
    """What a page loads, where it leads, and the places in it that one can lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.leads: list[str] = []
        self.places: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get("id"):
            self.places.add(str(given["id"]))
        if given.get("src"):
            self.loads.append(str(given["src"]))
        if tag == "link" and given.get("href") and given.get("rel") != "canonical":
            self.loads.append(str(given["href"]))
        if tag == "a" and given.get("href"):
            self.leads.append(str(given["href"]))


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Nothing to say."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, _Page]:
    if find_spec("mkdocs") is None:
        pytest.skip("the site needs the group 'docs'")
    folder = tmp_path_factory.mktemp("site")
    # Nothing can be reached: what needs the network fails.
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=ROOT,
        env=os.environ | nowhere | {"NO_MKDOCS_2_WARNING": "1"},
    )
    assert done.returncode == 0, done.stderr
    found = {}
    for path in folder.rglob("*.html"):
        found[path] = _Page()
        found[path].feed(path.read_text(encoding="utf-8"))
    return found


def test_nothing_is_loaded_from_elsewhere(site: dict[Path, _Page]) -> None:
    for path, page in site.items():
        assert not [one for one in page.loads if urlsplit(one).netloc], path.name
    folder = next(iter(site)).parent
    styles = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.css"))
    assert not re.findall(r"@import|url\(\s*[\"']?(?:https?:)?//", styles)


def test_every_link_leads_somewhere(site: dict[Path, _Page]) -> None:
    for path, page in site.items():
        if path.name == "404.html":
            continue
        for link in (*page.leads, *page.loads):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = path if not parts.path else (path.parent / unquote(parts.path)).resolve()
            target = target / "index.html" if target.is_dir() else target
            assert target.is_file(), f"{path}: {link}"
            if parts.fragment and target in site and not parts.fragment.startswith("__"):
                assert unquote(parts.fragment) in site[target].places, f"{path}: {link}"


def test_commands_are_copied_without_their_prompt(site: dict[Path, _Page], chromium: Any) -> None:
    """What the button on a block puts into the clipboard can be pasted into a shell."""
    folder = min(site, key=lambda path: len(path.parts)).parent
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    context = chromium.new_context()
    try:
        context.grant_permissions(["clipboard-read", "clipboard-write"])
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/start/")
        page.locator(".highlight", has_text="list metrics").locator("[data-clipboard-target]").click()
        page.wait_for_function("navigator.clipboard.readText()")
        copied = page.evaluate("navigator.clipboard.readText()")
    finally:
        context.close()
        server.shutdown()
        server.server_close()
    assert copied == "tiltmeter list tests\ntiltmeter list sets\ntiltmeter list metrics"


def test_every_page_of_the_menu_is_there(site: dict[Path, _Page]) -> None:
    names = {path.parent.name for path in site}
    assert {"start", "intervals", "limits", "lexicon", "replications", "weat", "indirect", "crows"} <= names
