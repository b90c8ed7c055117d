"""How a word is looked up, what a name of several words and a sentence become, and what is lost."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest

from tiltmeter.errors import InputError
from tiltmeter.lexicon.tests import Passage
from tiltmeter.models.static import StaticEmbedding

from .vector_files import alone

WORDS = {
    "he": [1, 0, 0],
    "amy": [0, 1, 0],
    "Paris": [0, 0, 1],
    "paris": [0, 0, 9],
    "New": [2, 0, 0],
    "york": [0, 4, 0],
    "New_York": [7, 7, 7],
    "Hong Kong": [5, 5, 5],
    "is": [0, 0, 2],
    "'s": [0, 2, 0],
    "café": [3, 3, 0],
    "zero": [0, 0, 0],
    "not-he": [-1, 0, 0],
    "Anne-Marie": [1, 1, 1],
}


def embedding(*, lookup: tuple[str, ...] = ("as is", "lower", "title"), multiword: str = "average") -> StaticEmbedding:
    return StaticEmbedding.from_arrays(list(WORDS), list(WORDS.values()), "tiny", lookup=lookup, multiword=multiword)


def about(word: str, sentence: str) -> Passage:
    start = sentence.index(word)
    return Passage(sentence, word, start, start + len(word))


@pytest.mark.parametrize(
    ("word", "how", "vector"),
    [
        ("he", "as is", [1, 0, 0]),
        ("Amy", "lower", [0, 1, 0]),
        ("AMY", "lower", [0, 1, 0]),
        ("Paris", "as is", [0, 0, 1]),
        ("PARIS", "lower", [0, 0, 9]),
        ("anne-marie", "title", [1, 1, 1]),
        (unicodedata.normalize("NFD", "café"), "as is", [3, 3, 0]),
        ("New York", "underscore", [7, 7, 7]),
        ("new york", "underscore, title", [7, 7, 7]),
        ("New_York", "as is", [7, 7, 7]),
        ("Hong_Kong", "space", [5, 5, 5]),
        ("Hong Kong", "as is", [5, 5, 5]),
        ("Amy York", "average", [0, 2.5, 0]),
    ],
)
def test_a_word_is_found_in_the_order_of_the_policy(word: str, how: str, vector: list[float]) -> None:
    model = embedding()
    embedded = model.embed(alone(word))
    np.testing.assert_array_equal(embedded.vectors, [vector])
    assert model.found_as(word) == how
    assert model.found == {how: 1}


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("Zoë", "not in the vocabulary"),
        ("Amy Zoë", "nor is its part 'Zoë'"),
        ("zero", "its vector is zero"),
        ("he not-he", "its vector is zero"),
        ("  ", "it is empty"),
        ("\ud800", "not in the vocabulary"),
    ],
)
def test_what_is_lost_says_why(word: str, reason: str) -> None:
    model = embedding()
    embedded = model.embed(alone("he", word, "is"))
    assert embedded.kept == (0, 2)
    ((position, why),) = embedded.lost
    assert position == 1
    assert reason in why
    assert model.found_as(word) is None
    assert model.found == {"as is": 2, "lost": 1}


def test_the_policy_can_be_narrowed() -> None:
    assert embedding(lookup=("as is",)).found_as("Amy") is None
    assert embedding(lookup=("lower", "as is")).found_as("Paris") == "lower"
    assert embedding(multiword="underscore").found_as("Amy York") is None
    assert embedding(multiword="underscore").found_as("New York") == "underscore"
    assert embedding(multiword="none").found_as("New York") is None
    assert embedding(multiword="none").found_as("Hong Kong") == "as is"
    assert embedding(lookup=("as is",), multiword="none").settings["lookup"] == ["as is"]
    with pytest.raises(InputError, match=r"'Lower'.*Did you mean 'lower'"):
        embedding(lookup=("Lower",))
    with pytest.raises(InputError, match="each once"):
        embedding(lookup=())
    with pytest.raises(InputError, match="'mean'"):
        embedding(multiword="mean")


def test_a_sentence_is_the_average_of_the_tokens_that_are_found() -> None:
    # "This" and "here" have no vectors: (amy + is) / 2. The full stop is no token.
    embedded = embedding().embed([about("Amy", "This is Amy."), about("Amy", "Is “Amy” here?")])
    np.testing.assert_array_equal(embedded.vectors, [[0, 0.5, 1], [0, 0.5, 1]])


def test_a_possessive_is_a_word_and_its_clitic() -> None:
    # (amy + 's + is) / 3
    embedded = embedding().embed([about("Amy", "Amy's is"), about("Amy", "Amy’s is")])
    np.testing.assert_allclose(embedded.vectors, [[0, 1, 2 / 3]] * 2, rtol=1e-6)


def test_an_article_that_elides_is_not_taken_for_the_word() -> None:
    rows = {"l'": [1, 0, 0, 0], "eau": [0, 1, 0, 0], "est": [0, 0, 1, 0], "c'": [0, 0, 0, 1], "dell'": [1, 1, 1, 1]}
    french = StaticEmbedding.from_arrays(list(rows), list(rows.values()), "fr")
    sentences = [about("eau", "L'eau est."), about("eau", "C’est l’eau."), about("eau", "Dell'eau.")]
    np.testing.assert_allclose(
        french.embed(sentences).vectors, [[1 / 3, 1 / 3, 1 / 3, 0], [1 / 4] * 4, [1 / 2, 1, 1 / 2, 1 / 2]], rtol=1e-6
    )
    ((_, reason),) = french.embed([about("or", "L'or est.")]).lost
    assert reason == "no token of 'or' is in the vocabulary"


def test_a_name_before_its_suffix_is_the_word() -> None:
    turkish = StaticEmbedding.from_arrays(["Ali", "burada"], [[1.0, 0.0], [0.0, 1.0]], "tr")
    np.testing.assert_allclose(turkish.embed([about("Ali", "Ali'nin evi burada.")]).vectors, [[0.5, 0.5]], rtol=1e-6)


def test_a_sentence_without_its_own_word_is_lost() -> None:
    embedded = embedding().embed([about("Zoë", "Zoë is he."), about("Zoë", "Zoë's is he.")])
    assert embedded.kept == ()
    assert embedded.vectors.shape == (0, 3)
    assert [reason for _, reason in embedded.lost] == ["no token of 'Zoë' is in the vocabulary"] * 2


def test_what_it_is_made_of_decides_the_fingerprint() -> None:
    one, same = embedding(), embedding()
    other = StaticEmbedding.from_arrays(["he"], [[1.0, 2.0]], "other")
    assert one.fingerprint == same.fingerprint != other.fingerprint


@pytest.mark.parametrize(
    ("words", "matrix"), [(["a"], [[1.0], [2.0]]), ([], np.empty((0, 2))), (["a"], [1.0]), (["a"], [[np.nan, 1]])]
)
def test_arrays_that_do_not_fit_are_refused(words: list[str], matrix: object) -> None:
    with pytest.raises(InputError, match=r"words for a matrix|not finite"):
        StaticEmbedding.from_arrays(words, np.asarray(matrix), "bad")


def test_turkish_letters_keep_their_dots() -> None:
    words = ["ibrahim", "ışıl", "İstanbul", "Iğdır"]
    turkish = StaticEmbedding.from_arrays(words, np.eye(4), "tr", lookup=("as is", "lower", "title"))
    given = ["İbrahim", "Işıl", "istanbul", "ığdır"]
    found = turkish.embed([Passage(word, word, 0, len(word)) for word in given])
    assert not found.lost
    np.testing.assert_array_equal(found.vectors, np.eye(4))
