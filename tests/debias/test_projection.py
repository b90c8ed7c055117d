"""Projections of encoders and masked models."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.models.tiny import build
from tiltmeter.bayes.embedding import alone
from tiltmeter.debias.blank_vectors import BlankVectors
from tiltmeter.debias.run import debias_model, report_on_model
from tiltmeter.debias.templates import fit_projection, in_sentences
from tiltmeter.errors import InputError, ModelError
from tiltmeter.lexicon.debias import bias
from tiltmeter.lexicon.tests import Passage
from tiltmeter.models.lm import Query
from tiltmeter.models.load import kind_of, lm_kind_of, load, load_lm
from tiltmeter.models.projection import read_projection

GENDER = bias("gender")
HERE = [Query("She is a ___."), Query("He is a ___.")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("models") / "bert", "bert", "masked", spread=0.3)


def test_at_the_blank_every_metric_sees_the_projected_model(folder: Path, tmp_path: Path) -> None:
    model = load_lm(folder)
    file = tmp_path / "gender.safetensors"
    made = fit_projection(model, GENDER)  # type: ignore[arg-type]
    made.write(file)
    projected = load_lm(f"{folder}+{file}")
    states = projected.blank_states(HERE)  # type: ignore[attr-defined]
    assert np.abs(states @ made.directions.T).max() < 1e-5
    assert np.abs(model.blank_states(HERE) @ made.directions.T).max() > 0.1  # type: ignore[attr-defined]
    before, after = (one.fill(HERE, ["doctor", "nurse", "the"]).log_p for one in (model, projected))
    assert np.abs(before - after).max() > 1e-3
    everything = [word for part, _ in projected.fill_vocabulary(HERE[:1]) for word in part]  # type: ignore[attr-defined]
    assert np.exp(projected.fill(HERE[:1], everything).log_p).sum() <= 1.0 + 1e-5
    assert projected.fingerprint != model.fingerprint
    assert projected.settings["projection"] == made.fingerprint
    assert (kind_of(f"{folder}+{file}"), lm_kind_of(f"{folder}+{file}")) == ("encoder", "masked")


def test_probabilities_still_sum_to_one(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "gender.safetensors"
    fit_projection(load_lm(folder), GENDER).write(file)  # type: ignore[arg-type]
    projected = load_lm(f"{folder}+{file}")
    ids = projected.sentence_tokens(["This is a word."])[0].ids  # type: ignore[attr-defined]
    vocabulary = range(len(projected._tokenizer))  # type: ignore[attr-defined]
    log_p = [
        projected.masked_token_log_probs([((*ids[:2], token, *ids[3:]), 2)])[0]  # type: ignore[attr-defined]
        for token in vocabulary
    ]
    assert np.exp(log_p).sum() == pytest.approx(1.0, abs=1e-5)


def test_the_state_cache_keeps_the_two_apart(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "gender.safetensors"
    fit_projection(load_lm(folder), GENDER).write(file)  # type: ignore[arg-type]
    cache = tmp_path / "cache"
    plain = load_lm(folder, cache=cache).fill(HERE, ["doctor"]).log_p
    projected = load_lm(f"{folder}+{file}", cache=cache).fill(HERE, ["doctor"]).log_p
    assert np.abs(plain - projected).max() > 1e-4
    assert np.array_equal(plain, load_lm(folder, cache=cache).fill(HERE, ["doctor"]).log_p)


def test_the_sentences_of_a_set_come_nearer_to_one_another(folder: Path) -> None:
    model = load(folder, kind="encoder")
    made = fit_projection(model, GENDER)
    seen = in_sentences(model, GENDER, "sentence")
    sets = [np.flatnonzero(seen.group == group) for group in np.unique(seen.group)]

    def apart(rows: NDArray[np.floating]) -> float:
        return float(sum(np.sum((rows[one] - rows[one].mean(axis=0)) ** 2) for one in sets))

    units = seen.rows / np.linalg.norm(seen.rows, axis=1, keepdims=True)
    assert apart(made.apply(units)) < 0.9 * apart(units)


def test_an_encoder_is_projected_as_it_computes(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "gender.safetensors"
    model = load(folder, kind="encoder")
    made = fit_projection(model, GENDER)
    made.write(file)
    projected = load(f"{folder}+{file}", kind="encoder")
    text = "She is a doctor."
    (vector,) = projected.embed([Passage(text, "doctor", 9, 15)]).vectors
    assert np.abs(made.directions @ vector).max() < 1e-5
    assert projected.fingerprint != model.fingerprint


def test_a_projection_says_where_it_belongs(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "blank.safetensors"
    fit_projection(load_lm(folder), GENDER).write(file)  # type: ignore[arg-type]
    with pytest.raises(ModelError, match="--at sentence"):
        load(f"{folder}+{file}", kind="encoder")
    other = build(tmp_path / "gpt", "gpt2", "causal")
    with pytest.raises(ModelError, match="projection"):
        load_lm(f"{other}+{file}")


def test_the_file_gives_back_what_was_written(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "gender.safetensors"
    made = fit_projection(load_lm(folder), GENDER, dimensions=2)  # type: ignore[arg-type]
    made.write(file)
    found = read_projection(file)
    assert np.array_equal(found.directions, made.directions)
    assert (found.at, found.bias, found.fitted_to) == ("blank", "gender", load_lm(folder).fingerprint)
    assert found.settings == made.settings


def test_a_projection_fits_the_model_that_it_was_fitted_to_and_no_other(folder: Path, tmp_path: Path) -> None:
    other = build(tmp_path / "other", "bert", "masked", spread=0.4)
    for kind, name in (("masked", "blank"), ("encoder", "sentence")):
        file = tmp_path / f"{name}.safetensors"
        fit_projection(load_lm(folder) if kind == "masked" else load(folder, kind="encoder"), GENDER).write(file)  # type: ignore[arg-type]
        with pytest.raises(ModelError, match="was fitted to another model"):
            (load_lm if kind == "masked" else load)(f"{other}+{file}", kind=kind)


def test_a_projection_fits_the_vectors_that_it_was_fitted_to(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "gender.safetensors"
    made = fit_projection(load(folder, kind="encoder", pooling="cls"), GENDER)
    made.write(file)
    assert load(f"{folder}+{file}", kind="encoder", pooling="cls").settings["projection"] == made.fingerprint
    with pytest.raises(ModelError, match="fitted with the pooling 'cls', not 'mean'"):
        load(f"{folder}+{file}", kind="encoder", pooling="mean")


def test_the_vector_of_a_word_is_the_mean_of_its_states_at_blanks(folder: Path) -> None:
    model = load_lm(folder)
    vectors = BlankVectors(model, GENDER, "before")  # type: ignore[arg-type]
    texts = [f"{word} {rest}" for word in ("nurse", "The nurse") for rest in ("works as a ___.", "is a ___.")]
    expected = model.blank_states([Query(text) for text in texts]).mean(axis=0)  # type: ignore[attr-defined]
    doctor, nurse = vectors.embed([alone("doctor"), alone("nurse")]).vectors
    assert nurse == pytest.approx(expected, abs=1e-5)
    assert np.abs(doctor - nurse).max() > 1e-3
    assert vectors.embed([]).vectors.shape == (0, len(expected))


@pytest.mark.parametrize("cut", [0, 4, 20, 200, -3])
def test_a_damaged_file_is_refused(folder: Path, tmp_path: Path, cut: int) -> None:
    file = tmp_path / "gender.safetensors"
    fit_projection(load_lm(folder), GENDER).write(file)  # type: ignore[arg-type]
    file.write_bytes(file.read_bytes()[:cut])
    with pytest.raises(InputError, match="no projection"):
        read_projection(file)


def test_a_file_that_is_not_there_is_named(folder: Path) -> None:
    with pytest.raises(InputError, match=r"no file 'lost\.safetensors'"):
        load_lm(f"{folder}+lost.safetensors")


@pytest.mark.slow
def test_a_masked_model_before_and_after(folder: Path, tmp_path: Path) -> None:
    small = dataclasses.replace(
        GENDER,
        contexts=(dataclasses.replace(GENDER.contexts[0], blanks=GENDER.contexts[0].blanks[:3]), GENDER.contexts[2]),
        labelled="",
        tests=(),
        scores=(),
    )
    out = tmp_path / "gender.safetensors"
    made = debias_model(str(folder), out, small, "blank", several_tokens=False)
    found = report_on_model(str(folder), out, small, made, tmp_path / "report", several_tokens=False)
    before, after = ({(row.metric, row.test): row for row in side} for side in (found.before, found.after))
    told = "recovered", "states after defining words, held out"
    assert 0 <= after[told].low < after[told].value < after[told].high <= 100 > before[told].low
    assert before["crows", after["crows", "tiltmeter-pairs-en"].test].counts["pairs"] > 20
    assert 0 <= after["predictions kept", "10 likeliest words"].value <= 100
    assert ("log-likelihood", "log P of a masked token") in after
    assert before["mac", "gender"].value != after["mac", "gender"].value
    assert any(metric.startswith("bayes") for metric, _ in after)
    assert len(found.posteriors) == len(found.distances) == 2
    assert 0 < after["moved", "states after words that should show no bias"].value < 2
    assert "projection at the blank" in (tmp_path / "report" / "debias.html").read_text()
