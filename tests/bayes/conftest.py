"""One fit that many tests look at."""

from __future__ import annotations

import pytest

from tiltmeter.bayes.fit import Posterior, fit

from .small import simulated


@pytest.fixture(scope="session")
def posterior() -> Posterior:
    """Six words and all four connections; the associated ones are made to stand nearer than all others."""
    return fit([simulated()])[0]
