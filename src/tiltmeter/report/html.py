"""The report page of a run: one file that opens offline, with what was found first and how it was computed last."""

from __future__ import annotations

import base64
import hashlib
import re
import warnings
from collections.abc import Mapping, Sequence, Set
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter.errors import InputError, ModelError
from tiltmeter.files import replacing
from tiltmeter.measurement import Measurement
from tiltmeter.report import summary
from tiltmeter.report.figures import write_figures
from tiltmeter.report.html_tables import jobs_table, matrix_table, metric_table, words_table
from tiltmeter.report.latex import write_tables
from tiltmeter.report.markup import Markup, tag, together
from tiltmeter.report.matrices import read_matrices
from tiltmeter.report.method import method, provenance, reading
from tiltmeter.report.names import shown_names
from tiltmeter.report.sections import Section, languages, lost_words, models, sections
from tiltmeter.runs.arrays import kept_metrics
from tiltmeter.runs.results import ALPHA, read_run

if TYPE_CHECKING:
    from tiltmeter.bayes.fit import Posterior

_RENDERED = re.compile(r"[A-Za-z0-9-]{1,120}\.(tex|pdf|png|svg)")
_LISTED = 2**20  # bytes


def write_report(folder: Path) -> list[Path]:
    """Render `tables/*.tex`, `figures/*` and `report.html` of a run folder from its measurements."""
    run = read_run(folder)
    tables, figures = (_own(folder / name) for name in ("tables", "figures"))
    written = write_tables(tables, run.measurements, alpha=run.alpha)
    written += write_figures(
        figures,
        run.measurements,
        read_matrices(folder, run.manifest),
        _posteriors(folder, run.manifest),
        alpha=run.alpha,
    )
    for rendered in (tables, figures):
        _drop_stale(rendered, {path.name for path in written if path.parent == rendered})
    page = folder / "report.html"
    with replacing(page) as part:
        part.write_text(report(run.measurements, run.manifest, alpha=run.alpha), encoding="utf-8")
    return [*written, page]


def _own(folder: Path) -> Path:
    """A folder that is to be written to, which must not lead elsewhere."""
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise InputError("is not a folder of the run itself.", where=folder, hint="Delete it.")
    return folder


def _drop_stale(folder: Path, written: Set[str]) -> None:
    """Take away what an earlier rendering wrote and this one did not; what somebody else put there stays."""
    listed = folder / ".rendered"
    if listed.is_file() and not listed.is_symlink() and listed.stat().st_size < _LISTED:
        for name in listed.read_text(encoding="utf-8", errors="replace").split("\n"):
            if _RENDERED.fullmatch(name) and name not in written:
                (folder / name).unlink(missing_ok=True)
    if folder.is_dir():
        with replacing(listed, flush=False) as part:
            part.write_text("\n".join(sorted(written)), encoding="utf-8")


def _posteriors(folder: Path, manifest: Mapping[str, Any]) -> list[Posterior]:
    """Those that the run kept, if this machine can draw them."""
    from tiltmeter.bayes.fit import require
    from tiltmeter.runs.posteriors import read_posteriors

    if "bayes" not in kept_metrics(manifest):
        return []
    try:
        require()
    except ModelError as error:
        warnings.warn(f"figures of the posteriors are not drawn: {error}", RuntimeWarning, stacklevel=2)
        return []
    return read_posteriors(folder, manifest)


def report(measurements: Sequence[Measurement], manifest: Mapping[str, Any], *, alpha: float = ALPHA) -> str:
    """The page as text."""
    cut = sections(measurements)
    names = shown_names(models(measurements))
    many = len(languages(measurements)) > 1
    heading = _title(manifest, list(names.values()))
    parts = [
        ("found", "What was found"),
        *([("overview", "Models and tests")] if not all(each.is_matrix for each in cut) else []),
        *((f"metric-{place}", each.meaning.name) for place, each in enumerate(cut, 1)),
    ]
    parts += [("lost", "What was lost"), ("method", "Method"), ("provenance", "Provenance")]
    head = tag(
        "header",
        tag("a", "Skip to the summary", href="#found", class_="skip"),
        tag("h1", heading),
        tag("p", _subtitle(measurements, names, cut), class_="soft"),
        tag(
            "nav", tag("ul", *(tag("li", tag("a", text, href=f"#{id_}")) for id_, text in parts)), aria_label="Contents"
        ),
    )
    body = tag(
        "main",
        _summary(measurements, cut, names, manifest, alpha),
        reading(cut, alpha),
        _overview(cut, names, alpha, many=many),
        *(_metric(place, each, names, alpha, many=many) for place, each in enumerate(cut, 1)),
        _lost(cut, names, manifest),
        method(cut, measurements, alpha),
        provenance(manifest),
    )
    foot = tag(
        "footer", tag("p", "Made by Tiltmeter. This page loads nothing: it can be kept, sent and opened offline.")
    )
    return page(heading, together([head, body, foot]))


def page(title: str, body: Markup, *, pictures: bool = False) -> str:
    """A whole HTML file: style and script are inside (`pictures` too), and it may ask for nothing else."""
    style, script = (_asset(name) for name in ("page.css", "page.js"))
    policy = f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; base-uri 'none'"
    policy += "; img-src data:" if pictures else ""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", title),
        tag("style", Markup(style)),
    )
    whole = tag("html", head, tag("body", body, tag("script", Markup(script))), lang="en")
    return f"<!doctype html>\n{whole}\n"


def _summary(
    measurements: Sequence[Measurement],
    cut: Sequence[Section],
    names: Mapping[str, str],
    manifest: Mapping[str, Any],
    alpha: float,
) -> Markup:
    rows = [row for each in cut for row in each.headlines]
    without = len(summary.left_out(manifest))
    known = summary.with_interval(cut)
    figures = [
        (f"{len(names):,}", "models" if len(names) != 1 else "model"),
        (f"{len(measurements):,}", "measurements"),
        *(
            [(f"{sum(bool(row.settled) for row in known):,} of {len(known):,}", "intervals that point one way")]
            if len(known) > 1
            else []
        ),
        (f"{len(summary.names_of_lost(cut)):,}", "words or sentences lost"),
        *([(f"{without:,}", "tests without a result" if without > 1 else "test without a result")] if without else []),
    ]
    findings = [
        tag(
            "div",
            tag("h3", tag("a", section.meaning.name, href=f"#metric-{place}")),
            tag("p", section.meaning.question, class_="soft") if section.meaning.question else None,
            tag("ul", *(tag("li", text) for text in summary.found(section, names, alpha=alpha))),
        )
        for place, section in enumerate(cut, 1)
    ]
    return tag(
        "section",
        tag("h2", "What was found", id="found"),
        *(tag("p", text, class_="lead") for text in [" ".join(summary.lead(cut, names, alpha=alpha))] if text),
        tag("ul", *(tag("li", tag("b", count), text) for count, text in figures), class_="figures"),
        tag("div", *findings, class_="cards"),
        tag(
            "div",
            _said("How sure this is", summary.sure(rows)),
            _said("What was left out", [*summary.lost(cut), *summary.unfinished(summary.left_out(manifest))]),
            class_="cards",
        ),
        class_="summary",
    )


def _said(heading: str, sentences: Sequence[str]) -> Markup:
    return tag("div", tag("h3", heading), tag("ul", *(tag("li", text) for text in sentences)))


def _overview(cut: Sequence[Section], names: Mapping[str, str], alpha: float, *, many: bool) -> Markup | None:
    whole = [each for each in cut if not each.is_matrix]
    if not whole:
        return None
    key = tag(
        "p",
        "Shades: ",
        tag("span", "above", class_="key o3"),
        " and ",
        tag("span", "below", class_="key p3"),
        " the value that leans neither way; deeper is further. A dash: no result.",
        class_="note",
    )
    return tag(
        "section", tag("h2", "Models and tests", id="overview"), key, matrix_table(whole, names, alpha=alpha, many=many)
    )


def _metric(place: int, section: Section, names: Mapping[str, str], alpha: float, *, many: bool) -> Markup:
    of = section.meaning
    leans = None
    if of.neutral is not None:
        leans = tag("p", f"{of.neutral:g} leans neither way. Above: {of.above}. Below: {of.below}.", class_="note")
    return tag(
        "section",
        tag("h2", of.name, id=f"metric-{place}"),
        tag("p", of.question) if of.question else None,
        leans,
        metric_table(section, names, alpha=alpha, many=many),
    )


def _lost(cut: Sequence[Section], names: Mapping[str, str], manifest: Mapping[str, Any]) -> Markup:
    gone = lost_words([row for section in cut for row in section.rows])
    jobs = summary.left_out(manifest)
    failed = [
        jobs_table(what, of_kind, names)
        for wanted, what in ((True, "Jobs that failed."), (False, "Tests that did not fit a model."))
        if (of_kind := [job for job in jobs if job.failed is wanted])
    ]
    none = tag("p", "No word or sentence was lost in the tests that gave a result.") if not gone else None
    return tag("section", tag("h2", "What was lost", id="lost"), none, words_table(gone) if gone else None, *failed)


def _title(manifest: Mapping[str, Any], names: Sequence[str]) -> str:
    spec = manifest.get("spec")
    given = manifest.get("title") or (spec.get("title") if isinstance(spec, Mapping) else None)
    if isinstance(given, str) and given.strip():
        return given.strip()[:200]
    return f"Bias measurements of {names[0]}" if len(names) == 1 else f"Bias measurements of {len(names)} models"


def _subtitle(measurements: Sequence[Measurement], names: Mapping[str, str], cut: Sequence[Section]) -> str:
    listed = ", ".join(list(names.values())[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return f"{listed}. {', '.join(each.meaning.name for each in cut)}. Language: {', '.join(languages(measurements))}."


def _asset(name: str) -> str:
    return (resources.files("tiltmeter.report") / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
