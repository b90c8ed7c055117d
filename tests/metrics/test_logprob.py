"""Log-probability scores: worked by hand, and what must not be mixed up."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from tiltmeter.metrics.logprob import averaged, bias_scores, increased_log_probability, lpbs

Array = NDArray[np.float64]
NAN = math.nan


def log(*p: object) -> Array:
    return np.log(np.array(p, dtype=np.float64))


def test_a_word_three_times_as_likely_as_by_itself_scores_log_3() -> None:
    asc = increased_log_probability(log(0.3, 0.1, 0.05), log(0.1, 0.1, 0.1))
    assert asc == pytest.approx([math.log(3), 0, -math.log(2)])


def test_probabilities_are_averaged_before_the_logarithm() -> None:
    # (.8 + .2) / (.4 + .4) = 1.25, while the ratios 2 and 1/2 cancel.
    p, prior = log([0.8], [0.2]), log([0.4], [0.4])
    assert bias_scores(p, prior) == pytest.approx([math.log(1.25)])
    assert bias_scores(p, prior, averaging="log") == pytest.approx([0])
    assert averaged(p) == pytest.approx([math.log(0.5)])
    assert averaged(p, averaging="log") == pytest.approx([math.log(0.4)])


def test_a_template_that_occurs_twice_weighs_twice() -> None:
    # The probabilities sum to 1.8, the priors to 1.2.
    assert bias_scores(log([0.8], [0.8], [0.2]), log([0.4], [0.4], [0.4])) == pytest.approx([math.log(1.5)])


@pytest.mark.parametrize("averaging", ["probability", "log"])
def test_a_template_that_does_not_fit_a_word_is_left_out_of_both_means(averaging: str) -> None:
    p = log([0.8, 0.3], [NAN, 0.1], [0.2, 0.2])
    prior = log([0.4, 0.1], [0.9, 0.1], [NAN, 0.1])
    scores = bias_scores(p, prior, averaging=averaging)  # type: ignore[arg-type]
    assert scores[0] == pytest.approx(math.log(2))  # the first template alone
    assert scores[1] == pytest.approx(math.log(2) if averaging == "probability" else math.log(6) / 3)


def test_a_prior_of_the_name_alone_serves_all_targets_but_not_their_gaps() -> None:
    p = np.log(np.random.default_rng(0).uniform(size=(3, 4, 5)))
    prior = np.log(np.random.default_rng(1).uniform(size=(3, 1, 5)))
    whole = bias_scores(p, prior)
    p[1, 2, 3] = NAN
    gap = bias_scores(p, prior)
    assert gap[2, 3] == pytest.approx(bias_scores(p[[0, 2], 2:3, 3], prior[[0, 2], :, 3])[0])
    gap[2, 3] = whole[2, 3]
    assert gap == pytest.approx(whole)


def test_a_word_that_no_template_fits_has_no_score() -> None:
    p = log([NAN, 0.5], [NAN, 0.5])
    assert np.isnan(bias_scores(p, log([0.1, 0.5], [0.1, 0.5]))).tolist() == [True, False]
    assert np.isnan(averaged(p)).tolist() == [True, False]


def test_probabilities_far_below_the_range_of_a_float_keep_their_ratio() -> None:
    assert bias_scores([[-2000.0], [-2001.0]], [[-2003.0], [-2004.0]]) == pytest.approx([3])


ASC = np.array([[1.5, 1.0, 0.5, 0.0], [0.5, 0.5, 1.0, 1.0]])  # one target in X, one in Y; two attributes in A, two in B


def test_lpbs_by_hand() -> None:
    # s_log is 1, .5 | -.5, -1: the means differ by 1.5; the squares sum to 2.5. Of the six partitions, two reach |1.5|.
    found = lpbs(ASC, 1, 2)
    assert found.scores_a.tolist() == [1, 0.5]
    assert found.scores_b.tolist() == [-0.5, -1]
    assert found.difference == pytest.approx(1.5)
    assert found.effect_size == pytest.approx(1.5 / math.sqrt(2.5 / 3))
    assert lpbs(ASC, 1, 2, ddof=0).effect_size == pytest.approx(1.5 / math.sqrt(2.5 / 4))
    assert found.p_value == pytest.approx(1 / 3)


def test_swapping_the_targets_turns_lpbs_around_and_leaves_its_p_value() -> None:
    scores = np.random.default_rng(3).normal(size=(7, 16)) + np.outer(np.arange(7) > 3, np.arange(16) > 7)
    one, other = lpbs(scores, 4, 8), lpbs(np.roll(scores, 3, axis=0), 3, 8)
    assert other.effect_size == pytest.approx(-one.effect_size)
    assert other.p_value == pytest.approx(one.p_value)
    assert one.interval.low < one.effect_size < one.interval.high
    assert one.interval.method == "BCa"
    wider = lpbs(scores, 4, 8, over_targets=True).interval
    assert wider.high - wider.low > one.interval.high - one.interval.low


REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: bias_scores(np.zeros((2, 3), dtype=np.float16), np.zeros((2, 3))), "half precision"),
    (lambda: averaged([[math.inf]]), "no probability is above 1"),
    (lambda: bias_scores(np.zeros((2, 3)), np.zeros((3, 3))), "same number of templates"),
    (lambda: bias_scores(np.zeros((2, 3, 4)), np.zeros((2, 4))), "as many axes"),
    (lambda: lpbs(ASC, 2, 2), "cannot be split after target 2"),
    (lambda: lpbs(ASC, 1, 3), "A and B two"),
    (lambda: lpbs(np.where(ASC == 0, NAN, ASC), 1, 2), "target 0 and attribute 3 is not a finite number"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_has_no_answer_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
