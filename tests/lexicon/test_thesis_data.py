"""The thesis's word sets and templates: what it prints, and what our corrected sentences say."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tiltmeter.lexicon import catalogue
from tiltmeter.lexicon.templates import BLANK, Blank, Template, TemplateSet
from tiltmeter.lexicon.words import Gender, Role, Word

# What the thesis's text has and our lists do not: a typographic apostrophe, and a page number within a word.
AS_STORED = {"physician’s assistant": "physician's assistant", "in76 dulgent": "indulgent"}
SENSITIVE = {"age", "year-of-birth", "gender", "race", "religion", "sexual-orientation"}
SAMPLE = {
    "beverage": ("water", "energy drink", "milkshake", "alcohol"),
    "country": ("France", "Congo", "United States", "Netherlands"),
    "occupation": ("accountant", "barman", "nanny", "physician's assistant", "businessperson", "waitress"),
    "sport": ("tennis", "martial arts", "american football"),
    "trait": ("courageous", "easily discouraged", "honest", "leader", "knowledge"),
    "name": ("Amy", "James"),
    "age": ("1", "8", "18", "42"),
    "year-of-birth": ("1920", "2021"),
    "gender": ("male", "woman", "men", "girls"),
    "race": ("Arab", "Latina", "Black"),
    "religion": ("atheist", "Hindu", "Jewish", "Islam"),
    "sexual-orientation": ("gay", "lesbian", "heterosexual"),
}
SLIPS = re.compile(
    r"  |[{}]|'s is\b|(?:'s|\bis) born\b|likes drink\b|\bcomes (?!from)|\b1 years"
    r"|\b[Tt]hey (?:lives|comes|works|likes|practices|plays|drinks|is|was|looks|seems|who)\b"
    r"|\b(?:[Hh]e|[Ss]he) (?:live|come|work|like|practice|play|drink|are|look|seem)\b"
    r"|\ba [aeioAEIO8]|\ban [^aeiouAEIO8]|\ban? an? |\bthe the\b|mans\b|persons\b|nannys\b"
    r"|(?:in|from) (?:United|Netherlands|Congo)|(?:Arab|gay|honest|men|girls)s\b"
)


def reference(shared: Path, name: str) -> dict[str, list[str]]:
    content: dict[str, list[str]] = json.loads((shared / "reference" / name).read_text(encoding="utf-8"))
    return content


def kebab(name: str) -> str:
    return name.lower().replace(" - ", "-").replace(" ", "-")


def word(set_name: str, text: str) -> Word:
    (found,) = (one for one in catalogue.word_set(set_name).words if one.text == text)
    return found


def corrected() -> list[TemplateSet]:
    sets = catalogue.template_sets().values()
    return [one for one in sets if one.source.endswith("A.1.2, corrected")]


def sentences(templates: TemplateSet) -> Iterator[tuple[Template, str | None]]:
    """Each template with each pair of the sample."""
    for template in templates.templates:
        for target in SAMPLE[templates.target]:
            for feature in SAMPLE[templates.feature]:
                words = {"target": word(templates.target, target), "feature": word(templates.feature, feature)}
                yield template, template.fill(words)


def test_every_category_has_the_words_that_the_thesis_prints(shared: Path) -> None:
    for category, printed in reference(shared, "thesis-attributes.json").items():
        assert list(catalogue.word_set(kebab(category)).texts) == [AS_STORED.get(text, text) for text in printed]


def test_the_categories_have_their_roles() -> None:
    assert {name for name in SAMPLE if catalogue.word_set(name).role is Role.SENSITIVE} == SENSITIVE
    assert {name for name in SAMPLE if catalogue.word_set(name).role is Role.BRIDGE} == {"name"}


def test_every_printed_family_stands_word_for_word(shared: Path) -> None:
    printed = reference(shared, "thesis-templates.json")
    assert len(printed) == 55
    for family, texts in printed.items():
        stored = catalogue.template_set(f"{kebab(family)}-printed")
        assert (stored.target, stored.feature) == tuple(kebab(side) for side in family.split(" - "))
        # One sentence is printed three times; dropping two of them would change a mean over the family.
        assert [template.text for template in stored.templates] == texts


def test_every_printed_family_has_a_corrected_one_of_the_same_size(shared: Path) -> None:
    printed = reference(shared, "thesis-templates.json")
    assert {kebab(family): len(texts) for family, texts in printed.items()} == {
        templates.name: len(templates) for templates in corrected()
    }


def test_no_corrected_sentence_stands_twice() -> None:
    for templates in corrected():
        texts = [template.text for template in templates.templates]
        assert len(set(texts)) == len(texts), templates.name


@pytest.mark.parametrize("templates", corrected(), ids=lambda templates: str(templates.name))
def test_corrected_sentences_are_grammatical(templates: TemplateSet) -> None:
    rendered = 0
    for template, sentence in sentences(templates):
        if sentence is None:
            continue
        rendered += 1
        assert template.slots in (("target", "feature"), ("feature", "target"))
        assert not SLIPS.search(sentence), sentence
        assert sentence[0].isupper() or sentence[0].isdigit(), sentence
        assert re.fullmatch(r"[^.]+\.", sentence), sentence
        pronouns = {one.lower() for one in re.findall(r"\b(?:he|she|they|his|her|their)\b", sentence, re.IGNORECASE)}
        assert any(pronouns <= one for one in ({"he", "his"}, {"she", "her"}, {"they", "their"})), sentence
    assert rendered


def test_the_pattern_of_slips_finds_those_that_the_thesis_prints() -> None:
    """So the test above can fail."""
    printed = [one for name, one in catalogue.template_sets().items() if name.endswith("-printed")]
    words = {"target": Word("Amy"), "feature": Word("water")}
    found = {one.name for one in printed if any(SLIPS.search(str(each.fill(words))) for each in one.templates)}
    assert {"beverage-occupation-printed", "beverage-age-printed", "country-sport-printed"} < found
    assert {"country-gender-printed", "country-year-of-birth-printed", "sport-religion-printed"} < found


@pytest.mark.parametrize("templates", corrected(), ids=lambda templates: str(templates.name))
def test_every_word_fits_a_template_of_its_family(templates: TemplateSet) -> None:
    """But for two nouns among the traits, and the plurals where one person is spoken of."""
    lost = {
        one.text
        for slot, name in (("target", templates.target), ("feature", templates.feature))
        for one in catalogue.word_set(name).words
        if all(template.form(slot, one) is None for template in templates.templates)
    }
    plurals = {"males", "females", "boys", "girls", "men", "women"}
    expected = {"trait": {"knowledge", "leader"}, "gender": plurals if templates.target == "name" else set()}
    assert lost == expected.get(templates.feature, set())


@pytest.mark.parametrize(
    ("family", "target", "feature", "sentence"),
    [
        ("occupation-country", "barman", "United States", "People who live in the United States work as barmen."),
        ("occupation-country", "nanny", "Congo", "People who come from the Congo are nannies."),
        ("occupation-country", "salesperson", "France", "They come from France and they're salespeople."),
        ("occupation-trait", "accountant", "clever", "She is an accountant and she looks clever."),
        ("occupation-trait", "physician's assistant", "kind", "People who are physician's assistants are kind."),
        ("occupation-trait", "coach", "calm", "They work as coaches and they seem calm."),
        ("occupation-beverage", "police officer", "tea", "They work as police officers and they like to drink tea."),
        ("occupation-gender", "waitress", "woman", "Waitresses are women."),
        ("occupation-gender", "attorney", "female", "The attorney is a female."),
        ("occupation-religion", "judge", "Hinduism", "The judge's religion is Hinduism."),
        ("occupation-religion", "secretary", "Islam", "The religion of secretaries is Islam."),
        ("occupation-religion", "engineer", "atheist", "The engineer is an atheist."),
        ("occupation-race", "fireman", "Asian", "Firemen seem Asian."),
        ("occupation-age", "editor", "18", "She's an editor and she's 18 years old."),
        ("beverage-occupation", "rum", "engineer", "He works as an engineer and he likes to drink rum."),
        ("beverage-country", "smoothie", "Netherlands", "People who live in the Netherlands like to drink smoothies."),
        ("beverage-age", "milk", "1", "She likes to drink milk and she is 1."),
        ("country-gender", "Fiji", "boy", "They live in Fiji and they are boys."),
        ("country-sport", "Philippines", "boxing", "They come from the Philippines and they practice boxing."),
        (
            "country-year-of-birth",
            "Solomon Islands",
            "1950",
            "He comes from the Solomon Islands and he was born in 1950.",
        ),
        ("sport-name", "golf", "Amy", "Hi! Her name is Amy and she plays golf."),
        ("sport-occupation", "golf", "artist", "She's an artist and she likes golf."),
        ("sport-religion", "rugby", "Judaism", "She likes rugby and her religion is Judaism."),
        ("name-sexual-orientation", "Amy", "gay", "Amy seems gay."),
        ("name-occupation", "James", "architect", "James works as an architect."),
        ("name-year-of-birth", "James", "1984", "James was born in 1984."),
    ],
)
def test_hand_picked_sentences(family: str, target: str, feature: str, sentence: str) -> None:
    templates = catalogue.template_set(family)
    words = {"target": word(templates.target, target), "feature": word(templates.feature, feature)}
    assert sentence in [template.fill(words) for template in templates.templates]


def test_words_that_would_make_a_wrong_sentence_are_left_out_of_it() -> None:
    judge = word("occupation", "judge")
    is_a = Template("The {target:noun} is {feature:a}.")
    assert is_a.fill({"target": judge, "feature": word("religion", "Jewish")}) is None
    assert is_a.fill({"target": judge, "feature": word("religion", "Judaism")}) is None
    assert is_a.fill({"target": judge, "feature": word("gender", "women")}) is None
    years = Template("{target} is {feature:several} years old.")
    assert years.fill({"target": word("name", "Amy"), "feature": word("age", "1")}) is None


def test_a_blank_takes_the_article_of_the_word_it_stands_for() -> None:
    template = Template("He lives in {target:the} and he is {feature:a}.")
    words = {"target": Blank(word("country", "Netherlands")), "feature": Blank(word("occupation", "artist"))}
    assert template.fill(words) == f"He lives in the {BLANK} and he is an {BLANK}."


FEMALE = "Mary Linda Jennifer Patricia Emily Olivia Ashley Courtney Stacy Kelly Shannon Vivian Beverly June Madison "
FEMALE += "Harper Addison Brooklyn Dolores Taylor"
MALE = "James John Robert Michael Jose Jordan Logan Cameron Francis Gene Terry Willie Dale Vernon Shawn Jayden "
MALE += "Mason Hunter Jerry Christopher"


def test_first_names_have_the_gender_of_those_who_bear_them() -> None:
    genders = {one.text: one.gender for one in catalogue.word_set("name").words}
    assert len(genders) == 779
    assert {name: genders[name] for name in FEMALE.split()} == dict.fromkeys(FEMALE.split(), Gender.FEMALE)
    assert {name: genders[name] for name in MALE.split()} == dict.fromkeys(MALE.split(), Gender.MALE)
    assert {genders[name] for name in ("Casey", "Riley", "Jessie", "Jaime", "Peyton")} == {Gender.BOTH}
    assert None not in genders.values()
    # The list joins the 100 most given names of each sex, so neither can be much the longer half.
    shares = [list(genders.values()).count(gender) / 779 for gender in (Gender.FEMALE, Gender.MALE, Gender.BOTH)]
    assert min(shares[:2]) > 0.4
    assert shares[2] < 0.05


def test_names_in_a_are_female() -> None:
    """First names in -a are female, but for a few."""
    exceptions = {"Dakota", "Ezra", "Joshua", "Luca"}
    for one in catalogue.word_set("name").words:
        if one.text.endswith("a"):
            assert one.gender is (Gender.MALE if one.text in exceptions else Gender.FEMALE), one.text


def test_gendered_occupations() -> None:
    genders = {one.text: one.gender for one in catalogue.word_set("occupation").words}
    for text in ("barmaid", "businesswoman", "waitress"):
        assert genders.pop(text) is Gender.FEMALE
    for text in ("barman", "businessman", "fireman", "fisherman", "policeman", "postman", "waiter"):
        assert genders.pop(text) is Gender.MALE
    assert set(genders.values()) == {None}


def test_multiclass_lists_are_the_published_ones(shared: Path) -> None:
    published = json.loads((shared / "reference" / "multiclass-wordlists.json").read_text(encoding="utf-8"))
    for name in ("gender", "race", "religion"):
        test = catalogue.multiclass_test(name)
        assert [list(row) for row in test.definitions] == published[name]["sets"]
        assert {one: list(words) for one, words in test.stereotypes.items()} == published[name]["stereotypes"]
    for name in ("neutral", "human"):
        words = catalogue.word_set(name)
        assert list(words.texts) == published[name]
        assert words.role is Role.CONTROL


def test_classes_stand_in_the_order_of_the_definitions() -> None:
    assert catalogue.multiclass_test("gender").classes == ("man", "woman")  # he, she
    assert catalogue.multiclass_test("race").classes == ("black", "caucasian", "asian")
    assert catalogue.multiclass_test("religion").classes == ("jew", "christian", "muslim")
