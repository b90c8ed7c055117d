"""The kin of WEAT on a model: WEFAT, relative norm distance and embedding coherence, on the words of the same tests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tiltmeter.lexicon.catalogue import association_test
from tiltmeter.lexicon.tests import AssociationTest
from tiltmeter.measure.sides import Side, sides_of
from tiltmeter.measurement import Measurement
from tiltmeter.metrics.association import cosines
from tiltmeter.metrics.association import wefat as effect_sizes
from tiltmeter.metrics.group_means import GroupMeans, coherence_of_groups, norm_distance_of_groups
from tiltmeter.metrics.interval import effect_size_interval
from tiltmeter.metrics.permutation import Method, permutation_test
from tiltmeter.models.base import Embedder
from tiltmeter.models.load import load


def wefat(
    model: Embedder | str | Path,
    test: AssociationTest | str,
    *,
    lang: str = "en",
    p_value: Method = "exact",
    ddof: int = 1,
    level: float = 0.95,
    resamples: int = 9_999,
    samples: int = 99_999,
    seed: int = 0,
) -> list[Measurement]:
    """Each target word's association with A over B, in standard deviations of its own cosines (Caliskan et al. 2017).

    One row a word of X and of Y. The p-value is two-sided, over all ways to deal the attributes out into A and B; the
    interval is a bootstrap over the attributes.
    """
    embedder, given, (x, y, a, b) = _asked(model, test, lang)
    attributes = np.concatenate([a.vectors, b.vectors])
    n_a = len(a.words)
    rows = []
    for side in (x, y):
        sizes = effect_sizes(side.vectors, a.vectors, b.vectors, ddof=ddof)
        for word, size, similarities in zip(side.words, sizes, cosines(side.vectors, attributes), strict=True):
            permutation = permutation_test(
                similarities, n_a, method=p_value, alternative="two-sided", samples=samples, seed=seed
            )
            interval = effect_size_interval(
                np.column_stack([similarities, np.zeros_like(similarities)]),  # here the attributes are the rows
                n_a,
                1,
                over_attributes=False,
                resamples=resamples,
                level=level,
                ddof=ddof,
                seed=seed,
            )
            rows.append(
                Measurement(
                    model=embedder.name,
                    test=given.name,
                    metric="wefat",
                    language=given.language,
                    value=float(size),
                    low=interval.low,
                    high=interval.high,
                    level=level,
                    p_value=permutation.p_value,
                    method=f"p-value {permutation.method}; interval {interval.method} over attributes",
                    counts={"A": n_a, "B": len(b.words)},
                    lost=(*side.lost, *a.lost, *b.lost),
                    settings={
                        **embedder.settings,
                        "fingerprint": embedder.fingerprint,
                        "p_value": p_value,
                        "ddof": ddof,
                        "resamples": resamples,
                        "seed": seed,
                    },
                    details={"word": word, "set": side.name, "p_value_low": permutation.low},
                )
            )
    return rows


def relative_norm_distance(
    model: Embedder | str | Path, test: AssociationTest | str, *, lang: str = "en", **options: Any
) -> list[Measurement]:
    """How much further the words of X, and those of Y, are from the mean of A than from that of B (Garg et al. 2018).

    Two rows: one of X, one of Y. Positive where words stand nearer to B.
    """
    embedder, given, (x, y, a, b) = _asked(model, test, lang)
    return [_of_groups(embedder, given, "rnd", norm_distance_of_groups, [side], a, b, options) for side in (x, y)]


def embedding_coherence(
    model: Embedder | str | Path, test: AssociationTest | str, *, lang: str = "en", **options: Any
) -> Measurement:
    """Whether A and B rank the words of X and Y alike (Dev & Phillips 2019); 1: they do."""
    embedder, given, (x, y, a, b) = _asked(model, test, lang)
    return _of_groups(embedder, given, "ect", coherence_of_groups, [x, y], a, b, options)


def _asked(
    model: Embedder | str | Path, test: AssociationTest | str, lang: str
) -> tuple[Embedder, AssociationTest, list[Side]]:
    given = association_test(test, lang) if isinstance(test, str) else test
    embedder = model if isinstance(model, Embedder) else load(model)
    return embedder, given, sides_of(embedder, given, x=2, y=2, a=2, b=2)


def _of_groups(
    embedder: Embedder,
    test: AssociationTest,
    metric: str,
    measured: Callable[..., GroupMeans],
    words: list[Side],
    a: Side,
    b: Side,
    options: dict[str, Any],
) -> Measurement:
    found = measured(np.concatenate([side.vectors for side in words]), a.vectors, b.vectors, **options)
    sides = [*words, a, b]
    return Measurement(
        model=embedder.name,
        test=test.name,
        metric=metric,
        language=test.language,
        value=found.value,
        low=found.interval.low,
        high=found.interval.high,
        level=found.interval.level,
        p_value=found.permutation.p_value,
        method=f"p-value {found.permutation.method}; interval {found.interval.method} over all words",
        counts={side.name: len(side.words) for side in sides},
        lost=tuple(lost for side in sides for lost in side.lost),
        settings={**embedder.settings, "fingerprint": embedder.fingerprint, **options},
        details={"set": words[0].name} if len(words) == 1 else {},
    )
