"""The comparison of two runs as a page of one file, as Markdown, and as figures."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from tiltmeter.files import ensure_folder, replacing
from tiltmeter.report.compare import Comparison, Pair, markdown
from tiltmeter.report.figures import WIDTHS
from tiltmeter.report.html import page
from tiltmeter.report.html_tables import MOST_ROWS, interval_cell, named, number_cell, span, table
from tiltmeter.report.markup import Markup, breakable, tag, together
from tiltmeter.report.meanings import headline, meaning, neutral, title
from tiltmeter.report.names import file_names
from tiltmeter.report.sections import models
from tiltmeter.report.style import COLOURS, INK, MARKERS, PAGE, figure, save, short, ticks

_DRAWN = 40
_MODELS = 6  # that are named of each run


def write_comparison(folder: Path, found: Comparison, titles: tuple[str, str]) -> list[Path]:
    """Write compare.html, compare.md and the figure, at the width of a column and of a page."""
    ensure_folder(folder)
    texts = {"compare.html": comparison_page(found, titles), "compare.md": markdown(found)}
    for name, text in texts.items():
        with replacing(folder / name) as part:
            part.write_text(text, encoding="utf-8")
    families = found.by_family()
    stems = file_names(families)
    figures = [
        path
        for metric, pairs in families.items()
        for wide, width in WIDTHS.items()
        for path in save(differences(pairs, found.names(), titles, width), folder, f"compare-{stems[metric]}-{wide}")
    ]
    return [*(folder / name for name in texts), *figures]


def differences(
    pairs: Sequence[Pair],
    names: Mapping[str, str],
    titles: tuple[str, str],
    width: float,
    colours: Sequence[str] = COLOURS,
) -> Figure:
    """The values of both runs with their intervals, by test; those with the largest difference if there are many."""
    pairs = [pair for pair in pairs if headline(pair.first)] or pairs
    if len(pairs) > _DRAWN:
        size = [abs(pair.difference) if math.isfinite(pair.difference) else 0.0 for pair in pairs]
        kept = sorted(sorted(range(len(pairs)), key=lambda place: -size[place])[:_DRAWN])
        pairs = [pairs[place] for place in kept]
    several = len({pair.first.model for pair in pairs}) > 1
    of = meaning(pairs[0].first.metric)
    letters = 22 if width < PAGE else 60
    with figure(width, 0.8 + 0.2 * len(pairs)) as (made, axes):
        for row, pair in enumerate(pairs):
            if row % 2:
                axes.axhspan(row - 0.5, row + 0.5, color="#F3F3F3", linewidth=0, zorder=0)
            for side, measured in enumerate((pair.first, pair.second)):
                at = row + (side - 0.5) * 0.34
                if math.isfinite(measured.low) and math.isfinite(measured.high):
                    axes.plot([measured.low, measured.high], [at, at], color=colours[side], linewidth=1.0)
                axes.plot(measured.value, at, MARKERS[side], color=colours[side], markersize=3.6)
        at_rest = neutral(pairs[0].first)
        if at_rest is not None:
            axes.axvline(at_rest, color=INK, linewidth=0.7, linestyle=(0, (4, 2)), zorder=1)
        tests = [f"{pair.label}, {names[pair.first.model]}" if several else pair.label for pair in pairs]
        axes.set_yticks(range(len(pairs)), [short(test, letters) for test in tests])
        axes.set_ylim(len(pairs) - 0.4, -0.6)
        axes.tick_params(axis="y", length=0)
        axes.xaxis.set_major_locator(ticks(width))
        axes.set_xlabel(f"{short(of.name, 24)}: {of.quantity}, with intervals")
        for side, title in enumerate(titles):
            axes.plot([], [], MARKERS[side], color=colours[side], markersize=3.6, label=short(title, 22))
        made.legend(loc="outside upper left", ncols=2, handletextpad=0.1, columnspacing=1.0)
    return made


def comparison_page(found: Comparison, titles: tuple[str, str]) -> str:
    """The comparison as a page of one file."""
    heading = f"{titles[0]} and {titles[1]}"
    body = [
        tag("header", tag("h1", "Two runs compared"), tag("p", *_sides(found, titles), class_="soft")),
        tag(
            "main",
            tag(
                "section",
                tag("h2", "What differs"),
                tag("ul", *(tag("li", text) for text in found.summary())),
                tag(
                    "p",
                    "Intervals that share no point are a strict sign of a difference; that they overlap does not show "
                    "that there is none. Where both runs kept the scores of the same words, names or pairs of "
                    "sentences, the interval of a difference resamples them together. Elsewhere it treats the two runs "
                    "as independent (Zou & Donner 2008); runs on the same words mostly move together, so that it errs "
                    "on the wide side.",
                    class_="note",
                ),
                class_="summary",
            ),
            *(_section(pairs, found.names()) for pairs in found.by_family().values()),
        ),
        tag("footer", tag("p", "Made by Tiltmeter. This page loads nothing: it can be kept, sent and opened offline.")),
    ]
    return page(f"Two runs compared: {heading}", together(body))


def _sides(found: Comparison, titles: tuple[str, str]) -> list[str]:
    """Which run is the first, which the second, and whose models they measured."""
    names = found.names()
    said = []
    for side, run, rows in (
        ("First", titles[0], [pair.first for pair in found.pairs]),
        ("Second", titles[1], [pair.second for pair in found.pairs]),
    ):
        measured = [names[model] for model in models(rows)]
        more = f" and {len(measured) - _MODELS} more" if len(measured) > _MODELS else ""
        said.append(f"{side}: {run} ({', '.join(measured[:_MODELS])}{more}). ")
    return said


def _section(pairs: Sequence[Pair], names: Mapping[str, str]) -> Markup:
    of = meaning(pairs[0].first.metric)
    wide = span([row for pair in pairs for row in (pair.first, pair.second)])
    several = len({pair.first.model for pair in pairs}) > 1
    head = [
        tag("th", "Test", scope="col"),
        tag("th", "Model", scope="col") if several else None,
        tag("th", "First, with interval", scope="col"),
        tag("th", "Second, with interval", scope="col"),
        *(tag("th", name, scope="col", class_="number") for name in ("First", "Second", "Difference", "Low", "High")),
        tag("th", "Intervals", scope="col"),
    ]
    body = [
        tag(
            "tr",
            named(pair.label, title(pair.first)),
            tag("td", breakable(names[pair.first.model]), class_="words") if several else None,
            interval_cell(pair.first, wide),
            interval_cell(pair.second, wide),
            *(
                number_cell(value, of.digits)
                for value in (pair.first.value, pair.second.value, pair.difference, *pair.interval)
            ),
            tag("td", {True: "apart", False: "overlap", None: "–"}[pair.apart]),
        )
        for pair in pairs[:MOST_ROWS]
    ]
    more = f"; the first {MOST_ROWS} of {len(pairs):,}" if len(pairs) > MOST_ROWS else ""
    caption = (
        f"{of.name}: {of.quantity} in both runs{more}. The difference is the second less the first; low and high bound "
        "it. A filled dot: the interval excludes the neutral value."
    )
    return tag("section", tag("h2", of.name), table(caption, head, body))
