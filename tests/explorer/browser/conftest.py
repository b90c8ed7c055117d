"""A real Chromium on the real server. Where there is no browser, these tests are skipped and say so."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import pytest

pytest.importorskip("playwright.sync_api", reason="the page is tested with Playwright (group 'test')")

from playwright.sync_api import Browser, Page, ViewportSize

from ..served import served
from .explorer import Explorer

WIDE: ViewportSize = {"width": 1440, "height": 900}


@pytest.fixture(scope="session")
def built(chromium: Browser) -> Browser:
    """The browser, where there is a page to look at."""
    if not (resources.files("tiltmeter.explorer") / "static" / "index.html").is_file():
        pytest.skip("the page has not been built: run 'python hatch_build.py'")
    return chromium


@pytest.fixture
def page(built: Browser) -> Iterator[Page]:
    """A page as a returning visitor sees it: no tour. It may not write any error to the console."""
    yield from visit(built, seen=True)


@pytest.fixture
def first_visit(built: Browser) -> Iterator[Page]:
    yield from visit(built, seen=False)


def visit(browser: Browser, *, seen: bool) -> Iterator[Page]:
    context = browser.new_context(viewport=WIDE, color_scheme="light", accept_downloads=True)
    context.set_default_timeout(60_000)  # a machine that does other work as well
    if seen:
        context.add_init_script("try { localStorage.setItem('tiltmeter-tour', 'seen') } catch {}")
    page = context.new_page()
    errors: list[str] = []
    page.on("console", lambda m: errors.append(m.text) if m.type in ("error", "warning") else None)
    page.on("pageerror", lambda e: errors.append(str(e)))
    yield page
    expected = getattr(page, "expected_errors", ())
    context.close()
    assert [e for e in errors if not any(part in e for part in expected)] == []


@pytest.fixture(scope="session")
def demo_address(model_folders: list[Path]) -> Iterator[str]:
    """The address of a real server on the model in the box, and a tiny one to compare it with."""
    from tiltmeter.models.named import demos

    if not any(one.name == "demo:en" and one.kind == "masked" for one in demos()):
        pytest.skip("the model in the box is not there")
    with served(model_folders[0].parent, first="demo:en") as address:
        yield address


@pytest.fixture
def explorer(page: Page, explorer_address: str) -> Explorer:
    return Explorer(page, explorer_address)
