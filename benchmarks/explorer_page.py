"""How long a visitor waits for the explorer's page, measured inside a real Chromium.

Run it as `python -m benchmarks.explorer_page ADDRESS` beside a running `tiltmeter explore MODEL --no-browser`; without
an address, a server on a tiny model is started. Tables are computed before they are timed: what is measured is the page
and the way to it, not the model. Words that are typed are new each time, and scored live.
"""

from __future__ import annotations

import contextlib
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]

# Times what was asked for until the frame after it stands in the document.
CLOCK = """
localStorage.setItem('tiltmeter-tour', 'seen');
window.until = (found) => new Promise((resolve, reject) => {
  setTimeout(() => reject(new Error('nothing came within a minute')), 60_000);
  const start = performance.now();
  const look = () => {
    if (!found()) return false;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - start)));
    return true;
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { subtree: true, childList: true, attributes: true });
});
new MutationObserver((_, observer) => {
  if (!document.querySelector('#table .headers.rows button')) return;
  observer.disconnect();
  requestAnimationFrame(() => setTimeout(() => (window.painted = performance.now())));
}).observe(document, { subtree: true, childList: true });
"""

SWITCH = """async ([menu, value, label]) => {
  const select = document.querySelector(`select[aria-label="${menu}"]`);
  const done = until(() => document.querySelector('#table .headers.rows').ariaLabel.startsWith(label));
  select.value = value;
  select.dispatchEvent(new Event('change'));
  return await done;
}"""

TYPE = """async ([kind, word]) => {
  [...document.querySelectorAll('dialog.words .chip')].find((c) => c.textContent.startsWith(kind)).click();
  document.querySelector('#word').value = word;
  const done = until(() => document.querySelector(`#table .headers [data-word="${word}"]`));
  document.querySelector('dialog.words form').requestSubmit();
  return await done;
}"""

SCROLL = """async () => {
  const grid = document.querySelector('#table .grid'), times = [];
  let last = await new Promise(requestAnimationFrame);
  for (let i = 0; i < 120; i++) {
    grid.scrollTop += 97; grid.scrollLeft += 13;
    const now = await new Promise(requestAnimationFrame);
    times.push(now - last);
    last = now;
  }
  return times;
}"""


@contextlib.contextmanager
def address_of(given: list[str]) -> Iterator[str]:
    if given:
        yield given[0].rstrip("/")
        return
    from tests.explorer.served import served

    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as address:
        yield address.rstrip("/")


def opened(page: Page, address: str, query: str = "") -> float:
    page.goto(f"{address}/?{query}")
    page.wait_for_selector("#table .headers.rows button")
    page.wait_for_selector("[aria-busy=true]", state="detached")
    return float(page.evaluate("painted"))


def show(what: str, times: list[float], goal: str) -> None:
    middle, most = statistics.median(times), max(times)
    print(f"{what:<58} {middle:8.0f} ms {most:8.0f} ms   {goal}")


def repeated(run: Callable[[int], float], count: int = 5) -> list[float]:
    return [run(i) for i in range(count)]


def main() -> None:
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        raise SystemExit("this benchmark needs Chromium, which is not on this machine")
    with address_of(sys.argv[1:]) as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=FLAGS)
        page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        page.set_default_timeout(600_000)
        page.add_init_script(CLOCK)
        for features in ("trait", "gender", "beverage"):  # computed once, and then at hand
            opened(page, address, f"features={features}")
        print(f"{'':<58} {'median':>11} {'longest':>11}   goal")
        show("first useful paint, 99 x 618", repeated(lambda _: opened(page, address)), "under 1000 ms")

        def switched(_: int) -> float:
            opened(page, address, "features=gender")
            return float(page.evaluate(SWITCH, ["Features", "trait", "traits"]))

        show("switch to 99 x 618 from the server", repeated(switched), "under 200 ms")

        def back(_: int) -> float:
            page.evaluate(SWITCH, ["Features", "gender", "gender"])
            return float(page.evaluate(SWITCH, ["Features", "trait", "traits"]))

        show("switch back to 99 x 618", repeated(back), "under 200 ms")
        opened(page, address)
        page.click("#actions button:has-text('Add words')")

        def typed(kind: str, word: str) -> float:
            """Once the map with the word before has come: nobody types the next one in no time."""
            page.wait_for_load_state("networkidle")
            page.wait_for_timeout(500)
            return float(page.evaluate(TYPE, [kind, word]))

        words = ("rose", "piano", "peace", "gun", "uncle")
        show("a new feature word", repeated(lambda i: typed("feature", words[i])), "under 300 ms")
        trades = ("barista", "sculptor", "diver", "fencer", "miller")
        show("a new target", repeated(lambda i: typed("target", trades[i])), "under 3000 ms")
        page.keyboard.press("Escape")
        show("a frame while scrolling 99 x 618", page.evaluate(SCROLL), "17 ms is 60 a second")
        browser.close()


if __name__ == "__main__":
    main()
