"""One list of texts computed by several processes, each a part of its batches, into one cache.

Which batches there are, and whose each of them is, follows from the list alone and not from what has been done already;
so processes that begin at different moments agree, without a word, on who computes what. No batch is computed twice,
and each is one that a process alone would have computed: the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Part:
    """Part `number` of `of`. `done` is called when it is computed: to wait for the others, or to stop there."""

    number: int
    of: int
    done: Callable[[], object]

    def has(self, first: int, size: int) -> bool:
        """Whether a batch of `size` texts is in it, the first of which is number `first` of the sorted list: of the
        batches of one length, every `of`-th."""
        return first // size % self.of == self.number
