"""Matrices of scores, scores of sentence pairs and posteriors in a run folder: safetensors, which hold no code."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InputError
from tiltmeter.files import replacing

_ABOUT = "about"
_HASH = re.compile("[0-9a-f]{64}")
_BYTES = 2**31


@dataclass(frozen=True, slots=True)
class Arrays:
    """Arrays by name, and what their rows and columns are: plain JSON values."""

    arrays: Mapping[str, NDArray[Any]]
    about: Mapping[str, Any]


def write_arrays(path: Path, given: Arrays) -> None:
    """The same arrays give the same bytes."""
    from safetensors.numpy import save

    about = json.dumps(dict(given.about), ensure_ascii=False, sort_keys=True, allow_nan=False)
    arrays = {name: np.ascontiguousarray(array) for name, array in given.arrays.items()}
    with replacing(path) as part:
        part.write_bytes(save(arrays, metadata={_ABOUT: about}))


def read_arrays(path: Path) -> Arrays:
    """The arrays in a file of `RUN/arrays`."""
    from safetensors import SafetensorError, safe_open

    try:
        if path.parent.is_symlink() or path.is_symlink() or not path.is_file():
            raise InputError("there is no such file of arrays.", where=path)
        if path.stat().st_size > _BYTES:
            raise InputError(f"is larger than {_BYTES / 2**30:.0f} GB.", where=path, hint="No run writes such a file.")
        with safe_open(str(path), framework="numpy") as file:
            about = json.loads((file.metadata() or {}).get(_ABOUT, ""))
            arrays = {name: file.get_tensor(name) for name in sorted(file.keys())}
        if not isinstance(about, dict):
            raise ValueError("it does not say what it holds")
    except (SafetensorError, OSError, TypeError, ValueError, RecursionError) as error:
        raise InputError(f"is damaged ({error!s:.100}).", where=path, hint="Run it again.") from None
    return Arrays(arrays, about)


def kept_metrics(manifest: Mapping[str, Any]) -> set[str]:
    """The metrics of the jobs that kept arrays."""
    return {str(job.get("metric")) for job in _jobs(manifest)}


def of_jobs(
    folder: Path, manifest: Mapping[str, Any], metrics: Collection[str]
) -> Iterator[tuple[str, Path, Mapping[str, Any], Arrays]]:
    """The arrays that the jobs of some metrics kept: the model's name, the file, what the job was, and the arrays."""
    for job in _jobs(manifest):
        if str(job.get("metric")) in metrics:
            path = folder / "arrays" / f"{job['hash']}.safetensors"
            yield str(job.get("model", "")), path, job, read_arrays(path)


def _jobs(manifest: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    jobs = manifest.get("jobs")
    for job in jobs if isinstance(jobs, list) else []:
        if isinstance(job, Mapping) and job.get("arrays") and _HASH.fullmatch(str(job.get("hash"))):
            yield job


def is_arrays(path: Path) -> bool:
    """Whether a whole file of arrays stands there."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(str(path), framework="numpy"):
            return True
    except (SafetensorError, OSError):
        return False
