"""WEAT and MAC where there is no bias: the simulations of Dobrzeniecka & Urbaniak, section 3.2 and figures 8 to 10.

Every similarity is drawn independently from one normal distribution; the paper takes Normal(0, 0.08), 8 + 8 protected
words and 8 + 8 attributes. `null_model` gives the share of large effect sizes exactly and without a draw; this is for
looking at the distributions, and for checking it.

The paper says that about 38 % of such samples show an effect size as extreme as 1.267. That is not so: counted over
100,000 draws it is 0.6 % (with the sample standard deviation; 0.8 % with the population one), in agreement with the
exact share. A simulation script in the paper's repository averages with R's `mean(a, b)`, which passes over b. Were the
mean of each group taken so, the first word alone would stand for all eight, and 38.7 % of samples would reach 1.267:
this is very likely where the number comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiltmeter.metrics.association import Array, effect_size, statistic

_AT_ONCE = 2_000_000  # numbers drawn at a time
_SPLITS = 1 << 20  # no more splits are listed than fit into memory


@dataclass(frozen=True, slots=True)
class NullWeat:
    """Effect size d and statistic s(X, Y, A, B), one of each for a sample."""

    effect_sizes: Array
    statistics: Array

    def share(self, effect: float) -> float:
        """How many samples show an effect at least this large, in either direction."""
        return float(np.mean(np.abs(self.effect_sizes) >= abs(effect)))


def simulate_weat(
    n_x: int,
    n_y: int,
    n_a: int,
    n_b: int,
    *,
    mean: float = 0.0,
    sd: float = 0.08,
    samples: int = 10_000,
    ddof: int = 1,
    seed: int = 0,
) -> NullWeat:
    """WEAT on `samples` sets of similarities that are noise alone (figure 10)."""
    _check(samples, sd, n_x=n_x, n_y=n_y, n_a=n_a, n_b=n_b)
    if n_x + n_y < 3:
        raise ValueError("an effect size needs three words or more in all")
    rng = np.random.default_rng(seed)
    per_sample = (n_x + n_y) * (n_a + n_b)
    effects, sums = [], []
    for size in _portions(samples, per_sample):
        drawn = rng.normal(mean, sd, (size, n_x + n_y, n_a + n_b))
        scores = drawn[..., :n_a].mean(axis=2) - drawn[..., n_a:].mean(axis=2)
        x, y = scores[:, :n_x], scores[:, n_x:]
        effects.append((x.mean(axis=1) - y.mean(axis=1)) / scores.std(axis=1, ddof=ddof))
        sums.append(x.sum(axis=1) - y.sum(axis=1))
    return NullWeat(np.concatenate(effects), np.concatenate(sums))


def simulate_mac(
    words: int,
    sets: Sequence[int],
    *,
    mean: float = 0.0,
    sd: float = 0.08,
    samples: int = 10_000,
    seed: int = 0,
) -> Array:
    """MAC, the mean over words and attribute sets of their mean distance, on `samples` sets of noise alone.

    `sets` are the sizes of the attribute sets. Were the similarities of two models of the same null, this is how far
    their MAC would lie apart by chance.
    """
    _check(samples, sd, words=words, **{f"attribute set {i}": size for i, size in enumerate(sets, start=1)})
    if not sets:
        raise ValueError("MAC needs one attribute set or more")
    rng = np.random.default_rng(seed)
    return np.concatenate(
        [
            np.mean([1 - rng.normal(mean, sd, (size, words, of)).mean(axis=(1, 2)) for of in sets], axis=0)
            for size in _portions(samples, words * max(sets))
        ]
    )


def splits(scores: ArrayLike, n_x: int, *, ddof: int = 1) -> NullWeat:
    """WEAT for every way to choose which `n_x` of the scores s(w, A, B) are X (figure 8)."""
    from itertools import combinations
    from math import comb

    values = np.asarray(scores, dtype=np.float64)
    if not 0 < n_x < values.size:
        raise ValueError(f"X takes {n_x} of {values.size} scores; both sides need one or more")
    total = comb(values.size, n_x)
    if total > _SPLITS:
        raise ValueError(f"there are {total} splits, more than {_SPLITS}; list fewer words")
    chosen: NDArray[np.intp] = np.fromiter(combinations(range(values.size), n_x), dtype=(np.intp, n_x), count=total)
    of_x = values[chosen].sum(axis=1)
    of_y = values.sum() - of_x
    apart = of_x / n_x - of_y / (values.size - n_x)
    return NullWeat(apart / values.std(ddof=ddof), of_x - of_y)


def draw_similarities(n_words: int, n_attributes: int, *, mean: float = 0.0, sd: float = 0.08, seed: int = 0) -> Array:
    """One null data set, words × attributes (figure 9)."""
    _check(1, sd, words=n_words, attributes=n_attributes)
    return np.random.default_rng(seed).normal(mean, sd, (n_words, n_attributes))


def scored(similarities: Array, n_x: int, n_a: int, *, ddof: int = 1) -> tuple[Array, float, float]:
    """The scores s(w, A, B) of such a data set, its effect size and its statistic."""
    scores = np.asarray(similarities[:, :n_a].mean(axis=1) - similarities[:, n_a:].mean(axis=1), dtype=np.float64)
    return scores, effect_size(scores[:n_x], scores[n_x:], ddof=ddof), statistic(scores[:n_x], scores[n_x:])


def _portions(samples: int, each: int) -> list[int]:
    most = max(1, _AT_ONCE // each)
    return [min(most, samples - start) for start in range(0, samples, most)]


def _check(samples: int, sd: float, **sizes: int) -> None:
    if samples < 1 or not sd > 0:
        raise ValueError(f"samples ({samples}) and sd ({sd:g}) must be above 0")
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name} has {size} entries; it needs one or more")
