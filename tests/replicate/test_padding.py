"""The padding-text study of the thesis: done by the command, and reported while it lasts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tiltmeter.models.named import path_of
from tiltmeter.replicate import padding, thesis
from tiltmeter.replicate.source import Request
from tiltmeter.runs.job import Job
from tiltmeter.runs.run import Watcher
from tiltmeter.runs.store import Record

from .commands import need, tables

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def language_models() -> None:
    need("torch", "lm")


@pytest.fixture(scope="module")
def tiny_xlnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of one narrow layer that knows the words of the demo model, and is called like one of the thesis."""
    import torch
    from transformers import AutoTokenizer, BertConfig, BertForMaskedLM

    tokenizer = AutoTokenizer.from_pretrained(path_of("demo:en"))
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2
    )
    torch.manual_seed(0)
    model = BertForMaskedLM(config)
    folder = tmp_path_factory.mktemp("models") / "xlnet-base-tiny"
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def test_the_thesis_on_padding_texts(tiny_xlnet: Path, tmp_path: Path) -> None:
    (table,) = tables("louis-alexandre2022", "-p", "padding", "--model", tiny_xlnet, "-o", "run", folder=tmp_path)
    assert len(table["figures"]) == 7 * 10 * 2
    for figure in table["figures"]:
        if figure["feature"] == "year-of-birth":  # to a model of old novels no such year is one token
            assert figure["remark"].startswith("not measured: no word of the second set can be scored")
        else:
            assert 0 <= figure["measured"] <= 100
    unread = [figure for figure in table["figures"] if figure["published"] is None]
    assert {(figure["feature"], figure["texts"]) for figure in unread if figure["feature"] != "year-of-birth"} == {
        ("race", "2-3"),
        ("race", "2-4"),
    }
    assert len(unread) == (10 + 2) * 2
    assert all(padding.UNREAD in figure["remark"] for figure in unread)
    assert "prints 140 figures; 24 of them cannot be read" in table["note"]
    assert not (tmp_path / "run" / "cache").exists()
    assert not (tmp_path / "run" / padding.STATES).exists()


class _Stopped(Watcher):
    """Ctrl-C when the second text begins."""

    def started(self, job: Job) -> None:
        if "padding text 2" in job.title:
            raise KeyboardInterrupt


def test_a_study_that_is_stopped_goes_on_from_the_texts_that_are_done(tiny_xlnet: Path, tmp_path: Path) -> None:
    from benchmarks.throughput import counted

    stopped = Request((str(tiny_xlnet),), tmp_path / "run", parts=("padding",), watcher=_Stopped())
    with counted() as before, pytest.raises(KeyboardInterrupt):
        thesis.replicate(stopped)
    with counted() as after:
        (table,) = thesis.replicate(replace(stopped, watcher=None))
    with counted() as whole:
        (same,) = thesis.replicate(replace(stopped, folder=tmp_path / "whole", watcher=None))
    assert table.as_dict() == same.as_dict()
    assert before.texts > 0
    # Nothing goes through the model again, but for a few texts that are tried whenever one is opened.
    assert 0 <= before.texts + after.texts - whole.texts < 10


class _Heard(Watcher):
    """What is shown while a run lasts."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.ended_: list[str] = []
        self.batches: set[str] = set()
        self.jobs = 0

    def planned(self, jobs: Sequence[Job], kept: int) -> None:
        self.jobs = len(jobs) + kept

    def started(self, job: Job) -> None:
        self.begun.append(job.title)

    def batch(self, job: Job, done: int, total: int) -> None:
        assert done <= total
        self.batches.add(job.title)

    def ended(self, job: Job, record: Record | None, error: str) -> None:
        assert record is None
        assert not error
        self.ended_.append(job.title)


def test_each_padding_text_and_feature_is_reported_while_it_is_measured(tiny_xlnet: Path, tmp_path: Path) -> None:
    heard = _Heard()
    padding.tables("m", str(tiny_xlnet), Request((str(tiny_xlnet),), tmp_path, watcher=heard))
    assert heard.jobs == len(heard.begun) == 5 * 7
    assert heard.begun == heard.ended_
    assert heard.begun[0] == "m, padding text 1: indirect occupation × trait"
    assert heard.begun[-1] == "m, padding text 5: indirect occupation × year-of-birth"
    assert {title for title in heard.begun if title.endswith("trait")} <= heard.batches
