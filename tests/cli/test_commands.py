"""The commands that show the lexicon, run as a user runs them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

PUBLISHED_TESTS = {
    *(f"weat{number}" for number in range(1, 11)),
    *("weat3b", "weat5b", "weat6b", "weat7b", "weat8b"),
    *("angry_black_woman_stereotype", "angry_black_woman_stereotype_b"),
    *(
        f"heilman_double_bind_{success}_{form}"
        for success in ("competent", "likable")
        for form in ("one_word", "one_sentence", "1", "1+3-", "1-")
    ),
}
PUBLISHED_COUNTS = {
    "beverage": 18,
    "country": 61,
    "occupation": 99,
    "sport": 30,
    "trait": 618,
    "age": 102,
    "year-of-birth": 102,
    "gender": 12,
    "race": 7,
    "religion": 12,
    "sexual-orientation": 7,
    "name": 779,
    "neutral": 226,
    "human": 85,
}

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def run() -> Run:
    def run_command(*arguments: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tiltmeter.cli.app", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False)
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    return run_command


def rows(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    parsed = json.loads(done.stdout)
    assert isinstance(parsed, list)
    return parsed


def test_list_sets_gives_the_published_counts(run: Run) -> None:
    counts = {row["name"]: row["words"] for row in rows(run("list", "sets", "--json"))}
    assert {name: counts.get(name) for name in PUBLISHED_COUNTS} == PUBLISHED_COUNTS


def test_list_tests_gives_every_published_test(run: Run) -> None:
    listed = {row["name"]: row["shape"] for row in rows(run("list", "tests", "--json"))}
    assert {name for name, shape in listed.items() if shape == "association"} >= PUBLISHED_TESTS
    assert {name for name, shape in listed.items() if shape == "multiclass"} >= {"gender", "race", "religion"}


@pytest.mark.parametrize("what", ["tests", "sets", "templates", "metrics", "models"])
def test_lists_are_tables_for_people_without_colours_when_piped(run: Run, what: str) -> None:
    done = run("list", what)
    assert len(done.stdout.splitlines()) > 3
    assert "\x1b" not in done.stdout
    names = [next(iter(row.values())) for row in rows(run("list", what, "--json"))]
    assert all(name in done.stdout for name in names)


def test_show_names_words_and_source(run: Run) -> None:
    shown = run("show", "weat7").stdout
    assert "algebra" in shown
    assert "Caliskan" in shown


def test_show_shows_each_entry_that_shares_a_name(run: Run) -> None:
    assert {entry["what"] for entry in rows(run("show", "religion", "--json"))} == {
        "multiclass test",
        "word set (sensitive)",
    }


def test_sentences_of_a_word_test_its_seat_version_and_a_template_set(run: Run) -> None:
    assert "X\tmath" in run("sentences", "weat7").stdout
    assert "Y\tThis is poetry." in run("sentences", "weat7", "--seat").stdout.splitlines()
    assert "People who work as accountants" in run("sentences", "occupation-trait", "--limit", "1").stdout


def test_limit_says_that_there_is_more(run: Run) -> None:
    done = run("sentences", "weat7", "--limit", "2")
    assert len(done.stdout.splitlines()) == 2
    assert "more" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("show", "waet7"), "Did you mean 'weat7'"),
        (("sentences", "ocupation-trait"), "'occupation-trait'"),
        (("sentences", "nothing-like-this"), "tiltmeter list tests"),
        (("list", "sets", "--lang", "xx"), "'xx'"),
        (("list", "nonsense"), "nonsense"),
    ],
)
def test_bad_input_is_one_clear_message_and_code_2(run: Run, arguments: tuple[str, ...], says: str) -> None:
    done = run(*arguments, code=2)
    assert says in done.stderr
    assert done.stdout == ""


def test_help_of_every_command_says_what_it_does(run: Run) -> None:
    listed = run("--help").stdout
    for command in ("list", "show", "sentences"):
        assert command in listed
        assert len(run(command, "--help").stdout.splitlines()) > 5


def test_shell_completion_is_offered(run: Run) -> None:
    assert "--install-completion" in run("--help").stdout
