"""`tiltmeter run`, `audit` and `init`, as a user types them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tiltmeter.cli.audit import audit
from tiltmeter.cli.init import init
from tiltmeter.cli.run import run
from tiltmeter.errors import InputError
from tiltmeter.runs.plan import plan
from tiltmeter.runs.results import read_run
from tiltmeter.runs.spec import read_spec

from .conftest import MakeSpec

app = typer.Typer()
app.command("run")(run)
app.command("audit")(audit)
app.command("init")(init)


def called(*words: str | Path) -> tuple[int, str]:
    """The exit code and standard output of a command."""
    result = CliRunner().invoke(app, [str(word) for word in words])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout


def test_a_run_says_where_it_is_and_what_it_did(make_spec: MakeSpec, tmp_path: Path) -> None:
    code, said = called("run", make_spec(), "--no-report", "--json")
    summary = json.loads(said)
    assert code == 0
    assert Path(summary["folder"]) == tmp_path / "batch-run"
    assert (summary["jobs"], summary["measurements"], summary["failed"]) == (6, 6, [])


def test_a_failed_job_is_in_the_exit_code(make_spec: MakeSpec) -> None:
    spec = make_spec("models: [{path: VECTORS, name: small}]\ntests: [weat1, weat6]\nmetrics: [weat]\n")
    code, said = called("run", spec, "--no-report", "--json")
    assert code == 1
    assert [one["job"] for one in json.loads(said)["failed"]] == ["small: weat weat1"]


def test_code_that_comes_with_a_model_needs_a_word_on_the_command_line(make_spec: MakeSpec) -> None:
    spec = make_spec("models:\n  - path: VECTORS\n    trust_remote_code: true\n")
    with pytest.raises(InputError, match=r"batch\.yaml:3: .*--trust-remote-code"):
        called("run", spec)


def test_an_audit_leaves_the_spec_behind(vectors: Path, tmp_path: Path) -> None:
    out = tmp_path / "audit"
    assert called("audit", vectors, "--out", out, "--no-report")[0] == 0
    found = read_run(out)
    assert {row.test for row in found.measurements} >= {"weat6", "weat7", "weat8"}
    assert read_spec(out / "spec.yaml").spec.models[0].path == str(vectors)
    code, said = called("run", out / "spec.yaml", "--no-report", "--json")
    summary = json.loads(said)
    assert code == 0
    assert Path(summary["folder"]) == out
    assert summary["kept"] == summary["jobs"]


def test_an_audit_leaves_that_of_another_model_of_the_same_name_alone(
    vectors: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / vectors.name
    other.write_bytes(vectors.read_bytes())
    assert called("audit", vectors, "--no-report")[0] == 0
    before = (tmp_path / "audit-small.txt/spec.yaml").read_bytes()
    with pytest.raises(InputError, match=f"holds the audit of {vectors}"):
        called("audit", other, "--no-report")
    assert (tmp_path / "audit-small.txt/spec.yaml").read_bytes() == before
    assert called("audit", vectors, "--no-report", "--seed", "1")[0] == 0


def test_the_example_runs_as_it_is_and_overwrites_nothing(tmp_path: Path) -> None:
    path = tmp_path / "my: run.yaml"
    assert called("init", path)[0] == 0
    assert read_spec(path).spec.output == "my: run-run"
    found = plan(read_spec(path))
    assert [(model.name, model.kind, model.language) for model in found.models] == [
        ("demo:it", "static", "it"),
        ("novels", "masked", "en"),
    ]
    assert {(job.model.name, job.metric) for job in found.jobs} == {
        *((name, "weat") for name in ("demo:it", "novels")),
        ("novels", "lpbs"),
    }
    before = path.read_bytes()
    with pytest.raises(InputError, match="exists already"):
        called("init", path)
    assert path.read_bytes() == before


def test_every_key_that_the_example_comments_out_is_one(tmp_path: Path) -> None:
    path = tmp_path / "example.yaml"
    called("init", path)
    text = path.read_text(encoding="utf-8")
    path.write_text(re.sub(r"^( *)# (?=(?:- | +)?\w+: )", r"\1", text, flags=re.MULTILINE), encoding="utf-8")
    spec = read_spec(path).spec
    assert (spec.language, spec.least) == ("en", 25)
    assert [model.name or model.path for model in spec.models][:4] == [
        "demo:it",
        "novels",
        "GloVe",
        "bert-base-uncased",
    ]
    assert spec.models[3].revision == "main"
    assert spec.models[4].pooling == "mean"
    assert [metric.metric for metric in spec.metrics or ()] == ["weat", "lpbs", "seat", "indirect", "bayes"]
