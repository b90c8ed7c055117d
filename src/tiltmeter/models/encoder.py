"""Sentence encoders: any Hugging Face encoder or decoder, and folders of sentence-transformers."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import ModelError, did_you_mean
from tiltmeter.lexicon.tests import Passage
from tiltmeter.models import huggingface
from tiltmeter.models.base import Embedded, Vectors
from tiltmeter.models.batching import Report, in_batches, token_budget
from tiltmeter.models.pooling import POOLINGS, cls_position, pool, token_weights
from tiltmeter.models.progress import progress_bar
from tiltmeter.models.sentence_transformers import Pipeline, Step, is_pipeline, read_pipeline
from tiltmeter.models.tokens import Tokens, target_positions, tokenize

# A vector depends on the text, and with a pooling over the target also on where the word stands.
_Key = tuple[str, int, int]


class HuggingFaceEncoder:
    """The vector of a text is a pooling of one of a transformer's hidden layers.

    Texts that are asked for twice are computed once. A text longer than the model can take is lost, never cut; so is
    one whose word the tokenizer does not know.
    """

    def __init__(
        self,
        name: str,
        *,
        tokenizer: Any,
        model: Any,
        folder: Path,
        folders: Sequence[Path] = (),
        poolings: Sequence[str] = ("mean",),
        layer: int = -1,
        dtype: str = "float32",
        max_tokens: int | None = None,
        lower_case: bool = False,
        steps: Sequence[Step] = (),
        tokens_per_batch: int | None = None,
        progress: Report | None = None,
    ) -> None:
        self.name = name
        self._tokenizer, self._model = tokenizer, model
        self._folder, self._folders = folder, tuple(folders) or (folder,)
        self._poolings, self._layer, self._dtype = tuple(poolings), _checked_layer(name, model, layer), dtype
        limits = [limit for limit in (max_tokens, huggingface.length_limit(tokenizer, model)) if limit]
        self._limit = min(limits, default=None)
        self._lower_case, self._steps, self._progress = lower_case, tuple(steps), progress
        self._budget = tokens_per_batch or token_budget(model, model.device)
        accepted = _parameters(model)
        self._takes_types = "token_type_ids" in accepted
        # What a decoder would remember for the next token is of no use here, and larger than the vectors.
        self._options = {option: False for option in ("use_cache", "use_mems") if option in accepted}
        self._known: dict[_Key, NDArray[np.float32]] = {}
        if "cls" in self._poolings and cls_position(tokenize(tokenizer, ["a"])[0], tokenizer.cls_token_id) is None:
            raise ModelError(
                f"{name}: its tokenizer adds no token that stands for the whole text, so there is nothing for the "
                "pooling 'cls' to take (a decoder's first token has seen no other). Use 'last' or 'mean'."
            )

    @classmethod
    def open(
        cls,
        name_or_path: str | Path,
        *,
        name: str | None = None,
        pooling: str | None = None,
        layer: int = -1,
        dtype: str = "float32",
        device: str | None = None,
        revision: str | None = None,
        trust_remote_code: bool = False,
        tokens_per_batch: int | None = None,
        progress: Report | None = None,
    ) -> HuggingFaceEncoder:
        """Load an encoder by its hub name or from its folder.

        `name`: what to call it in tables; by default the hub name, or that of the folder.
        `pooling`: see `tiltmeter.models.pooling`. By default what a sentence-transformers folder says, else `mean`.
        Asked for a pooling, such a folder is a plain encoder: what follows its own (Dense, Normalize) is left out.
        `layer`: 0 is the embedding layer, 1 the first transformer layer, -1 the last.
        `dtype`: of the model; poolings are always computed in float32.
        `device`: by default a GPU when there is one.
        `tokens_per_batch`: by default found from the memory, and halved when that is full.
        `progress(done, total)`: called after each batch, in place of the progress bar.
        """
        if pooling is not None and pooling not in POOLINGS:
            near = did_you_mean(pooling, POOLINGS) or f"There are: {', '.join(POOLINGS)}."
            raise ModelError(f"no pooling is called {pooling!r}. {near}")
        if tokens_per_batch is not None and tokens_per_batch < 1:
            raise ModelError(f"tokens_per_batch is {tokens_per_batch}; it should be 1 or more.")
        huggingface.require()
        picked = huggingface.pick_device(device)
        folder = huggingface.folder_of(str(name_or_path), revision=revision, trust_remote_code=trust_remote_code)
        pipeline = read_pipeline(folder) if is_pipeline(folder) else _plain(folder)
        own = pooling is None
        model = huggingface.open_model(
            pipeline.transformer, dtype=dtype, device=picked, trust_remote_code=trust_remote_code
        )
        if model.config.is_encoder_decoder:
            model = model.get_encoder()
        return cls(
            name or (folder.resolve().name if Path(name_or_path).is_dir() else str(name_or_path)),
            tokenizer=huggingface.open_tokenizer(pipeline.transformer, trust_remote_code=trust_remote_code),
            model=model,
            folder=folder,
            folders=pipeline.folders,
            poolings=pipeline.poolings if pooling is None else (pooling,),
            layer=layer,
            dtype=dtype,
            max_tokens=pipeline.max_tokens,
            lower_case=pipeline.lower_case,
            steps=pipeline.steps if own else (),
            tokens_per_batch=tokens_per_batch,
            progress=progress,
        )

    @cached_property
    def fingerprint(self) -> str:
        return huggingface.fingerprint(self._folder, self._folders)

    @property
    def settings(self) -> Mapping[str, Any]:
        return {
            "pooling": "+".join(self._poolings),
            "layer": self._layer,
            "dtype": self._dtype,
            "max_tokens": self._limit,
            "steps": [step.name for step in self._steps],
        }

    def prepare(self, passages: Sequence[Passage]) -> None:
        """Compute everything now, in batches as full as can be; what is not in `passages` is forgotten."""
        vectors, _ = self._vectors(passages)
        self._known = vectors

    def embed(self, passages: Sequence[Passage]) -> Embedded:
        vectors, faults = self._vectors(passages)
        kept: list[int] = []
        rows: list[NDArray[np.float32]] = []
        lost: list[tuple[int, str]] = []
        for position, (passage, fault) in enumerate(zip(passages, faults, strict=True)):
            row = vectors.get(self._key(passage))
            if fault is not None or row is None:
                lost.append((position, fault or "no vector"))
            elif not np.isfinite(row).all():
                hint = "" if self._dtype == "float32" else "; try dtype='float32'"
                lost.append((position, f"its vector is not finite in {self._dtype}{hint}"))
            else:
                kept.append(position)
                rows.append(row)
        matrix: Vectors = np.stack(rows) if rows else np.empty((0, 0), dtype=np.float32)
        return Embedded(tuple(kept), matrix, tuple(lost))

    def _key(self, passage: Passage) -> _Key:
        on_target = self._poolings[0].startswith("target")
        return (passage.text, passage.start, passage.end) if on_target else (passage.text, 0, 0)

    def _vectors(self, passages: Sequence[Passage]) -> tuple[dict[_Key, NDArray[np.float32]], list[str | None]]:
        """The vector of each key, and for each passage why it has none."""
        texts = list(dict.fromkeys(passage.text for passage in passages))
        cased = [_lower(text) for text in texts] if self._lower_case else texts
        tokens = dict(zip(texts, tokenize(self._tokenizer, cased), strict=True))
        known: dict[_Key, NDArray[np.float32]] = {}
        new: dict[_Key, tuple[Tokens, tuple[int, ...]]] = {}
        faults: list[str | None] = []
        for passage in passages:
            target, fault = self._target(tokens[passage.text], passage)
            faults.append(fault)
            key = self._key(passage)
            if fault is not None:
                continue
            if key in self._known:
                known[key] = self._known[key]
            else:
                new.setdefault(key, (tokens[passage.text], target))
        known.update(zip(new, self._compute(list(new.values())), strict=True))
        return known, faults

    def _target(self, tokens: Tokens, passage: Passage) -> tuple[tuple[int, ...], str | None]:
        """The positions of the passage's word, or why the passage is lost."""
        if not len(tokens):
            return (), "the tokenizer finds no token in it"
        if self._limit is not None and len(tokens) > self._limit:
            return (), f"it has {len(tokens)} tokens; the model takes at most {self._limit}"
        if not tokens.spans and not self._poolings[0].startswith("target"):
            return (), None
        target = target_positions(self._tokenizer, tokens, passage)
        if not target:
            return (), f"the tokenizer has no token for {passage.form!r}"
        if all(tokens.ids[position] == self._tokenizer.unk_token_id for position in target):
            return (), f"the tokenizer does not know {passage.form!r}: it stands for nothing but 'unknown'"
        return target, None

    def _compute(self, texts: list[tuple[Tokens, tuple[int, ...]]]) -> list[NDArray[np.float32]]:
        lengths = [len(tokens) for tokens, _ in texts]
        with progress_bar(self.name) as bar:
            return in_batches(
                lengths,
                self._budget,
                lambda batch: self._forward([texts[position] for position in batch]),
                self._progress or bar,
            )

    def _forward(self, texts: list[tuple[Tokens, tuple[int, ...]]]) -> list[NDArray[np.float32]]:
        """One batch.

        Padding goes to the right, so that every token has the position that it would have alone; with what id is of no
        consequence, since the attention mask hides it.
        """
        import torch

        longest = max(len(tokens) for tokens, _ in texts)
        ids, types, real = np.zeros((3, len(texts), longest), dtype=np.int64)
        weights = np.zeros((len(self._poolings), len(texts), longest), dtype=np.float32)
        for row, (tokens, target) in enumerate(texts):
            ids[row, : len(tokens)] = tokens.ids
            types[row, : len(tokens.types)] = tokens.types
            real[row, : len(tokens)] = 1
            for kind, pooling in enumerate(self._poolings):
                weights[kind, row, : len(tokens)] = token_weights(pooling, tokens, target, self._tokenizer.cls_token_id)
        arguments = {"input_ids": ids, "attention_mask": real}
        if self._takes_types and texts[0][0].types:
            arguments["token_type_ids"] = types
        last = self._layer == -1
        with torch.inference_mode():
            output = self._model(
                **{key: torch.from_numpy(array).to(self._model.device) for key, array in arguments.items()},
                **self._options,
                output_hidden_states=not last,
                return_dict=True,
            )
            hidden = (output.last_hidden_state if last else output.hidden_states[self._layer]).float()
            pooled = [
                pool(pooling, hidden, torch.from_numpy(weights[kind]).to(hidden.device))
                for kind, pooling in enumerate(self._poolings)
            ]
            vectors = torch.cat(pooled, dim=-1).cpu()
            for step in self._steps:
                vectors = step.apply(vectors)
        return list(vectors.numpy().copy())


def _plain(folder: Path) -> Pipeline:
    return Pipeline(folder, ("mean",), (), (folder,), None, lower_case=False)


def _checked_layer(name: str, model: Any, layer: int) -> int:
    """-1 for the last layer, else 0 (the embeddings) to the last but one."""
    last = int(model.config.get_text_config().num_hidden_layers)
    if not -last - 1 <= layer <= last:
        raise ModelError(f"{name}: there is no layer {layer}: it has 0 (the embeddings) to {last}, or -1 for the last.")
    layer = layer if layer >= 0 else layer + last + 1
    return -1 if layer == last else layer


def _parameters(model: Any) -> set[str]:
    return set(inspect.signature(model.forward).parameters)


def _lower(text: str) -> str:
    """Lower case, each character for itself, so that every word stays where it is."""
    return "".join(low if len(low := character.lower()) == 1 else character for character in text)
