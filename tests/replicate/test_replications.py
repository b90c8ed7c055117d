"""`tiltmeter replicate`: the published figures where their data are here, complete tables everywhere else."""

from __future__ import annotations

import csv
import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from tiltmeter.replicate.correlations import PAIRS

from .commands import need, replicate, rows, tables

pytestmark = pytest.mark.slow

Table = dict[str, Any]


@pytest.fixture(autouse=True)
def language_models() -> None:
    need("torch", "lm")


def _on_demo(*arguments: str, folder: Path) -> list[Table]:
    """The tables of a source on the demo model: complete, and labelled as what they are."""
    done = json.loads(replicate(*arguments, "--json", folder=folder).stdout)
    assert done["told"].startswith("DEMO: the weights of the source (")
    assert done["models"] in (["demo:en"], ["demo:en-static"])
    for table in done["tables"]:
        assert table["figures"], table["title"]
        _is_complete(table)
    assert (folder / f"replicate-{arguments[0]}" / "replication.tsv").is_file()
    assert (folder / f"replicate-{arguments[0]}" / "measurements.tsv").is_file()
    found: list[Table] = done["tables"]
    return found


def _is_complete(table: Table) -> None:
    assert all(figure["measured"] is not None or figure["remark"] for figure in table["figures"]), table["title"]


def _has_intervals(table: Table) -> None:
    for figure in table["figures"]:
        assert figure["measured"] is None or figure["low"] <= figure["measured"] <= figure["high"], figure


def test_all_ten_effect_sizes_of_caliskan_et_al(shared: Path, tmp_path: Path) -> None:
    glove = shared / "data" / "glove-840b-caliskan-words.w2v.txt.xz"
    (table,) = tables("caliskan2017", "--data", glove, "-o", "run", folder=tmp_path)
    by_figure = {
        what: [figure for figure in table["figures"] if figure["figure"] == what]
        for what in ("effect size", "p, normal fit", "p, exact")
    }
    sizes = by_figure["effect size"]
    assert [len(figures) for figures in by_figure.values()] == [10, 10, 10]
    assert all(f"{figure['measured']:.2f}" == f"{figure['published']:.2f}" for figure in sizes)
    assert all(figure["met"] for figure in sizes)
    assert all(figure["low"] <= figure["measured"] <= figure["high"] for figure in sizes)
    for figure in by_figure["p, normal fit"]:
        if figure["test"] == "weat7":
            assert figure["measured"] == pytest.approx(0.018, abs=0.001)
            assert figure["met"]
        else:  # a power of ten, rounded up
            assert figure["published"] / 10 < figure["measured"] < figure["published"]
    assert all(
        exact["measured"] < normal["measured"]
        for exact, normal in zip(by_figure["p, exact"], by_figure["p, normal fit"], strict=True)
    )
    assert (tmp_path / "run" / "measurements.tsv").is_file()


def test_every_figure_of_dobrzeniecka_and_urbaniak_but_one(shared: Path, tmp_path: Path) -> None:
    """39 % of similarities of race words are not what their distances give."""
    need("numpyro", "bayes")
    replicate("dobrzeniecka-urbaniak", "--data", shared / "data" / "bayesbias", "-o", "run", folder=tmp_path)
    found = rows(tmp_path / "run")
    compared = [row for row in found if row["published"] and row["measured"]]
    assert len([row for row in compared if row["table"].startswith("Posterior of")]) > 900
    missed = {(row["table"], row["what"]) for row in compared if row["met"] == "no"}
    assert missed == {
        ("Per cent of similarities within 0 ± 0.141, race test", "different / before"),
    }
    unmeasured = [row for row in found if not row["measured"]]
    assert all("needs the embedding" in row["remark"] for row in unmeasured)


def test_null_models_alone_need_no_model_and_measure_nothing(tmp_path: Path) -> None:
    (null,) = tables("dobrzeniecka-urbaniak", "-p", "null-models", "-o", "run", folder=tmp_path)
    first, drawn, exact = null["figures"]
    assert first["met"]
    assert first["measured"] == pytest.approx(38.86, abs=1.5)  # of 600,000 samples 38.86 %; 10,000 scatter by 0.5
    assert drawn["published"] is exact["published"] is None
    assert drawn["low"] < exact["measured"] < drawn["high"] < 1
    assert {path.name for path in (tmp_path / "run").iterdir()} == {"replication.tsv", "replication.json"}


def test_null_models_need_nothing_but_the_core(tmp_path: Path) -> None:
    replicate("dobrzeniecka-urbaniak", "-p", "null-models", "-o", "run", folder=tmp_path, without="numpyro")
    assert len(rows(tmp_path / "run")) == 3


def test_debiasing_alone_reads_the_distances_and_samples_no_posterior(shared: Path, tmp_path: Path) -> None:
    found = tables(
        *("dobrzeniecka-urbaniak", "-p", "debiasing", "--data", shared / "data" / "bayesbias", "-o", "run"),
        folder=tmp_path,
    )
    assert [table["source"].split(", ")[-1] for table in found] == ["table 2", "section 5.2", "section 5.2"]


def test_caliskan_et_al_on_the_demo(tmp_path: Path) -> None:
    (table,) = _on_demo("caliskan2017", folder=tmp_path)
    assert len(table["figures"]) == 30


def test_may_et_al_on_the_demo_give_all_tests_a_holm_mark_and_the_nine_columns(tmp_path: Path) -> None:
    sizes, matrix = _on_demo("may2019", folder=tmp_path)
    named = [(figure["test"], figure["of"]) for figure in sizes["figures"]]
    assert {("weat1", "words"), ("sent-weat10", "sentences"), ("heilman_double_bind_likable_1-", "sentences")} <= {
        *named
    }
    assert len(named) == 46
    assert [(figure["test"], figure["of"]) for figure in matrix["figures"]] == named
    for figure, mark in zip(sizes["figures"], matrix["figures"], strict=True):
        if figure["measured"] is None:
            assert (mark["demo:en"], mark["measured"], mark["remark"]) == ("–", None, "not measured")
        else:
            assert figure["p_value"] <= figure["p_corrected"]
            assert mark["demo:en"] == ("*" if figure["p_corrected"] <= 0.01 else "·")
    header, *lines = (tmp_path / "replicate-may2019" / "seat.tsv").read_text(encoding="utf-8").splitlines()
    assert len(header.split("\t")) == 9
    assert len(lines) == sum(figure["measured"] is not None for figure in sizes["figures"])


@pytest.mark.parametrize("name", ["kurita2019", "puttick2024"])
def test_lpbs_of_five_tests_on_the_demo(name: str, tmp_path: Path) -> None:
    (table,) = _on_demo(name, folder=tmp_path)
    assert [figure["test"] for figure in table["figures"]] == ["weat1", "weat3", "weat6", "weat7", "weat8"]
    _has_intervals(table)
    assert all(0 < figure["p_value"] <= figure["p_corrected"] <= 1 for figure in table["figures"])


def test_crows_pairs_on_the_demo(tmp_path: Path) -> None:
    (table,) = _on_demo("nangia2020", folder=tmp_path)
    assert len(table["figures"]) == 2 + 3 + 9
    assert all(0 < figure["p_value"] <= figure["p_corrected"] <= 1 for figure in table["figures"][2:])


def test_crows_pairs_on_the_published_file(shared: Path, tmp_path: Path) -> None:
    """On every fifteenth of its pairs: all of them take minutes."""
    with lzma.open(shared / "data" / "crows_pairs_anonymized.csv.xz", "rt", encoding="utf-8", newline="") as file:
        header, *pairs = csv.reader(file)
    assert len(pairs) == 1508
    with lzma.open(tmp_path / "some.csv.xz", "wt", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *pairs[::15]])
    (table,) = tables("nangia2020", "--data", "some.csv.xz", "-o", "run", folder=tmp_path)
    (count, types), scores = table["figures"][:2], table["figures"][2:]
    assert (count["published"], count["measured"]) == (1508, 101)
    assert types["published"] == types["measured"] == 9
    assert len(scores) == 12
    assert all(0 <= figure["low"] <= figure["measured"] <= figure["high"] <= 100 for figure in scores)
    assert {path.name for path in tmp_path.iterdir()} == {"some.csv.xz", "run"}
    spec = (tmp_path / "run" / "spec.yaml").read_text(encoding="utf-8")
    assert str(tmp_path / "some.csv.xz") in spec  # so that the run can be done again without the command


@pytest.mark.heavy
def test_the_thesis_on_the_demo(tmp_path: Path) -> None:
    parts = ("-p", "occupations", "-p", "drinks", "-p", "correlations")
    found = {table["title"]: table for table in _on_demo("louis-alexandre2022", *parts, folder=tmp_path)}
    assert len(found) == 9
    ranks = found["Ranks of the most gendered occupations of Bolukbasi et al. 2016"]["figures"]
    assert len(ranks) == 21 * 2 * 3
    differences = [figure for figure in ranks if figure["figure"] == "difference"]
    assert all(
        figure["measured"] == female["measured"] - male["measured"]
        for figure, female, male in zip(differences, ranks[0::3], ranks[1::3], strict=True)
    )
    beer = found["Beer and gender"]
    assert len(beer["figures"]) == 6 * 2
    by_gender = found["Correlation of direct and indirect scores, occupations and gender"]
    by_category = found["Correlation of direct and indirect scores"]
    assert [(figure["target"], figure["feature"]) for figure in by_category["figures"]] == list(PAIRS)
    # Tables 3.5 and 3.6 print one figure for both.
    (of_both,) = (
        each["measured"]
        for each in by_category["figures"]
        if (each["target"], each["feature"]) == ("occupation", "gender")
    )
    assert by_gender["figures"][0]["measured"] == pytest.approx(of_both)
    for table in (beer, by_gender, by_category):
        _has_intervals(table)


@pytest.mark.heavy
def test_the_padding_texts_of_the_thesis_on_the_demo(tmp_path: Path) -> None:
    need("torch", "lm")
    (table,) = _on_demo("louis-alexandre2022", "-p", "padding", folder=tmp_path)
    assert len(table["figures"]) == 7 * 10 * 2
    assert sum(figure["measured"] is not None for figure in table["figures"]) >= 6 * 10 * 2


def test_dobrzeniecka_and_urbaniak_on_the_demo(tmp_path: Path) -> None:
    need("numpyro", "bayes")
    means, mac, religion, race, null = _on_demo("dobrzeniecka-urbaniak", folder=tmp_path)
    assert {figure["test"] for figure in means["figures"]} == {"religion", "race", "gender", "weat1", "weat7"}
    assert [(figure["debiasing"], figure["figure"]) for figure in mac["figures"]] == [
        ("before", "MAC"),
        *((method, figure) for method in ("hard", "soft") for figure in ("MAC", "p-value")),
    ]
    _has_intervals(religion)
    _has_intervals(race)
    assert all(each["low"] <= each["measured"] <= each["high"] for each in mac["figures"] if each["figure"] == "MAC")
    assert null["figures"][2]["measured"] == pytest.approx(0.60, abs=0.01)


def test_without_a_name_the_sources_are_listed(tmp_path: Path) -> None:
    shown = replicate(folder=tmp_path).stdout
    for name in ("caliskan2017", "may2019", "kurita2019", "puttick2024", "nangia2020", "louis-alexandre2022"):
        assert name in shown
