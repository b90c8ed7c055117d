"""Figures of a debiasing: what the projection does to chosen words, what moved, what a classifier still tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tiltmeter.debias.step_by_step import Step
from tiltmeter.metrics.association import Array
from tiltmeter.report.style import COLOURS, COLUMN, INK, MARKERS, PAGE, panels, short

if TYPE_CHECKING:
    from tiltmeter.debias.before_after import BeforeAfter

BEFORE_AFTER = (COLOURS[4], COLOURS[0])  # as in the figures of the Bayesian estimate


def steps(
    found: Sequence[Step], sides: Mapping[str, int], pairs: Sequence[Sequence[str]], classes: Sequence[str]
) -> Figure:
    """The words step by step (after VERB: Rathore et al. 2021). `sides` has the class of each that is not neutral."""
    points = np.array([place for step in found for place in step.places.values()])
    reach = 1.35 * np.abs(points).max(axis=0)
    columns = 2
    rows = -(-len(found) // columns)
    with panels(PAGE, 3.1 * rows, rows=rows, columns=columns) as (figure, axes):
        for panel, step in zip(axes, found, strict=False):
            panel.axvline(0, color=INK, linewidth=0.7, linestyle=(0, (4, 2)))
            for pair in pairs:
                ends = np.array([step.places[word] for word in pair if word in step.places])
                if len(ends) > 1:
                    panel.plot(*ends.T, color="#BBBBBB", linewidth=0.8, zorder=1)
            for word, (x, y) in step.places.items():
                side = sides.get(word)
                colour = "#6B6B6B" if side is None else COLOURS[side % len(COLOURS)]
                marker = "." if side is None else MARKERS[side % len(MARKERS)]
                panel.plot(x, y, marker, color=colour, markersize=3.6, markeredgewidth=0)
            _name(panel, step.places, reach)
            panel.set_xlim(-reach[0], reach[0])
            panel.set_ylim(-reach[1], reach[1])
            panel.set_title(f"{step.title}\n", fontsize=8)
            panel.text(0, 1.01, step.said, transform=panel.transAxes, fontsize=6.5, va="bottom", color="#444444")
            panel.set_xlabel(
                f"along the bias direction ({classes[0]} to the right)" if len(classes) == 2 else "along it"
            )
        for panel in axes[len(found) :]:
            panel.set_visible(False)
        for panel in axes[::columns]:
            panel.set_ylabel("across it")
    return figure


def _name(panel: Axes, places: Mapping[str, tuple[float, float]], reach: Array) -> None:
    """Names beside their points, to the left and to the right by turns where points stand together, a line apart."""
    line, near = 0.085 * reach[1], 0.3 * reach[0]
    together: list[list[str]] = []
    for word in sorted(places, key=lambda word: places[word]):
        if not together or places[word][0] - places[together[-1][-1]][0] > near:
            together.append([])
        together[-1].append(word)
    for group in together:
        by_height = sorted(group, key=lambda word: places[word][1])
        for side in (0, 1) if len(group) > 1 else (1,):
            mine = by_height[side::2] if len(group) > 1 else by_height
            at: list[float] = []
            for word in mine:
                at.append(max(places[word][1], at[-1] + line) if at else places[word][1])
            shift = float(np.mean([high - places[word][1] for word, high in zip(mine, at, strict=True)]))
            for word, high in zip(mine, at, strict=True):
                x, y = places[word]
                beside = x + (0.05 if side else -0.05) * reach[0]
                panel.plot([x, beside], [y, high - shift], color="#BBBBBB", linewidth=0.3, zorder=1)
                panel.text(
                    beside, high - shift, short(word, 16), fontsize=6, va="center", ha="left" if side else "right"
                )


def remaining(found: BeforeAfter) -> Figure | None:
    """What a classifier and clusters still recognise, before and after, with chance."""
    rows = [
        (f"{pair[0].test}, {what}", pair)
        for metric, what in (("recovered", "linear"), ("recovered, curved", "curved"), ("clustered", "clusters"))
        for pair in found.both(metric)
    ]
    if not rows:
        return None
    with panels(COLUMN, 0.9 + 0.4 * len(rows)) as (figure, (axes,)):
        for place, (_, pair) in enumerate(rows):
            chance = float(pair[0].details["chance"])
            axes.plot([chance] * 2, [place - 0.4, place + 0.4], color=INK, linewidth=0.8, linestyle=(0, (1, 1)))
            for side, row in enumerate(pair):
                colour, marker = BEFORE_AFTER[side], MARKERS[side]
                at = place + (-0.15, 0.15)[side]
                axes.plot([row.low, row.high], [at, at], color=colour, linewidth=1.2)
                label = ("before", "after")[side] if place == 0 else None
                axes.plot(row.value, at, marker, color=colour, markersize=4, markeredgewidth=0, label=label)
        axes.set_yticks(range(len(rows)), [short(name, 64).replace(", ", ",\n") for name, _ in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(None, 101)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("recognised, per cent (dotted: chance)")
        figure.legend(loc="outside upper left", ncols=2, handletextpad=0.1)
    return figure


def movement(found: BeforeAfter) -> Figure | None:
    """How far groups of words moved."""
    rows = [row for row in found.after if row.metric == "moved"]
    if not rows:
        return None
    with panels(COLUMN, 0.72 + 0.32 * len(rows)) as (figure, (axes,)):
        for place, row in enumerate(rows):
            axes.plot([row.low, row.high], [place, place], color=COLOURS[0], linewidth=1.2)
            axes.plot(row.value, place, "o", color=COLOURS[0], markersize=4, markeredgewidth=0)
        axes.set_yticks(range(len(rows)), [fill(f"{short(row.test, 60)} ({row.counts['n']:,})", 26) for row in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(left=0)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("1 − cos(before, after),\nwith 95 % interval")
    return figure
