"""The bundled tests on the word vectors in the box, which were trained on novels of before 1940."""

from __future__ import annotations

import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.measure.association import AssociationResult, weat
from tiltmeter.models.base import Embedder
from tiltmeter.models.load import load

LANGUAGES = ("de", "fr", "it", "no")
LEAST = 5  # words of each set that the novels must have


def demo(lang: str) -> Embedder:
    try:
        return load(f"demo:{lang}-static")
    except TiltmeterError as error:
        pytest.skip(f"there are no {lang} vectors in the box: {error}")


def measured(lang: str, name: str) -> AssociationResult | None:
    """None where too few words of a set are in the novels: modern flowers and insects are not in all of them."""
    try:
        result = weat(demo(lang), name, lang=lang)
    except TiltmeterError:
        return None
    return result if min(result.counts.values()) >= LEAST else None


@pytest.mark.parametrize("lang", LANGUAGES)
def test_flowers_or_instruments_are_pleasanter_than_insects_or_weapons(lang: str) -> None:
    found = [result for result in (measured(lang, "weat1"), measured(lang, "weat2")) if result is not None]
    if not found:
        pytest.skip(f"the novels have too few of the flowers, insects, instruments and weapons of language {lang}")
    assert max(result.effect_size for result in found) > 0


@pytest.mark.parametrize("lang", LANGUAGES)
def test_gender_is_measured_with_an_interval(lang: str) -> None:
    result = measured(lang, "weat6")
    assert result is not None
    assert result.interval.low < result.effect_size < result.interval.high
    assert result.language == lang
    assert result.effect_size > 0  # men's names go with career, women's with family
