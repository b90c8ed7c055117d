"""Measurements of every metric as the library makes them, with names that try to be more than names."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

from tiltmeter.lexicon.catalogue import association_test
from tiltmeter.measurement import Lost, Measurement
from tiltmeter.runs.results import FORMAT, write_tables

HOSTILE = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)> & 'co'",
    r"\input{/etc/passwd} \end{document} 100% $x_1^2$ #1 ~ & {",
    r"\\[2em] [a] ** -- ``,, ?` !` << >>",
    "модель 模型 🤖 \u202etxt\u202c \x07 é ß ł ẞ ǆ",
    "$\\frac{1}{0$ and $ money",
    "a_very_long_name_that_goes_on_and_on" * 5,
]


def weat(
    test: str = "weat6", model: str = "glove", value: float = 1.2, half: float = 0.4, p: float = 0.001, **other: Any
) -> Measurement:
    """A WEAT with the sizes of the bundled test, if there is one of this name."""
    sizes = {"X": 8, "Y": 8, "A": 8, "B": 8}
    given: dict[str, Any] = {
        "counts": sizes,
        "method": "p-value exact: 12,870 partitions; interval BCa over all words",
        "settings": {"seed": 0},
        "details": {"null_share": 0.02, "p_value_words": p},
    }
    return Measurement(
        model=model, test=test, metric="weat", value=value, low=value - half, high=value + half, p_value=p,
        **(given | other),
    )  # fmt: skip


def everything() -> list[Measurement]:
    """A table with a few rows of each metric, on three models."""
    rows = [
        weat(),
        weat("weat7", value=0.1, p=0.4, lost=(Lost("algebra", "X", "not in the vocabulary"),)),
        weat("weat6", "fasttext", value=-0.9, p=0.97),
        replace(weat("sent-weat6", "bert", p=1e-102), metric="seat", details={"p_value_words": 1e-4}),
        replace(weat("weat6", "bert", 0.3, 0.5, 0.2), metric="lpbs", details={"difference": 0.1}),
        weat("weat1", "bert", math.nan, math.nan, math.nan),
    ]
    for part, value in (("all", 61.5), ("gender", 55.0), ("age", 70.0)):
        name = "pairs-en" if part == "all" else f"pairs-en {part}"
        details = {"part": part}
        rows.append(
            Measurement(
                model="bert", test=name, metric="crows", value=value, low=value - 9, high=value + 9, p_value=0.03,
                counts={"pairs": 40, "preferred": 21, "ties": 1}, method="exact binomial test against 50",
                details=details,
            )
        )  # fmt: skip
    for metric in ("direct", "indirect"):
        for place, (target, feature) in enumerate([("nurse", "kind"), ("nurse", "strong"), ("smith", "kind")]):
            value = 0.5 - 0.4 * place
            rows.append(
                Measurement(
                    model="bert", test=f"{target} × {feature}", metric=metric, value=value, low=value - 0.2,
                    high=value + 0.2, p_value=0.001, counts={"templates": 1},
                    details={"target": target, "feature": feature, "p_adjusted": 0.004},
                )
            )  # fmt: skip
    for quantity, connection in (("contrast", "associated - different"), ("bar", "associated"), ("word", "jew")):
        rows.append(
            Measurement(
                model="glove", test="religion", metric=f"bayes {quantity}: {connection}", value=-0.12, low=-0.2,
                high=-0.05, level=0.89, counts={"words": 15}, method="posterior mean; NUTS",
                details={"quantity": quantity, "low_50": -0.15, "high_50": -0.1},
            )
        )  # fmt: skip
    rows.append(Measurement(model="glove", test="t", metric="a new metric", value=3.14159))
    return rows


def hostile() -> list[Measurement]:
    """The same, with every name and text from outside replaced by something that tries to get out of its place."""
    rows = []
    for place, row in enumerate(everything()):
        name = HOSTILE[place % len(HOSTILE)]
        lost = tuple(Lost(word, word, word) for word in HOSTILE)
        details = {
            key: name if isinstance(value, str) and key != "quantity" else value for key, value in row.details.items()
        }
        rows.append(replace(row, model=name, test=name, method=name, language=name[:9], lost=lost, details=details))
        rows.append(replace(row, metric=name, counts={name: 3}))
    return rows


def manifest(**other: Any) -> dict[str, Any]:
    """What a run says of itself."""
    return {
        "format": FORMAT,
        "title": "",
        "seed": 0,
        "spec": {"models": [{"path": "glove.txt"}]},
        "jobs": [
            {"model": "bert", "metric": "weat", "test": "weat10", "skipped": "", "error": "MemoryError: no room"},
            {"model": "glove", "metric": "weat", "test": "weat3b", "skipped": "no word has a vector", "error": ""},
        ],
        "versions": {"numpy": "2.0"},
        **other,
    }


def write_run(folder: Path, rows: list[Measurement], about: dict[str, Any] | None = None) -> Path:
    """A run folder as a finished run leaves it."""
    folder.mkdir(parents=True)
    (folder / "manifest.json").write_text(json.dumps(about or manifest()), encoding="utf-8")
    write_tables(folder, rows)
    return folder


def sizes(test: str) -> dict[str, int]:
    """How many words the sets of a bundled test have."""
    found = association_test(test)
    return {side: len(getattr(found, side.lower()).words) for side in "XYAB"}
