"""The manifest of a run: what was run, with what, on what, and how long it took."""

from __future__ import annotations

import datetime
import os
import platform
import sys
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any

import tiltmeter
from tiltmeter.runs.plan import Plan
from tiltmeter.runs.results import FORMAT
from tiltmeter.runs.spec import SpecFile
from tiltmeter.runs.store import Record

_LIBRARIES = (
    *("numpy", "scipy", "pydantic", "polars", "safetensors"),
    *("torch", "transformers", "tokenizers", "numpyro", "jax"),
)


def manifest(
    file: SpecFile, plan: Plan, records: Mapping[str, Record], failed: Mapping[str, str], seconds: float
) -> dict[str, Any]:
    """Everything that is known of a run but its measurements. Times, which differ from run to run, are only here."""
    spec = file.spec
    return {
        "format": FORMAT,
        "tiltmeter": tiltmeter.__version__,
        "title": spec.title,
        "language": spec.language,
        "seed": spec.seed,
        "level": spec.level,
        "alpha": spec.alpha,
        "spec": spec.model_dump(exclude_none=True),
        "models": [model.as_dict() for model in plan.models],
        "jobs": [_job(job.as_dict(), records.get(job.hash), failed.get(job.hash, "")) for job in plan.jobs],
        "complete": not failed,
        "adjustment": "p-values are adjusted by Holm's method over the whole table; cells of a matrix of scores by "
        "Benjamini and Hochberg's over their own matrix",
        "versions": {"python": platform.python_version(), **_versions()},
        "hardware": _hardware(),
        "finished": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "timings": {
            "last_start_seconds": round(seconds, 3),
            "jobs_seconds": round(sum(record.seconds for record in records.values()), 3),
            "by_job": {job.hash: round(records[job.hash].seconds, 3) for job in plan.jobs if job.hash in records},
        },
    }


def _job(job: dict[str, Any], record: Record | None, error: str) -> dict[str, Any]:
    return {
        "hash": job["hash"],
        "model": job["model"]["name"],
        "metric": job["metric"],
        "test": job["test"],
        "subject": job["subject"],
        "options": job["options"],
        "measurements": len(record.measurements) if record else 0,
        "arrays": record.arrays if record else False,
        "skipped": record.skipped if record else "",
        "error": error,
    }


def _versions() -> dict[str, str]:
    found = {}
    for name in _LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def _hardware() -> dict[str, Any]:
    torch: Any = sys.modules.get("torch")  # not for this alone
    devices: Sequence[str] = ()
    if torch is not None and torch.cuda.is_available():
        devices = [torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())]
    return {
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "gpus": list(devices),
    }
