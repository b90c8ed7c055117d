"""`--lang`: the same commands in another language, run as a user runs them."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tiltmeter.lexicon.catalogue import association_test
from tiltmeter.lexicon.sampling import sample
from tiltmeter.models.named import language_of
from tiltmeter.runs.results import read_run

Run = Callable[..., subprocess.CompletedProcess[str]]
LANGUAGES = ("de", "es", "fr", "is", "it", "nl", "no", "tr")


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def run_command(*arguments: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tiltmeter.cli.app", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, cwd=tmp_path)
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    return run_command


def small_vectors(file: Path, lang: str) -> Path:
    """The words of WEAT 6, in which men's names lean to career."""
    rng = np.random.default_rng(1)
    test = association_test("weat6", lang)
    with file.open("w", encoding="utf-8") as out:
        for side, direction in ((test.x, 1), (test.a, 1), (test.y, -1), (test.b, -1)):
            for word in side.words:
                numbers = rng.normal(size=20) + direction * np.array([2.0, *[0] * 19])
                out.write(f"{word.text.replace(' ', '_')} {' '.join(f'{number:.5f}' for number in numbers)}\n")
    return file


def test_what_there_is_in_a_language(run: Run) -> None:
    sets = {row["name"]: row for row in json.loads(run("list", "sets", "--lang", "de", "--json").stdout)}
    assert sets["occupation"]["language"] == "de"
    assert "Blumen" in run("show", "flowers", "--lang", "de").stdout
    jobs = run("show", "occupation", "--lang", "nl").stdout
    assert "kapper / kapster" in jobs
    assert "arts / arts" not in jobs
    names = run("show", "name", "--lang", "no").stdout
    male, female = (names.index(f"words, {gender} (111)") for gender in ("male", "female"))
    assert male < names.index("Øystein") < female < names.index("Åshild")
    assert "masculine and a feminine version" in run("show", "name-trait", "--lang", "is").stdout
    assert "version" not in run("show", "name-sport", "--lang", "is").stdout
    templates = json.loads(run("list", "templates", "-l", "is", "--json").stdout)
    assert {row["language"] for row in templates} == {"is"}


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_sample_is_of_everything_and_can_be_drawn_again(lang: str) -> None:
    rows = sample(lang, 40)
    assert len({row.text for row in rows}) == 40
    assert len({row.source for row in rows}) >= 20  # template sets, tests and pairs
    assert sample(lang, 40) == rows != sample(lang, 40, seed=1)


def test_a_sample_for_a_native_reader(run: Run) -> None:
    lines = run("sentences", "--sample", "40", "--lang", "fr").stdout.splitlines()
    assert [line.split("\t")[1] for line in lines] == [row.text for row in sample("fr", 40)]
    assert "masculine and in the feminine of every name" in " ".join(
        run("sentences", "--sample", "1", "--lang", "fr").stderr.split()
    )
    assert run("sentences", "--sample", "1").stderr == ""  # no two forms in English


def test_a_sample_or_a_name_but_not_both(run: Run) -> None:
    assert "--sample" in run("sentences", code=2).stderr
    assert "--sample" in run("sentences", "weat1", "--sample", "3", code=2).stderr


def test_a_language_that_is_not_there_is_named(run: Run) -> None:
    for command in (["list", "sets"], ["sentences", "--sample", "5"]):
        error = run(*command, "--lang", "xx", code=2).stderr
        assert "'xx'" in error
        assert "Known: de, en, es" in error


def test_an_error_names_the_language(run: Run, tmp_path: Path) -> None:
    vectors = small_vectors(tmp_path / "de.txt", "de")
    error = " ".join(run("weat", vectors, "weat1", "--lang", "no", code=2).stderr.split())
    assert "test weat1 (no)" in error
    assert "language is no" in " ".join(run("weat", vectors, "--lang", "no", code=2).stderr.split())
    assert "in language 'de'" in run("show", "nurse", "--lang", "de", code=2).stderr.replace(
        "for language", "in language"
    )


def test_weat_in_a_language(run: Run, tmp_path: Path) -> None:
    lang = "tr"
    vectors = small_vectors(tmp_path / f"{lang}.txt", lang)
    (row,) = json.loads(run("weat", vectors, "weat6", "--lang", lang, "--json").stdout)
    assert row["language"] == lang
    assert row["value"] > 0.5
    assert row["lost"] == []
    assert f"language {lang}" in run("weat", vectors, "weat6", "--lang", lang).stdout


def test_a_run_over_several_languages_is_one_table(run: Run, tmp_path: Path) -> None:
    models = []
    for lang in ("en", "de", "no"):
        small_vectors(tmp_path / f"{lang}.txt", lang)
        models.append(f"  - path: {lang}.txt\n    name: vectors {lang}\n    language: '{lang}'\n")
    (tmp_path / "spec.yaml").write_text(
        "title: Three languages\nmodels:\n" + "".join(models) + "tests: [weat6]\nmetrics: [weat]\noutput: out\n",
        encoding="utf-8",
    )
    run("run", "spec.yaml", "--no-report")
    rows = read_run(tmp_path / "out").measurements
    assert sorted((row.language, row.test, row.model) for row in rows) == [
        ("de", "weat6", "vectors de"),
        ("en", "weat6", "vectors en"),
        ("no", "weat6", "vectors no"),
    ]
    (table,) = (tmp_path / "out").glob("measurements.tsv")
    with table.open(encoding="utf-8", newline="") as lines:
        named = [(row["language"], row["model"]) for row in csv.DictReader(lines, delimiter="\t")]
    assert sorted(named) == [("de", "vectors de"), ("en", "vectors en"), ("no", "vectors no")]


def test_a_demo_model_brings_its_language(run: Run) -> None:
    (row,) = json.loads(run("weat", "demo:de-static", "weat6", "--json").stdout)
    assert (row["language"], row["lost"]) == ("de", [])
    error = run("weat", "demo:de-static", "weat1", "--lang", "en", code=2).stderr
    assert "test weat1 (en)" in error
    assert "Default: of a demo model" in " ".join(run("weat", "--help").stdout.replace("│", " ").split())


def test_debiasing_looks_for_definitions_in_the_language_of_a_demo_model(run: Run) -> None:
    error = " ".join(run("debias", "demo:it-static", "--out", "less.txt", code=2).stderr.split())
    assert "no bundled definitions of a bias in language 'it'" in error


def test_an_audit_of_a_demo_model_is_in_its_language(run: Run, tmp_path: Path) -> None:
    run("audit", "demo:no-static", "--out", "own", "--no-report")
    rows = read_run(tmp_path / "own").measurements
    assert {row.language for row in rows} == {"no"}
    assert 'language: "no"' in (tmp_path / "own/spec.yaml").read_text(encoding="utf-8")
    assert language_of("demo:en", "demo:en-static") == "en"
    assert language_of("demo:fr-static+own.safetensors") == "fr"
    assert language_of("vectors.txt") == language_of("demo:fr-static", "demo:it-static") == language_of() == "en"


def test_the_explorer_says_at_once_that_there_are_no_words(run: Run) -> None:
    error = run("explore", "--no-browser", "--lang", "xx", code=2).stderr
    assert "'xx'" in error
    assert "Traceback" not in error
