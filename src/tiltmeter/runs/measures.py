"""What each metric of a run does: one function a metric, from a loaded model and a job to measurements."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tiltmeter.lexicon.seat import seat_test
from tiltmeter.lexicon.tests import SentenceTest
from tiltmeter.measure import association, kin
from tiltmeter.measure.crows import crows
from tiltmeter.measure.lpbs import Family, lpbs
from tiltmeter.measure.mac import mac
from tiltmeter.measure.scores import ScoreMatrix, direct, indirect
from tiltmeter.measurement import Measurement
from tiltmeter.runs.arrays import Arrays
from tiltmeter.runs.job import Job

_MOST_SIMILARITIES = 2**20  # 8 MB of a job


@dataclass(frozen=True, slots=True)
class Found:
    """What came out of a job."""

    measurements: tuple[Measurement, ...]
    arrays: Arrays | None = None


@dataclass(frozen=True, slots=True)
class Measure:
    """How a metric is computed: from vectors or from the probabilities of a language model."""

    vectors: bool
    run: Callable[[Any, Job], Found]
    # What an embedder is asked for, where it is known beforehand.
    passages: Callable[[Job], SentenceTest] | None = None


def _association_subject(job: Job) -> SentenceTest:
    test: Any = job.subject
    return seat_test(test) if job.metric == "seat" and not test.has_sentences else test.passages()


def _association(model: Any, job: Job) -> Found:
    given = _association_subject(job) if job.metric == "seat" else job.subject
    result = association.weat(model, given, **job.options)  # type: ignore[arg-type]
    return Found((result.measurement(),), _similarities(job.metric, result.similarities))


def _similarities(metric: str, found: association.Similarities) -> Arrays | None:
    """What a comparison with another run resamples; none of very long lists, which are resampled apart."""
    if found.values.size > _MOST_SIMILARITIES:
        return None
    about = {
        "metric": metric,
        "x": found.n_x,
        "a": found.n_a,
        "words": list(found.words),
        "attribute_words": list(found.attribute_words),
    }
    return Arrays({"similarities": found.values}, about)


def _wefat(model: Any, job: Job) -> Found:
    test: Any = job.subject
    return Found(tuple(kin.wefat(model, test, **job.options)))


def _rnd(model: Any, job: Job) -> Found:
    test: Any = job.subject
    return Found(tuple(kin.relative_norm_distance(model, test, **job.options)))


def _ect(model: Any, job: Job) -> Found:
    test: Any = job.subject
    return Found((kin.embedding_coherence(model, test, **job.options),))


def _mac(model: Any, job: Job) -> Found:
    test: Any = job.subject
    return Found(tuple(mac(model, test, **job.options)))


def _lpbs(model: Any, job: Job) -> Found:
    options = dict(job.options)
    test: Any = job.subject
    family: Family = options.pop("family") or "target is attribute"
    return Found((lpbs(model, test, family=family, **options),))


def _crows(model: Any, job: Job) -> Found:
    pairs: Any = job.subject
    result = crows(model, pairs, **job.options)
    scored = {id(pair): place for place, pair in enumerate(result.pairs)}  # in the order of the set, less what is lost
    places = [scored.get(id(pair)) for pair in pairs.pairs]
    arrays = {
        name: np.array([math.nan if place is None else log_p[place] for place in places])
        for name, log_p in (("more", result.log_more), ("less", result.log_less))
    }
    about = {
        "metric": "crows",
        "direction": [pair.direction for pair in pairs.pairs],
        "bias_type": [pair.bias_type for pair in pairs.pairs],
    }
    return Found(tuple(result.measurements()), Arrays(arrays, about))


def _indirect(model: Any, job: Job) -> Found:
    asked: Any = job.subject
    options = dict(job.options)
    top = options.pop("top")
    matrix = indirect(
        model,
        asked.targets,
        asked.features,
        bridge=asked.bridge,
        to_target=asked.to_target,
        to_feature=asked.to_feature,
        lang=asked.targets.language,
        **options,
    )
    return _strongest(matrix, top)


def _direct(model: Any, job: Job) -> Found:
    asked: Any = job.subject
    options = {name: value for name, value in job.options.items() if name not in ("top", "seed")}
    matrix = direct(
        model, asked.targets, asked.features, templates=asked.to_target, lang=asked.targets.language, **options
    )
    return _strongest(matrix, job.options["top"])


def _strongest(matrix: ScoreMatrix, top: int) -> Found:
    """The cells furthest from 0 as measurements, and all of them as arrays."""
    order = np.argsort(-np.abs(np.nan_to_num(matrix.score)), axis=None, kind="stable")
    cells = [divmod(int(place), len(matrix.features)) for place in order]
    rows = [
        matrix.measurement(matrix.targets[row], matrix.features[column])
        for row, column in cells
        if math.isfinite(matrix.score[row, column])
    ]
    names = ("score", "low", "high", "template_low", "template_high", "p_value", "adjusted", "n")
    arrays = {name: getattr(matrix, name) for name in names}
    about: dict[str, Any] = {
        "metric": matrix.metric,
        "rows": list(matrix.targets),
        "columns": list(matrix.features),
        "row_set": matrix.target_set,
        "column_set": matrix.feature_set,
    }
    if matrix.bridge is not None:
        arrays["bridge_to_row"] = matrix.bridge.to_target
        arrays["bridge_to_column"] = matrix.bridge.to_feature
        arrays["commonness"] = matrix.bridge.commonness
        about["bridge"] = list(matrix.bridge.names)
    return Found(tuple(rows[:top]), Arrays(arrays, about))


def _bayes(model: Any, job: Job) -> Found:
    from tiltmeter.bayes.embedding import distances_in
    from tiltmeter.bayes.fit import fit
    from tiltmeter.bayes.summary import measurements
    from tiltmeter.runs.posteriors import kept

    test: Any = job.subject
    (posterior,) = fit([distances_in(model, test)], **job.options)
    return Found(tuple(measurements(posterior)), kept(posterior))


# A new metric is one more line here, and its options in `tiltmeter.runs.spec`.
MEASURES: Mapping[str, Measure] = {
    "weat": Measure(True, _association, _association_subject),
    "seat": Measure(True, _association, _association_subject),
    "wefat": Measure(True, _wefat, _association_subject),
    "rnd": Measure(True, _rnd, _association_subject),
    "ect": Measure(True, _ect, _association_subject),
    "mac": Measure(True, _mac),
    "bayes": Measure(True, _bayes),
    "lpbs": Measure(False, _lpbs),
    "crows": Measure(False, _crows),
    "indirect": Measure(False, _indirect),
    "direct": Measure(False, _direct),
}
