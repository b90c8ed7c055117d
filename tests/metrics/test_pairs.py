"""Sentence pairs: a table worked by hand, ties as they were published, and the tokens that two sentences share."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from tiltmeter.metrics.pairs import pair_scores, shared_spans

MORE = [-10.0, -12.0, -9.0, -20.0, -15.0, -11.0]
LESS = [-11.0, -11.5, -9.0, -21.0, -16.0, -10.0]  # preferred: yes, no, tie, yes, yes, no
DIRECTION = ["stereo", "stereo", "stereo", "antistereo", "antistereo", "antistereo"]
TYPES = ["age", "race", "age", "race", "age", "race"]


def test_six_pairs_by_hand() -> None:
    found = pair_scores(MORE, LESS, DIRECTION, TYPES)
    assert found.overall.score == 50  # 3 of 6: the tie counts as a pair
    assert (found.overall.preferred, found.overall.of, found.overall.ties, found.overall.pairs) == (3, 6, 1, 6)
    assert found.stereotype.score == 50  # 1 of the 2 that are not tied
    assert (found.stereotype.of, found.stereotype.ties, found.stereotype.pairs) == (2, 1, 3)
    assert found.antistereotype.score == pytest.approx(200 / 3)
    assert list(found.by_type) == ["age", "race"]
    assert found.by_type["age"].score == pytest.approx(200 / 3)
    assert found.by_type["race"].score == pytest.approx(100 / 3)
    assert found.overall.p_value == 1  # 3 heads in 5 throws


def test_log_likelihoods_equal_to_three_decimals_are_a_tie_as_in_the_published_code() -> None:
    close = [-10.0001], [-10.0002], ["stereo"], ["age"]
    assert pair_scores(*close).overall.score == 0
    assert pair_scores(*close).overall.ties == 1
    assert math.isnan(pair_scores(*close).stereotype.score)
    assert math.isnan(pair_scores(*close).overall.p_value)
    assert pair_scores(*close, decimals=None).overall.score == 100


def test_the_p_value_is_that_of_a_fair_coin() -> None:
    # 8 of 8: 2 / 2^8. With two ties more it is the same, while the score is 80.
    more = np.r_[np.ones(8), 0, 0] - 10
    found = pair_scores(more, np.full(10, -10), ["stereo"] * 10, ["age"] * 10)
    assert found.overall.p_value == pytest.approx(2 / 2**8)
    assert found.overall.score == 80
    # All decided pairs agree: the lower end solves p^8 = .025.
    assert (found.stereotype.interval.low, found.stereotype.interval.high) == pytest.approx(
        (100 * 0.025 ** (1 / 8), 100)
    )
    assert found.stereotype.interval.method.startswith("Clopper-Pearson")


def test_the_interval_of_many_pairs_is_that_of_a_proportion() -> None:
    more = np.where(np.arange(1500) < 900, 1.0, -1.0)
    interval = pair_scores(more, np.zeros(1500), ["stereo"] * 1500, ["age"] * 1500).overall.interval
    margin = 100 * 1.96 * math.sqrt(0.6 * 0.4 / 1500)
    assert (interval.low, interval.high) == pytest.approx((60 - margin, 60 + margin), abs=0.2)
    assert interval.method == "BCa"


@pytest.mark.parametrize("pairs", [60, 300])
def test_intervals_hold_the_truth_as_often_as_they_say(pairs: int) -> None:
    rng = np.random.default_rng(0)
    truth, hits, worlds = 62.0, np.zeros(2), 600
    for seed in range(worlds):
        more = rng.choice([1.0, -1.0, 0.0], size=pairs, p=[0.62, 0.3, 0.08])
        found = pair_scores(more, np.zeros(pairs), ["stereo"] * pairs, ["age"] * pairs, resamples=999, seed=seed)
        for i, (part, expected) in enumerate([(found.overall, truth), (found.stereotype, 100 * 0.62 / 0.92)]):
            hits[i] += part.interval.low <= expected <= part.interval.high
    assert np.all((hits / worlds >= 0.92) & (hits / worlds <= 0.97))


SPANS = [
    ("fat people can be kind", "thin people can be kind", [1, 2, 3, 4], [1, 2, 3, 4]),
    ("the old man sang", "the young old woman sang", [0, 1, 3], [0, 2, 4]),
    ("a b a b", "b a b", [1, 2, 3], [0, 1, 2]),
    ("one two", "three four", [], []),
    ("", "one", [], []),
]


@pytest.mark.parametrize(("one", "other", "first", "second"), SPANS)
def test_shared_tokens(one: str, other: str, first: list[int], second: list[int]) -> None:
    words = {word: i for i, word in enumerate(sorted({*one.split(), *other.split()}))}
    found = shared_spans([words[w] for w in one.split()], [words[w] for w in other.split()])
    assert [positions.tolist() for positions in found] == [first, second]


def test_a_token_that_is_frequent_in_a_long_text_is_still_shared() -> None:
    text = [7, 8] * 150
    first, second = shared_spans([1, *text], [2, *text])
    assert first.size == second.size == 300


REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: pair_scores([-1.0], [-1.0, -2], ["stereo"], ["age"]), "do not belong together"),
    (lambda: pair_scores([], [], [], []), "do not belong together"),
    (lambda: pair_scores([-1.0, math.nan], [-1.0, -2], ["stereo"] * 2, ["age"] * 2), "pair 1 is not a finite number"),
    (lambda: pair_scores([-1.0], [-1.0], ["up"], ["age"]), "pair 0 has the direction 'up'"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_has_no_answer_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
