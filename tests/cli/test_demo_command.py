"""`tiltmeter demo` on a small real BERT that stands in for the one in the box."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

pytest.importorskip("torch", reason="language models need the extra 'lm'")

from benchmarks.random_bert import save
from tiltmeter.cli import demo as demo_command
from tiltmeter.cli.app import app
from tiltmeter.lexicon.catalogue import word_sets
from tiltmeter.models import named
from tiltmeter.report.findings import matrix_finding
from tiltmeter.runs.arrays import Arrays, of_jobs
from tiltmeter.runs.results import read_run

RARE = {"vodka": 99, "smoothie": 0, "nutritionist": 1, "males": 40, "Amy": 0}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A box with a small masked model that knows the words of the lexicon, of which some were rare in training."""
    box = tmp_path_factory.mktemp("box")
    folder = box / "en-masked"
    folder.mkdir()
    save(folder, layers=1, width=64)
    words = {part for words in word_sets().values() for text in words.texts for part in text.split()}
    few = {word for number, word in enumerate(word_sets()["name"].texts) if number % 8}  # 98 names are bridge enough
    counts = {word: RARE.get(word, 5 if word in few else 1_000) for word in sorted(words)}
    (folder / "counts.json").write_text(json.dumps(counts), encoding="utf-8")
    listed = [
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  en-masked/{file.name}\n" for file in sorted(folder.iterdir())
    ]
    (box / named.CHECKSUMS).write_text("".join(listed))
    return box


@pytest.fixture(scope="module")
def shown(box: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """What a person sees, and the run folder."""
    folder = tmp_path_factory.mktemp("demo") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(named, "_DEMO", box)
        done = CliRunner().invoke(app, ["demo", "--out", str(folder), "--no-browser"])
    assert done.exit_code == 0, done.output
    return folder, done.stdout, done.stderr


@pytest.mark.slow
def test_three_findings_with_intervals_are_told(shown: tuple[Path, str, str]) -> None:
    _, out, _ = shown
    assert [line[:2] for line in out.splitlines() if line[:2] in ("1.", "2.", "3.")] == ["1.", "2.", "3."]
    for said in ("1. Drinks, by way of", "2. Occupations, by way of", "3. Pairs of sentences: of 41", "95 % interval"):
        assert said in out
    assert out.index("woman more than man: ") < out.index("man more than woman: ") < out.index("girl more than boy: ")


@pytest.mark.slow
def test_rare_words_are_left_out_and_said_to_be(shown: tuple[Path, str, str]) -> None:
    folder, out, _ = shown
    assert "beverage: 2 of 18 left out, met fewer than 100 times in training: smoothie, vodka" in out
    assert re.search(r"name: 6\d\d of 779 left out, met fewer than 100 times", out)
    rows = read_run(folder).measurements
    assert not {row.details.get("target") for row in rows} & RARE.keys()
    reasons = {lost.word: lost.reason for row in rows for lost in row.lost}
    assert reasons["nutritionist"] == "the model met it once in training, fewer than 100"


@pytest.mark.slow
def test_the_findings_are_those_of_the_run_folder(shown: tuple[Path, str, str]) -> None:
    folder, out, _ = shown
    assert (folder / "report.html").is_file()
    run = read_run(folder)
    (drinks,) = (
        found for *_, found in of_jobs(folder, run.manifest, ["indirect"]) if found.about["row_set"] == "beverage"
    )
    columns, rows = drinks.about["columns"], drinks.about["rows"]
    to_target, to_feature = drinks.arrays["bridge_to_row"], drinks.arrays["bridge_to_column"]
    told = re.findall(r"^   (\w+) more than (\w+): (.*)$", out, re.MULTILINE)[:4]
    assert [(one, other) for one, other, _ in told] == [
        ("woman", "man"), ("man", "woman"), ("girl", "boy"), ("boy", "girl")]  # fmt: skip
    for one, other, links in told:
        for target, more, low in re.findall(r"“([^”]+)” (-?[\d.]+) \((-?[\d.]+) …", links):
            with_one, with_other = (
                np.corrcoef(to_target[rows.index(target)], to_feature[:, columns.index(each)])[0, 1]
                for each in (one, other)
            )
            assert float(more) == pytest.approx(with_one - with_other, abs=0.006)
            assert float(low) > 0


def test_links_are_told_by_the_difference_and_not_by_what_both_features_share() -> None:
    rng = np.random.default_rng(0)
    common, lean = rng.normal(size=(2, 150))
    # Tea goes with woman. Nurse goes with both, because common names go with everything.
    to_target = np.stack([lean + 0.5 * rng.normal(size=150), 3 * common + lean * 0.1 + 0.5 * rng.normal(size=150)])
    to_feature = np.stack([common + lean, common - lean], axis=1) + 0.5 * rng.normal(size=(150, 2))
    arrays = {"bridge_to_row": to_target, "bridge_to_column": to_feature}
    found = Arrays(arrays, {"rows": ["tea", "nurse"], "columns": ["woman", "man"]})
    head, womanly, manly, sure = matrix_finding(found, "things", [("woman", "man"), ("girl", "boy")])
    assert head == "Things, by way of 150 first names: “tea” goes with woman more than with man."
    assert womanly.startswith("woman more than man: “tea” 1.")
    assert manly == "man more than woman: none"
    assert "Of 2, 1 exclude 0 and 1 are open" in sure
    assert "hardly knows the words" in matrix_finding(found, "things", [("girl", "boy")])[0]


@pytest.mark.slow
def test_a_second_start_says_the_same_at_once_and_the_spec_does_it_again(
    shown: tuple[Path, str, str], box: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, out, _ = shown
    monkeypatch.setattr(named, "_DEMO", box)
    measured = (folder / "measurements.tsv").read_bytes()
    again = CliRunner().invoke(app, ["demo", "--out", str(folder), "--json"])
    told = json.loads(again.stdout)
    assert told["failed"] == []
    assert len(told["findings"]) == 3
    assert all(line in out for finding in told["findings"] for line in finding["said"])
    assert told["lost"]
    monkeypatch.chdir(folder)
    assert CliRunner().invoke(app, ["run", "spec.yaml", "--no-report"]).exit_code == 0
    assert (folder / "measurements.tsv").read_bytes() == measured


@pytest.mark.slow
def test_the_model_in_the_box_leans_as_its_novels_do(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["demo", "--out", str(tmp_path / "run"), "--json"])
    told = json.loads(done.stdout)
    assert told["failed"] == []
    drinks, occupations, pairs = (finding["said"] for finding in told["findings"])
    assert re.search(r"“tea”.* with woman more than with man; .*“beer”.* with man more than with woman", drinks[0])
    assert re.search(
        r"“nurse”.* with woman more than with man; .*“lawyer”.* with man more than with woman", occupations[0]
    )
    assert "the direction is open" in pairs[1]
    assert any(line.startswith("occupation: ") and "met fewer than 100 times" in line for line in told["lost"])


def test_without_its_model_the_demo_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named, "_DEMO", tmp_path)
    done = CliRunner().invoke(app, ["demo", "--out", str(tmp_path / "run"), "--no-browser"])
    assert done.exit_code != 0
    assert "no demo model" in str(done.exception)
    assert not (tmp_path / "run").exists()


def test_the_demo_leads_with_words_that_are_common_in_novels() -> None:
    assert demo_command.FEATURES[0] == ("woman", "man")
    assert demo_command.LEAST == 100
