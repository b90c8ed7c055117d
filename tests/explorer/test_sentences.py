"""What is said in words holds for the numbers it speaks of."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from tiltmeter.explorer import sentences
from tiltmeter.explorer.comparison import agreeing, differing
from tiltmeter.measure.scores import ScoreMatrix, direct, indirect
from tiltmeter.metrics.interval import Interval
from tiltmeter.metrics.sources import Source
from tiltmeter.models.masked import MaskedModel


@pytest.fixture(scope="module")
def through_names(models: list[MaskedModel]) -> ScoreMatrix:
    return indirect(models[0], "beverage", "gender")


def beside(models: list[MaskedModel], ratio: float, adjusted: float = 0.0) -> str:
    """What is said of a direct score."""
    matrix = direct(models[0], "beverage", "gender")
    score = np.full_like(matrix.score, np.log(ratio))
    changed = dataclasses.replace(
        matrix, score=score, low=score - 0.1, high=score + 0.1, adjusted=np.full_like(score, adjusted)
    )
    return sentences.whole(sentences.link(changed, "wine", "woman"))


def test_the_strongest_link_is_one_that_so_many_would_not_give_by_chance(through_names: ScoreMatrix) -> None:
    strongest = sentences.strongest(through_names)
    assert strongest is not None
    place = through_names.targets.index(strongest[0]), through_names.features.index(strongest[1])
    adjusted = through_names.adjusted.copy()
    adjusted[place] = 0.06
    second = sentences.strongest(dataclasses.replace(through_names, adjusted=adjusted))
    assert second not in (None, strongest)


def test_where_no_link_stands_out_none_is_named(through_names: ScoreMatrix) -> None:
    by_chance = dataclasses.replace(through_names, adjusted=np.ones_like(through_names.adjusted))
    assert sentences.strongest(by_chance) is None
    assert "none stands out: no adjusted p-value is below 0.05" in sentences.of_table(by_chance)


def test_what_explains_little_is_said_to() -> None:
    def of(share: float) -> str:
        return sentences.of_best(Source("man", 0.6, 0.5, 0.7, 0.0, share, share - 0.1, share + 0.1), "Told.")

    assert of(0.05) == "Nothing here explains much of it. Told."
    assert of(0.5) == of(math.nan) == "Told."  # without a share there was nothing to explain


def test_a_sentence_within_another_begins_in_lower_case(through_names: ScoreMatrix) -> None:
    parts = sentences.within(sentences.link(through_names, "wine", "woman"))
    assert sentences.whole(parts).startswith(("the more a name goes with wine", "names that go with wine"))


@pytest.mark.parametrize(
    ("ratio", "said"),
    [
        (1.85, "1.9 times (1.7 to 2)"),
        (100.0, "100 times (90 to 110)"),
        (950.0, "950 times (860 to more than 1,000)"),
        (1e9, "more than 1,000 times"),
        (1e-9, "less than 0.01 times"),
    ],
)
def test_a_ratio_is_told_to_two_digits_and_none_beyond_imagining(
    models: list[MaskedModel], ratio: float, said: str
) -> None:
    assert said in beside(models, ratio)


def test_a_ratio_may_be_chance_though_its_interval_excludes_it(models: list[MaskedModel]) -> None:
    assert "which may be chance" in beside(models, 2.0, adjusted=0.2)
    assert "which may be chance" not in beside(models, 2.0, adjusted=0.01)


def test_two_tables_agree_only_where_that_is_sure() -> None:
    def said(low: float, high: float) -> str:
        return agreeing(["one", "two"], (low + high) / 2, Interval(low, high, 0.95, "BCa"))

    assert said(0.2, 0.6) == "one and two agree: r = 0.40 (0.20 to 0.60)."
    assert said(-0.4, 0.2) == "one and two are not sure to agree: r = -0.10 (-0.40 to 0.20)."
    assert said(-0.6, -0.2) == "one and two contradict each other: r = -0.40 (-0.60 to -0.20)."


def test_differences_are_counted_beside_those_that_chance_gives() -> None:
    first = {"target": "wine", "feature": "woman", "a": 0.5, "b": -0.25}
    assert differing([first], 30, 200, 0.95, same_unit=True) == (
        "Of 200 differences, 30 have an interval that excludes 0 (10 would by chance alone). "
        "The largest: wine and woman, 0.50 against -0.25."
    )
    assert differing([first], 9, 200, 0.95, same_unit=True).endswith("excludes 0, no more than by chance alone (10).")
