"""Doing jobs: a model is loaded once for all of its jobs, and what they share is computed once.

The same plan gives the same bits, however often it is interrupted and wherever it runs. A batch of other texts would
change the last digits, so an encoder is always given the texts of all its jobs, finished ones too, and a language model
keeps its states in the run folder, where a resumed run finds them in the batches that they came from.
"""

from __future__ import annotations

import contextlib
import dataclasses
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Protocol, runtime_checkable

import numpy as np

from tiltmeter.errors import InputError, ModelError, TiltmeterError
from tiltmeter.lexicon.tests import Passage
from tiltmeter.measure.association import all_passages
from tiltmeter.measurement import Measurement
from tiltmeter.models.base import Embedded, Embedder
from tiltmeter.models.load import load, load_lm
from tiltmeter.models.parts import Part
from tiltmeter.runs.arrays import Arrays
from tiltmeter.runs.identity import LANGUAGE_MODELS
from tiltmeter.runs.job import Job, Model
from tiltmeter.runs.mirror import MirroredStates
from tiltmeter.runs.spec import MODEL_OPTIONS

Report = Callable[[int, int], None]
Ask = Callable[[int], Callable[[], object]]
_BATCHES = 32  # after which states are sent to the store: what a worker that dies has computed is not lost


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a job ended: with measurements, with a reason why there was nothing to measure, or with an error."""

    hash: str
    seconds: float
    measurements: tuple[Measurement, ...] = ()
    arrays: Arrays | None = None
    skipped: str = ""
    error: str = ""


class Work(Protocol):
    """Does one job after the other; can be sent to another process, and says what happened in place of raising."""

    def __call__(self, job: Job, report: Report | None = None) -> Outcome:
        """Do one job, reporting batches done and in all."""


@runtime_checkable
class SharedWork(Work, Protocol):
    """Work that several processes can do together: one does a job, and the others help it."""

    def can_be_shared(self, job: Job) -> bool:
        """Whether helpers would find something to do."""

    def share(self, job: Job, report: Report | None, helpers: int, ask: Ask) -> Outcome:
        """Do a job of which so many helpers do a part each. `ask` begins that, once it is known how many tokens a batch
        has, and gives what waits for them."""

    def help(self, job: Job, number: int, helpers: int, budget: int) -> str:
        """Do the part of helper `number`, 1 and so on, in batches of so many tokens, and leave it where the one that
        does the job finds it. What went wrong, if anything did."""

    def close(self) -> None:
        """Let go of models, and of what is kept in this process for them."""


class _Helped(Exception):  # noqa: N818 - no error: a helper ends here
    """A part of a job is done."""


class _Known:
    """An embedder that has been told of everything, and is not told again: see the head of this file."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def fingerprint(self) -> str:
        return self._embedder.fingerprint

    @property
    def settings(self) -> Mapping[str, Any]:
        return self._embedder.settings

    def prepare(self, passages: Sequence[Passage]) -> None:
        """Nothing: the texts of the whole plan are prepared."""

    def embed(self, passages: Sequence[Passage]) -> Embedded:
        if not passages:  # a model may not care to be asked for nothing
            return Embedded((), np.zeros((0, 0), dtype=np.float32), ())
        return self._embedder.embed(passages)


class ModelWork:
    """The jobs of a plan, done on their models. States of language models are kept in the folder `cache`, which every
    process must see; or, where `states_url` says so, in a store, with a folder of its own for each process."""

    def __init__(self, jobs: Sequence[Job], cache: Path, states_url: str = "") -> None:
        self._jobs = tuple(jobs)
        self._cache = cache
        self._states_url = states_url
        self._states: MirroredStates | None = None  # of the model that is loaded
        self._loaded: tuple[str, Any] | None = None
        self._broken: dict[str, str] = {}
        self._report: Report | None = None
        self._batches = 0

    def __getstate__(self) -> dict[str, Any]:
        return {
            **self.__dict__,
            **{"_loaded": None, "_broken": {}, "_report": None, "_states": None},
        }

    def __call__(self, job: Job, report: Report | None = None) -> Outcome:
        return self._outcome(job, report)

    def can_be_shared(self, job: Job) -> bool:
        """Masked models ask for all texts of a job at once, and keep their states where others find them."""
        from tiltmeter.runs.measures import MEASURES

        return job.model.kind == "masked" and not MEASURES[job.metric].vectors

    def share(self, job: Job, report: Report | None, helpers: int, ask: Ask) -> Outcome:
        def part(budget: int) -> Part:
            wait = ask(budget)

            def together() -> None:
                wait()
                self._fetch_states()

            return Part(0, 1 + helpers, budget, together)

        return self._outcome(job, report, part)

    def help(self, job: Job, number: int, helpers: int, budget: int) -> str:
        self._report = None
        try:
            with contextlib.suppress(_Helped):
                self._measured(job, lambda _own: Part(number, 1 + helpers, budget, _end))
        except Exception as error:  # what it did not do, the one that it helps does
            return _said(error)
        return ""

    def close(self) -> None:
        self._loaded = None
        if self._states is not None:
            self._states.close()
            self._states = None

    def _outcome(self, job: Job, report: Report | None, part: Callable[[int], Part] | None = None) -> Outcome:
        self._report = report
        begun = time.perf_counter()
        try:
            found = self._measured(job, part)
        except TiltmeterError as error:
            # What a test finds missing in a model is said of that test: "test weat1: ...".
            unfit = job.optional and isinstance(error, InputError) and str(error.where).startswith("test ")
            text = str(error)
            return Outcome(
                job.hash, time.perf_counter() - begun, skipped=text if unfit else "", error="" if unfit else text
            )
        except Exception as error:  # one job must not take the others with it
            return Outcome(job.hash, time.perf_counter() - begun, error=_said(error))
        rows = tuple(
            dataclasses.replace(row, model=job.model.name, lost=(*job.left_out, *row.lost))
            for row in found.measurements
        )
        return Outcome(job.hash, time.perf_counter() - begun, rows, found.arrays)

    def _measured(self, job: Job, part: Callable[[int], Part] | None) -> Any:
        from tiltmeter.runs.measures import MEASURES

        measure = MEASURES[job.metric]
        if measure.vectors:
            return measure.run(self._model(job.model, vectors=True), job)
        model = self._language_model(job, part)
        try:
            return measure.run(model, job)
        finally:
            self._send_states()

    def _model(self, model: Model, *, vectors: bool) -> Any:
        key = f"{model.name}\0{vectors}"
        if key in self._broken:
            raise ModelError(self._broken[key])
        if self._loaded is None or self._loaded[0] != key:
            self.close()  # two models may not fit into memory
            try:
                self._loaded = key, self._embedder(model) if vectors else self._opened(model)
            except TiltmeterError as error:
                self._broken[key] = str(error)
                raise
            except Exception as error:
                self._broken[key] = f"{model.path}: cannot be loaded ({type(error).__name__}: {error})."
                raise ModelError(self._broken[key]) from error
        return self._loaded[1]

    def _embedder(self, model: Model) -> _Known:
        from tiltmeter.runs.measures import MEASURES

        kind = "encoder" if model.kind in LANGUAGE_MODELS else model.kind
        options = _options(model, kind)
        if kind != "precomputed":
            options["progress"] = self._progress
        embedder = load(model.path, kind=kind, **options)
        _check(model, embedder.fingerprint)
        tests = [
            measure.passages(job)
            for job in self._jobs
            if job.model.name == model.name and (measure := MEASURES[job.metric]).passages is not None
        ]
        passages = list(dict.fromkeys(all_passages(tests)))
        if passages:
            embedder.prepare(passages)
        return _Known(embedder)

    def _language_model(self, job: Job, part: Callable[[int], Part] | None) -> Any:
        """The model, which finds what has been computed wherever that was, and computes a part of what is missing,
        or all of it. What the part is depends on how many tokens the model takes at once."""
        model = self._model(job.model, vectors=False)
        self._fetch_states()
        if job.model.kind == "masked":
            model.share(None if part is None else part(model.tokens_per_batch))
        return model

    def _opened(self, model: Model) -> Any:
        cache = self._cache
        if self._states_url:
            self._states = MirroredStates(f"{self._states_url}/{model.fingerprint[:32]}")
            cache = self._states.folder
        elif not cache.parent.is_dir():
            raise ModelError(
                f"there is no run folder {cache.parent} on {platform.node()}: states would be lost between workers. "
                "Put it on a file system that all nodes share, or keep it in a store too, with --store URL."
            )
        opened = load_lm(
            model.path, kind=model.kind, cache=cache, progress=self._progress, **_options(model, model.kind)
        )
        _check(model, opened.fingerprint)
        return opened

    def _fetch_states(self) -> None:
        if self._states is not None:
            self._states.fetch()

    def _send_states(self) -> None:
        if self._states is not None:
            self._states.send()

    def _progress(self, done: int, total: int) -> None:
        self._batches += 1
        if self._batches % _BATCHES == 0:
            self._send_states()
        if self._report is not None:
            self._report(done, total)


def _end() -> NoReturn:
    raise _Helped


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, TiltmeterError) else f"{type(error).__name__}: {error}"


def _options(model: Model, kind: str) -> dict[str, Any]:
    return {name: value for name, value in model.options.items() if name in MODEL_OPTIONS[kind]}


def _check(model: Model, fingerprint: str) -> None:
    if fingerprint != model.fingerprint:
        raise ModelError(f"{model.path} has changed since the run was planned. Start the run again.")
