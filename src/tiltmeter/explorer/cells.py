"""One pair looked at closely: the names behind its score, and what explains it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tiltmeter.explorer import sentences
from tiltmeter.explorer.computations import Task, Work
from tiltmeter.explorer.explorer import Explorer, Pair
from tiltmeter.explorer.live import LiveModel
from tiltmeter.explorer.tables import unit
from tiltmeter.explorer.views import View
from tiltmeter.explorer.wire import Body, json_body
from tiltmeter.lexicon.catalogue import languages, word_sets
from tiltmeter.measure.scores import ScoreMatrix
from tiltmeter.measure.sources import COMMONNESS


def cell(explorer: Explorer, view: View, target: str, feature: str) -> Task[Body]:
    """A score with all that is known of it, and the names (indirect) or sentences (direct) behind it."""
    source = explorer.able(view.model, "cell")

    def compute(work: Work) -> Body:
        pair = explorer.pair(view, target, feature, work)
        one = pair.matrix.measurement(target, feature)
        names, fit = _names(pair, view)
        value: dict[str, Any] = {
            "target": target,
            "feature": feature,
            "score": one.value,
            "low": one.low,
            "high": one.high,
            "template_low": one.details["template_low"],
            "template_high": one.details["template_high"],
            "p": one.p_value,
            "adjusted": one.details["p_adjusted"],
            "n": sum(one.counts.values()),
            "level": one.level,
            "method": one.method,
            "unit": unit(pair.matrix),
            "names": names,
            "fit": fit,
            "templates": source.sentences(view, target, feature, work)
            if view.kind == "direct" and isinstance(source, LiveModel)
            else [],
            "weak": source.caution(target, feature) or sentences.weak_bridge(pair.matrix, target, feature),
            "sentence": sentences.whole(sentences.link(pair.matrix, target, feature)),
        }
        return json_body(value)

    return explorer.body(("cell", view, target, feature), compute, long=False)


def _names(pair: Pair, view: View) -> tuple[list[dict[str, Any]], dict[str, float] | None]:
    """x: how each name goes with the target; y: with the feature; and the least-squares line through them."""
    matrix = pair.matrix
    if matrix.bridge is None:
        return [], None
    x = matrix.bridge.to_target[matrix.targets.index(pair.target)]
    y = matrix.bridge.to_feature[:, matrix.features.index(pair.feature)]
    gender = genders(matrix)
    typed = set(view.add_names)
    names = [
        {
            "name": name,
            "gender": gender.get(name),
            "x": x[place],
            "y": y[place],
            "common": matrix.bridge.commonness[place],
            "typed": name in typed,
        }
        for place, name in enumerate(matrix.bridge.names)
    ]
    both = np.isfinite(x) & np.isfinite(y)
    spread = both.sum() > 1 and np.ptp(x[both]) > 0
    if not spread:
        return names, None
    slope, intercept = np.polyfit(x[both], y[both], 1)
    return names, {"slope": float(slope), "intercept": float(intercept)}


def genders(matrix: ScoreMatrix) -> dict[str, str]:
    """The usual gender of the names, where the lexicon knows it."""
    bridge = str(matrix.settings.get("bridge", "name"))
    sets = word_sets(matrix.language) if matrix.language in languages() else {}
    return {word.text: word.gender.value for word in sets[bridge].words if word.gender} if bridge in sets else {}


def sources(explorer: Explorer, view: View, target: str, feature: str, sensitive: tuple[str, ...]) -> Task[Body]:
    """Sensitive attributes, those that explain most of a pair first."""
    task = explorer.explained(view, target, feature, sensitive)

    def compute(work: Work) -> Body:
        found = work.need(task)
        ranked = found.ranked(target, feature)
        raw = float(found.sources.raw[0, 0])
        bounds = found.sources.raw_bounds
        low, high = float(bounds.low[0, 0]), float(bounds.high[0, 0])
        offered = set(found.category.values())
        missing = [one for one in sensitive if one not in offered]
        named = sentences.listed([one.replace("-", " ") for one in missing], 20)
        note = f"Not tried: {named}, as no word of {'it' if len(missing) == 1 else 'them'} has scores here."
        told = [
            sentences.of_source(
                target, feature, raw, one, found.category[one.name], own=found.category[one.name] == view.features
            )
            for one in ranked
        ]
        best = next((place for place, one in enumerate(ranked) if not math.isnan(one.partial)), 0)
        value = {
            "target": target,
            "feature": feature,
            "raw": raw,
            "raw_low": low,
            "raw_high": high,
            "n": found.sources.n[0, 0],
            "level": bounds.level,
            "sources": [
                {
                    "name": one.name,
                    "category": found.category[one.name],
                    "whole": one.name == found.category[one.name] != COMMONNESS,
                    "partial": one.partial,
                    "partial_low": one.partial_low,
                    "partial_high": one.partial_high,
                    "partial_p": one.partial_p,
                    "share": one.share,
                    "share_low": one.share_low,
                    "share_high": one.share_high,
                }
                for one in ranked
            ],
            "sentence": sentences.of_best(ranked[best], told[best])
            if told
            else f"What explains {target} and {feature} cannot be told.",
            "sentences": told,
            "note": note if missing else None,
            "method": found.sources.share_bounds.method,
        }
        return json_body(value)

    return explorer.body(("sources", view, target, feature, sensitive), compute, long=False)


def summary(
    explorer: Explorer, view: View, target: str | None, feature: str | None, sensitive: str | None
) -> Task[Body]:
    """The sentence above the views: what is shown, its strongest link or the one that is selected, and its source."""
    source = explorer.able(view.model, "summary")

    def compute(work: Work) -> Body:
        matrix = work.need(explorer.matrix(view))
        sure = int(((matrix.low > 0) | (matrix.high < 0)).sum())
        chosen = (target, feature) if target and feature else sentences.strongest(matrix)
        value: dict[str, Any] = {
            "strongest": None,
            "certain": sure,
            "cells": int(np.isfinite(matrix.score).sum()),
        }
        parts = [sentences.part("In "), sentences.part(source.name, "model"), sentences.part(", ")]
        if chosen is None:
            parts.append(sentences.part(f"of {value['cells']:,} links {sentences.NONE}."))
        else:
            pair = explorer.pair(view, *chosen, work)
            one = pair.matrix.measurement(*chosen)
            value["strongest"] = {"target": chosen[0], "feature": chosen[1], **_ends(one)}
            parts += sentences.within(sentences.link(pair.matrix, *chosen))
            if sensitive and view.kind == "indirect" and "sources" in source.can:
                parts += _explained(explorer, view, chosen, sensitive, work)
        return json_body({"sentence": sentences.whole(parts), "parts": parts, **value})

    return explorer.body(("summary", view, target, feature, sensitive), compute, long=False)


def _ends(one: Any) -> dict[str, float]:
    return {"score": one.value, "low": one.low, "high": one.high}


def _explained(
    explorer: Explorer, view: View, pair: tuple[str, str], sensitive: str, work: Work
) -> list[dict[str, str]]:
    """Holding the category fixed as a whole, or else its best word, what is left."""
    found = work.need(explorer.explained(view, *pair, (sensitive,)))
    ranked = [one for one in found.ranked(*pair) if found.category[one.name] == sensitive]
    best = next((one for one in ranked if one.name == sensitive), ranked[0] if ranked else None)
    if best is None or math.isnan(best.share):
        return []
    change = f"{sentences.share_in_words(best.share)} of it goes" if best.share >= 0 else "it does not shrink"
    return [
        sentences.part(" Holding "),
        sentences.part(sensitive, "category"),
        sentences.part(f" fixed, {change}: "),
        sentences.part(f"{best.partial:.2f} ({best.partial_low:.2f} to {best.partial_high:.2f})", "number"),
        sentences.part(" is left."),
    ]
