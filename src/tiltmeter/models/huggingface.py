"""Loading from Hugging Face: a hub name or a folder becomes a model and its tokenizer. The one place that does.

A hub name is first resolved to a folder on this disk (the hub's own cache), so that everything after it knows one case.
Weights come from safetensors; where there is only a `pytorch_model.bin`, torch reads it with `weights_only`, which
builds tensors and nothing else. Code that comes with a model runs only after `trust_remote_code=True`.
"""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from tiltmeter.errors import InputError, ModelError
from tiltmeter.models import named as names
from tiltmeter.models.json_file import read_json

DTYPES = ("float32", "bfloat16", "float16")
# Which of a folder's files decide its vectors, beside the weights.
_SETTINGS = (
    "config.json",
    "tokenizer*.json",
    "vocab*",
    "merges.txt",
    "special_tokens_map.json",
    "added_tokens.json",
    "*.model",
    "modules.json",
    "sentence_*_config.json",
    "config_sentence_transformers.json",
)
_SAFETENSORS = ("model.safetensors", "model.safetensors.index.json", "model-*-of-*.safetensors")
_TORCH = ("pytorch_model.bin", "pytorch_model.bin.index.json", "pytorch_model-*-of-*.bin")
# The folders of a sentence-transformers model.
_MODULES = tuple(f"[0-9]_*/{name}" for name in ("*.json", "*.txt", "*.model", "model.safetensors", "pytorch_model.bin"))
# A tokenizer that knows no limit gives a number of thirty digits.
_NO_LIMIT = 10**9


def require() -> None:
    """Fail with what to do where PyTorch or transformers is missing."""
    try:
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise ModelError(
            f"language models need PyTorch and transformers ({error}). Install them: pip install 'tiltmeter[lm]'"
        ) from None


@contextmanager
def quiet() -> Iterator[None]:
    """No bars and no remarks of transformers while it loads: what they warn of is checked here, and is an error."""
    from transformers.utils import logging as untyped

    logging: Any = untyped
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def folder_of(name: str, *, revision: str | None = None, trust_remote_code: bool = False) -> Path:
    """The folder that a path or a hub name stands for; a hub name is downloaded unless the hub's cache has it."""
    if (place := names.path_of(name)).is_dir():
        return place
    if place.is_file() and str(place) != name:
        raise ModelError(f"{name} is one file, not the folder of a transformers model. Leave out the kind.")
    from huggingface_hub import snapshot_download

    code = ("*.py",) if trust_remote_code else ()

    def fetch(*patterns: str) -> Path:
        try:
            return Path(snapshot_download(name, revision=revision, allow_patterns=[*patterns]))
        except Exception as error:
            partial = getattr(error, "snapshot_path", None)
            if partial and (Path(partial) / "config.json").is_file():
                return Path(partial)  # not reachable, but what is here may do: what is missing will be named
            at = f" at revision {revision!r}" if revision else ""
            raise ModelError(
                f"{name!r}{at} is neither a folder here nor in the local Hugging Face cache, and the hub did not give "
                f"it ({_first_line(error)}). Check the name; where there is no internet, download the model "
                f"elsewhere (hf download {name}) and give the path of its folder."
            ) from error

    folder = fetch(*_SETTINGS, *_MODULES, *_SAFETENSORS, *code)
    if not any(any(folder.glob(pattern)) for pattern in (*_SAFETENSORS, "0_*/*.safetensors", "0_*/*.bin")):
        folder = fetch(*_SETTINGS, *_TORCH)
    return folder


def weight_files(folder: Path) -> tuple[Path, ...]:
    """The files that hold a folder's weights: one, or the shards of an index; safetensors before torch's format."""
    for single, index in (_SAFETENSORS[:2], _TORCH[:2]):
        if (folder / single).is_file():
            return (folder / single,)
        if (folder / index).is_file():
            shards = read_json(folder / index).get("weight_map")
            if not isinstance(shards, dict) or not all(isinstance(shard, str) for shard in shards.values()):
                raise InputError("has no table 'weight_map' of file names.", where=folder / index)
            files = sorted(set(shards.values()))
            for file in files:
                if Path(file).name != file or not (folder / file).is_file():
                    raise InputError(
                        f"names the file {file!r}, which is not in its folder.",
                        where=folder / index,
                        hint="Download the model again, with all its parts.",
                    )
            return (folder / index, *(folder / file for file in files))
    raise ModelError(
        f"{folder}: there are no weights: none of {', '.join((*_SAFETENSORS[:2], *_TORCH[:2]))}. "
        "Weights for TensorFlow, Flax or ONNX cannot be read; save the model with save_pretrained."
    )


def fingerprint(root: Path, folders: Iterable[Path]) -> str:
    """SHA-256 over the content of every file that decides the vectors: configuration, tokenizer, weights."""
    digest = hashlib.sha256()
    for folder in folders:
        files = {file for file in folder.iterdir() if any(fnmatch(file.name, pattern) for pattern in _SETTINGS)}
        files.update(weight_files(folder) if _has_weights(folder) else ())
        for file in sorted(files):
            stat = file.stat()
            content = _sha256(file.resolve(), stat.st_size, stat.st_mtime_ns)
            digest.update(f"{file.relative_to(root).as_posix()}\0{content}\n".encode())
    return digest.hexdigest()


def _has_weights(folder: Path) -> bool:
    return any(any(folder.glob(pattern)) for pattern in (*_SAFETENSORS, *_TORCH))


@functools.lru_cache(maxsize=256)
def _sha256(file: Path, size: int, mtime: int) -> str:  # noqa: ARG001 - size and time are the key of the cache
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def pick_device(device: str | None) -> Any:
    """The device asked for; otherwise a GPU when there is one."""
    import torch

    if device is None:
        device = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    try:
        picked = torch.device(device)
        torch.empty(1, device=picked)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise ModelError(f"the device {device!r} cannot be used ({_first_line(error)}). Try 'cpu' or 'cuda'.") from None
    return picked


def open_tokenizer(folder: Path, *, trust_remote_code: bool = False) -> Any:
    from transformers import AutoTokenizer

    with quiet(), named(folder, "tokenizer"):
        tokenizer = AutoTokenizer.from_pretrained(str(folder), trust_remote_code=trust_remote_code)
    if not len(tokenizer):
        raise ModelError(f"{folder}: its tokenizer has no vocabulary. Save the tokenizer beside the model.")
    return tokenizer


def open_config(folder: Path, *, trust_remote_code: bool = False) -> Any:
    from transformers import AutoConfig

    with quiet(), named(folder, "configuration"):
        return AutoConfig.from_pretrained(str(folder), trust_remote_code=trust_remote_code)


def padding_id(tokenizer: Any, model: Any) -> int:
    """RoBERTa counts positions over all tokens that are not its own padding: that one first."""
    for padding in (getattr(model.config, "pad_token_id", None), tokenizer.pad_token_id):
        if isinstance(padding, int) and padding >= 0:
            return padding
    return 0  # of no consequence: the attention mask hides it


def open_model(
    folder: Path,
    *,
    auto: str = "AutoModel",
    dtype: str = "float32",
    device: Any = "cpu",
    trust_remote_code: bool = False,
) -> Any:
    """The model in a folder, by one of transformers' Auto classes, ready to be asked (no dropout, no gradients).

    Every weight that takes part must come from the file: transformers would fill a gap with random numbers.
    """
    import torch
    import transformers

    check_dtype(dtype)
    safetensors = weight_files(folder)[0].name.startswith("model.safetensors")
    # A gap (such as a pooler, which is not used) is filled at random: not at the cost of the caller's seed.
    with quiet(), named(folder, "model"), torch.random.fork_rng(devices=[]):
        config = transformers.AutoConfig.from_pretrained(str(folder), trust_remote_code=trust_remote_code)
        config._attn_implementation = None  # a configuration may name a kernel to download: not without being asked
        model, info = getattr(transformers, auto).from_pretrained(
            str(folder),
            config=config,
            dtype=getattr(torch, dtype),
            use_safetensors=safetensors,
            weights_only=True,
            trust_remote_code=trust_remote_code,
            output_loading_info=True,
        )
    check_complete(folder, model, info)
    return model.eval().requires_grad_(False).to(device)


def check_dtype(dtype: str) -> None:
    if dtype not in DTYPES:
        raise ModelError(f"no precision is called {dtype!r}. Choose one of: {', '.join(DTYPES)}.")


def check_complete(place: Path, model: Any, info: Mapping[str, Any]) -> None:
    """Fail if weights that take part were not in the file; `info` is what transformers says of loading it."""
    missing = sorted(key for key in info["missing_keys"] if "pooler" not in key.split("."))
    if missing:
        raise ModelError(
            f"{place}: {len(missing)} weights of its {type(model).__name__} are not in the file "
            f"({', '.join(missing[:3])}{', ...' if len(missing) > 3 else ''}); they would be random. "
            "Is it the checkpoint of another kind of model?"
        )


def length_limit(tokenizer: Any, model: Any) -> int | None:
    """How many tokens the model can take, special ones included; None where it has no limit of its own."""
    import torch

    limits = [tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", None)]
    for name, module in model.named_modules():
        # RoBERTa and its kin count positions from the one after the padding's: a table of 514 takes 512 tokens.
        if name.endswith("position_embeddings") and isinstance(module, torch.nn.Embedding):
            unused = 0 if module.padding_idx is None else module.padding_idx + 1
            limits.append(module.num_embeddings - unused)
    known = [int(limit) for limit in limits if limit and 0 < limit < _NO_LIMIT and math.isfinite(limit)]
    return min(known, default=None)


@contextmanager
def named(folder: Path, what: str) -> Iterator[None]:
    """Whatever transformers says of a bad folder becomes an error of ours that names it."""
    try:
        yield
    except Exception as error:
        hint = ""
        if "trust_remote_code" in str(error):
            hint = " It brings its own code, which is never run unasked: read it, then pass trust_remote_code=True."
        elif "weights_only" in str(error).casefold():
            hint = " Its weights are a pickle that would run code; ask for safetensors."
        raise ModelError(f"{folder}: the {what} cannot be loaded ({_first_line(error)}).{hint}") from error


def _first_line(error: BaseException) -> str:
    text = str(error).strip()
    return (text.splitlines()[0][:300].rstrip(".") if text else "") or type(error).__name__
