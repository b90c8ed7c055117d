"""Search, and a visitor's own words."""

from __future__ import annotations

from playwright.sync_api import expect

from .explorer import Explorer


def test_search_goes_by_arrow_keys_and_the_match_pulses(explorer: Explorer) -> None:
    explorer.open()
    explorer.page.locator("#find").fill("ma")
    options = explorer.page.locator("#found [role=option]")
    words = options.locator("span").all_inner_texts()
    explorer.page.keyboard.press("ArrowDown")
    explorer.page.keyboard.press("ArrowDown")
    assert options.nth(2).get_attribute("aria-selected") == "true"
    explorer.page.keyboard.press("Enter")
    found = explorer.query.get("target") or explorer.query.get("feature")
    assert found == [words[2]]
    assert explorer.page.locator(".pulse").count() >= 1


def test_what_is_found_comes_into_sight_even_when_a_sorting_left_it_out(explorer: Explorer) -> None:
    explorer.open("targets=beverage&features=trait")
    explorer.click(explorer.header("columns", "beer"))
    explorer.settle()
    left_out = next(w for w in explorer.scores(model="small", targets="beverage").features if w not in explorer.rows())
    explorer.search(left_out)
    explorer.settle()
    assert left_out in explorer.rows()


def test_a_word_that_is_not_there_is_offered_to_be_added(explorer: Explorer) -> None:
    explorer.open("targets=beverage&features=gender")
    explorer.search("zebra")
    expect(explorer.page.locator("dialog.words")).to_be_visible()
    assert explorer.page.locator("#word").input_value() == "zebra"


def test_typed_words_appear_in_every_view_or_say_why_not(explorer: Explorer) -> None:
    explorer.open("targets=beverage&features=trait&rpin=calm")
    explorer.click("#actions button:has-text('Add words')")
    explorer.page.locator("#word").fill("lemonade, beer")
    explorer.page.keyboard.press("Enter")
    lines = explorer.page.locator(".typed li")
    expect(lines.filter(has_text="lemonade")).to_contain_text("strongest with")
    expect(lines.filter(has_text="beer")).to_contain_text("stands in the table already")
    explorer.click("dialog.words .chip:has-text('feature')")
    explorer.page.locator("#word").fill("nurse, qzxv")
    explorer.page.keyboard.press("Enter")
    expect(lines.filter(has_text="nurse")).to_contain_text("strongest with")
    expect(lines.filter(has_text="qzxv")).to_contain_text("lost: ")
    explorer.page.keyboard.press("Escape")
    explorer.settle()
    assert "lemonade" in explorer.columns()
    assert "nurse" in explorer.rows()
    explorer.page.wait_for_selector('.dots circle.typed[data-target="lemonade"]')
    link = explorer.page.url.split("?", 1)[1]
    explorer.page.goto("about:blank")
    explorer.open(link)
    assert "lemonade" in explorer.columns()


def test_a_typed_name_joins_the_bridge(explorer: Explorer) -> None:
    explorer.open("targets=beverage&features=gender&target=beer&feature=man&addname=nurse")
    assert explorer.page.locator("svg.names .name.typed").count() == 1
    explorer.click("#actions button:has-text('Add words')")
    expect(explorer.page.locator(".typed li")).to_contain_text("nurse goes most with")


def test_too_long_a_word_is_refused_with_the_reason(explorer: Explorer) -> None:
    explorer.open("targets=beverage&features=gender")
    explorer.click("#actions button:has-text('Add words')")
    explorer.page.locator("#word").fill("x" * 90)
    explorer.page.keyboard.press("Enter")
    expect(explorer.page.locator("dialog.words [role=status]")).to_contain_text("longer than 60 characters")
    assert "addtarget" not in explorer.query
