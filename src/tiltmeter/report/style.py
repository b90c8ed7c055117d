"""One style for all figures: widths of a page, colours that every eye can tell apart, the same bytes twice.

Colours are those of Okabe & Ito; each has its own marker too. Shades are matplotlib's purple to orange (PuOr).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager, get_font
from matplotlib.ticker import MaxNLocator

from tiltmeter.files import ensure_folder, replacing
from tiltmeter.report.names import file_name

COLUMN = 3.3  # inches: one column of a two-column page
PAGE = 7.0
TALLEST = 9.0

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
MARKERS = ("o", "s", "^", "D", "v", "P")
SHADES = "PuOr_r"  # below the neutral value purple, above it orange
INK = "#222222"
_OWN = "DejaVu Sans"  # comes with matplotlib: the same everywhere
# For letters that it lacks, where one of these is installed.
_OTHERS = ("Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans Devanagari", "Noto Sans Thai", "WenQuanYi Micro Hei")
STYLE: dict[Any, Any] = {
    "font.size": 7,
    "axes.labelsize": 7,
    "axes.titlesize": 8,
    "axes.titlelocation": "left",
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "text.color": INK,
    "text.parse_math": False,  # a name with two dollar signs is no formula
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "hatch.linewidth": 0.4,
    "pdf.fonttype": 42,  # text that can be searched and edited
    "svg.fonttype": "path",
    "svg.hashsalt": "tiltmeter",
}
_METADATA: dict[str, dict[str, None]] = {
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
}


@contextmanager
def figure(width: float, height: float) -> Iterator[tuple[Figure, Axes]]:
    """A figure of its own, beside pyplot's, with one set of axes."""
    with panels(width, min(height, TALLEST)) as (made, (axes,)):
        yield made, axes


@contextmanager
def panels(
    width: float,
    height: float,
    *,
    rows: int = 1,
    columns: int = 1,
    height_ratios: Sequence[float] | None = None,
    share_y: bool = False,
) -> Iterator[tuple[Figure, list[Axes]]]:
    """A figure with several sets of axes, row by row."""
    with mpl.rc_context({**STYLE, "font.family": _families()}):
        made = Figure(figsize=(width, height), layout="constrained")
        grid = made.subplots(rows, columns, squeeze=False, height_ratios=height_ratios, sharey=share_y)
        yield made, list(grid.ravel())


def save(made: Figure, folder: Path, name: str, formats: Sequence[str] = ("pdf", "png", "svg")) -> list[Path]:
    """Write a figure for print, for the screen and for editing; the same figure gives the same bytes."""
    ensure_folder(folder)
    written = []
    for form in formats:
        path = folder / f"{file_name(name)}.{form}"
        with replacing(path, flush=False) as part, mpl.rc_context({**STYLE, "font.family": _families()}):
            made.savefig(part, format=form, dpi=300, metadata=_METADATA[form])
        written.append(path)
    return written


def short(text: str, most: int) -> str:
    """The text in one line of at most so many letters, less its middle: tests of one family differ at their ends.

    A letter that no font has is a box.
    """
    known = _letters()
    line = "".join(character if ord(character) in known else "□" for character in text)
    if len(line) <= most:
        return line
    end = (most - 1) // 2
    return f"{line[: most - 1 - end]}…{line[len(line) - end :]}"


def ticks(width: float) -> MaxNLocator:
    """As many ticks as have room beside each other, though each be as long as −0.175."""
    return MaxNLocator(nbins=5 if width < PAGE else 9, steps=[1, 2, 2.5, 5, 10])


@functools.cache
def _families() -> tuple[str, ...]:
    installed = {font.name for font in fontManager.ttflist}
    return (_OWN, *(name for name in _OTHERS if name in installed))


@functools.cache
def _letters() -> frozenset[int]:
    """The code points that the fonts can draw."""
    return frozenset(code for name in _families() for code in get_font(fontManager.findfont(name)).get_charmap())
