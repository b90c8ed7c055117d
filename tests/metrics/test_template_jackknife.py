"""Intervals over templates: by hand for the direct score, by coverage for the indirect one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import t

from tiltmeter.metrics.indirect import indirect_scores
from tiltmeter.metrics.logprob import bias_scores
from tiltmeter.metrics.template_jackknife import indirect_template_bounds, score_template_bounds

Array = NDArray[np.float64]


def test_the_mean_of_log_ratios_has_the_textbook_interval() -> None:
    ratios = np.array([0.1, 0.5, 0.9, 0.2])
    bounds = score_template_bounds((ratios - 5)[:, None], np.full((4, 1), -5.0), averaging="log")
    low, high = t.interval(0.95, 3, ratios.mean(), ratios.std(ddof=1) / 2)
    assert (bounds.low.item(), bounds.high.item()) == pytest.approx((low, high))


def test_one_template_bounds_nothing_and_equal_templates_leave_no_doubt() -> None:
    one = score_template_bounds([[-3.0]], [[-4.0]])
    assert math.isnan(one.low.item())
    assert one.method == "none: there is one template only"
    equal = score_template_bounds([[-3.0], [-3.0]], [[-4.0], [-4.0]])
    assert (equal.low.item(), equal.high.item()) == pytest.approx((1, 1))


def test_a_side_with_one_template_stays_as_it_is() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(1, 2, 30)) - 5, rng.normal(size=(4, 30, 3)) - 5
    prior_x, prior_y = np.full((1, 1, 30), -5.0), np.full((4, 1, 3), -5.0)
    bounds = indirect_template_bounds(x, prior_x, y, prior_y)
    score = indirect_scores(bias_scores(x, prior_x), bias_scores(y, prior_y)).score
    assert np.all((bounds.low < score) & (score < bounds.high))
    assert bounds.method.startswith("jackknife over 4 templates")
    assert np.isnan(indirect_template_bounds(x, prior_x, y[:1], prior_y[:1]).low).all()


def test_a_word_that_does_not_fit_one_template_is_bounded_by_the_others() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(3, 2, 30)) - 5, rng.normal(size=(4, 30, 3)) - 5
    prior_x, prior_y = np.full((3, 1, 30), -5.0), np.full((4, 1, 3), -5.0)
    x[0, 1] = y[2, 5] = math.nan
    bounds = indirect_template_bounds(x, prior_x, y, prior_y)
    assert np.all(bounds.low < bounds.high)


def test_the_level_is_a_share() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        score_template_bounds([[-3.0], [-2.0]], [[-4.0], [-4.0]], level=95)


@pytest.mark.parametrize("templates", [(4, 4), (3, 10)])
def test_intervals_hold_the_expected_score_as_often_as_they_say(templates: tuple[int, int]) -> None:
    rng = np.random.default_rng(2)
    names, worlds = 60, 250
    lean_x, lean_y = rng.normal(size=(3, names)), rng.normal(size=(names, 2))
    lean_x += lean_y.T[0]
    low, high, scores = [], [], []
    for _ in range(worlds):
        log_p = [
            lean - 9 + 0.7 * rng.normal(size=(n, *lean.shape))
            for n, lean in zip(templates, (lean_x, lean_y), strict=True)
        ]
        prior = [np.full((n, 1, 1), -9.0) for n in templates]
        bounds = indirect_template_bounds(log_p[0], prior[0], log_p[1], prior[1])
        low.append(bounds.low)
        high.append(bounds.high)
        scores.append(indirect_scores(*map(bias_scores, log_p, prior)).score)
    expected = np.tanh(np.arctanh(scores).mean(axis=0))
    assert 0.92 <= np.mean((np.array(low) <= expected) & (expected <= high)) <= 0.98
