"""A finished run is explored without its model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.testclient import TestClient

from tiltmeter.errors import InputError
from tiltmeter.explorer.app import create_app
from tiltmeter.explorer.offer import finished, offered, slug
from tiltmeter.explorer.security import Hosts
from tiltmeter.models.lm import LanguageModel
from tiltmeter.models.masked import MaskedModel
from tiltmeter.runs.run import run
from tiltmeter.runs.spec import read_spec

from .ask import BASE, SMALL, Ask

SPEC = """\
title: To be explored
models: [{path: MODEL, name: the model}]
metrics:
  - {metric: indirect, targets: beverage, features: sport, top: 3}
  - {metric: indirect, targets: beverage, features: gender, top: 3}
  - {metric: direct, targets: beverage, features: sport, top: 3}
"""
SPORTS: dict[str, Any] = {"targets": "beverage", "features": "sport"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, model_folders: list[Path]) -> Path:
    root = tmp_path_factory.mktemp("run")
    spec = root / "spec.yaml"
    spec.write_text(SPEC.replace("MODEL", str(model_folders[0])), encoding="utf-8")
    run(read_spec(spec), root / "out")
    return root / "out"


@pytest.fixture(scope="module")
def of_run(folder: Path) -> Iterator[Ask]:
    def no_model(name: str) -> LanguageModel:
        raise AssertionError(f"{name} was loaded")

    app = create_app(offered([str(folder)], no_model), hosts=Hosts.of("127.0.0.1", 0), page={})
    with TestClient(app, base_url=BASE) as client:
        yield Ask(client)


def test_the_catalogue_offers_what_the_run_has(of_run: Ask) -> None:
    (model,) = of_run.json("catalogue")["models"]
    assert (model["id"], model["name"], model["source"]) == ("the-model", "the model", "run")
    assert {(one["targets"], one["features"], one["kind"]) for one in model["views"]} == {
        ("beverage", "sport", "indirect"),
        ("beverage", "gender", "indirect"),
        ("beverage", "sport", "direct"),
    }
    assert of_run.json("catalogue")["default"]["targets"] == "beverage"


@pytest.mark.parametrize("kind", ["indirect", "direct"])
def test_its_tables_are_those_of_the_model(of_run: Ask, ask: Ask, kind: str) -> None:
    """The run scores words of several tokens too: the words that both have are compared."""
    of_model, stored = ask.table(**SPORTS, kind=kind), of_run.table(**SPORTS, kind=kind)
    rows = [stored.header["rows"].index(word) for word in of_model.header["rows"]]
    columns = [stored.header["columns"].index(word) for word in of_model.header["columns"]]
    np.testing.assert_allclose(
        stored.arrays["score"][np.ix_(rows, columns)],
        of_model.arrays["score"],
        atol=0.02 if kind == "indirect" else 1e-3,
    )


def test_names_sources_maps_and_comparisons_need_no_model(of_run: Ask) -> None:
    cell = of_run.json("cell", **SPORTS, target="wine", feature="tennis")
    x, y = (np.array([one[side] for one in cell["names"]], dtype=float) for side in ("x", "y"))
    assert np.corrcoef(x, y)[0, 1] == pytest.approx(cell["score"], abs=1e-5)
    found = of_run.json("sources", **SPORTS, target="wine", feature="tennis", sensitive=["gender", "race"])
    assert {"woman", "gender"} <= {one["name"] for one in found["sources"]}
    assert "race" in found["note"]  # of which the run has no scores
    assert of_run.json("map", **SPORTS, by=["gender"])["attributes"]
    assert of_run.table("compare", **SPORTS, **{"with": "direct"}).header["unit"] == "sd"
    assert of_run.json("summary", **SMALL)["sentence"]


@pytest.mark.parametrize(
    ("what", "query"),
    [
        ("words", {"add_feature": "chess"}),
        ("cell", {"target": "wine", "feature": "chess"}),
        ("discover", {"target": "wine"}),
        ("blanks", {"a": "A ___.", "b": "The ___."}),
        ("table", {"add_name": "Zoltan"}),
    ],
)
def test_what_needs_the_model_says_so(of_run: Ask, what: str, query: dict[str, str]) -> None:
    view: dict[str, Any] = {} if what == "blanks" else SPORTS
    assert of_run.json(what, status=409, **view, **query)["error"]["code"] == "not_here"


def test_a_damaged_file_of_scores_is_told_without_its_path(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    (copy / "arrays").mkdir(parents=True)
    for name in ("manifest.json", "measurements.tsv"):
        (copy / name).write_bytes((folder / name).read_bytes())
    for file in (folder / "arrays").iterdir():
        (copy / "arrays" / file.name).write_bytes(file.read_bytes()[:200])
    app = create_app(finished(copy, set()), hosts=Hosts.of("127.0.0.1", 0), page={})
    with TestClient(app, base_url=BASE) as client:
        error = Ask(client).json("table", status=422, **SPORTS)["error"]
    assert "damaged" in error["message"]
    assert str(tmp_path) not in str(error)


def test_a_run_without_matrices_cannot_be_explored(tmp_path: Path, folder: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    text = (
        (folder / "manifest.json")
        .read_text(encoding="utf-8")
        .replace('"indirect"', '"weat"')
        .replace('"direct"', '"weat"')
    )
    (empty / "manifest.json").write_text(text, encoding="utf-8")
    (empty / "measurements.tsv").write_bytes((folder / "measurements.tsv").read_bytes())
    with pytest.raises(InputError, match="no matrices"):
        finished(empty, set())


def test_a_run_and_its_model_are_told_apart(folder: Path, models: list[MaskedModel], tmp_path: Path) -> None:
    two = offered([str(folder), str(folder)], lambda _: models[0])
    assert [one.name for one in two] == ["the model (run out) (the-model)", "the model (run out) (the-model-2)"]
    (tmp_path / "the model").mkdir()
    run, live = offered([str(folder), str(tmp_path / "the model")], lambda _: models[0])
    assert (run.name, live.name) == ("the model (run out)", "the model")
    (tmp_path / "direct").mkdir()
    assert offered([str(tmp_path / "direct")], lambda _: models[0])[0].id == "direct-2"  # direct is a kind of score


def test_names_in_addresses_are_short_and_never_twice() -> None:
    assert slug("bert-base-uncased", set()) == "bert-base-uncased"
    assert slug("../My Model!", set()) == "my-model"
    assert slug("a", {"a", "a-2"}) == "a-3"
    assert slug("日本", set()) == "model"
