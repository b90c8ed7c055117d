"""Louis-Alexandre 2022 and Louis-Alexandre & Waldner 2023: direct and indirect scores of masked language models."""

from __future__ import annotations

import shutil

from tiltmeter.errors import ModelError
from tiltmeter.replicate import correlations, drinks, occupations, padding
from tiltmeter.replicate.source import Request, Source, models_of, skipped
from tiltmeter.replicate.tables import Replicated
from tiltmeter.replicate.thesis_scores import NAME, Pair, Scores, measure

PARTS = ("occupations", "drinks", "correlations", "padding")
_METRICS = ("direct", "indirect")
_NEEDED = (occupations.PAIR, *drinks.PAIRS)


def replicate(request: Request) -> list[Replicated]:
    """The tables of the parts that are asked for; all of them by default."""
    parts = request.parts or PARTS
    pairs: list[Pair] = [
        *([occupations.PAIR] if "occupations" in parts or parts == ("padding",) else []),
        *(drinks.PAIRS if "drinks" in parts else []),
        *(correlations.PAIRS if "correlations" in parts else []),
    ]
    run, found = measure(request, pairs)
    reasons = skipped(run)
    made: list[Replicated] = []
    for model, path in zip(models_of(run), request.models, strict=True):
        scores: dict[Pair, dict[str, Scores]] = {
            pair: {metric: found[model, metric, pair] for metric in _METRICS}
            for pair in pairs
            if all((model, metric, pair) in found for metric in _METRICS)
        }
        lost = {
            pair: reason
            for pair in pairs
            for metric in _METRICS
            if (reason := reasons.get((model, metric, " × ".join(pair))))
        }
        for pair in _NEEDED:
            if pair in lost:
                raise ModelError(f"{model} has no scores of {' and '.join(pair)}: {lost[pair]}")
        if "occupations" in parts:
            made += occupations.tables(model, scores[occupations.PAIR])
        if "drinks" in parts:
            made += drinks.tables(model, scores)
        if "correlations" in parts:
            made += correlations.tables(model, scores, lost)
        if "padding" in parts:
            made += padding.tables(model, path, request)
    shutil.rmtree(request.folder / padding.STATES, ignore_errors=True)
    return made


SOURCE = Source(
    name=NAME,
    about="direct and indirect scores: occupations and gender, drinks, correlations, padding texts",
    weights=("bert-base-cased", "bert-large-cased", "xlnet-base-cased", "xlnet-large-cased"),
    run=replicate,
    parts=PARTS,
)
