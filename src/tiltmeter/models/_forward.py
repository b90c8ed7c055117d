"""One forward pass that keeps only the positions that are asked for.

The state at a position is the vector that enters the output embedding there; its product with a token's row of
weights, plus the token's bias, is the token's logit. It is found in the same way for every architecture: a hook after
the model's body keeps the wanted positions, so that the model's own head runs there alone, and a hook before the output
embedding takes the state. That this gives the model's own logits is checked once, when the model is opened.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import ModelError
from tiltmeter.models.projection import Projection

# Logits held at once, in float32.
_LOGITS = 1 << 25
# How far logits computed from the state may be off the model's own, by the precision that the model computes in.
_TOLERANCE = {"float32": 1e-3, "bfloat16": 0.2, "float16": 0.05}

Ids = Sequence[int]


@dataclass(frozen=True, slots=True)
class Batch:
    """Texts of about the same length, and which positions of them are read (row by row, from the left)."""

    ids: NDArray[np.int64]  # texts × longest, padded on the right
    lengths: NDArray[np.int64]
    rows: NDArray[np.int64]  # the text of each read position
    positions: NDArray[np.int64]


class Launched:
    """Arrays on their way from the device; `result` waits for them."""

    def __init__(self, *arrays: Any) -> None:
        import torch

        self._event: Any = None
        self._arrays = arrays
        if arrays[0].device.type == "cuda":
            self._arrays = tuple(
                torch.empty(array.shape, dtype=array.dtype, pin_memory=True).copy_(array, non_blocking=True)
                for array in arrays
            )
            cuda: Any = torch.cuda
            self._event = cuda.Event()
            self._event.record()

    def result(self) -> list[NDArray[np.float32]]:
        if self._event is not None:
            self._event.synchronize()
        return [array.cpu().numpy() for array in self._arrays]


class Forward:
    """A language model, reduced to ids and positions in, states and log-partitions out.

    `mask_id` is the mask of a masked model, None for a causal one. `token_types` says which special tokens have a
    segment other than 0.
    """

    def __init__(
        self,
        name: str,
        model: Any,
        *,
        mask_id: int | None = None,
        padding: int = 0,
        token_types: Mapping[int, int] | None = None,
    ) -> None:
        self.name = name
        self.model, self._body = model, model.base_model
        self._output = model.get_output_embeddings()
        if self._body is model or self._output is None or getattr(self._output, "weight", None) is None:
            raise ModelError(
                f"{name}: a {type(model).__name__} has no output embedding over a vocabulary, so that it cannot say "
                "how likely a word is. Give a model with a masked or causal language modelling head."
            )
        self.weight = self._output.weight.detach().float()
        bias = getattr(self._output, "bias", None)
        self.bias = None if bias is None else bias.detach().float()
        self.vocabulary, self.width = self.weight.shape
        self.device = self.weight.device
        # Gemma 2 bends its logits: c · tanh(logit / c).
        cap = getattr(model.config.get_text_config(), "final_logit_softcapping", None)
        self._cap = float(cap) if cap else None
        self._removed: Any = None
        self._mask_id, self._padding = mask_id, padding
        accepted = set(inspect.signature(model.forward).parameters)
        # A model that permutes (XLNet) sees the content of every position unless told not to, that of a blank included.
        self.permutes = mask_id is not None and {"perm_mask", "target_mapping"} <= accepted
        self._types = {token: kind for token, kind in (token_types or {}).items() if kind}
        if "token_type_ids" not in accepted:
            self._types = {}
        self._options: dict[str, Any] = {
            option: False for option in ("use_cache", "use_mems") if option in accepted | _parameters(self._body)
        }

    def launch(self, batch: Batch) -> Launched:
        """Begin to compute the states of a batch; on a GPU this does not wait for them."""
        import torch

        with torch.inference_mode():
            states = self._projected(self.states(batch))
            return Launched(states, self.log_partition(states))

    def project(self, projection: Projection) -> None:
        """From now on, take what lies along its directions out of every state that is launched."""
        import torch

        if projection.at != "blank" or projection.directions.shape[1] != self.width:
            raise ModelError(
                f"{self.name}: its states have {self.width} numbers and are read at blanks; this projection is for "
                f"vectors of {projection.directions.shape[1]}, at the {projection.at}. Make one for this model with "
                "`tiltmeter debias MODEL --at blank`."
            )
        self._removed = torch.from_numpy(projection.directions.copy()).to(self.device)

    def _projected(self, states: Any) -> Any:
        return states if self._removed is None else states - (states @ self._removed.T) @ self._removed

    def room(self, rows: int) -> Any:
        """A tensor for so many states in this machine's memory, from which they get to the device quickly."""
        import torch

        return torch.empty((rows, self.width), dtype=torch.float32, pin_memory=self.device.type == "cuda")

    def logits(self, states: Any, tokens: Any = None) -> Any:
        """Logits of all tokens, or of those named, in float32. Tensors on the model's device."""
        import torch

        weight = self.weight if tokens is None else self.weight[tokens]
        bias = self.bias if tokens is None or self.bias is None else self.bias[tokens]
        return self._bent(torch.nn.functional.linear(states, weight, bias))

    def logits_of(self, states: Any, tokens: Any) -> Any:
        """The logit of one token for each state."""
        logits = (states * self.weight[tokens]).sum(-1)
        return self._bent(logits if self.bias is None else logits + self.bias[tokens])

    def _bent(self, logits: Any) -> Any:
        return logits if self._cap is None else self._cap * (logits / self._cap).tanh()

    def log_partition(self, states: Any) -> Any:
        """log Σ exp(logit) over the vocabulary, in float32, a few rows at a time."""
        import torch

        rows = max(_LOGITS // self.vocabulary, 1)
        parts = [torch.logsumexp(self.logits(part), dim=-1) for part in states.split(rows)]
        return torch.cat(parts) if parts else states.new_empty(0)

    def check(self, ids: Ids, position: int) -> None:
        """Compare with what the model itself says of `ids` at `position`, when nothing of it is cut away."""
        import torch

        probe = Batch(*(np.array(array, dtype=np.int64) for array in ([ids], [len(ids)], [0], [position])))
        dtype = str(self._output.weight.dtype).removeprefix("torch.")
        with torch.inference_mode():
            try:
                output = self.model(**self._inputs(probe), **self._options, return_dict=True)
            except RuntimeError as error:
                if dtype == "float32" or "scalar type" not in str(error):
                    raise
                raise ModelError(
                    f"{self.name}: a {type(self.model).__name__} cannot compute in {dtype} ({error}). "
                    "Use dtype='float32'."
                ) from error
            own = output.logits[0, 0 if self.permutes else position].float()
            logits = self.logits(self.states(probe))[0]
        difference = float((logits - own).abs().max()) if logits.shape == own.shape else float("inf")
        if not difference <= _TOLERANCE.get(dtype, 1e-3) * max(1.0, float(own.abs().max())):
            raise ModelError(
                f"{self.name}: the logits of a {type(self.model).__name__} are not its output embedding times one "
                f"vector (they differ by {difference:.3g}), so that words cannot be scored from stored states. This "
                "architecture is not supported; please report it."
            )

    def states(self, batch: Batch, **more: Any) -> Any:
        """The state at each read position; `more` are arguments for the model. A tensor on its device, in float32."""
        captured: list[Any] = []
        kept: list[bool] = []
        rows, positions = self._upload(batch.rows), self._upload(batch.positions)

        def keep(_module: Any, _arguments: Any, output: Any) -> Any:
            kept.append(True)
            hidden = output.last_hidden_state
            if self.permutes:  # it has computed nothing but the positions asked for
                output.last_hidden_state = hidden[rows, self._upload(_rank(batch.rows))].unsqueeze(1)
            else:
                output.last_hidden_state = hidden[rows, positions].unsqueeze(1)
            return output

        def take(_module: Any, arguments: Any) -> Any:
            hidden = arguments[0]
            # OPT's head calls a part of the body only, past the hook above.
            captured.append(hidden if kept else hidden[rows, positions].unsqueeze(1))
            return (arguments[0][:0], *arguments[1:])  # the logits are computed from the states, in float32

        with _hooked(self._body.register_forward_hook(keep), self._output.register_forward_pre_hook(take)):
            self.model(**self._inputs(batch), **(self._options | more), return_dict=True)
        if len(captured) != 1 or captured[0].shape != (len(batch.rows), 1, self.width):
            raise ModelError(
                f"{self.name}: the head of a {type(self.model).__name__} does not go through its output embedding once "
                "for each position. This architecture is not supported; please report it."
            )
        return captured[0].squeeze(1).float()

    def _inputs(self, batch: Batch) -> dict[str, Any]:
        longest = batch.ids.shape[1]
        inputs: dict[str, NDArray[Any]] = {"input_ids": batch.ids}
        if batch.lengths.min() < longest:
            inputs["attention_mask"] = (np.arange(longest) < batch.lengths[:, None]).astype(np.int64)
        if self._types:
            types = np.zeros_like(batch.ids)
            for token, kind in self._types.items():
                types[batch.ids == token] = kind
            inputs["token_type_ids"] = types
        if self.permutes:
            blanks = batch.ids == self._mask_id
            blanks[batch.rows, batch.positions] = True
            inputs["perm_mask"] = np.repeat(blanks[:, None, :], longest, axis=1).astype(np.float32)
            rank = _rank(batch.rows)
            mapping = np.zeros((len(batch.ids), int(rank.max()) + 1, longest), dtype=np.float32)
            mapping[batch.rows, rank, batch.positions] = 1
            inputs["target_mapping"] = mapping
        uploaded = {key: self._upload(array) for key, array in inputs.items()}
        return {
            key: tensor.to(self.model.dtype) if tensor.is_floating_point() else tensor
            for key, tensor in uploaded.items()
        }

    def padded(self, flat: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
        """Texts that stand one after the other in `flat` as rows of one array."""
        longest = int(lengths.max())
        ids = np.full((len(lengths), longest), self._padding, dtype=np.int64)
        ids[np.arange(longest) < lengths[:, None]] = flat
        return ids

    def _upload(self, array: NDArray[Any]) -> Any:
        import torch

        tensor = torch.from_numpy(array)
        return (
            tensor.pin_memory().to(self.device, non_blocking=True)
            if self.device.type == "cuda"
            else tensor.to(self.device)
        )


def _rank(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Which of its text's read positions each is: rows 0 0 0 1 1 have ranks 0 1 2 0 1."""
    begins = np.flatnonzero(np.diff(rows, prepend=-1))
    ranks: NDArray[np.int64] = np.arange(len(rows)) - np.repeat(begins, np.diff(begins, append=len(rows)))
    return ranks


def _parameters(module: Any) -> set[str]:
    return set(inspect.signature(module.forward).parameters)


@contextmanager
def _hooked(*handles: Any) -> Iterator[None]:
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
