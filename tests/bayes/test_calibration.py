"""Simulation-based calibration (Talts et al. 2018): parameters drawn from the prior, distances from the parameters.

If the sampler is right, the rank of each true parameter among the draws from its posterior is uniform. The data sets
are simulated here by NumPy alone, row by row.
"""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chisquare

from tiltmeter.bayes.data import CONNECTIONS, Distances
from tiltmeter.bayes.fit import fit

from .small import distances

SETS, BINS, THIN, KEPT = 600, 20, 8, 99
WORDS, ROWS = 5, (2, 4, 8, 15)  # of a word, by connection
SIGNIFICANT = 0.01

Array = NDArray[np.float64]

pytestmark = pytest.mark.slow


def drawn(rng: np.random.Generator) -> tuple[dict[str, Array], Distances]:
    """One set of parameters from the prior, and distances that follow from them."""
    bar = rng.normal(1.0, 0.3, 4)
    spread, sigma = rng.exponential(1 / 2, (2, 4))
    mu = rng.normal(bar, spread, (WORDS, len(CONNECTIONS)))
    word = np.repeat(np.arange(WORDS), sum(ROWS))
    connection = np.tile(np.repeat(np.arange(4), ROWS), WORDS)
    truth = {"bar": bar, "spread": spread, "sigma": sigma, "mu": mu}
    return truth, distances(word, connection, rng.normal(mu[word, connection], sigma[connection]))


def p_values(ranks: Array) -> Array:
    """Chi-square of each column's rank histogram against the uniform one."""
    heights = np.apply_along_axis(np.bincount, 0, ranks * BINS // (KEPT + 1), minlength=BINS)
    return np.asarray(chisquare(heights, axis=0).pvalue, dtype=np.float64)


def test_the_ranks_of_the_true_parameters_are_uniform() -> None:
    rng = np.random.default_rng(2024)
    truths, data = zip(*(drawn(rng) for _ in range(SETS)), strict=True)
    fitted = fit(data, chains=1, draws=THIN * KEPT, warmup=400, seed=1)
    names = ("bar", "spread", "sigma", "mu")
    true = np.array([np.concatenate([truth[name].ravel() for name in names]) for truth in truths])
    draws = np.array(
        [
            np.concatenate([posterior.draws(name)[THIN - 1 :: THIN].reshape(KEPT, -1) for name in names], axis=1)
            for posterior in fitted
        ]
    )
    ranks = (draws < true[:, None, :]).sum(axis=1)
    assert p_values(ranks).min() > SIGNIFICANT / ranks.shape[1]  # Bonferroni, over all parameters

    # The same check finds out a posterior that is too narrow by a fifth, and one that is off by a quarter of its width.
    centre = draws.mean(axis=1, keepdims=True)
    narrow = ((centre + 0.8 * (draws - centre)) < true[:, None, :]).sum(axis=1)
    moved = ((draws + 0.25 * draws.std(axis=1, keepdims=True)) < true[:, None, :]).sum(axis=1)
    assert np.median(p_values(narrow)) < SIGNIFICANT / ranks.shape[1]
    assert np.median(p_values(moved)) < SIGNIFICANT / ranks.shape[1]
