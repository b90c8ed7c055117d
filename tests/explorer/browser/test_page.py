"""The page as a whole: links, states, exports, accessibility, narrow screens, the tour."""

from __future__ import annotations

import csv
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from .explorer import Explorer

SMALL = "targets=beverage&features=gender"
VIEWS = {
    "explore": SMALL + "&target=beer&feature=man&gradient=1",
    "target": SMALL + "&target=beer",
    "compare": SMALL + "&view=compare",
    "blanks": SMALL + "&view=blanks",
}


def test_nothing_comes_from_outside(explorer: Explorer) -> None:
    asked: list[str] = []
    explorer.page.on("request", lambda request: asked.append(request.url))
    explorer.open(SMALL)
    own = explorer.address.rstrip("/") + "/"
    assert asked
    assert [url for url in asked if not url.startswith((own, "data:", "blob:"))] == []


def test_a_link_restores_the_view_and_back_undoes_a_step(explorer: Explorer) -> None:
    explorer.open(SMALL)
    explorer.click(explorer.header("columns", "beer"))
    explorer.choose("Features", "trait")
    explorer.settle()
    explorer.page.go_back()
    explorer.settle()
    assert explorer.query["features"] == ["gender"]
    assert explorer.query["target"] == ["beer"]
    assert explorer.text("#detail h2") == "beer"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing_to_complain_about(explorer: Explorer, view: str, scheme: Literal["light", "dark"]) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="accessibility is checked with axe")
    explorer.page.emulate_media(color_scheme=scheme)
    explorer.open(VIEWS[view], settled=view in ("explore", "target"))
    explorer.page.wait_for_selector({"explore": ".sources li", "target": ".bars li"}.get(view, "svg.agree"))
    explorer.settle()
    found = axe.Axe().run(explorer.page)
    assert found.violations_count == 0, found.generate_report()


def test_axe_finds_nothing_in_dialogs_either(explorer: Explorer) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="accessibility is checked with axe")
    explorer.open(SMALL + "&addtarget=lemonade")
    explorer.click("#actions button:has-text('Add words')")
    assert axe.Axe().run(explorer.page).violations_count == 0
    explorer.page.keyboard.press("Escape")
    explorer.click("#table button:has-text('Choose')")
    found = axe.Axe().run(explorer.page)
    assert found.violations_count == 0, found.generate_report()


def test_every_panel_has_help(explorer: Explorer) -> None:
    explorer.open(SMALL)
    for panel in ("table", "map", "detail"):
        explorer.click(f"#{panel} .help")
        box = explorer.page.locator(".popover:popover-open")
        assert len(box.inner_text()) > 150
        explorer.page.keyboard.press("Escape")
        expect(box).to_have_count(0)


def test_the_tour_takes_three_steps_on_the_data_and_comes_once(first_visit: Page, explorer_address: str) -> None:
    explorer = Explorer(first_visit, explorer_address).open(SMALL)
    tour = first_visit.locator(".tour")
    expect(tour.locator("h2")).to_have_text(re.compile("^1 of 3"))
    for step in ("2 of 3", "3 of 3"):
        tour.locator(".primary").click()
        expect(tour.locator("h2")).to_have_text(re.compile(f"^{step}"))
    explorer.settle()
    assert explorer.query["target"]
    assert explorer.query["feature"]
    tour.locator(".primary").click()
    expect(tour).to_be_hidden()
    first_visit.reload()
    explorer.settle()
    first_visit.wait_for_timeout(500)
    expect(tour).to_be_hidden()


def test_exports_hold_the_numbers_and_the_figure(explorer: Explorer) -> None:
    explorer.open(SMALL + "&target=beer&feature=man")
    explorer.page.wait_for_selector("#detail .names")
    text = explorer.save("table", "All cells, as CSV").read_text("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    scores = explorer.scores(model="small", targets="beverage", features="gender")
    assert len(rows) == scores.score.size
    shown = explorer.save("table", "Cells shown, as CSV").read_text("utf-8-sig")
    assert {r["category"] for r in csv.DictReader(io.StringIO(shown))} == {"gender"}
    beer = next(r for r in rows if (r["target"], r["feature"]) == ("beer", "man"))
    assert float(beer["score"]) == pytest.approx(scores.column("beer")["man"], abs=1e-4)
    explorer.page.wait_for_selector("#detail .sources li")
    text = explorer.save("detail", "What explains it, as CSV").read_text("utf-8-sig")
    held = {row["held_fixed"]: row for row in csv.DictReader(io.StringIO(text))}
    assert held["age"]["category"] == "age"
    assert float(held["age"]["low"]) < float(held["age"]["partial"]) < float(held["age"]["high"])
    for panel in ("table", "map", "detail"):
        figure = ET.parse(explorer.save(panel, "Figure, as SVG")).getroot()
        assert figure.tag.endswith("svg")
        marks = [e for e in figure.iter() if e.tag.split("}")[-1] in ("rect", "circle", "path")]
        assert len(marks) > 15
        said = " ".join(e.text or "" for e in figure.iter() if e.tag.endswith("text"))
        assert {"table": "interval crosses zero", "map": "linked with “man”", "detail": "usually women"}[panel] in said
        assert not any(name in ("class", "style") for e in figure.iter() for name in e.attrib)
        if panel == "map":  # each dot in its place
            dots = [e.get("transform") for e in figure.iter() if e.tag.endswith("circle")]
            assert len(dots) == len(set(dots)) == len(scores.targets)
        picture = explorer.save(panel, "Figure, as PNG").read_bytes()
        assert picture.startswith(b"\x89PNG")
        assert int.from_bytes(picture[16:20], "big") > 300


def test_a_spreadsheet_reads_no_formula_from_a_typed_word(explorer: Explorer) -> None:
    explorer.open(SMALL + "&addtarget=%3Dbeer")
    text = explorer.save("table", "Cells shown, as CSV").read_text("utf-8-sig")
    assert ",=beer," not in text


def _hold(page: Page, what: str, then: Callable[[Route], None]) -> None:
    page.route(re.compile(rf"/api/v1/{what}\?"), then)


def test_a_long_computation_shows_progress_and_can_be_cancelled(explorer: Explorer) -> None:
    explorer.open(SMALL)
    held: list[Route] = []
    _hold(explorer.page, "table", lambda route: held.append(route))
    explorer.choose("Features", "trait")
    state = explorer.page.locator("#table .state.busy")
    expect(state).to_contain_text("Computing beverages × traits on small")
    expect(state.locator("progress")).to_be_visible()
    explorer.click(state.get_by_role("button", name="Cancel"))
    expect(explorer.page.locator("#table .state")).to_contain_text("Cancelled.")
    explorer.page.unroute_all(behavior="ignoreErrors")
    explorer.click("#table button:has-text('Compute it')")
    explorer.settle()
    assert len(explorer.rows()) > 600


def test_looking_for_what_explains_a_link_can_be_cancelled(explorer: Explorer) -> None:
    held: list[Route] = []
    _hold(explorer.page, "sources", lambda route: held.append(route))
    explorer.open(SMALL, settled=False)
    explorer.page.wait_for_selector(".dots circle")
    explorer.page.goto(explorer.page.url + "&target=beer&feature=man")
    explorer.click("#detail .why button:has-text('Cancel')")
    expect(explorer.page.locator("#detail .why")).to_contain_text("Cancelled.")
    explorer.page.unroute_all(behavior="ignoreErrors")
    explorer.click("#detail button:has-text('Look for it after all')")
    explorer.page.wait_for_selector("#detail .sources li")


def test_scoring_a_category_for_the_colours_can_be_cancelled(explorer: Explorer) -> None:
    explorer.open(SMALL)
    held: list[Route] = []
    _hold(explorer.page, "table", lambda route: held.append(route))
    menu = explorer.page.get_by_label("Colour by")
    for step in ("cancelled", "another word"):
        menu.select_option(menu.locator("option[value^='sport~']").first.get_attribute("value"))
        state = explorer.page.locator("#map .state.busy")
        expect(state).to_contain_text("Scoring sports for the colours.")
        if step == "cancelled":
            explorer.click(state.get_by_role("button", name="Cancel"))
        else:  # which is there already
            menu.select_option("gender~man")
        expect(explorer.page.locator("#map .state")).to_be_hidden()
        expect(explorer.page.locator("#map .foot b")).to_have_text(
            "man" if step == "another word" else re.compile(r"\w")
        )
        assert "sport" not in str(explorer.query)


def test_a_failure_says_what_happened_and_can_be_tried_again(explorer: Explorer) -> None:
    explorer.page.expected_errors = ("Failed to load resource",)  # type: ignore[attr-defined]
    explorer.open(SMALL)
    _hold(explorer.page, "table", lambda route: route.abort())
    explorer.choose("Features", "trait")
    state = explorer.page.locator("#table .state.failed")
    expect(state).to_contain_text("Tiltmeter does not answer.")
    expect(state).to_contain_text("tiltmeter explore")
    expect(explorer.page.locator(".plain")).to_be_hidden()
    expect(explorer.page.locator("#table .sentence")).to_be_empty()
    for panel in ("map", "detail"):  # nothing of the view before stands under the new headline
        expect(explorer.page.locator(f"#{panel} .state")).to_contain_text("Waits for the table.")
        expect(explorer.page.locator(f"#{panel} .body")).to_be_hidden()
    explorer.page.unroute_all(behavior="ignoreErrors")
    explorer.click(state.get_by_role("button", name="Try again"))
    explorer.settle()
    assert len(explorer.rows()) > 600
    expect(explorer.page.locator("#map .body")).to_be_visible()


def test_typed_words_without_a_score_say_why_below_the_table(explorer: Explorer) -> None:
    explorer.open(SMALL + "&addname=Amy%7B&addfeature=qzxv&addfeature=nurse")
    said = explorer.text("#table .warnings")
    assert re.search(r"“Amy{” has no score: it holds a character", said)
    assert re.search(r"“qzxv” has no score: .{10,}", said)
    assert "nurse" in explorer.rows()


def test_the_table_stands_though_typed_words_cannot_be_scored(explorer: Explorer) -> None:
    explorer.page.expected_errors = ("Failed to load resource",)  # type: ignore[attr-defined]
    _hold(explorer.page, "words", lambda route: route.abort())
    explorer.open(SMALL + "&addtarget=lemonade")
    assert "beer" in explorer.columns()
    expect(explorer.page.locator("#table .warnings")).to_contain_text("Your words are not scored: Tiltmeter does not")
    explorer.click("#actions button:has-text('Add words')")
    expect(explorer.page.locator(".typed li")).to_contain_text("not scored: Tiltmeter does not answer")


def test_boxes_do_not_pile_up(explorer: Explorer) -> None:
    explorer.open(SMALL)
    boxes = explorer.page.locator(".popover")
    before = boxes.count()
    for word in ("beer", "wine", "tea"):
        explorer.click(explorer.header("columns", word))
        explorer.settle()
    assert boxes.count() == before


def test_a_link_to_a_word_that_is_lost_says_so(explorer: Explorer) -> None:
    explorer.open(SMALL + "&target=absinthe")
    expect(explorer.page.locator("#detail .state")).to_contain_text("“absinthe” has no scores here.")
    explorer.click("#detail button:has-text('Add “absinthe”')")
    explorer.settle()
    assert "absinthe" in explorer.columns()
    expect(explorer.page.locator("#detail .bars").first).to_be_visible()


@pytest.mark.parametrize("width", [360, 390, 800, 1280])
def test_no_screen_scrolls_sideways(explorer: Explorer, width: int) -> None:
    explorer.page.set_viewport_size({"width": width, "height": 800})
    for query in VIEWS.values():
        explorer.open(query, settled=False)
        explorer.page.wait_for_selector("section.panel:visible svg")
        explorer.settle()
        wide = explorer.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, query


def test_on_a_narrow_screen_panels_stack_and_a_cell_is_selected_by_touch(
    chromium: Browser, explorer_address: str
) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    context.add_init_script("localStorage.setItem('tiltmeter-tour', 'seen')")
    page = context.new_page()
    explorer = Explorer(page, explorer_address).open(SMALL)
    tops = [page.locator(f"#{panel}").bounding_box() for panel in ("table", "map", "detail")]
    assert [box["y"] for box in tops if box] == sorted(box["y"] for box in tops if box)
    page.touchscreen.tap(*explorer.cell("beer", "male"))
    explorer.settle()
    assert explorer.query["target"] == ["beer"]
    context.close()


def test_nothing_moves_for_those_who_asked_for_calm(explorer: Explorer) -> None:
    explorer.page.emulate_media(reduced_motion="reduce")
    explorer.open(SMALL)
    explorer.click(explorer.header("rows", "man"))
    explorer.settle()
    moving = explorer.page.evaluate("document.getAnimations().length")
    assert moving == 0
