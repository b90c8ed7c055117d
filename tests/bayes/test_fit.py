"""Fits: right, repeatable, and honest where the data are poor."""

from __future__ import annotations

import builtins
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xarray

from tiltmeter.bayes.data import CONNECTIONS, cells
from tiltmeter.bayes.diagnostics import diagnostics
from tiltmeter.bayes.estimates import contrasts, population
from tiltmeter.bayes.fit import Posterior, fit
from tiltmeter.bayes.priors import Priors
from tiltmeter.errors import InputError, ModelError

from .quadrature import posterior_moments
from .small import distances, simulated


def test_the_posterior_is_that_of_numerical_integration(posterior: Posterior) -> None:
    table = cells(posterior.distances)
    for column, connection in enumerate(CONNECTIONS):
        exact = posterior_moments(table.count[:, column], table.mean[:, column], table.deviations[:, column])
        for name, moments in exact.items():
            found = posterior.draws(name)[..., column]
            assert np.abs((found.mean(axis=0) - moments.mean) / moments.sd).max() < 0.08, (connection, name)
            np.testing.assert_allclose(found.std(axis=0), moments.sd, rtol=0.08, err_msg=f"{connection} {name}")


def test_the_same_seed_gives_the_same_bytes_and_another_does_not(posterior: Posterior, tmp_path: Path) -> None:
    again, other = fit([posterior.distances])[0], fit([posterior.distances], seed=1)[0]
    for name, each in (("first", posterior), ("again", again), ("other", other)):
        each.save(tmp_path / f"{name}.nc")
    first, second, third = ((tmp_path / f"{name}.nc").read_bytes() for name in ("first", "again", "other"))
    assert first == second
    assert first != third


def test_a_data_set_gets_the_same_draws_in_any_company(posterior: Posterior) -> None:
    company = [simulated(words=3, seed=5, name="other"), posterior.distances, simulated(words=9, seed=6)]
    together = fit(company)[1]
    np.testing.assert_array_equal(together.draws("mu"), posterior.draws("mu"))


def test_the_file_is_one_that_arviz_reads(posterior: Posterior, tmp_path: Path) -> None:
    import arviz_stats as untyped

    arviz_stats: Any = untyped

    posterior.save(tmp_path / "draws.nc")
    with xarray.open_datatree(tmp_path / "draws.nc", engine="h5netcdf") as tree:
        assert set(tree.children) == {"posterior", "sample_stats", "observed_data", "constant_data"}
        assert tree["posterior"]["mu"].dims == ("chain", "draw", "word", "connection")
        assert json.loads(tree.attrs["settings"])["seed"] == 0
        summary = arviz_stats.summary(tree, var_names=["bar"], round_to="none")
    means = [each.mean for each in population(posterior) if each.kind == "bar"]
    np.testing.assert_allclose(summary["mean"].to_numpy(dtype=float), means)


def test_five_rows_leave_a_wide_posterior_and_say_so() -> None:
    few = fit([distances([0, 0, 1, 1, 1], [0, 1, 0, 1, 1], [0.6, 0.9, 0.7, 0.8, 0.95])])[0]
    contrast = contrasts(few)[0]
    assert contrast.low < -0.3
    assert contrast.high > 0.1
    warnings = " ".join(diagnostics(few).warnings)
    assert "There are 2 distances of the connection 'associated' in all." in warnings
    assert "no distance of the connection 'human'" in warnings


def test_one_protected_word_leaves_the_spread_to_the_prior() -> None:
    one = fit([simulated(words=1)])[0]
    spread = next(each for each in population(one) if each.kind == "spread")
    assert spread.mean == pytest.approx(0.3, abs=0.2)  # an exponential of mean 0.5, drawn in by the distances to bar
    assert spread.sd > 0.2
    assert "one protected word ('w0')" in " ".join(diagnostics(one).warnings)


def test_a_word_without_distances_of_a_connection_is_as_unsure_as_a_new_word() -> None:
    data = simulated(words=8)
    kept = ~((data.word == 3) & (data.connection == 0))
    some = replace(
        data,
        word=data.word[kept],
        connection=data.connection[kept],
        distance=data.distance[kept],
        attributes=tuple(np.array(data.attributes)[kept]),
        sets=("",) * int(kept.sum()),
    )
    posterior = fit([some])[0]
    sd = posterior.draws("mu")[:, :, 0].std(axis=0)
    new = np.sqrt(np.mean(posterior.draws("spread")[:, 0] ** 2) + np.var(posterior.draws("bar")[:, 0]))
    assert sd[3] == pytest.approx(new, rel=0.05)
    assert sd[3] > 1.2 * np.delete(sd, 3).max()
    assert "(w3): their means are guessed" in " ".join(diagnostics(posterior).warnings)


def test_a_connection_without_distances_is_left_out() -> None:
    posterior = fit([simulated(rows=(5, 8, 0, 20))])[0]
    assert [each.connection for each in contrasts(posterior)] == ["associated - different", "associated - neutral"]
    assert posterior.draws("bar").shape == (8000, 3)


def test_priors_are_heard_where_data_are_few_and_only_there(posterior: Posterior) -> None:
    data = [posterior.distances, distances([0, 1, 0, 1], [0, 0, 1, 1], [0.6, 0.7, 0.9, 0.8])]
    moved = fit(data, priors=Priors(bar_mean=1.6))
    plain = fit(data)
    rich, poor = (
        after.draws("bar")[:, 0].mean() - before.draws("bar")[:, 0].mean()
        for before, after in zip(plain, moved, strict=True)
    )
    assert abs(rich) < 0.02
    assert poor > 0.1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"chains": 0}, "chains is 0"),
        ({"draws": 1}, "draws is 1"),
        ({"seed": -1}, "seed is -1"),
        ({"target_accept": 1.0}, "target_accept is 1"),
        ({"draws": 1_000_000, "chains": 64}, "do not fit into memory"),
    ],
)
def test_impossible_settings_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        fit([simulated()], **settings)  # type: ignore[arg-type]


def test_nothing_to_fit_is_refused() -> None:
    with pytest.raises(InputError, match="no data set"):
        fit([])


def test_without_numpyro_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *args: object, **kwargs: object) -> object:
        if name == "numpyro":
            raise ImportError("No module named 'numpyro'")
        return real(name, *args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ModelError, match=r"pip install 'tiltmeter\[bayes\]'"):
        fit([simulated()])


def test_neither_the_package_nor_the_command_imports_jax_before_it_is_asked_to() -> None:
    code = (
        "import sys, tiltmeter, tiltmeter.cli.bayes, tiltmeter.bayes.fit, tiltmeter.bayes.reading;"
        "print(sorted({'jax', 'numpyro', 'xarray', 'pandas', 'torch', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_progress_counts_up_to_all() -> None:
    told: list[tuple[int, int]] = []
    fit([simulated(), simulated(seed=1)], progress=lambda done, total: told.append((done, total)))
    assert told == [(step, len(told)) for step in range(1, len(told) + 1)]
