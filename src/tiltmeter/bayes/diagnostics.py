"""Can the draws be trusted? R-hat, effective sample sizes, divergences, and what the data themselves are short of."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tiltmeter.bayes.data import CONNECTIONS, cells
from tiltmeter.bayes.estimates import by_word, population
from tiltmeter.bayes.fit import Posterior

# Vehtari et al. 2021, Rank-normalization, folding, and localization: an improved R-hat, section 4.
R_HAT_LIMIT = 1.01
ESS_A_CHAIN = 100
_FEW_ROWS = 10
_NAMED = 5


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """The worst of each figure over all numbers of the model, and warnings in plain words."""

    r_hat: float
    ess_bulk: float
    ess_tail: float
    divergences: int
    acceptance: float
    warnings: tuple[str, ...]


def diagnostics(posterior: Posterior) -> Diagnostics:
    """What a careful reader asks of the chains."""
    numbers = [*population(posterior), *by_word(posterior)]
    stats = posterior.tree["sample_stats"]
    chains, draws = stats["diverging"].shape
    divergences = int(stats["diverging"].sum())
    worst = max(numbers, key=lambda each: each.r_hat if math.isfinite(each.r_hat) else -math.inf)
    bulk = min(numbers, key=lambda each: each.ess_bulk)
    tail = min(numbers, key=lambda each: each.ess_tail)
    warnings = []
    if chains < 2:
        warnings.append("There is one chain only, so that R-hat cannot be told. Run two or more.")
    elif not worst.r_hat < R_HAT_LIMIT:
        warnings.append(
            f"The chains disagree: R-hat of {worst.name} is {worst.r_hat:.3f} (below {R_HAT_LIMIT} is good). Do not "
            "use these numbers; run more warm-up steps and draws."
        )
    for what, estimate, size in (("middle", bulk, bulk.ess_bulk), ("tails", tail, tail.ess_tail)):
        if not size >= ESS_A_CHAIN * chains:
            warnings.append(
                f"The {what} of {estimate.name} rest on {size:.0f} effective draws, fewer than {ESS_A_CHAIN * chains}. "
                "Run more draws."
            )
    if divergences:
        warnings.append(
            f"{divergences} of {chains * draws} draws diverged: part of the posterior may not have been reached. Raise "
            "target_accept (0.95), or look at the data for words far from all others."
        )
    return Diagnostics(
        r_hat=worst.r_hat,
        ess_bulk=bulk.ess_bulk,
        ess_tail=tail.ess_tail,
        divergences=divergences,
        acceptance=float(np.mean(stats["acceptance_rate"])),
        warnings=(*warnings, *shortages(posterior)),
    )


def shortages(posterior: Posterior) -> tuple[str, ...]:
    """Where the data are so few that the prior speaks instead."""
    data = posterior.distances
    count = cells(data).count
    said = list(data.remarks)
    if len(data.words) == 1:
        said.append(
            f"There is one protected word ({data.words[0]!r}): how much words differ cannot be told, and rests on the "
            "prior alone."
        )
    for code, name in enumerate(CONNECTIONS):
        if name not in data.present:
            said.append(f"There is no distance of the connection {name!r}: it is left out.")
            continue
        rows = int(count[:, code].sum())
        if rows < _FEW_ROWS:
            said.append(
                f"There {'is 1 distance' if rows == 1 else f'are {rows} distances'} of the connection {name!r} in all."
            )
        empty = [word for word, cell in zip(data.words, count[:, code], strict=True) if cell == 0]
        if empty:
            named = ", ".join(empty[:_NAMED]) + (" …" if len(empty) > _NAMED else "")
            said.append(
                f"{len(empty)} of {len(data.words)} protected words have no distance of the connection {name!r} "
                f"({named}): their means are guessed from the other words."
            )
    return tuple(said)
