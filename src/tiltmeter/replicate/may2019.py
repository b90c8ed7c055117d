"""May et al. 2019: all word and sentence tests on any encoders, nine columns, Holm at 0.01, the significance matrix."""

from __future__ import annotations

from tiltmeter.replicate.source import (
    Request,
    Source,
    holm_corrected,
    models_of,
    published,
    row_key,
    run_spec,
    skipped,
)
from tiltmeter.replicate.tables import Figure, Replicated

_OF = {"weat": "words", "seat": "sentences"}


def replicate(request: Request) -> list[Replicated]:
    """One table of effect sizes a model; one of what is significant, over the whole table as in supplement D."""
    printed = published("may2019")
    alpha = float(printed["alpha"])
    run = run_spec(request, "May et al. 2019", ["weat", "seat"], alpha=alpha)
    corrected, reasons = holm_corrected(run), skipped(run)
    marks: dict[tuple[str, str], dict[str, str]] = {}
    tables = []
    for model in models_of(run):
        figures = []
        for row in run.measurements:
            if row.model != model:
                continue
            holm = corrected[row_key(row)]
            marks.setdefault((row.test, row.metric), {})[model] = "*" if holm <= alpha else "·"
            figures.append(Figure.of(row, row.test, _OF[row.metric], p_corrected=holm))
        for (of, metric, test), reason in reasons.items():
            if of == model:
                marks.setdefault((test, metric), {})[model] = "–"
                figures.append(Figure(labels=(test, _OF[metric]), published=None, measured=None, remark=reason))
        tables.append(
            Replicated(
                title="Effect sizes of all word and sentence tests",
                source=printed["source"],
                model=model,
                columns=("test", "of"),
                figures=tuple(figures),
                note="seat.tsv in the run folder has the nine columns of the supplement, which prints no figures. "
                "p-values take sentences for independent, as the source does. Intervals, a BCa bootstrap over words, "
                "do not. Corrected: Holm over the whole table.",
            )
        )
    matrix = Replicated(
        title=f"Significant at {alpha:g} after Holm's correction over {len(run.measurements)} tests",
        source=f"{printed['source']}, figure 1",
        model=", ".join(models_of(run)),
        columns=("test", "of", *models_of(run)),
        figures=tuple(
            _marked(test, metric, [by_model.get(model, "–") for model in models_of(run)])
            for (test, metric), by_model in marks.items()
        ),
        note="* significant, · not significant, – not measured. The published matrix is a picture without numbers.",
    )
    return [*tables, matrix]


def _marked(test: str, metric: str, marks: list[str]) -> Figure:
    """The marks of a test, one a model, and at how many of those that it was measured on it is significant."""
    measured = [mark for mark in marks if mark != "–"]
    return Figure(
        labels=(test, _OF[metric], *marks),
        published=None,
        measured=f"{measured.count('*')} of {len(measured)}" if measured else None,
        remark="" if measured else "not measured",
    )


SOURCE = Source(
    name="may2019",
    about="SEAT: all word and sentence tests, Holm's correction at 0.01, the significance matrix",
    weights=("bert-large-cased", "bert-base-cased", "bert-large-uncased", "bert-base-uncased"),
    run=replicate,
)
