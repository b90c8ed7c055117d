"""The table: sorting by headers as in the thesis's algorithms, choosing, pinning, dragging, colours, keyboard."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
from playwright.sync_api import expect

from .explorer import Explorer, ends

BAND = ["male", "female", "boy", "girl", "man", "woman"]


def test_the_table_opens_in_alphabetical_order_and_gender_in_its_own(explorer: Explorer) -> None:
    explorer.open()
    columns, rows = explorer.columns(), explorer.rows()
    scores = explorer.scores(model="small")
    assert sorted(columns) == sorted(scores.targets)
    assert columns == sorted(columns, key=str.lower)
    assert rows[:6] == BAND
    assert len(rows) == len(scores.features) + 6
    assert rows[6:9] == sorted(scores.features, key=str.lower)[:3]


def test_three_clicks_on_a_column_header_are_algorithm_b1(explorer: Explorer) -> None:
    explorer.open()
    scores = explorer.scores(model="small")
    alphabet = explorer.columns()
    explorer.click(explorer.header("columns", "nurse"))
    explorer.settle()
    assert explorer.rows()[6:] == ends(scores.column("nurse"))
    assert explorer.columns() == alphabet
    assert "5 most and the 5 least linked with “nurse”" in explorer.text("#table .sentence")

    explorer.click(explorer.header("columns", "nurse"))
    explorer.settle()
    vectors = np.nan_to_num(scores.score)
    own = vectors[scores.targets.index("nurse")]
    cosines = vectors @ own / np.linalg.norm(vectors, axis=1) / np.linalg.norm(own)
    expected = ends(dict(zip(scores.targets, cosines, strict=True)))
    assert explorer.columns()[0] == "nurse"
    assert explorer.columns() == expected
    assert explorer.rows()[6:] == ends(scores.column("nurse"))

    explorer.click(explorer.header("columns", "nurse"))
    explorer.settle()
    assert explorer.columns() == alphabet
    assert len(explorer.rows()) == len(scores.features) + 6
    # Those that moved out of sight as well stand in their places, none above another.
    tops = explorer.page.locator("#table .headers.rows button").evaluate_all(
        "buttons => buttons.map(b => b.getBoundingClientRect().top)"
    )
    assert min(np.diff(tops)) >= 24


def test_clicks_on_a_row_header_are_algorithm_b2(explorer: Explorer) -> None:
    explorer.open("rpin=ambitious")
    scores = explorer.scores(model="small")
    explorer.click(explorer.header("rows", "ambitious"))
    explorer.settle()
    assert explorer.columns() == ends(scores.row("ambitious"))
    explorer.click(explorer.header("rows", "ambitious"))
    explorer.settle()
    assert explorer.rows()[6] == "ambitious"
    assert len(explorer.rows()) == 6 + 11  # the pinned word itself, and ten of the others
    explorer.click(explorer.header("rows", "ambitious"))
    explorer.settle()
    assert len(explorer.columns()) == len(scores.targets)


def test_sorting_stays_when_the_model_or_the_other_category_changes(explorer: Explorer) -> None:
    explorer.open()
    explorer.click(explorer.header("columns", "engineer"))
    explorer.settle()
    rows = explorer.rows()
    explorer.choose("Model", "other")
    explorer.settle()
    assert explorer.rows() == rows
    assert "as in small" in explorer.text("#table .sentence")
    explorer.choose("Model", "small")
    explorer.settle()
    link = explorer.page.url
    explorer.page.goto("about:blank")
    explorer.open(link.split("?", 1)[1])
    assert explorer.rows() == rows
    explorer.choose("Targets", "beverage")
    explorer.settle()
    assert explorer.rows() == rows
    assert "as sorted among occupations" in explorer.text("#table .sentence")


def test_the_targets_keep_their_order_when_the_features_change(explorer: Explorer) -> None:
    """As in the thesis: who goes with "wine", and are those women?"""
    explorer.open("targets=sport&features=beverage")
    explorer.click(explorer.header("rows", "wine"))
    explorer.settle()
    columns = explorer.columns()
    assert columns == ends(explorer.scores(model="small", targets="sport", features="beverage").row("wine"))
    explorer.choose("Features", "gender")
    explorer.settle()
    assert explorer.columns() == columns


def test_what_is_selected_elsewhere_comes_into_sight(explorer: Explorer) -> None:
    explorer.open("targets=occupation&features=sport")
    grid = explorer.page.locator("#table .grid").bounding_box()
    last = explorer.columns()[-1]
    assert grid is not None
    far = explorer.header("columns", last).bounding_box()
    assert far is not None
    assert far["x"] > grid["x"] + grid["width"]
    explorer.page.locator(f'.dots circle[data-target="{last}"]').click(force=True)
    explorer.settle()
    (target,) = explorer.query["target"]  # of dots that lie upon each other, the nearest
    near = explorer.header("columns", target).bounding_box()
    assert near is not None
    assert grid["x"] <= near["x"] <= grid["x"] + grid["width"] - near["width"] + 1


def test_any_number_at_each_end(explorer: Explorer) -> None:
    explorer.open("targets=beverage&features=trait")
    explorer.click(explorer.header("columns", "beer"))
    explorer.page.get_by_label("How many at each end").fill("2")
    explorer.page.keyboard.press("Enter")
    explorer.settle()
    scores = explorer.scores(model="small", targets="beverage", features="trait")
    assert explorer.rows()[6:] == ends(scores.column("beer"), 2)
    explorer.page.get_by_label("How many at each end").fill("0")
    explorer.page.keyboard.press("Enter")
    explorer.settle()
    assert len(explorer.rows()) == len(scores.features) + 6


def test_a_column_dragged_to_the_front_stays_there_in_the_link(explorer: Explorer) -> None:
    explorer.open("targets=beverage&features=gender")
    first, third = explorer.columns()[0], explorer.columns()[2]
    box, to = explorer.header("columns", third).bounding_box(), explorer.header("columns", first).bounding_box()
    assert box is not None
    assert to is not None
    explorer.page.mouse.move(box["x"] + 8, box["y"] + 60)
    explorer.page.mouse.down()
    explorer.page.mouse.move(to["x"] + 20, to["y"] + 60, steps=4)
    explorer.page.mouse.move(to["x"] + 2, to["y"] + 60, steps=4)
    explorer.page.mouse.up()
    explorer.settle()
    assert explorer.columns()[:2] == [third, first]
    explorer.page.reload()
    explorer.page.wait_for_selector(".headers.columns button")
    explorer.settle()
    assert explorer.columns()[:2] == [third, first]


def test_another_order_lets_go_of_what_was_moved_by_hand_on_its_side(explorer: Explorer) -> None:
    explorer.open("targets=beverage&features=gender&cmove=wine~beer&rmove=woman~boy")
    columns, rows = explorer.columns(), explorer.rows()
    assert columns.index("wine") == columns.index("beer") - 1
    explorer.click(explorer.header("columns", "tea"))
    explorer.settle()
    assert explorer.columns() == columns
    assert explorer.rows() == ends(explorer.scores(model="small", targets="beverage", features="gender").column("tea"))
    assert explorer.rows() != rows
    assert "rmove" not in explorer.query


def test_of_many_sensitive_words_a_dozen_stand_above_the_table(explorer: Explorer) -> None:
    explorer.open("targets=beverage&features=gender&sensitive=age")
    ages = explorer.rows()[:-6]
    assert len(ages) == 12
    assert ages == sorted(ages, key=int)
    known = explorer.scores(model="small", targets="beverage", features="age").features
    assert (ages[0], ages[-1]) == (known[0], known[-1])
    assert f"age (12 of {len(known)})" in explorer.text("#table .headings")


def test_chosen_words_alone_are_shown(explorer: Explorer) -> None:
    explorer.open("targets=beverage&features=trait")
    explorer.click("#table button:has-text('Choose')")
    dialog = explorer.page.locator("dialog.choose")
    columns = dialog.locator("fieldset").first
    columns.get_by_role("button", name="None").click()
    columns.get_by_role("checkbox", name="beer").check()
    columns.get_by_role("checkbox", name="wine").check()
    columns.get_by_role("button", name="Pin wine").click()
    dialog.get_by_role("button", name="Show these").click()
    explorer.settle()
    assert explorer.columns() == ["wine", "beer"]
    explorer.click("#table button:has-text('Reset')")
    explorer.settle()
    assert len(explorer.columns()) == 18


def test_orange_goes_together_purple_apart_and_what_is_unsure_is_small(explorer: Explorer) -> None:
    explorer.page.expected_errors = ("Canvas2D",)  # type: ignore[attr-defined]  # what is painted is read here alone
    explorer.open("targets=beverage&features=gender&stretch=1")
    scores = explorer.scores(model="small", targets="beverage", features="gender")
    sure = (scores.low > 0) | (scores.high < 0)
    places = np.argwhere(sure)
    strong = max(places, key=lambda at: scores.score[tuple(at)])
    weak = min(places, key=lambda at: scores.score[tuple(at)])
    red, _, blue = explorer.colour(scores.targets[strong[0]], scores.features[strong[1]])
    assert red > blue + 60
    red, _, blue = explorer.colour(scores.targets[weak[0]], scores.features[weak[1]])
    assert blue > red + 30

    unsure = np.argwhere(~sure & np.isfinite(scores.score))
    for at, whole in ((strong, True), (unsure[0], False)):
        x, y = explorer.cell(scores.targets[at[0]], scores.features[at[1]])
        same = explorer.page.evaluate(
            """([x, y]) => {
              const canvas = document.querySelector('#table canvas'), box = canvas.getBoundingClientRect();
              const paint = canvas.getContext('2d');
              const at = (d) => [...paint.getImageData(x - box.x + d, y - box.y + d, 1, 1).data].join();
              return at(0) === at(-9);
            }""",
            [x, y],
        )
        assert same is whole


def test_pointing_at_a_cell_says_score_interval_p_and_names(explorer: Explorer) -> None:
    explorer.open("targets=beverage&features=gender")
    scores = explorer.scores(model="small", targets="beverage", features="gender")
    explorer.page.mouse.move(*explorer.cell("beer", "man"))
    tip = explorer.page.locator(".tip").locator("visible=true")
    expect(tip).to_contain_text("beer — man")
    value = scores.column("beer")["man"]
    said = tip.inner_text().replace("\u2212", "-")
    assert f"{value:.2f}" in said
    assert re.search(r"95 % interval -?\d\.\d\d to -?\d\.\d\d", said)
    assert "adjusted p" in said
    assert "779 names" in said


def test_what_is_taken_along_holds_the_sensitive_words_too(explorer: Explorer) -> None:
    explorer.open("targets=beverage&features=gender&sensitive=religion")
    rows = list(csv.DictReader(io.StringIO(explorer.save("table", "Cells shown, as CSV").read_text("utf-8-sig"))))
    assert {row["category"] for row in rows} == {"gender", "religion"}
    assert len(rows) == len(explorer.rows()) * len(explorer.columns())
    figure = explorer.save("table", "Figure, as SVG").read_text("utf-8")
    assert all(f">{label}</text>" in figure for label in ("religion", "gender"))


def test_lost_words_say_why(explorer: Explorer) -> None:
    explorer.open()
    explorer.click("#table button:has-text('lost')")
    box = explorer.page.locator(".popover:popover-open li").first
    assert re.search(r"\(.+\): .{15,}", box.inner_text())


def test_the_whole_table_of_99_by_618_scrolls_to_its_last_cell(explorer: Explorer) -> None:
    explorer.open()
    last = explorer.columns()[-1], explorer.rows()[-1]
    explorer.click_cell(*last)
    explorer.settle()
    assert (explorer.query["target"], explorer.query["feature"]) == ([last[0]], [last[1]])
