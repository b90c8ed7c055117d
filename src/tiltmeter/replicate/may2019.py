"""May et al. 2019: all word and sentence tests on any encoders, nine columns, Holm at 0.01, the significance matrix."""

from __future__ import annotations

import math

from tiltmeter.replicate.source import Request, Source, models_of, published, run_spec, skipped
from tiltmeter.replicate.tables import Figure, Replicated
from tiltmeter.runs.results import adjusted


def replicate(request: Request) -> list[Replicated]:
    """One table of effect sizes a model; one of what is significant, over the whole table as in supplement D."""
    printed = published("may2019")
    alpha = float(printed["alpha"])
    run = run_spec(request, "May et al. 2019", ["weat", "seat"], alpha=alpha)
    corrected = dict(zip(map(id, run.measurements), adjusted(run.measurements), strict=True))
    marks: dict[tuple[str, str], dict[str, str]] = {}
    tables = []
    for model in models_of(run):
        figures = []
        for row in run.measurements:
            if row.model != model:
                continue
            holm = corrected[id(row)][0]
            marks.setdefault((row.test, row.metric), {})[model] = "*" if holm <= alpha else "·"
            figures.append(
                Figure(
                    labels=(row.test, "words" if row.metric == "weat" else "sentences", _p(row.p_value), _p(holm)),
                    published=None,
                    measured=row.value,
                    low=row.low,
                    high=row.high,
                    remark=f"{len(row.lost)} lost" if row.lost else "",
                )
            )
        for (of, metric, test), reason in skipped(run).items():
            if of == model:
                marks.setdefault((test, metric), {})[model] = "–"
                labels = (test, "words" if metric == "weat" else "sentences", "–", "–")
                figures.append(Figure(labels=labels, published=None, measured=None, remark=reason))
        tables.append(
            Replicated(
                title="Effect sizes of all word and sentence tests",
                source=printed["source"],
                model=model,
                columns=("test", "of", "p", "Holm"),
                figures=tuple(figures),
                note="seat.tsv in the run folder has the nine columns of the supplement. It prints no figures.",
            )
        )
    tables += [
        Replicated(
            title=f"Significant at {alpha:g} after Holm's correction over {len(run.measurements)} tests",
            source=f"{printed['source']}, figure 1",
            model=model,
            columns=("test", "of"),
            figures=tuple(
                Figure(
                    labels=(test, "words" if metric == "weat" else "sentences"),
                    published=None,
                    measured=by_model.get(model, "–"),
                )
                for (test, metric), by_model in marks.items()
            ),
            note="* significant, · not significant, – not measured. The published matrix is a picture without numbers.",
        )
        for model in models_of(run)
    ]
    return tables


def _p(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2g}"


SOURCE = Source(
    name="may2019",
    about="SEAT: all word and sentence tests, Holm's correction at 0.01, the significance matrix",
    weights=("bert-large-cased", "bert-base-cased", "bert-large-uncased", "bert-base-uncased"),
    run=replicate,
)
