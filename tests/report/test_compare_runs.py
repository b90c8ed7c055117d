"""Two run folders side by side, with what they keep beside their tables."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tiltmeter.errors import InputError
from tiltmeter.lexicon.catalogue import association_test
from tiltmeter.measurement import Measurement
from tiltmeter.metrics.paired import correlation_difference, preference_difference
from tiltmeter.metrics.pairs import pair_scores, preferences
from tiltmeter.report.compare_runs import compare_runs
from tiltmeter.runs.arrays import Arrays, write_arrays
from tiltmeter.runs.results import Run, read_run
from tiltmeter.runs.run import run
from tiltmeter.runs.spec import read_spec

from .samples import everything, manifest, weat, write_run

NAMES = tuple(f"name{place}" for place in range(60))
ROWS, COLUMNS = ("nurse", "smith", "cook"), ("kind", "strong")
NUMBERS = ("score", "low", "high", "template_low", "template_high", "p_value", "adjusted")
Kept = list[tuple[list[Measurement], Arrays | None, str]]


def finished(folder: Path, kept: Kept) -> Run:
    """A run of such jobs: the rows of each, its arrays, and the digest of what it measured."""
    jobs: list[dict[str, Any]] = []
    (folder.parent / f"{folder.name}-arrays").mkdir(parents=True)
    for place, (rows, arrays, subject) in enumerate(kept):
        given = "bayes" if rows[0].metric.startswith("bayes") else rows[0].metric
        job = {"hash": f"{place:064x}", "model": rows[0].model, "metric": given, "test": "a test", "subject": subject}
        jobs.append({**job, "measurements": len(rows), "arrays": arrays is not None, "skipped": "", "error": ""})
        if arrays is not None:
            write_arrays(folder.parent / f"{folder.name}-arrays" / f"{place:064x}.safetensors", arrays)
    write_run(folder, [row for rows, _, _ in kept for row in rows], manifest(jobs=jobs))
    (folder.parent / f"{folder.name}-arrays").rename(folder / "arrays")
    return read_run(folder)


def crows(model: str, more: Any, less: Any, subject: str = "the pairs") -> tuple[list[Measurement], Arrays, str]:
    """Sixty pairs of two types, every third against a stereotype."""
    directions = ["antistereo" if place % 3 == 0 else "stereo" for place in range(60)]
    kinds = ["age", "gender"] * 30
    found = pair_scores(more, less, directions, kinds, resamples=200)
    parts = {"": found.overall, "stereotype": found.stereotype, "antistereotype": found.antistereotype, **found.by_type}
    rows = [
        Measurement(
            model=model, test=f"pairs {part}".strip(), metric="crows", value=one.score, low=one.interval.low,
            high=one.interval.high, p_value=one.p_value, counts={"pairs": one.pairs}, details={"part": part or "all"},
        )
        for part, one in parts.items()
    ]  # fmt: skip
    about = {"metric": "crows", "direction": directions, "bias_type": kinds}
    return rows, Arrays({"more": np.asarray(more), "less": np.asarray(less)}, about), subject


def indirect(
    model: str, targets: Any, features: Any, cells: list[tuple[str, str]], names: tuple[str, ...] = NAMES
) -> tuple[list[Measurement], Arrays, str]:
    """A matrix of correlations over names, and a table of some of its cells."""
    score = np.array([[np.corrcoef(x, y)[0, 1] for y in features.T] for x in targets])
    numbers = dict.fromkeys(NUMBERS, score) | {"low": score - 0.2, "high": score + 0.2}
    numbers |= {"p_value": abs(score) / 9, "adjusted": abs(score)}
    arrays = {**numbers, "n": np.full(score.shape, 60), "bridge_to_row": targets, "bridge_to_column": features}
    rows = []
    for target, feature in cells:
        at = ROWS.index(target), COLUMNS.index(feature)
        of = {name: float(numbers[name][at]) for name in NUMBERS}
        details = {"target": target, "feature": feature, "p_adjusted": of["adjusted"]}
        details |= {name: of[name] for name in ("template_low", "template_high")}
        rows.append(
            Measurement(
                model=model, test=f"{target} × {feature}", metric="indirect", value=of["score"], low=of["low"],
                high=of["high"], p_value=of["p_value"], counts={"names": 60}, details=details,
            )
        )  # fmt: skip
    about = {"metric": "indirect", "rows": list(ROWS), "columns": list(COLUMNS), "bridge": list(names)}
    return rows, Arrays(arrays, about), "a matrix"


def two_models() -> tuple[Any, Any, Any, Any]:
    """Scores of pairs by a model and by one that differs a little; and of names with targets and with features."""
    rng = np.random.default_rng(0)
    more, targets, features = rng.standard_normal(60), rng.standard_normal((3, 60)), rng.standard_normal((60, 2))
    return more, more + 0.2 * rng.standard_normal(60), targets, features


def test_pairs_of_sentences_are_resampled_in_both_runs_together(tmp_path: Path) -> None:
    before, after, _, _ = two_models()
    less = np.full(60, 0.1)
    found = compare_runs(
        finished(tmp_path / "a", [crows("a", before, less)]), finished(tmp_path / "b", [crows("b", after, less)])
    )
    assert [pair.paired is not None for pair in found.pairs] == [True] * 5
    whole, _, anti, _, gender = found.pairs
    outcomes = [preferences(more, less) for more in (before, after)]
    for pair, chosen, ties_count in (
        (whole, slice(None), True),
        (anti, slice(None, None, 3), False),
        (gender, slice(1, None, 2), True),
    ):
        value, interval = preference_difference(*(one[chosen] for one in outcomes), ties_count=ties_count)
        assert pair.difference == pytest.approx(value)
        assert pair.interval == (interval.low, interval.high)
    low, high = replace(whole, paired=None).interval
    assert whole.interval[1] - whole.interval[0] < (high - low) / 2
    assert whole.as_dict()["paired"] is True
    assert any(said.startswith("In 5 both runs kept the scores") for said in found.summary())


def test_other_pairs_or_none_that_are_kept_are_taken_to_be_independent(tmp_path: Path) -> None:
    before, after, _, _ = two_models()
    less = np.zeros(60)
    first = finished(tmp_path / "a", [crows("a", before, less)])
    rows, _, subject = crows("b", after, less)
    for name, other in (("b", crows("b", after, less, "other pairs")), ("c", (rows, None, subject))):
        found = compare_runs(first, finished(tmp_path / name, [other]))
        assert [pair.paired for pair in found.pairs] == [None] * 5


def test_where_nothing_differs_resampling_says_nothing(tmp_path: Path) -> None:
    """All pairs turn round: an interval from -100 to -100 would claim more than sixty pairs can tell."""
    ones = np.ones(60)
    found = compare_runs(
        finished(tmp_path / "a", [crows("a", ones, -ones)]), finished(tmp_path / "b", [crows("b", -ones, ones)])
    )
    assert found.pairs[0].difference == -100
    assert found.pairs[0].paired is None
    assert found.pairs[0].interval[0] < found.pairs[0].interval[1]


def test_a_cell_in_one_table_is_compared_out_of_the_matrix_of_the_other(tmp_path: Path) -> None:
    _, _, targets, features = two_models()
    moved = targets + 0.1
    moved[0] += features[:, 0] / 5
    a = finished(tmp_path / "a", [indirect("a", targets, features, [("nurse", "kind"), ("cook", "strong")])])
    b = finished(tmp_path / "b", [indirect("b", moved, features, [("smith", "kind"), ("nurse", "kind")])])
    found = compare_runs(a, b)
    assert [pair.first.test for pair in found.pairs] == ["nurse × kind", "cook × strong", "smith × kind"]
    assert found.only_first == found.only_second == ()
    for pair in found.pairs:
        at, across = ROWS.index(pair.first.details["target"]), COLUMNS.index(pair.first.details["feature"])
        value, interval = correlation_difference(
            (targets[at], features[:, across]), (moved[at], features[:, across]), resamples=1_000
        )
        assert pair.difference == pytest.approx(value)
        if at == 0:
            assert pair.interval == (interval.low, interval.high)
    smith = found.pairs[2].first
    assert smith.value == pytest.approx(np.corrcoef(targets[1], features[:, 0])[0, 1])
    assert smith.p_value == pytest.approx(abs(smith.value) / 9)
    assert smith.counts == {"names": 60}
    assert smith.high == pytest.approx(smith.value + 0.2)


def test_other_names_are_not_paired_with_these(tmp_path: Path) -> None:
    _, _, targets, features = two_models()
    cells = [("nurse", "kind")]
    a = finished(tmp_path / "a", [indirect("a", targets, features, cells)])
    b = finished(tmp_path / "b", [indirect("b", targets + features[:, 0], features, cells, NAMES[::-1])])
    (pair,) = compare_runs(a, b).pairs
    assert pair.paired is None


def test_jobs_of_other_metrics_stand_beside_these(tmp_path: Path) -> None:
    """The rows of a Bayesian estimate have metrics of their own."""
    before, after, _, _ = two_models()
    less = np.zeros(60)
    bayes = [replace(row, model="a") for row in everything() if row.metric.startswith("bayes ")]
    a = finished(tmp_path / "a", [([weat(model="a")], None, ""), (bayes, None, ""), crows("a", before, less)])
    b = finished(tmp_path / "b", [crows("b", after, less)])
    assert {pair.paired is not None for pair in compare_runs(a, b).pairs} == {True}


def test_tables_that_are_not_those_of_the_manifest_are_compared_alone(tmp_path: Path) -> None:
    rows = [weat(), weat("weat7")]
    given = [write_run(tmp_path / name, rows, manifest(jobs=jobs)) for name, jobs in (("a", []), ("b", [1, {}]))]
    found = compare_runs(*map(read_run, given))
    assert [(pair.difference, pair.paired) for pair in found.pairs] == [(0, None)] * 2


def test_damaged_arrays_are_named(tmp_path: Path) -> None:
    before, _, _, _ = two_models()
    rows, arrays, subject = crows("a", before, np.zeros(60))
    short = Arrays({"more": arrays.arrays["more"][:7], "less": arrays.arrays["less"]}, arrays.about)
    runs = [finished(tmp_path / name, [(rows, kept, subject)]) for name, kept in (("a", short), ("b", arrays))]
    with pytest.raises(InputError, match="the arrays of 'a test' are damaged"):
        compare_runs(*runs)
    (runs[1].folder / "arrays" / f"{0:064x}.safetensors").write_bytes(b"no")
    with pytest.raises(InputError, match="is damaged"):
        compare_runs(runs[1], runs[1])


def static_run(folder: Path, moved: float, without: str = "", options: str = "") -> Run:
    """WEAT 6 on vectors of which half the words of X were moved by so much."""
    test = association_test("weat6")
    words = [word for side in (test.x, test.y, test.a, test.b) for word in side.texts]
    vectors = np.random.default_rng(0).standard_normal((len(words), 20))
    vectors[:4] += moved * vectors[16]
    folder.mkdir()
    lines = [
        f"{word} {' '.join(f'{x:.4f}' for x in row)}\n"
        for word, row in zip(words, vectors, strict=True)
        if word != without
    ]
    (folder / "v.txt").write_text("".join(lines), encoding="utf-8")
    text = f"models: [v.txt]\ntests: [weat6]\nmetrics: [{{metric: weat{options}}}, seat]\n"
    (folder / "s.yaml").write_text(text, encoding="utf-8")
    assert not run(read_spec(folder / "s.yaml"), folder / "run").failed
    return read_run(folder / "run")


def test_the_words_of_an_association_test_are_drawn_in_both_runs_together(tmp_path: Path) -> None:
    found = compare_runs(static_run(tmp_path / "a", 0.0), static_run(tmp_path / "b", 0.2))
    assert [pair.first.metric for pair in found.pairs] == ["weat", "seat"]
    for pair in found.pairs:
        assert pair.paired is not None
        assert pair.paired[0] < pair.difference < pair.paired[1]
        low, high = replace(pair, paired=None).interval
        assert pair.paired[1] - pair.paired[0] < (high - low) / 2


def test_other_words_or_settings_are_not_drawn_together(tmp_path: Path) -> None:
    a = static_run(tmp_path / "a", 0.0)
    lost = static_run(tmp_path / "b", 0.2, without=association_test("weat6").x.texts[0])
    assert [pair.paired for pair in compare_runs(a, lost).pairs] == [None, None]
    other = static_run(tmp_path / "c", 0.2, options=", interval_over: targets")
    assert [pair.paired is None for pair in compare_runs(a, other).pairs] == [True, False]


@pytest.mark.slow
def test_two_language_models_are_compared_by_what_their_runs_kept(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="language models need the extra 'lm'")
    from benchmarks.random_bert import save

    runs = []
    for layers in (1, 2):
        folder = tmp_path / str(layers)
        (folder / "masked").mkdir(parents=True)
        save(folder / "masked", layers=layers, width=64)
        asked = "{metric: indirect, targets: beverage, features: gender, top: 3, resamples: 100}"
        (folder / "s.yaml").write_text(f"models: [masked]\nmetrics: [crows, {asked}]\n")
        assert not run(read_spec(folder / "s.yaml"), folder / "run").failed
        runs.append(read_run(folder / "run"))
    found = compare_runs(*runs)
    by_metric = found.by_family()
    assert len(by_metric["indirect"]) >= 3
    assert found.only_first == found.only_second == ()
    assert by_metric["crows"][0].paired is not None
    for pair in by_metric["indirect"]:
        assert pair.paired is not None
        assert pair.paired[0] <= pair.difference <= pair.paired[1]
        assert not math.isnan(pair.first.low)
