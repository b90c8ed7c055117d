"""What is believed of the distances before any is seen."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass

from tiltmeter.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Priors:
    """bar ~ Normal(bar_mean, bar_sd), spread ~ Exponential(spread_rate), sigma ~ Exponential(sigma_rate).

    By default those of Dobrzeniecka & Urbaniak, section 4.1: unrelated words stand at a distance of 1, give or take
    0.3, and the standard deviations are of the order of a half.
    """

    bar_mean: float = 1.0
    bar_sd: float = 0.3
    spread_rate: float = 2.0
    sigma_rate: float = 2.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not math.isfinite(value) or (name != "bar_mean" and value <= 0):
                kind = "a finite number" if name == "bar_mean" else "a finite number above 0"
                raise InputError(f"the prior's {name} is {value:g}.", hint=f"It must be {kind}.")

    def as_dict(self) -> dict[str, float]:
        return asdict(self)

    def scaled(self, factor: float) -> Priors:
        """Priors this much wider: every standard deviation, and every mean of a spread, times `factor`."""
        return Priors(
            bar_mean=self.bar_mean,
            bar_sd=self.bar_sd * factor,
            spread_rate=self.spread_rate / factor,
            sigma_rate=self.sigma_rate / factor,
        )
