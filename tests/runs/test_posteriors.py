"""Posteriors in a run folder: what the figures are made of comes back, and nothing else is taken for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.bayes.small import simulated
from tiltmeter.errors import InputError
from tiltmeter.runs.arrays import Arrays, write_arrays
from tiltmeter.runs.posteriors import kept, read_posteriors

pytest.importorskip("numpyro", reason="the Bayesian estimate needs the extra 'bayes'")

KEY = "a" * 64
MANIFEST = {"jobs": [{"hash": KEY, "model": "shown", "metric": "bayes", "test": "t", "arrays": True}]}


@pytest.fixture(scope="module")
def posterior() -> Any:
    from tiltmeter.bayes.fit import fit

    return fit([simulated(words=3)], draws=60, warmup=60)[0]


def write(folder: Path, arrays: Arrays) -> Path:
    (folder / "arrays").mkdir()
    write_arrays(folder / f"arrays/{KEY}.safetensors", arrays)
    return folder


def test_what_is_kept_gives_the_same_estimates(posterior: Any, tmp_path: Path) -> None:
    from tiltmeter.bayes.estimates import by_word, contrasts

    (found,) = read_posteriors(write(tmp_path, kept(posterior)), MANIFEST)
    assert found.distances.model == "shown"
    assert found.distances.words == posterior.distances.words
    assert found.distances.present == posterior.distances.present
    assert np.array_equal(found.distances.distance, posterior.distances.distance)
    assert np.allclose(found.predicted, posterior.predicted, atol=1e-6)
    for estimates in (contrasts, by_word):
        for here, there in zip(estimates(found), estimates(posterior), strict=True):
            assert here.name == there.name
            assert (here.mean, here.low, here.high) == pytest.approx((there.mean, there.low, there.high), abs=1e-6)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("mu", None),
        ("word", None),
        ("words", None),
        ("words", ["one"]),
        ("words", 7),
        ("seed", "x"),
        ("word", lambda codes: codes - 1),
        ("connection", lambda codes: codes + 1),
        ("connection", lambda codes: codes.astype(float)),
        ("distance", lambda distance: distance[:-1]),
        ("distance", lambda distance: distance * np.nan),
        ("bar", lambda draws: draws[:, :3]),
        ("bar", lambda draws: draws[0, 0, 0]),
        ("bar", lambda draws: draws * 0),
        ("mu", lambda draws: draws * np.inf),
        ("sigma", lambda draws: -draws),
    ],
)
def test_what_is_no_posterior_is_named(posterior: Any, tmp_path: Path, name: str, wrong: Any) -> None:
    given = kept(posterior)
    arrays, about = dict[str, Any](given.arrays), dict(given.about)
    holder = arrays if name in arrays else about
    value = holder.pop(name)
    if wrong is not None:
        holder[name] = wrong(value) if callable(wrong) else wrong
    folder = write(tmp_path, Arrays(arrays, about))
    with pytest.raises(InputError, match="is damaged") as caught:
        read_posteriors(folder, MANIFEST)
    assert KEY in str(caught.value)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_draws_that_no_chain_would_make_are_named(posterior: Any, tmp_path: Path) -> None:
    from tiltmeter.report.bayes_of_run import of_run

    given = kept(posterior)
    arrays = {**given.arrays, "bar": given.arrays["bar"][..., [0, 0, 0, 0]]}  # no contrast ever differs from 0
    drawn = of_run(read_posteriors(write(tmp_path, Arrays(arrays, given.about)), MANIFEST), {"shown": "shown"})
    with pytest.raises(InputError, match="cannot be drawn"):
        drawn["bayes-simulated-connections"]()


def test_a_folder_of_arrays_that_is_a_link_is_not_followed(posterior: Any, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    write(tmp_path, kept(posterior))
    (tmp_path / "run/arrays").symlink_to(tmp_path / "arrays")
    with pytest.raises(InputError, match="no such file"):
        read_posteriors(tmp_path / "run", MANIFEST)


@pytest.mark.slow
def test_the_figures_of_a_run_are_drawn_from_what_it_kept(posterior: Any, tmp_path: Path) -> None:
    from tiltmeter.report.figures import write_figures

    posteriors = read_posteriors(write(tmp_path, kept(posterior)), MANIFEST)
    written = write_figures(tmp_path / "figures", [], (), posteriors)
    parts = ("connections", "words", "predictive-check", "similarities")
    assert {path.stem for path in written} == {f"bayes-simulated-{part}" for part in parts}
    assert {path.suffix for path in written} == {".pdf", ".png", ".svg"}
    assert all(path.stat().st_size > 2_000 for path in written)
