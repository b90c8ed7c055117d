"""From template sets and words to tables of log-probabilities: what a model says fills the blank beside each word.

A template set links a target to a feature. One of the two is read off a blank (`read`), the other stands in the
sentence (`given`). For every template there is a table p[given, read], and one of priors in which the given word is a
blank too. The blank keeps the article that its word would have, in the prior as well, so that grammar is not counted.

A sentence that agrees in gender is asked in its masculine and in its feminine version, of every word, and the two
tables become one (`tiltmeter.metrics.agreement`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tiltmeter.lexicon.templates import Blank, Template, TemplateSet
from tiltmeter.lexicon.words import Word
from tiltmeter.measurement import Lost
from tiltmeter.metrics.agreement import over_versions
from tiltmeter.models.lm import LanguageModel, Query

Array = NDArray[np.float64]
Slot = Literal["target", "feature"]


@runtime_checkable
class JointModel(Protocol):
    """A model that reads left to right: it gives both slots of a sentence at once, the earlier one being enumerated."""

    def table(self, texts: Sequence[str], first: Sequence[str], last: Sequence[str]) -> list[Array]:
        """For each text with two blanks, log P(first, last) of its words; NaN where one cannot be scored."""


@dataclass(frozen=True, slots=True)
class BlankTable:
    """log p, and its prior: sentences × given words × read words. NaN where a word does not fit or cannot be scored."""

    given: tuple[str, ...]
    read: tuple[str, ...]
    log_p: Array
    log_prior: Array
    lost: tuple[Lost, ...]


@dataclass(frozen=True, slots=True)
class _Group:
    """Read words of one template that the same sentence has a blank for, and the given words that it is made with."""

    columns: NDArray[np.intp]
    forms: tuple[str, ...]
    rows: NDArray[np.intp]
    texts: tuple[str, ...]
    given_forms: tuple[str, ...]
    prior_texts: tuple[str, ...]
    blank: int  # which of the two blanks of a prior text is the read one


def blank_table(
    model: LanguageModel, templates: TemplateSet, given: Sequence[Word], read: Sequence[Word], *, read_slot: Slot
) -> BlankTable:
    """Every read word in the blank beside every given word, for all templates of a set."""
    return next(iter(blank_tables(model, [(templates, given, read, read_slot)])))


def blank_tables(
    model: LanguageModel, wanted: Sequence[tuple[TemplateSet, Sequence[Word], Sequence[Word], Slot]]
) -> Iterator[BlankTable]:
    """Several tables, computed together: the model sees all sentences at once, and each distinct one only once."""
    groups = [
        [list(_groups(template, given, read, read_slot)) for template in templates.templates]
        for templates, given, read, read_slot in wanted
    ]
    if not isinstance(model, JointModel):
        model.prepare(
            [asked for of_set in groups for of_template in of_set for one in of_template for asked in _asked(one)]
        )
    for (templates, given, read, read_slot), of_set in zip(wanted, groups, strict=True):
        shape = (len(of_set), len(given), len(read))
        log_p, log_prior = np.full(shape, np.nan), np.full(shape, np.nan)
        reasons: dict[str, str] = {}
        for position, of_template in enumerate(of_set):
            for group in of_template:
                p, prior = (
                    _from_joint(model, group) if isinstance(model, JointModel) else _from_blanks(model, group, reasons)
                )
                cells = np.ix_(np.array([position]), group.rows, group.columns)
                log_p[cells], log_prior[cells] = p[None], prior[None]
        log_p, log_prior = over_versions(log_p, log_prior, templates.groups)
        lost = [
            Lost(word.text, templates.feature if read_slot == "feature" else templates.target, reason)
            for column, word in enumerate(read)
            if np.isnan(log_p[:, :, column]).all()
            for reason in [reasons.get(word.text, "fits no template, or cannot be scored by the model")]
        ] + [
            Lost(word.text, templates.target if read_slot == "feature" else templates.feature, "fits no template")
            for row, word in enumerate(given)
            if read and np.isnan(log_p[:, row]).all() and not np.isnan(log_p).all()
        ]
        yield BlankTable(
            tuple(word.text for word in given), tuple(word.text for word in read), log_p, log_prior, tuple(lost)
        )


def _groups(template: Template, given: Sequence[Word], read: Sequence[Word], read_slot: Slot) -> Iterator[_Group]:
    given_slot: Slot = "feature" if read_slot == "target" else "target"
    columns: dict[str, list[int]] = {}
    for column, word in enumerate(read):
        pattern = template.fill({read_slot: Blank(like=word), given_slot: Blank()})
        if pattern is not None and template.form(read_slot, word) is not None:
            columns.setdefault(pattern, []).append(column)
    blank = 0 if template.slots.index(read_slot) < template.slots.index(given_slot) else 1
    for of_pattern in columns.values():
        like = Blank(like=read[of_pattern[0]])
        rows, texts, prior_texts, given_forms = [], [], [], []
        for row, word in enumerate(given):
            text = template.fill({read_slot: like, given_slot: word})
            prior = template.fill({read_slot: like, given_slot: Blank(like=word)})
            form = template.form(given_slot, word)
            if text is not None and prior is not None and form is not None:
                rows.append(row)
                texts.append(text)
                prior_texts.append(prior)
                given_forms.append(form)
        forms = tuple(template.form(read_slot, read[column]) or "" for column in of_pattern)
        yield _Group(
            np.array(of_pattern),
            forms,
            np.array(rows, dtype=np.intp),
            tuple(texts),
            tuple(given_forms),
            tuple(prior_texts),
            blank,
        )


def _asked(group: _Group) -> Iterator[tuple[list[Query], tuple[str, ...]]]:
    yield [Query(text) for text in group.texts], group.forms
    yield [Query(text, group.blank) for text in dict.fromkeys(group.prior_texts)], group.forms


def _from_blanks(model: LanguageModel, group: _Group, reasons: dict[str, str]) -> tuple[Array, Array]:
    (queries, forms), (prior_queries, _) = _asked(group)
    filled = model.fill(queries, forms)
    reasons.update(filled.lost)
    prior = model.fill(prior_queries, forms).log_p
    of = {query.text: row for row, query in enumerate(prior_queries)}
    return filled.log_p, prior[[of[text] for text in group.prior_texts]]


def _from_joint(model: JointModel, group: _Group) -> tuple[Array, Array]:
    """Bayes' rule turns the joint table round: p(read | given) = p(read, given) / Σ_read p(read, given)."""
    p = np.full((len(group.rows), len(group.columns)), np.nan)
    prior = np.full_like(p, np.nan)
    for text in dict.fromkeys(group.prior_texts):
        rows = [row for row, other in enumerate(group.prior_texts) if other == text]
        given = [group.given_forms[row] for row in rows]
        if group.blank == 0:
            joint = model.table([text], group.forms, given)[0].T
        else:
            joint = model.table([text], given, group.forms)[0]
        p[rows] = joint - _log_sum(joint, axis=1)
        marginal = _log_sum(joint, axis=0)
        prior[rows] = marginal - _log_sum(marginal, axis=1)
    return p, prior


def _log_sum(table: Array, *, axis: int) -> Array:
    """log Σ exp over an axis, of what is known; the axis stays, of length 1."""
    inside = np.where(np.isnan(table), -np.inf, table)
    total: Array = np.logaddexp.reduce(inside, axis=axis, keepdims=True)
    return np.where(np.isneginf(total), np.nan, total)
