"""What a run will cost, found before it starts: a rehearsal with models that have no weights.

    seconds = host + FLOPs / (rate · share) + batches · layers · kernels · launch + bytes of weights / disk

`host` is everything but the models: tokenizing, the statistics of every job; it is measured in the rehearsal, which
does every job once. Models with the same tokenizer, shape and jobs (checkpoints of a training run) share a rehearsal.
The rate of this machine is measured, at the width of the model; those of GPUs are their makers'. The share of them that
short texts reach was measured on one H200 (`benchmarks.indirect --cube`, the time in which the GPU computes): on other
GPUs and with other models it is what to expect, not what was seen.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tiltmeter.errors import TiltmeterError
from tiltmeter.models import gguf_file, huggingface, projection
from tiltmeter.models.hollow import Counts, hollow
from tiltmeter.runs.job import Job, Model
from tiltmeter.runs.plan import Plan
from tiltmeter.runs.work import ModelWork

_KERNELS = 30  # operations in a layer
_SHARE_HERE = 0.6  # of the rate of bare products: the rest of a layer waits for memory
_SHARE_GPU = 0.2  # sentences of 6 to 24 tokens through a BERT-base in bfloat16
_LAUNCH_GPU = 1e-5  # seconds
_TOKENS_GPU = 4_096  # in a batch, at least
_DISK = 1e9  # bytes a second
_TRIAL = 0.1  # seconds in which a rate is measured
_TRANSFORMERS = ("encoder", "masked", "causal")

# Dense matrix products a second, in bfloat16 and in float32, by the makers' data sheets.
GPUS = {
    "NVIDIA L4": (121e12, 30.3e12),
    "NVIDIA A10": (125e12, 31.2e12),
    "NVIDIA RTX 4090": (165e12, 82.6e12),
    "NVIDIA A100": (312e12, 19.5e12),
    "NVIDIA L40S": (362e12, 91.6e12),
    "NVIDIA H100 SXM": (989e12, 67e12),
    "NVIDIA H200 SXM": (989e12, 67e12),  # as many as an H100: what it has more of is memory
    "NVIDIA B200": (2_250e12, 75e12),
}


@dataclass(frozen=True, slots=True)
class ModelCost:
    """What one model costs. `texts` are forward passes, one for each text; `tokens` include padding."""

    model: str
    kind: str
    jobs: int
    parameters: int
    texts: int
    tokens: int
    flops: float
    cache_bytes: int
    host_seconds: float
    seconds: float  # on this machine
    on_gpu: dict[str, float]  # seconds, by GPU
    failed: tuple[str, ...] = ()  # jobs that failed in the rehearsal, and why


@dataclass(frozen=True, slots=True)
class _Rehearsal:
    counts: tuple[Counts, ...]
    cache_bytes: int
    seconds: float
    failed: tuple[str, ...]


def costs(plan: Plan, told: Callable[[Job], None] = lambda _job: None) -> list[ModelCost]:
    """The cost of each model of a plan; `told` hears of each job that is rehearsed."""
    known: dict[str, _Rehearsal] = {}
    found = []
    for model in plan.models:
        jobs = [job for job in plan.jobs if job.model is model]
        key = _alike(model, jobs)
        if key not in known:
            known[key] = _rehearsed(model, jobs, told)
        found.append(_cost(model, jobs, known[key]))
    return found


def _rehearsed(model: Model, jobs: Sequence[Job], told: Callable[[Job], None]) -> _Rehearsal:
    if model.kind in _TRANSFORMERS:
        huggingface.require()
    failed: list[str] = []
    full = projection.split(model.path)[1] is not None
    with tempfile.TemporaryDirectory(prefix="tiltmeter-plan-") as folder, hollow(full_width=full) as counts:
        work = ModelWork(jobs, Path(folder))
        begun = time.perf_counter()
        for job in jobs:
            told(job)
            outcome = work(job, lambda _done, _total: None)
            if outcome.error:
                failed.append(f"{job.title}: {outcome.error}")
        seconds = time.perf_counter() - begun
        kept = sum(_bytes(file, counts) for file in Path(folder).rglob("*.states"))
    return _Rehearsal(tuple(counts), kept, max(seconds - sum(one.seconds for one in counts), 0.0), tuple(failed))


def _bytes(file: Path, counts: Sequence[Counts]) -> int:
    """The size of a file of states, were they as wide as the real ones."""
    rows, width = (int(number) for number in np.fromfile(file, dtype="<u8", count=2, offset=8))
    real = next((one.width for one in counts if width and one.own_width == width), width)
    return file.stat().st_size + 4 * rows * (real - width)


def _cost(model: Model, jobs: Sequence[Job], rehearsal: _Rehearsal) -> ModelCost:
    counts = rehearsal.counts
    host = rehearsal.seconds + sum(4 * one.parameters for one in counts) / _DISK
    half = model.kind != "encoder" and model.options.get("dtype", "bfloat16") != "float32"
    half |= str(model.options.get("dtype")) in ("bfloat16", "float16")
    return ModelCost(
        model=model.name,
        kind=model.kind,
        jobs=len(jobs),
        parameters=max((one.parameters for one in counts), default=0),
        texts=sum(one.texts for one in counts),
        tokens=sum(one.tokens for one in counts),
        flops=sum(one.flops for one in counts),
        cache_bytes=rehearsal.cache_bytes,
        host_seconds=host,
        seconds=host + sum(_here(one, model.options.get("dtype", "float32")) for one in counts),
        on_gpu={name: host + sum(_on_gpu(one, rates[not half]) for one in counts) for name, rates in GPUS.items()},
        failed=rehearsal.failed,
    )


def _here(counts: Counts, dtype: str) -> float:
    rate, launch = _rate(counts.width, dtype), _launch()
    return counts.flops / (rate * _SHARE_HERE) + counts.batches * counts.layers * _KERNELS * launch


def _on_gpu(counts: Counts, rate: float) -> float:
    batches = -(-counts.tokens // _TOKENS_GPU)
    return counts.flops / (rate * _SHARE_GPU) + batches * counts.layers * _KERNELS * _LAUNCH_GPU


@cache
def _rate(width: int, dtype: str) -> float:
    """FLOPs a second of products as in a layer of this width, for a batch of 1024 tokens."""
    import torch

    kind = getattr(torch, dtype)
    left, right = torch.ones(1024, width, dtype=kind), torch.ones(width, 4 * width, dtype=kind)
    return 2.0 * left.numel() * right.shape[1] / _best(lambda: left @ right)


@cache
def _launch() -> float:
    """Seconds that an operation takes on next to nothing."""
    import torch

    row, layer = torch.ones(1, 8), torch.nn.Linear(8, 8)
    with torch.inference_mode():
        return _best(lambda: layer(row))


def _best(act: Callable[[], object]) -> float:
    """The median time of as many calls as fit."""
    act()
    times: list[float] = []
    limit = time.perf_counter() + _TRIAL
    while len(times) < 3 or time.perf_counter() < limit:
        begun = time.perf_counter()
        act()
        times.append(time.perf_counter() - begun)
    return float(np.median(times))


def _alike(model: Model, jobs: Sequence[Job]) -> str:
    """What decides a rehearsal: the jobs, the kind and options, and of a transformer all its files but the weights."""
    asked: list[Any] = [model.kind, model.language, sorted(model.options.items(), key=str)]
    asked += [[job.metric, job.as_dict()["subject"], job.options, [lost.word for lost in job.left_out]] for job in jobs]
    digest = hashlib.sha256(json.dumps(asked, sort_keys=True, default=str).encode())
    bare, file = projection.split(model.path)
    if model.kind in _TRANSFORMERS:
        if gguf_file.is_gguf(bare) or file is not None:
            return f"{digest.hexdigest()} {model.fingerprint}"
        folder = _folder(model, bare)
        if folder is None:
            return f"{digest.hexdigest()} {model.fingerprint}"
        for one in sorted(folder.rglob("*")):
            if one.suffix in (".json", ".txt", ".model") and one.is_file() and "shard" not in one.name:
                digest.update(f"{one.relative_to(folder)}\0".encode() + one.read_bytes())
    return digest.hexdigest()


def _folder(model: Model, path: str) -> Path | None:
    trust = bool(model.options.get("trust_remote_code"))
    try:
        return huggingface.folder_of(path, revision=model.options.get("revision"), trust_remote_code=trust)
    except TiltmeterError:  # said when it is rehearsed
        return None


def total(of: Sequence[ModelCost]) -> ModelCost:
    """All models, one after the other."""
    sums = {
        name: sum(getattr(one, name) for one in of)
        for name in ("jobs", "parameters", "texts", "tokens", "flops", "cache_bytes", "host_seconds", "seconds")
    }
    return dataclasses.replace(
        ModelCost(model="all", kind="", on_gpu={name: sum(one.on_gpu[name] for one in of) for name in GPUS}, **sums),
        failed=tuple(reason for one in of for reason in one.failed),
    )
