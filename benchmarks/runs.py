"""What a run costs beside its jobs: 1,000 jobs that measure nothing, each in a file of its own, with plan and tables.

Run: python -m benchmarks.runs
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np

from tiltmeter.measurement import Measurement
from tiltmeter.runs.execute import LocalExecutor
from tiltmeter.runs.job import Job
from tiltmeter.runs.plan import plan
from tiltmeter.runs.run import Watcher, complete
from tiltmeter.runs.spec import read_spec
from tiltmeter.runs.store import RunFolder
from tiltmeter.runs.work import Outcome, Report

JOBS = 1_000


class Trivial:
    """Measures nothing, at once."""

    def __call__(self, job: Job, report: Report | None = None) -> Outcome:  # noqa: ARG002 - it takes no time
        row = Measurement(model=job.model.name, test=job.subject.name, metric="trivial", value=0.0, p_value=0.5)
        return Outcome(job.hash, 0.0, (row,))


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = np.random.default_rng(0).standard_normal((4, 3))
        (folder / "v.txt").write_text("".join(f"w{i} {' '.join(map(str, row))}\n" for i, row in enumerate(rows)))
        for number in range(JOBS):
            (folder / f"t{number}.txt").write_text(f"w0, w1\nw2, w3\na{number}, b{number}\nc{number}, d{number}\n")
        (folder / "s.yaml").write_text("models: [v.txt]\ntests: ['t*.txt']\nmetrics: [weat]\n")
        for again in (False, True):
            begun = time.perf_counter()
            file = read_spec(folder / "s.yaml")
            planned = plan(file)
            seconds_plan = time.perf_counter() - begun
            store = RunFolder(folder / "out")
            store.open("spec.yaml", file.text.source.text)
            summary = complete(file, planned, store, executor=LocalExecutor(), work=Trivial(), watcher=Watcher())
            store.close()
            seconds = time.perf_counter() - begun
            what = "all done before" if again else "from nothing"
            print(f"{summary.jobs} trivial jobs, {what}: {seconds:.2f} s, of which the plan {seconds_plan:.2f} s")


if __name__ == "__main__":
    main()
