"""One list of texts computed by several processes, each a part of its batches, into one cache.

Which batches there are, and whose each of them is, follows from the list alone and not from what has been done already;
so processes that begin at different moments agree, without a word, on who computes what. No batch is computed twice,
and each is one that a process alone would have computed: the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

Ids = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Part `number` of `of`. `budget` is how many tokens a batch holds, whatever another process has memory for; `done`
    is called when the part is computed: to wait for the others, or to stop there."""

    number: int
    of: int
    budget: int
    done: Callable[[], object]

    def of_texts(self, missing: Sequence[Ids], asked: Sequence[Ids]) -> list[Ids]:
        """What is in it of the texts that are missing: of the batches of one length, every `of`-th. Both lists are
        sorted, the longest first; where a batch stands among all that are asked for says whose it is."""
        places = {ids: place for place, ids in enumerate(asked)}
        ours: list[Ids] = []
        first = 0
        while first < len(missing):
            size = max(self.budget // len(missing[first]), 1)
            if places[missing[first]] // size % self.of == self.number:
                ours += missing[first : first + size]
            first += size
        return ours
