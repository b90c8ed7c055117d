"""Soft debiasing: as little of the bias as a weight asks for, with all other similarities kept as they are."""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from tiltmeter.metrics.association import Array

_SPAN = 1e-12  # share of the largest variance below which a direction holds no word
_STEPS = 500


def objective(T: Array, C: Array, D: Array, B: Array, strength: float) -> tuple[float, Array]:
    """f(T) = ‖W TᵀT Wᵀ - W Wᵀ‖² / n² + λ ‖N TᵀT Bᵀ‖² / m, and its gradient   (Bolukbasi et al. 2016, step 2a soft)

    of n words (rows of W) of which m are neutral (N), and directions B. With C = WᵀW / n, D = NᵀN / m,
    X = TᵀT and A = X - I:

        f = tr(A C A C) + λ tr(X D X BᵀB),   ∇f = 4 T C A C + 2 λ T (D X BᵀB + BᵀB X D).

    The source has sums in place of means, which makes λ weaker by m / n² : with 400,000 words next to nothing would
    move. Given C = WᵀW and D = NᵀN this is the objective of the source.
    """
    X, P = T.T @ T, B.T @ B
    change = (X - np.eye(len(X))) @ C
    lean = D @ X @ P
    value = float(np.sum(change * change.T)) + strength * float(np.trace(X @ lean))
    return value, np.asarray(4 * T @ C @ change + 2 * strength * T @ (lean + lean.T), dtype=np.float64)


def minimiser(C: Array, D: Array, B: Array, strength: float) -> Array:
    """The symmetric T that minimises the objective: of all minimisers, the one that turns the words least.

    f is convex in X = TᵀT. With Y = C^½ X C^½, D' = C^-½ D C^-½ and B' = B C^-½ it is

        ‖Y - C‖² + λ ‖D'^½ Y B'ᵀ‖²   over Y ⪰ 0,

    and its dual has a number for each dimension of the embedding and of the bias, rather than for each pair of them:

        min_G ‖[C - H]₊‖² + ‖G‖² / λ,   H = (D'^½ G B' + B'ᵀ Gᵀ D'^½) / 2,   Y = [C - H]₊,

    where [·]₊ keeps the eigenvalues above 0. Where no word has a part, T is the identity.
    """
    if strength < 0:
        raise ValueError(f"the weight of the bias is 0 or more, not {strength}")
    if strength == 0:
        return np.eye(len(C))
    variances, axes = np.linalg.eigh((C + C.T) / 2)
    kept = variances > _SPAN * max(float(variances[-1]), 1e-300)
    c, Q = variances[kept], axes[:, kept]
    whitened = Q / np.sqrt(c)
    neutral = _root(whitened.T @ D @ whitened)
    lean = B @ whitened
    unit = float(np.sum(c**2))

    def positive(G: Array) -> Array:
        H = neutral @ G @ lean
        return _root_and_square(np.diag(c) - (H + H.T) / 2)[1]

    def dual(flat: Array) -> tuple[float, Array]:
        G = flat.reshape(len(c), len(B))
        Y = positive(G)
        slope = 2 * G / strength - 2 * neutral @ (Y @ lean.T)
        return (float(np.sum(Y**2)) + float(np.sum(G**2)) / strength) / unit, np.asarray(slope.ravel()) / unit

    start = strength * neutral @ (c[:, None] * lean.T) / (1 + strength * float(np.linalg.norm(lean, 2)) ** 2)
    found = minimize(
        dual, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": _STEPS, "ftol": 1e-14, "gtol": 1e-11}
    )
    Y = positive(np.asarray(found.x, dtype=np.float64).reshape(len(c), len(B)))
    inside = Q @ Q.T
    return np.asarray(_root(whitened @ Y @ whitened.T) + np.eye(len(C)) - inside, dtype=np.float64)


def _root(matrix: Array) -> Array:
    return _root_and_square(matrix)[0]


def _root_and_square(matrix: Array) -> tuple[Array, Array]:
    """The square root of the positive part of a symmetric matrix, and the positive part."""
    sizes, ways = np.linalg.eigh((matrix + matrix.T) / 2)
    sizes = np.maximum(sizes, 0.0)
    return (ways * np.sqrt(sizes)) @ ways.T, (ways * sizes) @ ways.T
