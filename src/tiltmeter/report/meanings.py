"""What the number of each metric says: its name, the value that leans neither way, and how to put it in words."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass
from functools import cache

from tiltmeter.lexicon.catalogue import association_tests, languages
from tiltmeter.lexicon.seat import seat_test
from tiltmeter.lexicon.tests import AssociationTest
from tiltmeter.lexicon.words import WordSet
from tiltmeter.measurement import Measurement


@dataclass(frozen=True, slots=True)
class Meaning:
    """`neutral` is the value that leans neither way; None where there is no such value."""

    name: str
    quantity: str
    neutral: float | None
    digits: int
    question: str  # what the metric asks, for a reader who knows none of the literature
    above: str  # what a value above the neutral one says
    below: str


MATRICES = ("direct", "indirect")  # metrics whose rows are the cells of targets × features
_LEANS = ("X goes with A, and Y with B", "X goes with B, and Y with A")
_MEANINGS = {
    "weat": Meaning(
        "WEAT",
        "effect size",
        0.0,
        2,
        "Do the words of X stand nearer to the attributes A, and those of Y nearer to B, than the other way round?",
        *_LEANS,
    ),
    "seat": Meaning(
        "SEAT",
        "effect size",
        0.0,
        2,
        "The question of WEAT, asked of whole sentences: do those about X stand nearer to A, and those about Y to B?",
        *_LEANS,
    ),
    "lpbs": Meaning(
        "LPBS",
        "effect size",
        0.0,
        2,
        "Do the attributes A make the model expect the words of X, and the attributes B those of Y, more than the "
        "other way round?",
        *_LEANS,
    ),
    "crows": Meaning(
        "CrowS-Pairs",
        "score",
        50.0,
        1,
        "In how many per cent of the pairs does the model find the more stereotypical of two sentences likelier?",
        "the more stereotypical sentence is preferred more often than not",
        "the less stereotypical sentence is preferred more often than not",
    ),
    "direct": Meaning(
        "Direct score",
        "log ratio",
        0.0,
        2,
        "Does the model find a feature likelier beside a target than beside a blank?",
        "the feature is likelier beside the target",
        "the feature is less likely beside the target",
    ),
    "indirect": Meaning(
        "Indirect score",
        "correlation",
        0.0,
        2,
        "Do the first names that a model links with a target go with a feature as well?",
        "names that go with the target go with the feature",
        "names that go with the target do not go with the feature",
    ),
    "bayes": Meaning(
        "Bayesian estimate",
        "difference of mean distances",
        0.0,
        3,
        "Do protected words stand nearer to the stereotypes about them than to other words, and how sure is that?",
        "protected words stand further from what is associated with them",
        "protected words stand nearer to what is associated with them",
    ),
}


def family(metric: str) -> str:
    """The section of a report that a metric belongs to: all quantities of the Bayesian estimate share one."""
    return "bayes" if metric.startswith("bayes ") else metric


def meaning(metric: str) -> Meaning:
    """What a metric says; one that is not known here has its own name and no neutral value."""
    own = Meaning(metric, "value", None, 3, "", "above", "below")
    return _MEANINGS.get(family(metric), own)


def neutral(row: Measurement) -> float | None:
    """The value of this row that leans neither way."""
    if family(row.metric) != "bayes":
        return meaning(row.metric).neutral
    quantity = str(row.details.get("quantity", ""))
    if "contrast" in quantity or quantity == "change":
        return 0.0
    return 1.0 if quantity in ("bar", "word") else None  # a cosine distance of 1: unrelated


def excludes_neutral(row: Measurement) -> bool | None:
    """Whether the interval leaves out the neutral value; None where there is no interval or no such value."""
    at = neutral(row)
    if at is None or not (row.low <= row.high):
        return None
    return row.low > at or row.high < at


def headline(row: Measurement) -> bool:
    """Whether the row stands for a whole test on a model, rather than for one part, word or cell of it."""
    kind = family(row.metric)
    if kind == "crows":
        return str(row.details.get("part", "all")) == "all"
    if kind == "bayes":
        return str(row.details.get("quantity")) == "contrast"
    return kind not in MATRICES


def catalogued(row: Measurement) -> AssociationTest | None:
    """The bundled test of this name and these sizes: a user's own may have the same name and other words."""
    if family(row.metric) not in ("weat", "seat", "lpbs"):
        return None
    found, sizes = _bundled(row.test.removeprefix("sent-"), row.language, in_sentences=row.metric == "seat")
    lost = Counter(each.where for each in row.lost)
    return found if {side: row.counts.get(side, 0) + lost[side] for side in sizes} == sizes else None


@cache
def _bundled(name: str, language: str, *, in_sentences: bool) -> tuple[AssociationTest | None, dict[str, int]]:
    """A bundled test, and how many words or sentences each of its sets has."""
    found = association_tests(language).get(name) if language in languages() else None
    if found is None:
        return None, {}
    texts = (seat_test(found) if in_sentences and not found.has_sentences else found).texts()
    return found, {side: len(of_side) for side, of_side in zip("XYAB", texts, strict=True)}


def title(row: Measurement) -> str:
    """What a bundled test compares; empty for others."""
    found = catalogued(row)
    return found.title if found else ""


def leaning(row: Measurement) -> str:
    """In words, which way the value points."""
    of, at = meaning(row.metric), neutral(row)
    if at is None or row.value == at or math.isnan(row.value):
        return ""
    test = catalogued(row)
    if test is None:
        return of.above if row.value > at else of.below
    near, far = (test.a, test.b) if row.value > at else (test.b, test.a)
    first, with_first, second, with_second = map(_spoken, (test.x, near, test.y, far))
    return f"“{first}” goes with “{with_first}”, and “{second}” with “{with_second}”"


def _spoken(words: WordSet) -> str:
    """The title of a word set; those of May et al. are written in one word (MaleNames)."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", words.title or words.name)
