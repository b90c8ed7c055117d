"""Log-probability scores: how much more likely a word becomes beside another one than it is by itself.

Log-probabilities are natural logarithms, one template after the other along the first axis. They are taken in double
precision; half precision is refused, since a softmax has lost too much there to be compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiltmeter.metrics.association import effect_size
from tiltmeter.metrics.interval import Interval, effect_size_interval
from tiltmeter.metrics.permutation import Method, PermutationTest, permutation_test

Array = NDArray[np.float64]
Averaging = Literal["probability", "log"]


@dataclass(frozen=True, slots=True)
class Lpbs:
    """s_log of every attribute, the difference of the means of A and B, and its effect size with test and interval."""

    scores_a: Array
    scores_b: Array
    difference: float
    effect_size: float
    permutation: PermutationTest
    interval: Interval

    @property
    def p_value(self) -> float:
        return self.permutation.p_value


def increased_log_probability(log_p: ArrayLike, log_prior: ArrayLike) -> Array:
    """asc(x, a) = log p_tgt(x | a) / p_prior(x)   (Kurita et al. 2019; Puttick & Kurpicz-Briki 2024, equation 5).

    Above 0 the attribute a makes the target x more likely, below 0 less. NaN where either is NaN.
    """
    p, prior = log_probabilities(log_p), log_probabilities(log_prior)
    with np.errstate(invalid="ignore"):  # -inf - -inf: two probabilities of zero
        return np.asarray(p - prior, dtype=np.float64)


def averaged(log_p: ArrayLike, *, averaging: Averaging = "probability") -> Array:
    """log mean_i p_i over the templates i, the first axis; with `averaging="log"`, mean_i log p_i.

    Templates where it is NaN are left out. Of the log-probabilities of names with the rest of the sentence open, this
    is how common a name is to the model.
    """
    table = log_probabilities(log_p)
    known = ~np.isnan(table)
    count = known.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        if averaging == "log":
            return np.asarray(np.where(known, table, 0.0).sum(axis=0) / count, dtype=np.float64)
        return np.asarray(_log_sum(table, known) - np.log(count), dtype=np.float64)


def bias_scores(log_p: ArrayLike, log_prior: ArrayLike, *, averaging: Averaging = "probability") -> Array:
    """BS = log (mean_i p_tgt,i / mean_i p_prior,i) over the templates i   (Louis-Alexandre 2022, Algorithm 3.1).

    This is the direct score of a target and a feature, and each of the two halves of the indirect score. The templates
    lie along the first axis of both tables, which otherwise broadcast: a prior that depends on the name alone comes as
    templates × 1 × names. A template that occurs twice weighs twice. NaN says that a word does not fit a template: that
    template is then left out of both means, for this cell. A cell that no template fits is NaN.

    `averaging="log"` takes mean_i log (p_tgt,i / p_prior,i) instead: each template weighs the same, while above the
    likelier templates weigh more.
    """
    p, prior = log_probabilities(log_p), log_probabilities(log_prior)
    if p.ndim < 2 or p.ndim != prior.ndim or len(p) != len(prior) or not len(p):
        raise ValueError(
            f"log-probabilities of shape {p.shape} and priors of shape {prior.shape} do not go together: both need the "
            "same number of templates along their first axis, and as many axes"
        )
    with np.errstate(invalid="ignore"):  # -inf - -inf, where no template fits or all probabilities are zero
        if averaging == "log":
            return averaged(p - prior, averaging="log")
        if not (np.isnan(p).any() or np.isnan(prior).any()):
            return np.asarray(_log_sum(p) - _log_sum(prior), dtype=np.float64)
        both = ~(np.isnan(p) | np.isnan(prior))
        return np.asarray(_log_sum(p, both) - _log_sum(np.broadcast_to(prior, both.shape), both), dtype=np.float64)


def lpbs(
    scores: ArrayLike,
    n_x: int,
    n_a: int,
    *,
    ddof: int = 1,
    over_targets: bool = False,
    p_value: Method = "exact",
    samples: int = 99_999,
    resamples: int = 9_999,
    level: float = 0.95,
    seed: int = 0,
) -> Lpbs:
    """The Log Probability Bias Score   (Kurita et al. 2019; Puttick & Kurpicz-Briki 2024, section 4.3).

        s_log(a, X, Y) = mean_{x ∈ X} asc(x, a) - mean_{y ∈ Y} asc(y, a)
        es_log = (mean_{a ∈ A} s_log(a) - mean_{b ∈ B} s_log(b)) / sd_{w ∈ A ∪ B} s_log(w)

    `scores` has asc with the targets of X, then Y as its rows, the attributes of A, then B as its columns; `n_x` and
    `n_a` say where the second set begins. Positive: X goes with A, Y with B. The test is two-sided, over the partitions
    of A ∪ B. The interval is a bootstrap over the attributes; with `over_targets` it is one over the targets too, and X
    and Y need two words or more: the target sets of these tests are often too small to stand for others.

    Equation 6 does not say which standard deviation is meant; the default is that of a sample, as for the other effect
    sizes here.
    """
    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or not 1 <= n_x < len(table) or not 2 <= n_a <= table.shape[1] - 2:
        raise ValueError(
            f"scores of shape {table.shape} cannot be split after target {n_x} and attribute {n_a}: "
            "X and Y need one word or more, A and B two"
        )
    bad = np.argwhere(~np.isfinite(table))
    if len(bad):
        raise ValueError(f"the score of target {bad[0][0]} and attribute {bad[0][1]} is not a finite number")
    by_attribute = table[:n_x].mean(axis=0) - table[n_x:].mean(axis=0)
    a, b = by_attribute[:n_a], by_attribute[n_a:]
    return Lpbs(
        a,
        b,
        float(a.mean() - b.mean()),
        effect_size(a, b, ddof=ddof),
        permutation_test(by_attribute, n_a, method=p_value, alternative="two-sided", samples=samples, seed=seed),
        effect_size_interval(
            table.T,
            n_a,
            n_x,
            over_attributes=over_targets,  # the two change places: here the attributes are the rows
            resamples=resamples,
            level=level,
            ddof=ddof,
            seed=seed,
        ),
    )


def log_probabilities(values: ArrayLike) -> Array:
    """The values in double precision, if they can be log-probabilities at all."""
    given = np.asarray(values)
    if given.dtype == np.float16:
        raise ValueError("log-probabilities in half precision are too coarse: compute the softmax in float32")
    table = np.asarray(given, dtype=np.float64)
    if np.any(table == np.inf):
        raise ValueError("a log-probability is infinite: no probability is above 1")
    return table


def _log_sum(table: Array, known: NDArray[np.bool_] | None = None) -> Array:
    """log Σ_i exp(table_i) over the first axis, of what is known."""
    inside = table if known is None else np.where(known, table, -np.inf)
    peak = inside.max(axis=0)
    safe = np.where(np.isfinite(peak), peak, 0.0)
    total = np.zeros(peak.shape)
    for row in inside:  # one template at a time: the table may be large
        total += np.exp(row - safe)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(total) + safe, dtype=np.float64)
