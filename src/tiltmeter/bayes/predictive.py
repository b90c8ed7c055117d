"""Posterior predictive check: would the fitted model have made distances like those that were seen?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import gaussian_kde, norm

from tiltmeter.bayes.data import CONNECTIONS, Array, cells
from tiltmeter.bayes.estimates import HALF, MOST, interval
from tiltmeter.bayes.fit import Posterior

_GRID = 200
_DENSITY_DRAWS = 200


@dataclass(frozen=True, slots=True)
class Coverage:
    """The share of the distances inside the predictive interval of their word and connection."""

    level: float
    share: float
    by_connection: dict[str, float]


@dataclass(frozen=True, slots=True)
class Densities:
    """Of the distances that were seen, and of those that the model predicts in their place."""

    at: Array
    observed: Array
    predicted: Array


def coverage(posterior: Posterior, levels: Sequence[float] = (HALF, MOST)) -> tuple[Coverage, ...]:
    """A well-fitting model has about `level` of the distances inside its interval of that level.

    The same distances were used to fit it, which favours it a little: a share far off the level says that the model
    does not fit, one near it does not prove that it predicts new words as well.
    """
    data = posterior.distances
    found = []
    for level in levels:
        inside = within(posterior, level)
        by_connection = {
            name: float(inside[data.connection == CONNECTIONS.index(name)].mean()) for name in data.present
        }
        found.append(Coverage(level, float(inside.mean()), by_connection))
    return tuple(found)


def within(posterior: Posterior, level: float) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Of each distance, whether it lies in the predictive interval of its cell."""
    data = posterior.distances
    bounds = predicted_intervals(posterior, level)[data.word, columns(posterior)]
    return np.asarray((bounds[:, 0] <= data.distance) & (data.distance <= bounds[:, 1]), dtype=np.bool_)


def columns(posterior: Posterior) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    """Of each distance, the position of its connection among those that the posterior has."""
    present = [CONNECTIONS.index(name) for name in posterior.distances.present]
    return np.asarray(np.searchsorted(present, posterior.distances.connection), dtype=np.intp)


def predicted_intervals(posterior: Posterior, level: float) -> Array:
    """The narrowest interval of a new distance: words × connections × (low, high)."""
    return interval(posterior.predicted, level)


def densities(posterior: Posterior) -> Densities:
    """The observed density by kernels; the predicted one as the mean over draws of the mixture of all cells."""
    data = posterior.distances
    pad = 3 * float(data.distance.std())
    at = np.linspace(data.distance.min() - pad, data.distance.max() + pad, _GRID)
    mu, sigma = posterior.draws("mu"), posterior.draws("sigma")
    some = np.linspace(0, len(mu) - 1, min(_DENSITY_DRAWS, len(mu))).astype(np.intp)
    present = [CONNECTIONS.index(name) for name in data.present]
    weight = cells(data).count[:, present] / data.distance.size
    predicted = np.zeros(_GRID)
    for draw in some:
        predicted += np.einsum(
            "wc,gwc->g", weight, norm.pdf(at[:, None, None], mu[draw], np.broadcast_to(sigma[draw], mu[draw].shape))
        )
    return Densities(at, np.asarray(gaussian_kde(data.distance)(at), dtype=np.float64), predicted / some.size)
