"""Measurements as tables: for the terminal, and the nine-column file of the SEAT supplement."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tiltmeter.files import replacing
from tiltmeter.measurement import Measurement
from tiltmeter.metrics.multiplicity import holm

# May et al. 2019, supplement D, table 1.
SEAT_COLUMNS = (
    "model",
    "options",
    "test",
    "p_value",
    "effect_size",
    "num_targ1",
    "num_targ2",
    "num_attr1",
    "num_attr2",
)


def number(value: float, digits: int = 2) -> str:
    """A number for a reader; a dash where there is none."""
    return f"{value:.{digits}f}" if math.isfinite(value) else "–"


def p_text(value: float) -> str:
    """A p-value for a reader: two significant digits, never 0."""
    if not math.isfinite(value):
        return "–"
    return f"{value:.2g}" if value < 0.001 else f"{value:.3f}"


def association_rows(measurements: Sequence[Measurement], *, alpha: float) -> list[dict[str, Any]]:
    """One row a test: effect size and interval, p-value with its Holm mark over all rows, null share, counts, lost.

    Where tests have several sentences a word, the p-value over whole words stands beside the published one.
    """
    adjusted = holm([measurement.p_value for measurement in measurements])
    by_word = any(row.details["p_value_words"] != row.p_value for row in measurements)
    return [
        {
            "test": row.test,
            "effect size": number(row.value),
            f"{100 * row.level:g} % interval": f"{number(row.low)} … {number(row.high)}",
            "p-value": f"{p_text(row.p_value)}{' *' if corrected <= alpha else ''}",
            "Holm": p_text(corrected),
            **({"p by word": p_text(row.details["p_value_words"])} if by_word else {}),
            "without bias": p_text(row.details["null_share"]),
            "X, Y × A, B": "{X}, {Y} × {A}, {B}".format(**row.counts),
            "lost": str(len(row.lost)),
        }
        for row, corrected in zip(measurements, adjusted.tolist(), strict=True)
    ]


def write_association_tsv(path: Path, measurements: Sequence[Measurement]) -> None:
    """The nine columns of May et al. 2019; `options` holds the settings as JSON."""
    with replacing(path) as part, part.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", lineterminator="\n")
        table.writerow(SEAT_COLUMNS)
        for row in measurements:
            options = json.dumps(dict(row.settings), ensure_ascii=False, sort_keys=True)
            counts = [row.counts[side] for side in ("X", "Y", "A", "B")]
            table.writerow([row.model, options, row.test, repr(row.p_value), repr(row.value), *counts])
