"""Adjusted p-values: worked examples, and agreement with SciPy."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import false_discovery_control

from tiltmeter.metrics.multiplicity import benjamini_hochberg, holm

Array = NDArray[np.float64]
BOTH: list[Callable[[list[float]], Array]] = [holm, benjamini_hochberg]
p_values = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_holm_by_hand() -> None:
    # .005·4 = .02, .01·3 = .03, .03·2 = .06, and .04·1 may not fall below .06
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.5]) == pytest.approx([1, 1])


def test_benjamini_hochberg_by_hand() -> None:
    # .005·4/1 = .02, .01·4/2 = .02, .03·4/3 = .04, .04·4/4 = .04
    assert benjamini_hochberg([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.02, 0.04, 0.04, 0.02])
    assert benjamini_hochberg([0.9, 0.02, 0.021]) == pytest.approx([0.9, 0.0315, 0.0315])


def test_the_example_of_benjamini_and_hochberg() -> None:
    # Their section 3.2: at .05 the four smallest of 15 p-values are rejected; by Bonferroni, as by Holm, three.
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459]
    p += [0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000]
    assert np.count_nonzero(benjamini_hochberg(p) <= 0.05) == 4
    assert np.count_nonzero(holm(p) <= 0.05) == 3


@given(p_values)
def test_benjamini_hochberg_agrees_with_scipy(p: list[float]) -> None:
    assert benjamini_hochberg(p) == pytest.approx(false_discovery_control(p))


@given(p_values)
def test_adjusting_never_makes_a_p_value_smaller_and_keeps_the_order(p: list[float]) -> None:
    for adjusted in (benjamini_hochberg(p), holm(p)):
        assert np.all(adjusted >= np.array(p) * (1 - 1e-12))
        assert np.all(np.diff(adjusted[np.argsort(p)]) >= 0)
    assert np.all(holm(p) >= benjamini_hochberg(p) * (1 - 1e-12))
    assert holm(p).min() == pytest.approx(min(1, len(p) * min(p)))


@pytest.mark.parametrize("adjust", BOTH)
def test_a_missing_p_value_passes_through_uncounted(adjust: Callable[[list[float]], Array]) -> None:
    given = [0.01, math.nan, 0.04, math.nan, 0.03]
    adjusted = adjust(given)
    assert np.isnan(adjusted).tolist() == [False, True, False, True, False]
    assert adjusted[[0, 2, 4]] == pytest.approx(adjust([0.01, 0.04, 0.03]))
    assert np.isnan(given).sum() == 2
    assert np.isnan(adjust([math.nan])).all()
    assert adjust([]).size == 0


@pytest.mark.parametrize("adjust", BOTH)
def test_what_is_no_p_value_is_refused(adjust: Callable[[list[float]], Array]) -> None:
    with pytest.raises(ValueError, match=r"p-value 1 is 1.5"):
        adjust([0.5, 1.5])
    with pytest.raises(ValueError, match=r"p-value 0 is -0.1"):
        adjust([-0.1, 0.5])
    with pytest.raises(ValueError, match="as a list"):
        adjust([[0.5]])  # type: ignore[list-item]
