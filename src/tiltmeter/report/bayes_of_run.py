"""Which figures a run draws of the posteriors that it kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from tiltmeter.errors import InputError
from tiltmeter.report.bayes_figures import by_connection, by_word, empirical, predictive_check

if TYPE_CHECKING:
    from tiltmeter.bayes.fit import Posterior

_OF_RUN: Mapping[str, Callable[[Posterior], Figure]] = {
    "connections": by_connection,
    "words": by_word,
    "predictive-check": predictive_check,
    "similarities": lambda posterior: empirical(posterior.distances),
}


def of_run(posteriors: Sequence[Posterior], names: Mapping[str, str]) -> dict[str, Callable[[], Figure]]:
    """How to draw each figure of the posteriors of a run, by its name; `names` are the models as a reader sees them."""
    drawn: dict[str, Callable[[], Figure]] = {}
    for each in posteriors:
        shown = replace(each, distances=replace(each.distances, model=names.get(each.distances.model, "")))
        stem = "bayes-" + "-".join([each.distances.name, *([shown.distances.model] if len(names) > 1 else [])])
        name, number = stem, 1
        while f"{name}-connections" in drawn:
            number += 1
            name = f"{stem}-{number}"
        for what, draw in _OF_RUN.items():
            drawn[f"{name}-{what}"] = partial(_drawn, draw, shown)
    return drawn


def _drawn(draw: Callable[[Posterior], Figure], posterior: Posterior) -> Figure:
    try:
        return draw(posterior)
    except (ValueError, np.linalg.LinAlgError) as error:  # draws from outside that no chain would make
        raise InputError(
            f"the posterior cannot be drawn ({error!s:.100}).", where=posterior.distances.title, hint="Run it again."
        ) from None
