"""The pieces that figures of the Bayesian estimate are put together from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from scipy.stats import gaussian_kde

from tiltmeter.bayes.data import Array
from tiltmeter.report import style
from tiltmeter.report.style import short

if TYPE_CHECKING:
    from tiltmeter.bayes.estimates import Estimate

COLOURS = {
    "associated": style.COLOURS[1],
    "different": style.COLOURS[0],
    "human": style.COLOURS[2],
    "neutral": "#6B6B6B",
}
MARKERS = {"associated": "o", "different": "s", "human": "^", "neutral": "D"}
_SOME = 400  # points of one connection that are drawn, evenly chosen: more only blacken the page


def ridge(axes: Axes, row: int, draws: Array, estimate: Estimate, colour: str) -> None:
    """Density above the line, both intervals and the mean upon it."""
    low, high = np.quantile(draws, (0.001, 0.999)).tolist()
    at = np.linspace(low, high, 120)
    height = gaussian_kde(draws[:: max(1, len(draws) // 2000)])(at)
    axes.fill_between(at, row, row - 0.72 * height / height.max(), color=colour, alpha=0.3, linewidth=0)
    interval(axes, row, estimate, colour, "o", None)


def interval(axes: Axes, at: float, estimate: Estimate, colour: str, marker: str, label: str | None) -> None:
    axes.plot([estimate.low, estimate.high], [at, at], color=colour, linewidth=1.0)
    axes.plot([estimate.low_50, estimate.high_50], [at, at], color=colour, linewidth=2.6, solid_capstyle="butt")
    axes.plot(
        estimate.mean,
        at,
        marker,
        color="white",
        markeredgecolor=colour,
        markersize=4,
        markeredgewidth=1.1,
        linestyle="none",
        label=label,
    )


def name_rows(axes: Axes, names: Sequence[str]) -> None:
    """One name a row, the first on top."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.6, -0.85)
    axes.tick_params(axis="y", length=0)


def reference(axes: Axes, value: float, label: str = "") -> None:
    """A line at what would be no bias, where it is near enough to be seen."""
    low, high = axes.get_xlim()
    reach = 0.35 * (high - low)
    if low - reach <= value <= high + reach:
        axes.axvline(value, color="black", linewidth=0.6, linestyle=(0, (1, 1.5)), zorder=0)
        if label:
            axes.annotate(
                label,
                (value, 1),
                xycoords=("data", "axes fraction"),
                ha="center",
                va="bottom",
                fontsize=6,
                color="#444444",
            )


def legend(axes: Axes, names: Sequence[str]) -> None:
    for name in names:
        axes.plot([], [], MARKERS[name], color=COLOURS[name], markersize=4, markeredgewidth=0, label=name)
    axes.figure.legend(
        loc="outside lower center", ncols=len(names), handletextpad=0.1, columnspacing=1.0, borderaxespad=0.1
    )


def put_title(figure: Figure | SubFigure, text: str) -> None:
    figure.suptitle(short(text, 54), x=0.02, ha="left", fontsize=8)


def beside(values: Array, width: float) -> Array:
    """Sideways places that follow the density, the same on every run."""
    if values.size < 3 or np.ptp(values) == 0:
        return np.zeros(values.size)
    density = gaussian_kde(values)(values)
    golden = np.mod(np.arange(values.size) * 0.6180339887, 1) - 0.5  # even, without a pattern
    return np.asarray(2 * width * golden * density / density.max(), dtype=np.float64)


def some(rows: np.ndarray[tuple[int], np.dtype[np.intp]]) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    return rows if rows.size <= _SOME else rows[np.linspace(0, rows.size - 1, _SOME).astype(np.intp)]
