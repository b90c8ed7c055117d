"""Small models of three kinds, and a spec that measures what fits each."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from tiltmeter.lexicon.catalogue import association_test
from tiltmeter.runs.ray_executor import RayExecutor
from tiltmeter.runs.run import run
from tiltmeter.runs.spec import read_spec

from .clusters import need_ray

MakeSpec = Callable[..., Path]
TESTS = ("weat6", "weat7", "weat8")


@pytest.fixture(scope="session")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of word vectors with the words of three tests."""
    path = tmp_path_factory.mktemp("vectors") / "small.txt"
    words: set[str] = set()
    for name in TESTS:
        test = association_test(name)
        words.update(word for side in (test.x, test.y, test.a, test.b) for word in side.texts)
    rng = np.random.default_rng(0)
    path.write_text(
        "".join(f"{word} {' '.join(f'{x:.4f}' for x in rng.standard_normal(20))}\n" for word in sorted(words)),
        encoding="utf-8",
    )
    return path


@pytest.fixture
def make_spec(tmp_path: Path, vectors: Path) -> MakeSpec:
    """A spec in a folder of its own; by default WEAT of three tests on the word vectors."""

    def make(text: str = "", name: str = "batch.yaml") -> Path:
        path = tmp_path / name
        given = text or "models: [{path: VECTORS, name: small}]\ntests: [weat6, weat7, weat8]\nmetrics: [weat, seat]\n"
        path.write_text(given.replace("VECTORS", str(vectors)), encoding="utf-8")
        return path

    return make


@pytest.fixture(scope="session")
def three_models(tmp_path_factory: pytest.TempPathFactory, vectors: Path) -> Path:
    """A spec with a static model, an encoder and a masked one, and all metrics that fit."""
    pytest.importorskip("torch", reason="language models need the extra 'lm'")
    from benchmarks.random_bert import save
    from tests.models.tiny import build

    folder = tmp_path_factory.mktemp("three")
    build(folder / "encoder", "bert")
    (folder / "masked").mkdir()
    save(folder / "masked", layers=1, width=64)
    spec = folder / "three.yaml"
    spec.write_text(
        f"""\
title: Three models
seed: 3
models:
  - path: {vectors}
    name: static
  - encoder
  - path: masked
tests: [{", ".join(TESTS)}]
metrics:
  - weat
  - seat
  - lpbs
  - crows
  - metric: indirect
    targets: beverage
    features: gender
    top: 7
""",
        encoding="utf-8",
    )
    return spec


@pytest.fixture(scope="session")
def three_measured(three_models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of that spec, done in this process: what every other way to do it is compared with."""
    folder = tmp_path_factory.mktemp("measured") / "run"
    assert not run(read_spec(three_models), folder).failed
    return folder


@pytest.fixture(scope="session")
def ray_here() -> Iterator[RayExecutor]:
    """Two workers on this machine, on one Ray that all tests use: it takes long to start."""
    need_ray()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Ray's own code
        executor = RayExecutor(workers=2)
        with executor.connected():
            yield executor
