"""Two run folders side by side, with what they keep beside their tables: whole matrices, and the score of each pair.

A table holds only the strongest cells of a matrix, and a cell that a change took away is in one of the two alone. So
every cell that either table shows is compared, out of the matrices of both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InputError
from tiltmeter.measurement import Measurement
from tiltmeter.metrics.interval import Interval
from tiltmeter.metrics.paired import correlation_difference, effect_size_difference, preference_difference
from tiltmeter.metrics.pairs import preferences
from tiltmeter.report.compare import Comparison, Pair, compare, same_models
from tiltmeter.report.meanings import MATRICES, family
from tiltmeter.runs.arrays import Arrays, read_arrays
from tiltmeter.runs.results import Run

_PARTS = {"stereotype": "stereo", "antistereotype": "antistereo"}
_ENDS = ("low", "high", "template_low", "template_high")
_RESAMPLES = 9_999
_DAMAGED = "Run it again."

_ASSOCIATIONS = ("weat", "seat")
_PAIRED = (*MATRICES, "crows", *_ASSOCIATIONS)  # metrics whose differences are resampled in both runs together

Cell = tuple[str, str]


@dataclass(slots=True)
class _Job:
    """A job of a run, the rows of the table that came of it, and what it kept beside them."""

    about: Mapping[str, Any]
    rows: list[Measurement]
    arrays: Arrays | None

    def cells(self) -> dict[Cell, Measurement]:
        return {(str(row.details.get("target")), str(row.details.get("feature"))): row for row in self.rows}


def compare_runs(first: Run, second: Run) -> Comparison:
    """Match two runs as `compare` does, cell by cell where they keep matrices; with paired intervals where both kept
    the scores of the same words, names or pairs of sentences."""
    ours, theirs = _jobs(first), _jobs(second)
    if ours is None or theirs is None:  # the tables are not those that the manifests tell of
        return compare(first.measurements, second.measurements)
    renamed = same_models(first.measurements, second.measurements)
    matched = _matched(ours, theirs, renamed)
    for a, b in matched:
        if a.about.get("metric") in MATRICES:
            _fill(a, b)
    found = compare([row for job in ours for row in job.rows], [row for job in theirs for row in job.rows])
    of_row = {id(row): jobs for jobs in matched for job in jobs for row in job.rows}
    return replace(found, pairs=tuple(_paired(pair, of_row.get(id(pair.first))) for pair in found.pairs))


def _jobs(run: Run) -> list[_Job] | None:
    """The jobs with their rows, which stand in the table in the order of the jobs."""
    given = run.manifest.get("jobs")
    jobs = [job for job in given if isinstance(job, Mapping)] if isinstance(given, list) else []
    counts = [count if isinstance(count := job.get("measurements"), int) else 0 for job in jobs]
    if sum(counts) != len(run.measurements):
        return None
    rows = iter(run.measurements)
    found = [_Job(job, [next(rows) for _ in range(count)], None) for job, count in zip(jobs, counts, strict=True)]
    for job in found:
        if any(
            (family(row.metric), row.model) != (job.about.get("metric"), job.about.get("model")) for row in job.rows
        ):
            return None
    for job in found:
        if job.rows and job.about.get("arrays") and job.about.get("metric") in _PAIRED:
            job.arrays = read_arrays(run.folder / "arrays" / f"{job.about.get('hash')}.safetensors")
    return found


def _matched(ours: Sequence[_Job], theirs: Sequence[_Job], renamed: Mapping[str, str]) -> list[tuple[_Job, _Job]]:
    """Jobs of the same metric and test on the same model that both kept arrays, each with that of its turn."""

    def by_key(jobs: Sequence[_Job], names: Mapping[str, str]) -> dict[tuple[Any, ...], _Job]:
        found: dict[tuple[Any, ...], _Job] = {}
        for job in jobs:
            if job.arrays is not None:
                model = str(job.about.get("model"))
                same = (job.about.get("metric"), job.about.get("test"), names.get(model, model), job.rows[0].language)
                found[*same, sum(key[:-1] == same for key in found)] = job
        return found

    left, right = by_key(ours, {}), by_key(theirs, renamed)
    return [(job, right[key]) for key, job in left.items() if key in right]


def _fill(a: _Job, b: _Job) -> None:
    """Add to each job's rows the cells that only the other's table shows, where its own matrix has them."""
    shown = list(dict.fromkeys([*a.cells(), *b.cells()]))
    for job in (a, b):
        known = job.cells()
        job.rows = [row for cell in shown if (row := known.get(cell) or _cell(job, *cell)) is not None]


def _cell(job: _Job, target: str, feature: str) -> Measurement | None:
    """A cell as the table would show it; its other columns are those of any cell of the matrix."""
    found, like = job.arrays, job.rows[0]
    if found is None:
        return None
    try:
        rows, columns = list(found.about["rows"]), list(found.about["columns"])
        if target not in rows or feature not in columns:
            return None
        at = rows.index(target), columns.index(feature)
        numbers = {name: float(found.arrays[name][at]) for name in ("score", "p_value", "adjusted", *_ENDS)}
        count = int(found.arrays["n"][at])
    except (KeyError, IndexError, TypeError, ValueError):
        raise _damaged(job) from None
    if not math.isfinite(numbers["score"]):
        return None
    return replace(
        like,
        test=f"{target} × {feature}",
        value=numbers["score"],
        low=numbers["low"],
        high=numbers["high"],
        p_value=numbers["p_value"],
        counts=dict.fromkeys(like.counts, count),
        details={
            **like.details,
            "target": target,
            "feature": feature,
            "p_adjusted": numbers["adjusted"],
            **{end: numbers[end] for end in ("template_low", "template_high")},
        },
    )


def _paired(pair: Pair, jobs: tuple[_Job, _Job] | None) -> Pair:
    """With the interval of the difference over what both runs kept, where that is the same."""
    if jobs is None or pair.first.level != pair.second.level:
        return pair
    try:
        over = {"crows": _over_pairs, **dict.fromkeys(_ASSOCIATIONS, _over_words)}.get(pair.first.metric, _over_names)
        found = over(pair, *jobs)
    except (KeyError, IndexError, TypeError, ValueError):
        raise _damaged(jobs[0]) from None
    if found is None or not math.isclose(found[0], pair.difference, abs_tol=1e-6):
        return pair  # other names or pairs took part in what the tables say
    if not found[1].low < found[1].high:
        return pair  # all are alike, and resampling them says nothing
    return replace(pair, paired=(found[1].low, found[1].high))


def _over_pairs(pair: Pair, a: _Job, b: _Job) -> tuple[float, Interval] | None:
    if a.arrays is None or b.arrays is None or a.about.get("subject") != b.about.get("subject"):
        return None
    part = str(pair.first.details.get("part"))
    kind, direction = (np.asarray(a.arrays.about[name]) for name in ("bias_type", "direction"))
    chosen = np.ones(kind.size, dtype=bool) if part == "all" else kind == part
    if part in _PARTS and not chosen.any():
        chosen = direction == _PARTS[part]
    scores = [_scores(job, name) for job in (a, b) for name in ("more", "less")]
    chosen &= np.isfinite(scores).all(axis=0)
    first, second = (preferences(*(one[chosen] for one in scores[at : at + 2])) for at in (0, 2))
    return preference_difference(first, second, ties_count=part not in _PARTS, level=pair.first.level)


def _over_words(pair: Pair, a: _Job, b: _Job) -> tuple[float, Interval] | None:
    if a.arrays is None or b.arrays is None:
        return None
    about, settings = a.arrays.about, pair.first.settings
    keys = ("x", "a", "words", "attribute_words")
    if any(about[key] != b.arrays.about[key] for key in keys):
        return None
    options = ("ddof", "interval_over", "resamples")
    if any(settings[key] != pair.second.settings[key] for key in options):
        return None
    return effect_size_difference(
        _scores(a, "similarities"),
        _scores(b, "similarities"),
        about["x"],
        about["a"],
        words=about["words"],
        attribute_words=about["attribute_words"],
        over_attributes=settings["interval_over"] == "all words",
        resamples=min(settings["resamples"], _RESAMPLES),
        ddof=settings["ddof"],
        level=pair.first.level,
    )


def _over_names(pair: Pair, a: _Job, b: _Job) -> tuple[float, Interval] | None:
    tables = []
    for job, row in ((a, pair.first), (b, pair.second)):
        if job.arrays is None or "bridge" not in job.arrays.about:
            return None
        at = job.arrays.about["rows"].index(row.details["target"])
        across = job.arrays.about["columns"].index(row.details["feature"])
        tables.append((_scores(job, "bridge_to_row")[at], _scores(job, "bridge_to_column")[:, across]))
        if job.arrays.about["bridge"] != a.arrays.about["bridge"]:  # type: ignore[union-attr]
            return None
    return correlation_difference(tables[0], tables[1], resamples=1_000, level=pair.first.level)


def _scores(job: _Job, name: str) -> NDArray[np.float64]:
    assert job.arrays is not None
    return np.asarray(job.arrays.arrays[name], dtype=np.float64)


def _damaged(job: _Job) -> InputError:
    return InputError(f"the arrays of {job.about.get('test')!r:.60} are damaged.", hint=_DAMAGED)
