"""The model against what it is made of."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpyro.infer import MCMC, NUTS
from scipy.integrate import quad
from scipy.stats import norm

from tiltmeter.bayes.data import cells
from tiltmeter.bayes.fit import fit
from tiltmeter.bayes.model import CellArrays, Population, PriorArrays, hierarchy, log_likelihood, word_means

from .small import simulated

QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
WHERE = {"bar": 0.8, "spread": 0.2, "sigma": 0.15}


def of_one_cell(values: list[float], where: dict[str, float]) -> float:
    """log ∫ Π Normal(y; mu, sigma) Normal(mu; bar, spread) dmu, by quadrature."""

    def integrand(mu: float) -> float:
        each = norm.pdf(values, mu, where["sigma"]).prod()
        return float(each * norm.pdf(mu, where["bar"], where["spread"]))

    return float(np.log(quad(integrand, -2, 4, points=[where["bar"], float(np.mean(values))])[0]))


def one_cell(values: list[float]) -> CellArrays:
    count, mean, deviations = np.zeros((3, 1, 4))
    if values:
        count[0, 0], mean[0, 0] = len(values), np.mean(values)
        deviations[0, 0] = np.sum((np.array(values) - np.mean(values)) ** 2)
    return CellArrays(*map(jnp.asarray, (count, mean, deviations)))


def at(bar: float, spread: float, sigma: float) -> Population:
    return Population(*(jnp.full(4, value) for value in (bar, spread, sigma)))


def test_the_likelihood_is_the_integral_over_the_mean_of_the_word() -> None:
    """But for a constant, which cancels in the difference of two places."""
    values = [0.7, 0.95, 0.9]
    elsewhere = {"bar": 1.0, "spread": 0.05, "sigma": 0.3}
    expected = of_one_cell(values, WHERE) - of_one_cell(values, elsewhere)
    with jax.enable_x64(True):
        found = log_likelihood(one_cell(values), at(**WHERE)) - log_likelihood(one_cell(values), at(**elsewhere))
    assert float(found) == pytest.approx(expected, rel=1e-9)


def test_an_empty_cell_says_nothing() -> None:
    with jax.enable_x64(True):
        assert float(log_likelihood(one_cell([]), at(**WHERE))) == 0.0


def test_the_mean_of_a_word_is_drawn_from_its_conditional_distribution() -> None:
    """Bayes' rule for a normal mean: precisions add up."""
    values = [0.7, 0.95, 0.9]
    precision = 1 / WHERE["spread"] ** 2 + 3 / WHERE["sigma"] ** 2
    expected = (WHERE["bar"] / WHERE["spread"] ** 2 + sum(values) / WHERE["sigma"] ** 2) / precision
    cell = one_cell(values)
    low, middle, high = (float(word_means(cell, at(**WHERE), z)[0, 0]) for z in (-1.0, 0.0, 1.0))
    assert middle == pytest.approx(expected, rel=1e-6)
    assert (high - low) / 2 == pytest.approx(precision**-0.5, rel=1e-5)
    assert float(word_means(one_cell([]), at(**WHERE), 2.0)[0, 0]) == pytest.approx(0.8 + 2 * 0.2)


@pytest.mark.slow
def test_numpyros_own_mcmc_on_the_whole_model_finds_the_same() -> None:
    data = simulated(seed=7)
    table = cells(data)
    with jax.enable_x64(True):
        given = CellArrays(*map(jnp.asarray, (table.count, table.mean, table.deviations)))
        run = MCMC(NUTS(hierarchy), num_warmup=500, num_samples=4000, progress_bar=False)
        run.run(jax.random.PRNGKey(1), given, PriorArrays(*map(jnp.asarray, (1.0, 0.3, 2.0, 2.0))))
        theirs = {name: np.asarray(values) for name, values in run.get_samples().items()}
    ours = fit([data])[0]
    for name in ("bar", "spread", "sigma", "mu"):
        apart = np.quantile(ours.draws(name), QUANTILES, axis=0) - np.quantile(theirs[name], QUANTILES, axis=0)
        assert np.abs(apart / theirs[name].std(axis=0)).max() < 0.25, name
