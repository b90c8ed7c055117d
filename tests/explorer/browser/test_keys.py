"""The page by keys alone: everything is reached, and the focus stays where it was though the page is drawn anew."""

from __future__ import annotations

from playwright.sync_api import expect

from .explorer import Explorer

SMALL = "targets=beverage&features=gender"
BAND = ["male", "female", "boy", "girl", "man", "woman"]


def test_the_three_clicks_are_made_by_keys_too(explorer: Explorer) -> None:
    """The second moves the header to the front, which must not take the focus from it."""
    explorer.open("targets=beverage&features=trait")
    alphabet = explorer.columns()
    header = explorer.header("columns", "wine")
    header.focus()
    for step in ("least linked with “wine”", "least like “wine”", "beverages by name"):
        explorer.page.keyboard.press("Enter")
        explorer.settle()
        assert step in explorer.text("#table .sentence")
        expect(header).to_be_focused()
    assert explorer.columns() == alphabet


def test_a_row_is_moved_and_pinned_by_keys(explorer: Explorer) -> None:
    explorer.open("targets=beverage&features=trait")
    rows = explorer.rows()
    assert rows[:6] == BAND
    explorer.header("rows", rows[6]).focus()
    explorer.page.keyboard.press("Alt+ArrowDown")
    explorer.settle()
    assert explorer.rows()[6:8] == [rows[7], rows[6]]
    explorer.header("rows", rows[9]).focus()
    explorer.page.keyboard.press("p")
    explorer.settle()
    assert explorer.rows()[6] == rows[9]
    assert explorer.query["rpin"] == [rows[9]]


def test_sensitive_words_keep_their_places_above_the_table(explorer: Explorer) -> None:
    explorer.open("targets=beverage&features=trait")
    for word, keys in (("male", ["p", "Alt+ArrowDown"]), (explorer.rows()[6], ["Alt+ArrowUp"])):
        explorer.header("rows", word).focus()
        for key in keys:
            explorer.page.keyboard.press(key)
    assert not explorer.query.keys() & {"rpin", "rmove"}
    assert explorer.rows()[:6] == BAND
    explorer.click(explorer.header("rows", "male"), button="right")
    assert explorer.page.locator(".popover:popover-open .item").all_inner_texts()[0] == "Sort by “male”"
    assert explorer.page.locator(".popover:popover-open .item").filter(has_text="Hide").count() == 0


def test_cells_are_read_and_selected_by_keys(explorer: Explorer) -> None:
    explorer.open("targets=beverage&features=gender")
    explorer.page.locator("#table .cells").focus()
    for _ in range(3):
        explorer.page.keyboard.press("ArrowRight")
    explorer.page.keyboard.press("ArrowDown")
    tip = explorer.text(".tip:not([hidden])")
    live = explorer.page.locator("#live").inner_text()
    assert tip.split("\n")[0] in live
    explorer.page.keyboard.press("Enter")
    assert explorer.query["target"] == [explorer.columns()[2]]
    assert explorer.query["feature"] == [explorer.rows()[1]]
    explorer.settle()
    explorer.page.keyboard.press("Escape")
    assert "target" not in explorer.query


def test_what_is_reached_by_keys_keeps_the_focus_though_its_panel_is_drawn_anew(explorer: Explorer) -> None:
    explorer.open(SMALL + "&sensitive=age")
    page = explorer.page
    for reached in (
        page.locator("#map .chip").nth(1),
        page.get_by_label("as a gradient"),
        page.get_by_label("stretch"),
    ):
        reached.focus()
        page.keyboard.press("Space")
        explorer.settle()
        expect(reached).to_be_focused()
    explorer.search("beer")
    explorer.settle()
    page.get_by_role("button", name="Pin", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Unpin")).to_be_focused()
    page.locator('#detail .barbutton[aria-label^="man:"]').focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="All of beer")).to_be_focused()
