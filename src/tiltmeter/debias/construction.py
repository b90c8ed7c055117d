"""What a method makes so whatever the vectors are, or has learned from: a measure of it shows that the method was
applied, and little more."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import combinations

import numpy as np

from tiltmeter.debias.along import FIXED, REFITTED
from tiltmeter.debias.hard import as_bytes
from tiltmeter.debias.transform import Debiaser
from tiltmeter.lexicon.catalogue import association_tests, multiclass_tests
from tiltmeter.lexicon.debias import Bias, spellings
from tiltmeter.lexicon.tests import AssociationTest
from tiltmeter.measurement import Measurement
from tiltmeter.metrics.association import Array

LEANING_GROUP = "words that leaned furthest"
KEY = "by_construction"  # among the details of a row of after: the reason, "" where there is none
REMAINS = ("recovered", "recovered, curved", "clustered")
_SAME = 1e-3  # as far as two directions may differ and be one
_NEARLY = 0.95  # the cosine of two that are nearly one
_LEARNED = {
    "inlp": "the method learned from these words what to take out",
    "double-hard": "what the method takes out was chosen by how little these words cluster",
}


@dataclasses.dataclass(frozen=True)
class Construction:
    """What is known of a method before anything is measured."""

    method: str
    removed: Array  # the directions that neutral words lose
    kept: frozenset[str] = frozenset()
    equal: tuple[frozenset[str], ...] = ()  # sets that were made equal

    def flagged(
        self, rows: Iterable[Measurement], bias: Bias, direction: Array | None, own: Array | None = None
    ) -> list[Measurement]:
        """Rows of after, each with the reason why the method makes it so, or none.

        `direction` is that of the defining words before, `own` what they show of themselves after.
        """
        return [
            dataclasses.replace(row, details={**row.details, KEY: self._reason(row, bias, direction, own)})
            for row in rows
        ]

    def _reason(self, row: Measurement, bias: Bias, direction: Array | None, own: Array | None) -> str:
        if row.metric in ("direct bias", "indirect bias") and REFITTED in row.test:
            return self._of_own(own)
        if row.metric in ("direct bias", "indirect bias") and FIXED in row.test and direction is not None:
            if self.method == "soft":
                return "it is what the method makes small"
            return "neutral words lose this direction" if self._takes(direction) else ""
        if row.metric in REMAINS and row.test == LEANING_GROUP:
            return _LEARNED.get(self.method, "")
        lost = {one.word for one in row.lost}
        if row.metric in ("weat", "association") and (test := association_tests(bias.language).get(row.test)):
            return self._of_association(test, lost)
        if row.metric == "bayes contrast: associated - different" and bias.multiclass in multiclass_tests(
            bias.language
        ):
            tested = multiclass_tests(bias.language)[bias.multiclass]
            sides = [_present(column, lost) for column in zip(*tested.definitions, strict=True)]
            return self._of_sides(sides, [word for words in tested.stereotypes.values() for word in words])
        return ""

    def _of_own(self, own: Array | None) -> str:
        """Words that were made equal differ in nothing but what neutral words have lost."""
        if own is None or not self.equal or not len(self.removed):
            return ""
        near = float(np.linalg.svd(own @ self.removed.T, compute_uv=False).min())
        if near < _NEARLY:
            return ""
        return (
            "the defining words were made equal, and what they still differ in is nearly what neutral words lost "
            f"(cosine {near:.2f})"
        )

    def _takes(self, direction: Array) -> bool:
        rest = direction - (direction @ self.removed.T) @ self.removed if len(self.removed) else direction
        return float(np.abs(np.linalg.norm(rest, axis=1)).max()) < _SAME

    def _of_association(self, test: AssociationTest, lost: Collection[str]) -> str:
        x, y, a, b = (_present(of.texts, lost) for of in (test.x, test.y, test.a, test.b))
        return self._of_sides([a, b], [*x, *y]) or self._of_sides([x, y], [*a, *b])

    def _of_sides(self, sides: Sequence[Sequence[str]], others: Sequence[str]) -> str:
        """Neutral words are equally near to all words of a set that was made equal, and so to sides that share such
        sets alike."""
        if not self.equal or not all(self._alike(one, other) for one, other in combinations(sides, 2)):
            return ""
        own = [word for word in others if any(way in self.kept for (way,) in spellings([word]))]
        if 10 * len(own) > len(others):
            return ""
        but = f" (not so {', '.join(map(repr, own))})" if own else ""
        return f"neutral words are equally near to all words of a set made equal{but}"

    def _alike(self, one: Sequence[str], other: Sequence[str]) -> bool:
        """Whether two lists of words have equal shares of each set, and no word of none."""
        shares = []
        for words in (one, other):
            counts = Counter(self._set_of(word) for word in words)
            shares.append({number: count / len(words) for number, count in counts.items()})
        return None not in shares[0] and shares[0] == shares[1]

    def _set_of(self, word: str) -> int | None:
        """The set of the word as a vocabulary has it: as it is written, else in lower case, else in title case."""
        ways = (word, word.lower(), word.title())
        return next((number for way in ways for number, of in enumerate(self.equal) if way in of), None)


def construction(debiaser: Debiaser, bias: Bias) -> Construction:
    """Of a method that was fitted to a vocabulary."""
    ways = [way for row in bias.equalise for way in spellings(row)]
    equal = [frozenset(word for word in way if as_bytes(word) in debiaser.replaced) for way in ways]
    return Construction(
        debiaser.method,
        debiaser.directions,
        frozenset(word.decode("utf-8", "surrogatepass") for word in debiaser.kept),
        tuple(dict.fromkeys(words for words in equal if len(words) > 1)),
    )


def _present(words: Iterable[str], lost: Collection[str]) -> list[str]:
    return [word for word in words if word not in lost]
