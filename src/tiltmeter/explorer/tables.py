"""Tables of scores, whole or only what was typed."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from tiltmeter.explorer import sentences
from tiltmeter.explorer.computations import Task, Work
from tiltmeter.explorer.explorer import Explorer
from tiltmeter.explorer.typed import IN_TABLE
from tiltmeter.explorer.views import Typed, View
from tiltmeter.explorer.wire import Body, binary_body, coarse, json_body, quantised
from tiltmeter.measure.scores import ScoreMatrix
from tiltmeter.measurement import Lost


def unit(matrix: ScoreMatrix) -> str:
    return "correlation" if matrix.metric == "indirect" else "log ratio"


def table(explorer: Explorer, view: View, odd: tuple[Lost, ...] = ()) -> Task[Body]:
    """All scores of a view, in binary. `odd`: typed names that are none, and why."""
    explorer.able(view.model, "table")
    return explorer.body(("table", view, odd), lambda work: _table(view, work.need(explorer.matrix(view)), odd))


def _table(view: View, matrix: ScoreMatrix, odd: tuple[Lost, ...]) -> Body:
    header: dict[str, Any] = {
        "model": view.model,
        "targets": view.targets,
        "features": view.features,
        "kind": view.kind,
        "rows": matrix.targets,
        "columns": matrix.features,
        "shape": matrix.score.shape,
        "level": matrix.level,
        "method": matrix.method,
        "unit": unit(matrix),
        "max_abs": float(np.nanmax(np.abs(matrix.score))) if np.isfinite(matrix.score).any() else 0.0,
        "over": "templates" if matrix.bridge is None else "names",
        "bridge": None if matrix.bridge is None else len(matrix.bridge.names),
        "lost": sentences.lost_words((*odd, *matrix.lost)),
        "sentence": sentences.of_table(matrix),
        "warnings": _warnings(matrix),
        "settings": matrix.settings,
    }
    # One scale for the three: a score at the end of its interval stays there.
    ends = np.stack([matrix.score, matrix.low, matrix.high])
    scaled, scale = quantised(ends)
    named = dict(zip(("score", "low", "high"), scaled, strict=True))
    return binary_body(
        header,
        {
            **{name: (array, scale) for name, array in named.items()},
            "adjusted": (coarse(matrix.adjusted), None),
            "n": (np.minimum(matrix.n, 65535).astype("<u2"), None),
        },
    )


def _warnings(matrix: ScoreMatrix) -> list[str]:
    found = []
    lost = [one.word for one in matrix.lost if one.where == matrix.target_set]
    if lost:
        such = ": " if len(lost) <= 3 else ", such as "
        have = "has" if len(lost) == 1 else "have"
        found.append(f"{len(lost)} of the targets {have} no score{such}{sentences.listed(lost)}.")
    if matrix.bridge is not None and len(matrix.bridge.names) < 50:
        found.append(f"Only {len(matrix.bridge.names)} names link targets and features: the intervals are wide.")
    if matrix.bridge is None and matrix.n.max(initial=0) < 4:
        found.append(f"At most {matrix.n.max(initial=0)} sentences stand behind a score: the intervals say little.")
    return found


def words(
    explorer: Explorer, view: View, typed: Typed, names: tuple[str, ...], odd: tuple[Lost, ...] = ()
) -> Task[Body]:
    """Scores of the typed words alone, and how typed names go with the words of the view; `odd` ones have none."""
    source = explorer.live(view.model, "words")

    def compute(work: Work) -> Body:
        begun = time.perf_counter()
        matrix = work.need(explorer.matrix(view))
        found = work.need(explorer.extended(view, typed))
        reasons = {(one.where, one.word): one.reason for one in found.lost}
        value: dict[str, Any] = {
            "rows": found.matrix.targets,
            "columns": matrix.features,
            "features": [
                _entry(word, view.features, word in matrix.features, found.matrix.features, reasons)
                or {
                    "word": word,
                    "lost": None,
                    "caution": source.caution(word),
                    **_line(found.matrix, np.s_[:, found.matrix.features.index(word)]),
                }
                for word in typed.features
            ],
            "targets": [
                _entry(word, view.targets, word in matrix.targets, found.matrix.targets, reasons)
                or {
                    "word": word,
                    "lost": None,
                    "caution": source.caution(word),
                    **_line(found.matrix, np.s_[found.matrix.targets.index(word), : len(matrix.features)]),
                }
                for word in typed.targets
            ],
            "names": [],
        }
        if names:
            profile, lost = source.profile(view, names, matrix, work)
            why = {one.word: one.reason for one in lost}
            for place, name in enumerate(names):
                to_target, to_feature = profile.to_target[:, place], profile.to_feature[place]
                known = np.isfinite(to_target).any() and np.isfinite(to_feature).any()
                value["names"].append(
                    {
                        "word": name,
                        "lost": None if known else why.get(name, "it cannot be scored by the model"),
                        "caution": source.caution(name),
                        "to_target": to_target,
                        "to_feature": to_feature,
                        "sentence": _of_name(name, matrix, to_target, to_feature) if known else None,
                    }
                )
        for one in odd:
            value[one.where].append({"word": one.word, "lost": one.reason})
        scored = [one["word"] for side in ("features", "targets", "names") for one in value[side] if not one["lost"]]
        lost_words = [one for side in ("features", "targets", "names") for one in value[side] if one["lost"]]
        value["milliseconds"] = round(1000 * (time.perf_counter() - begun))
        value["sentence"] = " ".join(
            ([f"Scored: {sentences.listed(scored, 20)}."] if scored else [])
            + [f"{one['word']!r} has no score: {one['lost']}." for one in lost_words]
        )
        return json_body(value)

    return explorer.body(("words", view, typed, names, odd), compute, long=False)


def _entry(
    word: str, where: str, known: bool, scored: tuple[str, ...], reasons: dict[tuple[str, str], str]
) -> dict[str, Any] | None:
    """A typed word without scores of its own."""
    if known:
        return {"word": word, "lost": IN_TABLE}
    if word not in scored:
        return {"word": word, "lost": reasons.get((where, word), "it cannot be scored by the model")}
    return None


def _line(matrix: ScoreMatrix, cells: Any) -> dict[str, Any]:
    return {name: getattr(matrix, name)[cells] for name in ("score", "low", "high", "adjusted", "n")}


def _of_name(name: str, matrix: ScoreMatrix, to_target: Any, to_feature: Any) -> str:
    def top(scores: Any, words: tuple[str, ...]) -> str:
        order = np.argsort(-np.where(np.isfinite(scores), scores, -np.inf), kind="stable")
        return sentences.listed([words[place] for place in order[:3]])

    return (
        f"{name} goes most with {top(to_target, matrix.targets)} among {matrix.target_set}, "
        f"and with {top(to_feature, matrix.features)} among {matrix.feature_set}."
    )
