"""A projection that takes a bias out of a model's vectors as they are computed, in a small file beside the model.

The file is safetensors: one matrix, `directions` (orthonormal rows), and JSON in the header's `__metadata__` that says
where it is applied ("sentence": to the vector of a text; "blank": to the state that enters the output embedding at a
blank), what it was fitted to, and how. A model is opened with it under the name `MODEL+FILE.safetensors`.
"""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InputError, ModelError
from tiltmeter.files import replacing
from tiltmeter.lexicon.tests import Passage
from tiltmeter.models.base import Embedded, Embedder, Vectors

Place = Literal["sentence", "blank"]

SUFFIX = ".safetensors"
HOW = ("pooling", "layer")  # settings of an encoder that decide its vectors
_FORMAT = "tiltmeter projection 1"
_MAX_BYTES = 1 << 26
_MAX_HEADER = 1 << 20
_ORTHONORMAL = 1e-4
_MAKE_AGAIN = "Make it with `tiltmeter debias MODEL`."


@dataclass(frozen=True, kw_only=True)
class Projection:
    """x' = x - V ᵀV x for the rows of V."""

    directions: NDArray[np.float32]
    at: Place
    bias: str
    fitted_to: str = ""  # the fingerprint of the model
    settings: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def fingerprint(self) -> str:
        digest = hashlib.sha256(f"{_FORMAT} {self.at} {self.directions.shape}".encode())
        digest.update(np.ascontiguousarray(self.directions, dtype="<f4").tobytes())
        return digest.hexdigest()

    def apply(self, rows: NDArray[np.floating]) -> NDArray[np.float32]:
        """Rows without what lies along the directions."""
        if rows.shape[-1] != self.directions.shape[1]:
            raise ModelError(
                f"a projection of vectors of {self.directions.shape[1]} numbers does not fit a model whose vectors "
                f"have {rows.shape[-1]}. It belongs to another model."
            )
        wide, V = rows.astype(np.float64), self.directions.astype(np.float64)
        return np.asarray(wide - (wide @ V.T) @ V, dtype=np.float32)

    def check(self, model: str, fingerprint: str) -> None:
        """Refuse any model but the one that it was fitted to: of another its directions say nothing."""
        if self.fitted_to != fingerprint:
            raise ModelError(
                f"{model}: this projection was fitted to another model (its fingerprint is {self.fitted_to[:12]}… and "
                f"not {fingerprint[:12]}…). Also of a model that was trained further, the directions are not the same. "
                "Make one for this model with `tiltmeter debias MODEL`."
            )

    def fingerprint_of(self, model: str) -> str:
        """The fingerprint of a model with this projection."""
        return hashlib.sha256(f"{model} {self.fingerprint}".encode()).hexdigest()

    def write(self, path: Path) -> None:
        about = {"bias": self.bias, "at": self.at, "fitted_to": self.fitted_to, "settings": dict(self.settings)}
        data = np.ascontiguousarray(self.directions, dtype="<f4").tobytes()
        header = {
            "__metadata__": {"format": _FORMAT, "about": json.dumps(about, ensure_ascii=False, sort_keys=True)},
            "directions": {"dtype": "F32", "shape": list(self.directions.shape), "data_offsets": [0, len(data)]},
        }
        text = json.dumps(header, ensure_ascii=False).encode()
        text += b" " * (-len(text) % 8)
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as part:
            part.write_bytes(struct.pack("<Q", len(text)) + text + data)


def read_projection(path: Path | str) -> Projection:
    """A projection from its file, which is not trusted."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}.", where=path, hint=_MAKE_AGAIN) from None
    size = int.from_bytes(data[:8], "little")
    try:
        if len(data) > _MAX_BYTES or not 2 <= size <= min(_MAX_HEADER, len(data) - 8):
            raise ValueError("its size is not that of one")
        header = json.loads(data[8 : 8 + size])
        about = json.loads(header["__metadata__"]["about"])
        tensor = header["directions"]
        rows, columns = tensor["shape"]
        if (
            header["__metadata__"]["format"] != _FORMAT
            or tensor["dtype"] != "F32"
            or not isinstance(about["settings"], dict)
        ):
            raise ValueError("it is of another format")
        if not (type(rows) is type(columns) is int) or tensor["data_offsets"] != [0, 4 * rows * columns]:
            raise ValueError("its header does not agree with itself")
        directions = np.frombuffer(data[8 + size :], "<f4").reshape(rows, columns)
        at, bias, fitted_to = about["at"], about["bias"], about["fitted_to"]
        if at not in ("sentence", "blank") or not (isinstance(bias, str) and isinstance(fitted_to, str)):
            raise ValueError("it does not say where it belongs")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InputError(f"is no projection ({error!s:.80}).", where=path, hint=_MAKE_AGAIN) from None
    wide = directions.astype(np.float64)
    if not np.isfinite(wide).all() or not len(wide) or np.abs(wide @ wide.T - np.eye(len(wide))).max() > _ORTHONORMAL:
        raise InputError("holds directions that are not orthonormal.", where=path, hint=_MAKE_AGAIN)
    return Projection(
        directions=directions.astype(np.float32),
        at=at,
        bias=bias,
        fitted_to=fitted_to,
        settings=dict(about["settings"]),
    )


def split(name: str) -> tuple[str, Path | None]:
    """`MODEL+FILE.safetensors` as the model's name and the file; any other name as it is."""
    if not name.endswith(SUFFIX) or "+" not in name or Path(name).exists():
        return name, None
    model, _, file = name.rpartition("+")
    while model and not Path(file).is_file() and "+" in model:  # a folder may have a + in its name
        model, _, before = model.rpartition("+")
        file = f"{before}+{file}"
    if not model or not Path(file).is_file():
        raise InputError(
            f"names no model and projection: there is no file {name.rpartition('+')[2]!r}.",
            where=name,
            hint=_MAKE_AGAIN,
        )
    return model, Path(file)


class ProjectedEmbedder:
    """A model whose vectors are projected as they come."""

    def __init__(self, model: Embedder, projection: Projection, name: str | None = None) -> None:
        if projection.at != "sentence":
            raise ModelError(
                f"{model.name}: this projection belongs at the blank of a masked model, not to vectors of texts. Make "
                "one for these with `tiltmeter debias MODEL --at sentence`."
            )
        projection.check(model.name, model.fingerprint)
        for what in HOW:
            own, fitted = (settings.get(what) for settings in (model.settings, projection.settings))
            if what in projection.settings and own != fitted:
                raise ModelError(f"{model.name}: this projection was fitted with the {what} {fitted!r}, not {own!r}.")
        self._model, self._projection = model, projection
        self._name = model.name if name is None else name

    @property
    def name(self) -> str:
        return self._name

    @property
    def fingerprint(self) -> str:
        return self._projection.fingerprint_of(self._model.fingerprint)

    @property
    def settings(self) -> Mapping[str, Any]:
        return {**self._model.settings, "projection": self._projection.fingerprint}

    def prepare(self, passages: Sequence[Passage]) -> None:
        self._model.prepare(passages)

    def embed(self, passages: Sequence[Passage]) -> Embedded:
        embedded = self._model.embed(passages)
        if not embedded.kept:
            return embedded
        vectors: Vectors = self._projection.apply(embedded.vectors)
        return Embedded(embedded.kept, vectors, embedded.lost)
