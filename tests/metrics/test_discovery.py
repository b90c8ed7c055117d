"""Discovery: the words that lean most, found chunk by chunk."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from tiltmeter.metrics.discovery import leaning


def test_the_strongest_words_are_found_across_chunks() -> None:
    rng = np.random.default_rng(0)
    x, table = rng.normal(size=50), rng.normal(size=(50, 101))
    table[:, 70], table[:, 5], table[:, 99] = 3 * x - 8, -x, 0.25  # perfect, perfectly opposite, without spread
    table[3, 70] = math.nan
    x[9] = math.nan

    def chunks() -> Iterator[np.ndarray]:
        for start in range(0, 101, 10):
            yield table[:, start : start + 10]

    found = leaning(x, chunks(), k=3)
    assert (found.towards[0], found.away[0]) == (70, 5)
    assert (found.towards_score[0], found.away_score[0]) == pytest.approx((1, -1))
    assert (found.seen, found.undefined) == (101, 1)
    by_numpy = np.corrcoef(np.delete(x, [3, 9]), np.delete(table[:, :99], [3, 9], axis=0).T)[0, 1:]
    assert by_numpy[70] == pytest.approx(1)
    at_once = leaning(x, [table], k=3)
    assert at_once.towards.tolist() == found.towards.tolist()
    assert at_once.away_score == pytest.approx(found.away_score)
    assert np.all(np.diff(found.towards_score) <= 0)
    assert np.all(np.diff(found.away_score) >= 0)


def test_fewer_words_than_asked_for_are_all_there_are() -> None:
    found = leaning([1, 2, 3, 4], [[[1, 4], [2, 3], [3, 2], [4, 1]]], k=20)
    assert found.towards.tolist() == [0, 1]
    assert found.away.tolist() == [1, 0]
    assert leaning([1, 2, 3, 4], []).towards.size == 0


def test_a_chunk_over_other_names_is_refused() -> None:
    with pytest.raises(ValueError, match="row for each of the 4 names"):
        leaning([1, 2, 3, 4], [np.zeros((3, 2))])
    with pytest.raises(ValueError, match="k = 0 must be 1 or more"):
        leaning([1, 2, 3, 4], [], k=0)
