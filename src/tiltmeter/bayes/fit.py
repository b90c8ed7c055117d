"""Fit the hierarchical model to one data set or many, and keep the posterior as the ecosystem's tools know it."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tiltmeter.bayes.data import CONNECTIONS, Array, Distances, cells, check
from tiltmeter.bayes.priors import Priors
from tiltmeter.errors import InputError, ModelError
from tiltmeter.files import replacing

if TYPE_CHECKING:
    from xarray import DataTree

    from tiltmeter.bayes.sampler import Draws

_LIBRARIES = ("numpyro", "jax", "numpy", "arviz-base", "arviz-stats")
_NUMBERS = 200_000_000  # that a batch may draw: 1.6 GB


@dataclass(frozen=True)
class Posterior:
    """What the distances of one data set say of the numbers of the model.

    `tree` is ArviZ's InferenceData in its present form, an xarray DataTree: groups posterior, sample_stats,
    observed_data and constant_data.
    """

    distances: Distances
    tree: DataTree
    settings: Mapping[str, Any]

    def draws(self, name: str) -> Array:
        """Draws of "bar", "spread" or "sigma" (× connections) or of "mu" (× words × connections), all chains joined."""
        values = np.asarray(self.tree["posterior"][name].values, dtype=np.float64)
        return values.reshape(-1, *values.shape[2:])

    @cached_property
    def predicted(self) -> Array:
        """A new distance of each word and connection, one for each draw (× words × connections)."""
        rng = np.random.default_rng([self.settings["seed"], 1])
        mu, sigma = self.draws("mu"), self.draws("sigma")
        return np.asarray(mu + sigma[:, None, :] * rng.standard_normal(mu.shape), dtype=np.float64)

    def save(self, path: Path | str) -> None:
        """Write the tree as NetCDF, which `arviz` and `xarray.open_datatree` read."""
        with replacing(Path(path)) as part:
            self.tree.to_netcdf(part, engine="h5netcdf")


def fit(
    data: Sequence[Distances],
    *,
    priors: Priors | Sequence[Priors] | None = None,
    chains: int = 2,
    draws: int = 4_000,
    warmup: int = 1_000,
    seed: int = 0,
    target_accept: float = 0.8,
    progress: Callable[[int, int], None] | None = None,
) -> list[Posterior]:
    """The posterior of every data set, sampled together by NUTS; `priors` are those of all, or one for each.

    A data set gets the same random numbers whatever else is in the batch. `progress` is told the parts
    done and the parts in all, by one thread at a time.
    """
    require()
    _check_settings(data, chains, draws, warmup, seed, target_accept)
    given = [priors or Priors()] * len(data) if priors is None or isinstance(priors, Priors) else list(priors)
    if len(given) != len(data):
        raise ValueError(f"there are {len(given)} priors for {len(data)} data sets")
    for each in data:
        check(each)
    from tiltmeter.bayes.sampler import sample

    tables = [cells(each) for each in data]
    sampled = sample(
        tables,
        given,
        chains=chains,
        draws=draws,
        warmup=warmup,
        seed=seed,
        target_accept=target_accept,
        report=progress,
    )
    libraries = {name: version(name) for name in _LIBRARIES}
    posteriors = []
    for each, belief, drawn in zip(data, given, sampled, strict=True):
        settings = {
            **each.settings,
            "priors": belief.as_dict(),
            "chains": chains,
            "draws": draws,
            "warmup": warmup,
            "target_accept": target_accept,
            "seed": seed,
            "libraries": libraries,
        }
        posteriors.append(Posterior(each, _tree(each, drawn, settings), settings))
    return posteriors


def require() -> None:
    """Fail with what to do where the libraries of the estimate are missing."""
    try:
        import arviz_base
        import arviz_stats
        import h5netcdf  # noqa: F401
        import numpyro  # noqa: F401
    except ImportError as error:
        raise ModelError(
            f"the Bayesian estimate needs NumPyro and ArviZ ({error}). Install them: pip install 'tiltmeter[bayes]'"
        ) from None
    del arviz_base, arviz_stats


def _check_settings(
    data: Sequence[Distances], chains: int, draws: int, warmup: int, seed: int, target_accept: float
) -> None:
    if not data:
        raise InputError("there is no data set to fit.", hint="Give at least one.")
    for name, value, least, most in (
        ("chains", chains, 1, 64),
        ("draws", draws, 4, 1_000_000),
        ("warmup", warmup, 20, 1_000_000),
        ("seed", seed, 0, 2**32 - 1),
    ):
        if not least <= value <= most:
            raise InputError(f"{name} is {value}.", hint=f"It lies between {least} and {most}.")
    if not 0 < target_accept < 1:
        raise InputError(f"target_accept is {target_accept:g}.", hint="It lies between 0 and 1; 0.8 is usual.")
    cells_in_all = sum(len(each.words) for each in data) * len(CONNECTIONS)
    if cells_in_all * chains * (draws + warmup) > _NUMBERS:
        raise InputError(
            f"{len(data)} data sets × {chains} chains × {draws + warmup} steps do not fit into memory.",
            hint="Fit fewer data sets at a time.",
        )


def _tree(data: Distances, drawn: Draws, settings: Mapping[str, Any]) -> DataTree:
    """Chains × draws, with the names of connections and words; a connection without distances is left out."""
    import arviz_base

    present = [CONNECTIONS.index(name) for name in data.present]
    table = cells(data)
    with warnings.catch_warnings():
        # ArviZ takes a data set with more chains than draws for one that is turned round.
        warnings.simplefilter("ignore", UserWarning)
        tree = arviz_base.from_dict(
            {
                "posterior": {
                    **{name: each[..., present] for name, each in drawn.population._asdict().items()},
                    "mu": drawn.mu[..., present],
                },
                "sample_stats": {
                    "diverging": drawn.diverging,
                    "n_steps": drawn.steps,
                    "acceptance_rate": drawn.acceptance,
                    "energy": drawn.energy,
                    "step_size": drawn.step_size,
                },
                "observed_data": {"distance": data.distance},
                "constant_data": {
                    "word_of": np.array(data.words)[data.word],
                    "connection_of": np.array(CONNECTIONS)[data.connection],
                    "attribute_of": np.array(data.attributes),
                    "count": table.count[:, present],
                    "mean": table.mean[:, present],
                },
            },
            coords={"connection": list(data.present), "word": list(data.words)},
            dims={
                **{name: ["connection"] for name in ("bar", "spread", "sigma")},
                **{name: ["word", "connection"] for name in ("mu", "count", "mean")},
                **{name: ["pair"] for name in ("distance", "word_of", "connection_of", "attribute_of")},
            },
        )
    for group in tree.subtree:
        group.attrs.pop("created_at", None)  # the same run gives the same bytes
    tree.attrs.update(model=data.model, test=data.name, settings=json.dumps(settings, ensure_ascii=False, default=str))
    return tree
