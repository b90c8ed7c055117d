"""The commands for language models, run as a user runs them on a small masked model with the lexicon's vocabulary."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="language models need the extra 'lm'")

from benchmarks.random_bert import save

Run = Callable[..., subprocess.CompletedProcess[str]]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("bert"), layers=1, width=64)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def run(tmp_path: Path, cache: Path) -> Run:
    def run_command(*arguments: str | Path, code: int = 0) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tiltmeter.cli.app", *map(str, arguments)]
        environment = os.environ | {"TILTMETER_CACHE": str(cache)}
        done = subprocess.run(
            command, capture_output=True, text=True, encoding="utf-8", check=False, cwd=tmp_path, env=environment
        )
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    return run_command


def test_score_orders_words_by_their_probability(run: Run, bert: Path) -> None:
    rows = json.loads(run("score", bert, "She works as a ___.", "-w", "nurse, engineer,nurse", "--json").stdout)
    assert {row["details"]["word"] for row in rows} == {"nurse", "engineer"}
    assert rows[0]["value"] >= rows[1]["value"]
    assert rows[0]["settings"]["normalised"] == "over the vocabulary"
    assert all(row["low"] is None and row["metric"] == "log_probability" for row in rows)


def test_crows_gives_all_parts_with_intervals(run: Run, bert: Path) -> None:
    rows = json.loads(run("crows", bert, "--json").stdout)
    assert [row["details"]["part"] for row in rows][:4] == ["all", "stereotype", "antistereotype", "gender"]
    assert rows[0]["counts"]["pairs"] == sum(row["counts"]["pairs"] for row in rows[3:]) > 40
    assert all(0 <= row["low"] <= row["value"] <= row["high"] <= 100 for row in rows)


def test_crows_reads_a_file_of_pairs(run: Run, bert: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text("sent_more,sent_less\nThe nurse is kind.,The judge is kind.\n", encoding="utf-8")
    rows = json.loads(run("crows", bert, "--pairs", "mine.csv", "--json").stdout)
    assert rows[0]["counts"]["pairs"] == 1
    assert rows[0]["value"] in (0.0, 100.0)


def test_lpbs_prints_a_table_with_holm_marks(run: Run, bert: Path) -> None:
    done = run("lpbs", bert, "weat7", "weat8", "--family", "target attribute")
    assert "weat7" in done.stdout
    assert "Holm" in done.stdout
    assert "\x1b" not in done.stdout


def test_indirect_scores_and_what_explains_them(run: Run, bert: Path) -> None:
    arguments = ("indirect", bert, "-t", "beverage", "-f", "gender", "--resamples", "100", "--top", "3")
    rows = json.loads(run(*arguments, "--explain", "--sensitive", "race", "--json").stdout)
    assert len(rows) == 3
    for row in rows:
        assert row["low"] <= row["value"] <= row["high"]
        assert row["counts"]["names"] > 700
        assert "how common a name is" in {source["name"] for source in row["sources"]}
        assert {lost["word"] for lost in row["lost"]} >= {"males", "women"}
    table = run(*arguments, "--explain", "--sensitive", "race").stdout
    assert "explained best by" in table
    assert "commonness of names fixed" in table
    again = json.loads(run(*arguments, "--only", "tea", "--json").stdout)
    assert {row["details"]["target"] for row in again} == {"tea"}
    direct = json.loads(run(*arguments, "--direct", "--json").stdout)
    assert {row["metric"] for row in direct} == {"direct"}


def test_discover_searches_the_vocabulary(run: Run, bert: Path) -> None:
    rows = json.loads(run("discover", bert, "tea", "-t", "beverage", "--top", "2", "--json").stdout)
    assert len(rows) == 4
    assert rows[0]["value"] >= rows[1]["value"] > rows[3]["value"] >= rows[2]["value"]
    assert rows[0]["details"]["words_searched"] > 20_000


def test_a_damaged_cache_entry_is_said_in_a_line_and_computed_again(run: Run, bert: Path, cache: Path) -> None:
    arguments = ("score", bert, "The old ___ is here again.", "-w", "nurse,judge", "--json")
    before = set(cache.rglob("*.states"))
    first = run(*arguments)
    (shard,) = set(cache.rglob("*.states")) - before
    content = bytearray(shard.read_bytes())
    content[-1] ^= 1
    shard.write_bytes(content)
    mended = run(*arguments)
    assert mended.stdout == first.stdout
    assert mended.stderr.startswith(f"warning: {shard}: is damaged (its checksum does not fit its content)")
    assert mended.stderr.count("\n") == 1
    assert run(*arguments).stderr == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("score", "{bert}", "No blank here.", "-w", "nurse"), "No blank here."),
        (("score", "{bert}", "A ___.", "-w", ","), "no word to fill"),
        (("indirect", "{bert}", "-t", "ocupation"), "Did you mean 'occupation'"),
        (("indirect", "{bert}", "--direct", "--explain"), "no bridge of names"),
        (("crows", "{bert}", "--pairs", "none.csv"), "no such file"),
        (("discover", "{bert}", "nurze"), "not in the word set"),
        (("lpbs", "nowhere/at/all"), "nowhere/at/all"),
    ],
)
def test_bad_input_is_one_clear_message_and_code_2(run: Run, bert: Path, arguments: tuple[str, ...], says: str) -> None:
    done = run(*(str(bert) if argument == "{bert}" else argument for argument in arguments), code=2)
    assert says in done.stderr
