"""What every executor must do, wherever it does the jobs: in this process, in two, or on Ray."""

from __future__ import annotations

import dataclasses
import os
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tiltmeter.errors import InputError
from tiltmeter.runs.execute import Executor, LocalExecutor, Progress
from tiltmeter.runs.job import Job
from tiltmeter.runs.plan import Plan, plan
from tiltmeter.runs.results import read_run
from tiltmeter.runs.run import Summary, Watcher, complete, run
from tiltmeter.runs.spec import SpecFile, read_spec
from tiltmeter.runs.store import Record, RunFolder
from tiltmeter.runs.work import ModelWork, Outcome, Report, Work

from .clusters import listening, need_ray
from .commands import PATIENCE, finished, results, run_it, times_done
from .conftest import MakeSpec

TWO = (
    "models: [{path: VECTORS, name: one}, {path: VECTORS, name: two}]\ntests: [weat6, weat7, weat8]\nmetrics: [weat]\n"
)


APART = ("two processes", pytest.param("ray", marks=pytest.mark.slow))


def _executor(request: pytest.FixtureRequest) -> Executor:
    if request.param == "ray":
        found: Executor = request.getfixturevalue("ray_here")
        return found
    return LocalExecutor(1 if request.param == "here" else 2)


@pytest.fixture(params=["here", *APART])
def executor(request: pytest.FixtureRequest) -> Executor:
    return _executor(request)


@pytest.fixture(params=APART)
def apart(request: pytest.FixtureRequest) -> Executor:
    """An executor whose workers are processes of their own."""
    return _executor(request)


class Before:
    """An executor before whose first job something happens."""

    def __init__(self, executor: Executor, act: Callable[[], object]) -> None:
        self.executor, self.act = executor, act

    def run(self, jobs: Sequence[Job], work: Work, progress: Progress | None = None) -> Iterator[Outcome]:
        self.act()
        yield from self.executor.run(jobs, work, progress)


class Dying:
    """Takes its process down at one test, the first so many times; does all others as they should be done."""

    def __init__(self, inner: Work, test: str, times: int, log: Path) -> None:
        self.inner, self.test, self.times, self.log = inner, test, times, log

    def __call__(self, job: Job, report: Report | None = None) -> Outcome:
        if job.subject.name == self.test:
            with self.log.open("a") as log:
                log.write(f"{job.hash}\n")
            if self.log.read_text().count(job.hash) <= self.times:
                os.kill(os.getpid(), signal.SIGKILL)
        return self.inner(job, report)


class Counting:
    """Writes down each model that is really loaded, and where."""

    def __init__(self, inner: ModelWork, log: Path) -> None:
        self.inner, self.log = inner, log

    def __call__(self, job: Job, report: Report | None = None) -> Outcome:
        from tiltmeter.runs import work

        for name in ("load", "load_lm"):
            self._count(work, name)
        return self.inner(job, report)

    def _count(self, module: object, name: str) -> None:
        real = getattr(module, name)
        if hasattr(real, "counted"):
            return

        def counted(path: str, **options: object) -> object:
            with self.log.open("a") as log:
                log.write(f"{os.getpid()} {name} {path}\n")
            return real(path, **options)

        counted.counted = True  # type: ignore[attr-defined]
        setattr(module, name, counted)


class Slow:
    """Reports ten batches, and takes a while over them."""

    def __call__(self, job: Job, report: Report | None = None) -> Outcome:
        for done in range(1, 11):
            time.sleep(0.12)
            if report is not None:
                report(done, 10)
        return Outcome(job.hash, 1.0, skipped=f"{os.getpid()}")


def _completed(
    file: SpecFile,
    out: Path,
    executor: Executor,
    wrap: Callable[[ModelWork], Work] = lambda work: work,
    watcher: Watcher | None = None,
    planned: Plan | None = None,
) -> Summary:
    planned = planned or plan(file)
    store = RunFolder(out)
    store.open("spec.yaml", file.text.source.text)
    try:
        work = wrap(ModelWork(planned.jobs, store.cache))
        return complete(file, planned, store, executor=executor, work=work, watcher=watcher or Watcher())
    finally:
        store.close()


def test_measurements_are_the_same_wherever_they_are_made(
    executor: Executor, make_spec: MakeSpec, tmp_path: Path
) -> None:
    file = read_spec(make_spec(TWO))
    run(file, tmp_path / "whole")
    summary = run(file, tmp_path / "out", executor=executor)
    assert (summary.jobs, summary.measurements, summary.failed) == (6, 6, ())
    assert results(tmp_path / "out") == results(tmp_path / "whole")
    assert set(times_done(tmp_path / "out").values()) == {1}


@pytest.mark.slow
def test_language_models_are_loaded_once_and_give_the_same_bits(
    executor: Executor, three_models: Path, three_measured: Path, tmp_path: Path
) -> None:
    file, log = read_spec(three_models), tmp_path / "loads"
    summary = _completed(file, tmp_path / "out", executor, lambda work: Counting(work, log))
    assert not summary.failed
    assert results(tmp_path / "out") == results(three_measured)
    loads = Counter(tuple(line.split(maxsplit=2)) for line in log.read_text().splitlines())
    if not (isinstance(executor, LocalExecutor) and executor.workers == 1):  # where this process has no part in it
        assert str(os.getpid()) not in {pid for pid, _, _ in loads}
    # The masked model is asked for vectors and for words: two forms of it, each loaded by one worker, once.
    assert sorted((how, Path(path).name) for _, how, path in loads.elements()) == [
        *(("load", name) for name in ("encoder", "masked", "small.txt")),
        ("load_lm", "masked"),
    ]


def test_a_job_that_raises_is_reported_and_the_rest_go_on(
    executor: Executor, make_spec: MakeSpec, tmp_path: Path
) -> None:
    file = read_spec(make_spec(TWO))
    whole = plan(file)
    broken = dataclasses.replace(whole.jobs[0], options={"no_such_option": 1})
    planned = dataclasses.replace(whole, jobs=(broken, *whole.jobs[1:]))
    summary = _completed(file, tmp_path / "out", executor, planned=planned)
    ((title, error),) = summary.failed
    assert title == "one: weat weat6"
    assert "TypeError" in error
    assert "no_such_option" in error
    assert summary.measurements == len(whole.jobs) - 1
    assert f"failed {broken.hash}" in (tmp_path / "out/run.log").read_text(encoding="utf-8")

    again = run(file, tmp_path / "out")
    assert again.kept == len(whole.jobs) - 1
    assert not again.failed


def test_a_job_that_kills_its_worker_costs_that_job_alone(apart: Executor, make_spec: MakeSpec, tmp_path: Path) -> None:
    file = read_spec(make_spec(TWO))
    summary = _completed(file, tmp_path / "out", apart, lambda work: Dying(work, "weat7", 99, tmp_path / "log"))
    failed = dict(summary.failed)
    assert failed.keys() == {"one: weat weat7", "two: weat weat7"}
    how = "killed by signal 9" if isinstance(apart, LocalExecutor) else "its worker died 3 times"
    assert all(how in error for error in failed.values())
    assert len(read_run(tmp_path / "out").measurements) == 4


def test_ctrl_c_leaves_a_run_that_resumes(executor: Executor, make_spec: MakeSpec, tmp_path: Path) -> None:
    class Stopping(Watcher):
        def ended(self, job: Job, record: Record | None, error: str) -> None:  # noqa: ARG002 - whatever it was
            raise KeyboardInterrupt

    file = read_spec(make_spec(TWO))
    with pytest.raises(KeyboardInterrupt):
        _completed(file, tmp_path / "out", executor, watcher=Stopping())
    assert len(finished(tmp_path / "out")) == 1
    with pytest.raises(InputError, match="has not finished"):
        read_run(tmp_path / "out")
    assert run(file, tmp_path / "out").kept == 1


def test_what_is_left_alone_ends_its_workers(apart: Executor, make_spec: MakeSpec) -> None:
    jobs = plan(read_spec(make_spec(TWO))).jobs
    outcomes = apart.run(jobs, Slow())
    assert isinstance(outcomes, Iterator)
    pid = int(next(outcomes).skipped)
    assert Path(f"/proc/{pid}").exists() or not Path("/proc/self").exists()
    outcomes.close()  # type: ignore[attr-defined]
    limit = time.monotonic() + PATIENCE
    while Path(f"/proc/{pid}").exists():
        assert time.monotonic() < limit
        time.sleep(0.05)


def test_progress_comes_while_the_work_goes_on(executor: Executor, make_spec: MakeSpec) -> None:
    seen: list[tuple[str, str, int]] = []

    class Seeing:
        def started(self, job: Job) -> None:
            seen.append(("started", job.hash, 0))

        def batch(self, job: Job, done: int, total: int) -> None:
            assert total == 10
            seen.append(("batch", job.hash, done))

    jobs = [job for job in plan(read_spec(make_spec(TWO))).jobs if job.subject.name == "weat6"]
    outcomes = list(executor.run(jobs, Slow(), Seeing()))
    assert {outcome.hash for outcome in outcomes} == {job.hash for job in jobs}
    for job in jobs:
        of_job = [(what, done) for what, key, done in seen if key == job.hash]
        assert of_job[0] == ("started", 0)
        batches = [done for what, done in of_job if what == "batch"]
        assert batches == sorted(batches)
        assert len(batches) >= 2


def test_a_model_that_vanishes_half_way_takes_no_other_with_it(
    executor: Executor, make_spec: MakeSpec, vectors: Path, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        shutil.copy(vectors, tmp_path / f"{name}.txt")
    spec = make_spec("models: [one.txt, two.txt]\ntests: [weat6, weat7]\nmetrics: [weat]\n")
    out = tmp_path / "out"
    summary = run(read_spec(spec), out, executor=Before(executor, (tmp_path / "two.txt").unlink))
    assert [job for job, _ in summary.failed] == ["two.txt: weat weat6", "two.txt: weat weat7"]
    assert all("two.txt" in error for _, error in summary.failed)
    assert [row.model for row in read_run(out).measurements] == ["one.txt", "one.txt"]

    # Nothing was ever measured on it: the spec is at fault now.
    with pytest.raises(InputError, match=r"batch\.yaml:1: .*two\.txt"):
        run(read_spec(spec), out)


def test_a_model_that_changes_after_the_plan_is_not_measured(
    executor: Executor, make_spec: MakeSpec, vectors: Path, tmp_path: Path
) -> None:
    shutil.copy(vectors, tmp_path / "one.txt")
    spec = make_spec("models: [one.txt]\ntests: [weat6]\nmetrics: [weat]\n")

    def change() -> None:
        (tmp_path / "one.txt").write_text(vectors.read_text().replace("0.1", "0.3"))

    summary = run(read_spec(spec), tmp_path / "out", executor=Before(executor, change))
    assert "has changed since the run was planned" in summary.failed[0][1]


@pytest.mark.slow
def test_ray_tries_again_after_a_death(ray_here: Executor, make_spec: MakeSpec, tmp_path: Path) -> None:
    file = read_spec(make_spec(TWO))
    run(file, tmp_path / "whole")
    summary = _completed(file, tmp_path / "out", ray_here, lambda work: Dying(work, "weat7", 1, tmp_path / "log"))
    assert not summary.failed
    assert results(tmp_path / "out") == results(tmp_path / "whole")
    assert set(Counter((tmp_path / "log").read_text().split()).values()) == {2}


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="needs Linux to see who listens")
def test_ray_started_by_a_run_listens_on_loopback_alone(ray_here: Executor) -> None:  # noqa: ARG001
    addresses = [address for of_process in listening().values() for address in of_process]
    assert len(addresses) >= 3
    loopback = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
    assert set(addresses) <= loopback


@pytest.mark.parametrize(
    ("cpus", "gpus", "fit"),
    [(1, 0, 16), (4, 0, 4), (1, 1, 2), (1, 0.5, 4), (1, 0.4, 4), (1, 0.75, 2), (1, 2, 1), (6, 0.5, 2)],
)
def test_workers_share_a_gpu_and_none_has_parts_of_two(cpus: float, gpus: float, fit: int) -> None:
    from tiltmeter.runs.ray_executor import fitting

    assert fitting({"Alive": True, "Resources": {"CPU": 16.0, "GPU": 2.0}}, cpus, gpus) == fit
    assert fitting({"Alive": True, "Resources": {"CPU": 16.0}}, cpus, gpus) == (0 if gpus else fit)
    assert fitting({"Alive": False, "Resources": {"CPU": 16.0, "GPU": 2.0}}, cpus, gpus) == 0


@pytest.mark.parametrize("address", ["head:10001", "ray://head", "ray://head:", "ray://head/10001"])
def test_ray_is_asked_for_by_an_address(address: str) -> None:
    from tiltmeter.runs.ray_executor import RayExecutor

    with pytest.raises(InputError, match="ray://HOST:10001"):
        RayExecutor(address)


def test_a_worker_on_ray_has_a_part_of_a_gpu_or_whole_ones() -> None:
    from tiltmeter.runs.ray_executor import RayExecutor

    assert [RayExecutor(gpus=gpus).gpus for gpus in (0, 0.5, 1, 2)] == [0, 0.5, 1, 2]
    with pytest.raises(InputError, match=r"cannot have 1\.5 GPUs"):
        RayExecutor(gpus=1.5)


@pytest.mark.slow
def test_a_cluster_that_does_not_answer_is_named(make_spec: MakeSpec, tmp_path: Path) -> None:
    need_ray()
    ended = run_it(make_spec(TWO), tmp_path / "out", "--on", "ray://127.0.0.1:1")
    assert ended.returncode == 2
    assert "ray://127.0.0.1:1: no Ray cluster answers there" in ended.stderr


def test_without_ray_the_extra_is_named(make_spec: MakeSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tiltmeter.runs.ray_executor import RayExecutor

    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"pip install 'tiltmeter\[ray\]'"):
        run(read_spec(make_spec(TWO)), tmp_path / "out", executor=RayExecutor())
