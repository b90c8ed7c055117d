"""Figures: each is drawn, one column wide, and the same twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from tiltmeter.bayes.fit import Posterior, fit
from tiltmeter.metrics.null_simulation import draw_similarities, scored, splits
from tiltmeter.report import bayes_figures as draw
from tiltmeter.report import bayes_parts as parts
from tiltmeter.report import style
from tiltmeter.report.names import file_name

from .small import simulated


def of_the_null(_: Posterior) -> Figure:
    similarities = draw_similarities(12, 8)
    scores, effect, statistic = scored(similarities, 6, 4)
    listed = splits(scores, 6)
    return draw.null_distributions(listed.effect_sizes, listed.statistics, observed=effect, statistic=statistic)


FIGURES: dict[str, Callable[[Posterior], Figure]] = {
    "connections": draw.by_connection,
    "words": draw.by_word,
    "predictive check": draw.predictive_check,
    "similarities": lambda posterior: draw.empirical(posterior.distances),
    "two similarities": lambda posterior: draw.empirical(posterior.distances, posterior.distances, mac=0.86),
    "before and after": lambda posterior: draw.before_and_after(posterior, posterior),
    "one word": lambda posterior: draw.word_distances(posterior.distances, "w2"),
    "null": of_the_null,
    "null sample": lambda _: draw.null_sample(draw_similarities(16, 16), 8, 8, effect=0.4),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_one_column_wide_and_the_same_twice(posterior: Posterior, tmp_path: Path, name: str) -> None:
    written = [
        [path.read_bytes() for path in style.save(FIGURES[name](posterior), tmp_path / run, name)]
        for run in ("first", "second")
    ]
    assert written[0] == written[1]
    figure = FIGURES[name](posterior)
    assert figure.get_size_inches()[0] == style.COLUMN
    figure.draw_without_rendering()
    frame = figure.bbox
    for axes in figure.axes:
        for text in [axes.title, axes.xaxis.label, axes.yaxis.label, *axes.get_yticklabels()]:
            if text.get_visible() and text.get_text():
                box = text.get_window_extent()
                assert box.x0 >= frame.x0 - 1, text.get_text()
                assert box.x1 <= frame.x1 + 1, text.get_text()


def test_the_colours_differ_in_lightness_or_marker_for_every_eye() -> None:
    assert len(set(parts.MARKERS.values())) == len(parts.COLOURS) == 4


def test_the_lines_of_the_similarities_stand_at_one_less_mac(posterior: Posterior) -> None:
    figure = draw.empirical(posterior.distances, mac=0.859)
    heights = {float(np.asarray(line.get_ydata())[0]) for line in figure.axes[0].lines if line.get_linestyle() == "--"}
    assert sorted(heights) == pytest.approx([-0.141, 0.141])


def test_a_posterior_without_all_connections_is_drawn() -> None:
    poor = fit([replace(simulated(words=1, rows=(4, 0, 0, 6)), name="a/b: c")])[0]
    for name, make in FIGURES.items():
        if name != "one word":
            make(poor).draw_without_rendering()


@pytest.mark.parametrize(("name", "file"), [("a/b: c", "a-b-c"), ("../x", "x"), ("…", "unnamed")])
def test_a_name_cannot_leave_the_folder(name: str, file: str) -> None:
    assert file_name(name) == file
