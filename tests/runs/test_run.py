"""Whole runs: what is in the folder, and that the same spec gives the same bytes."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tiltmeter.errors import InputError
from tiltmeter.measure.association import seat, weat
from tiltmeter.metrics.pairs import preferences
from tiltmeter.runs.arrays import read_arrays
from tiltmeter.runs.execute import LocalExecutor
from tiltmeter.runs.results import COLUMNS, read_run
from tiltmeter.runs.run import run
from tiltmeter.runs.spec import read_spec

from .commands import finished, results, times_done
from .conftest import MakeSpec


def test_measurements_are_those_of_the_library(make_spec: MakeSpec, vectors: Path, tmp_path: Path) -> None:
    summary = run(read_spec(make_spec()), tmp_path / "out")
    found = {(row.metric, row.test): row for row in read_run(tmp_path / "out").measurements}
    assert summary.measurements == len(found) == 6
    by_hand = weat(vectors, "weat7").measurement()
    assert found["weat", "weat7"].value == by_hand.value
    assert found["weat", "weat7"].p_value == by_hand.p_value
    assert found["weat", "weat7"].low == by_hand.low
    in_sentences = seat(vectors, "weat8").measurement()
    assert found["seat", "sent-weat8"].value == in_sentences.value
    assert found["seat", "sent-weat8"].lost == in_sentences.lost
    assert found["seat", "sent-weat8"].settings == in_sentences.settings


def test_holm_is_over_the_whole_table(make_spec: MakeSpec, tmp_path: Path) -> None:
    run(read_spec(make_spec()), tmp_path / "out")
    table = pl.read_parquet(tmp_path / "out/measurements.parquet")
    p = table["p_value"].to_list()
    smallest = int(np.argmin(p))
    assert table["p_adjusted"][smallest] == pytest.approx(min(1, len(p) * p[smallest]))
    assert len(p) == 6


def test_both_tables_say_the_same(make_spec: MakeSpec, tmp_path: Path) -> None:
    run(read_spec(make_spec()), tmp_path / "out")
    parquet = pl.read_parquet(tmp_path / "out/measurements.parquet")
    tsv = pl.read_csv(tmp_path / "out/measurements.tsv", separator="\t", schema=parquet.schema)
    assert tuple(parquet.columns) == COLUMNS
    texts = pl.col("adjustment", "method").fill_null("")
    assert parquet.with_columns(texts).equals(tsv.with_columns(texts))
    assert json.loads(parquet["counts"][0])["X"] == 8


def test_one_language_may_lack_the_words_of_a_test(make_spec: MakeSpec, tmp_path: Path) -> None:
    spec = make_spec("models: [{path: VECTORS, name: small}]\nmetrics: [weat]\n")
    summary = run(read_spec(spec), tmp_path / "out")
    assert not summary.failed
    assert any("weat1" in job and "'unpleasant'" not in job for job, _ in summary.skipped)
    skipped = [job for job in read_run(tmp_path / "out").manifest["jobs"] if job["skipped"]]
    assert len(skipped) == len(summary.skipped) > 0
    again = run(read_spec(spec), tmp_path / "out")
    assert again.kept == again.jobs


def test_a_test_that_was_named_must_fit(make_spec: MakeSpec, tmp_path: Path) -> None:
    spec = make_spec("models: [{path: VECTORS, name: small}]\ntests: [weat1, weat6]\nmetrics: [weat]\n")
    summary = run(read_spec(spec), tmp_path / "out")
    assert [job for job, _ in summary.failed] == ["small: weat weat1"]
    assert summary.measurements == 1
    assert read_run(tmp_path / "out").manifest["complete"] is False


def test_a_second_test_is_added_to_what_is_there(make_spec: MakeSpec, tmp_path: Path) -> None:
    text = "models: [{path: VECTORS, name: small}]\ntests: [TESTS]\nmetrics: [weat]\n"
    run(read_spec(make_spec(text.replace("TESTS", "weat6"))), tmp_path / "out")
    before = finished(tmp_path / "out")
    summary = run(read_spec(make_spec(text.replace("TESTS", "weat6, weat7"))), tmp_path / "out")
    assert summary.kept == 1
    assert before.items() <= finished(tmp_path / "out").items()
    assert [row.test for row in read_run(tmp_path / "out").measurements] == ["weat6", "weat7"]


def test_a_folder_with_other_files_is_left_alone(make_spec: MakeSpec, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("years of work")
    with pytest.raises(InputError, match="is no run"):
        run(read_spec(make_spec()), tmp_path / "mine")
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


@pytest.mark.slow
def test_three_kinds_of_models_end_to_end(three_models: Path, three_measured: Path) -> None:
    first = three_measured
    found = read_run(first)
    assert found.manifest["complete"]
    assert not any(job["skipped"] for job in found.manifest["jobs"])
    assert {(row.model, row.metric) for row in found.measurements} == {
        *((model, metric) for model in ("static", "encoder", "masked") for metric in ("weat", "seat")),
        *(("masked", metric) for metric in ("lpbs", "crows", "indirect")),
    }
    assert [model["kind"] for model in found.manifest["models"]] == ["static", "encoder", "masked"]
    assert {row.settings["fingerprint"] for row in found.measurements} == {
        model["fingerprint"] for model in found.manifest["models"]
    }
    assert not (first / "cache").exists()

    with (first / "seat.tsv").open(newline="") as file:
        table = list(csv.reader(file, delimiter="\t"))
    assert table[0] == [
        *("model", "options", "test", "p_value", "effect_size"),
        *("num_targ1", "num_targ2", "num_attr1", "num_attr2"),
    ]
    assert len(table) == 1 + 3 * 2 * 3

    assert all(job["arrays"] == (job["metric"] != "lpbs") for job in found.manifest["jobs"])
    pairs, matrix = (job for job in found.manifest["jobs"] if job["metric"] in ("crows", "indirect"))
    assert (pairs["metric"], matrix["metric"]) == ("crows", "indirect")
    scores = read_arrays(first / "arrays" / f"{pairs['hash']}.safetensors")
    preferred = preferences(scores.arrays["more"], scores.arrays["less"]) == 1
    age = np.array(scores.about["bias_type"]) == "age"
    crows = {row.details["part"]: row.value for row in found.measurements if row.metric == "crows"}
    assert (crows["all"], crows["age"]) == (100 * preferred.mean(), 100 * preferred[age].mean())

    arrays = read_arrays(first / "arrays" / f"{matrix['hash']}.safetensors")
    shown = [row for row in found.measurements if row.metric == "indirect"]
    assert len(shown) == matrix["measurements"] == 7
    place = (
        arrays.about["rows"].index(shown[0].details["target"]),
        arrays.about["columns"].index(shown[0].details["feature"]),
    )
    assert arrays.arrays["score"][place] == shown[0].value
    assert abs(shown[0].value) == np.nanmax(np.abs(arrays.arrays["score"]))

    table_p = pl.read_parquet(first / "measurements.parquet")
    holm = table_p.filter(pl.col("adjustment") == "Holm over the table")
    assert holm["p_adjusted"].min() == pytest.approx(min(1, len(holm) * holm["p_value"].min()))  # type: ignore[operator]
    assert len(holm) == len(found.measurements) - 7

    # Starting again does nothing, and gives the same bytes.
    before, bytes_before = finished(first), results(first)
    again = run(read_spec(three_models), first, executor=LocalExecutor(2))
    assert again.kept == again.jobs
    assert finished(first) == before
    assert set(times_done(first).values()) == {1}
    assert results(first) == bytes_before
