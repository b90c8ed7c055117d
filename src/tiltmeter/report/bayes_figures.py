"""Figures of the Bayesian estimate, one column wide: after Dobrzeniecka & Urbaniak, figures 3 to 17."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from tiltmeter.bayes.data import CONNECTIONS, Array, Distances, mean_average_cosine
from tiltmeter.report.bayes_parts import (
    COLOURS,
    MARKERS,
    beside,
    interval,
    legend,
    name_rows,
    put_title,
    reference,
    ridge,
    some,
)
from tiltmeter.report.style import COLOURS as SERIES
from tiltmeter.report.style import COLUMN, panels, short

if TYPE_CHECKING:
    from tiltmeter.bayes.fit import Posterior

_BEFORE_AFTER = (("before", SERIES[4]), ("after", SERIES[0]))
_ABBREVIATED = {"associated": "assoc.", "different": "diff.", "human": "hum.", "neutral": "neut."}
_DIFFERENCE = "difference (below 0: associated are nearer)"


def by_connection(posterior: Posterior) -> Figure:
    """Posterior of the mean distance of each connection, and of the contrasts with the associated one."""
    from tiltmeter.bayes.estimates import contrasts, population

    means = [each for each in population(posterior) if each.kind == "bar"]
    draws = dict(zip(posterior.distances.present, posterior.draws("bar").T, strict=True))
    others = [name for name in posterior.distances.present if name != "associated"]
    with panels(COLUMN, 3.0, rows=2, height_ratios=(len(means) + 0.4, len(others) + 0.2)) as (figure, (top, bottom)):
        for row, each in enumerate(means):
            ridge(top, row, draws[each.connection], each, COLOURS[each.connection])
        name_rows(top, [each.connection for each in means])
        reference(top, 1.0, "unrelated")
        top.set_xlabel("mean cosine distance")
        for row, (each, other) in enumerate(zip(contrasts(posterior), others, strict=True)):
            ridge(bottom, row, draws["associated"] - draws[other], each, COLOURS[other])
        name_rows(bottom, [f"assoc. − {name}" for name in others])
        reference(bottom, 0.0, "equal")
        bottom.set_xlabel(_DIFFERENCE)
        for axes in (top, bottom):
            axes.locator_params(axis="x", nbins=5)  # more would touch
        put_title(figure, posterior.distances.title)
    return figure


def by_word(posterior: Posterior) -> Figure:
    """Mean distance of each protected word, by connection, with 89 % intervals (figures 13, 14 and appendix A.1)."""
    from tiltmeter.bayes.estimates import by_word as words_of

    found = {(each.word, each.connection): each for each in words_of(posterior)}
    present = posterior.distances.present
    words = sorted(posterior.distances.words, key=lambda word: -found[word, "associated"].mean)
    row_height = min(0.26, max(0.14, 8.2 / len(words)))  # of many words, as many as a page takes
    with panels(COLUMN, 0.75 + row_height * len(words)) as (_, (axes,)):
        for row, word in enumerate(words):
            if row % 2:
                axes.axhspan(row - 0.5, row + 0.5, color="#F2F2F2", linewidth=0, zorder=0)
            for place, connection in enumerate(present):
                each = found[word, connection]
                at = row + 0.3 - 0.6 * (place + 0.5) / len(present)
                colour = COLOURS[connection]
                axes.plot([each.low, each.high], [at, at], color=colour, linewidth=1.1, solid_capstyle="round")
                axes.plot(each.mean, at, MARKERS[connection], color=colour, markersize=2.8, markeredgewidth=0)
        axes.set_yticks(range(len(words)), words)
        axes.set_ylim(-0.6, len(words) - 0.4)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("mean cosine distance, with 89 % interval")
        reference(axes, 1.0)
        legend(axes, present)
        put_title(axes.figure, posterior.distances.title)
    return axes.figure  # type: ignore[return-value]


def predictive_check(posterior: Posterior) -> Figure:
    """Distances against what the model predicts of them, and the two densities (figure 12)."""
    from tiltmeter.bayes.estimates import HALF, MOST
    from tiltmeter.bayes.predictive import columns, coverage, densities, predicted_intervals

    data = posterior.distances
    shares = {each.level: each.share for each in coverage(posterior)}
    column = columns(posterior)
    predicted = posterior.draws("mu").mean(axis=0)[data.word, column]
    bounds = predicted_intervals(posterior, MOST)[data.word, column]
    with panels(COLUMN, 4.0, rows=2, height_ratios=(1.5, 1)) as (figure, (top, bottom)):
        order = np.argsort(predicted, kind="stable")
        top.fill_between(predicted[order], *bounds[order].T, color="#DDDDDD", linewidth=0)
        for name in data.present:
            rows = some(np.flatnonzero(data.connection == CONNECTIONS.index(name)))
            top.plot(
                predicted[rows],
                data.distance[rows],
                MARKERS[name],
                color=COLOURS[name],
                markersize=1.8,
                markeredgewidth=0,
                alpha=0.55,
                rasterized=True,
            )
        ends = [predicted.min(), predicted.max()]
        top.plot(ends, ends, color="black", linewidth=0.7)
        top.set_xlabel("predicted mean distance")
        top.set_ylabel("cosine distance")
        top.set_title(
            f"{100 * shares[MOST]:.0f} % inside the 89 % band (grey), {100 * shares[HALF]:.0f} % inside 50 %",
            fontsize=7,
        )
        legend(top, data.present)
        drawn = densities(posterior)
        bottom.fill_between(drawn.at, drawn.observed, color="#BBBBBB", linewidth=0, label="observed")
        bottom.plot(drawn.at, drawn.predicted, color="#0072B2", linewidth=1.2, label="predicted")
        bottom.set_xlabel("cosine distance")
        bottom.set_ylabel("density")
        bottom.set_ylim(bottom=0)
        bottom.set_xlim(*np.quantile(data.distance, (0, 1)) + np.array([-0.1, 0.1]))
        bottom.legend(loc="upper left", handlelength=1.2)
        put_title(figure, data.title)
    return figure


def before_and_after(before: Posterior, after: Posterior) -> Figure:
    """Mean distances and contrasts before and after debiasing (figures 13 and 14)."""
    from tiltmeter.bayes.estimates import contrasts, population

    sides = [
        (name, colour, posterior) for (name, colour), posterior in zip(_BEFORE_AFTER, (before, after), strict=True)
    ]
    both = [name for name in before.distances.present if name in after.distances.present]
    with panels(COLUMN, 3.2, rows=2, height_ratios=(len(both) + 0.4, len(both) - 0.6)) as (figure, (top, bottom)):
        for side, (name, colour, posterior) in enumerate(sides):
            means = {each.connection: each for each in population(posterior) if each.kind == "bar"}
            apart = {each.connection.removeprefix("associated - "): each for each in contrasts(posterior)}
            for axes, of, rows in ((top, means, both), (bottom, apart, both[1:])):
                for row, connection in enumerate(rows):
                    title = posterior.distances.title.removesuffix(f", {name}")  # a model may be called so
                    label = f"{name}: {short(title, 44)}" if row == 0 else None
                    interval(axes, row + (-0.16, 0.16)[side], of[connection], colour, "os"[side], label)
        name_rows(top, both)
        name_rows(bottom, [f"assoc. − {name}" for name in both[1:]])
        reference(top, 1.0, "unrelated")
        reference(bottom, 0.0, "equal")
        top.set_xlabel("mean cosine distance")
        bottom.set_xlabel(_DIFFERENCE)
        handles, labels = top.get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper left", handlelength=1.2, borderaxespad=0.1)
    return figure


def empirical(*data: Distances, mac: float | None = None) -> Figure:
    """Similarities as they are, by connection, with lines at ±(1 - MAC) (figures 3 to 5; of two sets, 15 to 17).

    Under each name stands the share of its similarities between the lines. `mac` is that of the first data set, unless
    given: the value which its authors took for a sign of bias.
    """
    line = 1 - (mean_average_cosine(data[0]) if mac is None else mac)
    with panels(COLUMN, 2.5, columns=len(data), share_y=True) as (figure, sides):
        for axes, each in zip(sides, data, strict=True):
            ticks = []
            for place, name in enumerate(each.present):
                similarity = 1 - each.of(name)
                axes.plot(
                    place + beside(similarity, 0.38),
                    similarity,
                    ".",
                    color=COLOURS[name],
                    markersize=1.6,
                    alpha=0.6,
                    markeredgewidth=0,
                    rasterized=True,
                )
                quarters = np.quantile(similarity, (0.25, 0.5, 0.75))
                axes.plot([place] * 2, quarters[[0, 2]], color="black", linewidth=1.6, solid_capstyle="butt")
                axes.plot(
                    place, quarters[1], "o", color="white", markeredgecolor="black", markersize=3, markeredgewidth=0.7
                )
                shown = name if len(data) == 1 else _ABBREVIATED[name]
                ticks.append(f"{shown}\n{100 * np.mean(np.abs(similarity) <= line):.0f} %")
            for value in (-line, line):
                axes.axhline(value, color="black", linewidth=0.7, linestyle=(0, (4, 2)))
            axes.set_xticks(range(len(ticks)), ticks)
            axes.set_xlim(-0.55, len(ticks) - 0.45)
            axes.tick_params(axis="x", length=0)
            axes.set_title(short(each.title, 52 // len(data)), fontsize=7)
        sides[0].set_ylabel("cosine similarity")
        figure.supxlabel(f"share between ±{line:.2f} (1 − MAC)", fontsize=7)
    return figure


def word_distances(data: Distances, word: str) -> Figure:
    """The distance of one protected word to each stereotype, and to the control words (figures 6 and 7)."""
    rows = np.flatnonzero(data.word == data.words.index(word))
    named: dict[tuple[str, str], float] = {}
    control: dict[str, Array] = {}
    for name in data.present:
        of = rows[data.connection[rows] == CONNECTIONS.index(name)]
        if name in ("associated", "different"):
            named.update({(data.attributes[row], name): float(data.distance[row]) for row in of})
        elif of.size:
            control[name] = data.distance[of]
    order = sorted(named, key=lambda key: -named[key])
    below = len(control)
    with panels(COLUMN, 1.0 + 0.145 * len(order) + 0.3 * below) as (figure, (axes,)):
        strips = [1.7 * (place - below) + 0.35 for place in range(below)]
        for at, (name, values) in zip(strips, reversed(control.items()), strict=True):
            axes.plot(
                values,
                at + beside(values, 0.6),
                ".",
                color=COLOURS[name],
                markersize=2.2,
                alpha=0.6,
                markeredgewidth=0,
            )
            axes.plot([np.median(values)] * 2, [at - 0.7, at + 0.7], color="black", linewidth=1.2)
        for row, key in enumerate(order):
            axes.plot([named[key], 1], [row, row], color="#CCCCCC", linewidth=0.8, zorder=1)
            axes.plot(named[key], row, MARKERS[key[1]], color=COLOURS[key[1]], markersize=4, markeredgewidth=0)
        labels = [f"{name} words ({values.size})" for name, values in reversed(control.items())]
        axes.set_yticks([*strips, *range(len(order))], [*labels, *(attribute for attribute, _ in order)])
        axes.set_ylim(-1.7 * below - 0.7, len(order) - 0.3)
        axes.tick_params(axis="y", length=0)
        axes.set_xlabel("cosine distance")
        reference(axes, 1.0)
        legend(axes, [name for name in data.present if name in control or any(key[1] == name for key in named)])
        put_title(figure, f"{word!r}: {data.title}")
    return figure


def null_distributions(
    effect_sizes: Array, statistics: Array, *, observed: float, statistic: float, title: str = "without bias"
) -> Figure:
    """Effect sizes and test statistics where there is no bias, and one that was observed (figures 8 and 10)."""
    share = float(np.mean(np.abs(effect_sizes) >= abs(observed)))
    with panels(COLUMN, 3.2, rows=2) as (figure, (top, bottom)):
        parts = ((top, effect_sizes, observed, "effect size"), (bottom, statistics, statistic, "test statistic"))
        for axes, values, seen, label in parts:
            heights, edges = np.histogram(values, bins=60, density=True)
            axes.stairs(heights, edges, fill=True, color="#BBBBBB")
            beyond = np.abs(edges[:-1] + np.diff(edges) / 2) >= abs(seen)
            axes.stairs(np.where(beyond, heights, 0), edges, fill=True, color="#D55E00")
            for value in (-abs(seen), abs(seen)):
                axes.axvline(value, color="black", linewidth=0.7, linestyle=(0, (4, 2)))
            axes.set_xlabel(label)
            axes.set_ylabel("density")
        top.set_title(f"{title}: |d| ≥ {abs(observed):.3f} in {100 * share:.2g} % of {effect_sizes.size:,}")
        figure.align_ylabels()
    return figure


def null_sample(similarities: Array, n_x: int, n_a: int, *, effect: float) -> Figure:
    """The distances of one data set that is noise alone, by group of words and attributes (figure 9)."""
    distances = 1 - similarities
    quarters = (
        ("X to A", distances[:n_x, :n_a]),
        ("X to B", distances[:n_x, n_a:]),
        ("Y to A", distances[n_x:, :n_a]),
        ("Y to B", distances[n_x:, n_a:]),
    )
    with panels(COLUMN, 2.2) as (_, (axes,)):
        for place, (name, values) in enumerate(quarters):
            colour = COLOURS["associated" if name in ("X to A", "Y to B") else "different"]
            points = values.ravel()
            axes.plot(
                place + beside(points, 0.3), points, ".", color=colour, markersize=3.5, alpha=0.7, markeredgewidth=0
            )
            axes.plot([place - 0.3, place + 0.3], [points.mean()] * 2, color="black", linewidth=1.2)
        axes.set_xticks(range(4), [name for name, _ in quarters])
        axes.set_ylabel("cosine distance")
        axes.set_title(f"noise alone, effect size {effect:.2f}")
    return axes.figure  # type: ignore[return-value]
