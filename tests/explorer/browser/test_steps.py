"""Debiasing step by step, in a real browser on a real server."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

_SERVE = "from tiltmeter.cli.app import main; main()"


@pytest.fixture(scope="module")
def steps_address() -> Iterator[str]:
    """`tiltmeter explore` on the vectors in the box."""
    command = [sys.executable, "-c", _SERVE, "explore", "demo:en-static", "--no-browser"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    root = Path(__file__).parents[3]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment, cwd=root) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            assert address.startswith("http")
            yield address
        finally:
            process.terminate()
            process.wait(timeout=30)


def _along(page: Page, word: str) -> list[str]:
    row = page.locator("tbody tr").filter(has=page.get_by_role("rowheader", name=word, exact=True))
    return row.locator("td").all_inner_texts()


def _middle(page: Page, word: str) -> float:
    """How far a word's point stands from the middle line, in pixels."""
    return float(
        page.evaluate(
            """word => {
              const box = (node) => node.getBoundingClientRect();
              const names = [...document.querySelectorAll("#plot text")];
              const point = box(names.find((name) => name.textContent === word).previousElementSibling);
              const line = box(document.querySelector("#plot .rule"));
              return (point.left + point.right - line.left - line.right) / 2;
            }""",
            word,
        )
    )


def test_a_word_is_followed_to_the_middle_and_the_link_keeps_it(page: Page, steps_address: str) -> None:
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{steps_address}?word=nurse&word=soldier&word=unheardof")
    expect(page.get_by_role("status")).to_contain_text("1. As it is")
    assert _middle(page, "nurse") > 30
    assert _middle(page, "soldier") < -30
    expect(page.locator("#note")).to_contain_text("Not in the vocabulary: unheardof")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("status")).to_contain_text("Neutral words lose their part")
    assert abs(_middle(page, "nurse")) < 1
    assert abs(_middle(page, "soldier")) < 1
    page.get_by_role("button", name="Next").click()
    assert _middle(page, "she") == pytest.approx(-_middle(page, "he"), abs=1)
    assert _along(page, "nurse")[1:] == ["0.000", "0.000"]
    expect(page.get_by_role("button", name="Next")).to_be_disabled()
    page.goto(page.url)
    expect(page.get_by_role("status")).to_contain_text("3. Sets are made equal")
    page.get_by_label("Method").select_option("soft")
    expect(page.get_by_role("status")).to_contain_text("One linear map of all words")
    expect(page.locator("#note")).to_contain_text("tiltmeter debias fits it to all")


def test_what_the_server_refuses_is_said(page: Page, steps_address: str) -> None:
    page.expected_errors = ("422",)  # type: ignore[attr-defined]
    page.goto(steps_address)
    expect(page.get_by_role("status")).to_contain_text("1. As it is")
    page.get_by_label("Words to follow").fill(",".join(f"w{number}" for number in range(50)))
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("status")).to_contain_text("more than")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (400, "dark")])
def test_axe_finds_nothing_and_nothing_hangs_over(page: Page, steps_address: str, width: int, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="accessibility is checked with axe")
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(steps_address)
    expect(page.get_by_role("status")).to_contain_text("1. As it is")
    found = axe.Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
