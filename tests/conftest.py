"""What every test may ask for."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(os.environ.get("TILTMETER_SHARED", Path(__file__).parents[2] / "shared"))

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)

REQUIRED = bool(os.environ.get("TILTMETER_REQUIRE_ALL"))


def _not_skipped(report: Any) -> None:
    """Where all that the tests use must be at hand, one that is skipped has failed."""
    if REQUIRED and report.skipped and not hasattr(report, "wasxfail"):
        why = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome, report.longrepr = "failed", f"TILTMETER_REQUIRE_ALL is set, and this was to be skipped. {why}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    report = yield
    _not_skipped(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    report = yield
    _not_skipped(report)
    return report


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data beside the checkout; not part of the project."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"needs the reference data in {SHARED} (set TILTMETER_SHARED to where it is)")
    return SHARED


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Chromium, as Debian has it; TILTMETER_BROWSER names another. One for all tests of a process: beside a first
    Playwright that waits, no second one starts."""
    if importlib.util.find_spec("playwright") is None:
        pytest.skip("pages are tested with the package playwright (group 'test')")
    from playwright.sync_api import sync_playwright

    path = os.environ.get("TILTMETER_BROWSER") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("needs a browser (Debian: chromium), or TILTMETER_BROWSER=/path/to/one")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()
