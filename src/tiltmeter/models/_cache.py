"""States that a language model has computed, kept in files: what is there is not computed again.

A shard is one batch: the keys of its states, their log-partitions and the states themselves, under a checksum. It
appears whole or not at all, so that a killed run goes on where it was. Memory holds only where each key stands.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import struct
import tempfile
import time
import warnings
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InputError
from tiltmeter.files import replacing
from tiltmeter.models._slices import writing_temporarily

KEY_BYTES = 16
_SUFFIX = ".states"
_MAGIC = b"TILTST01"
_HEADER = 64  # magic, rows, width, SHA-256 of all that follows them; the rest is zero
_CHECKSUM_AT = 24
_ROW_BITS = 32
_OPEN = 64  # files at once
_NOWHERE = -1
_WAITING = 1 << 16  # keys that are not sorted in yet
_STALE = 3600.0  # seconds after which a half-written file belongs to no one

States = NDArray[np.float32]
LogPartitions = NDArray[np.float64]


@dataclass(slots=True)
class _Shard:
    path: Path
    rows: int
    sound: bool  # its checksum has been compared, or it was written here


class _Index:
    """Where each key is: sorted arrays, as a dict of millions would take more memory than a model.

    What is new waits in a small dict. When that is full it becomes an array, and arrays of like size become one.
    """

    def __init__(self) -> None:
        self._new: dict[bytes, int] = {}
        self._sorted: list[tuple[NDArray[np.bytes_], NDArray[np.int64]]] = []  # the largest first

    def add(self, keys: Sequence[bytes], first: int) -> None:
        """Keys whose places follow each other from `first` on; a key that is known stays where it is."""
        for row in np.flatnonzero(self.places(keys) == _NOWHERE).tolist():
            self._new.setdefault(keys[row], first + row)
        if len(self._new) >= _WAITING:
            known, places = _array(list(self._new)), np.array(list(self._new.values()), dtype=np.int64)
            while self._sorted and len(self._sorted[-1][0]) <= 2 * len(known):
                more, their_places = self._sorted.pop()
                known, places = np.concatenate([more, known]), np.concatenate([their_places, places])
            order = np.argsort(known)
            self._sorted.append((known[order], places[order]))
            self._new = {}

    def places(self, keys: Sequence[bytes]) -> NDArray[np.int64]:
        """The place of each key, `_NOWHERE` for those that are not here."""
        new = self._new
        found = np.array([new.get(key, _NOWHERE) for key in keys], dtype=np.int64)
        for known, places in self._sorted:
            sought = np.flatnonzero(found == _NOWHERE)
            wanted = _array([keys[place] for place in sought.tolist()])
            at = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
            here = known[at] == wanted
            found[sought[here]] = places[at[here]]
        return found


def _array(keys: Sequence[bytes]) -> NDArray[np.bytes_]:
    return np.array(keys, dtype=f"S{KEY_BYTES}")


class StateCache:
    """The states of one model under one group of settings (`identity`), in `folder` or for this process alone."""

    def __init__(self, folder: str | Path | None, identity: Mapping[str, Any], width: int) -> None:
        self._width = width
        self._kept = folder is not None
        if folder is None:
            with writing_temporarily():
                self.folder = Path(tempfile.mkdtemp(prefix="tiltmeter-states-"))
            weakref.finalize(self, _remove, self.folder, os.getpid())
        else:
            named = json.dumps({**identity, "width": width}, sort_keys=True).encode()
            self.folder = Path(folder) / "states" / hashlib.sha256(named).hexdigest()[:32]
            try:
                self.folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(
                    f"cannot be used as a cache ({error.strerror}).", where=folder, hint="Give another folder."
                ) from None
            self._sweep()
        self._shards: list[_Shard] = []
        self._names: set[str] = set()
        self._index = _Index()  # number of the shard << 32 | row
        self._open: dict[Path, NDArray[np.uint8]] = {}  # the one read longest ago comes first
        self._scan()

    def missing(self, keys: Sequence[bytes]) -> list[bytes]:
        """Those of `keys` whose states are not here; a damaged shard is reported, and its keys are missing."""
        places = self._index.places(keys)
        if (places == _NOWHERE).any():
            self._scan()  # another process may have computed them
            places = self._index.places(keys)
        asked = np.unique(places[places != _NOWHERE] >> _ROW_BITS)
        damaged = [number for number in asked.tolist() if not self._is_sound(self._shards[number])]
        if damaged:
            rejected = {self._shards[number].path.name for number in damaged}
            self._open.clear()
            for name in rejected:
                with contextlib.suppress(OSError):
                    (self.folder / name).unlink()
            known_sound = {shard.path.name for shard in self._shards if shard.sound}
            self._shards, self._names, self._index = [], rejected, _Index()
            self._scan()
            for shard in self._shards:
                shard.sound = shard.path.name in known_sound
            return self.missing(keys)
        return [keys[place] for place in np.flatnonzero(places == _NOWHERE).tolist()]

    def add(self, keys: Sequence[bytes], states: States, log_partitions: LogPartitions) -> None:
        """Keep the states of one batch, as one shard."""
        body = b"".join(keys)
        path = self.folder / f"{hashlib.sha256(body).hexdigest()[:32]}{_SUFFIX}"
        parts: list[bytes | memoryview] = [
            np.array([len(keys), self._width], dtype="<u8").data,
            body,
            np.ascontiguousarray(log_partitions, dtype="<f8").data,
            np.ascontiguousarray(states, dtype="<f4").data,
        ]
        digest = hashlib.sha256()
        for part in parts if self._kept else ():  # what this process alone reads is not read by a later one
            digest.update(part)
        try:
            with replacing(path, flush=False) as unfinished, unfinished.open("wb") as file:
                file.write((_MAGIC + bytes(parts[0]) + digest.digest()).ljust(_HEADER, b"\0"))
                for part in parts[1:]:
                    file.write(part)
        except InputError as error:
            raise InputError(
                error.message,
                where=error.where,
                hint="Free some space, or give a cache folder on another disk, and run again: what has been computed "
                "so far stays in the cache folder that you gave, and is not computed again.",
            ) from error
        self._register(path, keys, sound=True)

    def read(self, keys: Sequence[bytes], into: States | None = None) -> tuple[States, LogPartitions]:
        """The states of `keys`, none of which may be missing, and their log-partitions. `into`: where they are put."""
        places = self._index.places(keys)
        if (places == _NOWHERE).any():
            raise KeyError("a state is read that was not computed")
        shards, rows = places >> _ROW_BITS, places & ((1 << _ROW_BITS) - 1)
        states = np.empty((len(keys), self._width), dtype=np.float32) if into is None else into
        log_partitions = np.empty(len(keys), dtype=np.float64)
        order = np.argsort(shards, kind="stable")
        for group in np.split(order, np.flatnonzero(np.diff(shards[order])) + 1) if len(keys) else []:
            shard = self._shards[shards[group[0]]]
            raw = self._content(shard)
            log_partitions_at = _HEADER + shard.rows * KEY_BYTES
            states_at = log_partitions_at + shard.rows * 8
            log_partitions[group] = raw[log_partitions_at:states_at].view("<f8")[rows[group]]
            states[group] = raw[states_at:].view("<f4").reshape(shard.rows, self._width)[rows[group]]
        return states, log_partitions

    def _content(self, shard: _Shard) -> NDArray[np.uint8]:
        """The file as it lies on the disk; the files read last stay open."""
        raw = self._open.pop(shard.path, None)
        if raw is None:
            try:
                raw = np.memmap(shard.path, dtype=np.uint8, mode="r")
            except OSError as error:
                raise InputError(
                    f"was there a moment ago and cannot be read now ({error.strerror}).",
                    where=shard.path,
                    hint="Run again: only what is missing will be computed.",
                ) from None
        self._open[shard.path] = raw
        if len(self._open) > _OPEN:
            del self._open[next(iter(self._open))]
        return raw

    def _scan(self) -> None:
        with os.scandir(self.folder) as entries:
            new = sorted(
                entry.name for entry in entries if entry.name.endswith(_SUFFIX) and entry.name not in self._names
            )
        for name in new:
            path = self.folder / name
            try:
                with path.open("rb") as file:
                    rows = self._rows(file.read(_HEADER), os.fstat(file.fileno()).st_size)
                    body = file.read(rows * KEY_BYTES)
            except FileNotFoundError:
                continue  # another process found it damaged
            except (OSError, ValueError) as error:
                _report(path, str(error))
                with contextlib.suppress(OSError):
                    path.unlink()
                continue
            keys = [body[begin : begin + KEY_BYTES] for begin in range(0, len(body), KEY_BYTES)]
            self._register(path, keys, sound=False)

    def _rows(self, header: bytes, size: int) -> int:
        if len(header) < _HEADER or not header.startswith(_MAGIC):
            raise ValueError("it does not begin like a shard")
        rows, width = (int(number) for number in np.frombuffer(header, dtype="<u8", count=2, offset=len(_MAGIC)))
        if width != self._width or size != _HEADER + rows * (KEY_BYTES + 8 + 4 * width):
            raise ValueError("its size is not what it says")
        return rows

    def _register(self, path: Path, keys: Sequence[bytes], *, sound: bool) -> None:
        number = len(self._shards)
        self._shards.append(_Shard(path, len(keys), sound))
        self._names.add(path.name)
        self._index.add(keys, number << _ROW_BITS)

    def _is_sound(self, shard: _Shard) -> bool:
        if shard.sound:
            return True
        try:
            with shard.path.open("rb") as file:
                header = file.read(_HEADER)
                digest = hashlib.sha256(header[len(_MAGIC) : _CHECKSUM_AT])
                while chunk := file.read(1 << 20):
                    digest.update(chunk)
        except OSError as error:
            _report(shard.path, str(error.strerror))
            return False
        shard.sound = digest.digest() == header[_CHECKSUM_AT : _CHECKSUM_AT + digest.digest_size]
        if not shard.sound:
            _report(shard.path, "its checksum does not fit its content")
        return shard.sound

    def _sweep(self) -> None:
        """Remove what a killed process was writing."""
        for part in self.folder.glob(f".*{_SUFFIX}.*.part"):
            with contextlib.suppress(OSError):
                if time.time() - part.stat().st_mtime > _STALE:
                    part.unlink()


def state_key(ids: Sequence[int], position: int) -> bytes:
    """What a state is found by: the tokens, and the position that is read."""
    content = struct.pack(f"<{len(ids) + 1}i", *ids, position)
    return hashlib.blake2b(content, digest_size=KEY_BYTES).digest()


def _report(path: Path, reason: str) -> None:
    warnings.warn(f"{path}: is damaged ({reason}); what it held is computed again.", RuntimeWarning, stacklevel=4)


def _remove(folder: Path, process: int) -> None:
    if os.getpid() == process:  # a forked child must not take it away from its parent
        shutil.rmtree(folder, ignore_errors=True)
