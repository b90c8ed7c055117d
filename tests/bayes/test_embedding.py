"""Distances of the words of a test in a model."""

from __future__ import annotations

import numpy as np
import pytest

from tiltmeter.bayes.data import CONNECTIONS, Distances
from tiltmeter.bayes.embedding import distances_in
from tiltmeter.errors import InputError
from tiltmeter.lexicon.catalogue import association_test, multiclass_test, word_set
from tiltmeter.lexicon.tests import MulticlassTest
from tiltmeter.models.static import StaticEmbedding


def embedding(*words: str, without: tuple[str, ...] = (), dimension: int = 20) -> StaticEmbedding:
    kept = [word for word in dict.fromkeys(words) if word not in without]
    return StaticEmbedding.from_arrays(kept, np.random.default_rng(0).normal(size=(len(kept), dimension)), "random")


def religion() -> MulticlassTest:
    return multiclass_test("religion")


def words_of(test: MulticlassTest) -> list[str]:
    controls = [*word_set("human").texts, *word_set("neutral").texts]
    stereotypes = [word for words in test.stereotypes.values() for word in words]
    return [*(word for definition in test.definitions for word in definition), *stereotypes, *controls]


def connections(data: Distances) -> dict[tuple[str, str], str]:
    return {
        (data.words[word], attribute): CONNECTIONS[code]
        for word, attribute, code in zip(data.word, data.attributes, data.connection, strict=True)
    }


def test_a_multiclass_test_has_the_counts_of_the_paper() -> None:
    """15 protected words, 11 attributes: 55 associated pairs and 110 different ones, as in the published file."""
    data = distances_in(embedding(*words_of(religion())), "religion")
    assert data.counts() == {"protected": 15, "associated": 55, "different": 110, "human": 1275, "neutral": 3390}
    found = connections(data)
    assert found["muslim", "violent"] == "associated"
    assert found["jew", "violent"] == "different"
    assert found["torah", "walk"] == "human"
    assert found["torah", "ballpark"] == "neutral"


def test_a_distance_is_one_less_the_cosine() -> None:
    model = StaticEmbedding.from_arrays(["a", "b", "up", "right"], [[1, 0], [1, 1], [0, 2], [3, 0]], "plane")
    test = MulticlassTest("t", "en", "", ("one", "two"), (("a", "b"),), {"one": ("up",), "two": ("right",)}, "")
    data = distances_in(model, test, controls={})
    found = dict(zip(zip(data.word.tolist(), data.attributes, strict=True), data.distance, strict=True))
    assert found == pytest.approx({(0, "up"): 1, (0, "right"): 0, (1, "right"): 1 - 0.5**0.5, (1, "up"): 1 - 0.5**0.5})


def test_in_an_association_test_x_goes_with_a_and_y_with_b() -> None:
    weat = association_test("weat7")
    words = [word for side in (weat.x, weat.y, weat.a, weat.b) for word in side.texts]
    found = connections(distances_in(embedding(*words), weat, controls={}))
    x, y, a, b = (side.texts[0] for side in (weat.x, weat.y, weat.a, weat.b))
    expected = {(x, a): "associated", (x, b): "different", (y, b): "associated", (y, a): "different"}
    assert {pair: found[pair] for pair in expected} == expected


def test_lost_words_are_named_with_their_side() -> None:
    data = distances_in(embedding(*words_of(religion()), without=("imam", "violent", "walk")), "religion")
    assert {(lost.word, lost.where) for lost in data.lost} == {
        ("imam", "muslim"),
        ("violent", "muslim stereotypes"),
        ("walk", "human"),
    }
    assert "imam" not in data.words


def test_a_control_word_that_the_test_speaks_of_is_no_control() -> None:
    model = embedding("a", "b", "up", "right", "walk", "chair")
    test = MulticlassTest("t", "en", "", ("one", "two"), (("a", "b"),), {"one": ("walk",), "two": ("right",)}, "")
    data = distances_in(model, test)
    assert ("a", "walk") in connections(data)
    assert connections(data)["a", "walk"] == "associated"
    assert [lost.reason for lost in data.lost if lost.word == "walk"] == ["it is an attribute of this test"]


def test_a_word_is_not_compared_with_itself_and_a_shared_stereotype_is_not_different() -> None:
    model = embedding("a", "b", "shared", "own")
    stereotypes: dict[str, tuple[str, ...]] = {"one": ("shared", "a"), "two": ("shared", "own")}
    test = MulticlassTest("t", "en", "", ("one", "two"), (("a", "b"),), stereotypes, "")
    assert connections(distances_in(model, test, controls={})) == {
        ("a", "shared"): "associated",
        ("a", "own"): "different",
        ("b", "shared"): "associated",
        ("b", "own"): "associated",
        ("b", "a"): "different",
    }


def test_an_unknown_test_gets_a_hint() -> None:
    with pytest.raises(InputError, match="Did you mean 'religion'"):
        distances_in(embedding("a"), "relligion")
