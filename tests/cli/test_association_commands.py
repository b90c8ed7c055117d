"""`tiltmeter weat` and `tiltmeter seat`, run as a user runs them on a small file of vectors."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tiltmeter.lexicon.catalogue import association_test

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The words of WEAT 6 and 7, in which male words lean a little to career and mathematics."""
    rng = np.random.default_rng(1)
    file = tmp_path_factory.mktemp("vectors") / "small.txt"
    lean: dict[str, int] = {}
    for name in ("weat6", "weat7"):
        test = association_test(name)
        for side, direction in ((test.x, 1), (test.a, 1), (test.y, -1), (test.b, -1)):
            lean |= {word.text: direction for word in side.words}
    with file.open("w", encoding="utf-8") as out:
        for word, direction in lean.items():
            numbers = rng.normal(size=30) + direction * np.array([1.5, *[0] * 29])
            out.write(f"{word} {' '.join(f'{number:.5f}' for number in numbers)}\n")
    return file


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def run_command(*arguments: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tiltmeter.cli.app", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, cwd=tmp_path)
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    return run_command


def test_json_is_one_array_of_measurements_and_nothing_else(run: Run, vectors: Path) -> None:
    rows = json.loads(run("weat", vectors, "weat6", "weat7", "--json").stdout)
    assert [row["test"] for row in rows] == ["weat6", "weat7"]
    for row in rows:
        assert {"model", "test", "metric", "value", "low", "high", "p_value", "lost"} <= set(row)
        assert row["low"] < row["value"] < row["high"]
        assert 0 < row["p_value"] < 0.05


def test_all_tests_that_fit_are_run_and_the_others_are_named(run: Run, vectors: Path) -> None:
    done = run("weat", vectors)
    assert "weat6 " in done.stdout
    assert "weat1 " not in done.stdout
    assert "skipped test weat1 (en): of the 25 words of X, 0 have a vector" in done.stderr
    assert "\x1b" not in done.stdout


def test_the_table_of_the_supplement_is_written(run: Run, vectors: Path, tmp_path: Path) -> None:
    run("weat", vectors, "weat7", "--tsv", "out.tsv")
    header, row = (tmp_path / "out.tsv").read_text(encoding="utf-8").splitlines()
    assert header.split("\t")[:3] == ["model", "options", "test"]
    assert row.split("\t")[2] == "weat7"


def test_ones_own_test_is_read_from_a_file(run: Run, vectors: Path, tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("# a, b\nmath,algebra\npoetry,art\nman,boy\nwoman,girl\n", encoding="utf-8")
    assert [row["test"] for row in json.loads(run("weat", vectors, "own.txt", "--json").stdout)] == ["own"]


def test_seat_puts_words_into_sentences(run: Run, vectors: Path) -> None:
    done = run("seat", vectors, "weat7", "--json")
    (row,) = json.loads(done.stdout)
    assert (row["test"], row["metric"]) == ("sent-weat7", "seat")
    # Of 80 sentences, those whose word stands in a plural that the file lacks are lost, and named.
    lost = [lost["word"] for lost in row["lost"] if lost["where"] == "A"]
    assert row["counts"]["A"] + len(lost) == 80
    assert "These are boys." in lost
    assert row["details"]["p_value_words"] != row["p_value"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("weat", "missing.txt", "weat7"), "there is no file or folder 'missing.txt'"),
        (("weat", "{vectors}", "waet7"), "Did you mean 'weat7'"),
        (("weat", "{vectors}", "weat1"), "of the 25 words of X, 0 have a vector"),
        (("weat", "{vectors}", "weat7", "--pooling", "cls"), "no option 'pooling'"),
        (("weat", "{vectors}", "weat7", "--tsv", "no/such/folder.tsv"), "cannot be written"),
        (("weat", "{vectors}", "weat7", "--p-value", "guessed"), "guessed"),
    ],
)
def test_bad_input_is_one_clear_message_and_code_2(
    run: Run, vectors: Path, arguments: tuple[str, ...], says: str
) -> None:
    done = run(*(str(vectors) if argument == "{vectors}" else argument for argument in arguments), code=2)
    assert says in done.stderr
