"""What a run found, how sure it is and what was lost, in sentences for readers who are no statisticians.

A sentence says what an interval includes or excludes. It never says that a model is or is not biased: a test speaks of
its own words alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.report.meanings import WITHOUT_WHOLE, excludes_neutral, leaning, neutral, title
from tiltmeter.report.sections import Row, Section, by_word, detail, lost_words
from tiltmeter.report.tables import number, p_text
from tiltmeter.runs.results import ALPHA

_NAMED = 6
_STRONGEST = 3
ONE_SIDED = "small only where X goes with A and Y with B, never for a lean the other way"


def whole_tests(cut: Sequence[Section]) -> list[Row]:
    """The rows that stand for whole tests; no cells of matrices, which a run keeps for their size, and no words."""
    return [row for section in cut if section.family not in WITHOUT_WHOLE for row in section.headlines]


def with_interval(cut: Sequence[Section]) -> list[Row]:
    """Those of them whose interval tells whether they lean."""
    return [row for row in whole_tests(cut) if row.settled is not None]


def lead(cut: Sequence[Section], names: Mapping[str, str], *, alpha: float = ALPHA) -> list[str]:
    """The whole run in a few sentences: how many results point one way, on which models, and how many are significant.

    Cells of matrices of scores, which are chosen for their size, are not counted.
    """
    rows, known = whole_tests(cut), with_interval(cut)
    if len(known) < 2:  # its own section says it
        return []
    settled = sum(row.settled is True for row in known)
    said = [
        f"{len(known):,} results have an interval. {settled:,} "
        f"{'points' if settled == 1 else 'point'} one way throughout the interval; in {len(known) - settled:,} the "
        "direction is open."
    ]
    by_model = [(names[name], [row for row in known if row.measured.model == name]) for name in names]
    parts = [f"{sum(row.settled is True for row in of)} of {len(of)} on {name}" for name, of in by_model if of]
    if 1 < len(parts) <= _NAMED:
        said.append(f"By model: {', '.join(parts)}.")
    tested = [row for row in rows if math.isfinite(row.adjusted)]
    if tested:
        marked = sum(row.significant(alpha) for row in tested)
        said.append(
            f"Of {_counted(len(tested), 'p-value')}, {marked:,} {'is' if marked == 1 else 'are'} at most {alpha:g} "
            f"after correction for the number of tests. {_both(rows, alpha)}"
        )
    return said


def _both(rows: Sequence[Row], alpha: float) -> str:
    """How many results stand by their interval and by their p-value: either may mislead alone."""
    held = sum(row.settled is True and row.significant(alpha) for row in rows)
    return f"Both hold for {held:,}: the interval points one way, and the corrected p-value is small."


def one_sided(rows: Sequence[Row]) -> bool:
    """Whether a lean in the other direction never makes these p-values small."""
    return any(row.measured.settings.get("alternative") == "greater" for row in rows if math.isfinite(row.adjusted))


def found(section: Section, names: Mapping[str, str], *, alpha: float = ALPHA) -> list[str]:
    """How many results point one way beyond their interval, how many are significant, and the strongest of them."""
    rows = section.headlines
    if len(rows) == 1:
        return _single(rows[0], names, alpha)
    known = [row for row in rows if row.settled is not None]
    settled = [row for row in known if row.settled]
    said = []
    if known:
        at, kind = neutral(known[0].measured), f"{100 * known[0].measured.level:g} % interval"
        said.append(
            f"{_counted(len(known), 'result')} with an interval: the {kind} excludes {at:g} in "
            f"{len(settled)} and includes it in {len(known) - len(settled)}."
        )
    if section.is_matrix:
        said.append("A run keeps the strongest cells of a matrix: how many of them exclude 0 says nothing of the rest.")
    bounded = [row for row in rows if row.settled is None and row.measured.low <= row.measured.high]
    if bounded:  # embedding coherence, MAC
        said.append(
            f"{_counted(len(bounded), 'result')} with an interval. No value says that there is no bias: look at how "
            "far they lie from each other."
        )
    if without := len(rows) - len(known) - len(bounded):
        said.append(f"{_counted(without, 'result')} {'has' if without == 1 else 'have'} no interval.")
    tested = [row for row in rows if math.isfinite(row.adjusted)]
    if tested:
        marked = sum(row.significant(alpha) for row in tested)
        over = "over the whole matrix" if section.is_matrix else "for the number of tests"
        said.append(
            f"After correction {over}, {marked} of {_counted(len(tested), 'p-value')} "
            f"{'is' if marked == 1 else 'are'} at most {alpha:g}." + (f" {_both(rows, alpha)}" if known else "")
        )
    if against := sum(row.settled is True and row.measured.value < 0 for row in rows if one_sided([row])):
        said.append(
            f"These p-values are one-sided: {ONE_SIDED}. By {'its' if against == 1 else 'their'} interval, "
            f"{_counted(against, 'result')} {'leans' if against == 1 else 'lean'} the other way."
        )
    if by_word(rows):
        few = sum(detail(row, "p_value_words") <= alpha for row in rows)
        said.append(
            "Sentences of one word are not independent, which makes these p-values too small: when whole words are "
            f"permuted, {few} of {len(rows)} are at most {alpha:g}, before any correction."
        )
    held = [row for row in settled if row.significant(alpha)]
    of = "those for which both hold" if held else "those whose interval excludes it"
    if section.is_matrix and settled:
        strongest = sorted(held or settled, key=_distance, reverse=True)[:_STRONGEST]
        said.append(f"The furthest from 0 of {of}: {'; '.join(_in_short(row, names) for row in strongest)}.")
    elif settled:
        further = max(held or settled, key=_distance)
        said.append(f"The furthest from {neutral(further.measured):g} of {of}: {described(further, names)}")
    return said


def _single(row: Row, names: Mapping[str, str], alpha: float) -> list[str]:
    """The one result of a metric."""
    said = [f"One result: {described(row, names)}"]
    if row.settled is not None:
        verb = "excludes" if row.settled else "includes"
        said.append(f"Its {100 * row.measured.level:g} % interval {verb} {neutral(row.measured):g}.")
    if math.isfinite(row.adjusted):
        side = "at most" if row.significant(alpha) else "above"
        said.append(f"Its p-value after correction, {p_text(row.adjusted)}, is {side} {alpha:g}.")
    return said


def described(row: Row, names: Mapping[str, str]) -> str:
    """One result as a sentence."""
    measured, digits = row.measured, 1 if row.measured.metric == "crows" else 2
    about = f" ({title(measured)})" if title(measured) else ""
    way = "" if row.settled is False else leaning(measured)  # an open direction is none
    return (
        f"{row.label}{about} on {names.get(measured.model, measured.model)}, {number(measured.value, digits)} "
        f"({number(measured.low, digits)} to {number(measured.high, digits)}){': ' + way if way else ''}."
    )


def _in_short(row: Row, names: Mapping[str, str]) -> str:
    measured = row.measured
    on = f" on {names.get(measured.model, measured.model)}" if len(names) > 1 else ""
    return f"{row.label}{on} {number(measured.value)} ({number(measured.low)} to {number(measured.high)})"


def sure(rows: Sequence[Row]) -> list[str]:
    """What the intervals and p-values of this run do and do not say."""
    unsettled = sum(excludes_neutral(row.measured) is False for row in rows)
    said = [
        "An interval says how far a number would move had other words, sentences or names been chosen to stand for the "
        "same groups. Where it excludes the neutral value, the direction does not hang on that choice.",
    ]
    if unsettled:
        said.append(
            f"Where it includes the neutral value ({_counted(unsettled, 'result')} here), the direction is open; "
            "that is no evidence that there is no association."
        )
    said.append(
        "Every test asks about its own words, in its own language, and about nothing else: neither what a model does "
        "when it is used, nor who is affected by it."
    )
    return said


def names_of_lost(cut: Sequence[Section]) -> list[str]:
    """Each word that took no part somewhere, once."""
    return list(dict.fromkeys(word for word, _ in lost_words([row for section in cut for row in section.rows])))


def lost(cut: Sequence[Section]) -> list[str]:
    """How many words took no part, and which first."""
    rows = [row for section in cut for row in section.rows]
    gone = lost_words(rows)
    if not gone:
        return ["No word was lost in the tests that gave a result."]
    words = names_of_lost(cut)
    touched = len({(row.measured.model, row.measured.test, row.measured.metric) for row in rows if row.measured.lost})
    first = ", ".join(f"“{word}”" for word in words[:_NAMED])
    more = f" and {len(words) - _NAMED:,} more" if len(words) > _NAMED else ""
    gone_from = _counted(touched, "result")
    return [
        f"{_counted(len(words), 'word or sentence', 'words or sentences')} took no part in {gone_from}: {first}{more}. "
        "All are named below, with the reason."
    ]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A job that gave no measurement: it failed, or its test did not fit the model."""

    model: str
    metric: str
    test: str
    reason: str
    failed: bool


def left_out(manifest: Mapping[str, Any]) -> list[LeftOut]:
    """The jobs without a result, as the manifest tells of them."""
    jobs = manifest.get("jobs")
    found = []
    for job in jobs if isinstance(jobs, list) else []:
        if not isinstance(job, Mapping):
            continue
        error, skipped = str(job.get("error") or ""), str(job.get("skipped") or "")
        if error or skipped:
            model, metric, test = (str(job.get(key, "")) for key in ("model", "metric", "test"))
            found.append(LeftOut(model, metric, test, error or skipped, bool(error)))
    return found


def unfinished(jobs: Sequence[LeftOut]) -> list[str]:
    """How many jobs failed, and how many did not fit their model."""
    failed = sum(job.failed for job in jobs)
    said = []
    if failed:
        said.append(f"{_counted(failed, 'job')} failed and can be run again: see “What was lost”.")
    if unfit := len(jobs) - failed:
        said.append(f"{_counted(unfit, 'test')} did not fit the model: see “What was lost”.")
    return said


def _distance(row: Row) -> float:
    at = neutral(row.measured)
    return abs(row.measured.value - (at or 0.0)) if math.isfinite(row.measured.value) else -1.0


def _counted(count: int, one: str, several: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else several or one + 's'}"
