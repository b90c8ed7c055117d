"""Vectors computed elsewhere."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_array_equal

from tiltmeter.errors import InputError
from tiltmeter.models.base import Embedder
from tiltmeter.models.precomputed import Precomputed

from .passages import marked

TEXTS = ["This is a nurse.", "Here is Zoë.", "women"]
VECTORS = np.array([[1.0, 0.25, -2.0], [0.0, 3.5, 1e-8], [-1.0, 0.0, 0.5]], dtype=np.float32)


def npz(path: Path, texts: Any = TEXTS, vectors: Any = VECTORS) -> Path:
    np.savez(path, text=np.array(texts), vector=np.array(vectors))
    return path


def parquet(path: Path, texts: Any = TEXTS, vectors: Any = VECTORS) -> Path:
    rows = [None if vector is None else list(map(float, vector)) for vector in vectors]
    pq.write_table(pa.table({"text": pa.array(texts, pa.string()), "vector": pa.array(rows)}), path)
    return path


def jsonl(path: Path, texts: Any = TEXTS, vectors: Any = VECTORS) -> Path:
    lines = [
        json.dumps({"text": text, "vector": list(map(float, vector))}, ensure_ascii=False)
        for text, vector in zip(texts, vectors, strict=True)
    ]
    path.write_text("\n".join(lines), "utf-8")
    return path


FORMS = pytest.mark.parametrize("write", [npz, parquet, jsonl], ids=["npz", "parquet", "jsonl"])
Write = Callable[..., Path]


def at(tmp_path: Path, write: Write) -> Path:
    return tmp_path / f"vectors.{write.__name__}"


@FORMS
def test_a_text_has_the_vector_of_the_file(write: Write, tmp_path: Path) -> None:
    model = Precomputed.open(write(at(tmp_path, write)))
    assert isinstance(model, Embedder)
    passages = [marked("*women*"), marked("This is a *man*."), marked("Here is *Zoe\u0308*."), marked("*women*")]
    model.prepare(passages)
    embedded = model.embed(passages)
    assert embedded.kept == (0, 2, 3)
    assert embedded.vectors.dtype == np.float32
    assert_array_equal(embedded.vectors, VECTORS[[2, 1, 2]])
    assert [position for position, _ in embedded.lost] == [1]
    assert "has no vector for this text. Did you mean 'This is a nurse.'" in embedded.lost[0][1]
    assert model.settings["dimensions"] == 3


@FORMS
def test_the_fingerprint_is_of_the_content(write: Write, tmp_path: Path) -> None:
    first = Precomputed.open(write(at(tmp_path, write))).fingerprint
    assert Precomputed.open(write(at(tmp_path, write))).fingerprint == first
    assert Precomputed.open(write(at(tmp_path, write), vectors=VECTORS * 2)).fingerprint != first


@FORMS
def test_the_same_text_twice(write: Write, tmp_path: Path) -> None:
    twice = write(at(tmp_path, write), [*TEXTS, "women"], [*VECTORS, VECTORS[2]])
    assert len(Precomputed.open(twice).embed([marked("*women*")]).kept) == 1
    with pytest.raises(InputError, match=r"gives 'women' two different vectors \(entries 3 and 4\)"):
        Precomputed.open(write(at(tmp_path, write), [*TEXTS, "women"], [*VECTORS, VECTORS[0]]))


@FORMS
def test_a_letter_may_be_written_in_two_ways(write: Write, tmp_path: Path) -> None:
    """An accent in a character of its own, or not: the same text."""
    model = Precomputed.open(write(at(tmp_path, write), ["Zoe\u0308", "Anaïs"], VECTORS[:2]))
    assert model.embed([marked("*Zo\u00eb*"), marked("*Anai\u0308s*")]).kept == (0, 1)


@FORMS
def test_a_zero_vector_is_lost(write: Write, tmp_path: Path) -> None:
    embedded = Precomputed.open(write(at(tmp_path, write), ["a", "b"], [[0, 0], [0, 1]])).embed([marked("*a*")])
    assert embedded.lost == ((0, "its vector is zero, which has no direction"),)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e300])
@pytest.mark.parametrize("write", [npz, parquet], ids=["npz", "parquet"])
def test_a_vector_that_is_not_finite(write: Write, value: float, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"the vector of 'b' \(entry 2\) holds NaN, an infinity, or a number too large"
    ):
        Precomputed.open(write(at(tmp_path, write), ["a", "b"], [[0.0, 1.0], [value, 0.0]]))


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        ('{"text": "a", "vector": [1]}\n{"text": "b", "vector": [1, 2]}', 2, "has 2 numbers; those before it have 1"),
        ('{"text": "a", "vector": [1]}\n\nnonsense', 3, "is not JSON"),
        ('{"text": "a", "vector": [NaN]}', 1, "not a finite number"),
        ('{"text": "a", "vector": [1e999]}', 1, "not a finite number"),
        ('{"text": "a", "vector": ["1"]}', 1, "not a finite number"),
        ('{"text": "a", "vector": [true]}', 1, "not a finite number"),
        ('{"text": "a", "vector": [1' + "0" * 400 + "]}", 1, "not a finite number"),
        ('{"text": "a", "vector": []}', 1, "has no string `text` and list `vector`"),
        ('{"text": 5, "vector": [1]}', 1, "has no string `text`"),
        ('{"sentence": "a", "vector": [1]}', 1, "has no string `text`"),
        ("[1, 2]", 1, "has no string `text`"),
        ("[" * 100_000, 1, "is not JSON"),
        ('{"text": "' + "a" * 2**22 + '"}', 1, "the line is longer than 4 MB"),
        ("", None, "holds no vectors"),
    ],
)
def test_a_bad_line_is_named(content: str, line: int | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "vectors.jsonl"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError, match=message) as caught:
        Precomputed.open(path)
    assert caught.value.line == line
    assert caught.value.where == path


@pytest.mark.parametrize(
    ("texts", "vectors", "message"),
    [
        (["a", "b"], [[1.0, 2.0], [1.0]], "row 2 has a vector of 1 numbers; the first has 2"),
        (["a", "b"], [[1.0, 2.0], None], "row 2 has a vector of 0 numbers"),
        (["a", None], [[1.0], [2.0]], "row 2 has no text"),
        (["a"], [[]], "row 1 has a vector of 0 numbers"),
        ([], [], "holds no vectors"),
    ],
)
def test_a_bad_row_is_named(texts: Any, vectors: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "vectors.parquet"
    column = pa.array([None if v is None else list(v) for v in vectors], pa.list_(pa.float32()))
    pq.write_table(pa.table({"text": pa.array(texts, pa.string()), "vector": column}), path)
    with pytest.raises(InputError, match=message):
        Precomputed.open(path)


def test_vectors_of_fixed_size_and_of_integers(tmp_path: Path) -> None:
    path = tmp_path / "vectors.parquet"
    for kind in (pa.list_(pa.float32(), 2), pa.list_(pa.int64()), pa.large_list(pa.float64())):
        table = {"text": pa.array(["a", "b"], pa.large_string()), "vector": pa.array([[1, 2], [3, 4]], kind)}
        pq.write_table(pa.table(table), path)
        assert_array_equal(Precomputed.open(path).embed([marked("*b*")]).vectors, [[3, 4]])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"sentence": ["a"], "vector": [[1.0]]}, "has the columns sentence, vector, not `text` and `vector`"),
        ({"text": ["a"], "vector": ["1 2"]}, "is not a parquet file that can be read"),
        ({"text": [["a"]], "vector": [[1.0]]}, "is not a parquet file that can be read"),
    ],
)
def test_other_columns(table: dict[str, Any], message: str, tmp_path: Path) -> None:
    pq.write_table(pa.table(table), tmp_path / "vectors.parquet")
    with pytest.raises(InputError, match=message):
        Precomputed.open(tmp_path / "vectors.parquet")


class Bomb:
    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> Any:
        return (os.mkdir, (str(self.target),))


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "vectors.npz"
    np.savez(path, text=np.array([Bomb(tmp_path / "gone")], dtype=object), vector=np.zeros((1, 2)))
    with pytest.raises(InputError, match="`text` holds Python objects, which are never unpickled"):
        Precomputed.open(path)
    assert not (tmp_path / "gone").exists()


@pytest.mark.parametrize(
    ("texts", "vectors", "message"),
    [
        (["a", "b"], [1.0, 2.0], r"`vector` is float64 of shape \(2,\)"),
        (["a", "b"], [[1.0, 2.0]], r"of shape \(1, 2\); it should be numbers, one row for each of the 2 texts"),
        (["a"], [["1"]], "`vector` is <U1 of shape"),
        ([1], [[1.0]], "`text` should be a list of strings"),
        ([["a"]], [[1.0]], "`text` should be a list of strings"),
    ],
)
def test_bad_arrays(texts: Any, vectors: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        Precomputed.open(npz(tmp_path / "vectors.npz", texts, vectors))


def test_a_header_that_promises_too_much(tmp_path: Path) -> None:
    """A few bytes that claim to be 8 TB: refused before memory is set aside."""
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }"
    header += " " * (117 - len(header)) + "\n"
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
    path = npz(tmp_path / "vectors.npz")
    with zipfile.ZipFile(path) as archive:
        text = archive.read("text.npy")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("text.npy", text)
        archive.writestr("vector.npy", array)
    with pytest.raises(InputError, match=r"holds 7450\.6 GB; at most 4 GB are read"):
        Precomputed.open(path)


@pytest.mark.parametrize("suffix", [".npz", ".parquet"])
@pytest.mark.parametrize("content", [b"", b"PK", b"PAR1", b"PK\x03\x04" + bytes(100), b"text"])
def test_a_file_that_is_not_what_its_name_says(suffix: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"vectors{suffix}"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"is not an? (npz|parquet file) that can be read"):
        Precomputed.open(path)


@FORMS
def test_a_file_cut_short(write: Write, tmp_path: Path) -> None:
    path = write(at(tmp_path, write))
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(InputError):
        Precomputed.open(path)


def test_other_arrays_other_names_and_no_file(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", words=np.array(["a"]))
    with pytest.raises(InputError, match="has words, not `text` and `vector`"):
        Precomputed.open(tmp_path / "x.npz")
    with pytest.raises(InputError, match="there is no such file"):
        Precomputed.open(tmp_path / "y.npz")
    with pytest.raises(InputError, match=r"has the suffix '\.csv'"):
        Precomputed.open(tmp_path / "y.csv")
    (tmp_path / "z.npz").mkdir()
    with pytest.raises(InputError, match="is not a file"):
        Precomputed.open(tmp_path / "z.npz")
