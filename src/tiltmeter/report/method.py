"""The parts of a report page that say how to read it, how its numbers were computed, and from what."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tiltmeter.measurement import Measurement
from tiltmeter.report.markup import Markup, tag, together
from tiltmeter.report.sections import Section, by_word, methods, tests_made
from tiltmeter.report.summary import ONE_SIDED, one_sided

_DEEP = 4  # levels of the manifest that are shown
_MANY = 200  # entries of one level
_NULL = "How often word lists of these sizes show an effect at least this large though there is none."
# Of what the methods of measurements say, that which a reader may not know.
_TERMS = {
    "exact": "A p-value that is counted, not sampled: over all ways to deal words anew to their groups (where these "
    "are too many to visit, the upper of two certified bounds), or of a binomial distribution.",
    "normal": "A p-value from a normal distribution fitted to partitions drawn at random; for comparison with the "
    "literature.",
    "sampled": "A p-value from partitions drawn at random.",
    "Student's t": "A p-value from the t distribution, which takes what is averaged to be near to normal.",
    "BCa": "An interval by bootstrap: what the value rests on is drawn anew, with replacement, many times; then "
    "corrected for bias and skew (Efron 1987).",
    "percentile": "An interval by bootstrap without that correction, where it is not defined.",
    "NUTS": "Draws from the posterior distribution by Hamiltonian Monte Carlo (Hoffman & Gelman 2014).",
}
_LISTS = ("weat", "seat", "lpbs")


def reading(cut: Sequence[Section], alpha: float) -> Markup | None:
    """What stands in each column, for a reader who has not seen such a table; only the columns that there are."""
    rows = [row for section in cut for row in section.rows]
    if not rows:
        return None
    families = {section.family for section in cut}
    given = [
        (
            "X, Y and A, B",
            "X and Y are the two groups of words that a test compares (such as names of women and of men), A and B the "
            "two kinds of words that they may go with (such as family and career).",
            not families.isdisjoint(_LISTS),
        ),
        (
            "Effect size",
            "How far X and Y lie apart in their leaning to A and B, in standard deviations: 0 is no difference, 0.2 is "
            "usually called small, 0.5 medium and 0.8 large, and more than 2 is rare.",
            not families.isdisjoint(_LISTS),
        ),
        (
            "Interval",
            "How far the value would move, had other words, sentences or names stood for the same groups. The line is "
            "the interval, the dot the value, the broken line the neutral value; a filled dot says that the interval "
            "excludes it.",
            True,
        ),
        ("p-value", "How often chance alone would give a value at least as far out as this one.", True),
        (
            "One-sided",
            f"The p-values of WEAT and SEAT here are {ONE_SIDED}.",
            one_sided(rows),
        ),
        (
            "Corrected p",
            "The p-value, made larger for the number of tests: among many, some are small by chance. A star marks what "
            f"is at most {alpha:g}.",
            True,
        ),
        (
            "p by word",
            "The p-value where all sentences about one word count as one, since they are not independent.",
            any(by_word(section.rows) for section in cut),
        ),
        ("Without bias", _NULL, any("null_share" in row.measured.details for row in rows)),
        ("Took part", "How many words, sentences, names or pairs the value was computed from.", True),
        ("Lost", "How many could not be used; all are named, with the reason, under “What was lost”.", True),
    ]
    facts = [part for name, text, there in given if there for part in (tag("dt", name), tag("dd", text))]
    return tag("details", tag("summary", "How to read the tables"), tag("dl", *facts, class_="facts"))


def method(cut: Sequence[Section], measurements: Sequence[Measurement], alpha: float) -> Markup:
    made = tests_made(measurements)
    correction = (
        f"A star marks what is at most {alpha:g} after correction: Holm’s, over all {made:,} tests of this run; for "
        "the cells of a matrix of scores Benjamini and Hochberg’s, over the whole matrix."
    )
    said = [tag("h3", "Correction for many tests"), tag("p", correction)]
    if one_sided([row for section in cut for row in section.rows]):
        said.append(tag("p", f"The p-values of WEAT and SEAT are one-sided: {ONE_SIDED}."))
    ways = [(section, methods(section.rows)[:_MANY]) for section in cut]
    for section, how in ways:
        said.append(tag("h3", f"{section.meaning.name}: how p-values and intervals were computed"))
        said.append(tag("ul", *(tag("li", each) for each in how)))
    text = " ".join(each for _, how in ways for each in how)
    terms = [part for term, meant in _TERMS.items() if term in text for part in (tag("dt", term), tag("dd", meant))]
    if terms:
        said += [tag("h3", "What these words mean"), tag("dl", *terms, class_="facts")]
    return tag("section", tag("h2", "Method", id="method"), *said)


def provenance(manifest: Mapping[str, Any]) -> Markup:
    shown = {key: value for key, value in manifest.items() if key != "jobs"}  # those without a result are named above
    again = "The same spec, seed, models and versions give the same numbers."
    return tag("section", tag("h2", "Provenance", id="provenance"), tag("p", again), _facts(shown, _DEEP))


def _facts(values: Mapping[Any, Any], deep: int) -> Markup:
    """Plain values as a list of facts; what is nested unfolds."""
    plain = {key: value for key, value in values.items() if not isinstance(value, Mapping | list) or not value}
    nested = {key: value for key, value in values.items() if key not in plain}
    facts = [
        part for key, value in list(plain.items())[:_MANY] for part in (tag("dt", _words(key)), tag("dd", _text(value)))
    ]
    folds = []
    for key, value in list(nested.items())[:_MANY]:
        inner: Mapping[Any, Any] = value if isinstance(value, Mapping) else dict(enumerate(value, 1))
        short = all(not isinstance(each, Mapping | list) for each in inner.values())
        if deep == 0 or (short and not isinstance(value, Mapping)):
            facts += [tag("dt", _words(key)), tag("dd", _text(value))]
        else:
            folds.append(tag("details", tag("summary", _words(key)), _facts(inner, deep - 1)))
    return together([tag("dl", *facts, class_="facts") if facts else None, *folds])


def _words(key: object) -> str:
    return str(key).replace("_", " ")


def _text(value: object) -> str:
    if isinstance(value, str):
        return value[:4_000]
    return json.dumps(value, ensure_ascii=False, default=str)[:4_000]
