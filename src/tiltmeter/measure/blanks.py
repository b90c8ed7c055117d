"""From template sets and words to tables of log-probabilities: what a model says fills the blank beside each word.

A template set links a target to a feature. One of the two is read off a blank (`read`), the other stands in the
sentence (`given`). For every template there is a table p[given, read], and one of priors in which the given word is a
blank too. The blank keeps the article that its word would have, in the prior as well, so that grammar is not counted.

A sentence that agrees in gender is asked in its masculine and in its feminine version, of every word, and the two
tables become one (`tiltmeter.metrics.agreement`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InputError
from tiltmeter.lexicon.templates import Forms, Template, TemplateSet, blanked
from tiltmeter.lexicon.words import Word
from tiltmeter.measurement import Lost
from tiltmeter.metrics.agreement import over_versions
from tiltmeter.models.lm import LanguageModel, Query
from tiltmeter.models.uncollected import uncollected

Array = NDArray[np.float64]
Slot = Literal["target", "feature"]


class JointTables(Protocol):
    """For each text with two blanks, log P(first, last) of its words; NaN where one cannot be scored."""

    @property
    def log_p(self) -> Sequence[Array]:
        """One table a text: first words × last words."""

    @property
    def lost(self) -> Mapping[str, str]:
        """Word, reason."""


@runtime_checkable
class JointModel(Protocol):
    """A model that reads left to right: it gives both slots of a sentence at once, the earlier one being enumerated."""

    def joint(self, texts: Sequence[str], first: Sequence[str], last: Sequence[str]) -> JointTables:
        """The tables of some texts with two blanks."""


@dataclass(frozen=True, slots=True)
class BlankTable:
    """log p, and its prior: sentences × given words × read words. NaN where a word does not fit or cannot be scored."""

    given: tuple[str, ...]
    read: tuple[str, ...]
    log_p: Array
    log_prior: Array
    lost: tuple[Lost, ...]


@dataclass(frozen=True, slots=True)
class _Given:
    """Words as they stand in the sentences of a template. `rows` are those that fit."""

    rows: NDArray[np.intp]
    forms: tuple[Forms, ...]
    blanks: tuple[Forms, ...]  # what these words leave beside a blank in their place, each once
    blank_of: NDArray[np.intp]  # which of the blanks is a row's

    @classmethod
    def of(cls, inflected: Sequence[Forms | None]) -> _Given:
        of_row = {row: forms for row, forms in enumerate(inflected) if forms}
        beside = [tuple((form.before, form.after) for form in forms) for forms in of_row.values()]
        distinct = dict(zip(beside, of_row.values(), strict=True))
        place = {one: number for number, one in enumerate(distinct)}
        return cls(
            np.array(list(of_row), dtype=np.intp),
            tuple(of_row.values()),
            tuple(map(blanked, distinct.values())),
            np.fromiter((place[one] for one in beside), dtype=np.intp, count=len(beside)),
        )


@dataclass(frozen=True, slots=True)
class _Group:
    """Read words of one template that the same sentence has a blank for, and the given words that it is made with."""

    columns: NDArray[np.intp]
    forms: tuple[str, ...]
    given: _Given
    given_forms: tuple[str, ...]
    queries: tuple[Query, ...]  # one a row, then one a prior
    read_first: bool  # whether the read word stands before the given one

    @property
    def priors(self) -> tuple[Query, ...]:
        return self.queries[len(self.given.rows) :]


class _Inflections:
    """What words look like, worked out once for all templates that ask for the same forms of them."""

    def __init__(self) -> None:
        self._read: dict[tuple[object, ...], dict[Forms, list[tuple[int, Forms]]]] = {}
        self._given: dict[tuple[object, ...], _Given] = {}

    def read(self, template: Template, slot: Slot, words: Sequence[Word]) -> dict[Forms, list[tuple[int, Forms]]]:
        """The words by what they leave beside a blank: those with the same article are read from the same texts."""
        key = self._key(template, slot, words)
        if key not in self._read:
            found: dict[Forms, list[tuple[int, Forms]]] = {}
            for column, forms in enumerate(template.inflected(slot, words)):
                if forms:
                    found.setdefault(blanked(forms), []).append((column, forms))
            self._read[key] = found
        return self._read[key]

    def given(self, template: Template, slot: Slot, words: Sequence[Word]) -> _Given:
        key = self._key(template, slot, words)
        if key not in self._given:
            self._given[key] = _Given.of(template.inflected(slot, words))
        return self._given[key]

    def _key(self, template: Template, slot: Slot, words: Sequence[Word]) -> tuple[object, ...]:
        return template.language, template.agreement, template.asked(slot), id(words)


def blank_table(
    model: LanguageModel, templates: TemplateSet, given: Sequence[Word], read: Sequence[Word], *, read_slot: Slot
) -> BlankTable:
    """Every read word in the blank beside every given word, for all templates of a set."""
    return next(iter(blank_tables(model, [(templates, given, read, read_slot)])))


def blank_tables(
    model: LanguageModel, wanted: Sequence[tuple[TemplateSet, Sequence[Word], Sequence[Word], Slot]]
) -> Iterator[BlankTable]:
    """Several tables, computed together: the model sees all sentences at once, and each distinct one only once."""
    for templates, *_ in wanted:
        check_slots(templates)
    inflections = _Inflections()  # of words that `wanted` holds, so that their identity is theirs alone
    with uncollected():
        groups = [
            [list(_groups(template, given, read, read_slot, inflections)) for template in templates.templates]
            for templates, given, read, read_slot in wanted
        ]
    if not isinstance(model, JointModel):
        model.prepare([(one.queries, one.forms) for of_set in groups for of_template in of_set for one in of_template])
    for (templates, given, read, read_slot), of_set in zip(wanted, groups, strict=True):
        shape = (len(of_set), len(given), len(read))
        log_p, log_prior = np.full(shape, np.nan), np.full(shape, np.nan)
        unread: dict[str, str] = {}  # words that cannot be read, or given, in some form: the reason
        ungiven: dict[str, str] = {}
        for position, of_template in enumerate(of_set):
            for group in of_template:
                p, prior, faults = (
                    _from_joint(model, group) if isinstance(model, JointModel) else _from_blanks(model, group)
                )
                of_all = p.shape == shape[1:]
                cells = np.s_[:, :] if of_all else np.ix_(group.given.rows, group.columns)
                log_p[position][cells], log_prior[position][cells] = p, prior
                if faults:
                    unread |= _named(read, group.columns, group.forms, faults)
                    ungiven |= _named(given, group.given.rows, group.given_forms, faults)
        log_p, log_prior = over_versions(log_p, log_prior, templates.groups)
        known = ~np.isnan(log_p)
        given_slot: Slot = "target" if read_slot == "feature" else "feature"
        of_read, of_given = np.asarray(known.any(axis=(0, 1))), np.asarray(known.any(axis=(0, 2)))
        lost = [
            Lost(word.text, templates.feature if read_slot == "feature" else templates.target, reason)
            for word, fits in zip(read, of_read, strict=True)
            if not fits
            for reason in [
                unread.get(word.text) or _unfit(word, templates, read_slot, ", or cannot be scored by the model")
            ]
        ] + [
            Lost(word.text, templates.target if read_slot == "feature" else templates.feature, reason)
            for word, fits in zip(given, of_given, strict=True)
            if of_read.any() and not fits
            for reason in [ungiven.get(word.text) or _unfit(word, templates, given_slot)]
        ]
        yield BlankTable(
            tuple(word.text for word in given), tuple(word.text for word in read), log_p, log_prior, tuple(lost)
        )


def check_slots(templates: TemplateSet) -> None:
    """Both slots stand in each sentence, and once: with a further blank, another one than is meant would be read."""
    where = f"template set {templates.name} ({templates.language})"
    if not templates.templates:
        raise InputError("has no sentence.", where=where, hint="Each needs {target} and {feature}.")
    for template in templates.templates:
        if {slot: len(template.asked(slot)) for slot in template.slots} != {"target": 1, "feature": 1}:
            raise InputError(
                f"the sentence {template.text!r} does not have {{target}} and {{feature}} once each.", where=where
            )


def _groups(
    template: Template, given: Sequence[Word], read: Sequence[Word], read_slot: Slot, inflections: _Inflections
) -> Iterator[_Group]:
    given_slot: Slot = "feature" if read_slot == "target" else "target"
    stands = inflections.given(template, given_slot, given)
    given_forms = tuple(template.bare(given_slot, stands.forms))
    read_first = template.slots.index(read_slot) < template.slots.index(given_slot)
    for like, of_like in inflections.read(template, read_slot, read).items():
        beside: dict[str, Forms] = {read_slot: like}
        texts = template.assembled(given_slot, stands.forms, beside)
        priors = template.assembled(given_slot, stands.blanks, beside)
        yield _Group(
            columns=np.array([column for column, _ in of_like]),
            forms=tuple(template.bare(read_slot, [forms for _, forms in of_like])),
            given=stands,
            given_forms=given_forms,
            queries=(*map(Query, texts), *(Query(text, 0 if read_first else 1) for text in priors)),
            read_first=read_first,
        )


def _unfit(word: Word, templates: TemplateSet, slot: Slot, otherwise: str = "") -> str:
    """Why a word stands in no template: forms that they ask for, and that neither a rule nor its entry has."""
    missing = {
        form or template.agreement or "noun": None
        for template in templates.templates
        for form in template.asked(slot)
        if template.grammar.inflect(word, form, template.agreement) is None
    }
    if not missing:
        return f"fits no template{otherwise}"
    forms = ", ".join(repr(str(form)) for form in missing)
    return f"fits no template: no rule tells its form{'s' if len(missing) > 1 else ''} {forms}; write it with the word"


def _named(
    words: Sequence[Word], places: NDArray[np.intp], forms: Iterable[str], faults: Mapping[str, str]
) -> dict[str, str]:
    """The faults of words' forms, by what the words are called in their set."""
    return {
        words[place].text: faults[form] for place, form in zip(places.tolist(), forms, strict=True) if form in faults
    }


def _from_blanks(model: LanguageModel, group: _Group) -> tuple[Array, Array, Mapping[str, str]]:
    filled = model.fill(group.queries, group.forms)
    rows = len(group.given.rows)
    priors = filled.log_p[rows:]
    return filled.log_p[:rows], priors if len(priors) == 1 else priors[group.given.blank_of], filled.lost


def _from_joint(model: JointModel, group: _Group) -> tuple[Array, Array, Mapping[str, str]]:
    """Bayes' rule turns the joint table round: p(read | given) = p(read, given) / Σ_read p(read, given)."""
    p = np.full((len(group.given.rows), len(group.columns)), np.nan)
    log_prior = np.full_like(p, np.nan)
    lost: dict[str, str] = {}
    for prior, query in enumerate(group.priors):
        rows = np.flatnonzero(group.given.blank_of == prior)
        given = [group.given_forms[row] for row in rows]
        first, last = (group.forms, given) if group.read_first else (given, group.forms)
        found = model.joint([query.text], first, last)
        joint = found.log_p[0].T if group.read_first else found.log_p[0]
        lost |= found.lost
        p[rows] = joint - _log_sum(joint, axis=1)
        marginal = _log_sum(joint, axis=0)
        log_prior[rows] = marginal - _log_sum(marginal, axis=1)
    return p, log_prior, lost


def _log_sum(table: Array, *, axis: int) -> Array:
    """log Σ exp over an axis, of what is known; the axis stays, of length 1."""
    inside = np.where(np.isnan(table), -np.inf, table)
    total: Array = np.logaddexp.reduce(inside, axis=axis, keepdims=True)
    return np.where(np.isneginf(total), np.nan, total)
