"""SEAT's sentences, against the files that its authors published."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tiltmeter.errors import InputError
from tiltmeter.lexicon.catalogue import association_test, association_tests
from tiltmeter.lexicon.seat import seat_contexts, seat_test
from tiltmeter.lexicon.templates import word
from tiltmeter.lexicon.tests import AssociationTest, SentenceTest
from tiltmeter.lexicon.words import Kind, Word, WordSet

WORD_TESTS = [
    *(f"weat{number}" for number in range(1, 11)),
    *(f"weat{number}b" for number in (3, 5, 6, 7, 8)),
    "angry_black_woman_stereotype",
    "angry_black_woman_stereotype_b",
    "heilman_double_bind_competent_one_word",
    "heilman_double_bind_likable_one_word",
]
SIDES = {"targ1": "x", "targ2": "y", "attr1": "a", "attr2": "b"}

# In these sets the authors kept a random part of the sentences, so that X and Y have as many: those of the other
# set. (file, set): sentences by the rules, sentences kept.
SAMPLED = {
    ("weat2", "targ1"): (350, 330),  # instruments, beside 330 of weapons
    ("weat7", "targ2"): (82, 72),  # arts, beside 72 of mathematics
    ("weat7b", "targ2"): (82, 72),
    ("weat8", "targ2"): (76, 56),  # arts, beside 56 of science
    ("weat8b", "targ2"): (76, 56),
    ("weat9", "targ2"): (73, 18),  # physical disease, beside 18 of mental: no sentence with "sick" was drawn
}

# A slip of the files: (file, set) -> what stands there, and what is right. The plural of "knife" is "knives".
SLIPS = {("weat2", "targ2"): ("knifes", "knives")}


def sentences(test: SentenceTest, side: str) -> Counter[str]:
    return Counter(passage.text for passage in getattr(test, side))


def published(shared: Path, name: str, key: str) -> Counter[str]:
    file = json.loads((shared / "data/sent-bias-tests" / f"sent-{name}.jsonl").read_text("utf-8"))
    return Counter(file[key]["examples"])


def test_every_published_file_is_compared(shared: Path) -> None:
    files = (shared / "data/sent-bias-tests").glob("sent-*.jsonl")
    assert sorted(file.stem.removeprefix("sent-") for file in files) == sorted(WORD_TESTS)


def test_every_bundled_test_of_words_is_compared() -> None:
    tests = association_tests("en").values()
    assert sorted(test.name for test in tests if not test.has_sentences) == sorted(WORD_TESTS)


@pytest.mark.parametrize("key", SIDES)
@pytest.mark.parametrize("name", WORD_TESTS)
def test_sentences_are_the_published_ones(name: str, key: str, shared: Path) -> None:
    ours = sentences(seat_test(association_test(name, "en")), SIDES[key])
    theirs = published(shared, name, key)
    if (name, key) in SLIPS:
        wrong, right = SLIPS[name, key]
        slips = {text: count for text, count in theirs.items() if wrong in text.lower()}
        assert len(slips) == 6  # each plural context
        put_right = ((text.replace(wrong, right).replace(wrong.title(), right.title()), n) for text, n in slips.items())
        theirs = theirs - Counter(slips) + Counter(dict(put_right))
    if (name, key) in SAMPLED:
        assert (ours.total(), theirs.total()) == SAMPLED[name, key]
        assert theirs < ours
        other = "targ2" if key == "targ1" else "targ1"
        assert theirs.total() == published(shared, name, other).total()
    else:
        assert ours == theirs


def test_the_slip_still_stands_in_the_published_file(shared: Path) -> None:
    assert "Knifes are things." in published(shared, "weat2", "targ2")
    assert "Knives are things." in sentences(seat_test(association_test("weat2", "en")), "y")


def test_no_sentence_with_sick_was_drawn(shared: Path) -> None:
    assert not [text for text in published(shared, "weat9", "targ2") if "sick" in text]
    ours = sentences(seat_test(association_test("weat9", "en")), "y")
    assert [text for text in ours if "sick" in text] == ["This is sick.", "That is sick.", "They are sick."]


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        (Kind.THING, 14),
        (Kind.PERSON, 13),
        (Kind.NAME, 8),
        (Kind.MASS, 4),
        (Kind.ADJECTIVE, 3),
        (Kind.VERB, 8),
        (Kind.SUBJECT, 5),
        (Kind.OBJECT, 3),
        (Kind.POSSESSIVE, 7),
        (Kind.PLURAL, 5),
    ],
)
def test_each_kind_has_so_many_contexts(kind: Kind, count: int) -> None:
    assert len(seat_contexts("en").sentences(word("zeal", kind))) == count


def test_the_example_of_the_supplement() -> None:
    # Supplement B.1.1, where the sixth sentence of "caress" is misprinted as "Alonzo is there.", and the thirteenth
    # as "The caress are there."
    contexts = seat_contexts("en")
    assert [passage.text for passage in contexts.sentences(word("abuse", Kind.THING))] == [
        "This is an abuse.",
        "That is an abuse.",
        "There is an abuse.",
        "Here is an abuse.",
        "The abuse is here.",
        "The abuse is there.",
        "An abuse is a thing.",
        "It is an abuse.",
        "These are abuses.",
        "Those are abuses.",
        "They are abuses.",
        "The abuses are here.",
        "The abuses are there.",
        "Abuses are things.",
    ]


def test_each_sentence_knows_where_its_word_stands() -> None:
    contexts = seat_contexts("en")
    his = [(p.text, p.start, p.form) for p in contexts.sentences(word("his", Kind.POSSESSIVE))]
    assert his[0] == ("This is his.", 8, "his")
    assert his[-1] == ("His is here.", 0, "His")
    things = {p.text: (p.word, p.start, p.form) for p in contexts.sentences(word("thing", Kind.THING))}
    assert things["A thing is a thing."] == ("thing", 2, "thing")
    assert things["Things are things."] == ("thing", 0, "Things")


@pytest.mark.parametrize("name", WORD_TESTS)
def test_the_place_of_a_word_holds_a_form_of_the_word(name: str) -> None:
    test = association_test(name, "en")
    made = seat_test(test)
    for side in SIDES.values():
        entries = {entry.text: entry for entry in getattr(test, side).words}
        passages = getattr(made, side)
        assert list(dict.fromkeys(passage.word for passage in passages)) == list(entries)
        for passage in passages:
            entry = entries[passage.word]
            forms = {entry.text, entry.singular, entry.plural, f"{entry.text}s", f"{entry.text}es"}
            forms.add(f"{entry.text[:-1]}ies" if entry.text.endswith("y") else None)
            assert passage.form.lower() in {form.lower() for form in forms if form}


def test_an_entry_in_the_plural_gets_the_sentences_of_its_singular_too() -> None:
    children = Word("children", frozenset({Kind.PERSON}), singular="child")
    passages = seat_contexts("en").sentences(children)
    assert [
        (p.text, p.word, p.form) for p in passages if p.text in ("A child is a person.", "Children are people.")
    ] == [
        ("A child is a person.", "children", "child"),
        ("Children are people.", "children", "Children"),
    ]
    assert len(passages) == 13


def test_a_sentence_that_two_kinds_share_stands_once() -> None:
    evil = Word("evil", frozenset({Kind.ADJECTIVE, Kind.MASS}))
    texts = [passage.text for passage in seat_contexts("en").sentences(evil)]
    assert texts == ["This is evil.", "That is evil.", "There is evil.", "It is evil.", "They are evil."]


def test_a_test_that_has_its_own_sentences_is_refused() -> None:
    with pytest.raises(InputError, match="made of sentences already"):
        seat_test(association_test("heilman_double_bind_likable_1", "en"))


def own_test(language: str, *entries: Word) -> AssociationTest:
    mine = WordSet(name="mine", language=language, words=entries, title="Mine", source="a test")
    return AssociationTest("mine", language, "Mine", mine, mine, mine, mine, "a test")


def test_a_kind_without_contexts_is_refused() -> None:
    with pytest.raises(InputError, match=r"set mine: the word 'France' is of kind place.*Kinds that have them: thing"):
        seat_test(own_test("en", word("France", Kind.PLACE)))


@pytest.mark.parametrize("language", ["tlh", "../en", "", "."])
def test_a_language_without_contexts_is_refused(language: str) -> None:
    with pytest.raises(InputError, match=r"no SEAT contexts for language .*Languages that have them: .*en"):
        seat_test(own_test(language, word("tree", Kind.THING)))
