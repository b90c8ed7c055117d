"""Sentences that agree, measured on a French-speaking model that knows grammar, and a stereotype if it is told one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from tiltmeter.lexicon.templates import Template, TemplateSet
from tiltmeter.lexicon.tests import AssociationTest
from tiltmeter.lexicon.words import Gender, Kind, Role, Word, WordSet
from tiltmeter.measure import scores
from tiltmeter.measure.blanks import blank_table
from tiltmeter.measure.lpbs import lpbs
from tiltmeter.models.lm import Filled, Query

TRAITS = {"fort": "forte", "doux": "douce", "calme": None}
NAMES = {"Anne": Gender.FEMALE, "Julie": Gender.FEMALE, "Paul": Gender.MALE, "Luc": Gender.MALE}
FORMS = [(form, gender) for masculine, feminine in TRAITS.items() for form, gender in
         ((masculine, Gender.MALE), (feminine or masculine, Gender.FEMALE))]  # fmt: skip


class Grammarian:
    """P(form | name) ∝ 1 where the form agrees with the name's gender, else `slip`; times exp(link) if there is one.

    Where the name is open, it is the mean over the names.
    """

    name = "grammarian"
    fingerprint = "grammarian"
    settings: Mapping[str, Any] = {"normalised": "over the vocabulary"}

    def __init__(self, slip: float, links: Mapping[tuple[str, str], float]) -> None:
        self.slip, self.links = slip, links

    def prepare(self, asked: Sequence[tuple[Sequence[Query], Sequence[str]]]) -> None:
        """Nothing is slow here."""

    def fill(self, queries: Sequence[Query], words: Sequence[str]) -> Filled:
        return Filled(np.log([[self._p(query.text, word) for word in words] for query in queries]), {})

    def _p(self, text: str, word: str) -> float:
        names = [name for name in NAMES if name in text] or list(NAMES)
        return float(np.mean([self._beside(name)[word] for name in names]))

    def _beside(self, name: str) -> dict[str, float]:
        weights: dict[str, float] = {}
        for form, gender in FORMS:
            masculine = next(text for text, feminine in TRAITS.items() if form in (text, feminine))
            agrees = gender is NAMES[name]
            weight = (1.0 if agrees else self.slip) * np.exp(self.links.get((name, masculine), 0.0))
            weights[form] = weights.get(form, 0.0) + weight
        total = sum(weights.values())
        return {form: weight / total for form, weight in weights.items()}


def words(name: str, entries: list[Word]) -> WordSet:
    return WordSet(name, "fr", tuple(entries), name, "planted", Role.CONCEPT)


ADJECTIVES = words("trait", [Word(text, frozenset({Kind.ADJECTIVE}), feminine=twin) for text, twin in TRAITS.items()])
PEOPLE = words("name", [Word(name, frozenset({Kind.NAME}), gender=gender) for name, gender in NAMES.items()])


def templates(*, agrees: bool) -> TemplateSet:
    one = Template("{target} est {feature:adjective}.", "fr")
    return TemplateSet("name-trait", "fr", "name", "trait", one.versions() if agrees else (one,), "planted")


def direct(model: Grammarian, *, agrees: bool) -> np.ndarray[Any, Any]:
    return scores.direct(model, PEOPLE, ADJECTIVES, templates=templates(agrees=agrees), lang="fr").score


@pytest.mark.parametrize("slip", [0.0001, 0.1])
def test_grammar_alone_is_no_bias(slip: float) -> None:
    assert direct(Grammarian(slip, {}), agrees=True) == pytest.approx(0, abs=1e-9)


def test_in_one_form_it_would_be_taken_for_bias() -> None:
    women, men = np.split(direct(Grammarian(0.01, {}), agrees=False)[:, :2], 2)
    assert men.min() > 0.5
    assert women.max() < -2


def test_a_stereotype_is_found_beside_grammar() -> None:
    score = direct(Grammarian(0.001, {("Anne", "doux"): 1.0, ("Julie", "doux"): 1.0}), agrees=True)
    gentle = score[:, list(TRAITS).index("doux")]
    assert gentle[:2].min() > 0.2
    assert gentle[2:].max() < -0.2


def test_a_word_of_which_one_form_is_not_known_is_lost_and_says_why() -> None:
    """Of "beau" alone, which goes with men's names, a score would be grammar."""

    class Speaker(Grammarian):
        def _p(self, text: str, word: str) -> float:
            return 0.1 if word == "beau" else super()._p(text, word)

    unknown = words("trait", [*ADJECTIVES.words, Word("beau", frozenset({Kind.ADJECTIVE}))])
    found = scores.direct(Speaker(0.01, {}), PEOPLE, unknown, templates=templates(agrees=True), lang="fr")
    assert found.features == tuple(TRAITS)
    assert [(one.word, one.reason) for one in found.lost] == [
        ("beau", "fits no template: no rule tells its form 'adjective'; write it with the word")
    ]


def test_both_versions_are_asked_of_every_name_and_count_as_one_template() -> None:
    table = blank_table(
        Grammarian(0.1, {}), templates(agrees=True), PEOPLE.words, ADJECTIVES.words, read_slot="feature"
    )
    assert table.log_p.shape == (1, 4, 3)
    assert not np.isnan(table.log_p).any()
    assert table.read == tuple(TRAITS)


def test_lpbs_puts_its_attributes_into_both_forms() -> None:
    """Women's and men's names with two adjectives each way: no bias, though only half of the forms agree."""

    class Reversed(Grammarian):
        """Fills in the name beside an adjective."""

        def _p(self, text: str, word: str) -> float:
            form = text.removesuffix(".").split()[-1]
            likely = {name: self._beside(name).get(form, 1.0) for name in NAMES}
            return likely[word] / sum(likely.values())

    traits = ("fort", "doux", "grand", "petit")
    feminine = ("forte", "douce", "grande", "petite")
    model = Reversed(0.01, {})
    made = [Word(m, frozenset({Kind.ADJECTIVE}), feminine=f) for m, f in zip(traits, feminine, strict=True)]
    x, y = words("x", list(PEOPLE.words[:2])), words("y", list(PEOPLE.words[2:]))
    test = AssociationTest("own", "fr", "Own", x, y, words("a", made[:2]), words("b", made[2:]), "here")
    assert lpbs(model, test, resamples=100).details["difference"] == pytest.approx(0, abs=1e-9)
