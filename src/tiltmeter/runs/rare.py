"""Leaving out the words that a demo model has hardly met: what it says of them is noise, and nobody's bias."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from tiltmeter.lexicon.pairs import PairSet
from tiltmeter.lexicon.tests import AssociationTest
from tiltmeter.lexicon.words import WordSet
from tiltmeter.measurement import Lost
from tiltmeter.models.named import occurrences
from tiltmeter.runs.job import Matrix, Subject

_SIDES: Mapping[type, Mapping[str, str]] = {
    AssociationTest: {"x": "X", "y": "Y", "a": "A", "b": "B"},
    Matrix: {"targets": "", "features": "", "bridge": ""},
}


def without_rare(subject: Subject, counts: Mapping[str, int], least: int) -> tuple[Subject, tuple[Lost, ...]]:
    """A test without the words that occur less often than `least`, and those words. Sentence pairs stay whole."""
    sides = _SIDES.get(type(subject), {})
    lost: list[Lost] = []
    kept: dict[str, WordSet] = {}
    for side, where in sides.items():
        words: WordSet | None = getattr(subject, side)
        if words is None:
            continue
        often = {word.text: occurrences(word.text, counts) for word in words.words}
        for text, count in often.items():
            if count < least:
                times = "never" if not count else "once" if count == 1 else f"{count} times"
                reason = f"the model met it {times} in training, fewer than {least}"
                lost.append(Lost(text, where or words.name, reason))
        kept[side] = dataclasses.replace(words, words=tuple(word for word in words.words if often[word.text] >= least))
    if isinstance(subject, PairSet) or not lost:
        return subject, ()
    return dataclasses.replace(subject, **kept), tuple(lost)  # type: ignore[arg-type]
