"""Two nodes of Ray on loopback, started as separate processes; one of them is killed while a run is at work."""

from __future__ import annotations

import os
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from .clusters import kill, need_ray, two_nodes
from .commands import PATIENCE, command, results, times_done

SPEC = """\
models:
  - {path: masked, name: one}
  - {path: masked, name: two}
  - {path: VECTORS, name: three}
  - {path: VECTORS, name: four}
tests: [weat6, weat7]
metrics:
  - {metric: weat, resamples: 500000}
  - lpbs
  - {metric: indirect, targets: beverage, features: gender, top: 7}
"""
JOBS = 14


def _at_work(log: Path) -> tuple[int, int]:
    """How many jobs are done, and how many are under way."""
    said = Counter(line.split()[1] for line in log.read_text().splitlines()) if log.exists() else Counter[str]()
    ended = said["done"] + said["skipped"]
    return ended, said["start"] - ended


@pytest.mark.slow
def test_a_run_whose_worker_node_is_killed_half_way_gives_what_a_local_one_gives(vectors: Path, tmp_path: Path) -> None:
    need_ray()
    pytest.importorskip("torch", reason="language models need the extra 'lm'")
    from benchmarks.random_bert import save

    (tmp_path / "masked").mkdir()
    save(tmp_path / "masked", layers=1, width=64)
    spec, whole, out = tmp_path / "spec.yaml", tmp_path / "whole", tmp_path / "out"
    spec.write_text(SPEC.replace("VECTORS", str(vectors)))
    with two_nodes() as cluster:
        on = ("--on", cluster.address)
        log = out / "run.log"
        with subprocess.Popen(
            command(spec, out, *on), env=cluster.environment, stderr=subprocess.PIPE, text=True
        ) as running:
            try:
                limit = time.monotonic() + PATIENCE
                done = under_way = 0
                while done < JOBS // 3 or under_way < 2:  # on both nodes
                    assert running.poll() is None, running.stderr and running.stderr.read()
                    assert time.monotonic() < limit
                    time.sleep(0.02)
                    done, under_way = _at_work(log)
                kill(cluster.worker)
                assert done < JOBS - 2
                _, said = running.communicate(timeout=PATIENCE)
            finally:
                running.kill()
        assert running.returncode == 0, said
    begun = Counter(line.split()[2] for line in log.read_text().splitlines() if line.split()[1] == "start")
    assert max(begun.values()) == 2  # some job was under way on the node that died
    times = times_done(out)
    assert (len(times), set(times.values())) == (JOBS, {1})
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run(command(spec, whole), env=environment, check=True, capture_output=True)
    assert results(out) == results(whole)


@pytest.mark.slow
def test_a_client_that_is_turned_away_once_comes_again(vectors: Path, tmp_path: Path) -> None:
    need_ray()
    spec, out = tmp_path / "spec.yaml", tmp_path / "out"
    spec.write_text(f"models: [{vectors}]\ntests: [weat6]\nmetrics: [weat]\n")
    with two_nodes(loses_the_first_client=True) as cluster:
        done = subprocess.run(
            command(spec, out, "--on", cluster.address),
            env=cluster.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert len(times_done(out)) == 1


@pytest.mark.slow
def test_a_cluster_that_is_lost_half_way_is_named_and_what_is_done_is_kept(vectors: Path, tmp_path: Path) -> None:
    need_ray()
    spec, out = tmp_path / "spec.yaml", tmp_path / "out"
    spec.write_text(
        f"models: [{{path: {vectors}, name: one}}, {{path: {vectors}, name: two}}]\ntests: [weat6, weat7, weat8]\n"
        "metrics: [{metric: weat, resamples: 1000000}]\n"
    )
    log = out / "run.log"
    with (
        two_nodes() as cluster,
        subprocess.Popen(
            command(spec, out, "--on", cluster.address), env=cluster.environment, stderr=subprocess.PIPE, text=True
        ) as running,
    ):
        try:
            limit = time.monotonic() + PATIENCE
            while not _at_work(log)[0]:
                assert running.poll() is None, running.stderr and running.stderr.read()
                assert time.monotonic() < limit
                time.sleep(0.02)
            kill(cluster.head)
            _, said = running.communicate(timeout=PATIENCE)
        finally:
            running.kill()
    assert running.returncode == 2, said
    assert "error: the Ray cluster was lost" in said
    assert "finished jobs are kept" in said
    assert 1 <= sum(times_done(out).values()) < 6
