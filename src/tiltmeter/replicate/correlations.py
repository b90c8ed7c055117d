"""Louis-Alexandre 2022, tables 3.6 and A.1 to A.4: how far direct and indirect scores agree, category by category."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tiltmeter.replicate.tables import Figure, Replicated
from tiltmeter.replicate.thesis_scores import FEATURES, GENDERED, TARGETS, Array, Pair, Scores, against, column, printed

PAIRS: tuple[Pair, ...] = tuple((target, feature) for target in TARGETS for feature in FEATURES if target != feature)
_TABLES = {
    "bert-base": "tables 3.6 and A.1",
    "bert-large": "table A.2",
    "xl-base": "table A.3",
    "xl-large": "table A.4",
}
_RESAMPLES = 999


def correlation(x: Array, y: Array, *, level: float = 0.95, seed: int = 0) -> tuple[float, float, float]:
    """Pearson's r over all cells of two matrices, and a percentile interval: a bootstrap over rows, the targets."""
    rng = np.random.default_rng(seed)
    r = _r(x, y)
    drawn = [_r(x[rows], y[rows]) for rows in rng.integers(0, len(x), (_RESAMPLES, len(x)))]
    known = np.array([each for each in drawn if np.isfinite(each)])
    if not known.size or not np.isfinite(r):
        return r, float("nan"), float("nan")
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    return r, float(low), float(high)


def tables(model: str, scores: Mapping[Pair, Mapping[str, Scores]], lost: Mapping[Pair, str]) -> list[Replicated]:
    """One table: all categories of targets with all categories of features. `lost` says why one has no scores."""
    known = printed()["correlations"][column(model)]
    figures = []
    for target, feature in PAIRS:
        if (target, feature) in lost:
            theirs, why = known[target][feature], lost[target, feature]
            figures.append(Figure(labels=(target, feature), published=theirs, measured=None, digits=4, remark=why))
            continue
        direct, indirect = scores[target, feature]["direct"], scores[target, feature]["indirect"]
        rows = [each for each in direct.targets if each in indirect.targets]
        columns = [each for each in direct.features if each in indirect.features and _counts(feature, each)]
        r, low, high = correlation(_part(direct, rows, columns), _part(indirect, rows, columns))
        figures.append(
            Figure(
                labels=(target, feature),
                published=known[target][feature],
                measured=r if np.isfinite(r) else None,
                low=low,
                high=high,
                digits=4,
                remark="" if np.isfinite(r) else f"{len(rows)} targets and {len(columns)} features are left",
            )
        )
    return [
        Replicated(
            title="Correlation of direct and indirect scores",
            source=f"{printed()['thesis']}, {_TABLES[column(model)]}",
            model=model,
            columns=("target", "feature"),
            figures=tuple(figures),
            note=f"{against(model)} Of the words of gender these are the six of table 3.5, which prints the same "
            "figure. Intervals: bootstrap over targets.",
        )
    ]


def _counts(feature: str, word: str) -> bool:
    """Of gender the thesis counts six words; their plurals are what some of its templates need."""
    return feature != "gender" or word in GENDERED


def _part(scores: Scores, rows: list[str], columns: list[str]) -> Array:
    return scores.score[
        np.ix_([scores.targets.index(row) for row in rows], [scores.features.index(each) for each in columns])
    ]


def _r(x: Array, y: Array) -> float:
    known = np.isfinite(x) & np.isfinite(y)
    if known.sum() < 3 or np.ptp(x[known]) == 0 or np.ptp(y[known]) == 0:
        return float("nan")
    return float(np.corrcoef(x[known], y[known])[0, 1])
