"""Parts of one list: together they are all of it, and their batches are those of a process alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tiltmeter.models.batching import in_batches
from tiltmeter.models.parts import Ids, Part

TEXTS = st.sets(st.lists(st.integers(0, 9), min_size=1, max_size=9).map(tuple), max_size=60)


def batches(texts: list[Ids], budget: int) -> list[list[Ids]]:
    seen: list[list[Ids]] = []

    def compute(batch: list[int]) -> list[None]:
        seen.append([texts[place] for place in batch])
        return [None] * len(batch)

    in_batches([len(ids) for ids in texts], budget, compute)
    return seen


@given(TEXTS, st.integers(1, 4), st.integers(1, 40))
def test_each_batch_is_in_one_part_and_is_that_of_a_process_alone(texts: set[Ids], of: int, budget: int) -> None:
    asked = sorted(texts, key=lambda ids: (-len(ids), ids))
    parts = [Part(number, of, budget, lambda: None).of_texts(asked, asked) for number in range(of)]
    apart = [batch for part in parts for batch in batches(part, budget)]
    assert sorted(apart) == sorted(batches(asked, budget))


def test_who_begins_later_leaves_alone_what_others_have_done() -> None:
    asked: list[Ids] = [(number, 0) for number in range(12)]
    first, second = (Part(number, 2, 4, lambda: None) for number in range(2))
    ours = first.of_texts(asked, asked)
    left = [ids for ids in asked if ids not in ours[:4]]  # its first two batches are done
    assert first.of_texts(left, asked) == ours[4:]
    assert second.of_texts(left, asked) == second.of_texts(asked, asked)
