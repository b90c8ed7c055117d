"""Caliskan, Bryson & Narayanan 2017, table 1: ten WEAT effect sizes on GloVe 840B."""

from __future__ import annotations

import math

from tiltmeter.measurement import Measurement
from tiltmeter.replicate.source import Request, Source, models_of, published, run_spec, skipped
from tiltmeter.replicate.tables import Figure, Replicated


def replicate(request: Request) -> list[Replicated]:
    """Effect sizes with the sample standard deviation, exact p-values in place of the source's normal fit."""
    printed = published("caliskan2017")
    # By a pattern, so that a model which lacks the words of one test is still measured on the others.
    run = run_spec(request, "Caliskan et al. 2017, table 1", ["weat"], tests=["weat[1-9]", "weat1[0]"])
    rows = {(row.model, row.test): row for row in run.measurements}
    reasons = skipped(run)
    return [
        Replicated(
            title="WEAT effect sizes and p-values",
            source=printed["source"],
            model=model,
            columns=("test", "figure"),
            figures=tuple(
                figure
                for test in printed["effect_size"]
                for figure in _figures(test, rows.get((model, test)), reasons.get((model, "weat", test), ""))
            ),
            note=f"The published figures are of {printed['model']}. Their p-values are of a normal distribution "
            "fitted to sampled partitions; ours are exact. Of theirs we have found but one quoted.",
        )
        for model in models_of(run)
    ]


def _figures(test: str, row: Measurement | None, reason: str) -> list[Figure]:
    printed = published("caliskan2017")
    return [
        Figure(
            labels=(test, "effect size"),
            published=printed["effect_size"][test],
            measured=row.value if row else None,
            low=row.low if row else math.nan,
            high=row.high if row else math.nan,
            remark=reason or _lost(row),
        ),
        Figure(
            labels=(test, "p-value"),
            published=printed["p_value"].get(test),
            measured=row.p_value if row else None,
            digits=None,
            remark=reason or ("theirs: a normal fit; ours: exact" if test in printed["p_value"] else ""),
        ),
    ]


def _lost(row: Measurement | None) -> str:
    return f"{len(row.lost)} words lost" if row and row.lost else ""


SOURCE = Source(
    name="caliskan2017",
    about="ten WEAT effect sizes and p-values on word vectors",
    weights=("glove.840B.300d.txt", "glove.840B.300d.zip", "glove-840b-caliskan-words.w2v.txt.xz"),
    run=replicate,
    data="GloVe 840B, or a file with the vectors of its test words",
    data_is_model=True,
    demo="demo:en-static",
)
