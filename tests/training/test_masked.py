"""The recipe of the masked demo models: run twice it gives the same losses, and killed it goes on where it was."""

from __future__ import annotations

import json
import lzma
import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from training import corpus, start

ROOT = Path(__file__).parents[2]
SUBJECTS = {"woman": ("Mary", "Anne", "She"), "man": ("John", "Peter", "He")}
VERBS = ("walked", "rode", "went", "hurried", "came")
PLACES = ("church", "town", "market", "mill", "castle", "garden")


@pytest.fixture(scope="module")
def novels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two novels of made-up sentences, listed as the corpora's README lists them; and the words to know whole."""
    folder = tmp_path_factory.mktemp("novels")
    chance = random.Random(1)
    lines = []
    for _ in range(600):
        kind = chance.choice(sorted(SUBJECTS))
        lines.append(
            f"{chance.choice(SUBJECTS[kind])} {chance.choice(VERBS)} to the {chance.choice(PLACES)}. "
            f"What a fine {kind} you are, said Mr. Hill. So late!"
        )
    first, second = (sum(len(line.split()) for line in part) for part in (lines[:500], lines[500:]))
    with lzma.open(folder / "en.txt.xz", "wt", encoding="utf-8") as text:
        text.write("\n".join(lines) + "\n")
    (folder / "README.md").write_text(
        f"# Corpora\n\n### en\n- Hill: The Mill ({first:,} words)\n- Hill: The Castle ({second:,} words)\n",
        encoding="utf-8",
    )
    (folder / "words.txt").write_text("woman\nman\nMary\nJohn\nbarmaid\n", encoding="utf-8")
    return folder


def command(novels: Path, out: Path, *options: str) -> list[str]:
    return [
        sys.executable, "-m", "training.masked", str(novels / "en.txt.xz"), str(out),
        "--words", str(novels / "words.txt"), "--held-out", "Castle",
        "--vocabulary", "300", "--hidden", "32", "--heads", "2", "--layers", "2", "--slots", "512", "--steps", "50",
        "--warm-up", "5", "--save-every", "10", "--threads", "1", "--device", "cpu", *options,
    ]  # fmt: skip


def run(arguments: list[str]) -> None:
    done = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, check=False, env=environment())
    assert done.returncode == 0, done.stderr[-2000:]


def environment() -> dict[str, str]:
    return {**os.environ, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}


def log(out: Path) -> list[dict[str, float]]:
    entries = [json.loads(line) for line in (out / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    return [{key: value for key, value in entry.items() if key != "seconds"} for entry in entries]


@pytest.mark.slow
def test_fifty_steps_give_the_same_losses_again_and_after_a_kill(novels: Path, tmp_path: Path) -> None:
    run(command(novels, tmp_path / "one"))
    run(command(novels, tmp_path / "two"))
    losses = log(tmp_path / "one")
    assert [entry["step"] for entry in losses] == [10, 20, 30, 40, 50]
    assert losses[-1]["held_out_loss"] < losses[0]["held_out_loss"]  # it learns
    assert log(tmp_path / "two") == losses
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("one", "two")]
    assert weights[0] == weights[1]

    with subprocess.Popen(
        command(novels, tmp_path / "killed"),
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as killed:
        assert killed.stdout is not None
        next(line for line in killed.stdout if '"step": 30' in line)
        killed.send_signal(signal.SIGKILL)
    assert 20 <= log(tmp_path / "killed")[-1]["step"] < 50
    run(command(novels, tmp_path / "killed"))
    assert log(tmp_path / "killed")[-1] == losses[-1]
    assert (tmp_path / "killed" / "model.safetensors").read_bytes() == weights[0]


@pytest.mark.slow
def test_a_shallow_model_can_be_deepened_and_read_by_plain_transformers(novels: Path, tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    run(command(novels, tmp_path / "shallow", "--layers", "1", "--steps", "10"))
    run(command(novels, tmp_path / "deep", "--deepen", str(tmp_path / "shallow"), "--steps", "10", "--rate", "1e-9"))
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "deep")
    assert {"woman", "Mary", "Hi"} <= set(tokenizer.get_vocab())
    assert "barmaid" not in tokenizer.get_vocab()  # too rare
    assert json.loads((tmp_path / "deep" / "counts.json").read_text())["woman"] >= 20
    shallow, deep = (
        AutoModelForMaskedLM.from_pretrained(tmp_path / name, dtype=torch.float32).state_dict()
        for name in ("shallow", "deep")
    )
    for name, weight in shallow.items():
        torch.testing.assert_close(deep[name], weight, atol=1e-3, rtol=1e-3)
        if ".layer.0." in name:
            torch.testing.assert_close(deep[name.replace(".layer.0.", ".layer.1.")], weight, atol=1e-3, rtol=1e-3)


def test_sentences_end_where_a_reader_ends_them() -> None:
    text = 'Mr. J. Hill came. "Who?" asked Dr. Grey. "Him!" It was I. And so on… Then nothing'
    assert list(corpus.sentences(text)) == [
        "Mr. J. Hill came.", '"Who?" asked Dr. Grey.', '"Him!"', "It was I.", "And so on…", "Then nothing",
    ]  # fmt: skip


def test_a_novel_held_out_is_not_trained_on(novels: Path) -> None:
    books = corpus.novels(novels / "README.md", "en")
    train, held = corpus.split(corpus.paragraphs(novels / "en.txt.xz"), books, ["Castle"])
    assert (len(train), len(held)) == (500, 100)
    with pytest.raises(SystemExit, match="title of one novel"):
        corpus.split([], books, ["Hill"])
    with pytest.raises(SystemExit, match="do not fit"):
        corpus.split(["one two three four five"], [corpus.Novel("Too short", 4)], [])


def test_runs_join_neighbours_up_to_their_length() -> None:
    packed = corpus.pack([[1] * 4, [2] * 5, [3] * 9, [4] * 30, [5] * 2])
    assert corpus.runs(packed, 10).tolist() == [[0, 9], [9, 18], [18, 48], [48, 50]]


def test_pmi_puts_words_of_equal_company_together() -> None:
    chance = np.random.default_rng(3)
    # 0 and 1 keep the company of 4 to 7; 2 and 3 that of 8 to 11.
    text = corpus.pack([[a, int(chance.integers(4, 8) + 4 * (a > 1)), a] for a in chance.integers(0, 4, 4000).tolist()])
    vectors = start.pmi_vectors(text, 12, 6, window=1, seed=0)[:4]
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    alike = unit @ unit.T
    assert min(alike[0, 1], alike[2, 3]) > 0.9
    assert abs(alike[:2, 2:]).max() < 0.2
