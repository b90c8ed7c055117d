"""Matrices of direct and indirect scores as the thesis of Louis-Alexandre 2022 computes them, read back from a run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.models.load import lm_kind_of
from tiltmeter.replicate.source import Request, published, run_spec
from tiltmeter.runs.arrays import of_jobs
from tiltmeter.runs.results import Run

NAME = "louis-alexandre2022"
TARGETS = ("beverage", "country", "occupation", "sport")
FEATURES = (
    *("beverage", "country", "occupation", "sport", "trait"),
    *("age", "year-of-birth", "gender", "race", "religion", "sexual-orientation"),
)
FEMALE, MALE = ("female", "girl", "woman"), ("male", "boy", "man")
GENDERED = (*FEMALE, *MALE)
NUMBER = (
    "Each word of gender stands in every template as it is printed; the thesis has plurals (men, women) for its "
    "templates about several people."
)

Array = NDArray[np.float64]
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Scores:
    """Targets × features."""

    targets: tuple[str, ...]
    features: tuple[str, ...]
    score: Array
    low: Array
    high: Array

    def of(self, feature: str) -> Array:
        """The scores of all targets with a feature; NaN where it was lost."""
        if feature not in self.features:
            return np.full(len(self.targets), np.nan)
        return self.score[:, self.features.index(feature)]

    def cell(self, target: str, feature: str) -> tuple[float, float, float] | None:
        """The score of one pair and its interval; None where it was lost."""
        if target not in self.targets or feature not in self.features:
            return None
        place = self.targets.index(target), self.features.index(feature)
        found = float(self.score[place]), float(self.low[place]), float(self.high[place])
        return found if np.isfinite(found[0]) else None

    def mean_of(self, features: Iterable[str]) -> Array:
        """The mean score of each target over some features, as the thesis averages the words of a gender."""
        rows = np.stack([self.of(feature) for feature in features])
        known = ~np.isnan(rows)
        sums = np.where(known, rows, 0).sum(axis=0)
        return np.where(known.any(axis=0), sums / np.maximum(known.sum(axis=0), 1), np.nan)


def measure(request: Request, pairs: Sequence[Pair]) -> tuple[Run, dict[tuple[str, str, Pair], Scores]]:
    """Direct and indirect scores of pairs of categories, with the templates as printed, by model and metric.

    As in the thesis, words that are several tokens to a model are lost, and probabilities are averaged over templates
    (its algorithm 3.1).
    """
    metrics = []
    for target, feature in dict.fromkeys(pairs):
        shared = f"targets: {target}, features: {feature}, top: 20"
        metrics.append(f"{{ metric: direct, {shared}, templates: {target}-{feature}-printed }}")
        metrics.append(
            f"{{ metric: indirect, {shared}, resamples: 100, to_target: {target}-name-printed, "
            f"to_feature: name-{feature}-printed }}"
        )
    masked = all(lm_kind_of(str(model)) == "masked" for model in request.models)
    run = run_spec(
        request,
        "Louis-Alexandre 2022: direct and indirect scores",
        metrics,
        options=["several_tokens: false"] if masked else [],
    )
    return run, dict(_read(run.folder, run.manifest))


def _read(folder: Path, manifest: dict[str, Any]) -> Iterable[tuple[tuple[str, str, Pair], Scores]]:
    for model, _, job, found in of_jobs(folder, manifest, ("direct", "indirect")):
        about = found.about
        key = (model, str(job["metric"]), (str(about["row_set"]), str(about["column_set"])))
        score, low, high = (np.asarray(found.arrays[name], dtype=np.float64) for name in ("score", "low", "high"))
        yield key, Scores(tuple(about["rows"]), tuple(about["columns"]), score, low, high)


def column(model: str) -> str:
    """Which of the four models of the thesis a model is compared with, by its name."""
    name = model.lower()
    if "xlnet" in name:
        return "xl-large" if "large" in name else "xl-base"
    return "bert-large" if "large" in name else "bert-base"


def against(model: str) -> str:
    """What a note says of the figures that a model is compared with."""
    return f"The published figures are of {column(model)}."


def printed() -> Any:
    """The figures of the thesis."""
    return published(NAME)
