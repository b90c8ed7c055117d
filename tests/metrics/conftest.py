"""A world whose bias is planted: a model's probabilities, and every score that they imply, in closed form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import log_softmax

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Planted:
    """Log-probabilities as a model would give them, what lies behind them, and the scores of the population."""

    target: Array  # templates × targets × names
    target_prior: Array  # templates × 1 × names
    feature: Array  # templates × names × features
    feature_prior: Array  # templates × 1 × features
    gender: Array  # of each name
    commonness: Array
    raw: Array  # targets × features
    given_gender: Array
    given_commonness: Array


def plant(names: int, seed: int, *, exact: bool = False, templates: tuple[int, int] = (3, 2)) -> Planted:
    """Names have a gender g and a commonness c; targets and features lean by them, and by what is theirs alone.

    P(name | target) ∝ exp(c + a g + k c + u), P(feature | name) = π exp(m g + l c + v) with the rest of the vocabulary
    taking the rest, and each template leaves a share of its own to other words. So BS1 = a g + k c + u and
    BS2 = m g + l c + v but for a constant, and with all latents standard normal and independent

        corr = (a m + k l) / √((a² + k² + 1) (m² + l² + 1)),

    without the first term of each sum once g is held fixed, the second once c is. `exact` makes the latents of the
    names at hand uncorrelated and of variance 1, so that this holds for them and not only for the population.
    """
    rng = np.random.default_rng(seed)
    a, k = np.array([0.0, 1.0, -1.5]), np.array([0.5, 0.5, 0.0])
    m, l = np.array([0.75, 1.5]), np.array([0.25, 1.0])  # noqa: E741
    latent = rng.normal(size=(2 + a.size + m.size, names))
    if exact:
        q, _ = np.linalg.qr(np.column_stack([np.ones(names), latent.T]))
        latent = q[:, 1:].T * np.sqrt(names)
    g, c, u, v = latent[0], latent[1], latent[2 : 2 + a.size], latent[2 + a.size :]
    leans = a[:, None] * g + k[:, None] * c + u
    of_feature = (np.log(1e-9) + m[:, None] * g + l[:, None] * c + v).T
    assert np.exp(of_feature).sum(axis=1).max() < 1
    names_left, words_left = (-rng.exponential(size=(n, 1, 1)) for n in templates)
    prior = np.full((1, 1, m.size), np.log(1e-9))

    def ratio(part_x: Array, part_y: Array, rest_x: Array, rest_y: Array) -> Array:
        top = np.add.reduce([np.outer(x, y) for x, y in zip(part_x, part_y, strict=True)])
        square_x, square_y = (np.square(p).sum(axis=0) + 1 for p in (rest_x, rest_y))
        return np.asarray(top / np.sqrt(np.outer(square_x, square_y)), dtype=np.float64)

    both_x, both_y = np.stack([a, k]), np.stack([m, l])
    return Planted(
        log_softmax(leans + c, axis=1) + names_left,
        log_softmax(c)[None, None] + names_left,
        of_feature + words_left,
        prior + words_left,
        g,
        c,
        ratio(both_x, both_y, both_x, both_y),
        ratio(both_x[1:], both_y[1:], both_x[1:], both_y[1:]),
        ratio(both_x[:1], both_y[:1], both_x[:1], both_y[:1]),
    )


@pytest.fixture(scope="session")
def planted() -> Callable[..., Planted]:
    return plant
