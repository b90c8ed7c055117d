"""Two runs side by side."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tiltmeter.cli.compare import compare as compare_command
from tiltmeter.cli.report import report as report_command
from tiltmeter.errors import InputError
from tiltmeter.report.compare import Pair, compare, markdown
from tiltmeter.report.compare_page import comparison_page, write_comparison
from tiltmeter.report.figures import figures
from tiltmeter.report.latex import write_tables as write_latex
from tiltmeter.report.style import COLUMN, save

from .samples import everything, hostile, weat, write_run
from .test_html import Page

app = typer.Typer()
app.command("report")(report_command)
app.command("compare")(compare_command)


def test_the_interval_of_a_difference_by_hand() -> None:
    # a = 1 (0.7 … 1.4), b = 2 (1.6 … 2.5): 1 - √(.4² + .4²) = .434 to 1 + √(.5² + .3²) = 1.583
    a, b = replace(weat(value=1), low=0.7, high=1.4), replace(weat(value=2), low=1.6, high=2.5)
    pair = Pair(a, b)
    assert pair.difference == 1
    assert pair.interval == pytest.approx((1 - math.sqrt(0.32), 1 + math.sqrt(0.34)))
    assert pair.apart is True
    assert Pair(b, a).interval == pytest.approx((-1 - math.sqrt(0.34), -1 + math.sqrt(0.32)))


def test_the_same_run_twice_differs_in_nothing() -> None:
    found = compare(everything(), everything())
    assert len(found.pairs) == len(everything())
    assert not found.apart
    assert all(pair.difference == 0 for pair in found.pairs if not math.isnan(pair.first.value))


def test_what_has_no_interval_is_not_said_to_overlap() -> None:
    alone = replace(weat(), low=math.nan, high=math.nan)
    pair = Pair(alone, weat())
    assert pair.apart is None
    assert math.isnan(pair.interval[0])
    assert Pair(replace(weat(), level=0.9), weat()).as_dict()["difference_low"] is None


def test_one_model_each_is_matched_whatever_their_names() -> None:
    found = compare([weat(model="before"), weat("weat7", "before")], [weat(model="after", value=0.2, half=0.3)])
    assert [(pair.first.model, pair.second.model) for pair in found.pairs] == [("before", "after")]
    assert [row.test for row in found.only_first] == ["weat7"]
    assert found.only_second == ()


def test_models_in_both_runs_are_matched_with_themselves() -> None:
    found = compare([weat(model="a"), weat(model="b", value=0.5)], [weat(model="b"), weat(model="a")])
    assert [(pair.first.model, pair.second.model) for pair in found.pairs] == [("a", "a"), ("b", "b")]


def test_the_language_and_the_metric_are_part_of_the_match() -> None:
    english = weat()
    for other in (replace(english, language="de"), replace(english, metric="lpbs")):
        with pytest.raises(InputError, match="no measurement in common"):
            compare([english], [other])


def test_several_models_with_nothing_in_common_are_refused() -> None:
    with pytest.raises(InputError, match="no model in common: 'a', 'b' in the first, 'c' in the second"):
        compare([weat(model="a"), weat(model="b")], [weat(model="c")])


def test_a_measurement_made_twice_is_matched_in_its_turn() -> None:
    twice = [weat(value=1), weat(value=2)]
    assert [pair.difference for pair in compare(twice, [weat(value=1.5), weat(value=3)]).pairs] == [0.5, 1]


def test_settings_that_differ_are_named() -> None:
    first = weat(settings={"ddof": 1, "seed": 0, "fingerprint": "a"})
    second = weat(settings={"ddof": 0, "seed": 0, "fingerprint": "b"})
    assert any(sentence.endswith("a difference: ddof.") for sentence in compare([first], [second]).summary())
    assert not any("settings" in sentence for sentence in compare([first], [first]).summary())


def test_it_is_said_where_words_were_lost_on_one_side() -> None:
    fewer = weat(counts={"X": 8, "Y": 7, "A": 8, "B": 8})
    same = [weat("weat7")]
    assert any(
        "In 1 not as many words took part" in said for said in compare([weat(), *same], [fewer, *same]).summary()
    )
    assert not any("took part" in said for said in compare(same, same).summary())


def test_hostile_names_stay_in_their_cells() -> None:
    found = compare(hostile(), hostile())
    page = Page(comparison_page(found, ("<b>", "</table>")))
    assert page.open == []
    assert page.count("script") == 1
    lines = markdown(found).splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == len(found.pairs) + 2
    assert len({line.replace("\\\\", "").replace("\\|", "").count("|") for line in table}) == 1
    assert not any("<" in line for line in table)


def test_a_comparison_is_written_the_same_twice(tmp_path: Path) -> None:
    found = compare(hostile()[:3], hostile()[:3])
    first, second = (write_comparison(tmp_path / run, found, ("a", "$b$")) for run in ("x", "y"))
    assert {path.name for path in first} >= {"compare.html", "compare.md", "compare-weat-column.pdf"}
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


def test_the_page_says_which_run_is_the_first_and_which_way_the_difference_goes() -> None:
    found = compare([weat(model="bert")], [weat(model="bert debiased")])
    text = Page(comparison_page(found, ("before-run", "after-run"))).text
    assert "First: before-run (bert). Second: after-run (bert debiased)." in text
    assert "The difference is the second less the first" in text


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    inside = tmp_path / "file/inside"
    drawn = figures(everything())["significance"](COLUMN)
    writers: list[Callable[[], object]] = [
        partial(write_comparison, inside, compare(everything(), everything()), ("one", "two")),
        partial(write_latex, inside, everything()),
        partial(save, drawn, inside, "x"),
    ]
    for write in writers:
        with pytest.raises(InputError, match="cannot be written") as caught:
            write()
        assert str(inside) in str(caught.value)


def test_the_commands(tmp_path: Path) -> None:
    before = write_run(tmp_path / "before", [weat(), weat("weat7", value=0.4)])
    after = write_run(tmp_path / "after", [weat(value=0.2, half=0.1), weat("weat7", value=0.3)])
    run = CliRunner()
    done = run.invoke(app, ["report", str(before)])
    assert done.exit_code == 0, done.output
    assert (before / "report.html").exists()
    done = run.invoke(app, ["compare", str(before), str(after), "--json", "--out", str(tmp_path / "both")])
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)
    assert [(row["test"], row["intervals_apart"]) for row in rows] == [("weat6", True), ("weat7", False)]
    assert rows[0]["difference"] == pytest.approx(-1.0)
    assert (tmp_path / "both" / "compare.html").exists()
    done = run.invoke(app, ["compare", str(before), str(after)])
    assert "apart" in done.stdout
    done = run.invoke(app, ["report", str(tmp_path)])
    assert isinstance(done.exception, InputError)
