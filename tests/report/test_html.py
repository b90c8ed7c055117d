"""The report page: whole, safe whatever the names, and careful in what it says."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tiltmeter.errors import InputError
from tiltmeter.measurement import Lost, Measurement
from tiltmeter.report.compare import compare
from tiltmeter.report.figures import figures
from tiltmeter.report.html import report, write_report
from tiltmeter.report.latex import tables
from tiltmeter.report.meanings import leaning
from tiltmeter.report.style import PAGE
from tiltmeter.runs.results import read_run, write_tables

from .samples import HOSTILE, everything, hostile, manifest, sizes, weat, write_run
from .test_figures import texts

VOID = {"meta", "br", "input", "link", "img", "hr", "wbr", "line", "circle", "rect"}


class Page(HTMLParser):
    """What a browser would find: tags with their attributes, text, and whether every element is closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.headings: list[int] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("script", "style"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def count(self, tag: str) -> int:
        return sum(name == tag for name, _ in self.tags)


@pytest.mark.parametrize("rows", [everything(), hostile(), []], ids=["everything", "hostile", "nothing"])
def test_the_page_is_whole_and_asks_for_nothing(rows: list[Measurement]) -> None:
    about = manifest(title=HOSTILE[0], spec={word: [{word: word}] for word in HOSTILE})
    page = Page(report(rows, about))
    assert page.open == []
    assert page.count("script") == page.count("style") == 1
    assert not {"img", "iframe", "link", "object", "embed", "base", "form"} & {tag for tag, _ in page.tags}
    for tag, attributes in page.tags:
        assert not [name for name in attributes if name.startswith("on") or name in ("src", "srcset", "style")], tag
        assert str(attributes.get("href", "#")).startswith("#")
    assert "<script>alert(1)</script>" in page.text, "a name is shown as it is"
    assert "\u202e" not in page.text


def test_a_policy_forbids_what_the_page_does_not_hold() -> None:
    policies = [str(given["content"]) for _, given in Page(report([weat()], {})).tags if "http-equiv" in given]
    assert len(policies) == 1
    assert policies[0].startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policies[0]


def test_headings_go_down_one_step_at_a_time_and_ids_are_unique() -> None:
    page = Page(report(everything(), manifest()))
    assert page.headings[0] == 1
    assert page.headings.count(1) == 1
    steps = zip(page.headings, page.headings[1:], strict=False)
    assert all(after <= before + 1 for before, after in steps)
    ids = [str(given["id"]) for _, given in page.tags if "id" in given]
    assert len(ids) == len(set(ids))
    assert {str(given["href"])[1:] for tag, given in page.tags if tag == "a"} <= set(ids)


def test_every_table_has_a_caption_and_headers_with_a_scope() -> None:
    page = Page(report(everything(), manifest()))
    assert page.count("table") == page.count("caption") == page.count("thead") > 5
    assert all(given.get("scope") in ("row", "col") for tag, given in page.tags if tag == "th")


def test_the_summary_comes_first_and_says_what_was_found_how_sure_and_what_was_lost() -> None:
    rows = [
        weat("weat6", value=1.8, half=0.2, counts=sizes("weat6")),
        weat("weat7", value=0.1, half=0.5, p=0.4),
        weat("weat8", value=-0.1, half=0.5, p=0.5, lost=(Lost("algebra", "X", "not in the vocabulary"),)),
    ]
    text = Page(report(rows, manifest())).text
    found, sure, lost = (text.index(part) for part in ("What was found", "How sure this is", "What was left out"))
    assert found < sure < lost < text.index("Values by test and model")
    assert "3 results with an interval: the 95 % interval excludes 0 in 1 and includes it in 2." in text
    assert "1 of 3 p-values is at most 0.01" in text
    assert "weat6 (Male and female names, career and family) on glove, 1.80 (1.60 to 2.00)" in text
    assert "“Male Names” goes with “Career”, and “Female Names” with “Family”" in text
    assert "1 word or sentence took no part in 1 result: “algebra”" in text
    assert "1 job failed" in text
    assert "MemoryError: no room" in text
    assert "1 test did not fit the model" in text
    assert "2 tests without a result" in text


def test_a_verdict_needs_the_interval_and_the_corrected_p_value() -> None:
    rows = [
        weat("by interval alone", value=1.9, half=0.1, p=0.02),
        weat("by both", value=1.2, half=0.2, p=0.0001),
        weat("by p-value alone", value=0.9, half=1.0, p=0.0001),
    ]
    text = Page(report(rows, {})).text
    assert "Of 3 p-values, 2 are at most 0.01 after correction for the number of tests. Both hold for 1:" in text
    assert "The furthest from 0 of those for which both hold: by both on glove, 1.20" in text
    alone = Page(report([rows[0], rows[2]], {})).text
    assert "Both hold for 0" in alone
    assert "The furthest from 0 of those whose interval excludes it: by interval alone" in alone


def test_it_is_said_that_a_one_sided_p_value_stays_large_for_a_lean_the_other_way() -> None:
    one_sided = {"alternative": "greater"}
    rows = [weat(settings=one_sided), weat("weat7", value=-1.5, half=0.3, p=0.999, settings=one_sided)]
    said = "These p-values are one-sided: small only where X goes with A"
    text = Page(report(rows, {})).text
    assert said in text
    assert "By its interval, 1 result leans the other way." in text
    assert "p-values of WEAT and SEAT are one-sided" in text
    assert "p is one{-}sided" in tables(rows)["weat"]
    two_sided = [weat("a", value=-1.5, settings={"alternative": "two-sided"}), weat("b")]
    assert "one-sided" not in Page(report(two_sided, {})).text


def test_the_page_explains_its_columns_and_the_words_of_its_methods() -> None:
    text = Page(report([weat(), weat("weat7")], {})).text
    for word in ("How to read the tables", "in standard deviations", "Without bias", "Efron 1987", "not sampled"):
        assert word in text
    pairs = Page(report([row for row in everything() if row.metric == "crows"], {})).text
    for word in ("in standard deviations", "Without bias", "Efron 1987"):
        assert word not in pairs


def test_a_test_without_a_result_names_its_model_where_there_are_several() -> None:
    reason = "test weat1 (en): of the 25 words of Y, 0 have a vector in glove; 2 must."
    jobs = [{"model": "glove", "metric": "weat", "test": "weat1", "skipped": reason, "error": ""}]
    alone = Page(report([weat(), weat("weat7")], manifest(jobs=jobs))).text
    assert "Test Metric Reason weat1 WEAT of the 25 words of Y" in alone
    broken = [*jobs, {"model": "bert", "metric": "weat", "test": "weat1", "skipped": "", "error": "no such file"}]
    text = Page(report([weat(), weat("weat7")], manifest(jobs=broken))).text
    assert "Test Metric Model Reason weat1 WEAT bert no such file" in text


def test_cells_that_were_kept_for_their_size_are_not_counted() -> None:
    cells = [row for row in everything() if row.metric == "indirect"]
    text = Page(report([weat("weat6"), weat("weat7", value=0.1), *cells], {})).text
    assert "2 results have an interval. 1 points one way" in text
    assert "1 of 2 intervals that point one way" in text
    assert "A run keeps the strongest cells of a matrix" in text
    both = "The furthest from 0 of those for which both hold"
    assert f"{both}: nurse × kind on bert 0.50 (0.30 to 0.70); smith × kind on bert -0.30" in text
    assert "intervals that point one way" not in Page(report([weat("weat6"), *cells], {})).text


def test_as_many_words_are_lost_as_are_named() -> None:
    gone = tuple(Lost(word, side, why) for word, side, why in (("a", "X", "r"), ("a", "Y", "s"), ("b", "X", "r")))
    text = Page(report([weat(lost=gone), weat("weat7", lost=gone)], {})).text
    assert "2 words or sentences lost" in text
    assert "2 words or sentences took no part in 2 results: “a”, “b”" in text


def test_the_page_never_calls_a_model_biased_or_free_of_bias() -> None:
    text = Page(report(everything(), manifest())).text.lower()
    assert "is biased" not in text
    assert "unbiased" not in text
    assert "no evidence that there is no association" in text


def test_a_users_own_test_of_a_bundled_name_is_not_described_by_the_bundled_words() -> None:
    own = weat("weat6", counts={"X": 3, "Y": 3, "A": 3, "B": 3})
    assert leaning(own) == "X goes with A, and Y with B"
    assert "Male and female names" not in report([own], {})
    bundled = weat("weat6", value=-1, counts=sizes("weat6"))
    assert leaning(bundled) == "“Male Names” goes with “Family”, and “Female Names” with “Career”"


def test_the_stars_are_those_of_holm_over_the_whole_run() -> None:
    # Alone .004 is below .01; with two more tests in the run, of another metric, it is not: 3 · .004.
    others = [row for row in everything() if row.metric in ("lpbs", "crows")][:2]
    assert "0.004 *" in Page(report([weat(p=0.004)], {})).text
    assert "0.004 *" not in Page(report([weat(p=0.004), *others], {})).text


def test_a_table_of_very_many_rows_says_what_it_leaves_out() -> None:
    cells = [
        Measurement(
            model="m", test=f"t{place}", metric="indirect", value=place / 5_000, low=0, high=1,
            details={"target": "t", "feature": str(place), "p_adjusted": 0.5},
        )
        for place in range(5_000)
    ]  # fmt: skip
    page = report(cells, {})
    assert "the 100 strongest of 5,000 results; measurements.tsv holds all" in page
    assert "t4999" in page
    assert len(page) < 200_000


@pytest.mark.slow
def test_a_run_is_rendered_whole_and_the_same_twice(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", everything())
    before = {path.name for path in folder.iterdir()}
    written = write_report(folder)
    assert {path.name for path in folder.iterdir()} - before == {"tables", "figures", "report.html"}
    assert all(path.stat().st_size > 0 for path in written)
    first = {path: path.read_bytes() for path in written}
    (folder / "figures/mine.png").write_bytes(b"mine")
    assert {path: path.read_bytes() for path in write_report(folder)} == first
    assert str(tmp_path) not in (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_what_an_earlier_rendering_left_is_taken_away_and_nothing_else(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", [weat("weat6"), Measurement(model="m", test="t", metric="other", value=1.0)])
    write_report(folder)
    (folder / "figures/mine.png").write_bytes(b"mine")
    (tmp_path / "outside.tex").write_text("mine")
    with (folder / "tables/.rendered").open("a") as file:
        file.write("\n../../outside.tex\n../measurements.tsv")
    write_tables(folder, [weat("weat6")])
    written = {path for path in write_report(folder) if path.parent != folder}
    left = {path for name in ("tables", "figures") for path in (folder / name).iterdir() if path.name[0] != "."}
    assert left - written == {folder / "figures/mine.png"}
    assert (tmp_path / "outside.tex").exists()
    assert (folder / "measurements.tsv").exists()


def test_no_link_leads_out_of_the_folder(tmp_path: Path) -> None:
    folder = write_run(tmp_path / "run", [weat()])
    (tmp_path / "outside").mkdir()
    (folder / "tables").symlink_to(tmp_path / "outside")
    with pytest.raises(InputError, match="not a folder of the run itself"):
        write_report(folder)
    assert not list((tmp_path / "outside").iterdir())


def test_alpha_is_that_of_the_run(tmp_path: Path) -> None:
    for alpha, marked in ((0.01, False), (0.05, True)):
        run = read_run(write_run(tmp_path / str(alpha), [weat(p=0.03)], manifest(alpha=alpha)))
        page = report(run.measurements, run.manifest, alpha=run.alpha)
        assert ("0.030 *" in Page(page).text) is marked
        assert f"at most {alpha:g}" in page
        assert ("0.030 & *" in tables(run.measurements, alpha=run.alpha)["weat"]) is marked


def test_one_test_measured_twice_is_told_apart_by_its_settings() -> None:
    rows = [
        weat(settings={"p_value": "exact", "seed": 0}),
        weat(settings={"p_value": "sampled", "seed": 0}, value=1.1),
        weat("weat7"),
    ]
    text = Page(report(rows, {})).text
    assert "weat6 (p value: exact)" in text
    assert "weat6 (p value: sampled)" in text
    assert "weat7 (" not in text.replace("weat7 (Math", "")
    assert [row["test"] for row in compare(rows, rows).rows()] == [
        "weat6 (p value: exact)", "weat6 (p value: sampled)", "weat7",
    ]  # fmt: skip
    assert {"weat6 (p value: exact)", "weat6 (p value: sampled)", "weat7"} <= set(
        texts(figures(rows)["forest-weat"](PAGE)).split("\n")
    )
