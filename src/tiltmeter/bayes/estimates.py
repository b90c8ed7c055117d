"""Numbers of a posterior: mean, standard deviation, narrowest intervals, and how well the chains know them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from arviz_stats.base.array import array_stats as untyped

from tiltmeter.bayes.data import Array
from tiltmeter.bayes.fit import Posterior
from tiltmeter.errors import InputError

array_stats: Any = untyped
HALF, MOST = 0.5, 0.89  # the levels of the paper's intervals


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """One number of the model. `low` and `high` bound its 89 % highest-density interval, `low_50`, `high_50` half."""

    kind: str  # bar, spread, sigma or mu; or what the number was made of
    connection: str
    word: str = ""  # "" for what all words have in common
    mean: float
    sd: float
    low: float
    high: float
    low_50: float
    high_50: float
    below: float  # probability that the number is below 0
    r_hat: float
    ess_bulk: float
    ess_tail: float

    @property
    def name(self) -> str:
        return f"{self.kind}[{', '.join(filter(None, (self.word, self.connection)))}]"

    @property
    def direction(self) -> float:
        """Probability of the likelier sign."""
        return max(self.below, 1 - self.below)

    @property
    def sure(self) -> bool:
        """Whether the 89 % interval leaves out 0."""
        return self.low > 0 or self.high < 0


def population(posterior: Posterior) -> list[Estimate]:
    """Mean distance, spread between words and spread within words, of each connection."""
    return [
        described(values[..., column], kind=kind, connection=connection)
        for kind in ("bar", "spread", "sigma")
        for values in [_chains(posterior, kind)]
        for column, connection in enumerate(posterior.distances.present)
    ]


def by_word(posterior: Posterior) -> list[Estimate]:
    """The mean distance of each protected word to the attributes of each connection."""
    values = _chains(posterior, "mu")
    return [
        described(values[..., row, column], kind="mu", connection=connection, word=word)
        for row, word in enumerate(posterior.distances.words)
        for column, connection in enumerate(posterior.distances.present)
    ]


def contrasts(posterior: Posterior) -> list[Estimate]:
    """bar[associated] - bar[c] for each other connection: below 0 where stereotypes stand nearer than c."""
    return [
        described(values, kind="bar", connection=connection)
        for connection, values in _against(_chains(posterior, "bar"), posterior)
    ]


def word_contrasts(posterior: Posterior) -> list[Estimate]:
    """mu[w, associated] - mu[w, c] for each protected word w and other connection c."""
    values = _chains(posterior, "mu")
    return [
        described(of_word, kind="mu", connection=connection, word=word)
        for row, word in enumerate(posterior.distances.words)
        for connection, of_word in _against(values[..., row, :], posterior)
    ]


def changes(before: Posterior, after: Posterior) -> list[Estimate]:
    """How much further each connection's mean distance, and each contrast, is after than before.

    The two posteriors are taken as independent. They rest on the same words, so that what really differs is, if
    anything, surer than this says.
    """
    if not set(before.distances.words) & set(after.distances.words):
        raise InputError(
            f"{before.distances.title} and {after.distances.title} have no protected word in common.",
            hint="Before and after are the same test on two models.",
        )
    first, second = _chains(before, "bar"), _chains(after, "bar")
    chains, draws = (min(sizes) for sizes in zip(first.shape[:2], second.shape[:2], strict=True))
    # Backwards, as two posteriors of the same data and seed would go hand in hand.
    first, second = first[:chains, :draws], second[:chains, :draws][:, ::-1]
    here, there = before.distances.present, after.distances.present
    means = [(name, second[..., there.index(name)] - first[..., here.index(name)]) for name in here if name in there]
    apart = dict(_against(second, after))
    differences = [(name, apart[name] - values) for name, values in _against(first, before) if name in apart]
    return [described(values, kind="change", connection=name) for name, values in (*means, *differences)]


def described(values: Array, *, kind: str, connection: str, word: str = "") -> Estimate:
    """An estimate from its draws, chains × draws."""
    flat = values.reshape(-1)
    low, high = interval(flat, MOST)
    low_50, high_50 = interval(flat, HALF)
    return Estimate(
        kind=kind,
        connection=connection,
        word=word,
        mean=float(flat.mean()),
        sd=float(flat.std(ddof=1)),
        low=float(low),
        high=float(high),
        low_50=float(low_50),
        high_50=float(high_50),
        below=float(np.mean(flat < 0)),
        r_hat=float(array_stats.rhat(values)) if len(values) > 1 else float("nan"),
        ess_bulk=float(array_stats.ess(values, method="bulk")),
        ess_tail=float(array_stats.ess(values, method="tail", prob=(0.05, 0.95))),
    )


def interval(values: Array, level: float, *, axis: int = 0) -> Array:
    """The narrowest interval that holds `level` of the draws along `axis`; low and high stand last."""
    return np.asarray(array_stats.hdi(values, level, axis=axis), dtype=np.float64)


def _against(values: Array, posterior: Posterior) -> Iterator[tuple[str, Array]]:
    """associated - c, for every other connection c of the last axis."""
    present = posterior.distances.present
    associated = values[..., present.index("associated")]
    for column, connection in enumerate(present):
        if connection != "associated":
            yield f"associated - {connection}", associated - values[..., column]


def _chains(posterior: Posterior, name: str) -> Array:
    return np.asarray(posterior.tree["posterior"][name].values, dtype=np.float64)
