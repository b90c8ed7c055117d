"""How near protected words stand to stereotypes and to control words: distances, MAC, the Bayesian estimate."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tiltmeter.bayes.data import Distances, mean_average_cosine
from tiltmeter.bayes.embedding import distances_in
from tiltmeter.debias.paired import Differences, mean_with_interval
from tiltmeter.errors import InputError, ModelError
from tiltmeter.lexicon.catalogue import multiclass_tests
from tiltmeter.lexicon.debias import Bias
from tiltmeter.measurement import Measurement
from tiltmeter.models.base import Embedder

if TYPE_CHECKING:
    from tiltmeter.bayes.fit import Posterior


@dataclasses.dataclass(frozen=True)
class Closeness:
    """Of both sides, before first. `changes`: intervals of what differs between the posteriors, at their level."""

    distances: tuple[Distances, ...]
    posteriors: tuple[Posterior, ...]
    rows: Mapping[str, list[Measurement]]
    changes: Differences = dataclasses.field(default_factory=dict)


def closeness(models: Mapping[str, Embedder], bias: Bias, *, bayes: bool, seed: int, remarks: list[str]) -> Closeness:
    """Everything that follows from the distances of the bias's multiclass test; nothing where it has none."""
    found = _distances(models, bias, remarks)
    rows = {side: [_mac(distances, side)] for side, distances in found.items()}
    fitted = _posteriors(list(found.values()), seed, remarks) if bayes and found else ()
    apart: Differences = {}
    if fitted:
        from tiltmeter.bayes.estimates import changes
        from tiltmeter.bayes.summary import measurements

        for side, posterior in zip(rows, fitted, strict=True):
            rows[side] += measurements(posterior)
        for one in changes(*fitted):
            kind = "contrast" if " - " in one.connection else "bar"
            apart[f"bayes {kind}: {one.connection}", bias.multiclass] = (one.low, one.high)
    return Closeness(tuple(found.values()), fitted, rows, apart)


def _distances(models: Mapping[str, Embedder], bias: Bias, remarks: list[str]) -> dict[str, Distances]:
    if bias.multiclass not in multiclass_tests(bias.language):
        return {}
    try:
        found = {side: distances_in(model, bias.multiclass, lang=bias.language) for side, model in models.items()}
    except InputError as error:
        remarks.append(f"{bias.multiclass}: {error}")
        return {}
    if not all("associated" in one.present and "different" in one.present for one in found.values()):
        remarks.append(f"{bias.multiclass}: its words or its stereotypes are not in the vocabulary")
        return {}
    return {side: dataclasses.replace(one, model=side) for side, one in found.items()}


def _mac(distances: Distances, side: str) -> Measurement:
    """MAC, with an interval over the protected words."""
    stereotype = np.isin(distances.connection, (0, 1))
    sets = sorted({distances.sets[row] for row in np.flatnonzero(stereotype)})
    of = np.array([sets.index(name) if here else -1 for name, here in zip(distances.sets, stereotype, strict=True)])
    means = []
    for word in range(len(distances.words)):
        mine = [distances.distance[(distances.word == word) & (of == each)] for each in range(len(sets))]
        means.append(
            np.mean([each.mean() for each in mine if each.size]) if any(each.size for each in mine) else np.nan
        )
    known = np.isfinite(means)
    row = mean_with_interval(
        side,
        distances.name,
        "mac",
        np.array(means)[known],
        of=[word for word, here in zip(distances.words, known, strict=True) if here],
        language=distances.language,
        method="protected words",
    )
    return dataclasses.replace(row, value=mean_average_cosine(distances), lost=distances.lost)


def _posteriors(found: Sequence[Distances], seed: int, remarks: list[str]) -> tuple[Posterior, ...]:
    from tiltmeter.bayes.fit import fit, require

    try:
        require()
        return tuple(fit(list(found), seed=seed, draws=2_000))
    except (ModelError, InputError) as error:
        remarks.append(f"no Bayesian estimate: {error}")
        return ()
