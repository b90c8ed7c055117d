"""Directions and subspaces: worked examples in two and three dimensions, and invariances."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tiltmeter.metrics.subspace import (
    bias_subspace,
    cultural_dimension,
    direct_bias,
    direction_by_means,
    indirect_bias,
    projection,
)

Array = NDArray[np.float64]
EAST, NORTH, UP = np.eye(3)
HALF = math.sqrt(0.5)


def test_one_pair_spans_its_difference() -> None:
    found = bias_subspace([[EAST, NORTH]])
    assert found.directions == pytest.approx(np.array([[HALF, -HALF, 0]]))
    assert found.explained == pytest.approx([1])


def test_sets_of_any_size_weigh_the_same() -> None:
    # Scatter divided by size: the pair (1, ±1, 0)/√2 has ½ along north; so has twice the pair (1, 0, ±1)/√2 along up.
    pair = [[1, 1, 0], [1, -1, 0]]
    double = [[1, 0, 1], [1, 0, -1]] * 2
    found = bias_subspace([pair, double], dimensions=2)
    assert found.explained == pytest.approx([0.5, 0.5])


def test_components_come_in_the_order_of_their_variance() -> None:
    wide, narrow = [EAST, -EAST], [[0, 2, 1], [0, 2, -1]]
    found = bias_subspace([narrow, wide], dimensions=2)
    assert found.directions == pytest.approx(np.array([EAST, UP]))
    assert found.explained == pytest.approx([1 / 1.2, 0.2 / 1.2])  # half-lengths 1 and 1/√5


def test_centring_takes_out_what_a_set_has_in_common() -> None:
    pair = [[3, 1, 0], [3, -1, 0]]
    assert bias_subspace([pair]).directions == pytest.approx(NORTH[None])
    assert bias_subspace([pair], centred=False).directions == pytest.approx(EAST[None])


def test_the_direction_of_a_subspace_points_to_the_first_words() -> None:
    she, he = [1, 2, 3], [2, 1, 3]
    forward, back = bias_subspace([[she, he]]).directions[0], bias_subspace([[he, she]]).directions[0]
    assert forward == pytest.approx(-back)
    assert projection([she], forward) > projection([he], forward)


def test_direction_by_means() -> None:
    assert direction_by_means([EAST, 5 * NORTH], [UP, UP]) == pytest.approx(
        np.array([0.5, 0.5, -1]) / math.sqrt(1.5), abs=1e-15
    )


def test_pairs_of_a_cultural_dimension_weigh_the_same() -> None:
    # The differences are (1, -1, 0), of length √2, and (0, 0, 2).
    first, second = [EAST, UP], [NORTH, -UP]
    assert cultural_dimension(first, second) == pytest.approx(np.array([HALF, -HALF, 1]) * HALF)
    plain = cultural_dimension(first, second, unit_differences=False)
    assert plain == pytest.approx(np.array([1, -1, 2]) / math.sqrt(6))


def test_projection_is_the_cosine() -> None:
    assert projection([[5, 0, 0], [1, 1, 0], [0, 0, -1]], [2, 0, 0]) == pytest.approx([1, HALF, 0])


def test_direct_bias_by_hand() -> None:
    words = [[3, 4, 0], [0, 1, 1], [-1, 0, 0]]  # cosines .6, 0 and -1 with east
    assert direct_bias(words, EAST) == pytest.approx(1.6 / 3)
    assert direct_bias(words, EAST, c=2) == pytest.approx(1.36 / 3)
    assert direct_bias(words, EAST, c=0) == pytest.approx(2 / 3)  # 0 for the word that does not overlap, not 0⁰ = 1


def test_indirect_bias_by_hand() -> None:
    # w·v = .28, and without east both are north: β = (.28 - 1) / .28. A word owes nothing of its similarity with itself
    # to east, and w owes it all of that with u, since north and up have none.
    w, v, u = [0.6, 0.8, 0], [-0.6, 0.8, 0], [0.6, 0, 0.8]
    beta = indirect_bias([w], [v, w, u], EAST)
    assert beta == pytest.approx(np.array([[(0.28 - 1) / 0.28, 0, 1]]))


def test_indirect_bias_needs_a_similarity_and_a_rest() -> None:
    assert np.isnan(indirect_bias([NORTH, EAST], [UP, EAST], EAST)).all()


clouds = st.integers(0, 2**32 - 1).map(lambda seed: np.random.default_rng(seed).normal(size=(3, 4, 5)))


@given(clouds)
def test_a_rotation_turns_directions_with_it_and_leaves_the_numbers(sets: Array) -> None:
    turn, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(5, 5)))
    W, A, B = sets
    for make in (direction_by_means, cultural_dimension, lambda a, b: bias_subspace([a, b]).directions[0]):
        g, turned = make(A, B), make(A @ turn, B @ turn)
        assert turned == pytest.approx(g @ turn)
        assert direct_bias(W @ turn, turned) == pytest.approx(direct_bias(W, g))
        assert indirect_bias(W @ turn, A @ turn, turned) == pytest.approx(indirect_bias(W, A, g), rel=1e-5)


@given(clouds)
def test_lengths_change_nothing(sets: Array) -> None:
    W, A, B = sets
    lengths = np.random.default_rng(3).uniform(0.1, 10, size=(4, 1))
    for make in (direction_by_means, cultural_dimension, lambda a, b: bias_subspace([a, b]).directions[0]):
        g = make(A, B)
        assert make(A * lengths, B * lengths) == pytest.approx(g)
        assert direct_bias(W * lengths, 3 * g) == pytest.approx(direct_bias(W, g))
        assert indirect_bias(W * lengths, A, 3 * g) == pytest.approx(indirect_bias(W, A, g))


@given(clouds)
def test_without_its_subspace_a_defining_set_has_no_spread(sets: Array) -> None:
    pairs = [sets[:, i, :][:2] for i in range(3)]
    found = bias_subspace(pairs, dimensions=3)
    assert found.directions @ found.directions.T == pytest.approx(np.eye(3), abs=1e-9)
    assert found.explained.sum() == pytest.approx(1)
    for pair in pairs:
        unit = pair / np.linalg.norm(pair, axis=1, keepdims=True)
        rest = unit - unit @ found.directions.T @ found.directions
        assert rest[0] == pytest.approx(rest[1], abs=1e-9)


REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: bias_subspace([]), "needs one defining set"),
    (lambda: bias_subspace([[EAST, NORTH], [UP]]), "defining set 2 has one word"),
    (lambda: bias_subspace([[EAST, NORTH]], dimensions=2), "2 dimensions were asked of defining sets that span 1"),
    (lambda: bias_subspace([[EAST, 2 * EAST]]), "that span 0"),
    (lambda: bias_subspace([[EAST, 0 * EAST]]), "row 1 of defining set 1 has norm zero"),
    (lambda: direction_by_means([EAST], [EAST]), "there is no direction to measure along"),
    (lambda: cultural_dimension([EAST, UP], [NORTH]), "2 first words do not match 1 second"),
    (lambda: cultural_dimension([EAST, UP], [NORTH, 2 * UP]), "both words of pair 1 have the same direction"),
    (lambda: cultural_dimension([EAST, NORTH], [NORTH, EAST]), "there is no direction"),
    (lambda: direct_bias([EAST], 0 * EAST), "row 0 of direction has norm zero"),
    (lambda: direct_bias([EAST], [1.0, 2.0]), "W has vectors of 3 numbers, direction of 2"),
    (lambda: direct_bias([EAST], UP, c=-1), "0 or more, not -1"),
    (lambda: direct_bias([EAST], UP, c=math.nan), "0 or more, not nan"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_has_no_answer_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
