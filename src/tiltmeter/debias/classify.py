"""Telling groups of vectors apart, with and without labels: softmax regression and k-means, by scipy alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.vq import kmeans2
from scipy.optimize import linear_sum_assignment, minimize

from tiltmeter.metrics.association import Array

Labels = NDArray[np.intp]

_RESTARTS = 10


def softmax_weights(X: Array, labels: Labels, classes: int, *, ridge: float = 1.0) -> tuple[Array, Array]:
    """Weights W (classes × dimensions) and offsets b of softmax regression, which minimise

        -Σ_i log softmax(W x_i + b)[y_i] + ridge / 2 · ‖W‖²,

    a convex function: there is one minimum, whatever the order of the rows.
    """
    n, d = X.shape
    told = np.zeros((n, classes))
    told[np.arange(n), labels] = 1.0

    def loss(flat: Array) -> tuple[float, Array]:
        W = flat.reshape(classes, d + 1)
        scores = X @ W[:, :d].T + W[:, d]
        scores -= scores.max(axis=1, keepdims=True)
        total = np.log(np.exp(scores).sum(axis=1, keepdims=True))
        wrong = np.exp(scores - total) - told
        slope = np.column_stack([wrong.T @ X + ridge * W[:, :d], wrong.sum(axis=0)])
        value = float(np.sum((total - scores) * told) + ridge / 2 * np.sum(W[:, :d] ** 2))
        return value / n, slope.ravel() / n

    found = minimize(loss, np.zeros(classes * (d + 1)), jac=True, method="L-BFGS-B", options={"maxiter": 500})
    W = np.asarray(found.x, dtype=np.float64).reshape(classes, d + 1)
    return W[:, :d], W[:, d]


def normals(X: Array, labels: Labels, classes: int, *, ridge: float = 1.0) -> Array:
    """Orthonormal directions along which a linear classifier parts the classes: one for two, classes - 1 for more."""
    return normals_of(softmax_weights(X, labels, classes, ridge=ridge)[0])


def normals_of(W: Array) -> Array:
    """Those of a classifier with a row of weights for each class."""
    _, sizes, directions = np.linalg.svd(W - W.mean(axis=0), full_matrices=False)
    kept = min(len(W) - 1, int(np.count_nonzero(sizes > 1e-9 * max(float(sizes[0]), 1e-300))))
    return np.asarray(directions[:kept], dtype=np.float64)


def cross_validated(
    X: Array,
    labels: Labels,
    *,
    together: Labels | None = None,
    folds: int = 10,
    ridge: float = 1.0,
    seed: int = 0,
    kernel: bool = False,
) -> NDArray[np.bool_]:
    """Whether each row is recognised by a classifier that was trained on the other folds: a linear one, or (`kernel`)
    one with a curved boundary.

    The folds hold the classes in equal shares; or, where rows belong `together` (numbers of groups), each group whole,
    since a row may give away another of its group. Rows are brought to one scale, as a whole, before training.
    """
    classes = int(labels.max()) + 1
    rng = np.random.default_rng(seed)
    most = int(np.bincount(labels).min()) if together is None else len(np.unique(together))
    folds = min(folds, most)
    if folds < 2:
        raise ValueError(f"{most} rows of a class, or groups, cannot be parted into folds; it takes two or more")
    fold = np.empty(len(labels), dtype=np.intp)
    if together is None:
        for each in range(classes):
            members = np.flatnonzero(labels == each)
            fold[rng.permutation(members)] = np.arange(members.size) % folds
    else:
        _, group = np.unique(together, return_inverse=True)
        fold = (rng.permutation(most) % folds)[group]
    right = np.zeros(len(labels), dtype=np.bool_)
    for held in range(folds):
        train, test = fold != held, fold == held
        centre = X[train].mean(axis=0)
        scale = float(np.sqrt(np.mean((X[train] - centre) ** 2))) or 1.0
        known, asked = (X[train] - centre) / scale, (X[test] - centre) / scale
        if kernel:
            scores = kernel_scores(known, labels[train], classes, asked, ridge=ridge)
        else:
            W, b = softmax_weights(known, labels[train], classes, ridge=ridge * X.shape[1] / 10)
            scores = asked @ W.T + b
        right[test] = np.argmax(scores, axis=1) == labels[test]
    return right


def kernel_scores(X: Array, labels: Labels, classes: int, asked: Array, *, ridge: float = 1.0) -> Array:
    """Scores of the classes for the rows of `asked`, by kernel ridge regression   (Saunders et al. 1998)

        f(x) = k(x, X) (K + ridge I)⁻¹ (Y - Ȳ) + Ȳ,   k(x, y) = exp(-‖x - y‖² / d),

    with a column of Y for each class, 1 for its rows. Rows come with a mean square of 1 a number, for which d numbers
    make the radial kernel that support vector machines commonly start from.
    """
    told = np.zeros((len(labels), classes))
    told[np.arange(len(labels)), labels] = 1.0
    mean = told.mean(axis=0)
    K = _radial(X, X)
    K[np.diag_indices_from(K)] += ridge
    return np.asarray(_radial(asked, X) @ np.linalg.solve(K, told - mean) + mean, dtype=np.float64)


def _radial(X: Array, Y: Array) -> Array:
    apart = np.sum(X**2, axis=1)[:, None] + np.sum(Y**2, axis=1) - 2 * X @ Y.T
    return np.asarray(np.exp(-np.maximum(apart, 0.0) / X.shape[1]), dtype=np.float64)


def clusters(X: Array, k: int, *, seed: int = 0) -> Labels:
    """k-means of the rows: of some random starts the one with the least spread   (Lloyd 1982, k-means++ starts)."""
    best: tuple[float, Labels] | None = None
    for start in range(_RESTARTS):
        # An empty cluster keeps its old centre; scipy says so in a warning, which the other starts make up for.
        centres, found = kmeans2(X, k, iter=50, minit="++", missing="raise", rng=np.random.default_rng(seed + start))
        spread = float(np.sum((X - centres[found]) ** 2))
        if best is None or spread < best[0] - 1e-12:
            best = spread, np.asarray(found, dtype=np.intp)
    assert best is not None
    return best[1]


def agreement(labels: Labels, found: Labels) -> NDArray[np.bool_]:
    """Whether each row is in its class's cluster, with the clusters named so that most are (Gonen & Goldberg 2019)."""
    classes = int(max(labels.max(), found.max())) + 1
    table = np.zeros((classes, classes), dtype=np.intp)
    np.add.at(table, (labels, found), 1)
    rows, columns = linear_sum_assignment(table, maximize=True)
    named = np.empty(classes, dtype=np.intp)
    named[columns] = rows
    return np.asarray(named[found] == labels, dtype=np.bool_)
