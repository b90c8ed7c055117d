"""The progress bar: only for long work, and only on a terminal."""

from __future__ import annotations

import os
import re
import sys

import pytest

from tiltmeter.models import progress
from tiltmeter.models.progress import progress_bar


def work(monkeypatch: pytest.MonkeyPatch, patience: float) -> bytes:
    """What a terminal gets to see of a piece of work that takes `patience` seconds less than it shows a bar for."""
    monkeypatch.setattr(progress, "_PATIENCE", patience)
    monkeypatch.setenv("TERM", "xterm")
    terminal, inside = os.openpty()
    with os.fdopen(inside, "w") as stderr, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stderr)
        with progress_bar("a model") as report:
            for done in (1, 2, 3):
                report(done, 3)
        stderr.write("end")
        stderr.flush()
        seen = b""
        while not seen.endswith(b"end"):
            seen += os.read(terminal, 4096)
    os.close(terminal)
    return seen


def test_long_work_shows_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = work(monkeypatch, patience=0)
    assert b"a model" in seen
    assert b"100%" in seen
    assert re.search(rb"[\d,]+ a second, 3 of 3", seen)


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert work(monkeypatch, patience=60) == b"end"


def test_nothing_goes_into_a_file(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0)
    with progress_bar("a model") as report:
        report(1, 2)
    assert capfd.readouterr() == ("", "")
