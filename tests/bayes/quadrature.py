"""The posterior of one connection by numerical integration, for comparison: no sampler takes part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Moments:
    mean: Array
    sd: Array


def posterior_moments(count: Array, mean: Array, deviations: Array, *, points: int = 400) -> dict[str, Moments]:
    """Mean and sd of bar, spread, sigma and the words' mu, with the default priors.

    Spread and sigma lie on a grid of their logarithms; bar and mu are integrated in closed form at each of its points.
    """
    log_spread = np.linspace(np.log(1e-5), np.log(5), points)
    log_sigma = np.linspace(np.log(1e-3), np.log(5), points)
    spread, sigma = (each[..., None] for each in np.meshgrid(np.exp(log_spread), np.exp(log_sigma), indexing="ij"))
    variance = spread**2 + sigma**2 / count  # of each cell's mean, about bar
    precision = 1 / 0.3**2 + (1 / variance).sum(axis=-1)
    bar = (1 / 0.3**2 + (mean / variance).sum(axis=-1)) / precision
    log_density = (
        -0.5 * (np.log(variance) + mean**2 / variance).sum(axis=-1)
        - 0.5 * np.log(precision)
        + 0.5 * precision * bar**2
        - (count.sum() - count.size) * log_sigma
        - 0.5 * deviations.sum() / sigma[..., 0] ** 2
        - 2 * (spread + sigma)[..., 0]
        + log_spread[:, None]
        + log_sigma
    )
    weight = np.exp(log_density - log_density.max())
    weight /= weight.sum()

    def moments(first: Array, second: Array) -> Moments:
        expected = np.einsum("ij,ij...->...", weight, first)
        return Moments(expected, np.sqrt(np.einsum("ij,ij...->...", weight, second) - expected**2))

    kept = spread**2 / variance
    of_word = bar[..., None] + kept * (mean - bar[..., None])
    within = spread**2 * (1 - kept) + (1 - kept) ** 2 / precision[..., None]
    spread, sigma = spread[..., 0], sigma[..., 0]
    return {
        "bar": moments(bar, bar**2 + 1 / precision),
        "spread": moments(spread, spread**2),
        "sigma": moments(sigma, sigma**2),
        "mu": moments(of_word, of_word**2 + within),
    }
