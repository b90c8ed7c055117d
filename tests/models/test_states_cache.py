"""The cache of states: what is interrupted goes on, what is damaged is computed again, nothing is computed twice."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from tiltmeter.errors import InputError
from tiltmeter.models import _cache
from tiltmeter.models._cache import KEY_BYTES, StateCache, state_key
from tiltmeter.models.lm import Query
from tiltmeter.models.masked import MaskedModel

Folders = Callable[..., Path]

NAMES = ["Amy", "Jeremy", "nurse", "doctor", "engineer", "woman", "man", "mother", "father", "children"]
PLACES = ["here", "there", "together", "others", "flowers", "insects", "nursery"]
QUERIES = [
    Query(f"The {name} said that ___ is {place}{end}") for name in NAMES for place in PLACES for end in ("", ".")
]
WORDS = ["she", "he", "programmer"]

# What a run in a process of its own begins with.
RUN = f"""
import os, resource, signal, sys
import numpy as np
from tiltmeter.models.lm import Query
from tiltmeter.models.masked import MaskedModel
folder, cache = sys.argv[1:3]
queries = [Query(text) for text in {[query.text for query in QUERIES]!r}]
words = {WORDS!r}
"""


def run(code: str, *arguments: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", RUN + textwrap.dedent(code), *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": str(torch.get_num_threads())},  # it decides the last bits
    )


def finished(process: subprocess.Popen[str]) -> str:
    out, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    return out


def shards(cache: Path) -> list[Path]:
    return sorted(cache.glob("states/*/*.states"))


def rows(shard: Path) -> int:
    return int(np.frombuffer(shard.read_bytes(), dtype="<u8", count=1, offset=8)[0])


@pytest.fixture
def model(lively_models: Folders, tmp_path: Path) -> Callable[..., MaskedModel]:
    def model(cache: str | None = "cache") -> MaskedModel:
        where = None if cache is None else tmp_path / cache
        return MaskedModel.open(lively_models("bert", "masked"), cache=where, tokens_per_batch=200)

    return model


def filled(model: MaskedModel) -> NDArray[np.float64]:
    return model.fill(QUERIES, WORDS).log_p


def test_a_second_run_computes_nothing(model: Callable[..., MaskedModel]) -> None:
    first, second, without = model(), model(), model(None)
    once = filled(first)
    assert first.texts_computed > 100
    assert_array_equal(filled(second), once)
    assert second.texts_computed == 0
    assert_array_equal(filled(without), once)


def test_a_killed_run_goes_on(model: Callable[..., MaskedModel], lively_models: Folders, tmp_path: Path) -> None:
    """Killed without warning half way: no state is computed twice, and the result is that of a run left alone."""
    code = """
        def progress(done, total):
            if done > total / 2:
                os.kill(os.getpid(), signal.SIGKILL)
        MaskedModel.open(folder, cache=cache, tokens_per_batch=200, progress=progress).fill(queries, words)
    """
    process = run(code, lively_models("bert", "masked"), tmp_path / "cache")
    process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL
    alone, resumed = model("other"), model()
    expected = filled(alone)
    kept = sum(map(rows, shards(tmp_path / "cache")))
    assert 0 < kept < alone.texts_computed
    assert_array_equal(filled(resumed), expected)
    assert kept + resumed.texts_computed == alone.texts_computed
    assert [shard.name for shard in shards(tmp_path / "cache")] == [shard.name for shard in shards(tmp_path / "other")]
    assert all(
        mine.read_bytes() == other.read_bytes()
        for mine, other in zip(shards(tmp_path / "cache"), shards(tmp_path / "other"), strict=True)
    )


@pytest.mark.parametrize(
    "damage", ["a bit of a state", "a bit of a key", "cut off", "empty", "another file", "no rows"]
)
def test_a_damaged_shard_is_reported_and_computed_again(
    damage: str, model: Callable[..., MaskedModel], tmp_path: Path
) -> None:
    expected = filled(model())
    before = shards(tmp_path / "cache")
    shard = before[len(before) // 2]
    content, lost = bytearray(shard.read_bytes()), rows(shard)
    match damage:
        case "a bit of a state":
            content[-5] ^= 1
        case "a bit of a key":
            content[64] ^= 1
        case "cut off":
            del content[-100:]
        case "empty":
            content.clear()
        case "another file":
            content[:] = b"PK" * 500
        case "no rows":
            content[8:16] = b"\xff" * 8
    shard.write_bytes(content)

    def again() -> tuple[MaskedModel, NDArray[np.float64]]:
        reopened = model()
        return reopened, filled(reopened)

    with pytest.warns(RuntimeWarning, match=rf"{shard.name}: is damaged \(.*\); what it held is computed again"):
        mended, found = again()
    assert_array_equal(found, expected)
    assert mended.texts_computed == lost
    assert shards(tmp_path / "cache") == before
    last = model()
    assert_array_equal(filled(last), expected)
    assert last.texts_computed == 0


def test_two_processes_at_once(model: Callable[..., MaskedModel], lively_models: Folders, tmp_path: Path) -> None:
    code = """
        model = MaskedModel.open(folder, cache=cache, tokens_per_batch=200)
        print(model.fill(queries, words).log_p.tobytes().hex())
    """
    pair = [run(code, lively_models("bert", "masked"), tmp_path / "cache") for _ in range(2)]
    results = [finished(process) for process in pair]
    assert results[0] == results[1]
    third = model()
    assert filled(third).tobytes().hex() == results[0].strip()
    assert third.texts_computed == 0


def test_a_full_disk(model: Callable[..., MaskedModel], lively_models: Folders, tmp_path: Path) -> None:
    """No file may grow beyond the first shards: the error says what to do, and they stay."""
    code = """
        from tiltmeter.errors import InputError
        model = MaskedModel.open(folder, cache=cache, tokens_per_batch=40)
        model.fill(queries[:4], words[:1])
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        try:
            MaskedModel.open(folder, cache=cache).fill(queries, words)
        except InputError as error:
            print(error)
    """
    out = finished(run(code, lively_models("bert", "masked"), tmp_path / "cache"))
    assert "cannot be written (File too large)" in out
    assert "Free some space" in out
    assert "not computed again" in out
    assert not list(tmp_path.glob("cache/states/*/.*")), "nothing half-written stays behind"
    first = MaskedModel.open(lively_models("bert", "masked"), cache=tmp_path / "cache")
    first.fill(QUERIES[:4], WORDS[:1])
    assert first.texts_computed == 0
    assert np.isfinite(filled(model())).all()


def test_a_cache_that_is_no_folder(lively_models: Folders, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file: cannot be used as a cache \(.*\)\. Give another folder"):
        MaskedModel.open(lively_models("bert", "masked"), cache=tmp_path / "file")


def test_models_and_precisions_are_kept_apart(lively_models: Folders, tiny_models: Folders, tmp_path: Path) -> None:
    lively = MaskedModel.open(lively_models("bert", "masked"), cache=tmp_path)
    other = MaskedModel.open(tiny_models("bert", "masked"), cache=tmp_path)
    half = MaskedModel.open(lively_models("bert", "masked"), cache=tmp_path, dtype="bfloat16")
    values = [float(model.fill(QUERIES[:1], WORDS[:1]).log_p[0, 0]) for model in (lively, other, half)]
    assert len(set(values)) == 3
    assert all(model.texts_computed == 1 for model in (lively, other, half))


def test_without_a_folder_nothing_stays_behind(lively_models: Folders, tmp_path: Path) -> None:
    code = """
        import tempfile
        tempfile.tempdir = cache
        model = MaskedModel.open(folder)
        model.fill(queries, words)
        print(len(list(os.scandir(cache))))
    """
    tmp_path.joinpath("tmp").mkdir()
    assert finished(run(code, lively_models("bert", "masked"), tmp_path / "tmp")).strip() == "1"
    assert list(tmp_path.joinpath("tmp").iterdir()) == []


def states(count: int, width: int, seed: int = 0) -> tuple[list[bytes], NDArray[np.float32], NDArray[np.float64]]:
    generator = np.random.default_rng(seed)
    keys = [state_key((seed, row), 0) for row in range(count)]
    return keys, generator.random((count, width), dtype=np.float32), generator.random(count)


def test_what_is_added_is_read(tmp_path: Path) -> None:
    cache = StateCache(tmp_path, {}, 7)
    parts = [states(count, 7, seed) for seed, count in enumerate([5, 1, 12])]
    for part in parts:
        cache.add(*part)
    keys = [key for part in parts for key in part[0]]
    order = np.random.default_rng(1).permutation(len(keys))
    for fresh in (cache, StateCache(tmp_path, {}, 7)):
        assert fresh.missing([*keys, b"x" * KEY_BYTES]) == [b"x" * KEY_BYTES]
        found, log_partitions = fresh.read([keys[place] for place in order])
        assert_array_equal(found, np.concatenate([part[1] for part in parts])[order])
        assert_array_equal(log_partitions, np.concatenate([part[2] for part in parts])[order])


def test_what_another_process_adds_is_seen(tmp_path: Path) -> None:
    mine, other = StateCache(tmp_path, {}, 3), StateCache(tmp_path, {}, 3)
    part = states(4, 3)
    other.add(*part)
    assert mine.missing(part[0]) == []
    assert_array_equal(mine.read(part[0])[0], part[1])


def test_a_shard_that_vanishes(tmp_path: Path) -> None:
    cache = StateCache(tmp_path, {}, 3)
    keys, vectors, log_partitions = states(4, 3)
    cache.add(keys, vectors, log_partitions)
    next(cache.folder.glob("*.states")).unlink()
    with pytest.raises(InputError, match=r"cannot be read now.*Run again"):
        cache.read(keys)


def test_memory_is_bounded_by_the_batch() -> None:
    """200 shards of a megabyte go through less than ten megabytes."""
    cache = StateCache(None, {}, 1000)
    folder = cache.folder
    batch = states(250, 1000)
    tracemalloc.start()
    try:
        for number in range(200):
            cache.add([state_key((number, row), 0) for row in range(250)], batch[1], batch[2])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert sum(shard.stat().st_size for shard in folder.iterdir()) > 200e6
    assert peak < 20e6
    del cache
    gc.collect()
    assert not folder.exists()


def test_a_key_is_found_wherever_the_index_keeps_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_cache, "_WAITING", 7)
    rng = np.random.default_rng(0)
    known: dict[bytes, int] = {}
    index = _cache._Index()
    for shard in range(40):
        keys = [bytes(rng.integers(0, 2, KEY_BYTES, dtype=np.uint8)) for _ in range(rng.integers(1, 12))]
        keys += [b"\0" * KEY_BYTES, *list(known)[:2]]  # a key may end in zeros, and one that is known comes again
        index.add(keys, shard << 32)
        for row, key in enumerate(keys):
            known.setdefault(key, shard << 32 | row)
        assert index.places(list(known)).tolist() == list(known.values())
    assert index.places([b"\1" * KEY_BYTES, b"\0" * KEY_BYTES]).tolist() == [-1, known[b"\0" * KEY_BYTES]]
    assert index.places([]).size == 0
