"""Direct and indirect bias along the direction of before, and along what each side shows of itself."""

from __future__ import annotations

import dataclasses

import pytest

from tiltmeter.debias.along import FIXED, REFITTED, along
from tiltmeter.debias.fit import fit
from tiltmeter.debias.sample import sample_of_file
from tiltmeter.debias.vocabulary import ArrayVocabulary
from tiltmeter.lexicon.debias import Bias

from .made import GENDER, embedding

WORDS, MATRIX = embedding()
VOCABULARY = ArrayVocabulary(WORDS, MATRIX)
PROBES = [word for word in WORDS if word.startswith("x")]
THREE = dataclasses.replace(
    GENDER, classes=("one", "two", "three"), definitions=(tuple(PROBES[:3]), tuple(PROBES[3:6])), equalise=()
)


def found(method: str, bias: Bias = GENDER) -> dict[tuple[str, str, bool], float]:
    sample = sample_of_file(VOCABULARY, fit(VOCABULARY, bias, method))
    rows = list(along(sample, bias, PROBES, ("before", "after")))
    assert all(row.low <= row.value <= row.high for row in rows)
    made = {(row.model, row.metric, FIXED in row.test): row.value for row in rows}
    assert len(made) == len(rows)
    assert all((FIXED in row.test) != (REFITTED in row.test) for row in rows)
    return made


@pytest.mark.parametrize("method", ["hard", "projection"])
def test_what_is_taken_out_is_gone_along_it_and_the_words_show_another_direction(method: str) -> None:
    made = found(method)
    for metric in ("direct bias", "indirect bias"):
        assert made["before", metric, True] == made["before", metric, False] > 0.04
        assert made["after", metric, True] == pytest.approx(0.0, abs=1e-5)
    assert made["after", "direct bias", False] > 0.01


def test_a_subspace_has_a_direct_bias_and_no_indirect_one() -> None:
    made = found("projection", THREE)
    assert {metric for _, metric, _ in made} == {"direct bias"}
    assert made["after", "direct bias", True] < 1e-5 < made["before", "direct bias", True]


def test_without_words_or_definitions_there_is_nothing() -> None:
    sample = sample_of_file(VOCABULARY, fit(VOCABULARY, GENDER, "hard"))
    assert list(along(sample, GENDER, ["absent"], ("before", "after"))) == []
    assert list(along(sample, dataclasses.replace(GENDER, definitions=()), PROBES, ("before", "after"))) == []
