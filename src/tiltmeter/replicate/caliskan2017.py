"""Caliskan, Bryson & Narayanan 2017, table 1: ten WEAT effect sizes and p-values on GloVe 840B."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tiltmeter.measurement import Measurement
from tiltmeter.replicate.source import Request, Source, models_of, published, run_spec, skipped
from tiltmeter.replicate.tables import Figure, Replicated


def replicate(request: Request) -> list[Replicated]:
    """Effect sizes with the sample standard deviation; p-values by the source's normal fit, and exact ones."""
    printed = published("caliskan2017")
    # By a pattern, so that a model which lacks the words of one test is still measured on the others.
    tests = 'tests: ["weat[1-9]", "weat1[0]"]'
    metrics = [f"{{ metric: weat, p_value: {method}, {tests} }}" for method in ("exact", "normal")]
    run = run_spec(request, "Caliskan et al. 2017, table 1", metrics)
    rows = {(row.model, row.test, str(row.settings["p_value"])): row for row in run.measurements}
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
                for figure in _figures(
                    test,
                    rows.get((model, test, "exact")),
                    rows.get((model, test, "normal")),
                    reasons.get((model, "weat", test), ""),
                )
            ),
            note=f"The published figures are of {printed['model']}. Published p-values are the tail of a normal "
            f"distribution fitted to {printed['p_value_samples']:,} sampled partitions, ours of one fitted to all of "
            f"them, and met within {printed['p_value_tolerance']:g}; those that are powers of ten count as bounds. "
            "They, and the effect sizes, were not read off the paper, which was not at hand. The exact p-values are "
            "ours. Intervals: BCa bootstrap over words.",
        )
        for model in models_of(run)
    ]


def _figures(test: str, exact: Measurement | None, normal: Measurement | None, reason: str) -> Iterator[Figure]:
    printed = published("caliskan2017")
    below = printed["p_value_below"].get(test)
    yield Figure(
        labels=(test, "effect size"),
        published=printed["effect_size"][test],
        measured=exact.value if exact else None,
        low=exact.low if exact else math.nan,
        high=exact.high if exact else math.nan,
        remark=reason or (f"{len(exact.lost)} words lost" if exact and exact.lost else ""),
    )
    yield Figure(
        labels=(test, "p, normal fit"),
        published=printed["p_value"].get(test, below),
        measured=normal.p_value if normal else None,
        digits=None,
        tolerance=None if below is not None else printed["p_value_tolerance"],
        bound=below is not None,
        remark="as above" if reason else "",
    )
    yield Figure(
        labels=(test, "p, exact"),
        published=None,
        measured=exact.p_value if exact else None,
        digits=None,
        remark="as above" if reason else "",
    )


SOURCE = Source(
    name="caliskan2017",
    about="ten WEAT effect sizes and p-values on word vectors",
    weights=("glove.840B.300d.txt", "glove.840B.300d.zip", "glove-840b-caliskan-words.w2v.txt.xz"),
    run=replicate,
    data="GloVe 840B, or a file with the vectors of its test words",
    data_is_model=True,
    demo="demo:en-static",
)
