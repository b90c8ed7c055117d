"""Grammar gives no answer away: what stands beside a blank for gender, and how stereotypes of gender are worded."""

from __future__ import annotations

from collections import Counter

import pytest

from tiltmeter.lexicon import catalogue
from tiltmeter.lexicon.grammar import grammar_of
from tiltmeter.lexicon.templates import Blank, Template
from tiltmeter.lexicon.words import Kind

from .required import LANGUAGES


@pytest.mark.parametrize("lang", ["en", *LANGUAGES])
def test_what_stays_beside_a_blank_for_gender_is_the_same_for_women_and_men(lang: str) -> None:
    """un or une would give the answer away, and the prior, which has it too, would take the answer out of the score."""
    blanks = [Blank(like=word) for word in catalogue.word_set("gender", lang).words]
    seen = 0
    for templates in catalogue.template_sets(lang).values():
        slots = [slot for slot in ("target", "feature") if getattr(templates, slot) == "gender"]
        for template in templates.templates if slots else ():
            beside = {forms for forms in template.inflected(slots[0], blanks) if forms is not None}
            assert len(beside) == 1, f"{templates.name}: {template.text}"
            seen += 1
    assert seen >= 10


def test_an_article_with_gender_would_be_noticed() -> None:
    blanks = [Blank(like=word) for word in catalogue.word_set("gender", "de").words]
    assert len(set(Template("{target} ist {feature:a}.", "de").inflected("feature", blanks))) == 2


@pytest.mark.parametrize("lang", ["de", "es", "fr", "is", "it"])
@pytest.mark.parametrize("name", ["weat7", "weat8"])
def test_the_fields_beside_words_of_gender_have_as_many_nouns_of_each_genus(lang: str, name: str) -> None:
    """Word vectors hold the genus of a noun. Were more of mathematics feminine than of the arts, it would count."""
    test = catalogue.association_test(name, lang)
    fields = [Counter(word.genus for word in words.words if Kind.NAME not in word.kinds) for words in (test.x, test.y)]
    assert None not in fields[0]
    assert fields[0] == fields[1]


@pytest.mark.parametrize("lang", ["es", "fr", "it"])
def test_career_and_family_beside_names_of_women_and_men_have_too(lang: str) -> None:
    test = catalogue.association_test("weat6", lang)
    career, family = (Counter(word.genus for word in words.words) for words in (test.a, test.b))
    assert career == family


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_stereotype_of_gender_has_a_form_for_one_gender(lang: str) -> None:
    """Neither Ärztin nor Arzt, which has it beside it; neither Hausfrau nor Feuerwehrmann."""
    grammar, test = grammar_of(lang), catalogue.multiclass_test("gender", lang)
    paired: set[str] = set()
    people = {word for words in test.definitions for word in words}
    for words in catalogue.word_sets(lang).values():
        twins = [(word.text, grammar.feminine(word)) for word in words.words]
        paired |= {form for text, twin in twins if twin not in (None, text) for form in (text, twin) if form}
        if words.name in ("gender", "male-terms-7", "female-terms-7"):
            people |= set(words.texts)
    for stereotype in (word for words in test.stereotypes.values() for word in words):
        assert stereotype not in paired
        ends = [one for one in people if len(one) > 2 and stereotype.casefold().endswith(one.casefold())]
        assert ends == [], f"{stereotype} ends in a word for one gender"
