"""The map of a view's targets, and which attributes explain it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tiltmeter.errors import TiltmeterError
from tiltmeter.explorer.attributes import fits
from tiltmeter.explorer.computations import Task, Work
from tiltmeter.explorer.explorer import Explorer
from tiltmeter.explorer.layouts import Layout, Method, layout
from tiltmeter.explorer.views import Typed, View
from tiltmeter.explorer.wire import Body, json_body
from tiltmeter.measure.scores import ScoreMatrix

_DRAWING, _RANKING = "drawing the map", "ranking attributes"


def coordinates(explorer: Explorer, view: View, typed: Typed, method: Method) -> Task[Layout]:
    """Where each target stands."""

    def compute(work: Work) -> Layout:
        matrix = work.need(explorer.extended(view, typed)).matrix
        work.report(_DRAWING)
        return layout(matrix.score, method)

    return Task(("layout", view, typed, method), compute, lambda found: found.points.nbytes + found.kept.nbytes)


def map_(explorer: Explorer, view: View, typed: Typed, method: Method, by: tuple[str, ...]) -> Task[Body]:
    """The map, and the words of the categories `by`, those that explain it best first."""
    explorer.able(view.model, "map")

    def compute(work: Work) -> Body:
        matrix = work.need(explorer.extended(view, typed)).matrix
        found = work.need(coordinates(explorer, view, typed, method))
        own = set(work.need(explorer.matrix(view)).targets)
        ranked: list[dict[str, Any]] = []
        notes = [found.note] if found.note else []
        for category in by:
            work.report(_RANKING)
            try:
                scores = matrix if category == view.features else _attributes(explorer, view, typed, category, work)
            except TiltmeterError as error:
                notes.append(f"{category}: {getattr(error, 'message', error)}")
                continue
            ranked += _ranked(found, matrix, scores, category)
        ranked.sort(key=lambda one: -one["r2"])
        targets = [matrix.targets[row] for row in found.kept]
        value = {
            "method": method,
            "label": found.label,
            "points": [
                {"target": target, "x": x, "y": y, "typed": target not in own}
                for target, (x, y) in zip(targets, found.points, strict=True)
            ],
            "axes": None if found.explained is None else [{"explains": share} for share in found.explained],
            "attributes": ranked,
            "dropped": [target for target in matrix.targets if target not in targets],
            "sentence": _sentence(ranked, len(targets), view),
            "note": " ".join(notes) or None,
        }
        return json_body(value)

    return explorer.body(("map", view, typed, method, by), compute)


def _attributes(explorer: Explorer, view: View, typed: Typed, category: str, work: Work) -> ScoreMatrix:
    """The scores of the same targets with the words of another category."""
    other = replace(view, features=category)
    return work.need(explorer.extended(other, Typed(typed.targets))).matrix


def _ranked(found: Layout, matrix: ScoreMatrix, scores: ScoreMatrix, category: str) -> list[dict[str, Any]]:
    row_of = {target: row for row, target in enumerate(scores.targets)}
    table = np.full((len(found.kept), len(scores.features)), np.nan)
    for place, row in enumerate(found.kept):
        if matrix.targets[row] in row_of:
            table[place] = scores.score[row_of[matrix.targets[row]]]
    return [
        {
            "category": category,
            "word": word,
            "r2": fit.r2,
            "low": fit.low,
            "high": fit.high,
            "slope": fit.slope,
            "intercept": fit.intercept,
        }
        for word, fit in zip(scores.features, fits(found.points, table), strict=True)
        if fit is not None
    ]


def _sentence(ranked: list[dict[str, Any]], count: int, view: View) -> str:
    near = f"{count} × {view.targets}: those that lie together have like scores with {view.features}."
    # The words that the map was made of explain it by their nature: those of another category say more.
    sure = sorted((one for one in ranked if one["low"] > 0), key=lambda one: one["category"] == view.features)
    if not sure:
        return f"{near} No attribute is sure to explain where they lie."
    best = sure[0]
    return (
        f"{near} {best['word']!r} ({best['category']}) explains the places best: "
        f"R² {best['r2']:.2f} ({best['low']:.2f} to {best['high']:.2f})."
    )
