"""Correlations of all rows with all columns at once, with controls held fixed, on the data and on weighted resamples.

With a constant as the only control, the partial correlation is Pearson's. Throughout, x has targets as rows and bridge
names as columns, y bridge names as rows and features as columns.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc

Array = NDArray[np.float64]
Single = NDArray[np.float32]
Indices = NDArray[np.intp]

_FLAT = 1e-12  # the share of the variance, on the data, below which what is left is rounding
_FLAT_SINGLE = 1e-5  # the same on a resample, in single precision


def blocks(x: Array, y: Array) -> Iterator[tuple[Indices, Indices, Indices]]:
    """Split the matrix into (rows, columns, names): the pairs for which just these names have both scores.

    Without NaN this is one block. Names that are lost for all targets or features cost nothing; only where each word
    has lost names of its own do the blocks become many.
    """
    for rows, in_x in _patterns(~np.isnan(x)):
        for columns, in_y in _patterns(~np.isnan(y).T):
            yield rows, columns, np.flatnonzero(in_x & in_y)


def _patterns(known: NDArray[np.bool_]) -> list[tuple[Indices, NDArray[np.bool_]]]:
    if known.all():
        return [(np.arange(len(known)), known[0])] if len(known) else []
    packed = np.packbits(known, axis=1)
    _, first, group = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    return [(np.flatnonzero(group.ravel() == i), known[start]) for i, start in enumerate(first)]


def basis(z: Array | None, names: int) -> Array:
    """Orthogonal columns, of mean square 1, that span the constant and the columns of z; dependent ones drop out."""
    if not names:
        return np.empty((0, 1))
    columns = np.ones((names, 1)) if z is None else np.column_stack([np.ones(names), _scaled(z)])
    u, s, _ = np.linalg.svd(columns, full_matrices=False)
    return np.asarray(u[:, s > 1e-10 * s[0]] * np.sqrt(names), dtype=np.float64)


def _scaled(z: Array) -> Array:
    centred = z - z.mean(axis=0)
    size = np.sqrt((centred**2).mean(axis=0))
    flat = size <= 1e-12 * np.maximum(1.0, np.abs(z).max(axis=0))
    return np.asarray(np.where(flat, 0.0, centred / np.where(flat, 1.0, size)), dtype=np.float64)


def residuals(rows: Array, q: Array) -> Array:
    """What q leaves of every row, brought to mean square 1; NaN where it leaves nothing but rounding."""
    names = len(q)
    if not names:
        return np.full(rows.shape, np.nan)
    centred = rows - rows.mean(axis=1, keepdims=True)
    total = (centred**2).mean(axis=1, keepdims=True)
    left = centred - (centred @ q) @ q.T / names
    left -= (left @ q) @ q.T / names  # once more: the first pass leaves rounding behind
    square = (left**2).mean(axis=1, keepdims=True)
    scale = np.maximum(1.0, np.abs(rows).max(axis=1, keepdims=True))
    flat = (square <= _FLAT * total) | (total <= (_FLAT * scale) ** 2)
    return np.asarray(np.where(flat, np.nan, left / np.sqrt(np.where(flat, 1.0, square))), dtype=np.float64)


def correlations(x: Array, y: Array) -> Array:
    """r of every row of x with every column of y, from residuals."""
    return np.asarray(np.clip(x @ y / x.shape[1], -1.0, 1.0), dtype=np.float64)


def p_values(r: Array, freedom: Array) -> Array:
    """Pr[|R| >= |r|] for no correlation: t = r √(df / (1 - r²)), Student's with df degrees of freedom, two-sided."""
    with np.errstate(invalid="ignore"):
        p = betainc(np.where(freedom > 0, freedom, np.nan) / 2, 0.5, (1 - r) * (1 + r))
    return np.asarray(p, dtype=np.float64)


def accelerations(x: Array, y: Array, r: Array) -> Array:
    """a = Σ u³ / (6 (Σ u²)^1.5) with u = x y - r (x² + y²) / 2, the influence of a name on r, for all pairs."""
    x2, y2 = x * x, y * y
    x3, y3 = x2 * x, y2 * y
    x4, y4 = x2 * x2, y2 * y2
    m22, m33 = x2 @ y2, x3 @ y3
    m42, m24 = x4 @ y2, x2 @ y4
    squares = m22 - r * (x3 @ y + x @ y3) + r**2 / 4 * (_down(x4) + 2 * m22 + _across(y4))
    cubes = (
        m33
        - 1.5 * r * (m42 + m24)
        + 0.75 * r**2 * ((x4 * x) @ y + 2 * m33 + x @ (y4 * y))
        - r**3 / 8 * (_down(x3 * x3) + 3 * (m42 + m24) + _across(y3 * y3))
    )
    exists = squares > 1e-12 * x.shape[1]
    return np.asarray(np.where(exists, cubes / (6 * np.where(exists, squares, 1.0) ** 1.5), 0.0), dtype=np.float64)


def _down(powers: Array) -> Array:
    return np.asarray(powers.sum(axis=1, keepdims=True), dtype=np.float64)


def _across(powers: Array) -> Array:
    return np.asarray(powers.sum(axis=0, keepdims=True), dtype=np.float64)


def name_weights(names: int, resamples: int, seed: int) -> Single:
    """How often each name is in each resample of as many names as there are."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(names, np.full(names, 1 / names), size=resamples).astype(np.float32)


def weighted(x: Array, y: Array, weights: NDArray[np.generic]) -> Array:
    """Pearson's correlation under each row of weights; NaN without spread. x and y have mean 0 and mean square 1."""
    w = weights.astype(np.float64)
    w /= w.sum(axis=1, keepdims=True)
    mean_x, mean_y = w @ x, w @ y
    var_x, var_y = w @ x**2 - mean_x**2, w @ y**2 - mean_y**2
    spread = (var_x > 1e-10) & (var_y > 1e-10)
    root = np.sqrt(np.where(spread, var_x * var_y, 1.0))
    return np.asarray(np.where(spread, (w @ (x * y) - mean_x * mean_y) / root, np.nan), dtype=np.float64)


class Resampled:
    """The partial correlations of targets with the columns of y, on each weighted resample of the names.

    With w the weights of a resample and the weighted moments S,

        r = S_xy.q / √(S_xx.q S_yy.q),   S_ab.q = S_ab - S_aq S_qq⁻¹ S_qb.

    y and the rows given later are residuals on q over all names, so what q explains on a resample is small, and single
    precision keeps six digits.
    """

    def __init__(self, y: Array, q: Array, weights: Single) -> None:
        self._y = y.astype(np.float32)
        self._q = q.astype(np.float32)
        self._weights = weights
        k = q.shape[1]
        gram = weights.astype(np.float64) @ (q[:, :, None] * q[:, None, :]).reshape(len(q), k * k)
        values, vectors = np.linalg.eigh(gram.reshape(-1, k, k))
        kept = values > 1e-6 * values[:, -1:]
        inverse_roots = np.where(kept, 1 / np.sqrt(np.where(kept, values, 1.0)), 0.0)
        self._whiten = (inverse_roots[:, :, None] * vectors.transpose(0, 2, 1)).astype(np.float32)
        explained = np.empty((len(weights), k, y.shape[1]), dtype=np.float32)
        for j in range(k):
            np.matmul(weights * self._q[:, j], self._y, out=explained[:, j])
        self._explained = self._whiten @ explained
        left = weights @ self._y**2 - (self._explained**2).sum(axis=1)
        self._total = weights.sum(axis=1)
        self._root = self._roots(left)

    def _roots(self, left: Single) -> Single:
        """1 / √S, or NaN where the resample has no spread."""
        spread = left > _FLAT_SINGLE * self._total.reshape(-1, *[1] * (left.ndim - 1))
        return np.where(spread, 1 / np.sqrt(np.where(spread, left, 1.0)), np.nan).astype(np.float32)

    def with_row(self, x: Array) -> Single:
        """One row a resample, one column a column of y."""
        x = x.astype(np.float32)
        weighted = self._weights * x
        explained = (self._whiten @ (weighted @ self._q)[:, :, None]).transpose(0, 2, 1)
        r = weighted @ self._y
        r -= (explained @ self._explained)[:, 0]
        r *= self._root
        r *= self._roots(weighted @ x - (explained[:, 0] ** 2).sum(axis=1))[:, None]
        return np.asarray(r, dtype=np.float32)
