"""Posteriors of the Bayesian estimate in a run folder: the draws and distances that its figures are made of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tiltmeter.bayes.data import CONNECTIONS, Distances, check
from tiltmeter.errors import InputError
from tiltmeter.runs.arrays import Arrays, of_jobs

if TYPE_CHECKING:
    from tiltmeter.bayes.fit import Posterior

_BY_CONNECTION = ("bar", "spread", "sigma")
_TEXTS = ("words", "attributes", "sets")


def kept(posterior: Posterior) -> Arrays:
    """Draws as chains × draws (× words) × connections, in single precision, and one number of each distance."""
    data, tree = posterior.distances, posterior.tree["posterior"]
    arrays: dict[str, Any] = {name: np.asarray(tree[name].values, dtype=np.float32) for name in (*_BY_CONNECTION, "mu")}
    arrays |= {"distance": data.distance, "word": data.word.astype(np.int64)}
    arrays["connection"] = data.connection.astype(np.int64)
    about = {
        "metric": "bayes",
        "test": data.name,
        "language": data.language,
        "seed": posterior.settings["seed"],
        **{name: list(getattr(data, name)) for name in _TEXTS},
    }
    return Arrays(arrays, about)


def read_posteriors(folder: Path, manifest: Mapping[str, Any]) -> list[Posterior]:
    """The posteriors that the jobs of a run kept, each with the model's name in that run; InputError where damaged."""
    return [_posterior(path, model, found) for model, path, _, found in of_jobs(folder, manifest, ("bayes",))]


def _posterior(path: Path, model: str, found: Arrays) -> Posterior:
    from xarray import Dataset, DataTree

    from tiltmeter.bayes.fit import Posterior

    try:
        data = _distances(model, found)
        seed = found.about["seed"]
        if not isinstance(seed, int) or not 0 <= seed < 2**32:
            raise ValueError("its seed is none")
        draws = {name: np.asarray(found.arrays[name], dtype=np.float64) for name in (*_BY_CONNECTION, "mu")}
        chains, length = draws["bar"].shape[:2]
        shape: dict[str, tuple[int, ...]] = {name: (chains, length, len(data.present)) for name in _BY_CONNECTION}
        shape["mu"] = (chains, length, len(data.words), len(data.present))
        if chains * length < 4 or any(draws[name].shape != shape[name] for name in draws):
            raise ValueError("its draws do not fit its words and connections")
        if not all(np.isfinite(each).all() for each in draws.values()) or not (draws["sigma"] > 0).all():
            raise ValueError("some of its draws are no numbers")
        if not all((np.ptp(each, axis=(0, 1)) > 0).all() for each in draws.values()):
            raise ValueError("its draws are all the same")
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"is damaged: it is no posterior ({error!s:.100}).", where=path, hint="Run it again."
        ) from None
    try:
        check(data)
    except InputError as error:
        raise InputError(f"is damaged: {error.message}", where=path, hint="Run it again.") from None
    dims = {name: ["chain", "draw", *(["word"] if name == "mu" else []), "connection"] for name in draws}
    values = Dataset({name: (dims[name], each) for name, each in draws.items()})
    return Posterior(data, DataTree.from_dict({"posterior": values}), {"seed": seed})


def _distances(model: str, found: Arrays) -> Distances:
    words, attributes, sets = (tuple(map(str, found.about[name])) for name in _TEXTS)
    word, connection = (np.asarray(found.arrays[name]) for name in ("word", "connection"))
    distance = np.asarray(found.arrays["distance"], dtype=np.float64)
    if not (word.shape == connection.shape == distance.shape == (len(attributes),) == (len(sets),)):
        raise ValueError("its arrays are not of one length")
    for codes, most in ((word, len(words)), (connection, len(CONNECTIONS))):
        if codes.dtype.kind != "i" or not ((codes >= 0) & (codes < most)).all():
            raise ValueError("a distance is of no known word or connection")
    return Distances(
        name=str(found.about["test"]),
        model=model,
        words=words,
        word=word.astype(np.intp),
        connection=connection.astype(np.intp),
        attributes=attributes,
        sets=sets,
        distance=distance,
        language=str(found.about["language"]),
    )
