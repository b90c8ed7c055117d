"""What must hold after each method, whatever the vectors."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import check_grad

from tiltmeter.debias.fit import METHODS, TAKES, fit
from tiltmeter.debias.hard import equalised
from tiltmeter.debias.leaning import leaning
from tiltmeter.debias.remains import Group, recovered
from tiltmeter.debias.run import check_method
from tiltmeter.debias.soft import minimiser, objective
from tiltmeter.debias.subspace import HOWS, defined, directions
from tiltmeter.debias.vocabulary import ArrayVocabulary, unit_rows
from tiltmeter.errors import InputError, ModelError
from tiltmeter.lexicon.debias import Bias

from .made import DIMENSION, GENDER, RAGGED, embedding

Array = NDArray[np.float64]


@pytest.mark.parametrize("how", HOWS)
def test_after_hard_debiasing_neutral_words_are_orthogonal_and_pairs_equidistant(how: str) -> None:
    words, matrix = embedding()
    fitted = fit(ArrayVocabulary(words, matrix), GENDER, "hard", subspace=how)
    made = dict(zip(words, fitted.transform(words, matrix), strict=True))
    neutral = np.stack([row for word, row in made.items() if word not in GENDER.own_words]).astype(np.float64)
    assert np.abs(neutral @ fitted.directions.T).max() < 1e-6
    assert np.linalg.norm(neutral, axis=1) == pytest.approx(1.0, abs=1e-6)
    pairs = [[made[word].astype(np.float64) for word in pair] for pair in GENDER.equalise if set(pair) <= made.keys()]
    assert len(pairs) == 12
    for one, other in pairs:
        assert abs(one @ fitted.directions[0]) == pytest.approx(abs(other @ fitted.directions[0]), abs=1e-6)
        assert np.abs(neutral @ one - neutral @ other).max() < 1e-6
        assert np.linalg.norm(one - other) > 0.1


def test_sets_of_three_and_ragged_definitions() -> None:
    words, matrix = embedding()
    fitted = fit(ArrayVocabulary(words, matrix), RAGGED, "hard")
    assert fitted.directions.shape == (2, DIMENSION)
    assert [one.word for one in fitted.lost if one.where == "definitions"] == ["absent"]
    made = dict(zip(words, fitted.transform(words, matrix).astype(np.float64), strict=True))
    three = np.stack([made[f"w{number}"] for number in range(3)])
    within = three @ fitted.directions.T
    assert np.ptp(np.linalg.norm(within, axis=1)) < 1e-6
    rest = three - within @ fitted.directions
    assert np.abs(rest - rest[0]).max() < 1e-6
    assert np.linalg.norm(three, axis=1) == pytest.approx(1.0, abs=1e-6)
    assert np.abs(made["xaaaa"] @ fitted.directions.T).max() < 1e-6


@pytest.mark.parametrize("method", METHODS)
def test_the_order_of_the_rows_does_not_matter(method: str) -> None:
    words, matrix = embedding()
    order = np.random.default_rng(1).permutation(len(words))
    first = fit(ArrayVocabulary(words, matrix), GENDER, method).transform(words, matrix)
    turned = [words[row] for row in order]
    second = fit(ArrayVocabulary(turned, matrix[order]), GENDER, method).transform(turned, matrix[order])
    assert second == pytest.approx(first[order], abs=2e-4)


@pytest.mark.parametrize("method", METHODS)
def test_the_original_is_not_changed(method: str) -> None:
    words, matrix = embedding()
    before = matrix.copy()
    fit(ArrayVocabulary(words, matrix), GENDER, method).transform(words, matrix)
    assert np.array_equal(matrix, before)


@pytest.mark.parametrize("method", METHODS)
def test_zeros_and_words_that_are_all_bias_give_no_nan(method: str) -> None:
    words, matrix = embedding()
    vocabulary = ArrayVocabulary(words, matrix)
    along = 5 * directions(defined(vocabulary, GENDER))[0]
    more = np.concatenate([matrix, np.zeros((1, DIMENSION)), along[None]]).astype(np.float32)
    names = [*words, "nothing", "nothingbut"]
    made = fit(ArrayVocabulary(names, more), GENDER, method).transform(names, more)
    assert np.isfinite(made).all()
    if method == "hard":
        assert not made[-1].any()


@settings(max_examples=20, deadline=None)
@given(st.integers(-120, 120))
def test_lengths_do_not_matter(power: int) -> None:
    words, matrix = embedding()
    scaled = matrix.astype(np.float64) * 10.0**power
    made = fit(ArrayVocabulary(words, scaled), GENDER, "hard").transform(words, scaled)
    assert made == pytest.approx(fit(ArrayVocabulary(words, matrix), GENDER, "hard").transform(words, matrix), abs=1e-5)


@st.composite
def spaces(draw: st.DrawFn) -> tuple[list[str], Array, Bias]:
    """Any vectors of any lengths, and a bias of two to four classes with definitions that lack some of them."""
    classes, sets = draw(st.integers(2, 4)), draw(st.integers(2, 5))
    dimension = classes + draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = [[f"d{one}c{other}" for other in range(classes)] for one in range(sets)]
    for row in rows[1:]:  # the first is whole
        for place in draw(st.sets(st.integers(0, classes - 1), max_size=classes - 2)):
            row[place] = ""
    definitions = tuple(map(tuple, rows))
    names = [word for row in definitions for word in row if word] + [f"n{number}" for number in range(20)]
    matrix = rng.normal(size=(len(names), dimension)) * rng.lognormal(0, draw(st.floats(0, 5)), size=(len(names), 1))
    made = dataclasses.replace(
        RAGGED,
        classes=tuple(map(str, range(classes))),
        definitions=definitions,
        equalise=definitions[: draw(st.integers(0, sets))],
    )
    return names, matrix, made


@settings(max_examples=60, deadline=None)
@given(spaces())
def test_hard_debiasing_holds_what_it_promises_of_any_space(space: tuple[list[str], Array, Bias]) -> None:
    words, matrix, given_bias = space
    vocabulary = ArrayVocabulary(words, matrix)
    assume(_spans(vocabulary, given_bias))
    fitted = fit(vocabulary, given_bias, "hard")
    made = dict(zip(words, fitted.transform(words, matrix).astype(np.float64), strict=True))
    V = fitted.directions
    assert np.abs(V @ V.T - np.eye(len(V))).max() < 1e-9
    neutral = np.stack([made[word] for word in words if word.startswith("n")])
    assert np.abs(neutral @ V.T).max() < 1e-6
    assert np.isfinite(np.stack(list(made.values()))).all()
    lost = {one.word for one in fitted.lost}
    for row in given_bias.equalise:
        rows = np.stack([made[word] for word in row if word])
        if not lost & set(row):
            assert np.ptp(np.linalg.norm(rows @ V.T, axis=1)) < 1e-6
            assert np.ptp(neutral @ rows.T, axis=1).max() < 1e-6


@pytest.mark.parametrize("method", ["hard", "soft", "projection"])
@settings(max_examples=25, deadline=None)
@given(space=spaces(), seed=st.integers(0, 1000))
def test_it_does_not_matter_how_the_space_is_turned(
    method: str, space: tuple[list[str], Array, Bias], seed: int
) -> None:
    words, matrix, given_bias = space
    matrix = unit_rows(matrix)
    assume(_spans(ArrayVocabulary(words, matrix), given_bias))
    turn = np.linalg.qr(np.random.default_rng(seed).normal(size=(matrix.shape[1],) * 2))[0]
    plain, turned = (
        fit(ArrayVocabulary(words, rows), given_bias, method).transform(words, rows) for rows in (matrix, matrix @ turn)
    )
    assert turned == pytest.approx(plain @ turn, abs=1e-3)


def _spans(vocabulary: ArrayVocabulary, bias: Bias) -> bool:
    """Whether the definitions have the directions that are asked for, and which these are is no toss-up."""
    sets = [unit_rows(rows) for rows in defined(vocabulary, bias).sets]
    spread = np.concatenate([(rows - rows.mean(axis=0)) / np.sqrt(len(rows)) for rows in sets])
    sizes = np.append(np.linalg.svd(spread, compute_uv=False), 0.0)
    k = len(bias.classes) - 1
    return bool(len(sizes) > k and sizes[k - 1] > 1.02 * sizes[k] and sizes[k - 1] > 1e-3)


@pytest.mark.parametrize("method", METHODS)
def test_what_is_not_finite_is_refused_by_name(method: str) -> None:
    words, matrix = embedding()
    fitted = fit(ArrayVocabulary(words, matrix), GENDER, method)
    matrix[words.index("xaaab"), 3] = np.inf
    with pytest.raises(InputError, match="'xaaab' holds a number that is not finite"):
        fitted.transform(words, matrix)


def test_a_set_that_does_not_differ_within_the_subspace_is_left_alone() -> None:
    assert equalised(np.array([[1.0, 0, 0], [0, 1.0, 0]]), np.array([[0, 0, 1.0]])) is None


def _moments(seed: int, d: int, k: int) -> tuple[Array, Array, Array, Array, Array]:
    rng = np.random.default_rng(seed)
    W = unit_rows(rng.normal(size=(5 * d, d)) * np.linspace(0.1, 2.0, d))
    N = W[2 * d :]
    B = np.linalg.qr(rng.normal(size=(d, k)))[0].T
    return W, N, B, W.T @ W / len(W), N.T @ N / len(N)


@pytest.mark.parametrize(("strength", "k"), [(0.2, 1), (0.2, 2), (20.0, 1)])
def test_soft_debiasing_is_at_a_minimum_of_its_objective(strength: float, k: int) -> None:
    W, N, B, C, D = _moments(3, 7, k)

    def stated(flat: Array) -> float:
        T = flat.reshape(7, 7)
        kept = np.sum((W @ T.T @ T @ W.T - W @ W.T) ** 2) / len(W) ** 2
        return float(kept + strength * np.sum((N @ T.T @ (T @ B.T)) ** 2) / len(N))

    rng = np.random.default_rng(0)
    anywhere = rng.normal(size=(7, 7))
    assert objective(anywhere, C, D, B, strength)[0] == pytest.approx(stated(anywhere.ravel()))
    slope = objective(anywhere, C, D, B, strength)[1].ravel()
    assert check_grad(stated, _always(slope), anywhere.ravel()) < 1e-5 * np.linalg.norm(slope)
    T = minimiser(C, D, B, strength)
    at_identity = objective(np.eye(7), C, D, B, strength)[1]
    assert np.linalg.norm(objective(T, C, D, B, strength)[1]) < 1e-6 * np.linalg.norm(at_identity)
    for _ in range(20):
        assert stated(T.ravel()) <= stated((T + 0.01 * rng.normal(size=(7, 7))).ravel())


def _always(slope: Array) -> Callable[[Array], Array]:
    return lambda _: slope


def test_without_weight_soft_debiasing_changes_nothing() -> None:
    *_, B, C, D = _moments(0, 6, 1)
    assert minimiser(C, D, B, 0.0) == pytest.approx(np.eye(6), abs=1e-9)


def test_more_weight_leaves_less_bias() -> None:
    words, matrix = embedding()
    vocabulary = ArrayVocabulary(words, matrix)
    direction = directions(defined(vocabulary, GENDER))[0]
    left = [
        float(np.mean(np.abs(fit(vocabulary, GENDER, "soft", strength=weight).transform(words, matrix) @ direction)))
        for weight in (0.0, 0.02, 0.2, 2.0)
    ]
    assert left == sorted(left, reverse=True)
    assert left[-1] < left[0] / 3


def test_a_linear_projection_keeps_all_that_is_not_bias() -> None:
    words, matrix = embedding()
    fitted = fit(ArrayVocabulary(words, matrix), GENDER, "projection")
    made = fitted.transform(words, matrix).astype(np.float64)
    V = fitted.directions
    assert np.abs(made @ V.T).max() < 1e-5
    assert made == pytest.approx(matrix - (matrix @ V.T) @ V, abs=1e-4)


def test_hard_debiasing_leaves_what_inlp_takes() -> None:
    words, matrix = embedding()
    vocabulary = ArrayVocabulary(words, matrix)
    known = defined(vocabulary, GENDER)
    leaned = leaning(vocabulary, known, directions(known), 100)
    group = Group("leaning", leaned.words, leaned.labels, GENDER.classes)
    rows = [words.index(word) for word in leaned.words]
    made = {
        method: unit_rows(fit(vocabulary, GENDER, method).transform(words, matrix)[rows]) for method in ("hard", "inlp")
    }
    found = {row.model: row for row in recovered(made, group) if row.metric == "recovered"}
    assert found["hard"].value > 90
    assert found["hard"].low > 80
    assert found["inlp"].value < 65
    assert found["inlp"].details["chance"] == 50


def test_words_without_a_class_are_told_apart_no_better_than_by_chance() -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 100)
    group = Group("noise", tuple(map(str, range(200))), labels, ("one", "two"))
    row, curved, clustered = recovered({"noise": rng.normal(size=(200, 50))}, group)
    assert row.low < 50 < row.high
    assert curved.low < 50 < curved.high
    assert clustered.value < 60


def test_rows_that_mirror_one_another_do_not_give_each_other_away() -> None:
    noise = np.random.default_rng(1).normal(size=(100, 50))
    labels = np.tile([0, 1], 100)
    rows = np.stack([noise, -noise], axis=1).reshape(200, 50)  # each pair about its own mean, as states of a sentence
    group = Group("noise", tuple(map(str, range(200))), labels, ("one", "two"), np.repeat(np.arange(100), 2))
    row, curved, _ = recovered({"noise": rows}, group)
    assert row.low < 50 < row.high
    assert curved.low < 50 < curved.high


OPTIONS: dict[str, Any] = {
    "subspace": "means",
    "dimensions": 2,
    "strength": 5.0,
    "sums": True,
    "rounds": 1,
    "keep": ("xaaaa",),
}


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("method", METHODS)
def test_an_option_changes_what_a_method_does_or_is_refused(method: str, option: str) -> None:
    words, matrix = embedding()
    vocabulary, given = ArrayVocabulary(words, matrix), {option: OPTIONS[option]}
    if option in TAKES[method]:
        made, plain = (fit(vocabulary, GENDER, method, **some).transform(words, matrix) for some in (given, {}))
        assert not np.array_equal(made, plain)
    else:
        with pytest.raises(InputError, match=f"{method} debiasing takes no '{option}'; .* (does|do)"):
            fit(vocabulary, GENDER, method, **given)
        with pytest.raises(InputError, match="It takes: "):
            check_method(method, None, [option])


def test_a_model_is_projected_and_takes_no_option_of_a_file() -> None:
    assert check_method(None, None) == "hard"
    assert check_method(None, "blank", ["dimensions"]) == check_method("projection", "sentence") == "projection"
    with pytest.raises(ModelError, match="takes no 'strength'"):
        check_method(None, "blank", ["strength"])
    with pytest.raises(ModelError, match="changes a vocabulary of vectors"):
        check_method("hard", "sentence")
