"""WEAT and SEAT: an association test on a model, with an exact p-value, an interval and what was lost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tiltmeter.lexicon.catalogue import association_test
from tiltmeter.lexicon.seat import seat_test
from tiltmeter.lexicon.tests import AssociationTest, Passage, SentenceTest
from tiltmeter.measure.sides import sides_of
from tiltmeter.measurement import Lost, Measurement
from tiltmeter.metrics.association import cosines, effect_size, statistic
from tiltmeter.metrics.interval import Interval, effect_size_interval
from tiltmeter.metrics.null_model import null_share
from tiltmeter.metrics.permutation import Alternative, Method, PermutationTest, permutation_test
from tiltmeter.models.base import Embedder
from tiltmeter.models.load import load

# Vectors are in single precision. Associations that differ by no more than this, which is what hard debiasing leaves,
# differ by rounding.
_ALIKE = 1e-6


@dataclass(frozen=True, slots=True)
class Similarities:
    """What an effect size is computed from: the words of X, then Y as rows, of A, then B as columns.

    `words` and `attribute_words` say of which word each row and column is: a word may have several sentences.
    """

    values: NDArray[np.float64]
    n_x: int
    n_a: int
    words: tuple[str, ...]
    attribute_words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AssociationResult:
    """What an association test found on a model.

    `null_share` is how often lists of these sizes, with no bias at all, show an effect at least this large. Where a
    test has several sentences a word, which are not independent, it is that of the words' mean scores, and
    `p_value_words` is the p-value of these; otherwise it equals `p_value`.
    """

    model: str
    test: str
    metric: str
    language: str
    effect_size: float
    statistic: float
    difference: float  # of the mean associations of X and of Y: the effect size less its unit
    permutation: PermutationTest
    p_value_words: float
    interval: Interval
    null_share: float
    counts: Mapping[str, int]
    lost: tuple[Lost, ...]
    settings: Mapping[str, Any]
    similarities: Similarities = field(repr=False, compare=False)

    @property
    def p_value(self) -> float:
        return self.permutation.p_value

    def measurement(self) -> Measurement:
        """The result as a row of a results table."""
        return Measurement(
            model=self.model,
            test=self.test,
            metric=self.metric,
            language=self.language,
            value=self.effect_size,
            low=self.interval.low,
            high=self.interval.high,
            level=self.interval.level,
            p_value=self.p_value,
            method=f"p-value {self.permutation.method}; "
            f"interval {self.interval.method} over {self.settings['interval_over']}",
            counts=self.counts,
            lost=self.lost,
            settings=self.settings,
            details={
                "statistic": self.statistic,
                "p_value_low": self.permutation.low,
                "p_value_high": self.permutation.high,
                "p_value_words": self.p_value_words,
                "null_share": self.null_share,
            },
        )


def weat(
    model: Embedder | str | Path,
    test: AssociationTest | SentenceTest | str,
    *,
    lang: str = "en",
    p_value: Method = "exact",
    alternative: Alternative = "greater",
    ddof: int = 1,
    level: float = 0.95,
    interval_over: Literal["all words", "targets"] = "all words",
    resamples: int = 9_999,
    samples: int = 99_999,
    seed: int = 0,
) -> AssociationResult:
    """The Word Embedding Association Test of a model: a bundled test by name, or one of your own.

    The effect size is positive where X goes with A and Y with B. `p_value` is "exact", "sampled" or "normal" (see
    `tiltmeter.metrics.permutation`); the interval is a bootstrap over the words of all four sets, or of the targets.
    """
    given = association_test(test, lang) if isinstance(test, str) else test
    embedder = model if isinstance(model, Embedder) else load(model)
    x, y, a, b = sides = sides_of(embedder, given, x=2, y=2, a=1, b=1)
    similarities = cosines(np.concatenate([x.vectors, y.vectors]), np.concatenate([a.vectors, b.vectors]))
    n_x, n_a = len(x.words), len(a.words)
    scores = similarities[:, :n_a].mean(axis=1) - similarities[:, n_a:].mean(axis=1)
    size = effect_size(scores[:n_x], scores[n_x:], ddof=ddof)
    alike = math.isfinite(size) and float(np.ptp(scores)) <= _ALIKE
    if alike:  # what is left is rounding, and rounding over rounding is no effect
        similarities, scores, size = np.zeros_like(similarities), np.zeros_like(scores), 0.0
    of_x, of_y = _by_word(x.words, scores[:n_x]), _by_word(y.words, scores[n_x:])
    over_words = size if alike or of_x.size + of_y.size == scores.size else effect_size(of_x, of_y, ddof=ddof)

    def tested(values: NDArray[np.float64], first: int) -> PermutationTest:
        return permutation_test(values, first, method=p_value, alternative=alternative, samples=samples, seed=seed)

    permutation = tested(scores, n_x)
    nothing = Interval(0.0, 0.0, level, "none: all words are equally associated, but for rounding")
    if min(len(set(a.words)), len(set(b.words))) < 2:
        interval_over = "targets"  # one attribute word cannot be resampled
    return AssociationResult(
        model=embedder.name,
        test=given.name,
        metric="seat" if isinstance(given, SentenceTest) or given.has_sentences else "weat",
        language=given.language,
        effect_size=size,
        statistic=statistic(scores[:n_x], scores[n_x:]),
        difference=statistic(scores[:n_x], scores[n_x:], form="mean"),
        permutation=permutation,
        p_value_words=permutation.p_value
        if over_words is size
        else tested(np.concatenate([of_x, of_y]), of_x.size).p_value,
        interval=nothing
        if alike
        else effect_size_interval(
            similarities,
            n_x,
            n_a,
            words=(*x.words, *y.words),
            attribute_words=(*a.words, *b.words),
            over_attributes=interval_over == "all words",
            level=level,
            resamples=resamples,
            ddof=ddof,
            seed=seed,
        ),
        null_share=1.0 if alike else null_share(over_words, of_x.size, of_y.size, ddof=ddof),
        counts={side.name: len(side.words) for side in sides},
        lost=tuple(lost for side in sides for lost in side.lost),
        settings={
            **embedder.settings,
            "fingerprint": embedder.fingerprint,
            "p_value": p_value,
            "alternative": alternative,
            "ddof": ddof,
            "interval_over": interval_over,
            "resamples": resamples,
            "seed": seed,
        },
        similarities=Similarities(similarities, n_x, n_a, (*x.words, *y.words), (*a.words, *b.words)),
    )


def _by_word(words: Sequence[str], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean score of each word, over its sentences."""
    _, of = np.unique(np.array(words), return_inverse=True)
    return np.asarray(np.bincount(of, weights=scores) / np.bincount(of), dtype=np.float64)


def seat(
    model: Embedder | str | Path, test: AssociationTest | str, *, lang: str = "en", **options: Any
) -> AssociationResult:
    """The Sentence Encoder Association Test: a word test put into its bland sentences, or one made of sentences.

    The options are those of `weat`.
    """
    given = association_test(test.removeprefix("sent-"), lang) if isinstance(test, str) else test
    return weat(model, given if given.has_sentences else seat_test(given), lang=lang, **options)


def all_passages(tests: Sequence[SentenceTest]) -> list[Passage]:
    """Everything that a model will be asked for, so that it can prepare for it at once."""
    return [passage for test in tests for side in (test.x, test.y, test.a, test.b) for passage in side]
