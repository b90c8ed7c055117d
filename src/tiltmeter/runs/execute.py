"""Executing a plan: in this process, or shared out to several on this machine.

An executor gets jobs and a `Work` that does one, and yields outcomes in whatever order they end. It knows nothing of
run folders; a cluster is one more class with this one method.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, Protocol

from tiltmeter.runs.job import Job
from tiltmeter.runs.work import Outcome, Report, Work

_STOPPING = 5.0  # seconds that a worker has to end by itself


class Progress(Protocol):
    """Is told what goes on."""

    def started(self, job: Job) -> None:
        """A job has begun."""

    def batch(self, job: Job, done: int, total: int) -> None:
        """Part of a job, or of what its model computes for all jobs, is done."""


class Executor(Protocol):
    """Does jobs somewhere."""

    def run(self, jobs: Sequence[Job], work: Work, progress: Progress | None = None) -> Iterator[Outcome]:
        """The outcome of every job, as it ends. Jobs of a model come together, and are done in their order."""


class LocalExecutor:
    """Jobs on this machine: one after the other in this process, or by several processes, a model at a time."""

    def __init__(self, workers: int = 1) -> None:
        if workers < 1:
            raise ValueError(f"{workers} workers do nothing")
        self.workers = workers

    def run(self, jobs: Sequence[Job], work: Work, progress: Progress | None = None) -> Iterator[Outcome]:
        groups = by_model(jobs)
        workers = min(self.workers, len(groups))
        if workers > 1:
            yield from _in_processes(groups, work, workers, progress)
            return
        for group in groups:
            for job in group:
                report = None
                if progress is not None:
                    progress.started(job)
                    report = _report(progress, job)
                yield work(job, report)


def _report(progress: Progress, job: Job) -> Report:
    return lambda done, total: progress.batch(job, done, total)


def by_model(jobs: Sequence[Job]) -> list[list[Job]]:
    """The jobs of each model, in their order: what one worker does, so that it loads the model once."""
    groups: dict[str, list[Job]] = {}
    for job in jobs:
        groups.setdefault(job.model.name, []).append(job)
    return list(groups.values())


class _Worker:
    """A process and the group of jobs that it is at. It holds one end of a pipe: should this process be killed, the
    pipe ends, and the worker with it."""

    def __init__(self, work: Work) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.pipe, theirs = spawn.Pipe()
        self.process = spawn.Process(target=_serve, args=(theirs, work), daemon=True)
        self.process.start()
        theirs.close()
        self.left: deque[Job] = deque()

    def give(self, group: Sequence[Job]) -> None:
        self.left = deque(group)
        self._next()

    def done(self) -> None:
        """The first of what is left has ended."""
        self.left.popleft()
        self._next()

    def _next(self) -> None:
        if self.left:
            with contextlib.suppress(OSError):  # it has died: its pipe says so when it is read
                self.pipe.send(self.left[0])

    def stop(self) -> None:
        self.pipe.close()
        self.process.join(_STOPPING if not self.left else 0)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _in_processes(groups: list[list[Job]], work: Work, workers: int, progress: Progress | None) -> Iterator[Outcome]:
    waiting = deque(groups)
    busy: dict[Any, _Worker] = {}

    def start(group: Sequence[Job], worker: _Worker | None = None) -> None:
        worker = worker or _Worker(work)
        busy[worker.pipe] = worker
        worker.give(group)
        if progress is not None:
            progress.started(worker.left[0])

    try:
        for _ in range(workers):
            start(waiting.popleft())
        while busy:
            for pipe in wait(list(busy)):
                worker = busy[pipe]
                job = worker.left[0]
                try:
                    message: Outcome | tuple[int, int] = worker.pipe.recv()
                except (EOFError, OSError):
                    del busy[pipe]
                    yield Outcome(job.hash, 0.0, error=_death(worker))
                    rest = list(worker.left)[1:]
                    worker.left.clear()
                    worker.stop()
                    if rest or waiting:
                        start(rest or waiting.popleft())
                    continue
                if isinstance(message, tuple):
                    if progress is not None:
                        progress.batch(job, *message)
                    continue
                worker.done()
                if worker.left:
                    if progress is not None:
                        progress.started(worker.left[0])
                elif waiting:
                    start(waiting.popleft(), worker)
                else:
                    del busy[pipe]
                    worker.stop()
                yield message
    finally:
        for worker in busy.values():
            worker.process.kill()
            worker.stop()


def _death(worker: _Worker) -> str:
    worker.process.join(_STOPPING)
    code = worker.process.exitcode
    how = f"was killed by signal {-code}" if code is not None and code < 0 else f"ended with code {code}"
    return f"its process {how}; is there enough memory? Fewer workers need less."


def _serve(pipe: Connection, work: Work) -> None:
    """A worker's life: jobs come, outcomes go, until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C goes to the whole group; the main process sees to it
    parent = multiprocessing.parent_process()
    if parent is not None:

        def leave_with(sentinel: int) -> None:
            wait([sentinel])
            os._exit(1)

        threading.Thread(target=leave_with, args=(parent.sentinel,), daemon=True).start()

    def report(done: int, total: int) -> None:
        pipe.send((done, total))

    with contextlib.suppress(EOFError, OSError):
        while True:
            pipe.send(work(pipe.recv(), report))
