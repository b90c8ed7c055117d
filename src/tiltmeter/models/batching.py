"""Batches by token budget: texts of like length together, and half as many when the memory is full."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tiltmeter.errors import ModelError

Result = TypeVar("Result")
Report = Callable[[int, int], None]  # done, of how many

# On a processor a larger batch is slower: it leaves the cache.
_CPU_TOKENS = 1024
_GPU_TOKENS = (4096, 65_536)  # at least, at most


def token_budget(model: Any, device: Any) -> int:
    """How many tokens (padding included) a first batch may hold, by the memory that the device has free."""
    if device.type != "cuda":
        return _CPU_TOKENS
    import torch

    free, _ = torch.cuda.mem_get_info(device)
    width = getattr(model.config, "hidden_size", 1024)
    layers = getattr(model.config, "num_hidden_layers", 24)
    # A layer holds some forty numbers for each number of a hidden vector; kept hidden states, one each.
    least, most = _GPU_TOKENS
    return int(min(max(free // 2 // (4 * width * (40 + layers)), least), most))


def in_batches(
    lengths: Sequence[int],
    budget: int,
    compute: Callable[[list[int]], Sequence[Result]],
    report: Report = lambda _done, _total: None,
) -> list[Result]:
    """`compute` of all positions, in batches whose longest text times their number stays within `budget`.

    The longest come first, so that too large a budget shows at once; when the memory is full the budget is halved, and
    stays so. Results come in the order of `lengths`, whatever the batches were.
    """
    order = sorted(range(len(lengths)), key=lambda position: -lengths[position])
    results: dict[int, Result] = {}
    while len(results) < len(order):
        rest = order[len(results) :]
        longest = max(lengths[rest[0]], 1)
        batch = rest[: max(budget // longest, 1)]
        computed: Sequence[Result] | None = None
        try:
            computed = compute(batch)
        except RuntimeError as error:
            if not _memory_is_full(error):
                raise
            if len(batch) == 1:
                raise ModelError(
                    f"one text of {longest} tokens does not fit into the memory. Use a smaller model, "
                    "dtype='bfloat16', or device='cpu'."
                ) from error
        if computed is None:
            budget = longest * (len(batch) // 2)
            _release_memory()
            continue
        results.update(zip(batch, computed, strict=True))
        report(len(results), len(order))
    return [results[position] for position in range(len(order))]


def _memory_is_full(error: RuntimeError) -> bool:
    import torch

    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)


def _release_memory() -> None:
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
