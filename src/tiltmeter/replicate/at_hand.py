"""Which model a replication runs on: the one given, the one of the source if it is on this machine, or the demo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.replicate.source import Source


@dataclass(frozen=True, slots=True)
class Chosen:
    """Models, and what a reader must be told of them."""

    models: tuple[str, ...]
    told: str = ""


def choose(source: Source, given: Sequence[str], data: Path | None) -> Chosen:
    """The models to run on. Nothing is fetched: what is not here is said not to be."""
    if given:
        return Chosen(tuple(given), f"Published figures are of {', '.join(source.weights)}; measured on what you gave.")
    if data is not None and source.data_is_model:
        return Chosen((str(data),))
    here = [name for name in source.weights if _is_here(name)]
    if here:
        absent = [name for name in source.weights if name not in here and "." not in name]
        return Chosen(
            tuple(here[:1]) if source.data_is_model else tuple(here),
            f"Not on this machine, and left out: {', '.join(absent)}." if absent else "",
        )
    return Chosen(
        (source.demo,),
        f"DEMO: the weights of the source ({', '.join(source.weights)}) are not on this machine. What follows was "
        f"measured on {source.demo}, a small model of our own, and is not expected to agree. --model names yours.",
    )


def _is_here(name: str) -> bool:
    """A file in this folder, or a model in the Hugging Face cache."""
    if Path(name).exists():
        return True
    try:
        from huggingface_hub import try_to_load_from_cache
    except ModuleNotFoundError:
        return False
    weights = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin")
    if Path(name).suffix:  # a file of vectors
        return False
    return isinstance(try_to_load_from_cache(name, "config.json"), str) and any(
        isinstance(try_to_load_from_cache(name, file), str) for file in weights
    )
