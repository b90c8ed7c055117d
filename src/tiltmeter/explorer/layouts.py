"""Maps of targets: each is a point, near to those whose scores with the features are alike.

The methods and their settings are those of the thesis (Louis-Alexandre 2022, section 5.2), and principal components.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InputError

Array = NDArray[np.float64]
Method = Literal["pca", "tsne", "isomap", "umap"]
METHODS: tuple[Method, ...] = get_args(Method)

PERPLEXITY = 5
NEIGHBOURS = 5
SEED = 33
_FEWEST = 5  # points below which neighbourhoods say nothing


@dataclass(frozen=True)
class Layout:
    """Two coordinates for each point that has any; `kept` are the rows of the scores."""

    points: Array
    kept: NDArray[np.intp]
    label: str
    explained: tuple[float, float] | None = None  # PCA: the share of the variance on each axis
    note: str | None = None


def layout(scores: Array, method: Method) -> Layout:
    """The targets (rows) by their score vectors. A missing score counts as the mean of its feature.

    With fewer than 5 targets all methods fall back to principal components, as there are no neighbourhoods to keep;
    with a few more, perplexity and neighbours shrink to what there is.
    """
    kept = np.flatnonzero(~np.isnan(scores).all(axis=1))
    table = scores[kept][:, ~np.isnan(scores[kept]).all(axis=0)]
    if len(kept) < 2 or not table.size:
        raise InputError("a map needs two targets or more that have scores.", hint="Choose another category.")
    table = np.where(np.isnan(table), np.nanmean(table, axis=0), table)
    if method == "pca":
        return _pca(table, kept, None)
    if len(kept) < _FEWEST:
        return _pca(
            table, kept, f"With {len(kept)} targets there are no neighbourhoods to map: these are principal components."
        )
    neighbours = min(NEIGHBOURS, len(kept) - 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of neighbourhoods that are not connected: they are joined
        points, label = _neighbourhoods(table, method, neighbours)
    return Layout(_settled(points), kept, label)


def _neighbourhoods(table: Array, method: Method, neighbours: int) -> tuple[Array, str]:
    if method == "tsne":
        from sklearn.manifold import TSNE

        perplexity = min(PERPLEXITY, (len(table) - 1) / 3)
        tsne = TSNE(perplexity=perplexity, random_state=SEED, init="pca")
        return tsne.fit_transform(table), f"t-SNE, perplexity {perplexity:g}, seed {SEED}"
    if method == "isomap":
        from sklearn.manifold import Isomap

        return Isomap(n_neighbors=neighbours).fit_transform(table), f"Isomap, {neighbours} neighbours"
    # The spectral beginning needs more points than it finds dimensions.
    begin = "spectral" if len(table) > 10 else "random"
    with _threads_kept():
        from umap import UMAP

        umap = UMAP(n_neighbors=neighbours, random_state=SEED, init=begin, n_jobs=1)
        return umap.fit_transform(table), f"UMAP, {neighbours} neighbours, seed {SEED}"


@contextmanager
def _threads_kept() -> Iterator[None]:
    """UMAP's compiler sets the number of threads of all OpenMP, PyTorch's too, and that decides the last bits of what a
    model says."""
    torch: Any = sys.modules.get("torch")
    before = torch.get_num_threads() if torch is not None else None
    try:
        yield
    finally:
        if before is not None:
            torch.set_num_threads(before)


def _pca(table: Array, kept: NDArray[np.intp], note: str | None) -> Layout:
    centred = table - table.mean(axis=0)
    u, s, _ = np.linalg.svd(centred, full_matrices=False)
    points = np.zeros((len(table), 2))
    points[:, : min(2, s.size)] = (u * s)[:, :2]
    variance = s**2 / total if (total := float((s**2).sum())) else np.zeros(s.size)
    shares = [float(one) for one in (*variance[:2], 0.0, 0.0)]
    return Layout(_settled(points), kept, "Principal components", (shares[0], shares[1]), note)


def _settled(points: Array) -> Array:
    """Centred, and turned so that of each axis the longer side is positive: the same scores give the same map."""
    points = np.asarray(points, dtype=np.float64)
    points = points - points.mean(axis=0)
    longest = points[np.abs(points).argmax(axis=0), range(points.shape[1])]
    return np.asarray(points * np.where(longest < 0, -1.0, 1.0))
