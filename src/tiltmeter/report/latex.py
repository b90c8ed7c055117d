"""Tables for a paper: booktabs, siunitx columns, marks after Holm, captions that say how and what was lost.

Needs booktabs, longtable and siunitx (version 3). `document` is a minimal one around the tables of a folder.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tiltmeter.files import ensure_folder, replacing
from tiltmeter.measurement import Measurement
from tiltmeter.report.latex_text import decimal, escape, p_value, table_format
from tiltmeter.report.names import file_name, file_names, shown_names
from tiltmeter.report.sections import (
    Row,
    Section,
    by_word,
    counted,
    detail,
    languages,
    lost_words,
    methods,
    models,
    sections,
    tests_made,
)
from tiltmeter.report.summary import ONE_SIDED, one_sided
from tiltmeter.runs.results import ALPHA

MOST_ROWS = 400  # of one table: as many of a matrix of scores as anyone reads on paper, and more of the others
MOST_CELLS = 30  # and their models go on one page
_MODELS_ABREAST = 4
_ONE_PAGE = 38  # rows; a longer table runs over pages
_LOST_NAMED = 12
_COUNTED = 22  # letters of what took part; a longer text goes over several lines
_NUMBERS = ("value", "low", "high")
_LEFT = r">{\raggedright\arraybackslash"


def tables(measurements: Sequence[Measurement], *, alpha: float = ALPHA) -> dict[str, str]:
    """The LaTeX of each table by its name: one a metric, and the summary of models × tests."""
    names = shown_names(models(measurements))
    several_languages = len(languages(measurements)) > 1
    made = tests_made(measurements)
    cut = sections(measurements)
    written = {
        # A metric from outside may have any name.
        section.family if section.family != "summary" else "metric summary": _metric_table(
            section, names, made, alpha, several_languages=several_languages
        )
        for section in cut
    }
    abreast = [section for section in cut if not section.is_matrix]
    if abreast:
        written["summary"] = _summary(abreast, names, made, alpha, several_languages=several_languages)
    return written


def write_tables(folder: Path, measurements: Sequence[Measurement], *, alpha: float = ALPHA) -> list[Path]:
    """Write `<name>.tex` for each table, and `all.tex`: a document that shows them."""
    ensure_folder(folder)
    made = tables(measurements, alpha=alpha)
    written = {f"{stem}.tex": made[name] for name, stem in file_names(made, taken=["all"]).items()}
    written["all.tex"] = document(sorted(written, key=lambda name: name != "summary.tex"))
    for name, text in written.items():
        with replacing(folder / name, flush=False) as part:
            part.write_text(text, encoding="utf-8")
    return [folder / name for name in written]


def document(inputs: Iterable[str]) -> str:
    """A minimal document that sets the given files as they are."""
    lines = [
        "% A table that goes over pages has found the widths of its columns after three runs of pdflatex.",
        r"\documentclass[10pt]{article}",
        r"\usepackage[utf8]{inputenc}",
        r"\usepackage[T1]{fontenc}",
        r"\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}",
        r"\usepackage{textcomp}",
        r"\usepackage[margin=2cm]{geometry}",
        r"\usepackage{array}",
        r"\usepackage{booktabs}",
        r"\usepackage{longtable}",
        r"\usepackage{siunitx}",
        r"\begin{document}",
        *(rf"\input{{{name}}}" for name in inputs),
        r"\end{document}",
    ]
    return "\n".join(lines) + "\n"


def _metric_table(
    section: Section, names: Mapping[str, str], made: int, alpha: float, *, several_languages: bool
) -> str:
    rows = _shown(section)
    digits = section.meaning.digits
    tested, words = any(math.isfinite(row.measured.p_value) for row in rows), by_word(rows)
    long = max(len(counted(row.measured)) for row in rows) > _COUNTED
    columns = [
        rf"{_LEFT}\hangindent=2em}}p{{0.3\linewidth}}",  # a name that needs a second line stands in from its first
        *[
            f"S[table-format={table_format([getattr(row.measured, side) for row in rows], digits)}]"
            for side in _NUMBERS
        ],
        *(["r@{\\,}", "l"] if tested else []),
        *(["r"] if words else []),
        rf"{_LEFT}}}p{{0.24\linewidth}}" if long else "r",
        "r",
    ]
    level = f"{100 * rows[0].measured.level:g}"
    head = " & ".join(
        [
            "Test",
            f"{{{escape(_capital(section.meaning.quantity))}}}" if not long else r"{Value}",
            rf"\multicolumn{{2}}{{c}}{{{level}\,\% interval}}",
            *([r"\multicolumn{2}{c}{$p$}"] if tested else []),
            *(["$p$ by word"] if words else []),
            "Took part",
            "Lost",
        ]
    )
    body = []
    for model in dict.fromkeys(row.measured.model for row in rows):
        body.append(rf"\multicolumn{{{len(columns)}}}{{@{{}}l}}{{\textit{{{escape(names[model])}}}}} \\*")
        body += [
            _line(row, digits, alpha, tested=tested, words=words, several_languages=several_languages)
            for row in rows
            if row.measured.model == model
        ]
        body.append(r"\addlinespace")
    return _table(columns, head, body[:-1], _caption(section, rows, made, alpha), f"tab:{file_name(section.family)}")


def _shown(section: Section) -> Sequence[Row]:
    """What goes on paper: the strongest cells of a matrix, and no single words of the Bayesian estimate."""
    if section.is_matrix:
        return section.strongest(MOST_CELLS)
    return (section.headlines if section.family == "bayes" else section.rows)[:MOST_ROWS]


def _line(row: Row, digits: int, alpha: float, *, tested: bool, words: bool, several_languages: bool) -> str:
    measured = row.measured
    cells = [
        rf"\quad {escape(row.named(many=several_languages))}",
        *(decimal(getattr(measured, side), digits) for side in _NUMBERS),
        *([p_value(measured.p_value), "*" if row.significant(alpha) else ""] if tested else []),
        *([p_value(detail(row, "p_value_words"))] if words else []),
        escape(counted(measured)),
        str(len(measured.lost)),
    ]
    return " & ".join(cells) + r" \\"


def _caption(section: Section, rows: Sequence[Row], made: int, alpha: float) -> str:
    of = section.meaning
    said = [f"{of.name}: {of.quantity} with interval."]
    if len(rows) < len(section.rows):
        which = "strongest" if section.is_matrix else "first"
        said.append(f"The {which} {len(rows)} of {len(section.rows):,} are shown; measurements.tsv holds all.")
    if of.neutral is not None and section.family != "bayes":
        said.append(f"{of.neutral:g} leans neither way; above: {of.above}.")
    if any(math.isfinite(row.measured.p_value) for row in rows):
        said.append(_marks(section, made, alpha))
    if one_sided(rows):
        said.append(f"p is one-sided: {ONE_SIDED}.")
    if by_word(rows):
        said.append("p by word permutes whole words, as the sentences of one word are not independent.")
    if found := methods(rows):
        said.append(f"Method: {'; '.join(found[:6])}.")
    said.append(_lost(rows))
    return " ".join(escape(sentence) for sentence in said)


def _marks(section: Section, made: int, alpha: float) -> str:
    if section.is_matrix:
        return f"* p ≤ {alpha:g} after Benjamini and Hochberg's correction over the whole matrix of scores."
    return f"* p ≤ {alpha:g} after Holm's correction over all {made:,} tests of the run."


def _lost(rows: Sequence[Row]) -> str:
    lost = lost_words(rows)
    if not lost:
        return "No word was lost."
    named = ", ".join(dict.fromkeys(f"“{word}”" for word, _ in list(lost)[:_LOST_NAMED]))
    return f"Lost: {named}{'' if len(lost) <= _LOST_NAMED else f' and {len(lost) - _LOST_NAMED} more'}."


def _summary(
    cut: Sequence[Section], names: Mapping[str, str], made: int, alpha: float, *, several_languages: bool
) -> str:
    present = [name for name in names if any(row.measured.model == name for each in cut for row in each.headlines)]
    blocks = [present[start : start + _MODELS_ABREAST] for start in range(0, len(present), _MODELS_ABREAST)]
    marks = f"* p ≤ {alpha:g} after Holm's correction over all {made:,} tests of the run."
    written = []
    for number, block in enumerate(blocks, start=1):
        place = f" (part {number} of {len(blocks)})" if len(blocks) > 1 else ""
        body: list[str] = []
        for section in cut:
            lines = _summary_lines(section, block, alpha, several_languages=several_languages)
            if lines:
                what = f"{section.meaning.name}: {section.meaning.quantity}"
                body += [rf"\multicolumn{{{len(block) + 1}}}{{@{{}}l}}{{\textit{{{escape(what)}}}}} \\*", *lines]
                body.append(r"\addlinespace")
        values = [row.measured.value for each in cut for row in each.headlines]
        columns = [
            rf"{_LEFT}\hangindent=2em}}p{{0.32\linewidth}}",
            *[f"S[table-format={table_format(values, 3)},table-space-text-post={{*}},table-align-text-after=false]"]
            * len(block),
        ]
        width = rf"{0.6 / max(len(block), 2):.3f}\linewidth"
        head = " & ".join(
            ["Test", *(rf"{{\parbox[b]{{{width}}}{{\centering {escape(names[name])}}}}}" for name in block)]
        )
        caption = escape(f"Models and tests{place}. {marks} A dash stands where a test gave no result.")
        label_ = "tab:summary" + (f"-{number}" if number > 1 else "")
        written.append(_table(columns, head, body[:-1], caption, label_))
    return "\n".join(written)


def _summary_lines(section: Section, block: Sequence[str], alpha: float, *, several_languages: bool) -> list[str]:
    found: dict[str, dict[str, Row]] = {}
    for row in section.headlines:
        found.setdefault(row.named(many=several_languages), {})[row.measured.model] = row
    lines = []
    for test, by_model in list(found.items())[:MOST_ROWS]:
        if not by_model.keys() & set(block):
            continue
        cells = [rf"\quad {escape(test)}"]
        for model in block:
            found_row = by_model.get(model)
            if found_row is None or not math.isfinite(found_row.measured.value):
                cells.append("{--}")
            else:
                mark = "{*}" if found_row.significant(alpha) else ""
                cells.append(f"{found_row.measured.value:.{section.meaning.digits}f}{mark}")
        lines.append(" & ".join(cells) + r" \\")
    return lines


def _table(columns: Sequence[str], head: str, body: Sequence[str], caption: str, name: str) -> str:
    """A float where it fits on a page, else a table that goes on over pages and repeats its head."""
    spec = "@{}" + "".join(columns) + "@{}"
    if len(body) <= _ONE_PAGE:
        lines = [
            r"\begin{table}[htbp]",
            r"\centering\footnotesize\setlength{\belowcaptionskip}{4pt}",
            rf"\caption{{{caption}}}\label{{{name}}}",
            rf"\begin{{tabular}}{{{spec}}}",
            r"\toprule",
            rf"{head} \\",
            r"\midrule",
            *(line.replace(r"\\*", r"\\") for line in body),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    else:
        lines = [
            r"\begingroup\footnotesize\setlength{\LTcapwidth}{\linewidth}",
            rf"\begin{{longtable}}{{{spec}}}",
            rf"\caption{{{caption}}}\label{{{name}}}\\",
            rf"\toprule {head} \\ \midrule",
            r"\endfirsthead",
            rf"\toprule {head} \\ \midrule",
            r"\endhead",
            rf"\midrule \multicolumn{{{len(columns)}}}{{r@{{}}}}{{\textit{{continued}}}} \\",
            r"\endfoot",
            r"\bottomrule",
            r"\endlastfoot",
            *body,
            r"\end{longtable}",
            r"\endgroup",
        ]
    return "\n".join(lines) + "\n"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
