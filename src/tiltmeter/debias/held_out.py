"""What a projection leaves in words and sentences that it was not fitted to.

What was fitted to rows cannot be judged by them: less their own leading component, what is left of a row points away
from what is left of the others, and a classifier that learns of these errs more often than by chance.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tiltmeter.debias.remains import Group
from tiltmeter.debias.templates import InSentences
from tiltmeter.metrics.association import Array
from tiltmeter.metrics.subspace import bias_subspace

FEWEST_SETS = 6  # definitions: three in each half, of which two teach the classifier about the third


def held_out(seen: InSentences, classes: tuple[str, ...], dimensions: int) -> tuple[Group, Array, Array] | None:
    """Rows about the mean of their sentence, without and with a projection that knows neither their word nor sentence.

    Each half of the definitions, in each half of the sentences, is projected by what was fitted to the other half of
    both, and told apart by itself, so that no classifier sees rows of which another part was taken. What is fitted to
    a quarter of the rows misses more than what is fitted to all of them, so that this is rather more than what the
    projection itself leaves. None where there are too few definitions or sentences.
    """
    centred, several = _within(seen.rows, seen.group)
    _, number = np.unique(seen.word_set, return_inverse=True)
    half = np.full(len(centred), -1)
    projected = centred.copy()
    for side in (0, 1):
        mine = several & (number % 2 == side) & (seen.template % 2 == side)
        if len(np.unique(number[mine])) < FEWEST_SETS // 2:
            return None
        try:
            others = seen.sets((number % 2 != side) & (seen.template % 2 != side))
            fitted = bias_subspace(others, dimensions).directions
        except ValueError:
            return None
        projected[mine] -= (centred[mine] @ fitted.T) @ fitted
        half[mine] = side
    rows = np.flatnonzero(half >= 0)
    group = Group(
        "states after defining words, held out",
        tuple(seen.sentence[row] for row in rows),
        seen.labels[rows],
        classes,
        together=number[rows],
        parts=half[rows],
    )
    return group, centred[rows], projected[rows]


def _within(rows: Array, group: NDArray[np.intp]) -> tuple[Array, NDArray[np.bool_]]:
    """Rows about the mean of their group, which says the sentence and nothing of the class; and which have others."""
    made, several = rows.copy(), np.zeros(len(rows), dtype=np.bool_)
    for each in np.unique(group):
        mine = group == each
        made[mine] -= made[mine].mean(axis=0)
        several |= mine & (np.count_nonzero(mine) > 1)
    return made, several
