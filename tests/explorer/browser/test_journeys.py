"""The design's five journeys and the thesis's study tasks (appendix C.1), five clicks each, on the model in the box."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page

from .explorer import Explorer, ends, eventually

pytestmark = pytest.mark.slow  # its first tables are computed here
MOST = 5


@pytest.fixture
def explorer(page: Page, demo_address: str) -> Explorer:
    page.set_default_timeout(180_000)
    return Explorer(page, demo_address)


def test_journey_1_the_strongest_cell_and_what_explains_it(explorer: Explorer) -> None:
    explorer.open()
    assert re.search(r"0\.\d\d", explorer.text(".plain"))
    explorer.click(".plain .word >> nth=0")
    explorer.page.wait_for_selector("#detail .sources li")
    assert "Holding" in explorer.text("#detail .why")
    assert explorer.clicks <= 3


def test_journey_2_which_occupations_are_ambitious_and_is_that_gender(explorer: Explorer) -> None:
    explorer.open()
    explorer.search("ambitious")
    explorer.settle()
    sentence = explorer.text("#detail .sentence")
    best = ends(explorer.scores(model="demo-en").row("ambitious"), 3)[:3]
    assert all(word in sentence for word in best)
    assert "Is it gender?" in explorer.text("#detail .alongside")
    explorer.click(f'#detail .barbutton[aria-label^="{best[0]}:"]')
    explorer.page.wait_for_selector("#detail .sources li")
    assert explorer.clicks <= MOST


def test_journey_3_engineeress_and_barista_are_placed_or_say_why_not(explorer: Explorer) -> None:
    explorer.open()
    explorer.click("#actions button:has-text('Add words')")
    explorer.page.keyboard.type("engineeress, barista")
    explorer.page.keyboard.press("Enter")
    lines = explorer.page.locator(".typed li")
    eventually(
        lambda: all(re.search("strongest with|lost: ", line) for line in lines.all_inner_texts()),
        explorer.page,
        "each word was to be scored, or to say why it is lost",
        seconds=120,
    )
    # No novel of the nineteenth century knows a barista: the score is shown, with that warning.
    assert "met 'barista' never in training" in lines.filter(has_text="barista").inner_text()
    assert lines.count() == 2
    assert explorer.clicks <= MOST


def test_journey_4_where_two_models_differ_most(explorer: Explorer) -> None:
    explorer.open("features=gender")
    explorer.click("[data-view=compare]")
    explorer.page.wait_for_selector("#compare-plot .differences button")
    first = explorer.text("#compare-plot .differences button")
    assert re.search(r".+ — .+\d\.\d\d against", first.replace("\n", " "))
    explorer.click("#compare-plot .differences button >> nth=0")
    assert explorer.page.locator("svg.agree text.picked").count() == 1
    assert explorer.clicks <= MOST


def test_journey_5_a_link_and_a_figure_for_a_colleague(explorer: Explorer) -> None:
    explorer.open("targets=beverage&features=gender&target=beer&feature=man")
    explorer.page.wait_for_selector("#detail .names")
    explorer.click("#actions button:has-text('Share')")
    link = explorer.page.get_by_label("Link to this view").input_value()
    assert link == explorer.page.url
    explorer.page.keyboard.press("Escape")
    assert explorer.save("detail", "Figure, as SVG").read_text("utf-8").startswith("<svg")
    assert explorer.clicks <= MOST


def test_task_1_what_goes_with_an_engineer_and_with_which_gender(explorer: Explorer) -> None:
    explorer.open()
    explorer.click(explorer.header("columns", "engineer"))
    explorer.settle()
    assert explorer.rows()[6:] == ends(explorer.scores(model="demo-en").column("engineer"))
    # Both in one look: the sensitive words stand above the traits.
    assert explorer.rows()[:6] == ["male", "female", "boy", "girl", "man", "woman"]
    assert "With gender" in explorer.text("#detail .body")
    assert explorer.clicks <= MOST


def test_task_1_for_france(explorer: Explorer) -> None:
    explorer.open("targets=country&features=beverage")
    explorer.click(explorer.header("columns", "France"))
    explorer.settle()
    assert explorer.rows()[6:] == ends(
        explorer.scores(model="demo-en", targets="country", features="beverage").column("France")
    )
    assert "With gender" in explorer.text("#detail .body")
    assert explorer.clicks <= MOST


def test_task_2_which_countries_go_with_beer_and_is_it_gender(explorer: Explorer) -> None:
    explorer.open("targets=country&features=beverage")
    explorer.search("beer")
    explorer.click("#detail button:has-text('Sort by it')")
    explorer.settle()
    scores = explorer.scores(model="demo-en", targets="country", features="beverage")
    assert explorer.columns() == ends(scores.row("beer"))
    assert re.search(
        r"goes (with|against) “\w+” \(.*\d\.\d\d|no word of gender for sure", explorer.text("#detail .alongside")
    )
    assert explorer.clicks <= MOST


@pytest.mark.parametrize(("view", "target"), [("", "engineer"), ("targets=country&features=beverage", "France")])
def test_task_3_group_the_targets(explorer: Explorer, view: str, target: str) -> None:
    explorer.open(view)
    explorer.click(explorer.header("columns", target))
    explorer.click(explorer.header("columns", target))
    explorer.settle()
    assert f"most and the 5 least like “{target}”" in explorer.text("#table .sentence")
    assert explorer.columns()[0] == target
    explorer.choose("Method", "tsne")
    explorer.settle()
    assert "t-SNE" in explorer.text("#map .foot")
    assert explorer.page.locator(f'.dots circle.selected[data-target="{target}"]').count() == 1
    assert explorer.clicks <= MOST


@pytest.mark.parametrize(
    ("targets", "features", "feature"), [("occupation", "trait", "ambitious"), ("country", "beverage", "beer")]
)
def test_task_4_group_the_features(explorer: Explorer, targets: str, features: str, feature: str) -> None:
    explorer.open(f"targets={targets}&features={features}")
    explorer.click(explorer.header("rows", feature))
    explorer.click(explorer.header("rows", feature))
    explorer.settle()
    assert f"like “{feature}”" in explorer.text("#table .sentence").split("Rows:")[1]
    scores = explorer.scores(model="demo-en", targets=targets, features=features)
    assert explorer.columns() == ends(scores.row(feature))
    assert explorer.clicks <= MOST


def test_a_category_that_the_model_hardly_met_cannot_be_chosen_and_says_why(explorer: Explorer) -> None:
    explorer.open("features=age")
    assert explorer.query["features"] != ["age"]
    age = explorer.page.get_by_label("Sensitive attribute", exact=True).locator("option[value=age]")
    assert age.is_disabled()
    assert "met fewer than 100 times in training" in (age.text_content() or "")


def test_the_sensitive_source_of_a_link_is_one_click_away(explorer: Explorer) -> None:
    explorer.open("target=nurse&feature=delicate")
    explorer.page.wait_for_selector("#detail .sources li")
    explorer.click("#detail .why .chip:has-text('gender')")
    assert "gender as a whole" in explorer.text("#detail .sources")
    assert explorer.clicks <= MOST
