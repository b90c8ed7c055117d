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
from tiltmeter.measure.mac import STEREOTYPES
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
WITHOUT_WHOLE = (*MATRICES, "wefat")  # metrics none of whose rows stands for a whole test
_SOME = ("more", "less")
_FAR = ("further apart than unrelated words", "nearer than unrelated words")
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
    "wefat": Meaning(
        "WEFAT",
        "effect size",
        0.0,
        2,
        "With which of the attributes A and B does each single word of X and Y go?",
        "the word goes with A",
        "the word goes with B",
    ),
    "rnd": Meaning(
        "Relative norm distance",
        "difference of distances",
        0.0,
        3,
        "Are words nearer to the mean of the attributes A, or to that of B?",
        "the words are nearer to B",
        "the words are nearer to A",
    ),
    "ect": Meaning(
        "Embedding coherence",
        "rank correlation",
        None,
        2,
        "Do the attributes A and B rank the words of X and Y alike? 1: they do.",
        *_SOME,
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
    "association": Meaning(
        "Association",
        "cosine similarity",
        0.0,
        3,
        "The question of WEAT, less its unit: how much nearer do the words of X stand to A, in cosine similarity?",
        *_LEANS,
    ),
    "mac": Meaning(
        "MAC",
        "cosine distance",
        None,  # 1 is what unrelated words show, and not what words without bias do (Dobrzeniecka & Urbaniak)
        3,
        "How far are protected words from stereotypes, on the whole, and how far from human and neutral words?",
        *_FAR,
    ),
    "direct bias": Meaning(
        "Direct bias", "mean size", 0.0, 3, "How much of words that should be neutral lies along the bias?", *_SOME
    ),
    "indirect bias": Meaning(
        "Indirect bias", "share", 0.0, 3, "What share of the likeness of neutral words is owed to the bias?", *_SOME
    ),
    "direct scores": Meaning("Direct scores", "mean size", 0.0, 3, "How far do targets and features lean?", *_SOME),
    "indirect scores": Meaning(
        "Indirect scores", "mean size", 0.0, 3, "How far do they lean, by way of first names?", *_SOME
    ),
    "recovered": Meaning(
        "What a linear classifier recovers",
        "per cent recognised",
        None,
        1,
        "Can words still be told apart by class?",
        *_SOME,
    ),
    "recovered, curved": Meaning(
        "What a curved classifier recovers",
        "per cent recognised",
        None,
        1,
        "Can words be told apart by class where the boundary need not be flat (Gonen & Goldberg 2019)?",
        *_SOME,
    ),
    "clustered": Meaning(
        "What clustering recovers",
        "per cent in their cluster",
        None,
        1,
        "Do words of a class still stand together (Gonen & Goldberg 2019)?",
        *_SOME,
    ),
    "analogies": Meaning("Analogies", "per cent solved", None, 1, "Is d still the word nearest to b - a + c?", *_SOME),
    "triples": Meaning("Triples", "per cent solved", None, 1, "Is the likelier word still the nearer one?", *_SOME),
    "neighbours kept": Meaning("Neighbours kept", "per cent", None, 1, "Does a word keep its neighbours?", *_SOME),
    "predictions kept": Meaning("Predictions kept", "per cent", None, 1, "Are the likeliest words the same?", *_SOME),
    "log-likelihood": Meaning("Log-likelihood", "mean log P", None, 3, "How likely are plain sentences?", *_SOME),
    "moved": Meaning("Words moved", "cosine distance", None, 4, "How far did words move?", *_SOME),
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
    if kind == "mac":
        return str(row.details.get("part", STEREOTYPES)) == STEREOTYPES
    return kind not in WITHOUT_WHOLE


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
