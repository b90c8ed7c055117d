"""How much of words that should be neutral lies along the bias: direct and indirect bias, along two directions.

What was found before debiasing is one direction, the same on both sides: a method that takes it out makes the bias
along it 0. What the defining words show of themselves afterwards is another one, and says what is left of the bias.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tiltmeter.debias.paired import mean_with_interval
from tiltmeter.debias.sample import Rows, Sample, wide
from tiltmeter.lexicon.debias import Bias
from tiltmeter.measurement import Measurement
from tiltmeter.metrics.association import Array
from tiltmeter.metrics.subspace import bias_subspace, direct_bias, indirect_bias

FIXED, REFITTED = "direction of before", "each its own direction"
_NEAREST = 5


def along(sample: Sample, bias: Bias, probes: Sequence[str], sides: tuple[str, str]) -> Iterator[Measurement]:
    """Direct and indirect bias of both sides, along the direction of before and along each side's own."""
    words = np.unique(sample.rows_of(probes))
    own = [directions(sample, rows, bias) for rows in (sample.before, sample.after)]
    if words.size < 2 or own[0] is None:
        return
    for named, pair in ((FIXED, (own[0], own[0])), (REFITTED, own)):
        for side, rows, found in zip(sides, (sample.before, sample.after), pair, strict=True):
            if found is not None:
                yield from _lean(
                    sample, wide(rows[words]), words, found, f"{' and '.join(bias.probe)} words, {named}", side, bias
                )


def directions(sample: Sample, rows: Rows, bias: Bias) -> Array | None:
    """The bias subspace of the defining words of one side; None where they show none."""
    sets = [wide(rows[sample.rows_of([word for word in row if word])]) for row in bias.definitions]
    sets = [one for one in sets if len(one) > 1]
    try:
        return bias_subspace(sets, min(len(bias.classes) - 1, sum(len(one) - 1 for one in sets))).directions
    except ValueError:
        return None


def _lean(
    sample: Sample, vectors: Array, words: NDArray[np.intp], found: Array, what: str, side: str, bias: Bias
) -> Iterator[Measurement]:
    lean = np.sqrt(np.sum((vectors @ found.T) ** 2, axis=1))
    if len(found) == 1:
        lean = np.array([direct_bias(vector[None], found[0]) for vector in vectors])
    yield mean_with_interval(side, what, "direct bias", lean, language=bias.language, method="words")
    if len(found) > 1:
        return
    start = wide(sample.before[words])
    near = start @ start.T
    np.fill_diagonal(near, -np.inf)
    order = np.argsort(-near, axis=1)[:, : min(_NEAREST, len(words) - 1)]  # the same pairs on both sides
    shares = np.abs(indirect_bias(vectors, vectors, found[0]))
    beside = np.take_along_axis(shares, order, axis=1)
    known = np.isfinite(beside).any(axis=1)
    yield mean_with_interval(
        side,
        f"{what}, nearest pairs",
        "indirect bias",
        np.nanmean(beside[known], axis=1),
        of=words[known].tolist(),
        language=bias.language,
        method="words",
    )
