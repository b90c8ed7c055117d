"""Figures for a paper, each as wide as a column and as a page: effect sizes, significance, parts, score matrices."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from tiltmeter.measurement import Measurement
from tiltmeter.report.matrices import Matrix, matrices
from tiltmeter.report.meanings import neutral
from tiltmeter.report.names import file_names, shown_names
from tiltmeter.report.sections import Row, Section, languages, models, sections
from tiltmeter.runs.results import ALPHA

if TYPE_CHECKING:
    from tiltmeter.bayes.fit import Posterior
from tiltmeter.report.style import COLOURS, COLUMN, INK, MARKERS, PAGE, SHADES, figure, save, short, ticks

WIDTHS = {"column": COLUMN, "page": PAGE}
_ROWS = 44  # of one forest plot: as many as a page takes
_MODELS = len(MARKERS)
_CELLS = {COLUMN: (12, 10), PAGE: (30, 24)}  # rows and columns of a heat map

Array = NDArray[np.float64]
Draw = Callable[[float], Figure]


def figures(
    measurements: Sequence[Measurement], whole: Sequence[Matrix] = (), *, alpha: float = ALPHA
) -> dict[str, Draw]:
    """How to draw each figure that these measurements give, by its name, at a width in inches.

    `whole` are the matrices of which a table may hold only the strongest cells.
    """
    names = shown_names(models(measurements))
    many = len(languages(measurements)) > 1
    drawn: dict[str, Draw] = {}
    for section in sections(measurements):
        if section.is_matrix:
            kept = [matrix for matrix in whole if matrix.metric == section.family] or matrices(section)
            drawn |= _heat_maps(section, kept, names, alpha)
        else:
            drawn |= _forests(section, names, alpha, many=many)
    drawn |= _significance(sections(measurements), names, alpha, many=many)
    return drawn


def write_figures(
    folder: Path,
    measurements: Sequence[Measurement],
    whole: Sequence[Matrix] = (),
    posteriors: Sequence[Posterior] = (),
    *,
    alpha: float = ALPHA,
) -> list[Path]:
    """Write `<name>-column` and `<name>-page` as PDF, PNG and SVG, those of posteriors at the width of a column alone.

    The same measurements give the same bytes.
    """
    drawn = figures(measurements, whole, alpha=alpha)
    of_posteriors = {}
    if posteriors:
        from tiltmeter.report.bayes_of_run import of_run

        of_posteriors = of_run(posteriors, shown_names(models(measurements)))
    stems = file_names([*drawn, *of_posteriors])
    written = [
        path
        for name, draw in drawn.items()
        for wide, width in WIDTHS.items()
        for path in save(draw(width), folder, f"{stems[name]}-{wide}")
    ]
    return [*written, *(path for name, draw in of_posteriors.items() for path in save(draw(), folder, stems[name]))]


def forest(
    rows: Sequence[Row],
    names: Mapping[str, str],
    width: float,
    *,
    xlabel: str,
    labels: Callable[[Row], str] = lambda row: row.label,
    alpha: float = ALPHA,
) -> Figure:
    """Values with intervals, one line a test and one marker a model; filled where significant after correction."""
    tests = list(dict.fromkeys(labels(row) for row in rows))
    shown = list(dict.fromkeys(row.measured.model for row in rows))
    present = {(labels(row), row.measured.model) for row in rows}
    known = list(names) if len(names) <= _MODELS else shown  # a model has one colour in all figures of a small run
    of_model = {model: known.index(model) for model in shown}
    spread = min(0.26, 0.64 / max(len(shown) - 1, 1))
    step = max(0.135, 0.1 * len(shown) + 0.03)
    letters, abreast = (22, 2) if width < PAGE else (60, 4)
    legend = math.ceil(len(shown) / abreast) if len(shown) > 1 else 0
    said = textwrap.wrap(f"{xlabel}; filled: {_filled(rows)}", 36 if width < PAGE else 80)
    with figure(width, 0.38 + 0.12 * len(said) + 0.14 * legend + step * len(tests)) as (made, axes):
        for place in range(1, len(tests), 2):
            axes.axhspan(place - 0.5, place + 0.5, color="#F3F3F3", linewidth=0, zorder=0)
        at = {neutral(row.measured) for row in rows} - {None}
        if len(at) == 1:
            axes.axvline(at.pop(), color=INK, linewidth=0.7, linestyle=(0, (4, 2)), zorder=1)  # type: ignore[arg-type]
        side_by_side = {test: [model for model in shown if (test, model) in present] for test in tests}
        for row in rows:
            test, model = labels(row), row.measured.model
            beside = spread * (side_by_side[test].index(model) - (len(side_by_side[test]) - 1) / 2)
            _interval(axes, row, tests.index(test) + beside, of_model[model], alpha)
        axes.set_yticks(range(len(tests)), [short(test, letters) for test in tests])
        axes.set_ylim(len(tests) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_locator(ticks(width))
        axes.set_xlabel("\n".join(said))
        if legend:
            for model, series in of_model.items():
                axes.plot([], [], MARKERS[series], color=COLOURS[series], markersize=3.6, label=short(names[model], 22))
            made.legend(loc="outside upper left", ncols=abreast, handletextpad=0.1, columnspacing=1.0)
        else:
            axes.text(0, 1, short(names[shown[0]], 34), transform=axes.transAxes, va="bottom", fontsize=7)
    return made


def significance_matrix(
    cells: Mapping[tuple[str, str], Row], names: Mapping[str, str], width: float, *, alpha: float = ALPHA
) -> Figure:
    """Tests and models: the shade is the effect size, a dot says significant after Holm (May et al. 2019, figure 1).

    A column holds the tests one below the other; a page holds them side by side.
    """
    tests = list(dict.fromkeys(test for test, _ in cells))
    shown = [model for model in names if any(model == of for _, of in cells)]
    found = [[cells.get((test, model)) for model in shown] for test in tests]
    values = np.array([[math.nan if row is None else row.measured.value for row in line] for line in found])
    marked = np.array([[row is not None and row.significant(alpha) for row in line] for line in found])
    labels = [names[model] for model in shown]
    if width < PAGE:
        return _matrix(values, marked, tests, labels, width, 2.0, "Effect size")
    return _matrix(values.T, marked.T, labels, tests, width, 2.0, "Effect size")


def _significance(cut: Sequence[Section], names: Mapping[str, str], alpha: float, *, many: bool) -> dict[str, Draw]:
    """One matrix of all association tests if they go on a page; else one a metric, and as many as it takes."""
    by_family: dict[str, dict[tuple[str, str], Row]] = {}
    for section in cut:
        if section.family in ("weat", "seat", "lpbs"):
            end = " · LPBS" if section.family == "lpbs" else ""
            by_family[section.family] = {
                (row.named(many=many) + end, row.measured.model): row for row in section.headlines
            }
    whole = {key: row for cells in by_family.values() for key, row in cells.items()}
    parts = {"": whole} if len({test for test, _ in whole}) <= _ROWS else {f"-{of}": by_family[of] for of in by_family}
    drawn: dict[str, Draw] = {}
    for part, cells in parts.items():
        tests = list(dict.fromkeys(test for test, _ in cells))
        for start in range(0, len(tests), _ROWS):
            wanted = set(tests[start : start + _ROWS])
            kept = {key: row for key, row in cells.items() if key[0] in wanted}
            name = f"significance{part}" + (f"-{start // _ROWS + 1}" if start else "")
            drawn[name] = partial(significance_matrix, kept, names, alpha=alpha)
    return drawn


def _forests(section: Section, names: Mapping[str, str], alpha: float, *, many: bool) -> dict[str, Draw]:
    """One figure for up to six models and a page of tests; then another."""
    of = section.meaning
    kept = [row for row in section.rows if math.isfinite(row.measured.value)]
    sets = {row.measured.test for row in section.headlines}  # one alone need not be named on every line

    def labels(row: Row) -> str:
        shown = row.named(many=many)
        if len(sets) > 1:
            return shown
        if section.family == "crows":
            return str(row.measured.details.get("part", "all")) + shown.removeprefix(row.measured.test)
        return shown.removeprefix(f"{row.measured.test}: ")

    if section.family == "bayes":  # what words say of their own is in the figures of the posterior, and in the table
        kept = [row for row in kept if row.measured.details.get("quantity") == "contrast"]
    parts = {"crows": "crows-by-type", "bayes": "bayes-contrasts"}
    drawn: dict[str, Draw] = {}
    present = list(dict.fromkeys(row.measured.model for row in kept))
    level = f"{100 * kept[0].measured.level:g} %" if kept else ""
    xlabel = f"{short(of.name, 24)}: {of.quantity}, with {level} interval"
    for first in range(0, len(present), _MODELS):
        block = set(present[first : first + _MODELS])
        of_block = [row for row in kept if row.measured.model in block]
        tests = list(dict.fromkeys(labels(row) for row in of_block))
        most = _ROWS if len(block) < 3 else _ROWS * 3 // (2 * len(block))
        for start in range(0, len(tests), most):
            wanted = set(tests[start : start + most])
            rows = [row for row in of_block if labels(row) in wanted]
            number = len(drawn) + 1
            name = parts.get(section.family, f"forest-{section.family}") + (f"-{number}" if number > 1 else "")
            drawn[name] = partial(_forest, rows, names, xlabel, labels, alpha)
    return drawn


def _forest(
    rows: Sequence[Row],
    names: Mapping[str, str],
    xlabel: str,
    labels: Callable[[Row], str],
    alpha: float,
    width: float,
) -> Figure:
    return forest(rows, names, width, xlabel=xlabel, labels=labels, alpha=alpha)


def _heat_maps(section: Section, kept: Sequence[Matrix], names: Mapping[str, str], alpha: float) -> dict[str, Draw]:
    """Of each matrix, the rows and columns with the strongest scores."""
    drawn: dict[str, Draw] = {}
    for matrix in kept:
        model = names.get(matrix.model, matrix.model)
        name = f"heat-{section.family}" + (f"-{model}" if len(names) > 1 else "")
        name = name if name not in drawn else f"{name}-{len(drawn) + 1}"
        of = ", ".join(filter(None, (matrix.name, short(model, 30))))
        what = f"{section.meaning.name} ({section.meaning.quantity}): {of}"

        def draw(width: float, matrix: Matrix = matrix, what: str = what) -> Figure:
            shown = matrix.strongest(*_CELLS[width])
            marked = shown.adjusted <= alpha
            return _matrix(shown.score, marked, shown.rows, shown.columns, width, shown.top, what)

        drawn[name] = draw
    return drawn


def _matrix(
    values: Array,
    marked: NDArray[np.bool_],
    down: Sequence[str],
    across: Sequence[str],
    width: float,
    top: float,
    what: str,
) -> Figure:
    """Shaded cells; a dot where marked, hatched where there is no number."""
    letters = 26 if width < PAGE else 40
    side = 0.17 if len(down) > 12 else 0.22
    longest = max((len(short(name, letters)) for name in across), default=0)
    with figure(width, 0.85 + 0.052 * longest + side * len(down)) as (made, axes):
        shades = np.ma.masked_invalid(values)
        mesh = axes.pcolormesh(shades, cmap=SHADES, vmin=-top, vmax=top, edgecolors="white", linewidth=0.8)
        for i, j in np.argwhere(np.isnan(values)):
            axes.add_patch(Rectangle((j, i), 1, 1, facecolor="white", edgecolor="#DDDDDD", hatch="////", lw=0.3))
        for i, j in np.argwhere(marked & ~np.isnan(values)):
            colour = "white" if abs(values[i, j]) > 0.65 * top else "black"
            axes.plot(j + 0.5, i + 0.5, "o", markersize=2.6, color=colour, markeredgewidth=0)
        axes.set_yticks(np.arange(len(down)) + 0.5, [short(name, letters) for name in down])
        axes.set_xticks(np.arange(len(across)) + 0.5, [short(name, letters) for name in across])
        axes.xaxis.tick_top()  # before the labels are turned: it would centre them again
        axes.tick_params(axis="x", labelrotation=55)
        for text in axes.get_xticklabels():
            text.set(ha="left", rotation_mode="anchor")
        axes.tick_params(length=0, pad=2)
        axes.invert_yaxis()
        axes.spines[:].set_visible(False)
        known = short(what, 200)
        made.suptitle("\n".join(textwrap.wrap(known, 48 if width < PAGE else 100)), x=0.01, ha="left", fontsize=7)
        bar = made.colorbar(mesh, ax=axes, location="bottom", aspect=40, pad=0.02, shrink=0.8)
        bar.outline.set_visible(False)
        joint = "\n" if width < PAGE else "; "
        bar.set_label("dot: significant after correction" + f"{joint}hatched: no result" * bool(np.isnan(values).any()))
    return made


def _interval(axes: Axes, row: Row, at: float, series: int, alpha: float) -> None:
    measured, colour = row.measured, COLOURS[series]
    if math.isfinite(measured.low) and math.isfinite(measured.high):
        axes.plot([measured.low, measured.high], [at, at], color=colour, linewidth=1.0, solid_capstyle="butt")
    half = [end for side in ("low", "high") if isinstance(end := measured.details.get(f"{side}_50"), float)]
    if len(half) == 2:
        axes.plot(half, [at, at], color=colour, linewidth=2.4, solid_capstyle="butt")
    filled = row.significant(alpha) if math.isfinite(row.adjusted) else row.settled is True
    axes.plot(
        measured.value,
        at,
        MARKERS[series],
        color=colour if filled else "white",
        markeredgecolor=colour,
        markersize=3.6,
        markeredgewidth=0.9,
        zorder=3,
    )


def _filled(rows: Sequence[Row]) -> str:
    """What a filled marker says: where there is no p-value, the interval decides."""
    tested = any(math.isfinite(row.adjusted) for row in rows)
    return "significant after correction" if tested else "the interval excludes the broken line"
