"""The bundled association tests are the published ones, word for word."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tiltmeter.errors import InputError
from tiltmeter.lexicon.catalogue import association_test, association_tests
from tiltmeter.lexicon.templates import Template
from tiltmeter.lexicon.tests import AssociationTest
from tiltmeter.lexicon.words import Gender, Kind, Word, WordSet

TESTS = [
    *(f"weat{number}" for number in range(1, 11)),
    *(f"weat{number}b" for number in (3, 5, 6, 7, 8)),
    "angry_black_woman_stereotype",
    "angry_black_woman_stereotype_b",
    "heilman_double_bind_competent_one_word",
    "heilman_double_bind_likable_one_word",
]
TESTS_OF_SENTENCES = [
    f"heilman_double_bind_{trait}_{part}"
    for trait in ("competent", "likable")
    for part in ("one_sentence", "1", "1+3-", "1-")
]
SIDES = {"targ1": "x", "targ2": "y", "attr1": "a", "attr2": "b"}


def published(shared: Path, name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((shared / "data/sent-bias-tests" / f"{name}.jsonl").read_text("utf-8"))
    return loaded


def test_every_published_test_is_bundled_and_no_other() -> None:
    assert sorted(association_tests("en")) == sorted(TESTS + TESTS_OF_SENTENCES)


@pytest.mark.parametrize("name", TESTS)
def test_words_are_those_of_the_reference_lists(name: str, shared: Path) -> None:
    reference = json.loads((shared / "reference/association-tests.json").read_text("utf-8"))[name]
    test = association_test(name, "en")
    for key, side in SIDES.items():
        words = getattr(test, side)
        assert list(words.texts) == reference[key]["words"]
        # Two tests share the names under two titles.
        assert words.title in (reference[key]["category"], f"{reference[key]['category']}Names")


def test_no_reference_list_is_left_out(shared: Path) -> None:
    assert sorted(json.loads((shared / "reference/association-tests.json").read_text("utf-8"))) == sorted(TESTS)


@pytest.mark.parametrize("name", TESTS + TESTS_OF_SENTENCES)
def test_a_model_is_given_the_published_texts_in_the_published_order(name: str, shared: Path) -> None:
    file = published(shared, name)
    assert [list(texts) for texts in association_test(name, "en").texts()] == [file[key]["examples"] for key in SIDES]


def test_the_words_of_a_sentence_test_are_found_in_their_sentences() -> None:
    test = association_test("heilman_double_bind_likable_1-", "en").passages()
    assert {passage.form for passage in test.x} == {"John", "Paul", "Mike", "Kevin", "Steve", "Greg", "Jeff", "Bill"}
    assert [(passage.text, passage.start, passage.form) for passage in test.a[:1]] == [
        ("The assistant vice president is agreeable.", 32, "agreeable")
    ]


@pytest.mark.parametrize("name", TESTS + TESTS_OF_SENTENCES)
def test_no_word_stands_on_both_sides(name: str) -> None:
    test = association_test(name, "en")
    assert not set(test.x.texts) & set(test.y.texts)
    assert not set(test.a.texts) & set(test.b.texts)


def test_every_first_name_has_one_gender() -> None:
    names = {
        word.text: word.gender
        for test in association_tests("en").values()
        for words in (test.x, test.y, test.a, test.b)
        for word in words.words
        if Kind.NAME in word.kinds
    }
    assert set(names.values()) == {Gender.FEMALE, Gender.MALE}
    assert (names["Ebony"], names["Jamel"], names["Meredith"], names["Edgar"]) == (
        Gender.FEMALE,
        Gender.MALE,
        Gender.FEMALE,
        Gender.MALE,
    )


def words(*texts: str, kind: Kind = Kind.NAME, gender: Gender | None = None) -> WordSet:
    entries = tuple(Word(text, frozenset({kind}), gender=gender) for text in texts)
    return WordSet(name="mine", language="en", words=entries, title="Mine", source="a test")


def own_test(x: WordSet, template: str) -> AssociationTest:
    y, a, b = words("Amy", gender=Gender.FEMALE), words("good"), words("bad")
    return AssociationTest("mine", "en", "Mine", x, y, a, b, "a test", target_template=Template(template))


def test_a_pronoun_agrees_with_its_name_and_starts_its_sentence_with_a_capital() -> None:
    test = own_test(words("Max", gender=Gender.MALE), "{word} left.  {possessive} cat said {subject} did.")
    assert test.texts()[:2] == (
        ("Max left.  His cat said he did.",),
        ("Amy left.  Her cat said she did.",),
    )


def test_a_template_that_starts_in_lower_case_makes_a_sentence_all_the_same() -> None:
    assert own_test(words("Max"), "so says {word}.").texts()[0] == ("So says Max.",)


@pytest.mark.parametrize("gender", [None, Gender.BOTH])
def test_a_name_without_one_gender_is_refused_where_a_pronoun_is_needed(gender: Gender | None) -> None:
    test = own_test(words("Robin", gender=gender), "{word} says {subject} is here.")
    with pytest.raises(InputError, match=r"'Robin' is of no one gender\. Add gender"):
        test.texts()


def test_an_unknown_slot_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"slot \{object\}\. In language 'en' a test may use: word, possessive, subject"
    ):
        own_test(words("Max", gender=Gender.MALE), "{word} saw {object}.").texts()


def test_a_word_that_does_not_fit_its_slot_is_refused() -> None:
    with pytest.raises(InputError, match=r"'Max' \(name\) does not fit the template '\{word:a\} is here\.'"):
        own_test(words("Max", gender=Gender.MALE), "{word:a} is here.").texts()
