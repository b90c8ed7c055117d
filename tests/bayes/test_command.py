"""`tiltmeter bayes`, run as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer
from typer.testing import CliRunner, Result

from tiltmeter.bayes.data import CONNECTIONS
from tiltmeter.cli.bayes import bayes
from tiltmeter.errors import TiltmeterError
from tiltmeter.lexicon.catalogue import multiclass_test, word_set

from .small import simulated


def run(*arguments: object) -> Result:
    app = typer.Typer()
    app.command()(bayes)
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def rows_of(result: Result) -> list[dict[str, Any]]:
    assert result.exit_code == 0, result.output
    rows: list[dict[str, Any]] = json.loads(result.stdout)
    return rows


@pytest.fixture
def file(tmp_path: Path) -> Path:
    data = simulated()
    lines = [
        f"{data.words[word]},{attribute},{CONNECTIONS[code]},{distance!r}"
        for word, attribute, code, distance in zip(
            data.word, data.attributes, data.connection, data.distance.tolist(), strict=True
        )
    ]
    path = tmp_path / "given.csv"
    path.write_text("\n".join(["protected_word,word_to_compare,connection,cosine_distance", *lines]))
    return path


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    test = multiclass_test("religion")
    words = [word for definition in test.definitions for word in definition]
    words += [word for stereotypes in test.stereotypes.values() for word in stereotypes]
    words += [*word_set("human").texts, *word_set("neutral").texts[:50]]
    rng = np.random.default_rng(0)
    path = tmp_path / "vectors.txt"
    with path.open("w") as out:
        for word in dict.fromkeys(words):
            out.write(" ".join([word, *(f"{number:.4f}" for number in rng.normal(size=12))]) + "\n")
    return path


def test_json_is_an_array_of_measurements(file: Path) -> None:
    rows = rows_of(run("--distances", file, "--json"))
    assert rows[0]["metric"] == "bayes contrast: associated - different"
    assert rows[0]["value"] == pytest.approx(-0.1, abs=0.08)
    assert rows[0]["settings"]["draws"] == 4000
    assert {row["level"] for row in rows} == {0.89}


def test_a_model_and_a_test_need_no_file_of_distances(vectors: Path) -> None:
    rows = rows_of(run(vectors, "--test", "religion", "--json", "--seed", 3))
    assert (rows[0]["model"], rows[0]["test"]) == ("vectors.txt", "religion")
    assert rows[0]["counts"]["associated"] == 55
    assert rows[0]["settings"]["seed"] == 3
    assert rows[0]["settings"]["controls"] == {"human": "human", "neutral": "neutral"}
    assert rows[0]["settings"]["fingerprint"]
    assert len([lost for lost in rows[0]["lost"] if lost["where"] == "neutral"]) == len(word_set("neutral")) - 50


def test_people_get_tables_and_a_sentence(file: Path) -> None:
    result = run("--distances", file, "--by-word", "--sensitivity")
    assert result.exit_code == 0
    for text in ("associated − neutral", "w3: human", "stand nearer to the attributes", "priors"):
        assert text in result.stdout
    assert "R-hat at most 1.00" in result.stderr


def test_figures_draws_and_before_and_after_are_written(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "debiased.csv"
    other.write_text(file.read_text())
    rows = rows_of(
        run(
            *("--distances", file, "--distances", other, "--before-after", "--json"),
            *("--figures", tmp_path / "figures", "--word", "w1", "--save", tmp_path / "draws.nc"),
        )
    )
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert {"given-connections.png", "debiased-words.pdf", "given-distances-w1.png", "before-after.pdf"} <= names
    assert {path.name for path in tmp_path.glob("*.nc")} == {"draws-given.nc", "draws-debiased.nc"}
    change = [row for row in rows if row["metric"] == "bayes change: associated"]
    assert [row["value"] for row in change] == pytest.approx([0], abs=0.02)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "there is nothing to measure"),
        (("--test", "religion"), "--test needs a model"),
        (("vectors.txt",), "no test is given"),
        (("--distances", "absent.csv"), "absent.csv"),
        (("--distances", "FILE", "--before-after"), "compares two data sets, not 1"),
        (("--distances", "FILE", "--word", "w9"), "no data set has the protected word 'w9'"),
        (("--distances", "FILE", "--prior-sd", "0"), "bar_sd is 0"),
        (("--distances", "FILE", "--draws", "0"), "draws is 0"),
    ],
)
def test_what_cannot_be_done_is_said(file: Path, arguments: tuple[str, ...], message: str) -> None:
    result = run(*(str(file) if each == "FILE" else each for each in arguments))
    assert isinstance(result.exception, TiltmeterError)
    assert message in str(result.exception)
