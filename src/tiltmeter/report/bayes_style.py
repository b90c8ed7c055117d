"""How the figures of the Bayesian estimate look, and the pieces they are put together from.

Colours are those of Okabe & Ito, which colour-blind readers can tell apart; every connection has its own marker too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from scipy.stats import gaussian_kde

from tiltmeter.bayes.data import Array
from tiltmeter.files import replacing

if TYPE_CHECKING:
    from tiltmeter.bayes.estimates import Estimate

WIDTH = 3.4  # inches: one column of a two-column page
COLOURS = {"associated": "#D55E00", "different": "#0072B2", "human": "#009E73", "neutral": "#6B6B6B"}
MARKERS = {"associated": "o", "different": "s", "human": "^", "neutral": "D"}
_STYLE: Any = {
    "font.size": 7.5,
    "axes.labelsize": 7.5,
    "axes.titlesize": 8,
    "axes.titlelocation": "left",
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "pdf.fonttype": 42,  # text that can be searched and edited
}
_SOME = 400  # points of one connection that are drawn, evenly chosen: more only blacken the page


def save(figures: Mapping[str, Figure], folder: Path, *, suffixes: Sequence[str] = (".png", ".pdf")) -> list[Path]:
    """Write each figure under its name, for the screen and for print; the same figure gives the same bytes."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, figure in figures.items():
        for suffix in suffixes:
            path = folder / f"{file_name(name)}{suffix}"
            metadata = {"CreationDate": None} if suffix == ".pdf" else {"Software": None}
            with replacing(path, flush=False) as part, mpl.rc_context(_STYLE):
                figure.savefig(part, format=suffix[1:], dpi=300, metadata=metadata)
            written.append(path)
    return written


def file_name(name: str) -> str:
    """A name that any file system takes: no separators, no leading dot."""
    return re.sub(r"[^\w.-]+", "-", name).strip(".-")[:120] or "figure"


@contextmanager
def new_figure(
    height: float,
    *,
    rows: int = 1,
    columns: int = 1,
    height_ratios: Sequence[float] | None = None,
    share_y: bool = False,
) -> Iterator[tuple[Figure, list[Axes]]]:
    """A figure of its own, beside pyplot's, in one style."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(WIDTH, height), layout="constrained")
        grid = figure.subplots(rows, columns, squeeze=False, height_ratios=height_ratios, sharey=share_y)
        yield figure, list(grid.ravel())


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
    figure.suptitle(shortened(text, 58), x=0.02, ha="left", fontsize=8)


def shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def beside(values: Array, width: float) -> Array:
    """Sideways places that follow the density, the same on every run."""
    if values.size < 3 or np.ptp(values) == 0:
        return np.zeros(values.size)
    density = gaussian_kde(values)(values)
    golden = np.mod(np.arange(values.size) * 0.6180339887, 1) - 0.5  # even, without a pattern
    return np.asarray(2 * width * golden * density / density.max(), dtype=np.float64)


def some(rows: np.ndarray[tuple[int], np.dtype[np.intp]]) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    return rows if rows.size <= _SOME else rows[np.linspace(0, rows.size - 1, _SOME).astype(np.intp)]
