"""How likely a model that reads from left to right finds the rest of a text, given its beginning.

    log P(ids[start:] | ids[:start]) = Σ_i log P(ids[i] | ids[:i]),  i = start … n − 1

Texts that are to be scored differ in one word, most often near their end. So the contexts of a batch, ids[:start], go
through the model once each, and every continuation takes over the keys and values of its context.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import ModelError
from tiltmeter.models._cache import StateCache, state_key
from tiltmeter.models._forward import Batch, Forward
from tiltmeter.models.batching import Report, in_batches
from tiltmeter.models.progress import progress_bar

# So many tokens must be saved for it to be worth a second pass.
_WORTH_SHARING = 64
# How far log-probabilities may be off when a context is shared, by the precision that the model computes in.
_TOLERANCE = {"float32": 1e-3, "bfloat16": 0.2, "float16": 0.05}
_PROBE = 4  # tokens after the first one

Ids = tuple[int, ...]
Array = NDArray[np.float64]


class Continuation(NamedTuple):
    """The tokens of a text from `start` on, which is 1 or more: nothing can be said of a token that follows nothing."""

    ids: Ids
    start: int


class Continuations:
    """The continuations that one model has scored; they are kept in `cache` (a folder), or else for this process alone.

    `share` says whether contexts are shared; None: where the model can, as is found out by trying.
    """

    def __init__(
        self,
        forward: Forward,
        *,
        fingerprint: str,
        identity: Mapping[str, Any],
        budget: int,
        cache: str | Path | None = None,
        share: bool | None = None,
        progress: Report | None = None,
    ) -> None:
        self.forward = forward
        self.tokens_computed = 0  # padding included
        self._budget, self._progress = budget, progress
        self._worth = _WORTH_SHARING
        probe = self._checked_probe()
        self.shares = self._can_share(probe) if share is not False else False
        if share and not self.shares:
            raise ModelError(
                f"{forward.name}: a {type(forward.model).__name__} does not give the same probabilities when it goes "
                "on from the keys and values of a context. Leave out share_prefixes=True."
            )
        identity = {**identity, "fingerprint": fingerprint, "device": forward.device.type, "shares": self.shares}
        self._cache = StateCache(cache, {**identity, "of": "continuations"}, 0)
        self._lock = threading.Lock()

    def prepare(self, wanted: Iterable[Continuation]) -> None:
        """Compute what is missing, each batch being kept as it is done."""
        with self._lock:
            by_key = {_key(continuation): continuation for continuation in wanted}
            missing = self._cache.missing(list(by_key))
            if not missing:
                return
            # Continuations of one context stand together; that they are then sorted by length does not change it.
            new = sorted((by_key[key] for key in missing), key=lambda one: (one.start, one.ids))

            def compute(batch: list[int]) -> list[None]:
                chosen = [new[place] for place in batch]
                sums = np.array([tokens.sum() for tokens in self._scored(chosen)])
                self._cache.add([_key(one) for one in chosen], np.empty((len(chosen), 0), dtype=np.float32), sums)
                return [None] * len(batch)

            with progress_bar(self.forward.name) as bar:
                in_batches([len(one.ids) for one in new], self._budget, compute, self._progress or bar)

    def log_p(self, wanted: Sequence[Continuation]) -> Array:
        """log P of each."""
        self.prepare(wanted)
        return self._cache.read([_key(one) for one in wanted])[1]

    def token_log_p(self, texts: Sequence[Ids]) -> list[Array]:
        """log P of every token of each text but its first, given those before it."""
        tokens = [[Continuation(ids[: end + 1], end) for end in range(1, len(ids))] for ids in texts]
        with self._lock:
            absent = set(self._cache.missing(list(dict.fromkeys(_key(one) for of_text in tokens for one in of_text))))
            texts_sorted = sorted(
                {ids for ids, of_text in zip(texts, tokens, strict=True) if absent.intersection(map(_key, of_text))}
            )
            # A text with which the next one begins is computed with that one.
            new = [one for one, other in itertools.pairwise([*texts_sorted, ()]) if other[: len(one)] != one]

            def compute(batch: list[int]) -> list[None]:
                chosen = [new[place] for place in batch]
                scored = self._scored([Continuation(ids, 1) for ids in chosen])
                # What two texts begin with is kept once, so that every later run reads the same number.
                values = {
                    key: value
                    for ids, of_text in zip(chosen, scored, strict=True)
                    for end, value in enumerate(of_text, 1)
                    if (key := _key(Continuation(ids[: end + 1], end))) in absent
                }
                absent.difference_update(values)
                self._cache.add(
                    list(values), np.empty((len(values), 0), dtype=np.float32), np.array([*values.values()])
                )
                return [None] * len(batch)

            with progress_bar(self.forward.name) as bar:
                in_batches([len(ids) for ids in new], self._budget, compute, self._progress or bar)
        values = self._cache.read([_key(one) for of_text in tokens for one in of_text])[1]
        return np.split(values, np.cumsum([len(of_text) for of_text in tokens])[:-1]) if texts else []

    def _scored(self, batch: Sequence[Continuation]) -> list[Array]:
        """log P of the tokens of each continuation, one after the other."""
        by_start: dict[int, list[int]] = {}
        for place, one in enumerate(batch):
            by_start.setdefault(one.start, []).append(place)
        results: dict[int, Array] = {}
        alone: list[int] = []
        for start, places in by_start.items():
            contexts = {batch[place].ids[:start] for place in places}
            if self.shares and (len(places) - len(contexts)) * start >= self._worth:
                results.update(zip(places, self._run([batch[place] for place in places], start), strict=True))
            else:
                alone += places
        if alone:
            results.update(zip(alone, self._run([batch[place] for place in alone], 0), strict=True))
        return [results[place] for place in range(len(batch))]

    def _run(self, batch: Sequence[Continuation], shared: int) -> list[Array]:
        """One forward pass, or two where the contexts of `shared` tokens (0: none) are run first.

        Padding stands on the right, where no token that is read can see it. The last token of a text is only read.
        """
        import torch

        contexts: dict[Ids, int] = {}
        rows: dict[Ids, int] = {}
        states: dict[
            tuple[int, int], int
        ] = {}  # row and position of each state; the state of a context has position -1
        reads: list[int] = []
        for ids, start in batch:
            context = contexts.setdefault(ids[:shared], len(contexts))
            row = rows.setdefault(ids[:-1], len(rows)) if len(ids) - 1 > shared else 0
            for position in range(start - 1 - shared, len(ids) - 1 - shared):
                place = (row, position) if position >= 0 else (context, -1)
                reads.append(states.setdefault(place, len(states)))
        with torch.inference_mode():
            parts: list[Any] = []
            order: list[int] = []
            more: dict[str, Any] = {}
            if shared:
                past = _empty_cache()
                begun = self._batch([*contexts], [(row, shared - 1) for row in range(len(contexts))])
                of_context = self.forward.states(begun, past_key_values=past, use_cache=True)
                used = [(row, number) for (row, position), number in states.items() if position == -1]
                parts.append(of_context[torch.tensor([row for row, _ in used], device=of_context.device)])
                order += [number for _, number in used]
                more = {"past_key_values": past, "use_cache": True}
            if rows:
                if shared:
                    chosen = [contexts[ids[:shared]] for ids in rows]
                    past.batch_select_indices(torch.tensor(chosen, device=self.forward.device))
                used_places = [(place, number) for place, number in states.items() if place[1] >= 0]
                went_on = self._batch([ids[shared:] for ids in rows], [place for place, _ in used_places])
                parts.append(self.forward.states(went_on, **more))
                order += [number for _, number in used_places]
            computed = torch.cat(parts)[torch.from_numpy(np.argsort(order)).to(parts[0].device)]
            log_partitions = self.forward.log_partition(computed)
            index = torch.tensor(reads, device=computed.device)
            tokens = torch.tensor([token for ids, start in batch for token in ids[start:]], device=computed.device)
            log_p = (self.forward.logits_of(computed[index], tokens) - log_partitions[index]).double().cpu().numpy()
        ends = np.cumsum([len(ids) - start for ids, start in batch])
        return [np.asarray(part, dtype=np.float64) for part in np.split(log_p, ends[:-1])]

    def _batch(self, texts: Sequence[Ids], reads: Sequence[tuple[int, int]]) -> Batch:
        lengths = np.array([len(ids) for ids in texts], dtype=np.int64)
        flat = np.array([token for ids in texts for token in ids], dtype=np.int64)
        padded = self.forward.padded(flat, lengths)
        self.tokens_computed += padded.size
        rows, positions = np.array(reads, dtype=np.int64).reshape(-1, 2).T
        return Batch(padded, np.full_like(lengths, padded.shape[1]), rows, positions)

    def _checked_probe(self) -> Ids:
        """A few tokens, for which it is certain that what a token says of the next does not depend on the next."""
        import torch

        probe = tuple(range(1, 2 + _PROBE)) if self.forward.vocabulary > 2 + _PROBE else (0,) * (1 + _PROBE)
        other = (*probe[:-1], 0)
        with torch.inference_mode():
            reads = [(row, position) for row in (0, 1) for position in range(_PROBE)]
            first, second = self.forward.logits(self.forward.states(self._batch([probe, other], reads))).chunk(2)
            difference, size = float((first - second).abs().max()), max(1.0, float(first.abs().max()))
        if not difference <= 1e-4 * size:
            raise ModelError(
                f"{self.forward.name}: a {type(self.forward.model).__name__} reads a text from both sides, so that it "
                "is no causal model. Load it with kind='masked'."
            )
        return probe

    def _can_share(self, probe: Ids) -> bool:
        batch = [Continuation(probe[:end] + last, 2) for end in (2, 3) for last in (probe[-1:], probe[-2:])]
        try:
            differences = [
                np.abs(shared - alone).max()
                for shared, alone in zip(self._run(batch, 2), self._run(batch, 0), strict=True)
            ]
        except (TypeError, ValueError, RuntimeError, AttributeError, LookupError, NotImplementedError):
            return False  # it keeps no keys and values, or keeps them in its own way
        dtype = str(self.forward.model.dtype).removeprefix("torch.")
        return bool(max(differences) <= _TOLERANCE.get(dtype, 1e-3))


def _empty_cache() -> Any:
    from transformers import DynamicCache

    return DynamicCache()


def _key(continuation: Continuation) -> bytes:
    return state_key(continuation.ids, continuation.start)
