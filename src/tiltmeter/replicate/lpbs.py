"""Kurita et al. 2019 and Puttick et al. 2024: LPBS on WEAT 1, 3, 6, 7 and 8, with a sentence or with two words."""

from __future__ import annotations

import math
from functools import partial

from tiltmeter.replicate.source import Request, Source, models_of, published, run_spec, skipped
from tiltmeter.replicate.tables import Figure, Replicated


def replicate(name: str, request: Request) -> list[Replicated]:
    """Effect sizes of LPBS with the template family of the source."""
    printed = published(name)
    metric = f'{{ metric: lpbs, family: "{printed["family"]}" }}'
    run = run_spec(request, printed["source"].split(",")[0] + ": LPBS", [metric])
    rows = {(row.model, row.test): row for row in run.measurements}
    tables = []
    for model in models_of(run):
        figures = []
        for test in printed["tests"]:
            row = rows.get((model, test))
            p = "–" if row is None or math.isnan(row.p_value) else f"{row.p_value:.3g}"
            figures.append(
                Figure(
                    labels=(test, p),
                    published=None,
                    measured=row.value if row else None,
                    low=row.low if row else math.nan,
                    high=row.high if row else math.nan,
                    remark=skipped(run).get((model, "lpbs", test), f"{len(row.lost)} lost" if row and row.lost else ""),
                )
            )
        tables.append(
            Replicated(
                title=f"LPBS effect sizes, template '{printed['family']}'",
                source=printed["source"],
                model=model,
                columns=("test", "p (two-sided)"),
                figures=tuple(figures),
                note="No published LPBS scores are at hand to compare these with.",
            )
        )
    return tables


KURITA = Source(
    name="kurita2019",
    about="LPBS on WEAT 1, 3, 6, 7 and 8: 'TARGET is ATTRIBUTE.'",
    weights=("bert-base-uncased",),
    run=partial(replicate, "kurita2019"),
)
PUTTICK = Source(
    name="puttick2024",
    about="LPBS on the same tests with 'TARGET ATTRIBUTE', which fits any language",
    weights=("bert-base-uncased",),
    run=partial(replicate, "puttick2024"),
)
