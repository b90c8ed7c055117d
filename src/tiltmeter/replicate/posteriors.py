"""Dobrzeniecka & Urbaniak: the posteriors that they publish, from the cosine distances that they publish."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tiltmeter.bayes.estimates import HALF, MOST
from tiltmeter.bayes.fit import Posterior, fit
from tiltmeter.bayes.predictive import coverage
from tiltmeter.bayes.reading import read_distances
from tiltmeter.bayes.summary import measurements
from tiltmeter.errors import InputError, TiltmeterError
from tiltmeter.lexicon.catalogue import association_test, multiclass_test
from tiltmeter.lexicon.source_text import read
from tiltmeter.replicate.source import Request, published
from tiltmeter.replicate.tables import Figure, Replicated
from tiltmeter.runs.execute import LocalExecutor
from tiltmeter.runs.job import Job, Model, Subject
from tiltmeter.runs.plan import Plan
from tiltmeter.runs.posteriors import kept, read_posteriors
from tiltmeter.runs.results import read_run
from tiltmeter.runs.run import Watcher, complete
from tiltmeter.runs.spec import parse_spec
from tiltmeter.runs.store import RunFolder
from tiltmeter.runs.work import Outcome, Report
from tiltmeter.runs.yaml_text import yaml_from

NAME = "dobrzeniecka-urbaniak"
_PUBLISHED = ".posterior.csv"
_LETTERS = {"associated": "a", "different": "d", "human": "h", "neutral": "n"}
_OPTIONS = {"chains": 2, "draws": 4_000, "warmup": 1_000, "target_accept": 0.8}


@dataclass(frozen=True, slots=True)
class DataSet:
    """Distances and the posterior that was published of them."""

    name: str
    distances: Path
    posterior: Path


def data_sets(folder: Path) -> list[DataSet]:
    """The data sets of a folder: NAME.csv or NAME.csv.xz beside NAME.posterior.csv."""
    found = []
    for posterior in sorted(folder.glob(f"*{_PUBLISHED}")):
        name = posterior.name.removesuffix(_PUBLISHED)
        near = [path for ending in (".csv.xz", ".csv") if (path := folder / f"{name}{ending}").is_file()]
        if near:
            found.append(DataSet(name, near[0], posterior))
    if not found:
        raise InputError(
            f"has no NAME.csv with a NAME{_PUBLISHED} beside it.",
            where=folder,
            hint="Give the folder with the distances and posteriors of the paper's repository.",
        )
    return found


def replicate(request: Request, given: Sequence[DataSet]) -> list[Replicated]:
    """A run on the published distances; a table a data set, and one of the posterior predictive check."""
    posteriors = _run(request, given)
    tables = [_table(each, posteriors[each.name]) for each in given]
    return [*tables, _coverage(posteriors)]


def _run(request: Request, given: Sequence[DataSet]) -> dict[str, Posterior]:
    lines = [
        "# Made by tiltmeter replicate dobrzeniecka-urbaniak from published distances, not from a model: these files",
        f"# are its models, and `tiltmeter run` cannot do it again. The command is: replicate {NAME} --data FOLDER",
        'title: "Dobrzeniecka & Urbaniak: posteriors of published distances"',
        f"seed: {request.seed}",
        'output: "."',
        "models:",
        *(
            f"  - {{ path: {json.dumps(str(each.distances.resolve()))}, name: {json.dumps(each.name)}, "
            "kind: precomputed }"
            for each in given
        ),
        "metrics: [bayes]",
    ]
    file = parse_spec(yaml_from("\n".join(lines) + "\n", request.folder / "spec.yaml"))
    jobs = tuple(_job(each, request.seed) for each in given)
    store = RunFolder(request.folder)
    store.open("spec.yaml", file.text.source.text)
    try:
        summary = complete(
            file,
            Plan(tuple(job.model for job in jobs), jobs),
            store,
            executor=LocalExecutor(),
            work=_FromDistances(jobs),
            watcher=request.watcher or Watcher(),
        )
    finally:
        store.close()
    if summary.failed:
        raise InputError(summary.failed[0][1], where=summary.failed[0][0])
    return {each.distances.model: each for each in read_posteriors(request.folder, read_run(request.folder).manifest)}


def _job(given: DataSet, seed: int) -> Job:
    fingerprint = hashlib.sha256(given.distances.read_bytes()).hexdigest()
    model = Model(given.name, str(given.distances), "precomputed", "en", fingerprint, {})
    return Job(model, "bayes", _subject(given.name), {**_OPTIONS, "seed": seed})


def _subject(name: str) -> Subject:
    """The test whose words a data set has, by its name: religion_group_google_dataset, weat_7_google."""
    first, *rest = name.split("_")
    if first == "weat" and rest:
        return association_test(f"weat{rest[0]}")
    return multiclass_test(first)


class _FromDistances:
    """Samples all data sets at once, when the first is asked for."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._jobs = jobs
        self._fitted: dict[str, Posterior] = {}

    def __call__(self, job: Job, report: Report | None = None) -> Outcome:
        begun = time.perf_counter()
        try:
            if not self._fitted:
                data = [read_distances(each.model.path) for each in self._jobs]
                options: dict[str, Any] = dict(job.options)
                fitted = fit(data, progress=report, **options)
                self._fitted = {each.model.name: one for each, one in zip(self._jobs, fitted, strict=True)}
            posterior = self._fitted[job.model.name]
        except TiltmeterError as error:
            return Outcome(job.hash, time.perf_counter() - begun, error=str(error))
        rows = tuple(replace(row, model=job.model.name) for row in measurements(posterior))
        return Outcome(job.hash, time.perf_counter() - begun, rows, kept(posterior))


def _table(given: DataSet, posterior: Posterior) -> Replicated:
    tolerance = published(NAME)["tolerance"]
    names = _by_printed_name(posterior)
    figures = []
    for row in csv.DictReader(io.StringIO(read(given.posterior).text)):
        name = row[""]
        mean, sd = float(row["mean"]), float(row["sd"])
        label, draws = names.get(name, (name, None))
        within = tolerance["word"] if name[1:2] == "[" and name[0] != "s" else tolerance["bar"]
        ours = (None, None) if draws is None else (float(draws.mean()), float(draws.std(ddof=1)))
        figures.append(Figure(labels=(label, "mean"), published=mean, measured=ours[0], digits=3, tolerance=within))
        figures.append(
            Figure(labels=(label, "sd"), published=sd, measured=ours[1], digits=3, tolerance=tolerance["sd"] * sd)
        )
    return Replicated(
        title=f"Posterior of {given.name}",
        source=f"{published(NAME)['source']}, {given.posterior.name}",
        model=given.name,
        columns=("parameter", "figure"),
        figures=tuple(figures),
        note=f"Met: means within {tolerance['bar']:g} ({tolerance['word']:g} for single words), standard deviations "
        f"within {100 * tolerance['sd']:.0f} %.",
    )


def _by_printed_name(posterior: Posterior) -> Mapping[str, tuple[str, np.ndarray[Any, Any]]]:
    """Draws under the names of the published files, whose words are numbered in the order of the alphabet."""
    words = posterior.distances.words
    found = {}
    for column, connection in enumerate(posterior.distances.present):
        letter = _LETTERS[connection]
        found[f"{letter}bar"] = (f"{connection}, mean of all words", posterior.draws("bar")[:, column])
        found[f"{letter}sigmabar"] = (f"{connection}, spread between words", posterior.draws("spread")[:, column])
        found[f"s[{column + 1}]"] = (f"{connection}, spread within words", posterior.draws("sigma")[:, column])
        for number, word in enumerate(sorted(words), start=1):
            draws = posterior.draws("mu")[:, words.index(word), column]
            found[f"{letter}[{number}]"] = (f"{connection}, {word}", draws)
    return found


def _nearest(posteriors: Mapping[str, Posterior]) -> str:
    """The data set whose two shares come nearest to those of figure 12."""
    known = published(NAME)["coverage"]

    def apart(name: str) -> float:
        half, most = (100 * each.share for each in coverage(posteriors[name]))
        return float(abs(half - known["half"]) + abs(most - known["most"]))

    return min(posteriors, key=apart)


def _coverage(posteriors: Mapping[str, Posterior]) -> Replicated:
    printed = published(NAME)
    names = {HALF: "half", MOST: "most"}
    nearest = _nearest(posteriors)
    figures = []
    for name, posterior in posteriors.items():
        for each in coverage(posterior):
            which = names[each.level]
            figures.append(
                Figure(
                    labels=(name, f"{100 * each.level:.0f} %"),
                    published=float(printed["coverage"][which]) if name == nearest else None,
                    measured=100 * each.share,
                    digits=1,
                    tolerance=float(printed["tolerance"]["coverage"]),
                )
            )
    return Replicated(
        title="Per cent of distances inside the predicted intervals",
        source=f"{printed['source']}, figure 12",
        model="published distances",
        columns=("data set", "interval"),
        figures=tuple(figures),
        note="The paper prints the figures of one data set without naming it; they stand beside the one that comes "
        f"nearest. Met: within {printed['tolerance']['coverage']:g}.",
    )
