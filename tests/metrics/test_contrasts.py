"""Which of two features a target goes with more: by the definition, and where there is nothing to be found."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import t as student

from tiltmeter.metrics.contrasts import correlation_contrasts

PAIRS = [(0, 1), (2, 3)]


def scores(rng: np.random.Generator, names: int, targets: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores that all hang together by how common a name is, and not by anything that tells two features apart."""
    common = rng.normal(size=names)
    return (
        0.6 * common + 0.8 * rng.normal(size=(targets, names)),
        0.6 * common[:, None] + 0.8 * rng.normal(size=(names, 4)),
    )


def test_value_and_interval_are_those_of_the_definition() -> None:
    to_target, to_feature = scores(np.random.default_rng(0), 40, 3)
    found = correlation_contrasts(to_target, to_feature, PAIRS, level=0.9)
    assert (found.names, found.level) == (40, 0.9)

    def difference(names: NDArray[np.intp]) -> float:
        r = np.corrcoef([to_target[1, names], *to_feature[names, 2:].T])
        return float(r[0, 1] - r[0, 2])

    everyone = np.arange(40)
    each = np.array([difference(np.delete(everyone, name)) for name in everyone])
    reach = student.isf(0.05 / 6, 37) * np.sqrt(39 / 40 * ((each - each.mean()) ** 2).sum())
    assert found.value[1, 1] == pytest.approx(difference(everyone))
    assert found.low[1, 1] == pytest.approx(difference(everyone) - reach)
    assert found.high[1, 1] == pytest.approx(difference(everyone) + reach)


def test_where_features_are_alike_hardly_ever_one_of_many_differences_excludes_zero() -> None:
    rng = np.random.default_rng(1)
    wrong = 0
    for _ in range(200):
        found = correlation_contrasts(*scores(rng, 200, 20), PAIRS)
        wrong += bool(((found.low > 0) | (found.high < 0)).any())
    assert wrong <= 20  # 10 are expected


def test_a_difference_that_is_there_is_found() -> None:
    rng = np.random.default_rng(2)
    to_target, to_feature = scores(rng, 200, 20)
    to_target[3] += 1.5 * (to_feature[:, 0] - to_feature[:, 1])
    found = correlation_contrasts(to_target, to_feature, PAIRS)
    assert found.low[3, 0] > 0
    assert found.low[3, 1] < 0 < found.high[3, 1]


def test_names_without_a_score_take_no_part_and_few_names_tell_nothing() -> None:
    to_target, to_feature = scores(np.random.default_rng(3), 30, 2)
    whole = correlation_contrasts(to_target[:, 4:], to_feature[4:], PAIRS)
    to_target[0, :2], to_feature[2:4, 3] = np.nan, np.nan
    found = correlation_contrasts(to_target, to_feature, PAIRS)
    assert found.names == 26
    np.testing.assert_allclose(found.low, whole.low)
    assert np.isnan(correlation_contrasts(to_target[:, :8], to_feature[:8], PAIRS).value).all()
    assert correlation_contrasts(to_target, to_feature, []).value.shape == (2, 0)


def test_a_target_whose_scores_do_not_vary_has_no_difference_and_spoils_no_other() -> None:
    to_target, to_feature = scores(np.random.default_rng(4), 30, 2)
    to_target[0] = 1.0
    found = correlation_contrasts(to_target, to_feature, PAIRS)
    assert np.isnan(found.value[0]).all()
    assert np.isfinite(found.low[1]).all()
