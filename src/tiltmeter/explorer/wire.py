"""What goes over the wire: JSON, or arrays in their own bytes behind a JSON header; compressed once, with an ETag.

    u32 length of the header H | H bytes of JSON, padded with spaces so that 4 + H is a multiple of 8 | arrays

All is little endian; each array begins at a multiple of 8. Scores are sent as 16-bit integers and a scale: the error is
at most half a step, 1.5e-5 of the largest score. -32768 says that there is no number.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

JSON = "application/json"
BINARY = "application/octet-stream"
_NONE = -32768
_LARGEST = 32767
_WORTH_IT = 600  # bytes below which compression gains nothing


@dataclass(frozen=True)
class Body:
    """The body of a response."""

    content: bytes
    media_type: str = JSON

    @cached_property
    def compressed(self) -> bytes | None:
        return gzip.compress(self.content, 4, mtime=0) if len(self.content) > _WORTH_IT else None

    @cached_property
    def etag(self) -> str:
        return hashlib.sha256(self.content).hexdigest()[:32]

    @property
    def size(self) -> int:
        return len(self.content) + len(self.compressed or b"")


def json_body(value: Any) -> Body:
    """Compact JSON; a float that is no number becomes null."""
    text = json.dumps(plain(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Body(text.encode())


def plain(value: Any) -> Any:
    """Arrays as lists, and null for what is no finite number; floats to seven digits."""
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return float(f"{value:.7g}") if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value


def quantised(values: ArrayLike) -> tuple[NDArray[np.int16], float]:
    """16-bit integers, and the scale that turns them back."""
    table = np.asarray(values, dtype=np.float64)
    known = np.isfinite(table)
    largest = float(np.abs(table[known]).max()) if known.any() else 0.0
    scale = largest / _LARGEST if largest > 1e-290 else 1.0
    return np.where(known, np.rint(np.where(known, table, 0.0) / scale), _NONE).astype("<i2"), scale


def coarse(values: ArrayLike, bits: int = 11) -> NDArray[np.float32]:
    """Single precision with `bits` of its 23 bits of mantissa, which compresses well; p-values need no more."""
    table = np.ascontiguousarray(values, dtype="<f4")
    return (table.view("<u4") & np.uint32(0xFFFFFFFF << (23 - bits) & 0xFFFFFFFF)).view("<f4")


def binary_body(header: Mapping[str, Any], arrays: Mapping[str, tuple[NDArray[Any], float | None]]) -> Body:
    """Arrays by name, each with its scale if it has one, behind the header, which says where they stand."""
    described: dict[str, dict[str, Any]] = {}
    parts: list[bytes] = []
    at = 0
    for name, (array, scale) in arrays.items():
        data = array.tobytes()
        described[name] = {"dtype": array.dtype.str[1:], "offset": at, "length": int(array.size)}
        if scale is not None:
            described[name]["scale"] = scale
        parts.append(data + bytes(-len(data) % 8))
        at += len(parts[-1])
    # The offsets count from the first byte of the body, so the header must be as long as it will be.
    room = len(_encoded(header, described)) + 20 * len(described)
    begin = 4 + room + -(4 + room) % 8
    for one in described.values():
        one["offset"] += begin
    text = _encoded(header, described).ljust(begin - 4)
    return Body(len(text).to_bytes(4, "little") + text + b"".join(parts), BINARY)


def _encoded(header: Mapping[str, Any], described: Mapping[str, Any]) -> bytes:
    value = {**plain(header), "arrays": described}
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
