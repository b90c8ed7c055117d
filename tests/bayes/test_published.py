"""The posteriors that Dobrzeniecka & Urbaniak publish, from the distances that they publish."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from tiltmeter.bayes.diagnostics import diagnostics
from tiltmeter.bayes.fit import Posterior, fit
from tiltmeter.bayes.predictive import coverage
from tiltmeter.bayes.reading import read_distances

NAMES = (
    "gender_group_google_dataset",
    "race_group_reddit_dataset",
    "religion_group_google_dataset",
    "religion_group_reddit_dataset",
    "weat_1_reddit",
    "weat_7_google",
)
LETTERS = {"associated": "a", "different": "d", "human": "h", "neutral": "n"}
OF_POPULATION, OF_WORDS, OF_SDS = 0.01, 0.015, 0.15

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def fitted(shared: Path) -> dict[str, Posterior]:
    """All six, in one batch; rows with a similarity of -100 are dropped by the reader."""
    folder = shared / "data" / "bayesbias"
    return dict(zip(NAMES, fit([read_distances(folder / f"{name}.csv.xz") for name in NAMES]), strict=True))


def ours(posterior: Posterior) -> dict[str, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Draws under the paper's names; its words are numbered alphabetically."""
    words = posterior.distances.words
    found = {}
    for column, (connection, letter) in enumerate(LETTERS.items()):
        assert posterior.distances.present[column] == connection
        found[f"{letter}bar"] = posterior.draws("bar")[:, column]
        found[f"{letter}sigmabar"] = posterior.draws("spread")[:, column]
        found[f"s[{column + 1}]"] = posterior.draws("sigma")[:, column]
        for number, word in enumerate(sorted(words), start=1):
            found[f"{letter}[{number}]"] = posterior.draws("mu")[:, words.index(word), column]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_published_mean_and_sd_is_met(fitted: dict[str, Posterior], shared: Path, name: str) -> None:
    found = ours(fitted[name])
    with (shared / "data" / "bayesbias" / f"{name}.posterior.csv").open(newline="") as file:
        published = {row[""]: (float(row["mean"]), float(row["sd"])) for row in csv.DictReader(file)}
    assert set(published) == set(found)
    for parameter, (mean, sd) in published.items():
        within = OF_WORDS if parameter[1] == "[" and parameter[0] != "s" else OF_POPULATION
        assert found[parameter].mean() == pytest.approx(mean, abs=within), parameter
        assert found[parameter].std(ddof=1) == pytest.approx(sd, rel=OF_SDS), parameter


@pytest.mark.parametrize("name", NAMES)
def test_the_chains_are_sound(fitted: dict[str, Posterior], name: str) -> None:
    found = diagnostics(fitted[name])
    assert found.r_hat < 1.01
    assert found.divergences == 0
    assert found.ess_bulk > 1_000


def test_the_posterior_predictive_check_of_figure_12_holds_for_all(fitted: dict[str, Posterior]) -> None:
    """The paper finds 90 % inside the 89 % interval and 55 % inside that of 50 %, for one data set."""
    for posterior in fitted.values():
        half, most = coverage(posterior)
        assert half.share == pytest.approx(0.5, abs=0.06)
        assert most.share == pytest.approx(0.89, abs=0.03)
