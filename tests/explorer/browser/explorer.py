"""What a visitor does and sees, in a few words; clicks are counted."""

from __future__ import annotations

import json
import struct
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Locator, Page


@dataclass(frozen=True)
class Scores:
    """A table as the server gives it, read by our own few lines: targets × features."""

    targets: list[str]
    features: list[str]
    score: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    def column(self, target: str) -> dict[str, float]:
        """The scores of all features with a target."""
        return dict(zip(self.features, self.score[self.targets.index(target)], strict=True))

    def row(self, feature: str) -> dict[str, float]:
        return dict(zip(self.targets, self.score[:, self.features.index(feature)], strict=True))


class Explorer:
    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.clicks = 0

    def open(self, query: str = "", *, settled: bool = True) -> Explorer:
        self.page.goto(f"{self.address.rstrip('/')}/{'?' + query if query else ''}")
        if settled:
            self.page.wait_for_selector(".headers.columns button")
            self.page.wait_for_selector(".dots circle")
            self.settle()
        return self

    def settle(self) -> None:
        """Until nothing is being computed and nothing moves."""
        # The page's policy forbids eval, and with it Playwright's wait_for_function.
        self.page.wait_for_timeout(150)
        self.page.wait_for_selector("[aria-busy=true], .wait", state="detached")
        self.page.wait_for_timeout(350)

    def click(self, what: str | Locator, **options: Any) -> None:
        self.clicks += 1
        (self.page.locator(what) if isinstance(what, str) else what).click(**options)

    def choose(self, menu: str, value: str) -> None:
        """A menu of the system: one click opens it, one chooses."""
        self.clicks += 2
        self.page.get_by_label(menu, exact=True).select_option(value)

    def search(self, text: str) -> None:
        """Type and press Enter: one click to reach the field."""
        self.click("#find")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")

    def header(self, axis: str, word: str) -> Locator:
        return self.page.locator(f'.headers.{axis} button[data-word="{word}"]').locator("visible=true")

    def columns(self) -> list[str]:
        return self._words("columns")

    def rows(self) -> list[str]:
        return self._words("rows")

    def _words(self, axis: str) -> list[str]:
        found: list[str] = self.page.locator(f"#table .headers.{axis} button").evaluate_all(
            "buttons => buttons.map(b => b.dataset.word)"
        )
        return found

    def text(self, selector: str) -> str:
        return self.page.locator(selector).first.inner_text()

    @property
    def query(self) -> dict[str, list[str]]:
        return urllib.parse.parse_qs(urllib.parse.urlsplit(self.page.url).query)

    def cell(self, target: str, feature: str) -> tuple[float, float]:
        """The middle of a cell on the screen, from where its two headers are."""
        column = self.header("columns", target)
        row = self.header("rows", feature)
        column.scroll_into_view_if_needed()
        row.scroll_into_view_if_needed()
        self.page.wait_for_timeout(100)
        x, y = column.bounding_box(), row.bounding_box()
        assert x is not None
        assert y is not None
        return x["x"] + x["width"] / 2, y["y"] + y["height"] / 2

    def click_cell(self, target: str, feature: str) -> None:
        self.clicks += 1
        self.page.mouse.click(*self.cell(target, feature))

    def colour(self, target: str, feature: str) -> tuple[int, int, int]:
        """The colour painted in the middle of a cell."""
        x, y = self.cell(target, feature)
        rgb = self.page.evaluate(
            """([x, y]) => {
              const canvas = document.querySelector('#table canvas'), box = canvas.getBoundingClientRect();
              const ratio = canvas.width / box.width;
              return [...canvas.getContext('2d').getImageData((x - box.x) * ratio, (y - box.y) * ratio, 1, 1).data];
            }""",
            [x, y],
        )
        return rgb[0], rgb[1], rgb[2]

    def save(self, panel: str, item: str) -> Path:
        """A file from a panel's export menu."""
        self.click(f"#{panel} .head button:has-text('Export')")
        with self.page.expect_download() as download:
            self.click(self.page.locator(".popover:popover-open").get_by_role("button", name=item))
        return Path(download.value.path())

    def scores(self, **query: str) -> Scores:
        address = f"{self.address.rstrip('/')}/api/v1/table?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(address, timeout=120) as answer:
            body = answer.read()
        (length,) = struct.unpack_from("<I", body)
        header = json.loads(body[4 : 4 + length])

        def read(name: str) -> NDArray[np.float64]:
            layout = header["arrays"][name]
            whole = np.frombuffer(body, "<i2", layout["length"], layout["offset"]).astype(float)
            return np.where(whole == -32768, np.nan, whole * layout["scale"]).reshape(header["shape"])

        return Scores(header["rows"], header["columns"], read("score"), read("low"), read("high"))


def ends(scores: dict[str, float], count: int = 5) -> list[str]:
    """Algorithm B.3: in decreasing order the first and last so many; equal scores by name."""
    known = sorted(scores, key=lambda word: (-scores[word], word.lower()))
    return known if len(known) <= 2 * count + 1 else known[:count] + known[-count:]


def eventually(holds: Callable[[], bool], page: Page, what: str, seconds: float = 30) -> None:
    for _ in range(int(seconds * 20)):
        if holds():
            return
        page.wait_for_timeout(50)
    raise AssertionError(what)
