"""Every language against the list of what each must have."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from importlib import resources

import pytest

from tiltmeter.lexicon import catalogue
from tiltmeter.lexicon.grammar import grammar_of
from tiltmeter.lexicon.pairs import pair_set
from tiltmeter.lexicon.seat import seat_contexts, seat_test
from tiltmeter.lexicon.words import Gender, Kind, Role

from .required import LANGUAGES, MULTICLASS, PAIRS, SENSITIVE, SETS, TEMPLATES, TESTS

each_language = pytest.mark.parametrize("lang", LANGUAGES)


def test_these_are_all_languages() -> None:
    assert set(catalogue.languages()) == {"en", *LANGUAGES}


@each_language
def test_has_every_test_between_the_same_sets(lang: str) -> None:
    tests = catalogue.association_tests(lang)
    assert {name: (t.x.name, t.y.name, t.a.name, t.b.name) for name, t in tests.items() if name in TESTS} == TESTS
    assert set(MULTICLASS) <= set(catalogue.multiclass_tests(lang))


@each_language
def test_has_every_set_at_its_size(lang: str) -> None:
    sizes = {name: len(words) for name, words in catalogue.word_sets(lang).items()}
    assert {name: sizes.get(name, 0) for name, least in SETS.items() if sizes.get(name, 0) < least} == {}


@each_language
def test_has_every_template_set_with_two_sentences_or_more(lang: str) -> None:
    sentences = {name: len(templates.sentences) for name, templates in catalogue.template_sets(lang).items()}
    assert [name for name in TEMPLATES if sentences.get(name, 0) < 2] == []


@each_language
def test_a_template_set_links_the_sets_that_it_is_named_after(lang: str) -> None:
    for name, templates in catalogue.template_sets(lang).items():
        assert name == f"{templates.target}-{templates.feature}"


@each_language
@pytest.mark.parametrize("name", TESTS)
def test_the_two_sides_of_a_test_are_of_one_size(lang: str, name: str) -> None:
    test = catalogue.association_test(name, lang)
    assert len(test.x) == len(test.y)
    assert len(test.a) == len(test.b)


@each_language
def test_the_names_of_a_test_of_origin_or_age_are_as_often_of_women_as_of_men(lang: str) -> None:
    for name in ("majority-names", "minority-names", "young-peoples-names", "old-peoples-names"):
        genders = Counter(word.gender for word in catalogue.word_set(name, lang).words)
        assert genders[Gender.FEMALE] == genders[Gender.MALE] == genders.total() / 2, name


@each_language
def test_the_bridge_is_balanced_by_gender(lang: str) -> None:
    bridge = catalogue.word_set("name", lang)
    genders = Counter(word.gender for word in bridge.words)
    assert bridge.role is Role.BRIDGE
    assert all(word.kinds == {Kind.NAME} for word in bridge.words)
    assert genders[Gender.FEMALE] == genders[Gender.MALE]
    assert None not in genders


@each_language
def test_the_bridge_has_names_of_the_minority_of_the_test_of_origin(lang: str) -> None:
    """A bridge of names of one origin could not tell whether a link rests upon origin."""
    bridge, minority = (catalogue.word_set(name, lang).texts for name in ("name", "minority-names"))
    assert len(set(bridge) & set(minority)) >= 4


@pytest.mark.parametrize("lang", ["en", *LANGUAGES])
def test_the_sets_have_their_roles(lang: str) -> None:
    people = [name for name in SETS if re.search(r"-(?:names|terms)\b", name)]
    roles = {
        **dict.fromkeys(SETS, Role.CONCEPT),
        **dict.fromkeys((*SENSITIVE, *people), Role.SENSITIVE),
        **dict.fromkeys(("neutral", "human"), Role.CONTROL),
        "name": Role.BRIDGE,
    }
    sets = catalogue.word_sets(lang)
    assert {name: sets[name].role for name in SETS if name in sets} == {n: r for n, r in roles.items() if n in sets}


@each_language
def test_words_of_gender_are_of_one_gender_each_and_of_both_in_equal_number(lang: str) -> None:
    genders = Counter(word.gender for word in catalogue.word_set("gender", lang).words)
    assert genders[Gender.FEMALE] == genders[Gender.MALE] == genders.total() / 2


@each_language
def test_no_form_of_a_word_for_women_is_one_of_a_word_for_men(lang: str) -> None:
    """signore is both: one gentleman, and several ladies."""
    grammar, forms = grammar_of(lang), ("noun", "plural")
    of: dict[Gender | None, set[str]] = {Gender.FEMALE: set(), Gender.MALE: set()}
    for word in catalogue.word_set("gender", lang).words:
        of[word.gender] |= {form.text for form in (grammar.inflect(word, asked) for asked in forms) if form is not None}
    assert of[Gender.FEMALE] & of[Gender.MALE] == set()


@each_language
def test_control_words_stand_in_no_test(lang: str) -> None:
    tested = {
        word
        for test in catalogue.multiclass_tests(lang).values()
        for words in (*test.definitions, *test.stereotypes.values())
        for word in words
    }
    for control in ("neutral", "human"):
        assert set(catalogue.word_set(control, lang).texts) & tested == set()


@each_language
def test_every_file_says_where_its_words_come_from_and_how_they_were_chosen(lang: str) -> None:
    folder = resources.files("tiltmeter.lexicon") / "data" / lang
    files = [file for file in folder.iterdir() if file.name.endswith(".toml")]
    assert len(files) >= 8
    for file in files:
        text = file.read_text("utf-8")
        comment = "".join(itertools.takewhile(lambda line: line.startswith("#"), text.splitlines(keepends=True)))
        assert len(comment.split()) > 25, f"{lang}/{file.name} does not say how its words were chosen"
        assert "Tiltmeter" in text


@each_language
def test_every_word_fits_every_template_of_its_set(lang: str) -> None:
    """A word that does not fit would be lost."""
    lost = []
    for name in TEMPLATES:
        templates = catalogue.template_set(name, lang)
        for slot, set_name in (("target", templates.target), ("feature", templates.feature)):
            for word in catalogue.word_set(set_name, lang).words:
                lost += [
                    (name, template.text, word.text)
                    for template in templates.templates
                    if template.form(slot, word) is None
                ]
    assert lost == []


@each_language
@pytest.mark.parametrize("name", TESTS)
def test_every_word_of_a_test_has_three_seat_sentences_or_more(lang: str, name: str) -> None:
    made = seat_test(catalogue.association_test(name, lang))
    for side in (made.x, made.y, made.a, made.b):
        sentences = Counter(passage.word for passage in side)
        assert min(sentences.values()) >= 3, sentences.most_common()[-1]


@each_language
def test_seat_sentences_are_sentences(lang: str) -> None:
    for name in TESTS:
        made = seat_test(catalogue.association_test(name, lang))
        for passage in (*made.x, *made.y, *made.a, *made.b):
            assert re.fullmatch(r"[^\W\d_'][^{}]*[.?!]", passage.text), passage.text
            assert "  " not in passage.text
    assert seat_contexts(lang).source


@each_language
def test_there_are_pairs_of_several_kinds_and_both_directions(lang: str) -> None:
    pairs = pair_set(lang).pairs
    assert len(pairs) >= PAIRS
    assert len({pair.bias_type for pair in pairs}) >= 5
    assert {pair.direction for pair in pairs} == {"stereo", "antistereo"}
    assert len({(pair.more, pair.less) for pair in pairs}) == len(pairs)


@each_language
def test_the_two_sentences_of_a_pair_share_most_of_their_words(lang: str) -> None:
    for pair in pair_set(lang).pairs:
        more, less = (re.findall(r"\w+", text.casefold()) for text in (pair.more, pair.less))
        shared = (Counter(more) & Counter(less)).total()
        assert shared >= len(more) / 2 - 1, pair
        assert pair.more != pair.less


@each_language
def test_words_with_two_forms_stand_in_template_sets_that_agree(lang: str) -> None:
    grammar = grammar_of(lang)
    for templates in catalogue.template_sets(lang).values():
        words = [
            word for name in (templates.target, templates.feature) for word in catalogue.word_set(name, lang).words
        ]
        if any(grammar.feminine(word) for word in words) and len(templates.templates) == len(templates.sentences):
            assert templates.note, f"{templates.name} does not agree and does not say why"
