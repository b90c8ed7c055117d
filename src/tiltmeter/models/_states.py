"""States: what a language model knows at a position of a text, computed once and read for any word.

A request is the ids of a text, special tokens and masks included, and a position. For a masked model the position is a
mask, and its state says which token may stand there; for a causal model its state says which token may come next.

    log P(v) = state · W_v + b_v − log Σ_u exp(state · W_u + b_u)
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.models._cache import StateCache, state_key
from tiltmeter.models._forward import Batch, Forward, Launched
from tiltmeter.models._slices import SLICE, Request, Slices
from tiltmeter.models.batching import Report, in_batches, token_budget
from tiltmeter.models.parts import Part
from tiltmeter.models.progress import progress_bar
from tiltmeter.models.uncollected import uncollected

_CHUNK = 2048  # states multiplied at once


class States:
    """The states of one model. What has been computed is in `cache` (a folder), or else in files of this process alone.

    `identity` is what, beside the model's fingerprint, decides the states: the cache keeps apart what differs in it.
    """

    def __init__(
        self,
        forward: Forward,
        *,
        fingerprint: str,
        identity: Mapping[str, Any],
        cache: str | Path | None = None,
        tokens_per_batch: int | None = None,
        progress: Report | None = None,
    ) -> None:
        self.forward = forward
        self.texts_computed = 0  # rows of all forward passes so far
        self.part: Part | None = None  # of what is prepared next: others compute the rest of it
        self._cache = StateCache(
            cache, {**identity, "fingerprint": fingerprint, "device": forward.device.type}, forward.width
        )
        # What is free on a device varies a little; a power of two does not, and the same batches give the same bits.
        budget = tokens_per_batch or token_budget(forward.model, forward.device)
        self.budget = budget if tokens_per_batch else 1 << (budget.bit_length() - 1)
        self._progress = progress
        self._keys: dict[Request, bytes] = {}
        self._lock = threading.Lock()

    def prepare(self, requests: Iterable[Request]) -> None:
        """Compute what is missing, each text once for all of its positions; each batch is kept as it is done."""
        with self._lock, Slices(requests, SLICE) as slices:
            part, self.part = self.part, None
            if part is not None:
                self._compute_slices(slices, part)
                part.done()
            self._compute_slices(slices)

    def _present(self, requests: Sequence[Request]) -> list[bytes]:
        """The keys of requests all of whose states are there now."""
        keys = self._keys_of(requests)
        with self._lock:
            there = self.part is None and not self._cache.missing(keys)
        if not there:
            self.prepare(requests)
        return keys

    def _compute_slices(self, slices: Slices, part: Part | None = None) -> None:
        done, ahead = 0, len(slices)
        with progress_bar(self.forward.name) as bar:
            for some in slices:
                ahead -= len(some)
                done += self._compute(
                    dict(zip(self._keys_of(some), some, strict=True)),
                    part,
                    _further(self._progress or bar, done, ahead),
                )

    def read(self, requests: Sequence[Request]) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """States (one row a request) and log-partitions."""
        keys = self._present(requests)
        with self._lock:
            return self._cache.read(keys)

    def log_p(self, requests: Sequence[Request], tokens: Sequence[int] | slice) -> NDArray[np.float64]:
        """log P of each token (column) at each request (row). What is asked for twice gives the same bits twice."""
        import torch

        keys = self._present(requests)
        asked = np.arange(self.forward.vocabulary)[tokens] if isinstance(tokens, slice) else np.array(tokens, np.int64)
        distinct = list(dict.fromkeys(keys))
        wanted, columns = np.unique(asked, return_inverse=True)
        if len(wanted) == len(asked):
            wanted = asked
        log_p = np.empty((len(distinct), len(wanted)), dtype=np.float64)
        with torch.inference_mode():
            index = torch.from_numpy(wanted).to(self.forward.device)
            for part, states, log_partitions in self._chunks(distinct):
                (logits,) = Launched(self.forward.logits(states, index)).result()
                np.subtract(logits, log_partitions[:, None], out=log_p[part])
        if len(distinct) < len(keys):
            row = {key: place for place, key in enumerate(distinct)}
            log_p = log_p[[row[key] for key in keys]]
        return log_p if wanted is asked else log_p[:, columns]

    def log_p_of(self, requests: Sequence[Request], tokens: Sequence[int]) -> NDArray[np.float64]:
        """log P of one token at each request."""
        import torch

        keys = self._present(requests)
        log_p = np.empty(len(requests), dtype=np.float64)
        with torch.inference_mode():
            for part, states, log_partitions in self._chunks(keys):
                index = torch.tensor(tokens[part], dtype=torch.int64, device=self.forward.device)
                (logits,) = Launched(self.forward.logits_of(states, index)).result()
                log_p[part] = logits - log_partitions
        return log_p

    def _chunks(self, keys: Sequence[bytes]) -> Iterator[tuple[slice, Any, NDArray[np.float64]]]:
        """States on the device, and log-partitions, a part of them at a time."""
        for begin in range(0, len(keys), _CHUNK):
            part = slice(begin, begin + _CHUNK)
            states = self.forward.room(len(keys[part]))
            with self._lock:
                _, log_partitions = self._cache.read(keys[part], into=states.numpy())
            yield part, states.to(self.forward.device, non_blocking=True), log_partitions

    def _keys_of(self, requests: Sequence[Request]) -> list[bytes]:
        known = self._keys
        if len(known) > SLICE:
            known.clear()
        keys: list[bytes] = []
        for request in requests:
            key = known.get(request)
            if key is None:
                known[request] = key = state_key(*request)
            keys.append(key)
        return keys

    def _compute(self, by_key: Mapping[bytes, Request], part: Part | None, report: Report) -> int:
        """The order is that of length and ids alone, and a batch is as many texts as the budget takes at the first
        one's length: what is left of a plan whose run was killed falls into the same batches, and gives the same bits.
        Of a `part` only its batches are computed. Returns how many texts there were.
        """
        with uncollected():
            positions: dict[tuple[int, ...], list[tuple[int, bytes]]] = {}
            for key in self._cache.missing(list(by_key)):
                ids, position = by_key[key]
                positions.setdefault(ids, []).append((position, key))
            texts = _longest_first(positions)
            if part is not None:
                texts = part.of_texts(texts, _longest_first({request.ids for request in by_key.values()}))
            reads = [positions[ids] for ids in texts]
            for of_text in reads:
                of_text.sort()
        if not texts:
            return 0
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
        ends = np.cumsum(lengths)
        flat = np.fromiter(itertools.chain.from_iterable(texts), dtype=np.int64, count=int(ends[-1]))
        under_way: list[tuple[list[bytes], Launched]] = []

        def finish() -> None:
            for keys, launched in under_way:
                states, log_partitions = launched.result()
                self._cache.add(keys, states, log_partitions.astype(np.float64))
            under_way.clear()

        def launch(batch: list[int]) -> list[None]:
            first, last = batch[0], batch[-1]
            of_batch = reads[first : last + 1]
            counts = np.fromiter(map(len, of_batch), dtype=np.int64, count=len(batch))
            read = list(itertools.chain.from_iterable(of_batch))
            launched = self.forward.launch(
                Batch(
                    self.forward.padded(flat[ends[first] - lengths[first] : ends[last]], lengths[first : last + 1]),
                    lengths[first : last + 1],
                    np.repeat(np.arange(len(batch)), counts),
                    np.fromiter((position for position, _ in read), dtype=np.int64, count=len(read)),
                )
            )
            self.texts_computed += len(batch)
            finish()  # of the batch before: while the device computes this one
            under_way.append(([key for _, key in read], launched))
            return [None] * len(batch)

        in_batches(lengths.tolist(), self.budget if part is None else part.budget, launch, report)
        finish()
        return len(texts)


def _further(report: Report, before: int, ahead: int) -> Report:
    """A report of one slice, `before` which so many texts were computed, and behind which at most so many lie ahead."""
    return lambda done, total: report(before + done, before + total + ahead)


def _longest_first(texts: Iterable[tuple[int, ...]]) -> list[tuple[int, ...]]:
    return sorted(sorted(texts), key=len, reverse=True)
