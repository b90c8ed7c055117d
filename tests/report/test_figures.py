"""Figures: the same bytes twice, at both widths, with nothing cut off and nothing left out in silence."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

from tiltmeter.measurement import Measurement
from tiltmeter.report import figures as draw
from tiltmeter.report.matrices import Matrix, read_matrices
from tiltmeter.report.style import COLOURS, COLUMN, MARKERS, PAGE
from tiltmeter.runs.arrays import Arrays, write_arrays

from .samples import everything, hostile, weat


def texts(figure: Figure) -> str:
    return "\n".join(text.get_text() for text in figure.findobj(lambda artist: hasattr(artist, "get_text")))  # type: ignore[attr-defined]


@pytest.mark.slow
def test_the_same_bytes_twice(tmp_path: Path) -> None:
    first, second = (draw.write_figures(tmp_path / run, everything()) for run in ("first", "second"))
    assert [path.name for path in first] == [path.name for path in second]
    for one, other in zip(first, second, strict=True):
        data = one.read_bytes()
        assert len(data) > 2_000
        assert data == other.read_bytes(), one.name
    assert {path.suffix for path in first} == {".pdf", ".png", ".svg"}
    assert all(b"<script" not in path.read_bytes() for path in first if path.suffix == ".svg")


def test_there_is_a_figure_for_each_kind_of_result() -> None:
    assert set(draw.figures(everything())) == {
        "forest-weat", "forest-seat", "forest-lpbs", "forest-a new metric", "crows-by-type", "bayes-contrasts",
        "heat-direct-bert", "heat-indirect-bert", "significance",
    }  # fmt: skip


@pytest.mark.parametrize("width", [COLUMN, PAGE])
@pytest.mark.parametrize("rows", [everything(), hostile()], ids=["everything", "hostile"])
def test_no_text_is_cut_off(rows: list[Measurement], width: float) -> None:
    for name, make in draw.figures(rows).items():
        figure = make(width)
        assert figure.get_size_inches()[0] == width
        figure.draw_without_rendering()
        for axes in figure.axes:
            low, high = sorted(axes.get_xlim())
            ticks = [
                text for at, text in zip(axes.get_xticks(), axes.get_xticklabels(), strict=True) if low <= at <= high
            ]
            for text in [axes.xaxis.label, *axes.get_yticklabels(), *ticks]:
                if text.get_visible() and text.get_text():
                    box = text.get_window_extent()
                    assert box.x0 >= -2, (name, text.get_text())
                    assert box.x1 <= figure.bbox.x1 + 2, (name, text.get_text())


def test_no_tick_label_runs_into_the_next() -> None:
    rows = [row for row in everything() if row.metric.startswith("bayes contrast")]
    figure = draw.figures(rows)["bayes-contrasts"](COLUMN)
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in figure.axes[0].get_xticklabels() if text.get_text()]
    assert len(boxes) > 3
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


def test_every_test_is_drawn_on_some_page() -> None:
    rows = [weat(f"own-{number:03}", model) for number in range(100) for model in ("a", "b")]
    made = [make(PAGE) for name, make in draw.figures(rows).items() if name.startswith("forest")]
    assert len(made) > 1
    shown = "\n".join(texts(figure) for figure in made)
    assert all(f"own-{number:03}" in shown for number in range(100))


def test_a_marker_is_filled_where_significant_after_correction() -> None:
    figure = draw.figures([weat("a", p=1e-9), weat("b", p=0.9)])["forest-weat"](COLUMN)
    faces = {
        round(float(np.asarray(line.get_ydata())[0])): line.get_markerfacecolor()
        for line in figure.axes[0].lines
        if line.get_marker() in MARKERS
    }
    assert faces == {0: COLOURS[0], 1: "white"}


def test_models_stand_beside_each_other_only_where_both_have_the_test() -> None:
    rows = [weat("both", "m"), weat("both", "n"), weat("m alone", "m"), weat("n alone", "n")]
    figure = draw.figures(rows)["forest-weat"](COLUMN)
    at = [
        float(np.asarray(line.get_ydata())[0])
        for line in figure.axes[0].lines
        if line.get_marker() in MARKERS and np.size(line.get_ydata()) == 1
    ]
    assert at[0] < 0 < at[1] == -at[0]
    assert at[2:] == [1, 2]


def test_the_dots_of_the_matrix_are_the_significant_cells() -> None:
    rows = [weat("a", "m", p=1e-9), weat("b", "m", p=0.9), weat("a", "n", p=0.8)]
    figure = draw.figures(rows)["significance"](COLUMN)
    dots = [line for line in figure.axes[0].lines if line.get_marker() == "o"]
    assert [(float(np.asarray(dot.get_xdata())[0]), float(np.asarray(dot.get_ydata())[0])) for dot in dots] == [
        (0.5, 0.5)
    ]
    assert len(figure.axes[0].patches) == 1, "one pair of model and test gave no result"


def test_neighbouring_colours_differ_in_lightness_or_marker() -> None:
    assert len(set(COLOURS)) == len(set(MARKERS)) == len(COLOURS)
    assert all(one != other for one, other in pairwise(MARKERS))


def test_the_whole_matrix_is_drawn_though_the_table_holds_its_strongest_cells(tmp_path: Path) -> None:
    score = np.arange(12.0).reshape(3, 4)
    write(tmp_path, "a" * 64, score)
    job = {"hash": "a" * 64, "model": "m", "metric": "direct", "test": "r × c", "arrays": True}
    (found,) = read_matrices(tmp_path, {"jobs": [job, {**job, "hash": "../../x"}, {**job, "metric": "bayes"}]})
    assert (found.model, found.metric, found.name, found.rows) == ("m", "direct", "r × c", ("r0", "r1", "r2"))
    strongest = found.strongest(2, 2)
    assert (strongest.rows, strongest.columns) == (("r1", "r2"), ("c2", "c3"))
    assert strongest.score.tolist() == [[6, 7], [10, 11]]


def test_a_matrix_without_a_number_is_drawn() -> None:
    empty = np.full((2, 2), math.nan)
    matrix = Matrix("m", "direct", "x × y", ("a", "b"), ("c", "d"), empty, empty, np.zeros((2, 2), dtype=bool))
    row = Measurement(model="m", test="a × c", metric="direct", value=math.nan, details={"target": "a", "feature": "c"})
    draw.figures([row], [matrix])["heat-direct"](COLUMN).draw_without_rendering()
    draw.figures([row])["heat-direct"](PAGE).draw_without_rendering()


def write(folder: Path, key: str, score: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> None:
    (folder / "arrays").mkdir()
    rows, columns = score.shape
    about = {
        "metric": "direct",
        "rows": [f"r{place}" for place in range(rows)],
        "columns": [f"c{place}" for place in range(columns)],
    }
    arrays = {"score": score, "adjusted": score / 100, "low": score - 1}
    write_arrays(folder / "arrays" / f"{key}.safetensors", Arrays(arrays, about))
