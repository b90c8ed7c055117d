"""What a projection leaves is judged by words and sentences that it was not fitted to."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from tiltmeter.debias.held_out import FEWEST_SETS, held_out
from tiltmeter.debias.remains import recovered
from tiltmeter.debias.templates import InSentences

CLASSES = ("female", "male")
DIMENSION = 8


def seen(lean: float, *, definitions: int = 16, sentences: int = 6, seed: int = 0) -> InSentences:
    """States that say the definition, the sentence, noise, and (`lean`) along one direction the class of the word."""
    rng = np.random.default_rng(seed)
    of, template, label = (axis.ravel() for axis in np.indices((definitions, sentences, 2)))
    said, stood = rng.normal(size=(definitions, DIMENSION)), rng.normal(size=(sentences, DIMENSION))
    rows = said[of] + stood[template] + rng.normal(size=(of.size, DIMENSION))
    rows[:, 0] = lean * (1 - 2 * label)
    names = tuple(f"sentence {number}" for number in template)
    return InSentences(rows, of * sentences + template, label, names, of, template)


def shares(given: InSentences) -> list[float]:
    found = held_out(given, CLASSES, 1)
    assert found is not None
    group, before, after = found
    rows = recovered({"before": before, "after": after}, group)
    return [row.value for row in rows if row.metric == "recovered"]


def test_what_one_half_shows_is_gone_from_the_other() -> None:
    before, after = shares(seen(2.0, definitions=40, sentences=10))
    assert before > 95
    assert after < 65


def test_what_says_nothing_of_the_class_is_told_by_chance_before_and_after() -> None:
    made = np.array([shares(seen(0.0, seed=seed)) for seed in range(8)])
    assert made.mean(axis=0) == pytest.approx([50, 50], abs=6)


def test_no_row_is_projected_by_what_knows_its_word_or_its_sentence() -> None:
    given = seen(1.0)
    found = held_out(given, CLASSES, 1)
    assert found is not None
    group, _, after = found
    assert group.together is not None
    assert group.parts is not None
    for part in (0, 1):
        mine = (given.word_set % 2 == part) & (given.template % 2 == part)
        assert np.array_equal(group.together[group.parts == part], given.word_set[mine])
        other = given.rows.copy()
        neither = (given.word_set % 2 != part) & (given.template % 2 != part)
        other[~neither & ~mine] = 0.0  # rows that share a word or a sentence with these have no part in it
        again = held_out(dataclasses.replace(given, rows=other), CLASSES, 1)
        assert again is not None
        assert np.array_equal(again[2][group.parts == part], after[group.parts == part])


@pytest.mark.parametrize(
    ("definitions", "sentences", "dimensions"), [(FEWEST_SETS - 1, 6, 1), (16, 1, 1), (FEWEST_SETS, 2, 5)]
)
def test_where_there_is_too_little_nothing_is_said(definitions: int, sentences: int, dimensions: int) -> None:
    assert held_out(seen(1.0, definitions=definitions, sentences=sentences), CLASSES, dimensions) is None
