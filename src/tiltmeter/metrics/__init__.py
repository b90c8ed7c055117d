"""Metrics: pure functions from arrays to numbers. Nothing here knows of models, files or words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    """What a metric is called, which models it fits, and where it comes from."""

    name: str
    models: tuple[str, ...]
    measures: str
    source: str


METRICS: tuple[Metric, ...] = ()
