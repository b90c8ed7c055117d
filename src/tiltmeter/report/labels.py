"""What a reader sees of a measurement's test: its name, and what tells it from others of the same name."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from tiltmeter.measurement import Measurement
from tiltmeter.report.meanings import family

_LETTERS = 40  # of one setting
_MOST_LETTERS = 120  # of all
_PER_MODEL = {"fingerprint"}  # settings that say which model it was
_OF_A_PART = {"wefat": "word", "rnd": "set", "mac": "part"}  # metrics with several rows a test; the detail that tells
_QUANTITIES = {"bar": "mean distance", "spread": "spread between words", "sigma": "scatter within words"}


def label(row: Measurement) -> str:
    """The test, with what the metric says of its own."""
    if row.metric in _OF_A_PART:
        part = str(row.details.get(_OF_A_PART[row.metric]) or "")
        return f"{row.test}: {part}" if part else row.test
    if family(row.metric) != "bayes":
        return row.test
    quantity, connection, word = (str(row.details.get(key) or "") for key in ("quantity", "connection", "word"))
    against = connection.removeprefix("associated - ")
    match quantity:
        case "contrast":
            said = f"vs {against}"
        case "word contrast":
            said = f"{word} vs {against}"
        case "word":
            said = f"{word}, {connection}"
        case "bar" | "spread" | "sigma":
            said = f"{_QUANTITIES[quantity]}, {connection}"
        case _:
            said = row.metric.removeprefix("bayes ")
    return f"{row.test}: {said}"


def labels(measurements: Sequence[Measurement]) -> list[str]:
    """The label of each row. Where a model was measured twice alike, the settings that differ stand beside the name."""
    said = [label(row) for row in measurements]
    alike: dict[tuple[str, str, str], list[int]] = {}
    for place, row in enumerate(measurements):
        alike.setdefault((row.metric, row.language, said[place]), []).append(place)
    for places in alike.values():
        by_model: dict[str, list[int]] = {}
        for place in places:
            by_model.setdefault(measurements[place].model, []).append(place)
        if len(by_model) == len(places):
            continue
        keys = {
            key
            for of_model in by_model.values()
            for key in differing([measurements[place].settings for place in of_model])
        }
        for of_model in by_model.values():
            for place, variant in zip(
                of_model, variants([measurements[one].settings for one in of_model], sorted(keys)), strict=True
            ):
                said[place] += f" ({variant})" if variant else ""
    return said


def differing(settings: Sequence[Mapping[str, Any]]) -> list[str]:
    """The keys that are not the same in all of these."""
    keys = {key for one in settings for key in one} - _PER_MODEL
    return sorted(key for key in keys if any(one.get(key) != settings[0].get(key) for one in settings))


def variants(settings: Sequence[Mapping[str, Any]], keys: Sequence[str] | None = None) -> list[str]:
    """What tells each of these settings from the others; those that are the same in all are numbered."""
    keys = differing(settings) if keys is None else keys
    said = [", ".join(f"{key.replace('_', ' ')}: {_value(one.get(key))}" for key in keys) for one in settings]
    said = [_cut(text, _MOST_LETTERS) for text in said]
    count, turn = Counter(said), Counter[str]()
    for place, text in enumerate(said):
        turn[text] += 1
        if count[text] > 1:
            said[place] = f"{text}{', ' if text else ''}no. {turn[text]}"
    return said


def _value(value: Any) -> str:
    if value is None:
        return "default"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return _cut(text, _LETTERS)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
