"""The report in a real browser: no error, no request, sorting by keyboard, and nothing that axe objects to."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tiltmeter.debias.before_after import BeforeAfter
from tiltmeter.report.compare import compare
from tiltmeter.report.compare_page import comparison_page
from tiltmeter.report.debias_page import write_debiasing
from tiltmeter.report.html import report

from .samples import everything, hostile, manifest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def axe() -> str:
    """The source of axe-core, which the package axe-playwright-python carries."""
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        pytest.skip("needs the package axe-playwright-python")
    return (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")


class Visit:
    """A page, with what it asked for and what it complained about."""

    def __init__(self, chromium: Any, file: Path, width: int, scheme: str) -> None:
        self.context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", self._dialog)
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(file.as_uri())

    def _dialog(self, dialog: Any) -> None:
        self.said.append("a dialog opened")
        dialog.dismiss()

    def __enter__(self) -> Visit:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()


def pages(folder: Path) -> dict[str, Path]:
    texts = {
        "report": report(everything(), manifest()),
        "hostile": report(hostile(), manifest(title="<script>alert(1)</script>")),
        "compare": comparison_page(compare(everything(), everything()), ("before", "after")),
    }
    written: dict[str, Path] = {}
    for name, text in texts.items():
        written[name] = folder / f"{name}.html"
        written[name].write_text(text, encoding="utf-8")
    rows = [replace(row, model="before") for row in everything() if row.metric in ("weat", "lpbs")]
    after = [replace(row, model="after") for row in rows]
    written["debias"] = write_debiasing(folder / "debias", BeforeAfter("gender: hard", tuple(rows), tuple(after)))[0]
    return written


@pytest.mark.parametrize("name", ["report", "hostile", "compare", "debias"])
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")])
def test_it_opens_without_error_or_request_and_axe_finds_nothing(
    chromium: Any, axe: str, tmp_path: Path, name: str, width: int, scheme: str
) -> None:
    file = pages(tmp_path)[name]
    with Visit(chromium, file, width, scheme) as visit:
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= width, "no sideways scrolling of the page"
        found = visit.page.evaluate(f"{axe}; axe.run()")
        assert found["passes"]
        assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []
        assert visit.said == []
        assert [url for url in visit.asked if not url.startswith("data:")] == [file.as_uri()]


def test_a_table_sorts_by_keyboard_both_ways(chromium: Any, tmp_path: Path) -> None:
    with Visit(chromium, pages(tmp_path)["report"], 1280, "light") as visit:
        page = visit.page
        table = page.locator("section:has(> #metric-1) table")
        header = table.get_by_role("columnheader", name="Effect size")
        button = header.get_by_role("button")

        def values() -> list[str]:
            column = header.evaluate("node => node.cellIndex")
            return [row.locator("td, th").nth(column).inner_text() for row in table.locator("tbody tr").all()]

        assert values() == ["1.20", "0.10", "-0.90", "–"]
        table.get_by_role("columnheader", name="95 % interval").get_by_role("button").focus()
        page.keyboard.press("Tab")
        assert button.evaluate("node => node === document.activeElement"), "Tab goes from header to header"
        page.keyboard.press("Enter")
        assert header.get_attribute("aria-sort") == "ascending"
        assert values() == ["-0.90", "0.10", "1.20", "–"]
        page.keyboard.press("Space")
        assert header.get_attribute("aria-sort") == "descending"
        assert values() == ["1.20", "0.10", "-0.90", "–"]
        names = table.get_by_role("columnheader", name="Test").get_by_role("button")
        names.press("Enter")
        assert header.get_attribute("aria-sort") is None
        assert table.locator("tbody th").all_inner_texts()[0].startswith("weat1")
        assert visit.said == []


def test_it_is_whole_without_script(chromium: Any, tmp_path: Path) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(pages(tmp_path)["report"].as_uri())
    assert page.get_by_role("heading", name="What was found").is_visible()
    assert page.locator("thead button").count() == 0
    assert page.locator("table").count() > 5
    context.close()
