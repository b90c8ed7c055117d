"""What is told of a posterior."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tiltmeter.bayes.data import Array
from tiltmeter.bayes.diagnostics import diagnostics
from tiltmeter.bayes.estimates import by_word, changes, contrasts, described, interval, population, word_contrasts
from tiltmeter.bayes.fit import Posterior, fit
from tiltmeter.bayes.predictive import coverage, densities
from tiltmeter.bayes.sensitivity import prior_sensitivity
from tiltmeter.bayes.summary import measurements, sentence
from tiltmeter.errors import InputError

from .small import distances, simulated


def test_the_densest_interval_of_an_exponential_starts_at_its_top() -> None:
    draws = np.random.default_rng(0).exponential(1.0, 200_000)
    low, high = interval(draws, 0.89)
    assert low == pytest.approx(0, abs=0.001)
    assert high == pytest.approx(-math.log(0.11), rel=0.02)


def test_the_numbers_of_a_normal_are_its_own() -> None:
    draws: Array = np.random.default_rng(0).normal(0.5, 1.0, (4, 20_000))
    found = described(draws, kind="bar", connection="x")
    assert (found.mean, found.sd) == pytest.approx((0.5, 1.0), abs=0.02)
    assert (found.low, found.high) == pytest.approx((0.5 - 1.598, 0.5 + 1.598), abs=0.08)
    assert (found.low_50, found.high_50) == pytest.approx((0.5 - 0.674, 0.5 + 0.674), abs=0.12)
    assert found.below == pytest.approx(0.3085, abs=0.01)
    assert found.direction == pytest.approx(0.6915, abs=0.01)
    assert found.r_hat == pytest.approx(1, abs=0.001)
    assert found.ess_bulk == pytest.approx(80_000, rel=0.05)


def test_chains_that_disagree_are_found_out(posterior: Posterior) -> None:
    tree = posterior.tree.copy(deep=True)
    bar: Any = tree["posterior"]["bar"].values
    bar[1] += 0.1
    found = diagnostics(replace(posterior, tree=tree))
    assert found.r_hat > 1.5
    assert any(warning.startswith("The chains disagree: R-hat of bar[") for warning in found.warnings)


def test_divergences_are_told(posterior: Posterior) -> None:
    tree = posterior.tree.copy(deep=True)
    diverging: Any = tree["sample_stats"]["diverging"].values
    diverging[0, :7] = True
    assert any("7 of 8000 draws diverged" in warning for warning in diagnostics(replace(posterior, tree=tree)).warnings)


def test_one_chain_and_few_draws_are_warned_of() -> None:
    short = fit([simulated()], chains=1, draws=40)[0]
    warnings = " ".join(diagnostics(short).warnings)
    assert "There is one chain only" in warnings
    assert "fewer than 100" in warnings


def test_a_good_fit_has_no_warnings(posterior: Posterior) -> None:
    found = diagnostics(posterior)
    assert found.r_hat < 1.01
    assert found.warnings == ()


def test_contrasts_find_what_was_put_in(posterior: Posterior) -> None:
    """The associated attributes were made at 0.75, the others at 0.85, 0.92 and 0.98."""
    found = {each.connection: each for each in contrasts(posterior)}
    for name, made in (("different", -0.1), ("human", -0.17), ("neutral", -0.23)):
        each = found[f"associated - {name}"]
        assert abs(each.mean - made) < 2.5 * each.sd
    assert found["associated - neutral"].sure
    assert found["associated - neutral"].below > 0.999


def test_the_contrast_of_a_word_is_the_difference_of_its_means(posterior: Posterior) -> None:
    means = {(each.word, each.connection): each.mean for each in by_word(posterior)}
    for each in word_contrasts(posterior):
        other = each.connection.removeprefix("associated - ")
        assert each.mean == pytest.approx(means[each.word, "associated"] - means[each.word, other])


def test_the_sentence_tells_what_is_settled_from_what_is_not(posterior: Posterior) -> None:
    assert "stand nearer to the attributes linked with them than to neutral words, by 0.2" in sentence(posterior)
    unsettled = fit([simulated(bar=(0.9, 0.9, 0.9, 0.9), seed=2)])[0]
    assert "than to neutral words is not settled" in sentence(unsettled)


def test_a_model_of_the_right_kind_covers_its_data_and_another_does_not(posterior: Posterior) -> None:
    half, most = coverage(posterior)
    assert (half.share, most.share) == pytest.approx((0.5, 0.89), abs=0.06)
    rng = np.random.default_rng(0)
    heavy = 0.9 + 0.02 * rng.standard_cauchy(800).clip(-40, 40)  # far heavier tails than a normal has
    tails = fit([distances(np.arange(800) % 8, np.arange(800) // 400, heavy)])[0]
    assert coverage(tails)[0].share > 0.8


def test_the_predicted_density_is_one(posterior: Posterior) -> None:
    found = densities(posterior)
    assert np.trapezoid(found.predicted, found.at) == pytest.approx(1, abs=0.01)
    assert np.trapezoid(found.observed, found.at) == pytest.approx(1, abs=0.01)
    assert np.abs(found.predicted - found.observed).max() < 0.2 * found.observed.max()


def test_before_and_after_differ_by_what_was_done(posterior: Posterior) -> None:
    """All associated distances are moved out by 0.2, as debiasing would."""
    before = posterior.distances
    after = fit([replace(before, name="after", distance=before.distance + 0.2 * (before.connection == 0))])[0]
    found = {each.connection: each.mean for each in changes(posterior, after)}
    assert found["associated"] == pytest.approx(0.2, abs=0.03)
    assert found["neutral"] == pytest.approx(0, abs=0.03)
    assert found["associated - neutral"] == pytest.approx(0.2, abs=0.03)
    with pytest.raises(InputError, match="no protected word in common"):
        changes(posterior, fit([replace(before, words=tuple(f"x{i}" for i in range(6)))])[0])


def test_prior_sensitivity_shows_where_the_prior_speaks() -> None:
    few = distances([0, 0, 1, 1, 1], [0, 1, 0, 1, 1], [0.5, 1.1, 0.4, 1.2, 1.25], name="few")
    many = simulated(words=12, bar=(0.9, 1.0, 1.0, 1.0))
    shifts = prior_sensitivity([many, few], factors=(0.3,))
    largest = {each.data.name: max(abs(s.shift) for s in shifts if s.data is each.data) for each in shifts}
    assert largest["few"] > 0.5 > largest["simulated"]
    assert [each.sensitive for each in shifts if each.data is few] == [True]


def test_measurements_are_plain_json_and_hold_every_number(posterior: Posterior) -> None:
    rows = [row.as_dict() for row in measurements(posterior)]
    assert len({row["metric"] for row in rows}) == len(rows) == 3 + 12 + 24 + 18
    json.dumps(rows, allow_nan=False)
    first = rows[0]
    assert first["metric"] == "bayes contrast: associated - different"
    assert first["low"] < first["value"] < first["high"]
    assert first["settings"]["seed"] == 0
    assert first["settings"]["priors"]["bar_sd"] == 0.3
    bars = {each.connection: each.mean for each in population(posterior) if each.kind == "bar"}
    assert first["value"] == pytest.approx(bars["associated"] - bars["different"])
