"""Dobrzeniecka & Urbaniak, section 3.2: WEAT where every similarity is noise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest

from tiltmeter.metrics.null_model import null_share
from tiltmeter.metrics.null_simulation import simulate_weat
from tiltmeter.replicate.source import published
from tiltmeter.replicate.tables import Figure, Replicated

_TOLERANCE = 1.0


def table(name: str, *, seed: int = 0) -> Replicated:
    """How often noise shows the effect size that the paper found in its first sample: drawn, and exactly."""
    printed = published(name)
    null = printed["null"]
    words, attributes, effect = null["words"], null["attributes"], null["effect"]
    samples, sd = null["samples"], null["sd"]
    by_first = _first_for_all(words, attributes, sd, samples, seed)
    drawn = simulate_weat(words, words, attributes, attributes, sd=sd, samples=samples, seed=seed)
    return Replicated(
        title=f"Per cent of null samples with an effect size of {effect:.3f} or more, either way",
        source=f"{printed['source']}, section 3.2",
        model="no model: similarities drawn from one normal distribution",
        columns=("how",),
        figures=(
            _counted("the first word for all of its group", np.abs(by_first) >= effect, float(null["per_cent"])),
            _counted("the mean of the group", np.abs(drawn.effect_sizes) >= effect, None),
            Figure(
                labels=("the mean of the group, exactly",),
                published=None,
                measured=100 * null_share(effect, words, words),
            ),
        ),
        note="The printed 38 % is not what the null model of the text gives, which takes the mean of a group. It comes "
        "out where the first word of each group of eight stands for all, as in a script in the paper's repository. "
        f"{samples:,} samples a line. Interval: Clopper and Pearson's. Met: within {_TOLERANCE:g}.",
    )


def _counted(how: str, reached: NDArray[np.bool_], printed: float | None) -> Figure:
    bounds = binomtest(int(reached.sum()), reached.size).proportion_ci()
    return Figure(
        labels=(how,),
        published=printed,
        measured=100 * float(reached.mean()),
        low=100 * bounds.low,
        high=100 * bounds.high,
        tolerance=None if printed is None else _TOLERANCE,
    )


def _first_for_all(words: int, attributes: int, sd: float, samples: int, seed: int) -> NDArray[np.float64]:
    """Effect sizes whose numerator takes R's `mean(a, b)`, which passes over b, for the mean of a group."""
    drawn = np.random.default_rng(seed).normal(0, sd, (samples, 2 * words, 2 * attributes))
    scores = drawn[..., :attributes].mean(axis=2) - drawn[..., attributes:].mean(axis=2)
    return np.asarray((scores[:, 0] - scores[:, words]) / scores.std(axis=1, ddof=1), dtype=np.float64)
