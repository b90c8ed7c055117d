"""A run in an object store: what one machine has finished, another does not do again."""

from __future__ import annotations

import os
import shutil
import tempfile
import uuid
from pathlib import Path

import pytest

from tiltmeter.errors import InputError
from tiltmeter.runs import mirror
from tiltmeter.runs.execute import LocalExecutor
from tiltmeter.runs.plan import plan
from tiltmeter.runs.results import read_run
from tiltmeter.runs.run import Watcher, run
from tiltmeter.runs.spec import read_spec
from tiltmeter.runs.store import locked
from tiltmeter.runs.work import ModelWork

from .commands import finished, results
from .conftest import MakeSpec

pytest.importorskip("fsspec", reason="needs the extra 'ray'")


@pytest.fixture(params=["file", "memory"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"file://{tmp_path}/store/run" if request.param == "file" else f"memory://{uuid.uuid4()}"


class Stopping(Watcher):
    def ended(self, *_given: object) -> None:
        raise KeyboardInterrupt


def test_a_run_goes_on_on_another_machine(make_spec: MakeSpec, tmp_path: Path, url: str) -> None:
    file = read_spec(make_spec())
    run(file, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        run(file, tmp_path / "first", watcher=Stopping(), mirror=url)
    shutil.rmtree(tmp_path / "first")  # that machine is gone
    summary = run(file, tmp_path / "second", mirror=url)
    assert (summary.jobs, summary.kept) == (6, 1)
    assert results(tmp_path / "second") == results(tmp_path / "whole")
    third = run(file, tmp_path / "third", mirror=url)
    assert third.kept == third.jobs
    if url.startswith("file:"):
        assert read_run(tmp_path / "store/run").measurements == read_run(tmp_path / "whole").measurements
        assert finished(tmp_path / "store/run").keys() == finished(tmp_path / "whole").keys()


def test_what_was_finished_before_there_was_a_store_is_sent_too(make_spec: MakeSpec, tmp_path: Path) -> None:
    file = read_spec(make_spec())
    run(file, tmp_path / "out")
    assert run(file, tmp_path / "out", mirror=f"file://{tmp_path}/store").kept == 6
    assert finished(tmp_path / "store").keys() == finished(tmp_path / "out").keys()
    shutil.rmtree(tmp_path / "out")
    assert run(file, tmp_path / "out", mirror=f"file://{tmp_path}/store").kept == 6


def test_a_file_that_has_changed_is_sent_again_and_no_other(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    store = mirror.Mirror(f"file://{there}")
    for name in ("one", "two"):
        (here / name).write_text("before")
    store.send(here, [here / "one", here / "two"])
    (here / "two").write_text("after")
    os.utime(here / "two", ns=(1, 1))
    (there / "one").write_text("as it is there")
    store.send(here, [here / "one", here / "two"])
    assert {path.name: path.read_text() for path in there.iterdir()} == {"one": "as it is there", "two": "after"}


def test_states_of_processes_that_were_killed_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folders = {name: tmp_path / f"tiltmeter-store-{name}" for name in ("left", "held", "new")}
    for name, folder in folders.items():
        folder.mkdir()
        (folder / ".held").touch()
        if name != "new":
            os.utime(folder, (0, 0))
    with (folders["held"] / ".held").open("r+") as file:
        assert locked(file)
        states = mirror.MirroredStates(f"file://{tmp_path}/store")
        assert [name for name, folder in folders.items() if folder.exists()] == ["held", "new"]
    assert states.folder.is_dir()
    states.close()
    assert not states.folder.exists()


def test_only_the_files_of_a_run_are_fetched(make_spec: MakeSpec, tmp_path: Path) -> None:
    store = tmp_path / "store"
    (store / "jobs").mkdir(parents=True)
    for name in ("jobs/evil.json", "spec.yaml", ".bashrc", "jobs/" + "a" * 64 + ".json.exe"):
        (store / name).write_text("no")
    run(read_spec(make_spec()), tmp_path / "out", mirror=f"file://{store}")
    assert not (tmp_path / "out/.bashrc").exists()
    assert not list((tmp_path / "out/jobs").glob("*evil*"))
    assert not list((tmp_path / "out/jobs").glob("*.exe"))
    assert (tmp_path / "out/spec.yaml").read_text() != "no"


def test_a_store_that_cannot_be_reached_is_named(make_spec: MakeSpec, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nosuch://x: is no store that can be reached"):
        run(read_spec(make_spec()), tmp_path / "out", mirror="nosuch://x")


@pytest.mark.slow
def test_states_go_to_the_store_and_come_from_it(
    three_models: Path, three_measured: Path, tmp_path: Path, url: str
) -> None:
    file = read_spec(three_models)
    summary = run(file, tmp_path / "out", executor=LocalExecutor(), mirror=url)
    assert not summary.failed
    assert results(tmp_path / "out") == results(three_measured)

    # Two processes, each with a folder of its own: the second computes nothing that the first has.
    jobs = [job for job in plan(file).jobs if job.metric == "lpbs"][:1]
    first = ModelWork(jobs, tmp_path / "nowhere/cache", f"{url}/cache")
    second = ModelWork(jobs, tmp_path / "nowhere/cache", f"{url}/cache")
    batches: list[int] = []
    assert not first(jobs[0], lambda done, _total: batches.append(done)).error
    assert batches
    batches.clear()
    assert not second(jobs[0], lambda done, _total: batches.append(done)).error
    assert not batches


def test_a_worker_that_does_not_see_the_run_folder_says_so(three_models: Path, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="language models need the extra 'lm'")
    jobs = [job for job in plan(read_spec(three_models)).jobs if job.metric == "lpbs"][:1]
    outcome = ModelWork(jobs, tmp_path / "nowhere/cache")(jobs[0])
    assert "--store URL" in outcome.error
