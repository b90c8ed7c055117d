"""Causal language models: how likely each word is in a blank, by how likely it makes the whole text.

The model reads from left to right, so what stands after a blank can only count by how likely it becomes:

    log P(word in the blank) = log P(text with the word) − log Σ_candidates P(text with the candidate)

The sum is over the candidates that were asked for together, not over the vocabulary. Where a text has two slots, the
probability of both words follows from the prefix that ends before the later one, for all words of that slot at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InputError, ModelError
from tiltmeter.models import gguf_file, huggingface, named
from tiltmeter.models._blanks import parts_of, shown
from tiltmeter.models._continuations import Continuation, Continuations, Ids
from tiltmeter.models._forward import Forward
from tiltmeter.models._sequences import NOTHING_BEFORE, Sequences, common
from tiltmeter.models._slots import Joint, SlotScorer
from tiltmeter.models._states import States
from tiltmeter.models.batching import Report
from tiltmeter.models.lm import Filled, Query

Array = NDArray[np.float64]

# Texts planned and computed at once: enough for full batches, and not too many to remember.
_SLICE = 1 << 16


@dataclass(frozen=True, slots=True)
class TokenScores:
    """The tokens of a text: their ids, the characters that each covers, and log P of each after those before it."""

    ids: Ids
    spans: tuple[tuple[int, int], ...]
    log_p: Array


@dataclass(frozen=True, slots=True)
class _Candidates:
    """The words of one query: what has to be added up for each. `columns` are those that can be scored."""

    columns: list[int]
    terms: list[tuple[Continuation, ...]]


class CausalModel:
    """A causal language model."""

    def __init__(
        self,
        name: str,
        *,
        tokenizer: Any,
        model: Any,
        path: Path,
        dtype: str,
        share_prefixes: bool | None = None,
        cache: str | Path | None = None,
        tokens_per_batch: int | None = None,
        progress: Report | None = None,
    ) -> None:
        self.name = name
        self._path, self._dtype = path, dtype
        forward = Forward(name, model, padding=huggingface.padding_id(tokenizer, model))
        forward.check((0, 1), 1)
        self._sequences = Sequences(
            name,
            tokenizer,
            model.config,
            limit=huggingface.length_limit(tokenizer, model),
            vocabulary=forward.vocabulary,
        )
        fingerprint = self.fingerprint if cache is not None else ""
        identity = {"dtype": dtype}
        self._states = States(
            forward,
            fingerprint=fingerprint,
            identity=identity,
            cache=cache,
            tokens_per_batch=tokens_per_batch,
            progress=progress,
        )
        self._continuations = Continuations(
            forward,
            fingerprint=fingerprint,
            identity=identity,
            budget=self._states.budget,
            cache=cache,
            share=share_prefixes,
            progress=progress,
        )
        self._slots = SlotScorer(self._sequences, self._states, self._continuations)

    @classmethod
    def open(
        cls,
        name_or_path: str | Path,
        *,
        dtype: str | None = None,
        device: str | None = None,
        revision: str | None = None,
        trust_remote_code: bool = False,
        share_prefixes: bool | None = None,
        cache: str | Path | None = None,
        tokens_per_batch: int | None = None,
        progress: Report | None = None,
    ) -> CausalModel:
        """Load a causal model by its hub name, from its folder, or from a GGUF file.

        `dtype`: of the model; by default float32, on a GPU bfloat16. Probabilities are computed in float32.
        `share_prefixes`: whether what several texts begin with is run once. By default where the model can do it.
        `cache`: a folder in which results are kept, so that they are not computed again by the next run.
        `tokens_per_batch`: by default found from the memory, and halved when that is full.
        `progress(done, total)`: called after each batch, in place of the progress bar.
        """
        if tokens_per_batch is not None and tokens_per_batch < 1:
            raise ModelError(f"tokens_per_batch is {tokens_per_batch}; it should be 1 or more.")
        huggingface.require()
        picked = huggingface.pick_device(device)
        dtype = dtype or ("bfloat16" if picked.type == "cuda" else "float32")
        name, path = str(name_or_path), named.path_of(name_or_path)
        if gguf_file.is_gguf(path):
            model, tokenizer = gguf_file.open_gguf(path, dtype=dtype, device=picked)
        else:
            path = huggingface.folder_of(name, revision=revision, trust_remote_code=trust_remote_code)
            _check_kind(name, path, trust_remote_code=trust_remote_code)
            model = huggingface.open_model(
                path, auto="AutoModelForCausalLM", dtype=dtype, device=picked, trust_remote_code=trust_remote_code
            )
            tokenizer = huggingface.open_tokenizer(path, trust_remote_code=trust_remote_code)
        return cls(
            name,
            tokenizer=tokenizer,
            model=model,
            path=path,
            dtype=dtype,
            share_prefixes=share_prefixes,
            cache=cache,
            tokens_per_batch=tokens_per_batch,
            progress=progress,
        )

    @cached_property
    def fingerprint(self) -> str:
        if self._path.is_file():
            return gguf_file.fingerprint(self._path)
        return huggingface.fingerprint(self._path, (self._path,))

    @property
    def settings(self) -> Mapping[str, Any]:
        return {
            "kind": "causal",
            "dtype": self._dtype,
            "max_tokens": self._sequences.limit,
            "normalised": "over the candidates",
            "counted": "the whole text, up to the next open blank",
            "begins_with": self._sequences.begins_with,
        }

    @property
    def texts_computed(self) -> int:
        """How many prefixes of two-slot texts have gone through the model so far."""
        return self._states.texts_computed

    @property
    def tokens_computed(self) -> int:
        """How many tokens of other texts have, padding included."""
        return self._continuations.tokens_computed

    @property
    def shares_prefixes(self) -> bool:
        return self._continuations.shares

    def prepare(self, asked: Sequence[tuple[Sequence[Query], Sequence[str]]]) -> None:
        waiting: list[Continuation] = []
        for queries, words in asked:
            for of_slice in self._candidates(queries, words, {}):
                waiting += [one for of_query in of_slice for terms in of_query.terms for one in terms]
                if len(waiting) >= _SLICE:
                    self._continuations.prepare(waiting)
                    waiting = []
        self._continuations.prepare(waiting)

    def fill(self, queries: Sequence[Query], words: Sequence[str]) -> Filled:
        """See `LanguageModel.fill`. What stands right of the blank counts, up to the next open blank: that one, and
        what follows it, could be anything. A blank left of the one that is read cannot stay open; see `joint`.
        """
        lost: dict[str, str] = {}
        distinct = {word: column for column, word in enumerate(dict.fromkeys(words))}
        log_p = np.full((len(queries), len(distinct)), np.nan)
        row = 0
        for of_slice in self._candidates(queries, words, lost):
            wanted = [one for of_query in of_slice for terms in of_query.terms for one in terms]
            values = iter(self._continuations.log_p(wanted))
            for of_query in of_slice:
                if of_query.columns:
                    whole = np.array([sum(next(values) for _ in terms) for terms in of_query.terms])
                    log_p[row, of_query.columns] = whole - np.logaddexp.reduce(whole)
                row += 1
        return Filled(log_p[:, [distinct[word] for word in words]], lost)

    def joint(self, texts: Sequence[str], first: Sequence[str], last: Sequence[str]) -> Joint:
        """log P of each pair of words in the two blanks of each text, over all pairs: see `tiltmeter.models._slots`."""
        return self._slots.joint(texts, first, last)

    def token_counts(self, texts: Sequence[str]) -> list[int]:
        """How many tokens the model is given for each text."""
        return [len(ids) for ids in self._sequences.ids(texts)]

    def token_log_probs(self, texts: Sequence[str]) -> list[TokenScores]:
        """log P of each token of whole texts; NaN for the first, where the tokenizer has none to stand before it."""
        tokens = self._sequences.tokens(texts)
        lead = self._sequences.lead
        scored = self._continuations.token_log_p([lead + of_text.ids for of_text in tokens])
        return [
            TokenScores(of_text.ids, of_text.spans, log_p[len(lead) - 1 :] if lead else np.insert(log_p, 0, np.nan))
            for of_text, log_p in zip(tokens, scored, strict=True)
        ]

    def _candidates(
        self, queries: Sequence[Query], words: Sequence[str], lost: dict[str, str]
    ) -> Iterator[list[_Candidates]]:
        """What has to be computed for each query, some queries at a time; why a word is lost goes into `lost`."""
        if not words:
            raise InputError("there is no word to fill the blank with.", hint="Give one or more.")
        distinct = list(dict.fromkeys(words))
        faults = self._sequences.faults(distinct)
        lost.update(faults)
        columns = [column for column, word in enumerate(distinct) if word not in faults]
        at_once = max(_SLICE // len(distinct), 1)
        for begin in range(0, len(queries), at_once):
            parts = [_around(query) for query in queries[begin : begin + at_once]]
            contexts = self._sequences.ids([left.rstrip() for left, _ in parts])
            texts = self._sequences.ids(
                [left + distinct[column] + right for left, right in parts for column in columns]
            )
            of_slice: list[_Candidates] = []
            for place, context in enumerate(contexts):
                filled = texts[place * len(columns) : (place + 1) * len(columns)]
                if filled:
                    self._sequences.check_length(queries[begin + place].text, min(map(len, filled)))
                known = []
                for column, ids in zip(columns, filled, strict=True):
                    fault = self._fault(context, ids)
                    if fault is None:
                        known.append((column, ids))
                    else:
                        lost.setdefault(distinct[column], fault)
                of_slice.append(_terms(context, known))
            yield of_slice

    def _fault(self, context: Ids, ids: Ids) -> str | None:
        limit = self._sequences.limit
        if limit is not None and len(ids) > limit:
            return f"with its tokens a text would be longer than the {limit} that the model takes"
        return None if common(context, ids) else NOTHING_BEFORE


def _terms(context: Ids, known: Sequence[tuple[int, Ids]]) -> _Candidates:
    """Texts that differ in one word are compared from where the first of them leaves the context.

    That is the word itself, unless its tokens melt into what stands before it. Then the others are scored from there
    too: the rest of the context is one more term for them.
    """
    starts = [common(context, ids) for _, ids in known]
    first = min(starts, default=0)
    return _Candidates(
        [column for column, _ in known],
        [
            (Continuation(ids, start), *((Continuation(context[:start], first),) if start > first else ()))
            for (_, ids), start in zip(known, starts, strict=True)
        ],
    )


def _around(query: Query) -> tuple[str, str]:
    """What stands left and right of the blank, as far as it is known."""
    parts = parts_of(query.text)
    if not 0 <= query.blank < len(parts) - 1:
        raise InputError(
            f"the text {shown(query.text)} has no blank number {query.blank}: it has {len(parts) - 1}, counted from 0."
        )
    if query.blank:
        raise InputError(
            f"the text {shown(query.text)} has an open blank left of the one that is read, which a causal model cannot "
            "look past.",
            hint="Fill it with a word, or ask for both at once (joint), which sums over words for it.",
        )
    return parts[0], parts[1] if len(parts) == 2 else parts[1].rstrip()


def _check_kind(name: str, folder: Path, *, trust_remote_code: bool) -> None:
    import transformers

    config = huggingface.open_config(folder, trust_remote_code=trust_remote_code)
    known = type(config) in transformers.MODEL_FOR_CAUSAL_LM_MAPPING
    if not known and "AutoModelForCausalLM" not in (getattr(config, "auto_map", None) or {}):
        raise ModelError(
            f"{name}: a {config.model_type} model is no causal language model. If it fills masks, load it with "
            "kind='masked'."
        )
