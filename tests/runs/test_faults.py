"""Runs that are killed, starved, or given models that break: what is done is kept, and what is kept is right."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tiltmeter.errors import InputError
from tiltmeter.runs.run import run
from tiltmeter.runs.spec import read_spec
from tiltmeter.runs.store import Record, RunFolder

from .commands import PATIENCE, command, finished, results, run_it, times_done
from .conftest import MakeSpec

MANY = """\
models: [{path: VECTORS, name: small}]
tests: [weat6, weat7, weat8]
metrics: [{metric: weat, resamples: RESAMPLES}, {metric: seat, resamples: RESAMPLES}]
"""


def _killed_at_random(spec: Path, whole: Path, out: Path, times: int, *options: str) -> None:
    """Kill a run at so many random moments, each while it has jobs to do; after each, nothing may be done again."""
    chance = random.Random(0)
    jobs = len(finished(whole))
    kills, folder, before = 0, out / "0", dict[str, int]()
    while kills < times:
        process = subprocess.Popen(
            command(spec, folder, *options),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            _wait_for_new_line(process, folder / "run.log")
            process.wait(chance.uniform(0, 0.5))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
        process.wait()
        after = finished(folder)
        assert before.items() <= after.items()
        before = after
        kills += len(after) < jobs
        if len(after) == jobs:
            _check_finished(spec, folder, whole, *options)
            folder, before = out / str(kills), {}
    _check_finished(spec, folder, whole, *options)


def _wait_for_new_line(process: subprocess.Popen[bytes], log: Path) -> None:
    begun = log.stat().st_size if log.exists() else 0
    limit = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < limit:
        if log.exists() and log.stat().st_size > begun:
            return
        time.sleep(0.005)


def _check_finished(spec: Path, folder: Path, whole: Path, *options: str) -> None:
    before = finished(folder)
    ended = run_it(spec, folder, *options)
    assert ended.returncode == 0, ended.stderr
    assert before.items() <= finished(folder).items()
    assert max(times_done(folder).values()) == 1
    assert results(folder) == results(whole)
    assert not list((folder / "jobs").glob(".*"))


@pytest.mark.slow
def test_twenty_kills_lose_and_repeat_nothing(make_spec: MakeSpec, tmp_path: Path) -> None:
    spec = make_spec(MANY.replace("RESAMPLES", "60000"))
    assert run_it(spec, tmp_path / "whole").returncode == 0
    _killed_at_random(spec, tmp_path / "whole", tmp_path / "killed", 20)


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_three_kills_of_language_models_lose_and_repeat_nothing(
    three_models: Path, three_measured: Path, tmp_path: Path, workers: str
) -> None:
    _killed_at_random(three_models, three_measured, tmp_path / "killed", 3, "--workers", workers)


@pytest.mark.skipif(not hasattr(signal, "SIGXFSZ"), reason="this system has no limit on the size of files")
def test_a_full_disk_stops_the_run_and_keeps_what_was_done(make_spec: MakeSpec, tmp_path: Path) -> None:
    spec, out = make_spec(), tmp_path / "out"
    assert run_it(spec, tmp_path / "whole").returncode == 0
    sizes = sorted(path.stat().st_size for path in (tmp_path / "whole/jobs").glob("*.json"))
    assert sizes[0] < sizes[-1]
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({sizes[0]}, {sizes[0]}))\n"
    starved = run_it(spec, out, before=limit)
    assert starved.returncode == 2
    assert "cannot be written (File too large)" in starved.stderr
    assert "Free some space" in starved.stderr
    assert not list((out / "jobs").glob(".*"))
    _check_finished(spec, out, tmp_path / "whole")


@pytest.mark.parametrize("place", ["a file", "below a file", "/proc/tiltmeter-run"])
def test_a_folder_that_cannot_be_written_is_named(make_spec: MakeSpec, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    where = {"a file": tmp_path / "file", "below a file": tmp_path / "file/run"}.get(place, Path(place))
    with pytest.raises(InputError, match="cannot be written") as caught:
        run(read_spec(make_spec()), where)
    assert str(where) in str(caught.value)


def test_what_was_measured_on_a_model_that_has_vanished_is_kept(
    make_spec: MakeSpec, vectors: Path, tmp_path: Path
) -> None:
    shutil.copy(vectors, tmp_path / "one.txt")
    text = "models: [one.txt]\ntests: [TESTS]\nmetrics: [weat]\n"
    run(read_spec(make_spec(text.replace("TESTS", "weat6"))), tmp_path / "out")
    (tmp_path / "one.txt").unlink()
    summary = run(read_spec(make_spec(text.replace("TESTS", "weat6, weat7"))), tmp_path / "out")
    assert summary.kept == summary.measurements == 1
    assert [job for job, _ in summary.failed] == ["one.txt: weat weat7"]


@pytest.mark.parametrize("damage", ["empty", "half", "another job", "no object", "numbers for words", "zeros"])
def test_a_damaged_job_file_is_done_again_with_a_warning(make_spec: MakeSpec, tmp_path: Path, damage: str) -> None:
    out = tmp_path / "out"
    run(read_spec(make_spec()), out)
    good = results(out)
    path, other = sorted((out / "jobs").glob("*.json"))[:2]
    data = path.read_bytes()
    path.write_bytes(
        {
            "empty": b"",
            "half": data[: len(data) // 2],
            "another job": other.read_bytes(),
            "no object": b"[]",
            "numbers for words": data.replace(b'"method": "', b'"method": 1, "x": "'),
            "zeros": bytes(len(data)),
        }[damage]
    )
    with pytest.warns(RuntimeWarning, match=f"{path.name} is damaged and is done again"):
        summary = run(read_spec(make_spec()), out)
    assert summary.kept == summary.jobs - 1
    assert results(out) == good


def test_two_processes_do_not_share_a_folder(make_spec: MakeSpec, tmp_path: Path) -> None:
    first, second = RunFolder(tmp_path / "out"), RunFolder(tmp_path / "out")
    first.open("spec.yaml", "")
    with pytest.raises(InputError, match="another process"):
        second.open("spec.yaml", "")
    first.close()
    second.close()
    assert not run(read_spec(make_spec()), tmp_path / "out").failed


def test_arrays_that_are_lost_are_computed_again(tmp_path: Path) -> None:
    import numpy as np

    from tiltmeter.runs.arrays import Arrays

    store = RunFolder(tmp_path)
    store.open("spec.yaml", "")
    key = "a" * 64
    store.add(key, Record({"hash": key}, (), 0.0, arrays=True), Arrays({"score": np.eye(2)}, {"rows": ["a", "b"]}))
    assert store.record(key) is not None
    (tmp_path / "arrays" / f"{key}.safetensors").unlink()
    with pytest.warns(RuntimeWarning, match="arrays are missing"):
        assert store.record(key) is None
    store.close()


@pytest.mark.slow
@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_on_a_terminal_ends_all_processes(make_spec: MakeSpec, tmp_path: Path, workers: str) -> None:
    text = MANY.replace("RESAMPLES", "500000").replace("name: small}", "name: one}, {path: VECTORS, name: two}")
    spec, out = make_spec(text), tmp_path / "out"
    process = subprocess.Popen(
        command(spec, out, "--workers", workers), stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    limit = time.monotonic() + PATIENCE
    while not (out / "jobs").is_dir() or not finished(out):
        assert process.poll() is None
        assert time.monotonic() < limit
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)  # ends only when every process that holds the pipe has ended
    assert process.returncode == 130
    assert "the same command goes on from here" in said
    assert "Traceback" not in said
    assert "interrupted" in (out / "run.log").read_text(encoding="utf-8")
    assert 0 < len(finished(out)) < 12
