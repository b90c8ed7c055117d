"""A reason is given exactly where a method makes a number what it is, whatever the vectors are."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from tiltmeter.debias.along import FIXED, REFITTED
from tiltmeter.debias.construction import KEY, LEANING_GROUP, Construction, construction
from tiltmeter.debias.fit import fit
from tiltmeter.debias.vocabulary import ArrayVocabulary
from tiltmeter.lexicon.catalogue import association_test
from tiltmeter.measurement import Lost, Measurement

from .made import DIMENSION, GENDER, embedding

TEST = association_test("weat7")  # A are words for men, B words for women, X and Y neither


def reason(
    made: Construction, metric: str, test: str, *, lost: tuple[str, ...] = (), after: NDArray[np.float64] | None = None
) -> str:
    row = Measurement(
        model="after", test=test, metric=metric, value=0.0, lost=tuple(Lost(word, "A", "absent") for word in lost)
    )
    direction = np.eye(DIMENSION)[:1]
    (flagged,) = made.flagged([row], GENDER, direction, after)
    assert flagged.details.keys() == {KEY}
    return str(flagged.details[KEY])


@pytest.mark.parametrize("without", [(), ("boy",), ("boy", "girl"), ("he", "girl"), ("him", "his", "her", "hers")])
def test_an_association_with_equal_sets_is_nothing_and_with_others_it_is_something(without: tuple[str, ...]) -> None:
    words, matrix = embedding()
    fitted = fit(ArrayVocabulary(words, matrix), GENDER, "hard")
    made = dict(zip(words, fitted.transform(words, matrix).astype(np.float64), strict=True))
    lost = tuple(word for word in (*TEST.a.texts, *TEST.b.texts) if word not in made or word in without)
    a, b = (np.mean([made[word] for word in side.texts if word not in lost], axis=0) for side in (TEST.a, TEST.b))
    neutral = np.stack([row for word, row in made.items() if word not in GENDER.own_words])
    nothing = bool(np.abs(neutral @ (a - b)).max() < 1e-6)
    assert bool(reason(construction(fitted, GENDER), "weat", "weat7", lost=lost)) is nothing
    assert nothing is (without not in [("boy",), ("he", "girl")])


def test_words_that_carry_the_bias_are_named_and_many_of_them_are_no_reason() -> None:
    sides = zip(TEST.a.texts, TEST.b.texts, strict=True)
    pairs = (("he", "she"), ("him", "her"), ("his", "hers"), *(pair for pair in sides if pair[0][0] != "h"))
    equal = tuple(map(frozenset, pairs))
    none = np.empty((0, DIMENSION))
    assert "(not so 'art')" in reason(Construction("hard", none, frozenset({"art"}), equal), "association", "weat7")
    assert reason(Construction("hard", none, frozenset({"art", "math"}), equal), "weat", "weat7") == ""
    assert reason(Construction("hard", none, frozenset(), equal), "seat", "weat7") == ""
    assert reason(Construction("projection", none), "weat", "weat7") == ""


def test_the_bias_along_a_direction_is_nothing_where_that_is_taken_out() -> None:
    first, second = np.eye(DIMENSION)[:1], np.eye(DIMENSION)[1:2]
    test = f"occupation words, {FIXED}"
    assert reason(Construction("hard", first), "direct bias", test)
    assert reason(Construction("inlp", np.concatenate([second, first])), "indirect bias", f"{test}, nearest pairs")
    assert reason(Construction("hard", second), "direct bias", test) == ""
    own = f"occupation words, {REFITTED}"
    assert reason(Construction("hard", first), "direct bias", own) == ""
    equal = (frozenset({"she", "he"}),)
    assert "were made equal" in reason(Construction("hard", first, equal=equal), "direct bias", own, after=first)
    assert reason(Construction("hard", first, equal=equal), "direct bias", own, after=second) == ""
    assert reason(Construction("soft", np.empty((0, DIMENSION))), "direct bias", test)


def test_what_a_method_learned_from_does_not_judge_it() -> None:
    none = np.empty((0, DIMENSION))
    for method in ("inlp", "double-hard"):
        assert reason(Construction(method, none), "recovered", LEANING_GROUP)
        assert reason(Construction(method, none), "recovered", "first names") == ""
    assert reason(Construction("hard", none), "recovered", LEANING_GROUP) == ""
