"""Kurita et al. 2019 and Puttick et al. 2024: LPBS on WEAT 1, 3, 6, 7 and 8, with a sentence or with two words."""

from __future__ import annotations

from functools import partial

from tiltmeter.measurement import Measurement
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


def replicate(name: str, request: Request) -> list[Replicated]:
    """Effect sizes of LPBS with the template family of the source."""
    printed = published(name)
    metric = f'{{ metric: lpbs, family: "{printed["family"]}" }}'
    run = run_spec(request, printed["source"].split(",")[0] + ": LPBS", [metric])
    rows = {(row.model, row.test): row for row in run.measurements}
    corrected, reasons = holm_corrected(run), skipped(run)
    return [
        Replicated(
            title=f"LPBS effect sizes, template '{printed['family']}'",
            source=printed["source"],
            model=model,
            columns=("test",),
            figures=tuple(
                _figure(test, rows.get((model, test)), corrected, reasons.get((model, "lpbs", test), ""))
                for test in printed["tests"]
            ),
            note="p-values: two-sided, over partitions of the attributes; corrected: Holm over the table. Intervals: "
            "BCa bootstrap over attributes.",
        )
        for model in models_of(run)
    ]


def _figure(
    test: str, row: Measurement | None, corrected: dict[tuple[str, str, str, str], float], reason: str
) -> Figure:
    if row is None:
        return Figure(labels=(test,), published=None, measured=None, remark=reason)
    return Figure.of(row, test, p_corrected=corrected[row_key(row)])


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
