"""Batches by token budget."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tiltmeter.errors import ModelError
from tiltmeter.models.batching import in_batches


class Memory:
    """Computes the length of each text, padding to the longest, in a memory of so many tokens."""

    def __init__(self, lengths: list[int], tokens: float = float("inf")) -> None:
        self.lengths, self.tokens = lengths, tokens
        self.batches: list[int] = []  # tokens of each, padding included
        self.failures = 0

    def compute(self, batch: list[int]) -> list[int]:
        size = max(self.lengths[position] for position in batch) * len(batch)
        if size > self.tokens:
            self.failures += 1
            raise torch.OutOfMemoryError("CUDA out of memory.")
        self.batches.append(size)
        return [self.lengths[position] for position in batch]


@given(lengths=st.lists(st.integers(1, 50), max_size=60), budget=st.integers(1, 500))
def test_every_result_comes_back_in_its_place(lengths: list[int], budget: int) -> None:
    memory = Memory(lengths)
    assert in_batches(lengths, budget, memory.compute) == lengths
    assert all(size <= max(budget, *lengths) for size in memory.batches)


@given(lengths=st.lists(st.integers(1, 50), min_size=1, max_size=60), tokens=st.integers(50, 500))
def test_a_full_memory_halves_the_batch(lengths: list[int], tokens: int) -> None:
    memory = Memory(lengths, tokens)
    assert in_batches(lengths, 10**9, memory.compute) == lengths
    assert memory.failures <= 7, "what has been learned is kept: 60 texts are halved at most six times"


def test_a_text_that_does_not_fit_alone() -> None:
    with pytest.raises(ModelError, match=r"one text of 30 tokens does not fit into the memory.*smaller model"):
        in_batches([3, 30], 1000, Memory([3, 30], 20).compute)


def test_another_failure_is_not_taken_for_a_full_memory() -> None:
    def fail(_batch: list[int]) -> list[int]:
        raise RuntimeError("shapes do not agree")

    with pytest.raises(RuntimeError, match="shapes do not agree"):
        in_batches([1, 2], 10, fail)


def test_progress_is_reported_up_to_the_whole() -> None:
    reports: list[tuple[int, int]] = []
    in_batches([5] * 10, 20, Memory([5] * 10).compute, lambda done, total: reports.append((done, total)))
    assert reports == [(4, 10), (8, 10), (10, 10)]
