"""The association tests of a bias on both sides: their words are resampled once, for both sides together."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tiltmeter.debias.paired import Differences
from tiltmeter.errors import InputError
from tiltmeter.lexicon.catalogue import association_test, association_tests
from tiltmeter.lexicon.debias import Bias
from tiltmeter.lexicon.seat import seat_test
from tiltmeter.lexicon.tests import AssociationTest, Passage
from tiltmeter.measure.association import seat, weat
from tiltmeter.measurement import Measurement
from tiltmeter.metrics.association import TIE, Array, cosines
from tiltmeter.metrics.interval import Interval, bca
from tiltmeter.models.base import Embedder

_RESAMPLES = 4_000
_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Similarities:
    """Of the words or sentences of X, then Y (rows) to those of A, then B (columns); and of which word each is."""

    table: Array
    words: tuple[tuple[str, ...], ...]  # of X, Y, A and B


def associations(
    models: Mapping[str, Embedder], bias: Bias, *, seed: int, in_sentences: bool, smallest: float, remarks: list[str]
) -> tuple[dict[str, list[Measurement]], Differences]:
    """Each test's effect size, and its association: how much nearer X stands to A and Y to B, in cosine similarity.

    The effect size is the association over its own spread. Where both are rounding (`smallest`) the one divides noise
    by noise, and is 0 here, as it is in `weat` where the vectors are in single precision.
    """
    rows: dict[str, list[Measurement]] = {side: [] for side in models}
    apart: Differences = {}
    for name in bias.tests:
        if name not in association_tests(bias.language):
            continue
        test = association_test(name, bias.language)
        sides: list[tuple[Similarities, tuple[Measurement, Measurement], tuple[Resampled, Resampled]]] = []
        for side, model in models.items():
            try:
                found = (seat if in_sentences else weat)(model, test, seed=seed)
            except InputError as error:
                remarks.append(f"{name}: {error}")
                continue
            seen = similarities(model, test, in_sentences=in_sentences)
            drawn = resampled(seen, seed=seed)
            row = dataclasses.replace(found.measurement(), model=side)
            association = _association(row, found.difference, drawn[0])
            spread = found.difference / found.effect_size if found.effect_size else 0.0
            if max(abs(found.difference), spread) <= smallest:
                row = dataclasses.replace(
                    row, value=0.0, low=0.0, high=0.0, p_value=1.0, method="none: what is left is rounding"
                )
                drawn = drawn[0], drawn[1].nothing()
            row = dataclasses.replace(
                row, details={**row.details, "association": found.difference, "rounding": smallest}
            )
            rows[side] += [row, association]
            sides.append((seen, (association, row), drawn))
        if len(sides) == 2 and sides[0][0].words == sides[1][0].words:
            for of_before, of_after, before, after in zip(
                sides[0][1], sides[1][1], sides[0][2], sides[1][2], strict=True
            ):
                interval = after.less(before).interval(of_after.value - of_before.value)
                apart[of_after.metric, of_after.test] = (interval.low, interval.high)
    return rows, apart


def _association(row: Measurement, observed: float, drawn: Resampled) -> Measurement:
    interval = drawn.interval(observed)
    return dataclasses.replace(
        row,
        metric="association",
        value=observed,
        low=interval.low,
        high=interval.high,
        level=interval.level,
        p_value=float("nan"),
        method="difference of the mean associations of X and Y, in cosine similarity; "
        f"interval {interval.method} over the words of all four sets",
        details={},
    )


def similarities(model: Embedder, test: AssociationTest, *, in_sentences: bool) -> Similarities:
    """What the test looks at."""
    given = seat_test(test) if in_sentences and not test.has_sentences else test.passages()
    vectors: list[NDArray[np.float32]] = []
    words: list[tuple[str, ...]] = []
    for passages in (given.x, given.y, given.a, given.b):
        rows, of = _embedded(model, passages)
        vectors.append(rows)
        words.append(of)
    return Similarities(cosines(np.concatenate(vectors[:2]), np.concatenate(vectors[2:])), tuple(words))


def _embedded(model: Embedder, passages: Sequence[Passage]) -> tuple[NDArray[np.float32], tuple[str, ...]]:
    found = model.embed(passages)
    return found.vectors, tuple(passages[place].word for place in found.kept)


@dataclass(frozen=True, slots=True)
class Resampled:
    """Values of a statistic on resamples, and with one word of one set left out at a time."""

    draws: Array
    without: tuple[Array, ...]

    def interval(self, observed: float) -> Interval:
        return bca(self.draws, self.without, observed, _LEVEL)

    def nothing(self) -> Resampled:
        """Of a statistic that is 0 whatever the words."""
        return Resampled(np.zeros_like(self.draws), tuple(map(np.zeros_like, self.without)))

    def less(self, other: Resampled) -> Resampled:
        """The difference to the same words on another side."""
        without = tuple(mine - theirs for mine, theirs in zip(self.without, other.without, strict=True))
        return Resampled(self.draws - other.draws, without)


def resampled(seen: Similarities, *, seed: int = 0, resamples: int = _RESAMPLES) -> tuple[Resampled, Resampled]:
    """Association and effect size over the words of X, Y, A and B, each with all of its sentences.

    The same words and seed give the same resamples, whatever the similarities.
    """
    rng = np.random.default_rng(seed)
    of = [np.unique(np.asarray(words), return_inverse=True)[1] for words in seen.words]
    sizes = [int(items.max()) + 1 for items in of]
    once = [np.ones((1, items.size)) for items in of]
    # A set of one word cannot be resampled.
    several = [place for place, size in enumerate(sizes) if size > 1]
    drawn = list(once)
    for place in several:
        n = sizes[place]
        drawn[place] = rng.multinomial(n, np.full(n, 1 / n), size=resamples)[:, of[place]].astype(np.float64)
    draws = _values(seen.table, drawn)
    without = [
        _values(seen.table, [*once[:place], (1 - np.eye(sizes[place]))[:, of[place]], *once[place + 1 :]])
        for place in several
    ]
    first, second = (Resampled(draws[kind], tuple(each[kind] for each in without)) for kind in (0, 1))
    return first, second


def _values(table: Array, weights: Sequence[Array]) -> tuple[Array, Array]:
    """Association and effect size, where row r of a set's weights says how often each item is in sample r of it."""
    x, y, a, b = weights
    n_a = a.shape[1]
    scores = a / a.sum(axis=1, keepdims=True) @ table[:, :n_a].T - b / b.sum(axis=1, keepdims=True) @ table[:, n_a:].T
    s_x, s_y = scores[:, : x.shape[1]], scores[:, x.shape[1] :]
    n_x, n_y = x.sum(axis=1), y.sum(axis=1)
    sum_x, sum_y = (x * s_x).sum(axis=1), (y * s_y).sum(axis=1)
    mean = ((sum_x + sum_y) / (n_x + n_y))[:, None]
    squares = (x * (s_x - mean) ** 2).sum(axis=1) + (y * (s_y - mean) ** 2).sum(axis=1)
    spread = np.sqrt(squares / (n_x + n_y - 1))
    spread[spread <= TIE] = np.nan
    apart = sum_x / n_x - sum_y / n_y
    return apart, apart / spread
