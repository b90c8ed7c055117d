"""Map, detail, sources, discovery, comparison and blanks: each shows what the server computed, and all are linked."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
import pytest
from playwright.sync_api import expect

from .explorer import Explorer

SMALL = "targets=beverage&features=gender"


def test_the_map_has_every_target_and_says_what_explains_it(explorer: Explorer) -> None:
    explorer.open()
    dots = explorer.page.locator(".dots circle").evaluate_all("all => all.map(c => c.dataset.target)")
    assert sorted(dots) == sorted(explorer.scores(model="small").targets)
    assert re.search(r"explains the layout best: R² 0\.\d\d", explorer.text("#map .sentence"))
    assert explorer.page.locator("#map .chips").count() == 2  # what else explains it, and below that its own features
    chips = explorer.page.locator("#map .chips").first.locator(".chip")
    assert chips.count() == 5
    assert re.fullmatch(r"\w+ \d+ % \(\d+ to \d+ %\)", chips.first.inner_text())
    explorer.click(chips.nth(1))
    explorer.settle()
    word = explorer.query["colour"][0].split("~")[1]
    assert word == chips.nth(1).inner_text().split()[0]
    assert explorer.page.get_by_label("Colour by").input_value().endswith(f"~{word}")


def test_the_other_sensitive_categories_are_ranked_on_demand(explorer: Explorer) -> None:
    explorer.open(SMALL + "&sensitive=gender")
    chips = explorer.page.locator("#map .chips")
    expect(chips).to_have_count(1)  # the map's own features are the sensitive ones
    assert chips.inner_text().startswith("Explained by its own gender")
    explorer.click(chips.get_by_role("button", name="all 6"))
    box = explorer.page.locator(".popover:popover-open")
    expect(box.locator(".item")).to_have_count(6)
    explorer.click(box.get_by_role("button", name=re.compile("^Rank .*age.* as well$")))
    explorer.settle()
    expect(chips).to_have_count(2)
    explorer.click(chips.first.get_by_role("button", name=re.compile("^all ")))
    assert box.get_by_role("button", name=re.compile("^Rank")).count() == 0
    item = box.locator(".item").last
    word, category = (item.text_content() or "").split(":")[0].rsplit(", ", 1)
    explorer.click(item)
    assert explorer.query["colour"] == [f"{category.replace(' ', '-')}~{word}"]


def test_every_method_lays_the_targets_out_anew(explorer: Explorer) -> None:
    explorer.open("targets=country&features=gender")
    places = set()
    for method in ("pca", "tsne", "isomap"):
        explorer.page.get_by_label("Method").select_option(method)
        explorer.settle()
        circle = explorer.page.locator(".dots circle").first
        places.add(circle.evaluate("c => c.style.transform"))
        said = explorer.text("#map .foot").lower().replace("-", "")
        assert {"pca": "principal"}.get(method, method) in said
    assert len(places) == 3


@pytest.mark.slow
def test_umap_lays_them_out_too_and_can_be_cancelled(explorer: Explorer) -> None:
    explorer.open("targets=country&features=gender")
    explorer.page.set_default_timeout(180_000)  # it compiles itself when it is first used
    explorer.page.get_by_label("Method").select_option("umap")
    explorer.click("#map .state.busy button:has-text('Cancel')")
    expect(explorer.page.locator("#map .state")).to_contain_text("Cancelled.")
    explorer.click("#map button:has-text('Lay it out')")
    explorer.settle()
    assert "UMAP, 5 neighbours, seed 33" in explorer.text("#map .foot")


def test_dots_take_the_colour_of_any_word_of_any_category(explorer: Explorer) -> None:
    explorer.open(SMALL)
    menu = explorer.page.get_by_label("Colour by")
    for category in ("gender", "religion", "sport"):
        word = (
            menu.locator("optgroup")
            .filter(has=explorer.page.locator(f'option[value^="{category}~"]'))
            .locator("option")
        )
        menu.select_option(word.nth(1).get_attribute("value"))
        explorer.settle()
        assert explorer.query["colour"] == [word.nth(1).get_attribute("value")]
        assert (word.nth(1).text_content() or "") in explorer.text("#map .foot b")
        fills = explorer.page.locator(".dots circle").evaluate_all("all => all.map(c => c.getAttribute('fill'))")
        assert len(set(fills)) > 3


def test_labels_of_the_map_do_not_cover_each_other(explorer: Explorer) -> None:
    explorer.open()
    boxes = explorer.page.locator("#map .labels text").evaluate_all(
        "all => all.map(t => t.getBoundingClientRect()).map(b => [b.left, b.top, b.right, b.bottom])"
    )
    assert len(boxes) > 15
    for i, (left, top, right, bottom) in enumerate(boxes):
        for other in boxes[:i]:
            across = min(right, other[2]) - max(left, other[0])
            down = min(bottom, other[3]) - max(top, other[1])
            assert across <= 2 or down <= 4  # a glyph's box is taller than its ink


def test_a_brush_zooms_and_the_link_keeps_it(explorer: Explorer) -> None:
    explorer.open("targets=country&features=gender")
    box = explorer.page.locator("svg.map").bounding_box()
    assert box is not None
    explorer.page.mouse.move(box["x"] + 80, box["y"] + 60)
    explorer.page.mouse.down()
    explorer.page.mouse.move(box["x"] + 240, box["y"] + 220, steps=5)
    explorer.page.mouse.up()
    explorer.page.wait_for_url(lambda url: "zoom=" in url, wait_until="commit")
    explorer.settle()
    explorer.page.reload()
    explorer.page.wait_for_selector(".dots circle")
    explorer.click("#map button:has-text('Zoom out')")
    assert "zoom" not in explorer.query


def test_the_gradient_is_drawn_on_demand(explorer: Explorer) -> None:
    explorer.open("targets=country&features=gender")
    assert explorer.page.locator("#map .wash").count() == 0
    explorer.page.get_by_label("as a gradient").check()
    expect(explorer.page.locator("#map .wash")).to_be_visible()
    assert "more “" in (explorer.page.locator("#map .waylabel").text_content() or "")


def test_a_dot_reached_by_keys_selects_in_every_view(explorer: Explorer) -> None:
    explorer.open(SMALL)
    explorer.page.locator("svg.map").focus()
    explorer.page.keyboard.press("ArrowRight")
    explorer.page.keyboard.press("ArrowRight")
    explorer.page.keyboard.press("Enter")
    (target,) = explorer.query["target"]
    explorer.settle()
    assert explorer.text("#detail h2") == target
    assert "selected" in (explorer.header("columns", target).get_attribute("class") or "")
    assert explorer.page.locator(f'.dots circle.selected[data-target="{target}"]').count() == 1


def test_a_cell_shows_its_names_their_fit_and_what_explains_it(explorer: Explorer) -> None:
    explorer.open()
    explorer.search("nurse")
    explorer.click('#detail .barbutton[aria-label^="delicate:"]')
    explorer.page.wait_for_selector("#detail .sources li")
    names = explorer.page.locator("svg.names .name")
    assert names.count() > 700
    for gender in ("female", "male"):
        assert explorer.page.locator(f"svg.names .name.{gender}").count() > 300
    assert explorer.page.locator("svg.names .fit").count() == 1
    explorer.page.locator("svg.names").hover()
    assert re.search(r"names, each|with nurse", explorer.text("#detail .said"))
    why = explorer.text("#detail .why")
    assert re.search(r"Holding .+ fixed, the link between nurse and delicate shrinks from 0\.\d\d to", why)
    shares = [int(x) for x in re.findall(r"(\d+) % explained", why)]
    assert shares == sorted(shares, reverse=True)
    explorer.click("#detail .why .chip:has-text('gender')")
    assert set(explorer.page.locator("#detail .sources small").all_inner_texts()) >= {"gender"}


def test_a_name_under_the_pointer_is_read_out(explorer: Explorer) -> None:
    explorer.open(SMALL + "&target=beer&feature=man")
    mark = explorer.page.locator("svg.names .name.female").nth(40)
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    assert box is not None
    explorer.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert re.search(r"^\w.* — .*; with beer .*\d\.\d\d, with man .*\d\.\d\d$", explorer.text("#detail .said"))


def test_names_are_read_by_arrow_keys_too(explorer: Explorer) -> None:
    explorer.open(SMALL + "&target=beer&feature=man")
    plot = explorer.page.locator("svg.names")
    plot.focus()
    read = []
    for _ in range(3):
        explorer.page.keyboard.press("ArrowRight")
        read.append(explorer.text("#detail .said"))
        assert explorer.page.locator("#live").inner_text() == read[-1]
    right = [float(re.findall(r"with beer (\S+),", one)[0].replace("\u2212", "-")) for one in read]
    assert right == sorted(right)
    assert len(set(read)) == 3
    explorer.page.keyboard.press("Tab")
    expect(explorer.page.locator("#detail .said")).to_contain_text("779 names")


def test_a_target_has_all_its_features_as_bars_with_intervals(explorer: Explorer) -> None:
    explorer.open()
    explorer.search("engineer")
    explorer.settle()
    scores = explorer.scores(model="small")
    bars = explorer.page.locator("#detail ul.bars").nth(1).locator("button")
    assert bars.count() == len(scores.features)
    first = bars.first.get_attribute("aria-label") or ""
    best = max(scores.column("engineer").items(), key=lambda item: item[1])
    assert first.startswith(f"{best[0]}: {best[1]:.2f}, interval ")


def test_discovery_searches_the_vocabulary(explorer: Explorer) -> None:
    explorer.open(SMALL + "&target=beer")
    explorer.click("#detail button:has-text('Search the whole vocabulary')")
    explorer.page.wait_for_selector("#detail .discover ul.bars")
    lists = explorer.page.locator("#detail .discover ul.bars")
    assert lists.nth(0).locator("button").count() == 15
    assert re.search(r"\np [<=] \d\.\d+$", lists.nth(0).locator(".value").first.inner_text())
    assert "high by chance too" in explorer.text("#detail .discover .soft")
    word = (lists.nth(0).locator(".word").first.inner_text()).strip()
    explorer.click(lists.nth(0).locator("button").first)
    explorer.settle()
    assert explorer.query["feature"] == [word]
    assert word in explorer.rows()


def test_two_models_are_compared(explorer: Explorer) -> None:
    explorer.open(SMALL)
    explorer.click("[data-view=compare]")
    explorer.page.wait_for_selector("svg.agree")
    a = explorer.scores(model="small", targets="beverage", features="gender")
    b = explorer.scores(model="other", targets="beverage", features="gender")

    known = np.isfinite(a.score) & np.isfinite(b.score)
    r = np.corrcoef(a.score[known], b.score[known])[0, 1]
    assert f"correlation of {r:.2f}".replace("-", "\u2212") in explorer.text("#compare-plot .sentence")
    explorer.click("#compare-plot .differences button >> nth=0")
    assert explorer.page.locator("svg.agree circle.picked").count() == 1
    explorer.click("#compare-plot button:has-text('Look behind')")
    explorer.settle()
    assert explorer.page.locator("#detail .names").count() == 1


def test_typed_words_are_compared_as_soon_as_they_are_there(explorer: Explorer) -> None:
    explorer.open(SMALL + "&view=compare", settled=False)
    explorer.page.wait_for_selector("svg.agree")
    explorer.click("#actions button:has-text('Add words')")
    explorer.page.locator("#word").fill("lemonade")
    explorer.page.keyboard.press("Enter")
    expect(explorer.page.locator('#compare-table .headers.columns button[data-word="lemonade"]')).to_have_count(1)


def test_direct_is_compared_with_indirect(explorer: Explorer) -> None:
    explorer.open("targets=occupation&features=gender&view=compare&against=direct", settled=False)
    explorer.page.wait_for_selector("svg.agree")
    assert "the direct score" in (explorer.page.locator("svg.agree").get_attribute("aria-label") or "")
    assert "standard deviations (sd) of its own table" in explorer.text("#compare-table .foot")
    value = explorer.text("#compare-plot .differences .value").replace("\u2212", "-")
    a, b, difference, low, high = (float(one) for one in re.findall(r"-?\d+\.\d\d", value))
    assert difference == pytest.approx(b - a, abs=0.02)
    assert low < difference < high
    assert " sd" in value
    text = explorer.save("compare-table", "All differences, as CSV").read_text("utf-8-sig")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["unit of the difference"] for row in rows} == {"sd"}
    scores = explorer.scores(model="small", targets="occupation", features="gender")
    first = rows[0]
    own = float(first["small indirect (correlation)"])
    assert own == pytest.approx(scores.column(first["target"])[first["feature"]], abs=2e-3)
    assert float(first["difference"]) == pytest.approx(
        float(first["small direct (sd)"]) - float(first["small indirect (sd)"]), abs=2e-3
    )


def test_blanks_are_filled(explorer: Explorer) -> None:
    explorer.open(SMALL + "&view=blanks", settled=False)
    explorer.page.wait_for_selector("svg.agree")
    explorer.page.get_by_label("First sentence").fill("The man is ___.")
    explorer.page.get_by_label("Second sentence").fill("The woman is ___.")
    explorer.page.get_by_role("button", name="Fill in", exact=True).click()
    expect(explorer.page.locator("#blanks-panel h3").first).to_have_text("Rather with “man”")
    assert explorer.page.locator("svg.agree .dot").count() == 60
    rather = explorer.page.locator("#blanks-panel .lists section").first.locator(".value").all_inner_texts()
    for line in rather:
        first, second = (float(x.replace("\u2212", "-")) for x in line.split(" against "))
        assert first >= second
    assert explorer.query["a"] == ["The man is ___."]
    said = explorer.text("#blanks-panel .body .soft")
    assert re.search(r"the 60 words of .* The two agree with r = .?0?1?\.\d\d \(", said)
    assert explorer.page.locator("#blanks-panel .warning").count() == 0
    explorer.page.get_by_label("Second sentence").fill("The old woman was ___.")
    explorer.page.get_by_role("button", name="Fill in", exact=True).click()
    expect(explorer.page.locator("#blanks-panel .warning")).to_contain_text("differ in more than one word")
    explorer.page.get_by_label("First sentence").fill(" ")
    explorer.page.get_by_role("button", name="Fill in", exact=True).click()
    expect(explorer.page.locator("#blanks-panel .state")).to_contain_text("Write two sentences")


def test_a_direct_score_shows_the_sentences_behind_it(explorer: Explorer) -> None:
    explorer.open("targets=occupation&features=gender&kind=direct&target=nurse&feature=woman")
    assert explorer.page.locator("#detail .templates tbody tr").count() >= 1
    assert "nurse" in explorer.text("#detail .templates td")
    assert "no names that could be held fixed" in explorer.text("#detail .why")
    figure = explorer.save("detail", "Figure, as SVG").read_text("utf-8")
    assert re.search(r"nurse — woman: .?\d\.\d\d \(.* to .*\), small", figure)
    assert "<circle" in figure
