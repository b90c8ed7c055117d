"""Folders of the sentence-transformers library: a transformer, its pooling, and what follows it.

A small reader of our own: `modules.json` lists the modules, each with a class name (compared, never imported) and a
folder. Known are Transformer, Pooling, Normalize, Dense and Dropout (which does nothing here).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltmeter.errors import InputError, ModelError
from tiltmeter.models.huggingface import weight_files
from tiltmeter.models.json_file import read_json, read_json_value
from tiltmeter.models.pooling import FOLDER_POOLINGS


@dataclass(frozen=True, slots=True)
class Step:
    """What is done to a sentence vector after the pooling; `apply` takes and gives tensors of torch."""

    name: str
    apply: Callable[[Any], Any]


# In the order in which several are joined into one long vector.
_POOLINGS = {
    "pooling_mode_cls_token": "first",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len",
    "pooling_mode_weightedmean_tokens": "weighted_mean",
    "pooling_mode_lasttoken": "last",
}
_POOLING_NAMES = {key.removeprefix("pooling_mode_").removesuffix("_tokens"): name for key, name in _POOLINGS.items()}
_POOLING_NAMES |= {"cls": "first"}
_ACTIVATIONS = ("Identity", "Tanh", "ReLU", "GELU", "Sigmoid")


@dataclass(frozen=True, slots=True)
class Pipeline:
    """What the folder says of how a text becomes a vector."""

    transformer: Path
    poolings: tuple[str, ...]
    steps: tuple[Step, ...]
    folders: tuple[Path, ...]  # where its files lie
    max_tokens: int | None
    lower_case: bool


def is_pipeline(folder: Path) -> bool:
    return (folder / "modules.json").is_file()


def read_pipeline(folder: Path) -> Pipeline:
    file = folder / "modules.json"
    modules = [(kind, _inside(folder, path, file)) for kind, path in _modules(file)]
    kinds = [kind for kind, _ in modules]
    if kinds[:2] != ["Transformer", "Pooling"]:
        raise InputError(
            f"begins with the modules {', '.join(kinds[:2]) or '(none)'}.",
            where=file,
            hint="Only models that begin with Transformer and Pooling can be read.",
        )
    _refuse_prompt(folder / "config_sentence_transformers.json")
    transformer = modules[0][1]
    settings = [read_json(path) for path in sorted(transformer.glob("sentence_*_config.json"))]
    max_tokens = next((entry["max_seq_length"] for entry in settings if entry.get("max_seq_length")), None)
    if max_tokens is not None and (not isinstance(max_tokens, int) or max_tokens < 1):
        raise InputError(f"max_seq_length is {max_tokens!r}, not a number of tokens.", where=transformer)
    steps = [_step(kind, path, file) for kind, path in modules[2:]]
    return Pipeline(
        transformer=transformer,
        poolings=_poolings(modules[1][1] / "config.json"),
        steps=tuple(step for step in steps if step is not None),
        folders=tuple(dict.fromkeys([folder, *(path for _, path in modules if path.is_dir())])),
        max_tokens=max_tokens,
        lower_case=any(entry.get("do_lower_case") is True for entry in settings),
    )


def _modules(file: Path) -> list[tuple[str, str]]:
    entries = read_json_value(file)
    if not isinstance(entries, list) or not all(
        isinstance(entry, dict) and isinstance(entry.get("type"), str) and isinstance(entry.get("path"), str)
        for entry in entries
    ):
        raise InputError(
            "should hold a list of modules, each with 'type' and 'path'.", where=file, hint="Download the model again."
        )
    return [(entry["type"].rpartition(".")[2], entry["path"]) for entry in entries]


def _inside(folder: Path, path: str, file: Path) -> Path:
    if "\0" not in path and (folder / path).resolve().is_relative_to(folder.resolve()):
        return folder / path
    raise InputError(
        f"the path {path!r} of a module leads out of the model's folder.",
        where=file,
        hint="A module's folder must lie inside it.",
    )


def _refuse_prompt(file: Path) -> None:
    name = read_json(file).get("default_prompt_name") if file.is_file() else None
    if name is not None:
        raise ModelError(
            f"{file}: the model puts a prompt of its own ({name!r}) before every text, which Tiltmeter does not do. "
            "Give the folder without modules.json to use it as a plain encoder."
        )


def _poolings(file: Path) -> tuple[str, ...]:
    config = read_json(file)
    chosen = [name for key, name in _POOLINGS.items() if config.get(key) is True]
    if not chosen and (named := config.get("pooling_mode")):
        names = named if isinstance(named, list) else [named]
        found = {_POOLING_NAMES.get(name) for name in names if isinstance(name, str)}
        chosen = [] if None in found else [name for name in FOLDER_POOLINGS if name in found]
    if not chosen:
        raise InputError(
            "names no pooling that is known.", where=file, hint=f"Known are: {', '.join(sorted(_POOLING_NAMES))}."
        )
    return tuple(chosen)


def _step(kind: str, path: Path, file: Path) -> Step | None:
    if kind == "Normalize":
        import torch

        return Step(kind, lambda vectors: torch.nn.functional.normalize(vectors, dim=-1))
    if kind == "Dense":
        return _dense(path)
    if kind == "Dropout":
        return None
    raise InputError(
        f"the module {kind!r} is not known.",
        where=file,
        hint="Known after the pooling are Dense, Normalize and Dropout. Compute the vectors with "
        "sentence-transformers, and give them as a file of texts and vectors (precomputed).",
    )


def _dense(folder: Path) -> Step:
    """y = f(W x + b)."""
    import torch
    from safetensors.torch import load_file

    config = read_json(folder / "config.json")
    activation = str(config.get("activation_function", "Tanh")).rpartition(".")[2]
    if activation not in _ACTIVATIONS:
        raise InputError(
            f"the activation {activation!r} is not known.",
            where=folder / "config.json",
            hint=f"Known are: {', '.join(_ACTIVATIONS)}.",
        )
    for key in ("module_input_name", "module_output_name"):
        if config.get(key) not in (None, "sentence_embedding"):
            raise InputError(f"{key} is {config[key]!r}: only sentence vectors are read.", where=folder / "config.json")
    file = weight_files(folder)[0]
    try:
        if file.suffix == ".safetensors":
            tensors = load_file(file)
        else:
            tensors = torch.load(file, map_location="cpu", weights_only=True)
        weight = tensors["linear.weight"].float()
        bias = tensors["linear.bias"].float() if "linear.bias" in tensors else None
        if weight.shape != (config.get("out_features"), config.get("in_features")) or weight.ndim != 2:
            raise ValueError(f"the weights have the shape {tuple(weight.shape)}")
    except Exception as error:
        raise ModelError(f"{file}: the Dense module cannot be loaded ({error}). Download the model again.") from error
    function = getattr(torch.nn, activation)()
    return Step("Dense", lambda vectors: function(torch.nn.functional.linear(vectors, weight, bias)))
