"""Two tables of the same words side by side: two models, or direct and indirect scores of one.

Direct and indirect scores have different units. Each is therefore divided by the standard deviation of its own table,
and every number of such a comparison is in that unit; times `scales` it is the score itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.explorer.agreement import agreement
from tiltmeter.explorer.computations import Task, Work
from tiltmeter.explorer.explorer import Explorer
from tiltmeter.explorer.problems import RefusalError
from tiltmeter.explorer.tables import unit
from tiltmeter.explorer.views import Typed, View
from tiltmeter.explorer.wire import Body, binary_body, quantised
from tiltmeter.measure.scores import ScoreMatrix, submatrix
from tiltmeter.metrics.interval import Interval

Array = NDArray[np.float64]
DIRECT = "direct"
_LISTED = 10


def compare(explorer: Explorer, view: View, typed: Typed, other: str) -> Task[Body]:
    """`other` is another model's id, or "direct": the direct scores of the same model."""
    explorer.able(view.model, "compare")
    second = replace(view, kind="direct", add_names=()) if other == DIRECT else replace(view, model=other)
    explorer.able(second.model, "compare")
    if second == view:
        raise RefusalError(
            422, "invalid", "a view is compared with itself.", hint="Choose another model, or kind=indirect."
        )

    def compute(work: Work) -> Body:
        a, b = (_scores(explorer, one, typed, work) for one in (view, second))
        return _comparison(explorer, (view, second), a, b)

    return explorer.body(("compare", view, typed, other), compute)


def _scores(explorer: Explorer, view: View, typed: Typed, work: Work) -> ScoreMatrix:
    """The scores of a view, and of typed words where it can score them."""
    if typed == Typed() or "words" not in explorer.source(view.model).can:
        return work.need(explorer.matrix(view))
    return work.need(explorer.extended(view, typed)).matrix


def _comparison(explorer: Explorer, views: tuple[View, View], a: ScoreMatrix, b: ScoreMatrix) -> Body:
    rows = [target for target in a.targets if target in set(b.targets)]
    columns = [feature for feature in a.features if feature in set(b.features)]
    if not rows or not columns:
        raise RefusalError(409, "not_here", "the two have no words in common.", hint="Choose other categories.")
    only = [
        {
            "rows": [word for word in one.targets if word not in rows],
            "columns": [word for word in one.features if word not in columns],
        }
        for one in (a, b)
    ]
    a, b = submatrix(a, rows, columns), submatrix(b, rows, columns)
    same_unit = unit(a) == unit(b)
    scales = (1.0, 1.0) if same_unit else (_spread(a.score), _spread(b.score))
    a, b = (_divided(one, scale) for one, scale in zip((a, b), scales, strict=True))
    difference, low, high = _difference(a, b)
    apart, known = (low > 0) | (high < 0), np.isfinite(low) & np.isfinite(high)
    r, interval = agreement(a.score, b.score, level=a.level)
    names = [_name(explorer, view, same_unit) for view in views]
    strongest = _strongest(a, b, difference, low, high)
    scaled, scale = quantised(np.stack([difference, low, high]))
    header: dict[str, Any] = {
        "a": {"model": views[0].model, "kind": views[0].kind, "name": names[0]},
        "b": {"model": views[1].model, "kind": views[1].kind, "name": names[1]},
        "targets": views[0].targets,
        "features": views[0].features,
        "rows": rows,
        "columns": columns,
        "shape": a.score.shape,
        "unit": unit(a) if same_unit else "sd",
        "units": [unit(a), unit(b)],
        "scales": scales,
        "correlation": r,
        "low": interval.low,
        "high": interval.high,
        "level": interval.level,
        "method": f"Pearson over cells; {interval.method} over targets and features, 1,000 resamples; "
        "intervals of differences after Zou & Donner 2008",
        "n_cells": int((np.isfinite(a.score) & np.isfinite(b.score)).sum()),
        "n_apart": int(apart.sum()),
        "strongest": strongest,
        "only_a": only[0],
        "only_b": only[1],
        "sentence": " ".join(
            (
                agreeing(names, r, interval),
                differing(strongest, int(apart.sum()), int(known.sum()), a.level, same_unit=same_unit),
            )
        ),
    }
    arrays = {"a": quantised(a.score), "b": quantised(b.score)}
    for name, array in zip(("difference", "difference_low", "difference_high"), scaled, strict=True):
        arrays[name] = (array, scale)
    return binary_body(header, {**arrays, "apart": (apart.astype("u1"), None)})


def _divided(matrix: ScoreMatrix, scale: float) -> ScoreMatrix:
    return replace(matrix, score=matrix.score / scale, low=matrix.low / scale, high=matrix.high / scale)


def _difference(a: ScoreMatrix, b: ScoreMatrix) -> tuple[Array, Array, Array]:
    """b - a and its interval from theirs, as if they were independent (MOVER: Zou & Donner 2008); two models read the
    same names and mostly move together, which makes it too wide rather than too narrow."""
    difference = b.score - a.score
    return (
        difference,
        difference - np.hypot(b.score - b.low, a.high - a.score),
        difference + np.hypot(b.high - b.score, a.score - a.low),
    )


def _spread(scores: Array) -> float:
    known = scores[np.isfinite(scores)]
    spread = float(known.std()) if known.size else 0.0
    return spread or 1.0


def _strongest(a: ScoreMatrix, b: ScoreMatrix, difference: Array, low: Array, high: Array) -> list[dict[str, Any]]:
    """Where they differ most, those whose interval excludes 0 first."""
    sure = (low > 0) | (high < 0)
    order = np.lexsort((-np.abs(np.nan_to_num(difference)).ravel(), ~sure.ravel()))[:_LISTED]
    found = []
    for place in order.tolist():
        row, column = divmod(place, len(a.features))
        if np.isfinite(difference[row, column]):
            found.append(
                {
                    "target": a.targets[row],
                    "feature": a.features[column],
                    "a": a.score[row, column],
                    "b": b.score[row, column],
                    "difference": difference[row, column],
                    "low": low[row, column],
                    "high": high[row, column],
                }
            )
    return found


def _name(explorer: Explorer, view: View, same_unit: bool) -> str:
    name = explorer.source(view.model).name
    return name if same_unit else f"{name} ({view.kind})"


def agreeing(names: list[str], r: float, interval: Interval) -> str:
    if not np.isfinite(r):
        return f"How far {names[0]} and {names[1]} agree cannot be told."
    how = "agree" if interval.low > 0 else "contradict each other" if interval.high < 0 else "are not sure to agree"
    return f"{names[0]} and {names[1]} {how}: r = {r:.2f} ({interval.low:.2f} to {interval.high:.2f})."


def differing(strongest: list[dict[str, Any]], apart: int, known: int, level: float, *, same_unit: bool) -> str:
    """How many pairs differ, beside how many would by chance: each interval is that of one pair alone."""
    chance = (1 - level) * known
    counted = f"Of {known:,} differences, {apart:,} {'has' if apart == 1 else 'have'} an interval that excludes 0"
    if not strongest or apart <= chance:
        return f"{counted}, no more than by chance alone ({chance:,.0f})."
    first = strongest[0]
    of = "" if same_unit else " standard deviations"
    return (
        f"{counted} ({chance:,.0f} would by chance alone). The largest: {first['target']} and {first['feature']}, "
        f"{first['a']:.2f} against {first['b']:.2f}{of}."
    )
