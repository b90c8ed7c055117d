"""What went through the models of a benchmark, and how fast the machine could have computed it."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tiltmeter.models import huggingface
from tiltmeter.models._forward import Forward

_SIDE = 8192  # of the matrices whose product is the measure


@dataclass
class Ran:
    """Texts and tokens (padding included) that have gone through models, and the operations that these cost.

    FLOPs = Σ over texts of n tokens (2 · weights of the layers · n + 4 · layers · width · n²), the vocabulary left out.
    """

    texts: int = 0
    tokens: int = 0
    flops: float = 0.0
    events: list[tuple[Any, Any]] = field(default_factory=list)  # on a GPU: before and after each batch

    def gpu_seconds(self) -> float:
        """How long the GPU had to do with the batches."""
        import torch

        torch.cuda.synchronize()
        return float(sum(begin.elapsed_time(end) for begin, end in self.events)) / 1000


@contextmanager
def counted() -> Iterator[Ran]:
    """Inside, every transformer that is opened counts what goes through it."""
    ran = Ran()
    real, real_launch = huggingface.open_model, Forward.launch

    def open_counted(*inputs: Any, **named: Any) -> Any:
        model = real(*inputs, **named)
        body = getattr(model, "base_model", model)
        embeddings = sum(one.weight.numel() for one in body.modules() if type(one).__name__ == "Embedding")
        weights = sum(parameter.numel() for parameter in body.parameters()) - embeddings
        layers, width = model.config.num_hidden_layers, model.config.hidden_size

        def count(_module: Any, _inputs: Any, named: dict[str, Any]) -> None:
            rows, length = named["input_ids"].shape
            ran.texts += rows
            ran.tokens += rows * length
            ran.flops += rows * (2.0 * weights * length + 4.0 * layers * width * length**2)

        model.register_forward_pre_hook(count, with_kwargs=True)
        return model

    def launch_timed(forward: Forward, batch: Any) -> Any:
        if forward.device.type != "cuda":
            return real_launch(forward, batch)
        import torch

        cuda: Any = torch.cuda
        begin, end = (cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        launched = real_launch(forward, batch)
        end.record()
        ran.events.append((begin, end))
        return launched

    huggingface.open_model, Forward.launch = open_counted, launch_timed  # type: ignore[method-assign, assignment]
    try:
        yield ran
    finally:
        huggingface.open_model, Forward.launch = real, real_launch  # type: ignore[method-assign]


def matrix_rate(device: str) -> float:
    """FLOPs a second of a large product of random bfloat16 matrices on a GPU: the median of ten, after three."""
    import torch

    left, right = (torch.randn(_SIDE, _SIDE, dtype=torch.bfloat16, device=device) for _ in range(2))
    times = []
    for _ in range(13):
        torch.cuda.synchronize()
        began = time.perf_counter()
        left @ right
        torch.cuda.synchronize()
        times.append(time.perf_counter() - began)
    return 2.0 * _SIDE**3 / statistics.median(times[3:])
