"""Iterative null-space projection (INLP): what classifiers can tell is taken away, until they can tell no more."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.stats import binomtest

from tiltmeter.debias.classify import Labels, normals_of, softmax_weights
from tiltmeter.metrics.association import Array

ROUNDS = 35  # as in the source
_HELD_OUT = 0.3
_CHANCE = 0.05


def null_space_directions(
    X: Array,
    labels: Labels,
    *,
    rounds: int = ROUNDS,
    ridge: float = 1.0,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Array, tuple[float, ...]]:
    """Orthonormal directions of all classifiers, and the share that each of them recognised   (Ravfogel et al. 2020)

        P = I - P_R(w_1) - P_R(w_2) - …,   w_i trained on X projected by what was found before.

    A classifier learns from seven words in ten; when it recognises no more of the others than chance would (one-sided
    binomial test at 5 %), or after `rounds`, that is all.
    """
    classes = int(labels.max()) + 1
    held = np.zeros(len(labels), dtype=np.bool_)
    rng = np.random.default_rng(seed)
    for each in range(classes):
        members = rng.permutation(np.flatnonzero(labels == each))
        held[members[: max(1, round(_HELD_OUT * members.size))]] = True
    majority = float(np.bincount(labels[held]).max() / np.count_nonzero(held))
    found = np.empty((0, X.shape[1]))
    shares: list[float] = []
    for number in range(rounds):
        left = X - (X @ found.T) @ found
        scale = float(np.sqrt(np.mean(left[~held] ** 2)))
        if scale <= 1e-9 or len(found) + classes - 1 > X.shape[1]:
            break
        W, b = softmax_weights(left[~held] / scale, labels[~held], classes, ridge=ridge)
        right = np.argmax(left[held] / scale @ W.T + b, axis=1) == labels[held]
        shares.append(float(right.mean()))
        recognised = int(np.count_nonzero(right))
        if binomtest(recognised, right.size, majority, alternative="greater").pvalue > _CHANCE:
            break
        new = normals_of(W)
        new -= (new @ found.T) @ found  # rounding
        found = np.concatenate([found, np.linalg.svd(new, full_matrices=False)[2]])
        if progress is not None:
            progress(number + 1, rounds)
    return np.linalg.qr(found.T)[0].T if len(found) else found, tuple(shares)
