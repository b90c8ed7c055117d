"""The null model: the exact share against simulation, the paper's case, and the link to Student's t."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import ttest_ind

from tiltmeter.metrics.association import effect_size
from tiltmeter.metrics.null_model import largest_effect_size, null_share


def null_effect_sizes(
    sizes: tuple[int, int, int, int], mean: float, sd: float, draws: int, ddof: int
) -> NDArray[np.float64]:
    """Effect sizes of lists whose every similarity comes from one normal distribution."""
    n_x, n_y, n_a, n_b = sizes
    rng = np.random.default_rng(1)
    to_a, to_b = (rng.normal(mean, sd, size=(draws, n_x + n_y, n)).mean(axis=2) for n in (n_a, n_b))
    s = to_a - to_b
    difference = s[:, :n_x].mean(axis=1) - s[:, n_x:].mean(axis=1)
    return np.asarray(difference / s.std(axis=1, ddof=ddof), dtype=np.float64)


def test_the_case_of_the_paper_is_not_38_percent() -> None:
    # 8 + 8 protected words, 8 + 8 attributes, Normal(0, .08), and the effect size that the paper drew: 1.267.
    assert null_share(1.2671948, 8, 8) == pytest.approx(0.0060, abs=5e-5)
    assert null_share(1.2671948, 8, 8, ddof=0) == pytest.approx(0.0084, abs=5e-5)
    drawn = np.abs(null_effect_sizes((8, 8, 8, 8), 0.0, 0.08, 100_000, ddof=1))
    assert np.mean(drawn >= 1.2671948) == pytest.approx(0.006, abs=0.001)


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("sizes", [(3, 3, 2, 2), (2, 7, 5, 3), (12, 5, 1, 4)])
def test_the_exact_share_is_that_of_a_simulation(sizes: tuple[int, int, int, int], ddof: int) -> None:
    drawn = null_effect_sizes(sizes, 0.3, 0.1, 40_000, ddof)
    for d in (0.2, 0.7, 1.2):
        tolerance = 5 * math.sqrt(0.25 / drawn.size)
        assert np.mean(np.abs(drawn) >= d) == pytest.approx(null_share(d, *sizes[:2], ddof=ddof), abs=tolerance)
        for sign in (-1, 1):
            share = null_share(sign * d, *sizes[:2], ddof=ddof, alternative="greater")
            assert np.mean(drawn >= sign * d) == pytest.approx(share, abs=tolerance)


@given(st.integers(2, 9), st.integers(2, 9), st.integers(0, 2**32 - 1), st.sampled_from([0, 1]))
def test_the_share_is_the_p_value_of_students_t_test(n_x: int, n_y: int, seed: int, ddof: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(size=n_x), rng.normal(size=n_y)
    d = effect_size(x, y, ddof=ddof)
    assert null_share(d, n_x, n_y, ddof=ddof) == pytest.approx(ttest_ind(x, y).pvalue)
    assert null_share(d, n_x, n_y, ddof=ddof, alternative="greater") == pytest.approx(
        ttest_ind(x, y, alternative="greater").pvalue
    )


def test_the_largest_effect_size_is_reached_without_spread_within_groups() -> None:
    for n_x, n_y in ((2, 2), (8, 8), (3, 5)):
        for ddof in (0, 1):
            d = effect_size([1.0] * n_x, [0.0] * n_y, ddof=ddof)
            assert d == pytest.approx(largest_effect_size(n_x, n_y, ddof=ddof))
            assert null_share(d, n_x, n_y, ddof=ddof) == pytest.approx(0, abs=1e-6)
    assert largest_effect_size(25, 25, ddof=0) == 2
    assert largest_effect_size(2, 2) == pytest.approx(math.sqrt(3))


def test_no_effect_is_always_reached() -> None:
    assert null_share(0.0, 4, 6) == 1
    assert null_share(0.0, 4, 6, alternative="greater") == pytest.approx(0.5)


def test_no_effect_size_has_no_share() -> None:
    assert math.isnan(null_share(math.nan, 8, 8))


def test_an_effect_that_no_lists_can_show_is_refused() -> None:
    with pytest.raises(ValueError, match=r"2 and 2 words cannot show an effect size of 1\.93; it reaches 1\.732"):
        null_share(1.93, 2, 2)
    with pytest.raises(ValueError, match="words on both sides"):
        null_share(0.5, 0, 8)
    with pytest.raises(ValueError, match="three or more in all"):
        null_share(0.5, 1, 1)
