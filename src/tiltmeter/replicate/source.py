"""A source of published figures, what it is asked, and the run that answers."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from tiltmeter.errors import InputError, ModelError
from tiltmeter.measurement import Measurement
from tiltmeter.replicate.record import place_of
from tiltmeter.replicate.tables import Replicated
from tiltmeter.runs.results import Run, adjusted, read_run
from tiltmeter.runs.run import Watcher
from tiltmeter.runs.run import run as start
from tiltmeter.runs.spec import parse_spec
from tiltmeter.runs.yaml_text import yaml_from

SPEC = "spec.yaml"


@dataclass(frozen=True, slots=True)
class Request:
    """On which models a replication is run, and where its results go."""

    models: tuple[str, ...]
    folder: Path
    data: Path | None = None
    parts: tuple[str, ...] = ()  # of those that the source has
    seed: int = 0
    watcher: Watcher | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A publication whose experiment can be done again."""

    name: str
    about: str
    weights: tuple[str, ...]  # the models of the source: names on the hub, or names of files
    run: Callable[[Request], list[Replicated]]
    parts: tuple[str, ...] = ()
    data: str = ""  # what --data is
    data_is_model: bool = False
    demo: str = "demo:en"  # what it runs on where the weights are not here
    needs_model: Callable[[Request], bool] = lambda _: True


@cache
def published(name: str) -> Mapping[str, Any]:
    """What a source prints, from `data/NAME.toml`."""
    return tomllib.loads((resources.files(__package__) / "data" / f"{name}.toml").read_text(encoding="utf-8"))


def run_spec(request: Request, title: str, metrics: Sequence[str], options: Sequence[str] = (), **keys: Any) -> Run:
    """Measure `metrics` on the models of a request, in its folder; each is a line of YAML.

    `options` are lines of each model, `keys` further keys of the spec.
    """
    lines = [
        "# Made by tiltmeter replicate. Do it again with: tiltmeter run spec.yaml",
        f"title: {json.dumps(title, ensure_ascii=False)}",
        f"seed: {request.seed}",
        'output: "."',
        *(f"{key}: {json.dumps(value)}" for key, value in keys.items()),
        "models:",
    ]
    for model in request.models:
        lines.append(f"  - path: {json.dumps(place_of(model), ensure_ascii=False)}")
        lines += [f"    {option}" for option in options]
    lines += ["metrics:", *(f"  - {metric}" for metric in metrics)]
    where = request.folder / SPEC
    spec = parse_spec(yaml_from("\n".join(lines) + "\n", where))
    try:
        summary = start(spec, request.folder, watcher=request.watcher)
    except InputError as wrong:  # the user wrote no spec: what is wrong was given on the command line
        if wrong.where != where:
            raise
        raise InputError(wrong.message, hint=wrong.hint) from None
    if summary.failed and not summary.measurements:
        job, error = summary.failed[0]
        raise ModelError(f"{job} failed: {error}")
    return read_run(request.folder)


def skipped(run: Run) -> dict[tuple[str, str, str], str]:
    """Why a test could not be measured, by model, metric and test."""
    reasons = ((job, job["skipped"] or job["error"]) for job in run.manifest["jobs"])
    return {(job["model"], job["metric"], job["test"]): reason for job, reason in reasons if reason}


def holm_corrected(run: Run) -> dict[tuple[str, str, str, str], float]:
    """The p-value of each row after Holm's correction over the run's table, by model, metric, test and part of it."""
    return {row_key(row): p for row, (p, _) in zip(run.measurements, adjusted(run.measurements), strict=True)}


def row_key(row: Measurement) -> tuple[str, str, str, str]:
    """What tells a row of a run from the others."""
    return row.model, row.metric, row.test, str(row.details.get("part", ""))


def models_of(run: Run) -> list[str]:
    """The names of the models of a run, in its order."""
    return [model["name"] for model in run.manifest["models"]]
