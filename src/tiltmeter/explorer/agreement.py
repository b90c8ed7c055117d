"""How far two tables of scores agree: the correlation of their cells, and how sure it is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiltmeter.metrics.interval import Interval, bca

Array = NDArray[np.float64]


def agreement(
    a: Array, b: Array, *, resamples: int = 1_000, level: float = 0.95, seed: int = 0
) -> tuple[float, Interval]:
    """Pearson's correlation over the cells that both tables have, and its interval over their words.

    The cells of a row share a target, those of a column a feature, and are not independent. So targets and features are
    resampled, each by themselves, and a cell counts as often as its target times its feature (the pigeonhole bootstrap,
    Owen 2007). That interval is somewhat too wide rather than too narrow.
    """
    both = np.isfinite(a) & np.isfinite(b)
    known = np.where(both, 1.0, 0.0)
    # Centred first: the sums below would else lose digits.
    x = np.where(both, a - a[both].mean() if both.any() else 0.0, 0.0)
    y = np.where(both, b - b[both].mean() if both.any() else 0.0, 0.0)
    tables = [known, x, y, x * x, y * y, x * y]
    rows, columns = a.shape
    rng = np.random.default_rng(seed)
    of_rows = rng.multinomial(rows, np.full(rows, 1 / rows), size=resamples).astype(np.float64)
    of_columns = rng.multinomial(columns, np.full(columns, 1 / columns), size=resamples).astype(np.float64)
    sums = [((of_rows @ table) * of_columns).sum(axis=1) for table in tables]
    observed = float(_correlation(*(np.array([table.sum()]) for table in tables))[0])
    without_row = _correlation(*(table.sum() - table.sum(axis=1) for table in tables))
    without_column = _correlation(*(table.sum() - table.sum(axis=0) for table in tables))
    return observed, bca(_correlation(*sums), [without_row, without_column], observed, level)


def _correlation(n: Array, x: Array, y: Array, xx: Array, yy: Array, xy: Array) -> Array:
    """From the sums of 1, x, y, x², y² and xy; NaN without spread."""
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_x, mean_y = x / n, y / n
        var_x, var_y = xx / n - mean_x**2, yy / n - mean_y**2
        spread = (n > 2) & (var_x > 1e-12) & (var_y > 1e-12)
        r = (xy / n - mean_x * mean_y) / np.sqrt(np.where(spread, var_x * var_y, 1.0))
    return np.where(spread, np.clip(r, -1.0, 1.0), np.nan)
