"""A job that several workers do together: each computes its part, none what another has computed, and the same bits."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tiltmeter.models._forward import Batch, Forward, Launched
from tiltmeter.runs.execute import Executor
from tiltmeter.runs.job import Job
from tiltmeter.runs.plan import plan
from tiltmeter.runs.run import Watcher, complete, run
from tiltmeter.runs.spec import SpecFile, read_spec
from tiltmeter.runs.store import RunFolder
from tiltmeter.runs.work import Ask, ModelWork, Outcome, Report, Work

from .commands import results

pytest.importorskip("torch", reason="language models need the extra 'lm'")

SPEC = """\
models: [masked]
tests: [weat6, weat7]
metrics: [weat, lpbs, crows, {metric: indirect, targets: beverage, features: gender, top: 7}]
"""
LAUNCH = Forward.launch


class Counted:
    """Writes down every text that goes through a model: in which process, and which text."""

    def __init__(self, inner: ModelWork, log: Path) -> None:
        self.inner, self.log = inner, log

    def __call__(self, job: Job, report: Report | None = None) -> Outcome:
        with texts_in(self.log):
            return self.inner(job, report)

    def can_be_shared(self, job: Job) -> bool:
        return self.inner.can_be_shared(job)

    def share(self, job: Job, report: Report | None, helpers: int, ask: Ask) -> Outcome:
        with texts_in(self.log):
            return self.inner.share(job, report, helpers, ask)

    def help(self, job: Job, number: int, helpers: int, budget: int) -> str:
        with texts_in(self.log):
            return self.inner.help(job, number, helpers, budget)

    def close(self) -> None:
        self.inner.close()


class DyingHelper(Counted):
    """One that takes its process down when it is asked to help."""

    def help(self, job: Job, number: int, helpers: int, budget: int) -> str:  # noqa: ARG002 - whatever it is
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


class RefusingHelper(Counted):
    """One to which something happens that its owner does not meet with."""

    def help(self, job: Job, number: int, helpers: int, budget: int) -> str:  # noqa: ARG002 - whatever it is
        return "MemoryError: here"


@contextlib.contextmanager
def texts_in(log: Path) -> Iterator[None]:
    """Inside, each text that goes through a model is a line of `log`: process, positions and hash."""

    def launch(forward: Forward, batch: Batch) -> Launched:
        lines = []
        for row, (ids, length) in enumerate(zip(batch.ids, batch.lengths, strict=True)):
            asked = batch.positions[batch.rows == row]
            lines.append(f"{os.getpid()} {asked} {hashlib.sha256(ids[:length].tobytes()).hexdigest()}\n")
        with log.open("a") as file:
            file.write("".join(lines))
        return LAUNCH(forward, batch)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Forward, "launch", launch)
        yield


def computed(log: Path) -> tuple[list[str], Counter[str]]:
    """The texts that were computed, and how many of them by each process."""
    lines = [line.split(maxsplit=1) for line in log.read_text().splitlines()]
    return sorted(text for _, text in lines), Counter(process for process, _ in lines)


@pytest.fixture(scope="module")
def one_model(tmp_path_factory: pytest.TempPathFactory) -> SpecFile:
    from benchmarks.random_bert import save

    folder = tmp_path_factory.mktemp("one")
    (folder / "masked").mkdir()
    save(folder / "masked", layers=1, width=64)
    (folder / "s.yaml").write_text(SPEC)
    return read_spec(folder / "s.yaml")


def completed(file: SpecFile, out: Path, executor: Executor, wrap: Callable[[ModelWork], Work]) -> None:
    planned, store = plan(file), RunFolder(out)
    store.open("spec.yaml", file.text.source.text)
    try:
        work = wrap(ModelWork(planned.jobs, store.cache))
        assert not complete(file, planned, store, executor=executor, work=work, watcher=Watcher()).failed
    finally:
        store.close()


def computed_alone(file: SpecFile, folder: Path) -> tuple[list[str], Path]:
    """The texts of a run in this process, in `folder`/whole; and where to note those of another."""
    with texts_in(folder / "log-whole"):
        assert not run(file, folder / "whole").failed
    return computed(folder / "log-whole")[0], folder / "log"


def states(cache: Path) -> dict[str, bytes]:
    """The files of a cache, each of which is named after the states of one batch."""
    return {path.name: path.read_bytes() for path in cache.rglob("*.states")}


@pytest.mark.slow
@pytest.mark.parametrize("stored", [False, True], ids=["one folder", "a store"])
def test_parts_are_the_batches_of_one_process(one_model: SpecFile, tmp_path: Path, stored: bool) -> None:
    if stored:
        pytest.importorskip("fsspec", reason="needs the extra 'ray'")
    jobs = plan(one_model).jobs
    url = f"file://{tmp_path}/store" if stored else ""
    (tmp_path / "together").mkdir()
    alone = ModelWork(jobs, tmp_path / "cache")
    owner, first, second = (ModelWork(jobs, tmp_path / "together/cache", url) for _ in range(3))
    shared = [job for job in jobs if owner.can_be_shared(job)]
    assert [job.metric for job in shared] == ["lpbs", "lpbs", "crows", "indirect"]
    for job in shared:
        with texts_in(tmp_path / "log-alone"):
            expected = alone(job)

        def ask(budget: int, job: Job = job) -> Callable[[], object]:
            with texts_in(tmp_path / "log-first"):
                assert not first.help(job, 1, 2, budget)

            def others() -> None:
                with texts_in(tmp_path / "log-second"):
                    assert not second.help(job, 2, 2, budget)  # that begins when the others have written theirs

            return others

        with texts_in(tmp_path / "log-owner"):
            found = owner.share(job, None, 2, ask)
        assert not found.error
        assert dataclasses.replace(found, seconds=0, arrays=None) == dataclasses.replace(
            expected, seconds=0, arrays=None
        )
    assert states(tmp_path / ("store" if stored else "together/cache")) == states(tmp_path / "cache")
    parts = [computed(tmp_path / f"log-{who}")[0] for who in ("owner", "first", "second")]
    whole = computed(tmp_path / "log-alone")[0]
    assert sorted(text for part in parts for text in part) == whole
    assert min(map(len, parts)) > len(whole) / 4


@pytest.mark.slow
def test_a_part_that_is_never_done_is_done_by_the_owner(one_model: SpecFile, tmp_path: Path) -> None:
    jobs = [job for job in plan(one_model).jobs if job.metric == "crows"]
    for name in ("alone", "together"):
        (tmp_path / name).mkdir()
    expected = ModelWork(jobs, tmp_path / "alone/cache")(jobs[0])
    found = ModelWork(jobs, tmp_path / "together/cache").share(jobs[0], None, 3, lambda _budget: lambda: None)
    assert found.measurements == expected.measurements
    assert states(tmp_path / "together") == states(tmp_path / "alone")


@pytest.mark.slow
def test_a_helper_says_what_went_wrong_and_leaves_the_job_to_its_owner(one_model: SpecFile, tmp_path: Path) -> None:
    jobs = [job for job in plan(one_model).jobs if job.metric == "crows"]
    assert "there is no run folder" in ModelWork(jobs, tmp_path / "nowhere/cache").help(jobs[0], 1, 1, 1_000)


@pytest.mark.slow
def test_one_model_on_two_workers_of_ray(one_model: SpecFile, ray_here: Executor, tmp_path: Path) -> None:
    whole, log = computed_alone(one_model, tmp_path)
    completed(one_model, tmp_path / "out", ray_here, lambda work: Counted(work, log))
    assert results(tmp_path / "out") == results(tmp_path / "whole")
    texts, by_process = computed(log)
    assert texts == whole  # each once
    assert len(by_process) == 2
    assert str(os.getpid()) not in by_process
    assert min(by_process.values()) > len(whole) / 3


@pytest.mark.slow
@pytest.mark.parametrize(("helper", "reason"), [(DyingHelper, "it died"), (RefusingHelper, "MemoryError: here")])
def test_a_helper_that_fails_costs_nothing_but_its_help(
    helper: type[Counted], reason: str, one_model: SpecFile, ray_here: Executor, tmp_path: Path
) -> None:
    whole, log = computed_alone(one_model, tmp_path)
    with pytest.warns(RuntimeWarning, match=rf"a helper is not asked again \({reason}"):
        completed(one_model, tmp_path / "out", ray_here, lambda work: helper(work, log))
    assert results(tmp_path / "out") == results(tmp_path / "whole")
    texts, by_process = computed(log)
    assert (texts, len(by_process)) == (whole, 1)
