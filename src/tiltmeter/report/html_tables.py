"""The tables of the report page: numbers that sort, an interval drawn beside each, and models × tests in shades."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from tiltmeter.measurement import Measurement
from tiltmeter.report.markup import Markup, breakable, escape, tag, together
from tiltmeter.report.meanings import excludes_neutral, meaning, neutral, title
from tiltmeter.report.sections import Row, Section, by_word, counted, detail
from tiltmeter.report.summary import LeftOut
from tiltmeter.report.tables import number, p_text
from tiltmeter.runs.results import ALPHA

MOST_ROWS = 500
MOST_CELLS = 100  # of a matrix of scores
_OPEN = 60  # rows of a metric that are shown at once
_FOLDED = 25
_WIDTH, _HEIGHT = 176, 20
_EDGE = 6


def metric_table(section: Section, names: Mapping[str, str], *, alpha: float = ALPHA, many: bool = False) -> Markup:
    """All rows of a metric, or the strongest of very many. Those that stand for no whole test unfold, if many."""
    most = MOST_CELLS if section.is_matrix else MOST_ROWS
    rows = section.rows if len(section.rows) <= most else section.strongest(most)
    if len(rows) <= (_FOLDED if section.is_matrix else _OPEN):
        return _metric_table(section, rows, names, alpha, many=many)
    first = section.strongest(_FOLDED) if section.is_matrix else section.headlines
    if len(first) > _OPEN or not set(map(id, rows)) - set(map(id, first)):
        return _folded(f"Show all {len(rows):,}", _metric_table(section, rows, names, alpha, many=many))
    whole = _metric_table(section, rows, names, alpha, many=many)
    return together([_metric_table(section, first, names, alpha, many=many), _folded(f"Show all {len(rows):,}", whole)])


def _metric_table(
    section: Section, rows: Sequence[Row], names: Mapping[str, str], alpha: float, *, many: bool
) -> Markup:
    of, words, wide = section.meaning, by_word(rows), span([row.measured for row in rows])
    several = len({row.measured.model for row in rows}) > 1
    null = any("null_share" in row.measured.details for row in rows)
    head = [
        tag("th", "Test", scope="col"),
        tag("th", "Model", scope="col") if several else None,
        tag("th", "Language", scope="col") if many else None,
        tag("th", f"{100 * rows[0].measured.level:g} % interval", _axis(wide, of.digits), scope="col"),
        _head(of.quantity[:1].upper() + of.quantity[1:]),
        _head("Low"),
        _head("High"),
        _head("p-value"),
        _head("Corrected p"),
        _head("p by word") if words else None,
        _head("Without bias") if null else None,
        tag("th", "Took part", scope="col"),
        _head("Lost"),
    ]
    body = [
        tag(
            "tr",
            _test(row),
            tag("td", breakable(names[row.measured.model]), class_="words name") if several else None,
            tag("td", row.measured.language) if many else None,
            interval_cell(row.measured, wide),
            *(number_cell(getattr(row.measured, side), of.digits) for side in ("value", "low", "high")),
            _p(row.measured.p_value),
            _p(row.adjusted, " *" if row.significant(alpha) else ""),
            _p(detail(row, "p_value_words")) if words else None,
            _p(detail(row, "null_share")) if null else None,
            tag("td", Markup(escape(counted(row.measured)).replace(", ", ",\u00a0")), class_="words counts")
            if "X" in row.measured.counts
            else tag("td", counted(row.measured), class_="words"),
            tag("td", f"{len(row.measured.lost):,}", class_="number", data_sort=str(len(row.measured.lost))),
        )
        for row in rows
    ]
    shown = f"{of.name}: {len(rows):,} results"
    if len(rows) < len(section.rows):
        which = f"the {len(rows):,} strongest" if section.is_matrix or len(rows) == MOST_ROWS else f"{len(rows):,}"
        shown = f"{of.name}: {which} of {len(section.rows):,} results; measurements.tsv holds all"
    return table(f"{shown}. A filled dot: the interval excludes the neutral value.", head, body)


def matrix_table(
    cut: Sequence[Section], names: Mapping[str, str], *, alpha: float = ALPHA, many: bool = False
) -> Markup:
    """Models × tests: the value, shaded by its direction, and a mark where it is significant."""
    cells: dict[tuple[str, str], dict[str, tuple[Section, Row]]] = {}
    for section in cut:
        for row in section.headlines:
            cells.setdefault((section.meaning.name, row.named(many=many)), {})[row.measured.model] = (section, row)
    shown = [model for model in names if any(model in found for found in cells.values())]
    head = [
        tag("th", "Test", scope="col"),
        tag("th", "Metric", scope="col"),
        *(tag("th", breakable(names[model]), scope="col", class_="model") for model in shown),
    ]
    body = []
    for (metric, test), found in list(cells.items())[:MOST_ROWS]:
        about = title(next(iter(found.values()))[1].measured)
        line = [named(test, about), tag("td", metric, class_="words")]
        for model in shown:
            if model not in found:
                line.append(tag("td", "–", class_="none", data_sort="NaN"))
                continue
            section, row = found[model]
            mark = " *" if row.significant(alpha) else ""
            line.append(
                tag(
                    "td",
                    number(row.measured.value, section.meaning.digits) + mark,
                    class_=_shade(row),
                    data_sort=f"{row.measured.value:.6g}",
                )
            )
        body.append(tag("tr", *line))
    return table("Values by test and model; * where significant after correction.", head, body, "matrix")


def words_table(lost: Mapping[tuple[str, str], Sequence[str]], most: int = MOST_ROWS) -> Markup:
    """Which words were lost, why, and where."""
    head = [tag("th", name, scope="col") for name in ("Word or sentence", "Reason", "Test and set")]
    body = []
    for (word, reason), places in list(lost.items())[:most]:
        where = ", ".join(places[:8]) + (f" and {len(places) - 8} more" if len(places) > 8 else "")
        body.append(
            tag(
                "tr",
                tag("th", word, scope="row"),
                tag("td", reason, class_="words long"),
                tag("td", where, class_="words long"),
            )
        )
    more = f"; the first {most:,} of {len(lost):,}, measurements.tsv names all" if len(lost) > most else ""
    made = table(f"Words and sentences that took no part{more}.", head, body)
    return made if len(lost) <= _FOLDED else _folded(f"Show all {len(lost):,}", made)


def _folded(what: str, made: Markup) -> Markup:
    return tag("details", tag("summary", what), made)


def jobs_table(caption: str, jobs: Sequence[LeftOut], names: Mapping[str, str]) -> Markup:
    """Jobs without a result, and why."""
    several = len({*names, *(job.model for job in jobs)}) > 1  # a model of which nothing was measured is in no name
    columns = ("Test", "Metric", *(("Model",) if several else ()), "Reason")
    head = [tag("th", name, scope="col") for name in columns]
    body = [
        tag(
            "tr",
            tag("th", breakable(job.test), scope="row"),
            tag("td", meaning(job.metric).name),
            tag("td", breakable(names.get(job.model, job.model)), class_="words") if several else None,
            tag("td", re.sub(rf"^test {re.escape(job.test)} \(.*?\): ", "", job.reason), class_="words long"),
        )
        for job in jobs[:MOST_ROWS]
    ]
    return table(caption, head, body)


def table(caption: str, head: Sequence[Markup | None], body: Sequence[Markup], kind: str = "") -> Markup:
    """A table that sorts, in a frame that scrolls on a narrow screen and can be reached by keyboard."""
    made = tag(
        "table",
        tag("caption", tag("span", caption)),
        tag("thead", tag("tr", *head)),
        tag("tbody", *body),
        class_=f"sorts {kind}".strip(),
    )
    return tag("div", made, class_="scroll", role="region", tabindex="0", aria_label=caption)


def _head(name: str) -> Markup:
    return tag("th", name, scope="col", class_="number")


def _test(row: Row) -> Markup:
    return named(row.label, title(row.measured))


def named(label: str, about: str) -> Markup:
    """The head of a row: a test, and what it compares."""
    return tag("th", breakable(label), tag("small", about) if about else None, scope="row")


def number_cell(value: float, digits: int) -> Markup:
    return tag("td", number(value, digits), class_="number", data_sort=f"{value:.10g}")


def _p(p: float, mark: str = "") -> Markup:
    return tag("td", p_text(p) + mark, class_="number", data_sort=f"{p:.10g}")


def span(rows: Sequence[Measurement]) -> tuple[float, float]:
    """What the drawn intervals of a table span together: the neutral value is always inside."""
    ends = [getattr(row, side) for row in rows for side in ("value", "low", "high")]
    ends += [at for row in rows if (at := neutral(row)) is not None]
    known = [end for end in ends if math.isfinite(end)] or [0.0, 1.0]
    low, high = min(known), max(known)
    return (low, high) if high > low else (low - 1.0, high + 1.0)


def _axis(wide: tuple[float, float], digits: int) -> Markup:
    return tag("span", *(tag("span", f"{end:.{min(digits, 2)}f}") for end in wide), class_="axis", aria_hidden="true")


def interval_cell(measured: Measurement, wide: tuple[float, float]) -> Markup:
    """The interval as a line with its value as a dot, on a scale that spans `wide`.

    It is hidden from a screen reader: the numbers themselves stand in other cells of the row.
    """
    at = neutral(measured)

    def x(value: float) -> str:
        return f"{_EDGE + (_WIDTH - 2 * _EDGE) * (value - wide[0]) / (wide[1] - wide[0]):.1f}"

    def line(low: float, high: float, kind: str) -> Markup | None:
        if not (math.isfinite(low) and math.isfinite(high)):
            return None
        return tag("line", x1=x(low), x2=x(high), y1=_HEIGHT / 2, y2=_HEIGHT / 2, class_=kind)

    half = [end for side in ("low_50", "high_50") if isinstance(end := measured.details.get(side), float)]
    value = measured.value
    parts = [
        None if at is None else tag("line", x1=x(at), x2=x(at), y1=0, y2=_HEIGHT, class_="rule"),
        line(measured.low, measured.high, "bar"),
        line(half[0], half[1], "half") if len(half) == 2 else None,
        tag("circle", cx=x(value), cy=_HEIGHT / 2, r=4, class_="dot") if math.isfinite(value) else None,
    ]
    box = f"0 0 {_WIDTH} {_HEIGHT}"
    drawn = tag("svg", together(parts), viewBox=box, class_="interval", aria_hidden="true", focusable="false")
    return tag("td", drawn, class_="settled" if excludes_neutral(measured) else None, data_sort=f"{value:.10g}")


def _shade(row: Row) -> str | None:
    """Orange above the neutral value, purple below; three steps of an effect size, or of 50 per cent."""
    at, value = neutral(row.measured), row.measured.value
    if at is None or not math.isfinite(value):
        return None
    size = abs(value - at) / (25 if at == 50 else 1)
    step = 1 + (size > 0.4) + (size > 0.9)
    return ("o" if value > at else "p") + str(step)
