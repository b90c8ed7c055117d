"""The kin of WEAT in a run: which tests they take, what the table holds, and what the page says of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltmeter.errors import InputError
from tiltmeter.metrics import METRICS
from tiltmeter.report.html import write_report
from tiltmeter.runs.plan import plan
from tiltmeter.runs.results import read_run
from tiltmeter.runs.run import run
from tiltmeter.runs.spec import METRIC_SPECS, SpecFile, parse_spec
from tiltmeter.runs.yaml_text import yaml_from


def spec(folder: Path, metrics: str, tests: str = "[weat7, gender]") -> SpecFile:
    text = f"models: [demo:en-static]\ntests: {tests}\nmetrics: {metrics}\n"
    return parse_spec(yaml_from(text, folder / "spec.yaml"))


def test_what_the_list_of_metrics_says_of_runs_is_so() -> None:
    assert {metric.name for metric in METRICS if "run" in metric.command.split(", ")} == set(METRIC_SPECS)


def test_each_takes_the_tests_that_it_is_made_for(tmp_path: Path) -> None:
    jobs = plan(spec(tmp_path, "[weat, wefat, rnd, ect, mac]")).jobs
    assert {(job.metric, job.subject.name) for job in jobs} == {
        *((metric, "weat7") for metric in ("weat", "wefat", "rnd", "ect", "mac")),
        ("mac", "gender"),
    }
    with pytest.raises(InputError, match="ect cannot be measured on 'gender'"):
        plan(spec(tmp_path, "[{metric: ect, tests: [gender]}]", tests="[weat7]"))


def test_a_run_of_them_ends_in_tables_and_a_page(tmp_path: Path) -> None:
    metrics = "[{metric: wefat, resamples: 100}, {metric: rnd, resamples: 100, samples: 199}, ect, mac]"
    run(spec(tmp_path, metrics), tmp_path / "run")
    rows = read_run(tmp_path / "run").measurements
    assert {row.metric for row in rows} == {"wefat", "rnd", "ect", "mac"}
    words = [row.details["word"] for row in rows if row.metric == "wefat"]
    assert "poetry" in words
    assert len(set(words)) == len(words)
    assert [row.details["set"] for row in rows if row.metric == "rnd"] == ["X", "Y"]
    assert all(row.low <= row.value <= row.high for row in rows)
    write_report(tmp_path / "run")
    tables = {path.name for path in (tmp_path / "run" / "tables").glob("*.tex")}
    assert {"wefat.tex", "rnd.tex", "ect.tex", "mac.tex"} <= tables
    shown = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "weat7: poetry" in shown
    assert "gender: neutral" in shown
    assert "No value says that there is no bias" in shown
