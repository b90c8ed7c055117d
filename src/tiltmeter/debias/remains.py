"""What is left of a bias: whether a classifier, or clustering, still tells words apart that leaned to different sides.

Gonen & Goldberg 2019: words that stood nearer to one gender before debiasing still stand together after it, though none
of them stands nearer to he than to she.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from tiltmeter.debias.classify import Labels, agreement, clusters, cross_validated
from tiltmeter.debias.paired import Itemised
from tiltmeter.metrics.association import Array

FEWEST = 10  # words of each class; of fewer, no share says anything
FOLDS = 10
_VALIDATED = f"cross-validated in {FOLDS} folds at most"


@dataclass(frozen=True, slots=True)
class Group:
    """Words whose class is known, from outside or from where they stood before."""

    name: str
    words: tuple[str, ...]
    labels: Labels
    classes: tuple[str, ...]
    together: Labels | None = None  # numbers of groups of rows that tell of one another
    parts: Labels | None = None  # numbers of parts that are told apart each by itself

    @property
    def tested(self) -> bool:
        return int(np.bincount(self.labels, minlength=len(self.classes)).min()) >= FEWEST

    @property
    def chance(self) -> float:
        return float(np.bincount(self.labels).max() / self.labels.size)


def recovered(rows: Mapping[str, Array], group: Group, *, language: str = "en", seed: int = 0) -> Iterator[Itemised]:
    """For each model (its vectors of the group's words): in per cent, how many a classifier and clusters get right.

    A method that takes out what linear classifiers go by leaves what others see: one more has a curved boundary, as
    that of Gonen & Goldberg.
    """
    if not group.tested:
        return
    parts = np.zeros(group.labels.size, dtype=np.intp) if group.parts is None else group.parts
    for model, X in rows.items():
        right, curved, together = np.zeros((3, group.labels.size), dtype=np.bool_)
        for part in (np.flatnonzero(parts == each) for each in np.unique(parts)):
            labels = group.labels[part]
            of = None if group.together is None else group.together[part]
            right[part] = cross_validated(X[part], labels, together=of, folds=FOLDS, seed=seed)
            curved[part] = cross_validated(X[part], labels, together=of, folds=FOLDS, seed=seed, kernel=True)
            together[part] = agreement(labels, clusters(X[part], len(group.classes), seed=seed))
        yield _share(model, "recovered", group, right, f"softmax regression, {_VALIDATED}", language)
        yield _share(model, "recovered, curved", group, curved, f"radial kernel, least squares, {_VALIDATED}", language)
        yield _share(model, "clustered", group, together, f"k-means, {len(group.classes)} clusters", language)


def _share(
    model: str, metric: str, group: Group, right: NDArray[np.bool_], how: str, language: str, level: float = 0.95
) -> Itemised:
    share = float(right.mean())
    # Rows that belong together are right or wrong together: as many trials as there are groups, not rows.
    of = np.arange(right.size) if group.together is None else group.together
    trials = len(np.unique(of))
    tested = binomtest(round(share * trials), trials, group.chance, alternative="greater")
    both = binomtest(round(share * trials), trials, group.chance).proportion_ci(level, method="wilson")
    # Clusters may be named either way, so that half is the least that two can reach: no test against chance.
    return Itemised(
        model=model,
        test=group.name,
        metric=metric,
        language=language,
        value=100 * share,
        low=100 * float(both.low),
        high=100 * float(both.high),
        level=level,
        p_value=float("nan") if metric == "clustered" else float(tested.pvalue),
        method=f"{how}; Wilson interval over {'words' if group.together is None else 'groups'}",
        counts={name: int(np.count_nonzero(group.labels == at)) for at, name in enumerate(group.classes)},
        details={"chance": 100 * group.chance},
        items={int(each): float(right[of == each].mean()) for each in np.unique(of)},
    )
