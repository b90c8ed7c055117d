"""The report of a debiasing: what it changed, what it left, what it cost; one page, tables and figures in a folder."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from tiltmeter.debias.before_after import BeforeAfter
from tiltmeter.debias.construction import KEY
from tiltmeter.files import replacing
from tiltmeter.measurement import Measurement
from tiltmeter.report import bayes_figures
from tiltmeter.report.compare import Comparison, Pair, compare
from tiltmeter.report.compare_page import differences
from tiltmeter.report.debias_figures import BEFORE_AFTER, movement, remaining
from tiltmeter.report.html import page
from tiltmeter.report.html_tables import number_cell, table
from tiltmeter.report.markup import Markup, breakable, escape, tag, together
from tiltmeter.report.meanings import family, headline, meaning
from tiltmeter.report.style import PAGE, save
from tiltmeter.report.tables import number

PAGE_FILE, DATA_FILE = "debias.html", "debias.json"
TITLES = ("before", "after")
_BIAS = (
    *("weat", "seat", "lpbs", "crows", "direct scores", "indirect scores", "mac", "bayes"),
    *("direct bias", "indirect bias"),
)
_REMAINS = {
    "recovered": "a linear classifier",
    "recovered, curved": "a classifier with a curved boundary",
    "clustered": "clustering, without labels,",
}
_USEFUL = ("analogies", "triples", "log-likelihood")
_ONLY_AFTER = ("neighbours kept", "predictions kept", "moved")

Draw = Callable[[], Figure | None]


def write_debiasing(folder: Path, found: BeforeAfter, drawn: Mapping[str, Draw] | None = None) -> list[Path]:
    """Write the page, all numbers as JSON, and the figures (PDF, PNG, SVG); `drawn` are further ones."""
    folder.mkdir(parents=True, exist_ok=True)
    compared = compared_sides(found)
    written: list[Path] = []
    pictures: list[tuple[str, Path]] = []
    further = {name: (name.replace("-", " ").capitalize(), draw) for name, draw in (drawn or {}).items()}
    for name, (caption, draw) in {**_figures(found, compared), **further}.items():
        figure = draw()
        if figure is None:
            continue
        files = save(figure, folder / "figures", name)
        written += files
        pictures.append((caption, next(file for file in files if file.suffix == ".png")))
    data = {
        "title": found.title,
        "settings": found.settings,
        "summary": summary(found),
        "remarks": list(found.remarks),
        "before": [row.as_dict() for row in found.before],
        "after": [row.as_dict() for row in found.after],
        "differences": differences_of(found),
    }
    for file, text in (
        (DATA_FILE, json.dumps(data, ensure_ascii=False, indent=1, default=str, allow_nan=False) + "\n"),
        (PAGE_FILE, _page(found, compared, pictures)),
    ):
        with replacing(folder / file) as part:
            part.write_text(text, encoding="utf-8")
    return [folder / PAGE_FILE, folder / DATA_FILE, *written]


def compared_sides(found: BeforeAfter) -> Comparison:
    """Each measurement of before beside that of after, with the interval of the difference."""
    both = {(row.metric, row.test) for row in found.before} & {(row.metric, row.test) for row in found.after}
    if not both:
        return Comparison((), found.before, found.after)
    compared = compare(found.before, found.after)
    pairs = (
        replace(pair, paired=found.differences.get((pair.first.metric, pair.first.test))) for pair in compared.pairs
    )
    return replace(compared, pairs=tuple(pairs))


def differences_of(found: BeforeAfter) -> list[dict[str, Any]]:
    """The differences as plain types."""
    left_out = ("first", "second", "intervals_apart")
    return [
        {key: value for key, value in pair.as_dict().items() if key not in left_out}
        for pair in compared_sides(found).pairs
    ]


def findings(found: BeforeAfter) -> dict[str, list[str]]:
    """What was found, in sentences, by what they are about."""
    by_family = compared_sides(found).by_family()
    bias = [
        f"{_named(pair.first)}: {_change(pair)}." + _why(pair.second)
        for metric in _BIAS
        for pair in by_family.get(metric, ())
        if headline(pair.first)
    ]
    left = [
        _recovered(pair.first, pair.second, what)
        for metric, what in _REMAINS.items()
        for pair in by_family.get(metric, ())
    ]
    cost = [f"{meaning(metric).name}: {_change(pair)}." for metric in _USEFUL for pair in by_family.get(metric, ())]
    cost += [
        f"{meaning(row.metric).name}, {row.test}: {_with_interval(row)}."
        for row in found.after
        if row.metric in _ONLY_AFTER
    ]
    said = {"What the measures of bias say": bias, "What can still be told": left, "What it cost": cost}
    return {title: sentences for title, sentences in said.items() if sentences}


def summary(found: BeforeAfter) -> list[str]:
    """All sentences, first what fell, then what is still there, then what it cost."""
    return [sentence for sentences in findings(found).values() for sentence in sentences]


def _recovered(before: Measurement, after: Measurement, what: str) -> str:
    chance = float(after.details["chance"])
    if after.metric == "clustered":
        verdict = f"clusters are named as suits best, {100 / len(after.counts):.0f} is the least"
    else:
        verdict = "still told apart" if after.low > chance else "that may be chance"
    return (
        f"Of {sum(after.counts.values()):,} {after.test}, {what} assigns {_with_interval(after)} per cent to the right "
        f"class after debiasing, {_with_interval(before)} before; chance is {chance:.0f}: {verdict}." + _why(after)
    )


def _named(row: Measurement) -> str:
    name = meaning(row.metric).name
    if family(row.metric) == "bayes":
        return f"{name}, {row.metric.rpartition(': ')[2].replace(' - ', ' less ')} ({100 * row.level:.0f} % intervals)"
    return f"{name} {row.test}"


def _change(pair: Pair) -> str:
    said = f"{_with_interval(pair.first)} before, {_with_interval(pair.second)} after"
    low, high = pair.interval
    if not (math.isfinite(low) and math.isfinite(high)):
        return said
    digits = meaning(pair.first.metric).digits
    ends = f"{_signed(low, digits)} to {_signed(high, digits)}"
    return f"{said}; difference {_signed(pair.difference, digits)} ({ends})"


def _signed(value: float, digits: int) -> str:
    """With its sign; what is 0 as it is printed has none."""
    return _number(value, digits) if round(value, digits) <= 0 else f"+{number(value, digits)}"


def _number(value: float, digits: int) -> str:
    return number(round(value, digits) + 0.0, digits)  # no -0.000


def _why(after: Measurement) -> str:
    """A further sentence, where the method makes a number what it is."""
    reason = after.details.get(KEY)
    return f" By construction: {reason}." if reason else ""


def _with_interval(row: Measurement) -> str:
    digits = meaning(row.metric).digits
    if not math.isfinite(row.low) or row.low == row.high:
        return _number(row.value, digits)
    return f"{_number(row.value, digits)} ({_number(row.low, digits)} to {_number(row.high, digits)})"


def _figures(found: BeforeAfter, compared: Comparison) -> dict[str, tuple[str, Draw]]:
    drawn: dict[str, tuple[str, Draw]] = {
        "what-remains": ("What a classifier and clusters still tell", lambda: remaining(found)),
        "moved": ("How far words moved", lambda: movement(found)),
    }
    names = compared.names()
    for metric, pairs in compared.by_family().items():
        if metric in ("weat", "seat", "lpbs", "crows"):
            drawn[f"{metric}"] = (f"{meaning(metric).name}", _drawn(pairs, names))
    if len(found.posteriors) == 2:
        first, second = found.posteriors
        drawn["distances"] = (
            "Mean cosine distances, by connection (Dobrzeniecka & Urbaniak, figures 13 and 14)",
            lambda: bayes_figures.before_and_after(first, second),
        )
        for title, posterior in zip(TITLES, found.posteriors, strict=True):
            drawn[f"words-{title}"] = (
                f"Mean cosine distances, by word, {title}",
                _of(bayes_figures.by_word, posterior),
            )
    if len(found.distances) == 2:
        drawn["similarities"] = (
            "Similarities as they are, before and after (figures 15 to 17)",
            lambda: bayes_figures.empirical(*found.distances),
        )
    return drawn


def _drawn(pairs: Sequence[Pair], names: Mapping[str, str]) -> Draw:
    return lambda: differences(pairs, names, TITLES, PAGE, BEFORE_AFTER)


def _of(draw: Callable[[Any], Figure], given: Any) -> Draw:
    return lambda: draw(given)


def _page(found: BeforeAfter, compared: Comparison, pictures: Sequence[tuple[str, Path]]) -> str:
    by_family = compared.by_family()
    tables = [_table(metric, pairs) for metric, pairs in by_family.items()]
    alone = [row for row in compared.only_second if family(row.metric) not in by_family]
    note = (
        "A measure that a method was built to change says little of what it did: where the bias subspace is taken out, "
        "what lies along it is 0 by construction. What a classifier still tells, and how far other words moved, is "
        "no such thing. Both sides were measured with the same words, and the intervals of differences count on that: "
        "words of association tests and pairs of sentences are resampled on both sides together, and means over words "
        "take in how these go together (Zou 2007). For all else the sides are taken as independent, which errs on the "
        "wide side."
    )
    body = [
        tag("header", tag("h1", found.title), tag("p", "Debiasing: before and after", class_="soft")),
        tag(
            "main",
            tag(
                "section",
                tag("h2", "What was found"),
                *(
                    together([tag("h3", title), tag("ul", *(tag("li", text) for text in sentences))])
                    for title, sentences in findings(found).items()
                ),
                tag("p", note, class_="note"),
                class_="summary",
            ),
            tag("section", tag("h2", "Figures"), *(_picture(caption, file) for caption, file in pictures)),
            *tables,
            _alone(alone) if alone else None,
            tag("section", tag("h2", "Remarks"), tag("ul", *(tag("li", text) for text in found.remarks)))
            if found.remarks
            else None,
            tag(
                "section",
                tag("h2", "How it was done"),
                tag("dl", *_facts(found.settings), class_="facts"),
            ),
        ),
        tag("footer", tag("p", "Made by Tiltmeter. This page loads nothing: it can be kept, sent and opened offline.")),
    ]
    return page(found.title, together(body), pictures=True)


def _facts(settings: Mapping[str, Any]) -> list[Markup]:
    return [
        part
        for key, value in settings.items()
        for part in (tag("dt", str(key).replace("_", " ")), tag("dd", _text(value)))
    ]


def _text(value: Any) -> str:
    return value[:2_000] if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)[:2_000]


def _picture(caption: str, file: Path) -> Markup:
    content = file.read_bytes()
    data = base64.b64encode(content).decode()
    width, height = (int.from_bytes(content[at : at + 4], "big") // 2 for at in (16, 20))  # of a PNG, in its header
    image = Markup(
        f'<img src="data:image/png;base64,{data}" alt="{escape(caption)}" width="{width}" height="{height}">'
    )
    return tag("figure", image, tag("figcaption", caption))


def _table(metric: str, pairs: Sequence[Pair]) -> Markup:
    of = meaning(metric)
    head = [tag("th", "Test", scope="col")]
    head += [
        tag("th", name, scope="col", class_="number")
        for name in ("Before", "low", "high", "After", "low", "high", "Difference", "low", "high")
    ]
    body = [
        tag(
            "tr",
            tag("th", breakable(pair.label or pair.first.test), scope="row"),
            *(
                number_cell(value, of.digits)
                for row in (pair.first, pair.second)
                for value in (row.value, row.low, row.high)
            ),
            *(number_cell(value, of.digits) for value in (pair.difference, *pair.interval)),
        )
        for pair in pairs
    ]
    question = tag("p", of.question) if of.question else None
    how = sorted({pair.first.method for pair in pairs})
    made: dict[str, list[str]] = {}
    for pair in pairs:
        made.setdefault(_why(pair.second).strip(), []).append(pair.label or pair.first.test)
    return tag(
        "section",
        tag("h2", of.name),
        question,
        table(f"{of.name}: {of.quantity}", head, body),
        tag("p", "; ".join(how[:3]), class_="note"),
        *(tag("p", f"After, {', '.join(tests)}. {reason}", class_="note") for reason, tests in made.items() if reason),
    )


def _alone(rows: Sequence[Measurement]) -> Markup:
    head = [tag("th", name, scope="col") for name in ("Measure", "Of")]
    head += [tag("th", name, scope="col", class_="number") for name in ("Value", "low", "high")]
    body = [
        tag(
            "tr",
            tag("th", meaning(row.metric).name, scope="row"),
            tag("td", breakable(row.test)),
            *(number_cell(value, meaning(row.metric).digits) for value in (row.value, row.low, row.high)),
        )
        for row in rows
    ]
    return tag("section", tag("h2", "What it changed"), table("From before to after", head, body))
