"""Hard debiasing, binary and of several classes, and linear projection."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from tiltmeter.debias.subspace import Defined
from tiltmeter.debias.transform import NOTHING
from tiltmeter.measurement import Lost
from tiltmeter.metrics.association import Array


def equalised(rows: Array, directions: Array) -> Array | None:
    """The words of a set, alike but for the bias   (Bolukbasi et al. 2016, step 2b; Manzini et al. 2019 for several)

        ν = μ - μ_B,   e = ν + √(1 - ‖ν‖²) (w_B - μ_B) / ‖w_B - μ_B‖

    of rows w of length 1 with mean μ; _B is the part in the subspace. All have the same part ν outside of it, and the
    same distance from it. None where words of the set do not differ within the subspace: the formula says nothing.
    """
    mean = rows.mean(axis=0)
    within = (rows - mean) @ directions.T
    sizes = np.linalg.norm(within, axis=1)
    if np.any(sizes <= NOTHING):
        return None
    rest = mean - (mean @ directions.T) @ directions
    height = np.sqrt(max(0.0, 1.0 - float(rest @ rest)))
    return np.asarray(rest + height * (within / sizes[:, None]) @ directions, dtype=np.float64)


def replacements(
    words: Defined, directions: Array, before: Callable[[Array], Array]
) -> tuple[dict[bytes, Array], tuple[Lost, ...]]:
    """The new vectors of all sets that are to be made equal, and the sets that cannot be."""
    made: dict[bytes, Array] = {}
    lost: list[Lost] = []
    for spelled, rows in words.equalise:
        new = equalised(before(rows), directions)
        if new is None:
            lost += [
                Lost(word, "equalise", "it differs from the others of its set in nothing of the bias")
                for word in spelled
            ]
            continue
        made.update({as_bytes(word): row for word, row in zip(spelled, new, strict=True)})
    return made, tuple(lost)


def as_bytes(word: str) -> bytes:
    return word.encode("utf-8", "surrogatepass")


def all_bytes(words: Iterable[str]) -> frozenset[bytes]:
    return frozenset(map(as_bytes, words))
