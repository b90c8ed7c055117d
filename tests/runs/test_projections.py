"""A debiased model in a spec: a model and a projection, wherever the run is started."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="language models need the extra 'lm'")

from tests.models.tiny import build
from tiltmeter.debias.run import debias_model
from tiltmeter.errors import InputError
from tiltmeter.explorer.offer import offered
from tiltmeter.lexicon.debias import bias
from tiltmeter.models.load import load_lm
from tiltmeter.models.named import training_counts
from tiltmeter.runs.plan import plan
from tiltmeter.runs.spec import read_spec


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model, and a projection of either place, side by side."""
    folder = tmp_path_factory.mktemp("spec")
    model = build(folder / "bert", "bert", "masked", spread=0.3)
    for place in ("blank", "sentence"):
        debias_model(str(model), folder / f"{place}.safetensors", bias("gender"), place)
    return folder


def _spec(folder: Path, models: str, metrics: str) -> Path:
    path = folder / "spec.yaml"
    path.write_text(f"models: [{models}]\ntests: [weat6]\nmetrics: [{metrics}]\n")
    return path


def test_each_projection_is_measured_by_what_sees_it(folder: Path) -> None:
    spec = _spec(folder, "bert, bert+blank.safetensors, bert+sentence.safetensors", "lpbs, seat")
    made = plan(read_spec(spec))
    assert [model.name for model in made.models] == ["bert", "bert+blank.safetensors", "bert+sentence.safetensors"]
    assert [model.kind for model in made.models] == ["masked", "masked", "encoder"]
    assert len({model.fingerprint for model in made.models}) == 3
    jobs = {(job.model.name, job.metric) for job in made.jobs}
    assert jobs == {
        ("bert", "lpbs"),
        ("bert", "seat"),
        ("bert+blank.safetensors", "lpbs"),
        ("bert+sentence.safetensors", "seat"),
    }


def test_a_projection_that_has_vanished_is_taken_to_be_the_same(folder: Path) -> None:
    spec = _spec(folder, "bert+kept.safetensors", "lpbs")
    kept = folder / "kept.safetensors"
    kept.write_bytes((folder / "blank.safetensors").read_bytes())
    first = plan(read_spec(spec))
    kept.unlink()
    again = plan(read_spec(spec), lambda: {model.name: model for model in first.models})
    assert [job.hash for job in again.jobs] == [job.hash for job in first.jobs]


def test_a_projection_that_no_metric_sees_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match=r"no metric of this run fits .*blank\.safetensors"):
        plan(read_spec(_spec(folder, "bert+blank.safetensors", "seat")))


def test_the_model_in_the_box_may_be_projected_too(tmp_path: Path) -> None:
    file = tmp_path / "gender.safetensors"
    debias_model("demo:en", file, bias("gender"), "blank")
    made = plan(read_spec(_spec(tmp_path, "demo:en+gender.safetensors", "lpbs, crows")))
    assert {job.model.name for job in made.jobs} == {"demo:en+gender.safetensors"}
    name = f"demo:en+{file}"
    assert training_counts(name) == training_counts("demo:en")
    (source,) = offered([name], load_lm)
    assert source.name == load_lm(name).name
