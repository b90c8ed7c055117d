"""The hierarchical model of cosine distances (Dobrzeniecka & Urbaniak, section 4.1), on sufficient statistics.

For the distance y of protected word w to an attribute of connection c:

    y       ~ Normal(mu[w, c], sigma[c])
    mu[w,c] ~ Normal(bar[c], spread[c])
    bar[c]  ~ Normal(1, 0.3),   spread[c] ~ Exponential(2),   sigma[c] ~ Exponential(2)

A cell of n distances enters by its mean m and its sum of squared deviations ss. As all is normal, mu can be integrated
out in closed form: ss / sigma² is a χ² of n - 1 degrees of freedom, and m ~ Normal(bar, √(spread² + sigma² / n)). Given
the three numbers of its connection, mu is normal again, and is written non-centred, with z ~ Normal(0, 1):

    mu = bar + k (m - bar) + z · spread · √(1 - k),      k = spread² / (spread² + sigma² / n)

Where a cell is empty k is 0, and this is the usual non-centred form, bar + z · spread. Everywhere z is independent of
all else, so that the sampler walks twelve dimensions without a funnel, however few or many distances a word has.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from jax import Array

from tiltmeter.bayes.data import CONNECTIONS


class CellArrays(NamedTuple):
    """`data.Cells`, words × connections, for one data set. Words of no distance at all may pad them."""

    count: Array  # type: ignore[assignment]  # hides the method of tuples, which nobody calls
    mean: Array
    deviations: Array


class PriorArrays(NamedTuple):
    """`priors.Priors`, as numbers that a compiled function takes."""

    bar_mean: Array
    bar_sd: Array
    spread_rate: Array
    sigma_rate: Array


class Population(NamedTuple):
    """What the words of a connection have in common; each has the connections as its last axis."""

    bar: Array  # mean distance
    spread: Array  # standard deviation between words
    sigma: Array  # standard deviation between the attributes of a word


POSITIVE = ("spread", "sigma")  # NumPyro walks on their logarithms


def population(cells: CellArrays, priors: PriorArrays) -> Population:
    """The NumPyro model with the words integrated out: twelve numbers."""
    with numpyro.plate("connection", len(CONNECTIONS)):
        bar = numpyro.sample("bar", dist.Normal(priors.bar_mean, priors.bar_sd))
        spread = numpyro.sample("spread", dist.Exponential(priors.spread_rate))
        sigma = numpyro.sample("sigma", dist.Exponential(priors.sigma_rate))
    drawn = Population(bar, spread, sigma)
    numpyro.factor("distances", log_likelihood(cells, drawn))
    return drawn


def hierarchy(cells: CellArrays, priors: PriorArrays) -> None:
    """The whole NumPyro model, with the mean distance of every word."""
    drawn = population(cells, priors)
    with (
        numpyro.plate("word", cells.count.shape[0], dim=-2),
        numpyro.plate("connection", len(CONNECTIONS), dim=-1),
    ):
        z = numpyro.sample("z", dist.Normal(0.0, 1.0))
    numpyro.deterministic("mu", word_means(cells, drawn, z))


def log_likelihood(cells: CellArrays, drawn: Population) -> Array:
    """log p(distances | bar, spread, sigma), but for a constant."""
    n = jnp.maximum(cells.count, 1.0)
    filled = cells.count > 0
    variance = drawn.spread**2 + drawn.sigma**2 / n  # of a cell's mean
    of_mean = -0.5 * (jnp.log(variance) + (cells.mean - drawn.bar) ** 2 / variance)
    within = -(n - 1) * jnp.log(drawn.sigma) - 0.5 * cells.deviations / drawn.sigma**2
    return jnp.sum(jnp.where(filled, of_mean + within, 0.0))


def word_means(cells: Any, drawn: Any, z: Any) -> Any:
    """mu, words × connections, from the population and standard normal z; arrays of NumPy or of JAX."""
    spread2, noise2 = drawn.spread**2, drawn.sigma**2
    kept = cells.count * spread2 / (cells.count * spread2 + noise2)
    return drawn.bar + kept * (cells.mean - drawn.bar) + z * drawn.spread * (1 - kept) ** 0.5
