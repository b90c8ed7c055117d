"""Prior sensitivity: do the contrasts depend on what was believed beforehand?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.bayes.data import Distances
from tiltmeter.bayes.estimates import Estimate, contrasts
from tiltmeter.bayes.fit import fit
from tiltmeter.bayes.priors import Priors

FACTORS = (0.5, 2.0)  # the widths of the priors that are tried, relative to those given
TOLERABLE = 0.5  # posterior standard deviations


@dataclass(frozen=True, slots=True)
class Shift:
    """A contrast under other priors; `shift` is how far its mean moves, in posterior standard deviations."""

    data: Distances
    factor: float
    settings: Mapping[str, Any]  # of the fit with the other priors
    given: Estimate
    other: Estimate

    @property
    def shift(self) -> float:
        return (self.other.mean - self.given.mean) / self.given.sd

    @property
    def sensitive(self) -> bool:
        """Whether the mean moves by more than half a standard deviation."""
        return abs(self.shift) > TOLERABLE


def prior_sensitivity(
    data: Sequence[Distances],
    *,
    priors: Priors | None = None,
    factors: Sequence[float] = FACTORS,
    progress: Callable[[int, int], None] | None = None,
    **settings: Any,
) -> list[Shift]:
    """Each contrast of each data set again, with all priors narrower and wider by `factors`.

    The draws share their random numbers, so that small shifts are not noise. `settings` are those of `fit`.
    """
    centre = priors or Priors()
    widths = (1.0, *factors)
    batch = [each for each in data for _ in widths]
    beliefs = [centre.scaled(width) for _ in data for width in widths]
    fitted = fit(batch, priors=beliefs, progress=progress, **settings)
    shifts = []
    for start in range(0, len(batch), len(widths)):
        given, *others = fitted[start : start + len(widths)]
        shifts += [
            Shift(other.distances, factor, other.settings, before, after)
            for factor, other in zip(factors, others, strict=True)
            for before, after in zip(contrasts(given), contrasts(other), strict=True)
        ]
    return shifts
