"""Sentences that agree in gender: the masculine and the feminine version of one sentence, made one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tiltmeter.metrics.logprob import averaged, log_probabilities

Array = NDArray[np.float64]


def over_versions(log_p: ArrayLike, log_prior: ArrayLike, groups: Sequence[Sequence[int]]) -> tuple[Array, Array]:
    """p(w | g) = mean_v p_v(w_v | g_v)  and  p_prior(w) = mean_v p_prior,v(w_v)  over the versions v of a sentence.

    `groups` are the places of each sentence's versions along the first axis; the tables that come back have one row a
    sentence. v is masculine or feminine, and w_v and g_v are the forms of the read and of the given word that it asks
    for. Both versions are asked of every word: "Anna est ___" is filled with "sérieux" as well as with "sérieuse".

    So like is compared with like. The sum of p over the forms of w is the probability of the word in whichever form.
    Let a model know the grammar and nothing else: p_v(w_v | g) = q(w) where v agrees with g, and 0 where it does not.
    Then p(w | g) = q(w) / 2 for women's names and for men's, and its ratio to the prior is 1 for all. A mean of
    log-probabilities would instead be ruled by the noise in the tiny probability of the form that does not agree. Where
    it is the given word that has two forms, each counts for one half, however rare it is: how often one speaks of a
    woman in that occupation is not counted, only what is said once the form is there.

    NaN in either table says that a word does not fit a version. The sentence then says nothing of this cell: the form
    that is left would alone be likelier of one gender, and grammar be counted as bias.
    """
    p, prior = log_probabilities(log_p), log_probabilities(log_prior)
    if all(len(group) == 1 for group in groups):
        return p, prior
    missing = np.isnan(p) | np.isnan(prior)
    tables = np.where(missing, np.nan, p), np.where(missing, np.nan, prior)
    first, second = (np.stack([_of_all(table[list(group)]) for group in groups]) for table in tables)
    return first, second


def _of_all(versions: Array) -> Array:
    """The mean over the versions, where none is missing."""
    return np.asarray(np.where(np.isnan(versions).any(axis=0), np.nan, averaged(versions)), dtype=np.float64)
