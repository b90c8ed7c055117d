"""Masked language models: how likely each word is in a blank, read from one pass for all words.

A word of one token has the probability of that token at the blank. For a word of m tokens the blank becomes m masks,
which are filled from the left: P(p₁ | m masks) · P(p₂ | p₁, m − 1 masks) · … · P(pₘ | p₁ … pₘ₋₁, one mask).
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InputError, ModelError
from tiltmeter.models import huggingface
from tiltmeter.models._blanks import PADDING_TEXT, BlankFinder
from tiltmeter.models._forward import Forward
from tiltmeter.models._pieces import PieceFinder
from tiltmeter.models._plans import Asked, Plan, Planner
from tiltmeter.models._states import States
from tiltmeter.models.batching import Report
from tiltmeter.models.lm import Filled, Query
from tiltmeter.models.parts import Part
from tiltmeter.models.projection import Projection, read_projection
from tiltmeter.models.tokens import Tokens, tokenize

_FILLS = "AutoModelForMaskedLM"


class MaskedModel:
    """A masked language model, or another that can be told to read a blank from both sides (XLNet)."""

    def __init__(
        self,
        name: str,
        *,
        tokenizer: Any,
        model: Any,
        folder: Path,
        dtype: str,
        padding_text: bool | str | None = None,
        several_tokens: bool = True,
        projection: Projection | None = None,
        cache: str | Path | None = None,
        tokens_per_batch: int | None = None,
        progress: Report | None = None,
    ) -> None:
        if tokenizer.mask_token_id is None:
            raise ModelError(
                f"{name}: its tokenizer has no mask token, so that it has no blank to fill. If it is a causal model "
                "(GPT, Llama), load it as one: kind='causal'."
            )
        self.name = name
        self._tokenizer, self._folder, self._dtype = tokenizer, folder, dtype
        self._several_tokens, self._projection = several_tokens, projection
        mask: int = tokenizer.mask_token_id
        example = tokenize(tokenizer, [tokenizer.mask_token])[0]
        forward = Forward(
            name,
            model,
            mask_id=mask,
            padding=huggingface.padding_id(tokenizer, model),
            token_types=dict(zip(example.ids, example.types, strict=False)),
        )
        forward.check(example.ids, example.ids.index(mask))
        if projection is not None:
            projection.check(name, huggingface.fingerprint(folder, (folder,)))
            forward.project(projection)
        if not isinstance(padding_text, str):
            wanted = forward.permutes if padding_text is None else padding_text
            padding_text = PADDING_TEXT if wanted else ""
        self._padding_text = padding_text
        self._plans: dict[tuple[int, int], Plan] = {}
        self._pieces = PieceFinder(tokenizer, forward.vocabulary)
        self._blanks = BlankFinder(
            name,
            tokenizer,
            self._pieces,
            limit=huggingface.length_limit(tokenizer, model),
            padding_text=padding_text,
        )
        self._planner = Planner(self._blanks, self._pieces, several_tokens=several_tokens)
        self._states = States(
            forward,
            fingerprint=self.fingerprint if cache is not None else "",
            identity={"dtype": dtype} | ({} if projection is None else {"projection": projection.fingerprint}),
            cache=cache,
            tokens_per_batch=tokens_per_batch,
            progress=progress,
        )

    @classmethod
    def open(
        cls,
        name_or_path: str | Path,
        *,
        dtype: str | None = None,
        device: str | None = None,
        revision: str | None = None,
        trust_remote_code: bool = False,
        padding_text: bool | str | None = None,
        several_tokens: bool = True,
        projection: str | Path | None = None,
        cache: str | Path | None = None,
        tokens_per_batch: int | None = None,
        progress: Report | None = None,
    ) -> MaskedModel:
        """Load a masked model by its hub name or from its folder.

        `dtype`: of the model; by default float32, on a GPU bfloat16, but for XLNet, which fails in half precision.
        Probabilities are computed in float32.
        `padding_text`: what stands before each text. By default our own, `PADDING_TEXT`, for models that permute
        (XLNet), and nothing for others.
        `several_tokens`: whether words of several tokens are scored, which takes passes of its own for each such word
        in each text; otherwise they are lost, and a text takes one pass however many words are asked for.
        `projection`: a file that takes a bias out of the states at blanks (see `tiltmeter.models.projection`).
        `cache`: a folder in which states are kept, so that they are not computed again by the next run.
        `tokens_per_batch`: by default found from the memory, and halved when that is full.
        `progress(done, total)`: called after each batch, in place of the progress bar.
        """
        if tokens_per_batch is not None and tokens_per_batch < 1:
            raise ModelError(f"tokens_per_batch is {tokens_per_batch}; it should be 1 or more.")
        huggingface.require()
        picked = huggingface.pick_device(device)
        name = str(name_or_path)
        folder = huggingface.folder_of(name, revision=revision, trust_remote_code=trust_remote_code)
        auto = _auto_class(name, folder, trust_remote_code=trust_remote_code)
        dtype = dtype or ("bfloat16" if picked.type == "cuda" and auto == _FILLS else "float32")
        model = huggingface.open_model(
            folder,
            auto=auto,
            dtype=dtype,
            device=picked,
            trust_remote_code=trust_remote_code,
        )
        return cls(
            name if projection is None else f"{name}+{projection}",
            tokenizer=huggingface.open_tokenizer(folder, trust_remote_code=trust_remote_code),
            model=model,
            folder=folder,
            dtype=dtype,
            padding_text=padding_text,
            several_tokens=several_tokens,
            projection=None if projection is None else read_projection(projection),
            cache=cache,
            tokens_per_batch=tokens_per_batch,
            progress=progress,
        )

    @cached_property
    def fingerprint(self) -> str:
        own = huggingface.fingerprint(self._folder, (self._folder,))
        return own if self._projection is None else self._projection.fingerprint_of(own)

    @property
    def settings(self) -> Mapping[str, Any]:
        return {
            "kind": "masked",
            "dtype": self._dtype,
            "max_tokens": self._blanks.limit,
            "normalised": "over the vocabulary",
            "several_tokens": "chain rule from the left" if self._several_tokens else "lost",
            "padding_text": self._padding_text,
            **({} if self._projection is None else {"projection": self._projection.fingerprint}),
        }

    @property
    def texts_computed(self) -> int:
        """How many texts have gone through the model so far."""
        return self._states.texts_computed

    def prepare(self, asked: Sequence[Asked]) -> None:
        plans: list[Plan] = []
        self._states.prepare(self._planner.requests(asked, plans))
        self._plans = {  # of what cannot have changed when it is asked for
            (id(plan.queries), id(plan.words)): plan
            for plan in plans
            if isinstance(plan.queries, tuple) and isinstance(plan.words, tuple)
        }

    @property
    def tokens_per_batch(self) -> int:
        """How many tokens, padding included, go through the model at once."""
        return self._states.budget

    def share(self, part: Part | None) -> None:
        """Of what is asked for next, compute only a part; others, with the same cache, compute the rest."""
        self._states.part = part

    def fill(self, queries: Sequence[Query], words: Sequence[str]) -> Filled:
        if not words:
            raise InputError("there is no word to fill the blank with.", hint="Give one or more.")
        plan = self._plans.pop((id(queries), id(words)), None)
        if plan is None:
            plans: list[Plan] = []
            self._states.prepare(self._planner.requests([(queries, words)], plans))
            plan = plans[0] if plans else None
        lost: dict[str, str] = {} if plan is None else plan.lost
        steps = self._planner.steps(queries, words, lost) if plan is None else plan.steps
        log_p = np.full((len(queries), len(words)), np.nan)
        for step in steps:
            factor = self._states.log_p(step.requests, step.tokens)
            if step.first and factor.shape == log_p.shape:  # it is the whole table, as for words of one token
                log_p = factor
            else:
                cells = np.ix_(step.rows, step.columns)
                log_p[cells] = factor if step.first else log_p[cells] + factor
        return Filled(log_p, lost)

    def fill_vocabulary(
        self, queries: Sequence[Query], chunk: int = 4096
    ) -> Iterator[tuple[list[str], NDArray[np.float64]]]:
        """Words of the vocabulary that are one token in every query's blank, `chunk` at a time, with their log P
        (queries × words)."""
        around = {blank.around for blank in self._blanks.find(queries)}
        strings = self._tokenizer.batch_decode([[token] for token in range(len(self._tokenizer))])
        special = set(self._tokenizer.all_special_tokens)
        words = list(dict.fromkeys(word for text in strings if (word := text.strip()) and word not in special))
        words = [word for word in words if any(map(str.isalpha, word)) and not any(map(str.isspace, word))]
        for surroundings in around:
            found = zip(words, self._pieces.find(words, surroundings), strict=True)
            words = [word for word, pieces in found if len(pieces.ids) == 1]
        for begin in range(0, len(words), chunk):
            part = words[begin : begin + chunk]
            yield part, self.fill(queries, part).log_p

    def blank_states(self, queries: Sequence[Query]) -> NDArray[np.float32]:
        """The vector that enters the output embedding at the blank of each query."""
        return self._states.read([blank.request for blank in self._blanks.find(queries)])[0]

    def sentence_tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of texts without blanks, for `masked_token_log_probs`."""
        return tokenize(self._tokenizer, texts)

    def masked_token_log_probs(self, masked: Sequence[tuple[Sequence[int], int]]) -> NDArray[np.float64]:
        """For each (ids, position): log P of the token that stands there, when it alone is masked."""
        requests = [self._blanks.masked(ids, position) for ids, position in masked]
        return self._states.log_p_of(requests, [ids[position] for ids, position in masked])


def _auto_class(name: str, folder: Path, *, trust_remote_code: bool) -> str:
    """The Auto class that loads a model which fills blanks. XLNet counts as a causal model there, but can be told which
    positions to hide (`perm_mask`) and which to predict (`target_mapping`), and so fills a blank from both sides."""
    import transformers

    config = huggingface.open_config(folder, trust_remote_code=trust_remote_code)
    kind = type(config)
    if kind in transformers.MODEL_FOR_MASKED_LM_MAPPING or _FILLS in (getattr(config, "auto_map", None) or {}):
        return _FILLS
    if kind in transformers.MODEL_FOR_CAUSAL_LM_MAPPING:
        causal: Any = transformers.MODEL_FOR_CAUSAL_LM_MAPPING[kind]
        accepted = inspect.signature(causal.forward).parameters
        if {"perm_mask", "target_mapping"} <= set(accepted):
            return "AutoModelForCausalLM"
        raise ModelError(
            f"{name}: a {config.model_type} model reads from left to right only. Load it with kind='causal'."
        )
    raise ModelError(
        f"{name}: transformers has no masked language model of the type {config.model_type!r}. Give one that "
        "has, such as BERT or RoBERTa."
    )
