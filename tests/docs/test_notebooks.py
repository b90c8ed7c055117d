"""Notebooks are valid, run from top to bottom, and hold the outputs of doing so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .blocks import same
from .notebooks import executed, notebooks, printed


@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.name)
def test_a_notebook_is_of_format_4_5(path: Path) -> None:
    given = json.loads(path.read_text(encoding="utf-8"))
    assert (given["nbformat"], given["nbformat_minor"]) == (4, 5)
    assert given["metadata"]["kernelspec"]["name"] == "python3"
    ids = [cell["id"] for cell in given["cells"]]
    assert len(set(ids)) == len(ids) > 5
    for cell in given["cells"]:
        known = {"cell_type", "id", "metadata", "source"}
        assert set(cell) == known | ({"execution_count", "outputs"} if cell["cell_type"] == "code" else set())


@pytest.mark.slow
@pytest.mark.parametrize("path", notebooks(), ids=lambda path: path.name)
def test_a_notebook_prints_today_what_it_shows(path: Path, tmp_path: Path) -> None:
    shown = printed(json.loads(path.read_text(encoding="utf-8")))
    today = printed(executed(path, tmp_path))
    assert len(shown) == len(today)
    for before, now in zip(shown, today, strict=True):
        assert same(before, now), f"{before}\nis now\n{now}"
