"""`tiltmeter replicate`: the published figures where their data are here, complete tables everywhere else."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="language models need the extra 'lm'")

from benchmarks.random_bert import save
from tiltmeter.lexicon.catalogue import word_set
from tiltmeter.replicate import padding
from tiltmeter.replicate.correlations import PAIRS
from tiltmeter.replicate.source import Request

from .commands import replicate, rows, tables

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("models"), layers=1, width=64)


def test_all_ten_effect_sizes_of_caliskan_et_al(shared: Path, tmp_path: Path) -> None:
    glove = shared / "data" / "glove-840b-caliskan-words.w2v.txt.xz"
    (table,) = tables("caliskan2017", "--data", glove, "-o", "run", folder=tmp_path)
    sizes = [figure for figure in table["figures"] if figure["figure"] == "effect size"]
    assert len(sizes) == 10
    assert all(figure["met"] for figure in sizes)
    assert all(f"{figure['measured']:.2f}" == f"{figure['published']:.2f}" for figure in sizes)
    assert all(figure["low"] <= figure["measured"] <= figure["high"] for figure in sizes)
    by_test = {figure["test"]: figure["measured"] for figure in table["figures"] if figure["figure"] == "p-value"}
    assert by_test["weat7"] == pytest.approx(0.018, abs=0.003)
    assert (tmp_path / "run" / "measurements.tsv").is_file()


def test_every_figure_of_dobrzeniecka_and_urbaniak_but_the_38_per_cent(shared: Path, tmp_path: Path) -> None:
    pytest.importorskip("numpyro", reason="the Bayesian estimate needs the extra 'bayes'")
    replicate("dobrzeniecka-urbaniak", "--data", shared / "data" / "bayesbias", "-o", "run", folder=tmp_path)
    found = rows(tmp_path / "run")
    compared = [row for row in found if row["published"] and row["measured"]]
    assert len([row for row in compared if row["table"].startswith("Posterior of")]) > 900
    missed = [row for row in compared if row["met"] == "no"]
    assert {row["table"] for row in missed} == {
        "Per cent of null samples with an effect size of 1.267 or more, either way"
    }
    unmeasured = [row for row in found if not row["measured"]]
    assert all("needs the embedding" in row["remark"] for row in unmeasured)


def test_may_et_al_give_all_tests_a_holm_mark_and_the_nine_columns(bert: Path, tmp_path: Path) -> None:
    sizes, marks = tables("may2019", "-m", bert, "-o", "run", folder=tmp_path)
    named = {(figure["test"], figure["of"]) for figure in sizes["figures"]}
    assert {("weat1", "words"), ("sent-weat10", "sentences"), ("heilman_double_bind_likable_1-", "sentences")} <= named
    assert len(named) > 40
    assert {(figure["test"], figure["of"]) for figure in marks["figures"]} == named
    assert {figure["measured"] for figure in marks["figures"]} <= {"*", "·", "–"}
    header, *lines = (tmp_path / "run" / "seat.tsv").read_text(encoding="utf-8").splitlines()
    assert len(header.split("\t")) == 9
    assert len(lines) == len(named)


@pytest.mark.parametrize("name", ["kurita2019", "puttick2024"])
def test_lpbs_of_five_tests(name: str, bert: Path, tmp_path: Path) -> None:
    (table,) = tables(name, "-m", bert, "-o", "run", folder=tmp_path)
    assert [figure["test"] for figure in table["figures"]] == ["weat1", "weat3", "weat6", "weat7", "weat8"]
    assert all(figure["low"] <= figure["measured"] <= figure["high"] for figure in table["figures"])


def test_crows_pairs_counts_the_1508_pairs_and_nine_types(bert: Path, shared: Path, tmp_path: Path) -> None:
    pairs = shared / "data" / "crows_pairs_anonymized.csv.xz"
    (table,) = tables("nangia2020", "-m", bert, "--data", pairs, "-o", "run", folder=tmp_path)
    counts, scores = table["figures"][:2], table["figures"][2:]
    assert [figure["measured"] for figure in counts] == [figure["published"] for figure in counts] == [1508, 9]
    assert len(scores) == 12
    assert all(0 <= figure["low"] <= figure["measured"] <= figure["high"] <= 100 for figure in scores)


def test_the_thesis_on_occupations_and_drinks(bert: Path, tmp_path: Path) -> None:
    found = tables("louis-alexandre2022", "-m", bert, "-p", "occupations", "-p", "drinks", "-o", "r", folder=tmp_path)
    assert len(found) == 8
    for table in found:
        assert all(figure["measured"] is not None or figure["remark"] for figure in table["figures"]), table["title"]
    ranks = next(table for table in found if table["title"].startswith("Ranks"))["figures"]
    assert len(ranks) == 21 * 2 * 3
    differences = [figure for figure in ranks if figure["figure"] == "difference"]
    assert all(
        figure["measured"] == female["measured"] - male["measured"]
        for figure, female, male in zip(differences, ranks[0::3], ranks[1::3], strict=True)
    )
    correlations = next(table for table in found if table["title"].startswith("Correlation"))["figures"]
    assert all(-1 <= figure["low"] <= figure["high"] <= 1 for figure in correlations)


def test_the_thesis_on_padding_texts(bert: Path, tmp_path: Path) -> None:
    """With few of the words: each of them takes a hundred passes over long texts."""
    some = {
        "targets": dataclasses.replace(word_set("occupation"), words=word_set("occupation").words[::15]),
        "names": dataclasses.replace(word_set("name"), words=word_set("name").words[::60]),
    }
    (table,) = padding.tables("xlnet-base", str(bert), Request((str(bert),), tmp_path), **some)
    assert len(table.figures) == 7 * 10 * 2
    assert all(isinstance(figure.measured, float) and 0 <= figure.measured <= 100 for figure in table.figures)
    assert sum(figure.published is not None for figure in table.figures) == 6 * 8 * 2


def test_the_thesis_on_all_categories(bert: Path, tmp_path: Path) -> None:
    (correlations,) = tables("louis-alexandre2022", "-m", bert, "-p", "correlations", "-o", "r", folder=tmp_path)
    assert [(figure["target"], figure["feature"]) for figure in correlations["figures"]] == list(PAIRS)
    assert all(math.isfinite(figure["measured"]) for figure in correlations["figures"] if not figure["remark"])


def test_dobrzeniecka_and_urbaniak_on_a_model(bert: Path, tmp_path: Path) -> None:
    pytest.importorskip("numpyro", reason="the Bayesian estimate needs the extra 'bayes'")
    found = tables("dobrzeniecka-urbaniak", "-m", bert, "-o", "run", folder=tmp_path)
    means, mac, shares, null = found
    assert {figure["test"] for figure in means["figures"]} == {"religion", "race", "gender", "weat1", "weat7"}
    assert [figure["debiasing"] for figure in mac["figures"]] == ["before", "hard", "soft"]
    assert all(figure["measured"] is not None for figure in (*mac["figures"], *shares["figures"]))
    assert null["figures"][1]["measured"] == pytest.approx(0.60, abs=0.01)


@pytest.mark.parametrize(
    "arguments",
    [
        ("caliskan2017",),
        ("may2019",),
        ("kurita2019",),
        ("puttick2024",),
        ("nangia2020",),
        ("louis-alexandre2022", "-p", "occupations", "-p", "drinks", "-p", "correlations"),
        ("dobrzeniecka-urbaniak",),
    ],
    ids=lambda arguments: str(arguments[0]),
)
def test_on_the_demo_models_every_table_is_complete_and_says_what_it_is_of(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    if arguments[0] == "dobrzeniecka-urbaniak":
        pytest.importorskip("numpyro", reason="the Bayesian estimate needs the extra 'bayes'")
    done = json.loads(replicate(*arguments, "--json", folder=tmp_path).stdout)
    assert done["told"].startswith("DEMO: the weights of the source (")
    assert done["models"] in (["demo:en"], ["demo:en-static"])
    for table in done["tables"]:
        assert table["figures"], table["title"]
        assert all(figure["measured"] is not None or figure["remark"] for figure in table["figures"]), table["title"]
    assert (tmp_path / f"replicate-{arguments[0]}" / "replication.tsv").is_file()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("calliskan2017",), "Did you mean 'caliskan2017'"),
        (("may2019", "--data", "."), "takes no --data"),
        (("louis-alexandre2022", "-p", "drink"), "Did you mean 'drinks'"),
        (("caliskan2017", "--data", "none.txt"), "no such file"),
        (("dobrzeniecka-urbaniak", "--data", "."), "no"),
    ],
)
def test_bad_input_is_one_clear_message_and_code_2(arguments: tuple[str, ...], says: str, tmp_path: Path) -> None:
    assert says in replicate(*arguments, folder=tmp_path, code=2).stderr


def test_without_a_name_the_sources_are_listed(tmp_path: Path) -> None:
    shown = replicate(folder=tmp_path).stdout
    for name in ("caliskan2017", "may2019", "kurita2019", "puttick2024", "nangia2020", "louis-alexandre2022"):
        assert name in shown
