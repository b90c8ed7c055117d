"""What Ray costs, and what it gains: the same plan on one worker and on two, one job of a language model that two
workers share, and jobs that do nothing.

    OMP_NUM_THREADS=1 python -m benchmarks.ray [--json]

What it takes to start Ray and its workers, once for a run, is not in it. On a
machine that has other things to do two workers gain less, and so do two processes without Ray: that is measured beside.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.random_bert import save
from tiltmeter.lexicon.catalogue import association_test
from tiltmeter.measurement import Measurement
from tiltmeter.runs.execute import Executor, LocalExecutor
from tiltmeter.runs.job import Job
from tiltmeter.runs.plan import plan
from tiltmeter.runs.ray_executor import RayExecutor
from tiltmeter.runs.spec import read_spec
from tiltmeter.runs.work import ModelWork, Outcome, Report, Work

MODELS, RESAMPLES, TRIVIAL = 12, 200_000, 300
TESTS = ("weat6", "weat7")
SHARED = """\
models: [{path: bert, kind: masked}]
tests: [weat7]
metrics: [lpbs, crows]
"""
MOST_OVERHEAD, LEAST_EFFICIENCY, IDLE = 20.0, 0.8, 0.9


class Trivial:
    """Measures nothing, at once."""

    def __call__(self, job: Job, report: Report | None = None) -> Outcome:  # noqa: ARG002 - it takes no time
        row = Measurement(model=job.model.name, test=job.subject.name, metric="trivial", value=0.0, p_value=0.5)
        return Outcome(job.hash, 0.0, (row,))


class Clock:
    """Notes when each model's first job begins."""

    def __init__(self) -> None:
        self.begun: dict[str, float] = {}

    def started(self, job: Job) -> None:
        self.begun.setdefault(job.model.name, time.perf_counter())

    def batch(self, job: Job, done: int, total: int) -> None:
        """Nothing to say."""


def rate(executor: Executor, jobs: Sequence[Job], work: Work, workers: int) -> tuple[float, float]:
    """Jobs a second, and the share of their time that workers spend on jobs and not on waiting for the next one.

    Both from when the last worker has begun until no model is left: all have something to do.
    """
    clock, ends, took = Clock(), [], []
    for outcome in executor.run(jobs, work, clock):
        assert not outcome.error
        ends.append(time.perf_counter())
        took.append(outcome.seconds)
    begun = sorted(clock.begun.values())
    first, last = begun[workers - 1], begun[-1] if len(begun) > 1 else ends[-1]
    window = last - first
    at_work = sum(max(min(end, last) - max(end - seconds, first), 0) for end, seconds in zip(ends, took, strict=True))
    return sum(first < end <= last for end in ends) / window, at_work / (workers * window)


def shared_seconds(folder: Path, workers: int) -> float:
    """What the second job of a masked model takes, whose texts are shared by so many workers; the first loads it."""
    jobs = plan(read_spec(folder / "shared.yaml")).jobs
    with tempfile.TemporaryDirectory(dir=folder) as name:
        work = ModelWork(jobs, Path(name) / "cache")
        first, second = RayExecutor(workers=workers).run(jobs, work)
        assert not first.error + second.error
        return second.seconds


def vectors(path: Path) -> Path:
    words = sorted({word for name in TESTS for side in association_test(name).texts() for word in side})
    rows = np.random.default_rng(0).standard_normal((len(words), 50))
    path.write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in zip(words, rows, strict=True)))
    return path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, RayExecutor(workers=2).connected():
        folder = Path(name)
        vectors(folder / "v.txt")
        models = ", ".join(f"{{path: v.txt, name: m{number}}}" for number in range(MODELS))
        spec = folder / "s.yaml"
        spec.write_text(
            f"models: [{models}]\ntests: [{', '.join(TESTS)}]\nmetrics: [{{metric: weat, resamples: {RESAMPLES}}}]\n"
        )
        jobs = plan(read_spec(spec)).jobs
        work = ModelWork(jobs, folder / "cache")
        bare = rate(LocalExecutor(2), jobs, work, 2)[0] / (2 * rate(LocalExecutor(), jobs, work, 1)[0])
        (one, _), (two, at_work) = (rate(RayExecutor(workers=number), jobs, work, number) for number in (1, 2))
        (folder / "bert").mkdir()
        save(folder / "bert", layers=6, width=512)
        (folder / "shared.yaml").write_text(SHARED)
        sharing = shared_seconds(folder, 1) / (2 * shared_seconds(folder, 2))
        many = [Job(job.model, "weat", job.subject, {"n": n}) for n in range(TRIVIAL) for job in jobs[:1]]
        row = {
            "jobs": len(jobs),
            "1 worker, jobs a second": round(one, 2),
            "2 workers, jobs a second": round(two, 2),
            "efficiency of 2 workers": round(two / (2 * one), 2),
            "of 2 processes without Ray": round(bare, 2),
            "2 workers are at work, share": round(at_work, 2),
            "efficiency of 2 that share a job": round(sharing, 2),
            "overhead per job, ms": round(1000 / rate(RayExecutor(workers=1), many, Trivial(), 1)[0], 2),
        }
    print(
        json.dumps(row, indent=2) if options.json else "\n".join(f"{key:34}{value:>10}" for key, value in row.items())
    )
    if bare < IDLE:
        print("this machine is busy: two processes without Ray gain as little", file=sys.stderr)
    scales = row["efficiency of 2 workers"] >= LEAST_EFFICIENCY or bare < IDLE
    if row["overhead per job, ms"] > MOST_OVERHEAD or at_work < LEAST_EFFICIENCY or not scales:
        sys.exit("below what is promised")


if __name__ == "__main__":
    main()
