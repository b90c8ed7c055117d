"""The null simulations of Dobrzeniecka & Urbaniak, section 3.2."""

from __future__ import annotations

import numpy as np
import pytest

from tiltmeter.metrics import association
from tiltmeter.metrics.null_model import null_share
from tiltmeter.metrics.null_simulation import draw_similarities, scored, simulate_mac, simulate_weat, splits


def test_six_null_samples_in_a_thousand_reach_the_effect_size_of_the_paper_not_38_percent() -> None:
    """8 + 8 protected words, 8 + 8 attributes, Normal(0, 0.08): |d| >= 1.267 in 0.6 % of 100,000 samples."""
    share = simulate_weat(8, 8, 8, 8, samples=100_000).share(1.267)
    assert share == pytest.approx(0.006, abs=0.0005)
    assert share == pytest.approx(null_share(1.267, 8, 8), abs=0.001)


def test_38_percent_come_out_where_one_word_stands_for_each_group() -> None:
    """As R's `mean(s1, ..., s8)` has it, which is s1: very likely where the paper's number comes from."""
    rng = np.random.default_rng(0)
    drawn = rng.normal(0, 0.08, (50_000, 16, 16))
    scores = drawn[..., :8].mean(axis=2) - drawn[..., 8:].mean(axis=2)
    first_alone = (scores[:, 0] - scores[:, 8]) / scores.std(axis=1, ddof=1)
    assert np.mean(np.abs(first_alone) >= 1.267) == pytest.approx(0.38, abs=0.012)


def test_the_statistic_has_the_spread_of_a_sum_of_16_differences_of_means() -> None:
    null = simulate_weat(8, 8, 8, 8, samples=50_000)
    assert null.statistics.std() == pytest.approx(0.08 * (16 * 2 / 8) ** 0.5, rel=0.02)
    assert null.statistics.mean() == pytest.approx(0, abs=0.005)


def test_mac_varies_by_chance_as_its_weights_say() -> None:
    mac = simulate_mac(15, (4, 3, 4), samples=50_000)
    assert mac.mean() == pytest.approx(1, abs=0.0005)
    assert mac.std() == pytest.approx(0.08 * ((1 / 4 + 1 / 3 + 1 / 4) / 15 / 9) ** 0.5, rel=0.02)


def test_the_splits_are_all_ways_to_choose_and_hold_the_one_observed() -> None:
    similarities = draw_similarities(10, 8, seed=4)
    scores, effect, statistic = scored(similarities, 5, 4)
    listed = splits(scores, 5)
    assert listed.effect_sizes.size == 252
    assert listed.effect_sizes[0] == pytest.approx(effect)
    assert listed.statistics[0] == pytest.approx(statistic)
    assert listed.effect_sizes[7] == pytest.approx(-listed.effect_sizes[-8])
    assert association.effect_size(scores[:5], scores[5:]) == pytest.approx(effect)


@pytest.mark.parametrize("sizes", [(0, 8, 8, 8), (1, 1, 8, 8), (8, 8, 0, 8)])
def test_sizes_that_have_no_effect_size_are_refused(sizes: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="need"):
        simulate_weat(*sizes)
