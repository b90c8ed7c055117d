"""A run from beginning to end: plan, do what is not done yet, write the tables."""

from __future__ import annotations

import json
import time
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import InputError
from tiltmeter.measurement import Measurement
from tiltmeter.runs.execute import Executor, LocalExecutor, Progress
from tiltmeter.runs.job import Job
from tiltmeter.runs.manifest import manifest
from tiltmeter.runs.mirror import MirroredFolder
from tiltmeter.runs.plan import Plan, plan
from tiltmeter.runs.results import MANIFEST, write_tables
from tiltmeter.runs.spec import SpecFile
from tiltmeter.runs.store import Record, RunFolder
from tiltmeter.runs.work import ModelWork, Outcome, Work


@dataclass(frozen=True, slots=True)
class Summary:
    """How a run ended. `skipped` and `failed` are what each job is called, and why."""

    folder: Path
    jobs: int
    kept: int  # done by an earlier start
    measurements: int
    skipped: tuple[tuple[str, str], ...]
    failed: tuple[tuple[str, str], ...]
    seconds: float


class Watcher(Progress):
    """Is told of the whole run; the one given here is silent."""

    def planned(self, jobs: Sequence[Job], kept: int) -> None:
        """So many jobs there are, and so many are done already."""

    def ended(self, job: Job, record: Record | None, error: str) -> None:
        """A job is done, or has failed."""

    def started(self, job: Job) -> None:
        """A job has begun."""

    def batch(self, job: Job, done: int, total: int) -> None:
        """Part of a job is done."""


def default_folder(file: SpecFile) -> Path:
    """The run folder that a spec names, or one called after it."""
    if file.spec.output is not None:
        return file.path(file.spec.output)
    return file.base / f"{Path(file.text.source.where).stem}-run"


def run(
    file: SpecFile,
    folder: Path | None = None,
    *,
    executor: Executor | None = None,
    watcher: Watcher | None = None,
    mirror: str | None = None,
) -> Summary:
    """Do what a spec says. What an earlier start has done in the same folder is kept.

    `mirror`: the URL of an object store in which the folder is kept too; see `tiltmeter.runs.mirror`.
    """
    path = default_folder(file) if folder is None else folder
    store = RunFolder(path) if mirror is None else MirroredFolder(path, mirror)
    planned = plan(file, store.models)
    suffix = ".txt" if Path(file.text.source.where).suffix.lower() == ".txt" else ".yaml"
    store.open(f"spec{suffix}", file.text.source.text)
    work = ModelWork(planned.jobs, store.cache, store.states_url)
    try:
        return complete(
            file,
            planned,
            store,
            executor=executor or LocalExecutor(),
            work=work,
            watcher=watcher or Watcher(),
        )
    finally:
        work.close()
        store.close()


def complete(
    file: SpecFile, planned: Plan, store: RunFolder, *, executor: Executor, work: Work, watcher: Watcher
) -> Summary:
    """Do the jobs that are not done, and write the tables and the manifest, last of all."""
    begun = time.perf_counter()
    records = {job.hash: record for job in planned.jobs if (record := store.record(job.hash)) is not None}
    kept = len(records)
    store.log(f"begin {len(planned.jobs)} jobs, {kept} done")
    watcher.planned(planned.jobs, kept)
    failed = _do([job for job in planned.jobs if job.hash not in records], store, records, executor, work, watcher)
    measurements: list[Measurement] = [
        row for job in planned.jobs if job.hash in records for row in records[job.hash].measurements
    ]
    seconds = time.perf_counter() - begun
    write_tables(store.path, measurements)
    about = manifest(file, planned, records, failed, seconds)
    store.write(MANIFEST, json.dumps(about, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
    if not failed:
        store.drop_cache()
    store.log(f"end {len(measurements)} measurements, {len(failed)} failed")
    titles = {job.hash: job.title for job in planned.jobs}
    return Summary(
        folder=store.path,
        jobs=len(planned.jobs),
        kept=kept,
        measurements=len(measurements),
        skipped=tuple((titles[key], record.skipped) for key, record in records.items() if record.skipped),
        failed=tuple((titles[key], error) for key, error in failed.items()),
        seconds=seconds,
    )


def _do(
    jobs: list[Job],
    store: RunFolder,
    records: dict[str, Record],
    executor: Executor,
    work: Work,
    watcher: Watcher,
) -> dict[str, str]:
    """Do these jobs and keep what comes out; the errors of those that failed."""
    by_hash = {job.hash: job for job in jobs}
    failed: dict[str, str] = {}
    outcomes = executor.run(jobs, work, _Logged(store, watcher))
    try:
        for outcome in outcomes:
            _keep(by_hash[outcome.hash], outcome, store, records, failed, watcher)
    except KeyboardInterrupt:
        store.log("interrupted")
        raise
    finally:
        if isinstance(outcomes, Generator):
            outcomes.close()  # ends its processes, if it has any
    missing = [job for job in jobs if job.hash not in records and job.hash not in failed]
    if missing:
        raise InputError(f"the executor gave no outcome for {len(missing)} jobs, such as {missing[0].title}.")
    return failed


def _keep(
    job: Job,
    outcome: Outcome,
    store: RunFolder,
    records: dict[str, Record],
    failed: dict[str, str],
    watcher: Watcher,
) -> None:
    if outcome.error:
        failed[job.hash] = outcome.error
        store.log("failed", job.hash, f"{job.title}: {outcome.error}")
        watcher.ended(job, None, outcome.error)
        return
    record = Record(job.as_dict(), outcome.measurements, outcome.seconds, outcome.skipped, outcome.arrays is not None)
    store.add(job.hash, record, outcome.arrays)
    records[job.hash] = record
    store.log("skipped" if outcome.skipped else "done", job.hash, f"{job.title} {outcome.skipped}")
    watcher.ended(job, record, "")


class _Logged:
    """Says in run.log when a job begins."""

    def __init__(self, store: RunFolder, watcher: Watcher) -> None:
        self._store = store
        self._watcher = watcher

    def started(self, job: Job) -> None:
        self._store.log("start", job.hash, job.title)
        self._watcher.started(job)

    def batch(self, job: Job, done: int, total: int) -> None:
        self._watcher.batch(job, done, total)
