"""GGUF files: a causal model and its tokenizer in one file, most often with quantised weights.

transformers knows how such a file maps to its models; here it is checked, and its weights are unpacked to full
precision.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import struct
from pathlib import Path
from typing import Any

from tiltmeter.errors import InputError, ModelError
from tiltmeter.models import huggingface, named

SUFFIX = ".gguf"
_HEADER = struct.Struct("<4sIQQ")  # magic, version, numbers of tensors and of settings
_VERSIONS = (2, 3)
_SMALLEST = 13  # bytes that an entry of the header takes at least


def is_gguf(path: str | Path) -> bool:
    """Whether a path, or what a name of ours stands for, is called like a GGUF file."""
    return named.path_of(path).suffix.lower() == SUFFIX


def open_gguf(path: Path, *, dtype: str = "float32", device: Any = "cpu") -> tuple[Any, Any]:
    """The model in a GGUF file, ready to be asked, and its tokenizer."""
    import torch

    tensors = _checked_header(path)
    _require()
    import transformers as untyped
    from transformers.modeling_gguf_pytorch_utils import load_gguf_checkpoint as untyped_load

    transformers: Any = untyped
    load_checkpoint: Any = untyped_load
    huggingface.check_dtype(dtype)
    place = {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}
    silence = contextlib.redirect_stderr(io.StringIO())  # its bar does not ask whether it is wanted
    with huggingface.quiet(), huggingface.named(path, "model"), torch.random.fork_rng(devices=[]), silence:
        config = transformers.AutoConfig.from_pretrained(**place)
        if config.num_hidden_layers > tensors:
            raise ValueError(f"it has {tensors} tensors for {config.num_hidden_layers} layers: it is damaged")
        with torch.device("meta"):
            shape = transformers.AutoModelForCausalLM.from_config(config)
        weights = load_checkpoint(str(path), return_tensors=True, model_to_load=shape)["tensors"]
        if not all(bool(tensor.isfinite().all()) for tensor in weights.values()):
            raise ValueError("some of its weights are not finite numbers: it is damaged")
        model, info = type(shape).from_pretrained(
            None, config=config, state_dict=weights, dtype=getattr(torch, dtype), output_loading_info=True
        )
    huggingface.check_complete(path, model, info)
    with huggingface.quiet(), huggingface.named(path, "tokenizer"), silence:
        tokenizer = transformers.AutoTokenizer.from_pretrained(**place)
    return model.eval().requires_grad_(False).to(device), tokenizer


def fingerprint(path: Path) -> str:
    """SHA-256 of the file: everything is in it."""
    with named.path_of(path).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _checked_header(path: Path) -> int:
    """The number of tensors, if the file begins as a GGUF file does and can hold what it promises."""
    try:
        with path.open("rb") as stream:
            header = stream.read(_HEADER.size)
        size = path.stat().st_size
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror}).", where=path) from None
    if len(header) < _HEADER.size or not header.startswith(b"GGUF"):
        raise InputError("is not a GGUF file: it does not begin like one.", where=path, hint="Download it again.")
    _, version, tensors, entries = _HEADER.unpack(header)
    if version not in _VERSIONS:
        raise InputError(
            f"is a GGUF file of version {version}; versions {' and '.join(map(str, _VERSIONS))} can be read.",
            where=path,
            hint="Convert it with a current llama.cpp.",
        )
    if not tensors or (int(tensors) + int(entries)) * _SMALLEST > size:
        raise InputError(
            f"promises {tensors} tensors and {entries} settings in {size} bytes: it is damaged.",
            where=path,
            hint="Download it again.",
        )
    return int(tensors)


def _require() -> None:
    try:
        import gguf  # noqa: F401
    except ImportError as error:
        raise ModelError(
            f"a GGUF file needs the package gguf ({error}). Install it: pip install 'tiltmeter[lm]'"
        ) from None
