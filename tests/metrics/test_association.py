"""Association metrics: published numbers, worked examples, and what must not change them."""

from __future__ import annotations

import lzma
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tiltmeter.lexicon import catalogue
from tiltmeter.metrics.association import (
    association,
    cosines,
    effect_size,
    embedding_coherence,
    mean_average_cosine_distance,
    relative_norm_distance,
    statistic,
    weat,
    wefat,
)

Array = NDArray[np.float64]
EAST, NORTH, WEST = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]
PUBLISHED = [1.50, 1.53, 1.41, 1.50, 1.28, 1.81, 1.06, 1.24, 1.38, 1.21]  # Caliskan et al. 2017, table 1


def at(*degrees: float) -> Array:
    """Unit vectors in the plane: the cosine of two is that of the angle between them."""
    return np.array([[math.cos(math.radians(d)), math.sin(math.radians(d))] for d in degrees])


@pytest.fixture(scope="module")
def glove(shared: Path) -> dict[str, Array]:
    with lzma.open(shared / "data" / "glove-840b-caliskan-words.w2v.txt.xz", "rt", encoding="utf-8") as lines:
        _, dimension = map(int, next(lines).split())
        rows = (line.rsplit(maxsplit=dimension) for line in lines)
        return {word: np.array(numbers, dtype=np.float64) for word, *numbers in rows}


def vectors(glove: dict[str, Array], words: tuple[str, ...]) -> Array:
    return np.array([next(glove[w] for w in (word, word.lower(), word.title()) if w in glove) for word in words])


@pytest.mark.parametrize(("number", "published"), list(enumerate(PUBLISHED, start=1)))
def test_weat_on_glove_gives_the_published_effect_sizes(glove: dict[str, Array], number: int, published: float) -> None:
    X, Y, A, B = (vectors(glove, words) for words in catalogue.association_test(f"weat{number}").texts())
    assert f"{weat(X, Y, A, B).effect_size:.2f}" == f"{published:.2f}"


def test_wefat_on_glove_finds_the_occupations_of_women(glove: dict[str, Array]) -> None:
    # Of the fifty occupations, the share of women is highest and lowest in these (Caliskan et al. 2017, figure 1).
    A, B = (vectors(glove, words) for words in catalogue.association_test("weat8").texts()[2:])
    women, men = ("nurse", "hairdresser", "librarian", "receptionist"), ("carpenter", "mechanic", "plumber", "engineer")
    scores = wefat(vectors(glove, women + men), A, B)  # A: male terms, B: female terms
    assert scores[:4].max() < scores[4:].min()


def test_the_worked_example_of_the_bayesian_paper() -> None:
    x, y = [0.5, 0.3], [-0.6, -0.3]
    assert effect_size(x, y) == pytest.approx(1.659, abs=5e-4)
    assert effect_size(x, y, ddof=0) == pytest.approx(1.916, abs=5e-4)
    assert statistic(x, y) == pytest.approx(1.7)
    assert statistic(x, y, form="mean") == pytest.approx(0.85)


def test_the_score_of_the_same_example_from_its_cosines() -> None:
    # cos(he, a) = .6, .7 and cos(he, b) = .2, .1: s = .65 - .15
    he = at(0)
    A, B = (at(*np.degrees(np.arccos(similarities))) for similarities in ([0.6, 0.7], [0.2, 0.1]))
    assert association(he, A, B) == pytest.approx([0.5])


def test_cosines_of_known_angles() -> None:
    assert cosines(at(0, 90), at(60, 180)) == pytest.approx(np.array([[0.5, -1], [math.sqrt(3) / 2, 0]]))


def test_no_cosine_leaves_its_range() -> None:
    words = np.random.default_rng(0).normal(size=(50, 300))
    assert np.abs(cosines(words, np.concatenate([words, -words]))).max() == 1


def test_wefat_divides_by_the_spread_of_the_cosines() -> None:
    # Cosines 1 and .5 against 0 and -.5: means differ by 1, the sample variance of the four is 1.25 / 3.
    A, B = at(0, 60), at(90, 120)
    assert wefat(at(0), A, B) == pytest.approx([1 / math.sqrt(1.25 / 3)])
    assert wefat(at(0), A, B, ddof=0) == pytest.approx([1 / math.sqrt(1.25 / 4)])


def test_mac_weighs_sets_alike_whatever_their_size() -> None:
    # From east: distances 0 and 1 to the first set, mean .5; distance 2 to the one word of the second.
    assert mean_average_cosine_distance([EAST], [[EAST, NORTH], [WEST]]) == pytest.approx(1.25)
    assert mean_average_cosine_distance([EAST, NORTH], [[EAST, NORTH], [WEST]]) == pytest.approx(1.0)


def test_mac_of_unrelated_words_is_one() -> None:
    assert mean_average_cosine_distance([EAST], [[NORTH], [[0.0, -2.0]]]) == pytest.approx(1.0)


def test_relative_norm_distance_by_hand() -> None:
    # The means are east and the origin: the east word is at distances 0 and 1, the west word at 2 and 1.
    result = relative_norm_distance([EAST, WEST], [EAST, EAST], [NORTH, [0.0, -1.0]])
    assert result.by_word == pytest.approx([-1, 1])
    assert (result.total, result.mean) == pytest.approx((0, 0))
    single = relative_norm_distance([NORTH], [EAST], [NORTH])
    assert single.total == single.mean == pytest.approx(math.sqrt(2))


def test_embedding_coherence_compares_rankings() -> None:
    words = at(10, 30, 50, 70)
    assert embedding_coherence(words, at(0), at(-40)) == pytest.approx(1)
    assert embedding_coherence(words, at(0), at(90)) == pytest.approx(-1)
    # From 45°, words at 40, 30 and 80 rank 1, 2, 3 by nearness; from 90° they rank 2, 3, 1: ρ = 1 - 6·6/(3·8).
    assert embedding_coherence(at(40, 30, 80), at(45), at(90)) == pytest.approx(-0.5)


def test_no_spread_is_no_effect_size() -> None:
    assert math.isnan(effect_size([0.1, 0.1], [0.1, 0.1]))
    assert math.isnan(effect_size([0.1 + 0.2, 0.3], [0.3, 0.3]))  # equal but for rounding
    assert math.isnan(weat(at(20, 20), at(20, 20), at(0, 10), at(50, 60)).effect_size)
    assert np.isnan(wefat(at(0, 45), at(90, 90), at(90, -90))).tolist() == [True, False]
    assert math.isnan(embedding_coherence(at(45, -45), at(0), at(90)))


square = st.integers(0, 2**32 - 1).map(lambda seed: np.random.default_rng(seed).normal(size=(4, 5, 5)))


@given(square)
def test_swapping_targets_or_attributes_turns_the_sign(sets: Array) -> None:
    X, Y, A, B = sets
    result = weat(X, Y, A, B)
    for swapped in (weat(Y, X, A, B), weat(X, Y, B, A)):
        assert swapped.effect_size == pytest.approx(-result.effect_size)
        assert swapped.statistic == pytest.approx(-result.statistic)
    assert wefat(X, B, A) == pytest.approx(-wefat(X, A, B))
    assert relative_norm_distance(X, B, A).by_word == pytest.approx(-relative_norm_distance(X, A, B).by_word)
    assert embedding_coherence(X, B, A) == pytest.approx(embedding_coherence(X, A, B))


def numbers(X: Array, Y: Array, A: Array, B: Array) -> list[float]:
    return [
        weat(X, Y, A, B).effect_size,
        weat(X, Y, A, B).statistic,
        *wefat(X, A, B),
        mean_average_cosine_distance(X, [A, B]),
        relative_norm_distance(X, A, B).total,
        embedding_coherence(X, A, B),
    ]


@given(square)
def test_a_rotation_changes_nothing(sets: Array) -> None:
    rotation, _ = np.linalg.qr(np.random.default_rng(7).normal(size=(5, 5)))
    assert numbers(*(sets @ rotation)) == pytest.approx(numbers(*sets))


@given(square, st.sampled_from([1e-300, 1e-3, 17.0, 1e300]))
def test_the_length_of_vectors_changes_nothing(sets: Array, factor: float) -> None:
    assert numbers(*(sets * factor)) == pytest.approx(numbers(*sets))


@given(square)
def test_each_vector_has_its_own_length(sets: Array) -> None:
    lengths = np.random.default_rng(7).uniform(0.1, 10, size=(4, 5, 1))
    assert numbers(*(sets * lengths))[:-1] == pytest.approx(numbers(*sets)[:-1])  # but the coherence test's means


def test_single_precision_is_taken_as_double() -> None:
    rng = np.random.default_rng(0)
    sets = rng.normal(size=(4, 8, 50)).astype(np.float32)
    assert numbers(*sets) == pytest.approx(numbers(*sets.astype(np.float64)), abs=1e-14)


OK = at(0, 30)
REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: weat(at(0), OK, OK, OK), "X has one word; this metric needs two"),
    (lambda: weat(OK, OK, at(0), OK), "A has one word"),
    (lambda: wefat(OK, OK, at(0)), "B has one word"),
    (lambda: effect_size([0.5, 0.3], []), "Y has no words"),
    (lambda: effect_size([0.5, math.nan], [0.1, 0.2]), "score 1 of X is not a finite number"),
    (lambda: effect_size([[0.5, 0.3]], [0.1, 0.2]), r"not an array of shape \(1, 2\)"),
    (lambda: weat(OK, [EAST, [0.0, 0.0]], OK, OK), "row 1 of Y has norm zero"),
    (lambda: weat(OK, OK, OK, [[math.inf, 0.0], EAST]), "row 0 of B holds a number that is not finite"),
    (lambda: association(OK, [[1.0, 2.0, 3.0]], OK), "W has vectors of 2 numbers, A of 3"),
    (lambda: association(OK, np.empty((0, 2)), OK), "A needs one vector or more"),
    (lambda: cosines([1.0, 0.0], OK), r"U needs one vector .* shape \(2,\)"),
    (lambda: mean_average_cosine_distance(OK, []), "MAC needs one attribute set"),
    (lambda: mean_average_cosine_distance(OK, [OK, [[0.0, 0.0]]]), "row 0 of attribute set 2 has norm zero"),
    (lambda: embedding_coherence(OK, [EAST, WEST], OK), "the mean of A has norm zero"),
    (lambda: embedding_coherence(at(0), OK, OK), "W has one word"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_has_no_answer_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
