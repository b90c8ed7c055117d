"""A matrix in `.npy` or safetensors, whose words stand in a list beside it."""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Collection, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

from tiltmeter.errors import InputError
from tiltmeter.models._streams import Stream
from tiltmeter.models._vector_entry import CUT_SHORT, Entry, check_finite, check_shape
from tiltmeter.models._word_list import find_word_list, read_words
from tiltmeter.models.base import Vectors

NPY_MAGIC = b"\x93NUMPY"
_MAX_NPY_HEADER = 1 << 16
_MAX_HEADER = 1 << 24
_NPY_TYPES: dict[str, np.dtype[Any]] = {
    order + kind: np.dtype(order + kind) for order in "<>" for kind in ("f2", "f4", "f8")
}
_SAFETENSORS_TYPES: dict[str, np.dtype[Any]] = {
    "F16": np.dtype("<f2"),
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
    "BF16": np.dtype("<u2"),
}
_HOW_TO_SAVE = "Save it as float32: numpy.save(path, matrix.astype('float32', order='C'))."


class MatrixReader:
    """The rows of a matrix that stand one after another from `start` on."""

    has_subwords = False

    def __init__(self, stream: Stream, form: str, kind: np.dtype[Any], shape: tuple[int, int], start: int) -> None:
        self._stream = stream
        self.kind = kind
        self.start = start
        self.form = form
        self.words, self.dimension = shape
        check_shape(*shape, stream.path)
        needed = start + math.prod(shape) * kind.itemsize
        if stream.length is not None and stream.length < needed:
            raise InputError(
                f"has {stream.length} bytes, where its matrix of {self.words} × {self.dimension} needs {needed}.",
                where=stream.path,
                hint=CUT_SHORT,
            )
        self.word_list = find_word_list(stream.path)

    def entries(self, wanted: Collection[bytes], unknown: Collection[bytes] = ()) -> Iterator[Entry]:  # noqa: ARG002
        wanted = frozenset(wanted)
        listed = enumerate(read_words(self.word_list, self.words))
        return self._read([(row, word) for row, word in listed if word in wanted])

    def rows(self) -> Iterator[Entry]:
        return self._read(enumerate(list(read_words(self.word_list, self.words))))

    def _read(self, rows: Collection[tuple[int, bytes]] | enumerate[bytes]) -> Iterator[Entry]:
        size = self.kind.itemsize * self.dimension
        self._stream.skip(self.start)
        here = 0
        for row, word in rows:
            self._stream.skip((row - here) * size)
            data = self._stream.read(size)
            if len(data) < size:
                raise InputError(
                    f"ends in the middle of row {row + 1} of {self.words}.", where=self._stream.path, hint=CUT_SHORT
                )
            here = row + 1
            vector = self._numbers(data)
            check_finite(vector, word, self._stream.path)
            yield Entry(word, vector)

    def _numbers(self, data: bytes) -> Vectors:
        numbers = np.frombuffer(data, self.kind)
        if self.kind == np.dtype("<u2"):  # bfloat16 is the upper half of a float32
            return (numbers.astype("<u4") << 16).view("<f4").astype(np.float32)
        with np.errstate(over="ignore"):  # what does not fit becomes infinite, which is refused
            return numbers.astype(np.float32)


def open_npy(stream: Stream) -> MatrixReader:
    """After numpy's NEP 1: magic, version, length of the header, and the header, a Python literal."""
    version = stream.peek(8)[6:7]
    width = 2 if version == b"\x01" else 4
    size = int.from_bytes(stream.peek(8 + width)[8:], "little")
    header = None
    if size <= _MAX_NPY_HEADER:
        # numpy's own reader of the header fails in too many ways on a damaged one.
        with suppress(ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            header = ast.literal_eval(stream.peek(8 + width + size)[8 + width :].decode("latin-1").strip())
    match header:
        case {"descr": descr, "fortran_order": bool(by_columns), "shape": tuple(shape)}:
            pass
        case _:
            raise InputError("its .npy header cannot be read.", where=stream.path, hint="Write it with numpy.save.")
    kind = _NPY_TYPES.get(descr) if isinstance(descr, str) else None
    if kind is None:
        raise InputError(f"holds numbers of type {descr!r}, not floats.", where=stream.path, hint=_HOW_TO_SAVE)
    if by_columns or len(shape) != 2 or not all(type(each) is int for each in shape):
        what = "a matrix stored by columns" if by_columns else f"an array of shape {shape}"
        raise InputError(f"is {what}, not a matrix with a row for each word.", where=stream.path, hint=_HOW_TO_SAVE)
    return MatrixReader(stream, "npy", kind, (shape[0], shape[1]), 8 + width + size)


def looks_like_safetensors(head: bytes) -> bool:
    return len(head) > 8 and 2 <= int.from_bytes(head[:8], "little") <= _MAX_HEADER and head[8:9] == b"{"


def open_safetensors(stream: Stream) -> MatrixReader:
    size = int.from_bytes(stream.peek(8), "little")
    try:
        header = json.loads(stream.peek(8 + size)[8:])
    except (ValueError, RecursionError):
        raise InputError("its safetensors header cannot be read.", where=stream.path, hint=CUT_SHORT) from None
    matrices = {}
    if isinstance(header, dict):
        for name, tensor in header.items():
            if name != "__metadata__" and (found := _matrix(tensor)):
                matrices[name] = found
    if len(matrices) != 1:
        names = ", ".join(sorted(matrices)[:5])
        raise InputError(
            f"holds {len(matrices)} matrices of floats{': ' if names else ''}{names}.",
            where=stream.path,
            hint="Save one alone, a row for each word: safetensors.numpy.save_file({'vectors': matrix}, path).",
        )
    ((kind, shape, start),) = matrices.values()
    return MatrixReader(stream, "safetensors", kind, shape, 8 + size + start)


def _matrix(tensor: Any) -> tuple[np.dtype[Any], tuple[int, int], int] | None:
    """Type, shape and place of a tensor, if it is a matrix of floats and what it says of itself agrees."""
    match tensor:
        case {"dtype": str(name), "shape": [int(rows), int(columns)], "data_offsets": [int(start), int(end)]}:
            kind = _SAFETENSORS_TYPES.get(name)
            if kind is not None and rows > 0 and start >= 0 and end - start == rows * columns * kind.itemsize:
                return kind, (rows, columns), start
    return None
