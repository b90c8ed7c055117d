"""The Bayesian estimate: effective samples a second, and many data sets at once.

On the largest of the published data sets, the model is sampled three ways, with as many draws: on raw rows and on
cells, both as the paper writes it and by NumPyro's own MCMC, non-centred, with its chains in parallel; and as
Tiltmeter does, on cells with the words integrated out. Each is run twice, as NumPyro's MCMC compiles anew for
parallel chains, and Tiltmeter does not. What counts is the number with the fewest effective samples. Then twelve data
sets are fitted in one batch, and one by one: as twelve commands would, each compiling anew, and in one process.

    python -m benchmarks.bayes [--json] [FOLDER]

FOLDER holds the published distances (*.csv.xz); without it the largest is simulated, with as many words and rows.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=2")

import jax as untyped_jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from arviz_stats.base.array import array_stats as untyped_stats
from numpyro.infer import MCMC, NUTS

from tiltmeter.bayes import sampler
from tiltmeter.bayes.data import CONNECTIONS, Distances, cells
from tiltmeter.bayes.fit import fit
from tiltmeter.bayes.reading import read_distances

jax: Any = untyped_jax
array_stats: Any = untyped_stats
CHAINS, DRAWS, WARMUP = 2, 4_000, 1_000


def on_rows(word: Any, connection: Any, distance: Any, *, words: int) -> None:
    """The model as the paper writes it, row by row."""
    mu, sigma = _means(words)
    numpyro.sample("distance", dist.Normal(mu[word, connection], sigma[connection]), obs=distance)


def on_cells(count: Any, mean: Any, deviations: Any) -> None:
    """The same, on sufficient statistics."""
    mu, sigma = _means(count.shape[0])
    squares = deviations + count * (mean - mu) ** 2
    numpyro.factor("distances", jnp.sum(-count * jnp.log(sigma) - 0.5 * squares / sigma**2))


def _means(words: int) -> tuple[Any, Any]:
    with numpyro.plate("connection", len(CONNECTIONS)):
        bar = numpyro.sample("bar", dist.Normal(1.0, 0.3))
        spread = numpyro.sample("spread", dist.Exponential(2.0))
        sigma = numpyro.sample("sigma", dist.Exponential(2.0))
    with numpyro.plate("word", words, dim=-2), numpyro.plate("connection_", len(CONNECTIONS), dim=-1):
        z = numpyro.sample("z", dist.Normal(0.0, 1.0))
    return numpyro.deterministic("mu", bar + spread * z), sigma


def simulated(words: int = 31, rows: tuple[int, ...] = (763, 756, 2635, 7006), *, seed: int = 0) -> Distances:
    """Distances like those of WEAT 1 in the Reddit embedding."""
    rng = np.random.default_rng(seed)
    connection = np.repeat(np.arange(4), rows)
    word = np.concatenate([np.arange(each) % words for each in rows])
    mu = rng.normal((0.83, 0.85, 0.91, 0.87), (0.06, 0.05, 0.04, 0.04), (words, 4))
    return Distances(
        name=f"simulated {seed}",
        model="simulated",
        words=tuple(f"word{i}" for i in range(words)),
        word=word,
        connection=connection,
        attributes=tuple(f"attribute{i}" for i in range(word.size)),
        sets=("",) * word.size,
        distance=rng.normal(mu[word, connection], np.array((0.18, 0.18, 0.2, 0.21))[connection]),
    )


def resampled(data: Distances, seed: int) -> Distances:
    """Another data set of the same shape: as after debiasing, all distances a little different."""
    from dataclasses import replace

    noise = np.random.default_rng(seed).normal(0, 0.02, data.distance.size)
    return replace(data, name=f"{data.name} {seed}", distance=data.distance + noise)


def seconds(of: Callable[[], Any]) -> tuple[float, Any]:
    began = time.perf_counter()
    result = of()
    return time.perf_counter() - began, result


def fewest(draws: dict[str, Any]) -> float:
    """Effective samples of the number that has the fewest."""
    return min(
        float(array_stats.ess(values.reshape(CHAINS, DRAWS, -1)[..., i]))
        for values in (np.asarray(draws[name]) for name in ("bar", "spread", "sigma", "mu"))
        for i in range(values[0, 0].size)
    )


def by_numpyro(model: Any, *args: Any) -> dict[str, float]:
    run = MCMC(
        NUTS(model),
        num_warmup=WARMUP,
        num_samples=DRAWS,
        num_chains=CHAINS,
        progress_bar=False,
    )

    def sample() -> dict[str, Any]:
        run.run(jax.random.PRNGKey(0), *args)
        return {name: np.asarray(values) for name, values in run.get_samples(group_by_chain=True).items()}

    first, _ = seconds(sample)
    again, draws = seconds(sample)
    return _figures(first, again, fewest(draws))


def by_tiltmeter(data: Distances) -> dict[str, float]:
    def sample() -> Any:
        return fit([data], chains=CHAINS, draws=DRAWS, warmup=WARMUP)[0].tree["posterior"]

    forget()
    first, _ = seconds(sample)
    again, tree = seconds(sample)
    return _figures(first, again, fewest({name: tree[name].values for name in ("bar", "spread", "sigma", "mu")}))


def _figures(first: float, again: float, effective: float) -> dict[str, float]:
    return {
        "first_seconds": round(first, 2),
        "seconds": round(again, 3),
        "effective": round(effective),
        "effective_per_second": round(effective / again, 1),
        "with_compiling": round(effective / first, 1),
    }


def forget() -> None:
    """Compile anew, as another process would."""
    sampler._compiled.cache_clear()
    jax.clear_caches()


def twelve(files: list[Distances]) -> dict[str, float]:
    batch = [*files, *(resampled(each, seed) for seed, each in enumerate(files))]
    fit(batch[:1])  # what is imported and set up once is not counted
    forget()
    together, _ = seconds(lambda: fit(batch))
    forget()
    warm, _ = seconds(lambda: [fit([each]) for each in batch])

    def cold(each: Distances) -> None:
        forget()
        fit([each])

    singly = sum(seconds(functools.partial(cold, each))[0] for each in batch)
    return {
        "batch_seconds": round(together, 2),
        "twelve_commands_seconds": round(singly, 2),
        "twelve_in_one_process_seconds": round(warm, 2),
        "batch_over_commands": round(together / singly, 3),
        "batch_over_one_process": round(together / warm, 3),
    }


def main() -> None:
    folders = [Path(argument) for argument in sys.argv[1:] if not argument.startswith("-")]
    files = [read_distances(path) for path in sorted(folders[0].glob("*.csv.xz"))] if folders else []
    files = files or [simulated(words, seed=words) for words in (10, 14, 15, 15, 16, 31)]
    data = max(files, key=lambda each: each.distance.size)
    batch = twelve(files)
    jax.config.update("jax_enable_x64", True)
    numpyro.set_host_device_count(CHAINS)
    table = cells(data)
    rows: dict[str, dict[str, float]] = {
        "rows, non-centred": by_numpyro(
            functools.partial(on_rows, words=len(data.words)),
            *map(jnp.asarray, (data.word, data.connection, data.distance)),
        ),
        "cells, non-centred": by_numpyro(on_cells, *map(jnp.asarray, (table.count, table.mean, table.deviations))),
        "tiltmeter": by_tiltmeter(data),
    }
    raw = rows["rows, non-centred"]
    ratios = {
        name: {of: round(row[of] / raw[of], 1) for of in ("effective_per_second", "with_compiling")}
        for name, row in rows.items()
    }
    if "--json" in sys.argv:
        print(
            json.dumps(
                {"data": data.name, "rows": data.distance.size, "sampling": rows, "ratio": ratios, "twelve": batch}
            )
        )
        return
    print(f"{data.title}: {data.distance.size} rows, {table.count.size} cells; {CHAINS} × {DRAWS} draws after {WARMUP}")
    print(
        f"{'':20}{'first, s':>10}{'again, s':>10}{'fewest ESS':>12}"
        f"{'ESS/s, first':>14}{'ratio':>8}{'again':>10}{'ratio':>8}"
    )
    for name, row in rows.items():
        print(
            f"{name:20}{row['first_seconds']:>10}{row['seconds']:>10}{row['effective']:>12}"
            f"{row['with_compiling']:>14}{ratios[name]['with_compiling']:>8}"
            f"{row['effective_per_second']:>10}{ratios[name]['effective_per_second']:>8}"
        )
    print("\ntwelve data sets")
    for name, value in batch.items():
        print(f"  {name.replace('_', ' '):34}{value:>8}")


if __name__ == "__main__":
    main()
