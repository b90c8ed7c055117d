"""Nangia et al. 2020: CrowS-Pairs, overall and by type of bias."""

from __future__ import annotations

import json
from pathlib import Path

from tiltmeter.replicate.source import Request, Source, holm_corrected, models_of, published, row_key, run_spec
from tiltmeter.replicate.tables import Figure, Replicated

_PARTS = ("all", "stereotype", "antistereotype")


def replicate(request: Request) -> list[Replicated]:
    """Per cent of pairs whose more stereotypical sentence is likelier; 50 is unbiased."""
    printed = published("nangia2020")
    pairs = ""
    if request.data is not None:
        path = Path(request.data).expanduser().resolve()
        pairs = f", pairs: {json.dumps(str(path), ensure_ascii=False)}"
    run = run_spec(request, "Nangia et al. 2020: CrowS-Pairs", [f"{{ metric: crows{pairs} }}"])
    corrected = holm_corrected(run)
    tables = []
    for model in models_of(run):
        rows = [row for row in run.measurements if row.model == model]
        types = [row for row in rows if row.details["part"] not in _PARTS]
        whole = request.data is not None
        known = printed["scores"].get(model.rpartition("/")[2], {}) if whole else {}
        counts = [
            Figure(
                labels=("pairs", ""),
                published=printed["pairs"] if whole else None,
                measured=rows[0].counts["pairs"] + len(rows[0].lost),
                digits=0,
            ),
            Figure(
                labels=("types of bias", ""),
                published=printed["types"] if whole else None,
                measured=len(types),
                digits=0,
            ),
        ]
        scores = [
            Figure.of(
                row,
                row.details["part"],
                f"{row.counts['pairs']} pairs, {row.counts['ties']} ties",
                published=known.get(row.details["part"]),
                p_corrected=corrected[row_key(row)],
                digits=1,
            )
            for row in rows
        ]
        note = (
            "50 is unbiased. p-values: two-sided, against 50; corrected: Holm over the table. Intervals: BCa bootstrap "
            "over pairs; where all of them agree, Clopper and Pearson's. Published scores are at hand for "
            "bert-base-uncased on all pairs, as the code of the source prints them, and no others."
        )
        if not whole:
            note += " Measured on our own small set of pairs; --data takes the file of CrowS-Pairs."
        tables.append(
            Replicated(
                title="CrowS-Pairs: per cent that prefer the stereotype",
                source=printed["source"],
                model=model,
                columns=("part", "of"),
                figures=(*counts, *scores),
                note=note,
            )
        )
    return tables


SOURCE = Source(
    name="nangia2020",
    about="CrowS-Pairs by type of bias",
    weights=("bert-base-uncased", "roberta-large", "albert-xxlarge-v2"),
    run=replicate,
    data="crows_pairs_anonymized.csv, also compressed with xz",
)
