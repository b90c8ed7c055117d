"""Debiased copies of files: the form that came in, the original untouched, nothing half-written."""

from __future__ import annotations

import bz2
import gzip
import hashlib
import json
import lzma
import os
import signal
import struct
import subprocess
import sys
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from tiltmeter.bayes.embedding import alone
from tiltmeter.debias.fit import fit
from tiltmeter.debias.rewrite import rewrite
from tiltmeter.debias.run import debias_file
from tiltmeter.debias.vocabulary import ArrayVocabulary, FileVocabulary
from tiltmeter.errors import InputError
from tiltmeter.models._streams import Stream
from tiltmeter.models._vector_convert import write_store
from tiltmeter.models._vector_formats import open_reader
from tiltmeter.models.static import StaticEmbedding

from .made import DIMENSION, GENDER, embedding

Matrix = NDArray[np.float32]


def _text(words: list[str], matrix: Matrix, header: bool = False) -> bytes:
    lines = [" ".join([word, *map(repr, row)]) for word, row in zip(words, matrix.astype(float).tolist(), strict=True)]
    first = [f"{len(words)} {matrix.shape[1]}"] if header else []
    return ("\n".join([*first, *lines]) + "\n").encode()


def _glove(path: Path, words: list[str], matrix: Matrix) -> None:
    path.write_bytes(_text(words, matrix))


def _gzip(path: Path, words: list[str], matrix: Matrix) -> None:
    path.write_bytes(gzip.compress(_text(words, matrix, header=True)))


def _xz(path: Path, words: list[str], matrix: Matrix) -> None:
    path.write_bytes(lzma.compress(_text(words, matrix, header=True)))


def _bz2(path: Path, words: list[str], matrix: Matrix) -> None:
    path.write_bytes(bz2.compress(_text(words, matrix)))


def _zip(path: Path, words: list[str], matrix: Matrix) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("vectors.txt", _text(words, matrix))


def _binary(path: Path, words: list[str], matrix: Matrix) -> None:
    rows = b"".join(word.encode() + b" " + row.tobytes() for word, row in zip(words, matrix, strict=True))
    path.write_bytes(f"{len(words)} {matrix.shape[1]}\n".encode() + rows)


def _npy(path: Path, words: list[str], matrix: Matrix) -> None:
    with path.open("wb") as file:
        np.save(file, matrix.astype("<f8"))
    path.with_name("words.json").write_text(json.dumps(words))


def _safetensors(path: Path, words: list[str], matrix: Matrix) -> None:
    save_file({"vectors": matrix, "counts": np.arange(3)}, path)
    path.with_name("words.txt").write_text("\n".join(words) + "\n")


def _store(path: Path, words: list[str], matrix: Matrix) -> None:
    text = path.with_name("vectors.text")
    text.write_bytes(_text(words, matrix))
    with Stream(text) as stream:
        write_store(open_reader(stream), path)


def _fasttext_words(path: Path, words: list[str], matrix: Matrix) -> None:
    _fasttext(path, words, matrix, bucket=0)


FORMS: dict[str, Callable[[Path, list[str], Matrix], None]] = {
    made.__name__.strip("_"): made
    for made in (_glove, _gzip, _xz, _bz2, _zip, _binary, _npy, _safetensors, _store, _fasttext_words)
}


@pytest.mark.parametrize("form", FORMS)
def test_the_copy_has_the_form_of_the_original(form: str, tmp_path: Path) -> None:
    words, matrix = embedding()
    source, out = tmp_path / "in" / "vectors", tmp_path / "out" / "debiased"
    source.parent.mkdir()
    out.parent.mkdir()
    FORMS[form](source, words, matrix)
    before = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in source.parent.iterdir()}
    fitted = fit(FileVocabulary(source), GENDER, "hard")
    rewrite(source, out, fitted)
    assert {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in source.parent.iterdir()} == before
    with Stream(source) as first, Stream(out) as second:
        assert first.compression == second.compression
        assert open_reader(first).form == open_reader(second).form
    read = {word: rows for block in FileVocabulary(out).blocks() for word, rows in zip(*block, strict=True)}
    expected = fit(ArrayVocabulary(words, matrix), GENDER, "hard").transform(words, matrix)
    assert list(read) == [word.encode() for word in words]
    assert np.stack(list(read.values())) == pytest.approx(expected, abs=2e-6)
    assert StaticEmbedding.open(out).words in (None, len(words))
    again = tmp_path / "out" / "again"
    rewrite(source, again, fitted)
    if form != "zip":
        assert again.read_bytes() == out.read_bytes()


def test_number_types_and_other_tensors_are_kept(tmp_path: Path) -> None:
    words, matrix = embedding()
    source, out = tmp_path / "a.safetensors", tmp_path / "b.safetensors"
    _safetensors(source, words, matrix.astype(np.float16))
    rewrite(source, out, fit(FileVocabulary(source), GENDER, "projection"))
    made = load_file(out)
    assert made["vectors"].dtype == np.float16
    assert np.array_equal(made["counts"], np.arange(3))


@pytest.mark.parametrize("link", [False, True])
def test_the_original_is_never_written_to(link: bool, tmp_path: Path) -> None:
    words, matrix = embedding()
    source = tmp_path / "vectors.txt"
    _glove(source, words, matrix)
    out = source
    if link:
        out = tmp_path / "same.txt"
        out.symlink_to(source)
    with pytest.raises(InputError, match="is the original, which is never changed"):
        rewrite(source, out, fit(FileVocabulary(source), GENDER, "hard"))


def _fasttext(path: Path, words: list[str], matrix: Matrix, bucket: int = 40) -> None:
    """A model of fastText's own form; without buckets, one without n-grams."""
    longest = 6 if bucket else 0
    arguments = struct.pack("<12id", DIMENSION, 5, 5, 1, 5, 1, 1, 2, bucket, 3, longest, 100, 1e-4)
    entries = b"".join(word.encode() + b"\0" + struct.pack("<qb", 1, 0) for word in words)
    counts = struct.pack("<iiiqq", len(words), len(words), 0, 1000, -1)
    grams = np.random.default_rng(5).normal(size=(bucket, DIMENSION)).astype(np.float32)
    rows = np.concatenate([matrix, grams])
    tail = struct.pack("<?qq", False, *rows.shape) + rows.tobytes() + b"what no word vector needs"
    path.write_bytes(struct.pack("<ii", 793_712_314, 12) + arguments + counts + entries + tail)


def _vectors(path: Path, words: list[str]) -> Matrix:
    found = StaticEmbedding.open(path).embed([alone(word) for word in words])
    assert len(found.kept) == len(words)
    return found.vectors


@pytest.mark.parametrize("method", ["projection", "inlp"])
@pytest.mark.parametrize("converted", [False, True])
def test_words_that_are_built_from_parts_lose_the_bias_too(method: str, converted: bool, tmp_path: Path) -> None:
    words, matrix = embedding()
    source, out = tmp_path / "model.bin", tmp_path / "out.bin"
    _fasttext(source, words, matrix)
    if converted:
        with Stream(source) as stream:
            write_store(open_reader(stream), tmp_path / "model.vectors")
        source = tmp_path / "model.vectors"
    fitted = debias_file(str(source), out, GENDER, method)
    asked = [*words, "shey", "unheard"]  # the last two are in no vocabulary
    before, after = (_vectors(path, asked).astype(np.float64) for path in (source, out))
    V = fitted.directions
    assert np.abs(after @ V.T).max() < 1e-5 < np.abs(before[-2:] @ V.T).min()
    assert after == pytest.approx(before - (before @ V.T) @ V, abs=1e-5)
    with Stream(source) as first, Stream(out) as second:
        assert open_reader(first).form == open_reader(second).form
        assert open_reader(second).has_subwords
    if not converted:
        was, now = source.read_bytes(), out.read_bytes()
        assert len(was) == len(now)
        assert now.endswith(b"what no word vector needs")
    shown = {word: row for block in FileVocabulary(source).blocks() for word, row in zip(*block, strict=True)}
    assert list(shown) == [word.encode() for word in words]
    assert np.stack(list(shown.values())) == pytest.approx(before[: len(words)], abs=1e-6)


def test_what_treats_words_differently_takes_no_parts_of_words(tmp_path: Path) -> None:
    words, matrix = embedding()
    source = tmp_path / "model.bin"
    _fasttext(source, words, matrix)
    fitted = fit(ArrayVocabulary(words, matrix), GENDER, "hard")
    with pytest.raises(InputError, match="builds words from n-grams"):
        rewrite(source, tmp_path / "out.bin", fitted)
    with pytest.raises(InputError, match=r"builds words from n-grams.*projection or inlp"):
        debias_file(str(source), tmp_path / "out.bin", GENDER, "hard")
    assert not (tmp_path / "out.bin").exists()


_SLOW = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what runs in the background with it ignored
from pathlib import Path
from tiltmeter.debias import rewrite as module
from tiltmeter.debias.fit import fit
from tiltmeter.debias.vocabulary import FileVocabulary
from tests.debias.made import GENDER
source, out = map(Path, sys.argv[1:])
fitted = fit(FileVocabulary(source), GENDER, "hard")
whole = module.in_blocks
def slow(entries):
    for block in whole(entries):
        yield block
        print("written", flush=True)
        time.sleep(60)
module.in_blocks = slow
module.rewrite(source, out, fitted)
"""


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("old", [None, b"what was there"])
def test_a_run_that_is_killed_leaves_no_half_of_a_file(sent: signal.Signals, old: bytes | None, tmp_path: Path) -> None:
    words, matrix = embedding()
    source, out = tmp_path / "vectors.txt", tmp_path / "debiased.txt"
    _glove(source, words, matrix)
    if old is not None:
        out.write_bytes(old)
    with subprocess.Popen(
        [sys.executable, "-c", _SLOW, str(source), str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "PYTHONPATH": "."},
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"written\n"
        time.sleep(0.1)
        run.send_signal(sent)
        run.wait(50)
    assert (out.read_bytes() if out.exists() else None) == old
    others = [file for file in tmp_path.iterdir() if file not in (source, out)]
    assert all(file.name.startswith(".") and file.suffix == ".part" for file in others)
    assert not others or sent == signal.SIGKILL
    rewrite(source, out, fit(FileVocabulary(source), GENDER, "hard"))
    assert len(list(FileVocabulary(out).find(words))) == len(words)


@pytest.mark.slow
def test_a_file_takes_no_more_memory_than_a_piece_of_it(tmp_path: Path) -> None:
    """Four times as many words, and hardly more memory: what is held are pieces of the file, and the bias's words."""
    words, matrix = embedding()
    most = []
    for count in (50_000, 200_000):
        source = tmp_path / f"{count}.bin"
        names = [*words, *(f"filler{number}" for number in range(count - len(words)))]
        rows = np.random.default_rng(0).normal(size=(count, DIMENSION)).astype(np.float32)
        rows[: len(words)] = matrix
        _binary(source, names, rows)
        del names, rows
        tracemalloc.start()
        debias_file(str(source), tmp_path / f"{count}.out", GENDER, "hard")
        most.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert most[1] < 1.5 * most[0]
