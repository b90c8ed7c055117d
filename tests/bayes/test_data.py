"""What the model is given: cells, and data that no posterior can be computed from."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from tiltmeter.bayes.data import cells, check, mean_average_cosine
from tiltmeter.bayes.priors import Priors
from tiltmeter.errors import InputError

from .small import distances, simulated


def test_the_cells_hold_all_that_the_likelihood_needs() -> None:
    data = simulated(seed=3)
    table = cells(data)
    rng = np.random.default_rng(0)
    mu, sigma = rng.normal(0.9, 0.2, table.mean.shape), rng.uniform(0.05, 0.4, 4)
    by_row = np.sum(norm.logpdf(data.distance, mu[data.word, data.connection], sigma[data.connection]))
    squares = table.deviations + table.count * (table.mean - mu) ** 2
    by_cell = (-table.count * np.log(sigma * math.sqrt(2 * math.pi)) - squares / (2 * sigma**2)).sum()
    assert by_cell == pytest.approx(by_row, rel=1e-12)


def test_mac_weighs_every_attribute_set_alike() -> None:
    """Two sets of unequal size: (0.2 + 0.4) / 2 and 0.9 have the mean 0.6, where the three rows have 0.5."""
    data = distances([0, 0, 0], [0, 0, 1], [0.2, 0.4, 0.9])
    assert mean_average_cosine(data) == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("word", "connection", "distance", "message"),
    [
        ([0, 1], [1, 3], [0.5, 0.7], "'associated'"),
        ([0, 1], [0, 0], [0.5, 0.7], "all distances are of the connection 'associated'"),
        ([0, 1, 1], [0, 1, 1], [0.5, math.nan, 0.7], "'w1' to 'a1' is nan"),
        ([0, 1, 1], [0, 1, 1], [0.5, math.inf, 0.7], "'w1' to 'a1' is inf"),
        ([0, 0, 1, 1, 0, 1], [0, 0, 0, 0, 1, 1], [0.5, 0.5, 0.5, 0.5, 0.6, 0.7], "are all equal"),
        ([0, 0, 1, 1, 0, 1], [0, 0, 0, 0, 1, 1], [0.5, 0.5, 0.8, 0.8, 0.6, 0.7], "of each protected word"),
    ],
    ids=["none associated", "nothing else", "NaN", "infinite", "constant", "constant within words"],
)
def test_data_without_an_answer_are_refused(
    word: list[int], connection: list[int], distance: list[float], message: str
) -> None:
    with pytest.raises(InputError, match="given, made: ") as caught:
        check(distances(word, connection, distance))
    assert message in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize("name", ["bar_sd", "spread_rate", "sigma_rate"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_priors_that_are_none_are_refused(name: str, value: float) -> None:
    with pytest.raises(InputError, match=name):
        Priors(**{name: value})
