"""What the numbers say, in plain words. Words first: every panel opens with one of these."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tiltmeter.measure.scores import ScoreMatrix
from tiltmeter.measure.sources import COMMONNESS
from tiltmeter.metrics.sources import Source

Parts = list[dict[str, str]]
_FEW_NAMES = 50
_MUCH = 0.1  # of an association
_CHANCE = 0.05  # of the adjusted p-value


def part(text: str, role: str | None = None) -> dict[str, str]:
    """A piece of a sentence; `role` says what it names: model, target, feature, category or number."""
    return {"text": text} if role is None else {"text": text, "role": role}


def whole(parts: Parts) -> str:
    return "".join(one["text"] for one in parts)


def within(parts: Parts) -> Parts:
    """The parts of a sentence as they stand within another."""
    first = parts[0]["text"]
    return [{**parts[0], "text": first[:1].lower() + first[1:]}, *parts[1:]]


def certain(low: float, high: float) -> bool:
    """Whether an interval excludes 0."""
    return low > 0 or high < 0


def strongest(matrix: ScoreMatrix) -> tuple[str, str] | None:
    """The pair with the largest score among those that stand out: the interval excludes 0, and of so many pairs this
    one is not expected by chance (adjusted p below .05). A few sentences agree by chance too, and their interval is
    narrow then."""
    stands_out = ((matrix.low > 0) | (matrix.high < 0)) & (matrix.adjusted < _CHANCE)
    if not stands_out.any():
        return None
    size = np.where(stands_out, np.abs(np.nan_to_num(matrix.score)), -1.0)
    row, column = divmod(int(size.argmax()), len(matrix.features))
    return matrix.targets[row], matrix.features[column]


NONE = "none stands out: no adjusted p-value is below 0.05"


def of_table(matrix: ScoreMatrix) -> str:
    sure = int(((matrix.low > 0) | (matrix.high < 0)).sum())
    known = int(np.isfinite(matrix.score).sum())
    what = f"{len(matrix.targets)} × {matrix.target_set} and {len(matrix.features)} × {matrix.feature_set}"
    text = f"Of {known:,} links ({what}), {sure:,} have an interval that excludes 0."
    pair = strongest(matrix)
    if pair is None:
        return f"{text} Of so many, {NONE}."
    cell = matrix.measurement(*pair)
    return f"{text} The strongest: {pair[0]} and {pair[1]}, {cell.value:.2f} ({cell.low:.2f} to {cell.high:.2f})."


def link(matrix: ScoreMatrix, target: str, feature: str) -> Parts:
    """One cell."""
    cell = matrix.measurement(target, feature)
    t, f = part(target, "target"), part(feature, "feature")
    if math.isnan(cell.value):
        return [part("There is no score of "), t, part(" with "), f, part(".")]
    ends = f" ({cell.low:.2f} to {cell.high:.2f})"
    if matrix.metric == "direct":
        sure = certain(cell.low, cell.high) and cell.details["p_adjusted"] < _CHANCE
        return _direct(cell.value, cell.low, cell.high, t, f, sure=sure)
    if not certain(cell.low, cell.high):
        return [
            part("Names that go with "), t, part(" go with "), f, part(" no more than by chance: "),
            part(f"{cell.value:.2f}{ends}", "number"), part("."),
        ]  # fmt: skip
    more = "more" if cell.value > 0 else "less"
    return [
        part("The more a name goes with "), t, part(f", the {more} it goes with "), f, part(": "),
        part(f"{cell.value:.2f}{ends}", "number"), part("."),
    ]  # fmt: skip


def _direct(value: float, low: float, high: float, t: dict[str, str], f: dict[str, str], *, sure: bool) -> Parts:
    number = f"{_times(value)} times" + ("" if math.isnan(low) else f" ({_times(low)} to {_times(high)})")
    end = "" if math.isnan(low) or sure else ", which may be chance"
    return [
        part("Beside "), t, part(", "), f, part(" is "), part(number, "number"),
        part(f" as likely as beside a blank{end}."),
    ]  # fmt: skip


def _times(log_ratio: float) -> str:
    """A ratio to two digits; what is beyond imagining is not written out."""
    ratio = math.exp(min(log_ratio, 700.0))
    if ratio < 0.01:
        return "less than 0.01"
    if ratio > 1_000:
        return "more than 1,000"
    return f"{ratio:.2g}" if ratio < 9.95 else f"{float(f'{ratio:.2g}'):,.0f}"


def weak_bridge(matrix: ScoreMatrix, target: str, feature: str) -> str | None:
    """Why a score should be taken with care, beside its interval."""
    cell = matrix.measurement(target, feature)
    if matrix.metric == "direct":
        n = cell.counts.get("templates", 0)
        return f"Only {n} sentence{'s' if n != 1 else ''} stand{'s' if n == 1 else ''} behind it." if n < 4 else None
    n = cell.counts.get("names", 0)
    if n < _FEW_NAMES:
        return f"Only {n} names link the two."
    low, high = float(cell.details["template_low"]), float(cell.details["template_high"])
    if certain(cell.low, cell.high) and not math.isnan(low) and not certain(low, high):
        return f"Other sentences might say otherwise: over the templates the interval is {low:.2f} to {high:.2f}."
    return None


def of_source(target: str, feature: str, raw: float, source: Source, category: str, *, own: bool = False) -> str:
    """What one candidate explains; `own` says that the feature is itself a word of its category."""
    held = _held(source.name, category)
    if math.isnan(source.partial):
        if own:
            return f"With {held} fixed nothing of {feature!r} is left to vary, as it is one of those words itself."
        return f"Whether {held} explains it cannot be told: too few names have a score with it."
    ends = f"({source.partial_low:.2f} to {source.partial_high:.2f})"
    now = f"{source.partial:.2f} {ends}"
    if math.isnan(source.share):
        return (
            f"The link between {target} and {feature} is not certain, so that there is nothing to explain; "
            f"holding {held} fixed it is {now}."
        )
    verb = "shrinks" if abs(source.partial) < abs(raw) else "grows"
    if source.share > 1 and certain(source.partial_low, source.partial_high):
        verb = "turns round"
    return f"Holding {held} fixed, the link between {target} and {feature} {verb} from {raw:.2f} to {now}."


def of_best(source: Source, told: str) -> str:
    """The candidate that explains most, and whether that is much."""
    return told if math.isnan(source.share) or source.share >= _MUCH else f"Nothing here explains much of it. {told}"


def _held(name: str, category: str) -> str:
    if name == COMMONNESS:
        return name
    return f"{category} as a whole" if name == category else repr(name)


def share_in_words(share: float) -> str:
    """A share as people say it."""
    if share > 1:
        return "more than all"
    for bound, words in ((0.9, "nearly all"), (0.7, "most"), (0.58, "two thirds"), (0.42, "half"), (0.28, "a third")):
        if share >= bound:
            return words
    return "a part" if share >= _MUCH else "next to nothing"


def listed(words: Sequence[str], most: int = 3) -> str:
    """a, b and c."""
    shown = list(words[:most])
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else "none"


def lost_words(lost: Sequence[Any]) -> list[dict[str, str]]:
    return [{"word": one.word, "where": one.where, "reason": one.reason} for one in lost]
