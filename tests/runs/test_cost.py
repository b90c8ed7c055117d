"""What `tiltmeter plan` says of a run, beside what then happens."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tiltmeter.cli.plan import duration
from tiltmeter.cli.plan import plan as plan_command
from tiltmeter.runs.execute import LocalExecutor
from tiltmeter.runs.plan import plan
from tiltmeter.runs.run import Watcher, complete, run
from tiltmeter.runs.spec import SpecFile, read_spec
from tiltmeter.runs.store import RunFolder
from tiltmeter.runs.work import ModelWork

from .conftest import MakeSpec

pytest.importorskip("torch", reason="language models need the extra 'lm'")

METRICS = {
    "encoder": "[seat, weat]",
    "masked": "[weat, lpbs, {metric: direct, targets: beverage, features: gender, models: [it]}]",
    "causal": "[weat, lpbs, crows]",
    "xlnet": "[lpbs]",
}
ARCHITECTURES = {"encoder": ("bert", None), "masked": ("roberta", "masked"), "causal": ("gpt2", "causal")}


@pytest.fixture
def spec_of(tmp_path: Path) -> Callable[[str], SpecFile]:
    def make(kind: str) -> SpecFile:
        from tests.models.tiny import build

        architecture, head = ARCHITECTURES.get(kind, (kind, "causal"))
        build(tmp_path / "it", architecture, head)
        path = tmp_path / "spec.yaml"
        of_kind = "masked" if kind == "xlnet" else kind
        path.write_text(
            f"models: [{{path: it, kind: {of_kind}}}]\ntests: [weat6, weat7]\nmetrics: {METRICS[kind]}\nleast: 0\n"
        )
        return read_spec(path)

    return make


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(METRICS))
def test_what_is_planned_is_what_goes_through_the_model(
    spec_of: Callable[[str], SpecFile], kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from benchmarks.throughput import counted
    from tiltmeter.runs.cost import costs

    file = spec_of(kind)
    (cost,) = costs(planned := plan(file))
    store = RunFolder(tmp_path / "out")
    monkeypatch.setattr(store, "drop_cache", lambda: None)
    store.open("spec.yaml", "")
    with counted() as ran:
        work = ModelWork(planned.jobs, store.cache)
        summary = complete(file, planned, store, executor=LocalExecutor(), work=work, watcher=Watcher())
    store.close()
    assert not summary.failed
    assert not cost.failed
    assert cost.texts == ran.texts > 100
    assert cost.tokens == ran.tokens
    assert cost.cache_bytes == sum(file.stat().st_size for file in store.cache.rglob("*.states"))
    assert (cost.cache_bytes > 0) == (kind != "encoder")


@pytest.mark.slow
@pytest.mark.parametrize(("model", "kind", "lang"), [("demo:en", "masked", "en"), ("demo:de", "static", "de")])
def test_time_is_within_a_factor_of_two_on_the_demo_models(
    model: str, kind: str, lang: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In time of the processor, as of a machine that does nothing else: what else runs here now counts neither way."""
    from tiltmeter.runs.cost import costs

    (tmp_path / "spec.yaml").write_text(f"models: [{model}]\nlanguage: {lang}\n")  # as `tiltmeter audit` leaves it
    planned = plan(file := read_spec(tmp_path / "spec.yaml"))
    monkeypatch.setattr("time.perf_counter", time.process_time)
    (cost,) = costs(planned)
    assert (cost.kind, cost.failed) == (kind, ())
    assert (cost.texts > 0) == (kind == "masked")
    measured = run(file, tmp_path / "out").seconds
    assert measured / 2 < cost.seconds < 2 * measured


def test_flops_are_those_of_a_textbook_transformer(spec_of: Callable[[str], SpecFile]) -> None:
    """A layer of width d, with 2 d in its middle, multiplies each token by 4 d² + 2 · d · 2 d numbers."""
    from tests.models.tiny import LAYERS, WIDTH
    from tiltmeter.runs.cost import costs

    (cost,) = costs(plan(spec_of("encoder")))
    per_token = 2 * LAYERS * (4 * WIDTH**2 + 2 * WIDTH * 64)
    assert cost.flops > per_token * cost.tokens  # attention comes on top
    assert cost.flops == pytest.approx(per_token * cost.tokens, rel=0.3)


def test_checkpoints_of_one_model_are_rehearsed_once(tmp_path: Path) -> None:
    from tests.models.tiny import build
    from tiltmeter.runs.cost import costs, total

    for number in range(3):
        build(tmp_path / f"step{number}", "bert", seed=number)
        (tmp_path / f"step{number}/model.safetensors").write_text(f"{number}: never loaded")
    (tmp_path / "s.yaml").write_text("models: [step0, step1, step2]\ntests: [weat6]\nmetrics: [seat]\n")
    rehearsed: list[str] = []
    found = costs(plan(read_spec(tmp_path / "s.yaml")), lambda job: rehearsed.append(job.model.name))
    assert rehearsed == ["step0"]
    assert len({(one.texts, one.tokens, one.flops) for one in found}) == 1
    assert total(found).texts == 3 * found[0].texts
    assert total(found).seconds == pytest.approx(sum(one.seconds for one in found))


def test_the_command_says_so(make_spec: MakeSpec) -> None:
    app = typer.Typer()
    app.command()(plan_command)
    said = CliRunner().invoke(app, [str(make_spec()), "--json"], catch_exceptions=False)
    found = json.loads(said.stdout)
    assert found["all"]["jobs"] == 6
    assert (found["all"]["texts"], found["all"]["cache_bytes"]) == (0, 0)
    assert found["models"][0]["model"] == "small"
    assert found["all"]["seconds"] > 0
    assert "this machine" in CliRunner().invoke(app, [str(make_spec())], catch_exceptions=False).stdout


def test_durations_are_read_at_a_glance() -> None:
    assert [duration(seconds) for seconds in (0.25, 99, 200, 9_000, 1e6)] == [
        "0.25 s",
        "99 s",
        "3.3 min",
        "2.5 h",
        "12 days",
    ]
