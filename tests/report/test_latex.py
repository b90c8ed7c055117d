"""LaTeX: every table compiles as it is, whatever stands in the names, and its captions say how and what was lost."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tiltmeter.measurement import Lost, Measurement
from tiltmeter.report.latex import document, tables, write_tables
from tiltmeter.report.latex_text import escape

from .samples import HOSTILE, everything, hostile, weat


def compiled(folder: Path, name: str) -> str:
    """The log of pdflatex, which must not have failed."""
    if shutil.which("pdflatex") is None:
        pytest.skip("needs pdflatex (Debian: texlive-latex-recommended and texlive-science)")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", name]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    log = (folder / name).with_suffix(".log").read_text(encoding="utf-8", errors="replace")
    assert done.returncode == 0, log[-2_000:]
    return log


@pytest.mark.parametrize("rows", [everything(), hostile(), []], ids=["everything", "hostile", "nothing"])
def test_all_tables_compile_as_they_are(rows: list[Measurement], tmp_path: Path) -> None:
    written = write_tables(tmp_path, rows)
    if not rows:
        assert [path.name for path in written] == ["all.tex"]
        return
    log = compiled(tmp_path, "all.tex")
    assert "LaTeX Error" not in log
    assert "Missing character" not in log
    assert not re.search(r"^! ", log, flags=re.MULTILINE)


def test_each_file_compiles_alone(tmp_path: Path) -> None:
    for path in write_tables(tmp_path, everything()):
        if path.name != "all.tex":
            alone = tmp_path / f"alone-{path.name}"
            alone.write_text(document([path.name]), encoding="utf-8")
            assert "Warning: Reference" not in compiled(tmp_path, alone.name)


def test_the_document_has_the_summary_first_and_then_the_order_of_the_page(tmp_path: Path) -> None:
    write_tables(tmp_path, everything())
    inputs = re.findall(r"\\input\{(.+?)\.tex\}", (tmp_path / "all.tex").read_text(encoding="utf-8"))
    assert inputs[:4] == ["summary", "weat", "seat", "lpbs"]


def test_a_long_table_goes_over_pages(tmp_path: Path) -> None:
    rows = [weat(f"own_test_{number}", model) for number in range(90) for model in ("a", "b")]
    write_tables(tmp_path, rows)
    compiled(tmp_path, "all.tex")
    assert "longtable" in (tmp_path / "weat.tex").read_text(encoding="utf-8")


def test_many_models_stand_in_several_tables(tmp_path: Path) -> None:
    rows = [weat("weat6", f"model-{number}") for number in range(11)]
    write_tables(tmp_path, rows)
    compiled(tmp_path, "all.tex")
    summary = (tmp_path / "summary.tex").read_text(encoding="utf-8")
    assert summary.count(r"\begin{tabular}") == 3
    assert all(f"model{{-}}{number}" in summary for number in range(11))


def test_what_is_said_beside_the_numbers() -> None:
    rows = [weat(p=0.004), weat("weat7", p=0.006), weat("weat8", p=0.5, lost=(Lost("algebra", "X", "unknown"),))]
    text = tables(rows)["weat"]
    assert r"\toprule" in text
    assert "S[table-format=" in text
    assert "p{-}value exact; interval BCa over all words" in text
    assert r"Lost: \textquotedblleft{}algebra\textquotedblright{}" in text
    assert "over all 3 tests" in text
    # Holm: .004 · 3 = .012 and .006 · 2 = .012 are above .01, though alone both would be below.
    assert not re.search(r"& \*", text)
    assert re.search(r"0\.004 & \*", tables(rows[:1])["weat"])


def test_a_tiny_p_value_is_no_zero_and_a_missing_number_is_a_dash() -> None:
    assert r"\num{1.0e-102}" in tables([weat(p=1e-102)])["weat"]
    text = tables([weat(value=math.nan, half=math.nan, p=math.nan)])["weat"]
    assert "{--} & {--} & {--} & --" in text
    assert "nan" not in text


def test_the_summary_has_a_column_for_each_model_and_a_dash_for_a_gap() -> None:
    text = tables([weat(), weat("weat7"), weat("weat6", "fasttext", value=-0.25, p=0.9)])["summary"]
    assert r"\quad weat6 & 1.20{*} & -0.25 \\" in text
    assert r"\quad weat7 & 1.20{*} & {--} \\" in text


@pytest.mark.parametrize("text", HOSTILE)
def test_no_command_of_a_name_is_left(text: str) -> None:
    escaped = escape(text)
    ours = (
        r"\\(textbackslash|textasciicircum|textasciitilde|textless|textgreater|textbar|textquotedbl|textquotesingle|"
        r"textasciigrave|allowbreak|footnotesize|ifdefined|Umathchar|else|fi|texttimes)\b|\\[{}$&#%_]"
    )
    assert "\\" not in re.sub(ours, "", escaped)
    assert "\n" not in escaped


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(st.text(max_size=40), min_size=10, max_size=10))
def test_any_text_compiles(tmp_path: Path, texts: list[str]) -> None:
    (tmp_path / "texts.tex").write_text("\n\n".join(f"x{escape(text)}" for text in texts), encoding="utf-8")
    (tmp_path / "any.tex").write_text(document(["texts.tex"]), encoding="utf-8")
    compiled(tmp_path, "any.tex")


def test_tables_of_names_that_a_file_system_folds_together_are_both_kept(tmp_path: Path) -> None:
    metrics = ["all", "ALL", "summary", "a/b", "a-b", "x" * 200 + "1", "x" * 200 + "2"]
    rows = [Measurement(model="m", test="t", metric=metric, value=1.0) for metric in metrics]
    names = [path.name.casefold() for path in write_tables(tmp_path, rows)]
    assert len(set(names)) == len(names) == len(metrics) + 2  # the summary, and the document


def test_a_long_account_of_what_took_part_does_not_run_off_the_page(tmp_path: Path) -> None:
    counts = {"associated": 175, "different": 1_750, "human": 11_190, "neutral": 31_640, "protected": 1_400}
    rows = [row if "bayes" not in row.metric else replace(row, counts=counts) for row in everything()]
    (tmp_path / "bayes.tex").write_text(tables(rows)["bayes"], encoding="utf-8")
    (tmp_path / "alone.tex").write_text(document(["bayes.tex"]), encoding="utf-8")
    assert "Overfull" not in compiled(tmp_path, "alone.tex")
