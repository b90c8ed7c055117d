"""Vectors computed elsewhere: how ELMo, InferSent, GenSen and the Universal Sentence Encoder come in.

A file gives the vector of each text. Three forms:

  .npz      two arrays: `text` (n strings) and `vector` (n × dimensions)
  .parquet  two columns: `text` (string) and `vector` (list of numbers)
  .jsonl    an object a line: {"text": "This is a word.", "vector": [0.1, -0.2]}
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InputError, did_you_mean
from tiltmeter.lexicon.source_text import clean, shown
from tiltmeter.lexicon.tests import Passage
from tiltmeter.models.base import Embedded, Vectors

SUFFIXES = (".npz", ".parquet", ".jsonl")
MAX_BYTES = 4 * 2**30  # of the file, and of what it unpacks to
MAX_LINE_BYTES = 2**22  # some 200,000 dimensions
_FORMS = 'Give an .npz or .parquet with `text` and `vector`, or a .jsonl of {"text": ..., "vector": [...]}.'


class Precomputed:
    """A text has the vector that the file gives it; a text that the file does not have is lost."""

    def __init__(self, name: str, texts: Sequence[str], vectors: Vectors, *, where: Path, fingerprint: str) -> None:
        self.name = name
        self.fingerprint = fingerprint
        self._where = where
        self._rows: dict[str, int] = {}
        self._vectors = vectors
        for row, text in enumerate(map(clean, texts)):
            first = self._rows.setdefault(text, row)
            if first != row and not np.array_equal(vectors[first], vectors[row]):
                raise InputError(
                    f"gives {shown(text)} two different vectors (entries {first + 1} and {row + 1}).",
                    where=where,
                    hint="A text has one vector: delete one of them, or write their mean.",
                )

    @classmethod
    def open(cls, path: Path | str, *, name: str | None = None) -> Precomputed:
        """The vectors in a file; `name` is what to call it in tables, by default the file's name."""
        path = Path(path)
        suffix = path.suffix.lower()
        if suffix not in SUFFIXES:
            raise InputError(f"has the suffix {path.suffix!r}.", where=path, hint=_FORMS)
        try:
            size = path.stat().st_size
            if not path.is_file():
                raise InputError("is not a file.", where=path, hint=_FORMS)
            _bounded(size, path)
            texts, vectors = {".npz": _npz, ".parquet": _parquet, ".jsonl": _jsonl}[suffix](path)
            with path.open("rb") as file:
                fingerprint = hashlib.file_digest(file, "sha256").hexdigest()
        except FileNotFoundError:
            raise InputError("there is no such file.", where=path, hint=_FORMS) from None
        except OSError as error:
            raise InputError(f"cannot be read ({error}).", where=path, hint=_FORMS) from None
        if not texts:
            raise InputError("holds no vectors.", where=path, hint=_FORMS)
        finite = np.isfinite(vectors).all(axis=1)
        if not finite.all():
            row = int(np.flatnonzero(~finite)[0])
            raise InputError(
                f"the vector of {shown(texts[row])} (entry {row + 1}) holds NaN, an infinity, or a number too large "
                "for 32 bits.",
                where=path,
                hint="Compute it again, or leave the text out.",
            )
        return cls(name or path.name, texts, vectors, where=path, fingerprint=fingerprint)

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"source": "precomputed", "dimensions": self._vectors.shape[1]}

    def prepare(self, passages: Sequence[Passage]) -> None:
        """Nothing to do: the file is in memory."""

    def embed(self, passages: Sequence[Passage]) -> Embedded:
        kept: list[int] = []
        rows: list[int] = []
        lost: list[tuple[int, str]] = []
        for position, passage in enumerate(passages):
            row = self._rows.get(clean(passage.text))
            if row is None:
                lost.append((position, self._missing(passage.text)))
            elif not self._vectors[row].any():
                lost.append((position, "its vector is zero, which has no direction"))
            else:
                kept.append(position)
                rows.append(row)
        return Embedded(tuple(kept), self._vectors[rows], tuple(lost))

    def _missing(self, text: str) -> str:
        near = did_you_mean(text, self._rows) if len(self._rows) < 1000 else None
        return f"{self._where.name} has no vector for this text{'' if near is None else f'. {near}'}"


def _bounded(size: int, path: Path) -> None:
    if size > MAX_BYTES:
        raise InputError(
            f"holds {size / 2**30:.1f} GB; at most {MAX_BYTES // 2**30} GB are read.",
            where=path,
            hint="Keep only the texts that a test asks for.",
        )


def _npz(path: Path) -> tuple[list[str], Vectors]:
    try:
        with zipfile.ZipFile(path) as archive:
            names = {"text.npy", "vector.npy"}
            if not names <= set(archive.namelist()):
                have = ", ".join(name.removesuffix(".npy") for name in archive.namelist()[:5]) or "nothing"
                raise InputError(f"has {have}, not `text` and `vector`.", where=path, hint=_FORMS)
            for name in names:
                _check_array(archive, name, path)
        with np.load(path, allow_pickle=False) as arrays:
            texts, vectors = arrays["text"], arrays["vector"]
    except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError, RuntimeError) as error:
        raise InputError(f"is not an npz that can be read ({error}).", where=path, hint=_FORMS) from None
    if texts.dtype.kind != "U" or texts.ndim != 1:
        raise InputError("`text` should be a list of strings.", where=path, hint="Save it with np.array(texts).")
    if vectors.dtype.kind not in "fiu" or vectors.ndim != 2 or len(vectors) != len(texts):
        raise InputError(
            f"`vector` is {vectors.dtype} of shape {vectors.shape}; it should be numbers, one row for each of the "
            f"{len(texts)} texts.",
            where=path,
        )
    return [str(text) for text in texts], _float32(vectors)


def _check_array(archive: zipfile.ZipFile, name: str, path: Path) -> None:
    """What the header promises is checked before numpy sets memory aside for it."""
    with archive.open(name) as file:
        version = np.lib.format.read_magic(file)
        if version not in ((1, 0), (2, 0)):
            raise ValueError(f"version {version} of the npy format")
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read(file)
    if dtype.hasobject:
        raise InputError(
            f"`{name.removesuffix('.npy')}` holds Python objects, which are never unpickled.",
            where=path,
            hint="Save strings as np.array(texts, dtype=str) and vectors as float32.",
        )
    size = dtype.itemsize
    for length in shape:
        size *= length
    _bounded(size, path)


def _parquet(path: Path) -> tuple[list[str], Vectors]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            columns = file.schema_arrow.names
            if not {"text", "vector"} <= set(columns):
                raise InputError(
                    f"has the columns {', '.join(columns[:5])}, not `text` and `vector`.", where=path, hint=_FORMS
                )
            _bounded(sum(file.metadata.row_group(i).total_byte_size for i in range(file.num_row_groups)), path)
            table = file.read(columns=["text", "vector"])
        texts = table.column("text").cast(pa.string()).to_pylist()
        column = table.column("vector").combine_chunks()
        vectors = column.cast(pa.list_(pa.float64())) if len(column) else column
        lengths = np.array([]) if not len(column) else vectors.value_lengths().fill_null(-1).to_numpy()
        numbers = np.array([]) if not len(column) else vectors.flatten().to_numpy(zero_copy_only=False)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"is not a parquet file that can be read ({error}).", where=path, hint=_FORMS) from None
    for row, (text, length) in enumerate(zip(texts, lengths, strict=True)):
        if text is None or length < 1 or length != lengths[0]:
            raise InputError(
                f"row {row + 1} has {'no text' if text is None else f'a vector of {max(length, 0)} numbers'}; "
                f"the first has {lengths[0]} numbers.",
                where=path,
                hint="Every row needs a text and a vector of the same length.",
            )
    return texts, _float32(numbers.reshape(len(texts), -1)) if texts else np.empty((0, 0), np.float32)


def _jsonl(path: Path) -> tuple[list[str], Vectors]:
    texts: list[str] = []
    rows: list[Vectors] = []
    for line, text, numbers in _lines(path):
        vector = _float32(np.array(numbers, dtype=np.float64))
        if rows and len(vector) != len(rows[0]):
            raise InputError(
                f"the vector has {len(vector)} numbers; those before it have {len(rows[0])}.",
                where=path,
                line=line,
                hint="All vectors must come from one model.",
            )
        texts.append(text)
        rows.append(vector)
    return texts, np.stack(rows) if rows else np.empty((0, 0), np.float32)


def _lines(path: Path) -> Iterator[tuple[int, str, list[float]]]:
    with path.open("rb") as file:
        number = 0
        while raw := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(raw) > MAX_LINE_BYTES:
                raise InputError("the line is longer than 4 MB.", where=path, line=number, hint=_FORMS)
            if not raw.strip():
                continue
            try:
                entry = json.loads(raw)
            except (ValueError, RecursionError) as error:
                raise InputError(f"is not JSON ({error}).", where=path, line=number, hint=_FORMS) from None
            text, vector = (entry.get("text"), entry.get("vector")) if isinstance(entry, dict) else (None, None)
            if not isinstance(text, str) or not isinstance(vector, list) or not vector:
                raise InputError("has no string `text` and list `vector`.", where=path, line=number, hint=_FORMS)
            if not all(type(value) in (int, float) and abs(value) < 2**1000 for value in vector):
                raise InputError("the vector holds what is not a finite number.", where=path, line=number, hint=_FORMS)
            yield number, text, vector


def _float32(numbers: NDArray[Any]) -> Vectors:
    with np.errstate(over="ignore"):  # an infinity is reported afterwards, with its text
        return np.asarray(numbers, dtype=np.float32)
