"""What is refused, what a message says of it, and that no folder loses or keeps what it should not."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest

from .commands import need, replicate

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def language_models() -> None:
    need("torch", "lm")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("calliskan2017",), "Did you mean 'caliskan2017'"),
        (("may2019", "--data", "."), "takes no --data"),
        (("louis-alexandre2022", "-p", "drink"), "Did you mean 'drinks'"),
        (("caliskan2017", "--data", "none.txt"), "no such file"),
        (("caliskan2017", "--data", ".", "--model", "demo:de"), "not both"),
        (("dobrzeniecka-urbaniak", "--data", "."), "no NAME.csv with a NAME.posterior.csv"),
        (("dobrzeniecka-urbaniak", "-p", "null-models", "--model", "demo:en-static"), "takes no --model"),
        (("caliskan2017", "--data", "junk.txt"), "junk.txt: is not a file of word vectors"),
        (("nangia2020", "--data", "junk.txt"), "junk.txt:1: has no column 'sent_more'"),
        (("nangia2020", "--data", "junk.txt.xz"), "junk.txt.xz:1: has no column 'sent_more'"),
        (("kurita2019", "--model", "no-such-model"), "'no-such-model' is neither a folder here nor in"),
        (("may2019", "--model", "demo:en", "--model", "demo:en"), "two models are called 'demo:en'"),
    ],
)
def test_bad_input_is_one_clear_message_and_code_2(arguments: tuple[str, ...], says: str, tmp_path: Path) -> None:
    """It names what was given, and not the spec that is made of it; and no folder is left."""
    (tmp_path / "junk.txt").write_text("junk junk\n", encoding="utf-8")
    (tmp_path / "junk.txt.xz").write_bytes(lzma.compress(b"junk junk\n"))
    error = " ".join(replicate(*arguments, folder=tmp_path, code=2).stderr.split())
    assert says in error
    assert "spec.yaml" not in error
    assert {path.name for path in tmp_path.iterdir()} <= {"junk.txt", "junk.txt.xz", "no-hub"}


def test_compressed_pairs_leave_nothing_where_nothing_was_measured(tmp_path: Path) -> None:
    with lzma.open(tmp_path / "pairs.csv.xz", "wt", encoding="utf-8") as file:
        file.write("sent_more,sent_less\nShe sang.,He sang.\n")
    replicate("nangia2020", "--data", "pairs.csv.xz", "--model", "no-such-model", folder=tmp_path, code=2)
    assert [path.name for path in tmp_path.iterdir()] == ["pairs.csv.xz"]


def test_a_folder_keeps_the_replication_that_is_in_it(tmp_path: Path) -> None:
    command = ("caliskan2017", "-o", "run")
    replicate(*command, folder=tmp_path)
    before = (tmp_path / "run" / "replication.tsv").read_bytes()
    told = json.loads((tmp_path / "run" / "replication.json").read_text(encoding="utf-8"))
    assert told["told"].startswith("DEMO: ")
    for other, says in (
        ((*command, "--model", "demo:de"), "other models (demo:en-static)"),
        ((*command, "--seed", "1"), "another seed (0)"),
        (("puttick2024", "-o", "run"), "another source (caliskan2017)"),
    ):
        error = " ".join(replicate(*other, folder=tmp_path, code=2).stderr.split())
        assert f"run: holds a replication of {says}, whose figures this one would replace." in error
        assert "--out" in error
    replicate(*command, folder=tmp_path)
    assert (tmp_path / "run" / "replication.tsv").read_bytes() == before


def test_further_parts_of_a_source_may_join_those_in_a_folder_but_not_replace_them(
    shared: Path, tmp_path: Path
) -> None:
    data = shared / "data" / "bayesbias"
    command = ("dobrzeniecka-urbaniak", "--data", data, "-o", "run", "-p", "null-models")
    replicate(*command, folder=tmp_path)
    replicate(*command, "-p", "debiasing", folder=tmp_path)
    assert "other parts" in replicate(*command, folder=tmp_path, code=2).stderr
