"""Models without weights: they take the same texts as the real ones, and count them.

What a run computes is decided by tokenizers, templates and word lists, not by weights. So a model whose body is
replaced by a small table of random vectors goes through the same batches as the real one, in seconds; what the real one
would have cost follows from its shape, which PyTorch works out without memory (the "meta" device).

    FLOPs = Σ over texts of n tokens (a·n + b·n²) + states · 2 · width · vocabulary

a and b are from what PyTorch counts at two lengths.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltmeter.models import gguf_file, huggingface

_ROWS = 997  # of the table: which vector a token gets is of no consequence
_WIDTH = 8  # of a language model's states, so that all the vocabulary is soon multiplied
_LENGTHS = (8, 24)


@dataclass
class Counts:
    """What has gone through one model. Tokens are positions, padding included, as that is what is computed."""

    texts: int = 0  # one a row of a batch
    tokens: int = 0
    squares: int = 0  # Σ n² over texts, for attention
    batches: int = 0
    states: int = 0  # positions at which the vocabulary was asked for
    parameters: int = 0
    layers: int = 0
    width: int = 0
    own_width: int = 0  # of the states that the hollow model gave
    per_token: float = 0.0
    per_square: float = 0.0
    per_state: float = 0.0
    seconds: float = 0.0  # that the hollow model itself took

    @property
    def flops(self) -> float:
        return self.tokens * self.per_token + self.squares * self.per_square + self.states * self.per_state


@contextmanager
def hollow(*, full_width: bool = False) -> Iterator[list[Counts]]:
    """Inside, every transformer that is opened is hollow; what each has counted is in the list.

    `full_width`: states as wide as the model's own, for a projection that is fitted to them.
    """
    opened: list[Counts] = []
    real, real_gguf = huggingface.open_model, gguf_file.open_gguf

    def open_model(
        folder: Path,
        *,
        auto: str = "AutoModel",
        dtype: str = "float32",
        device: Any = "cpu",  # noqa: ARG001 - a hollow model is small
        trust_remote_code: bool = False,
    ) -> Any:
        huggingface.check_dtype(dtype)
        begun = time.perf_counter()
        config = huggingface.open_config(folder, trust_remote_code=trust_remote_code)
        opened.append(Counts())
        return _timed(begun, _hollow(config, auto, opened[-1], full_width=full_width), opened[-1])

    def open_gguf(path: Path, *, dtype: str = "float32", device: Any = "cpu") -> tuple[Any, Any]:  # noqa: ARG001
        import transformers as untyped

        transformers: Any = untyped
        begun = time.perf_counter()
        place = {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}
        with huggingface.quiet(), huggingface.named(path, "tokenizer"):
            tokenizer = transformers.AutoTokenizer.from_pretrained(**place)
            config = transformers.AutoConfig.from_pretrained(**place)
        opened.append(Counts())
        model = _hollow(config, "AutoModelForCausalLM", opened[-1], full_width=full_width)
        return _timed(begun, model, opened[-1]), tokenizer

    huggingface.open_model, gguf_file.open_gguf = open_model, open_gguf
    try:
        yield opened
    finally:
        huggingface.open_model, gguf_file.open_gguf = real, real_gguf


def _timed(begun: float, model: Any, counts: Counts) -> Any:
    counts.seconds += time.perf_counter() - begun
    return model


def _hollow(config: Any, auto: str, counts: Counts, *, full_width: bool) -> Any:
    import torch

    shape = _shape(config, auto)
    _measure(shape, counts)
    head = shape.get_output_embeddings() if auto != "AutoModel" else None
    counts.own_width = counts.width if head is None or full_width else _WIDTH
    generator = torch.Generator().manual_seed(0)
    table = torch.randn(_ROWS, counts.own_width, generator=generator)

    class Body(torch.nn.Module):
        def forward(self, input_ids: Any, target_mapping: Any = None, **_other: Any) -> Any:
            from transformers.modeling_outputs import BaseModelOutput

            hidden = table[input_ids % _ROWS]
            if target_mapping is not None:  # of a model that permutes: it gives the positions asked for alone
                hidden = target_mapping.to(hidden.dtype) @ hidden
            return BaseModelOutput(last_hidden_state=hidden, hidden_states=(hidden,) * (counts.layers + 1))

    class Hollow(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.config, self.dtype, self.device = shape.config, torch.float32, torch.device("cpu")
            self.shape = shape  # whose modules say how long a text may be
            self.base_model = Body()
            self.head = None
            if head is not None:
                self.head = torch.nn.Linear(counts.own_width, head.weight.shape[0], bias=False)
                torch.nn.init.normal_(self.head.weight, generator=generator)

        def get_output_embeddings(self) -> Any:
            return self.head

        def get_encoder(self) -> Any:
            return self

        def forward(self, *inputs: Any, **named: Any) -> Any:
            begun = time.perf_counter()
            signature.bind(*inputs, **named)  # what the real one does not take is not taken
            ids = named["input_ids"]
            counts.texts += len(ids)
            counts.tokens += ids.numel()
            counts.squares += ids.numel() * ids.shape[1]
            counts.batches += 1
            output = self.base_model(**named)
            if self.head is not None:
                hidden = output.last_hidden_state
                counts.states += hidden.numel() // hidden.shape[-1]
                output["logits"] = self.head(hidden)
                output.logits = output["logits"]
            counts.seconds += time.perf_counter() - begun
            return output

    model = Hollow().eval().requires_grad_(False)
    signature = inspect.signature(shape.forward)
    body = shape if head is None else shape.base_model
    for module, of in ((model, shape), (model.base_model, body)):
        module.forward = _signed(module.forward, inspect.signature(of.forward))  # type: ignore[method-assign]
    return model


def _signed(function: Any, signature: inspect.Signature) -> Any:
    def signed(*inputs: Any, **named: Any) -> Any:
        return function(*inputs, **named)

    signed.__signature__ = signature  # type: ignore[attr-defined]
    return signed


def _shape(config: Any, auto: str) -> Any:
    """The real model without memory."""
    import torch
    import transformers

    config._attn_implementation = "eager"  # whose products can be counted
    with huggingface.quiet(), torch.random.fork_rng(devices=[]), torch.device("meta"):
        return getattr(transformers, auto).from_config(config).eval()


def _measure(shape: Any, counts: Counts) -> None:
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    config = shape.config.get_text_config()
    counts.parameters = sum(parameter.numel() for parameter in shape.parameters())
    counts.layers = int(config.num_hidden_layers)
    counts.width = int(getattr(config, "hidden_size", 0) or config.d_model)
    head = shape.get_output_embeddings()
    body = shape.base_model if head is not None else shape
    body = body.get_encoder() if shape.config.is_encoder_decoder else body
    embedded = sum(module.weight.numel() for module in body.modules() if isinstance(module, torch.nn.Embedding))
    try:
        found = []
        for length in _LENGTHS:
            with FlopCounterMode(display=False) as counter, torch.inference_mode():
                body(input_ids=torch.zeros((1, length), dtype=torch.int64, device="meta"))
            found.append(counter.get_total_flops())
        short, long = _LENGTHS
        counts.per_square = max(found[1] / long - found[0] / short, 0.0) / (long - short)
        counts.per_token = found[0] / short - counts.per_square * short
    except Exception:  # a model that looks at its numbers as it goes, such as a mixture of experts
        counts.per_token = 2.0 * (sum(parameter.numel() for parameter in body.parameters()) - embedded)
    if head is not None:
        counts.width = int(head.weight.shape[1])
        counts.per_state = 2.0 * head.weight.numel()
