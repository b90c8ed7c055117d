"""NUTS on many data sets, compiled once.

The data sets of a batch are padded to the same number of words, so that one compiled walk serves them all; each chain
of each data set is a task for the next free core. What is compiled is kept for later batches of the same shape. Walking
all chains in step, as one vectorised program, was slower: each step then lasts as long as the longest of all.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count, product
from threading import Lock
from typing import Any, NamedTuple
from zlib import crc32

import jax
import jax.numpy as jnp
import numpy as np
from numpyro.infer.hmc import hmc
from numpyro.infer.util import potential_energy

from tiltmeter.bayes.data import CONNECTIONS, Array, Cells
from tiltmeter.bayes.model import POSITIVE, CellArrays, Population, PriorArrays, population, word_means
from tiltmeter.bayes.priors import Priors

_CHUNK = 250  # steps between two reports of progress
_PAD = 16  # words are padded to a multiple, so that most tests share what is compiled
_START = 2.0  # chains start at uniform points of the unconstrained space, as Stan's do

Report = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Draws:
    """What the sampler drew for one data set; every array begins with chains × draws."""

    population: Population
    mu: Array  # × words × connections
    diverging: Array
    steps: Array  # leapfrog steps of each draw
    acceptance: Array
    energy: Array
    step_size: Array


class _Step(NamedTuple):
    where: Any
    diverging: Any
    steps: Any
    acceptance: Any
    energy: Any
    step_size: Any


def sample(
    batch: Sequence[Cells],
    priors: Sequence[Priors],
    *,
    chains: int,
    draws: int,
    warmup: int,
    seed: int,
    target_accept: float,
    report: Report | None = None,
) -> list[Draws]:
    """Draw from the posterior of each data set of the batch. Its seed does not depend on the others."""
    words = -(-max(each.count.shape[0] for each in batch) // _PAD) * _PAD
    chunks = -(-(warmup + draws) // _CHUNK)
    done, telling = count(1), Lock()
    with jax.enable_x64(True):
        begin, advance = _compiled(words, warmup, target_accept)

    def chain(task: tuple[int, int]) -> _Step:
        index, number = task
        with jax.enable_x64(True):  # a setting of the thread
            cells = CellArrays(
                *(jnp.asarray(_padded(getattr(batch[index], name), words)) for name in CellArrays._fields)
            )
            beliefs = PriorArrays(
                *(jnp.asarray(getattr(priors[index], name), dtype=jnp.float64) for name in PriorArrays._fields)
            )
            state = begin(_key(seed, batch[index], number), cells, beliefs)
            pieces = []
            for _ in range(chunks):
                state, piece = advance(state, cells, beliefs)
                pieces.append(jax.tree.map(np.asarray, piece))
                if report is not None:
                    with telling:
                        report(next(done), len(batch) * chains * chunks)
        return _Step(*(np.concatenate(each)[warmup : warmup + draws] for each in zip(*pieces, strict=True)))

    tasks = list(product(range(len(batch)), range(chains)))
    with ThreadPoolExecutor(min(len(tasks), os.cpu_count() or 1)) as threads:
        walked = list(threads.map(chain, tasks))
    return [
        _draws(each, _Step(*map(np.stack, zip(*walked[i * chains : (i + 1) * chains], strict=True))), seed)
        for i, each in enumerate(batch)
    ]


def _draws(cells: Cells, stats: _Step, seed: int) -> Draws:
    """The numbers of the model, with the means of the words drawn given the population."""
    where = _by_name(np.moveaxis(stats.where, 2, 0))
    drawn = Population(**{name: np.exp(values) if name in POSITIVE else values for name, values in where.items()})
    shape = (*drawn.bar.shape[:2], *cells.count.shape)
    z = np.random.default_rng([seed, _mark(cells)]).standard_normal(shape)
    of_word = Population(*(each[:, :, None, :] for each in drawn))
    return Draws(
        population=drawn,
        mu=np.asarray(word_means(cells, of_word, z), dtype=np.float64),
        diverging=stats.diverging,
        steps=stats.steps,
        acceptance=stats.acceptance,
        energy=stats.energy,
        step_size=stats.step_size,
    )


def _by_name(at: Any) -> dict[str, Any]:
    """One array is quicker to compile for than three; this gives the model its names."""
    return dict(zip(Population._fields, at, strict=True))


def _mark(cells: Cells) -> int:
    tables = (cells.count, cells.mean, cells.deviations)
    return crc32(b"".join(np.ascontiguousarray(table).tobytes() for table in tables))


def _key(seed: int, cells: Cells, chain: int) -> Any:
    return jax.random.fold_in(jax.random.fold_in(jax.random.PRNGKey(seed), _mark(cells)), chain)


def _padded(table: Array, words: int) -> Array:
    return np.pad(table, ((0, words - len(table)), (0, 0)))


@functools.lru_cache(maxsize=8)
def _compiled(words: int, warmup: int, target_accept: float) -> tuple[Any, Any]:
    """The first state of a chain, and its next `_CHUNK` states."""

    def potential(cells: CellArrays, priors: PriorArrays) -> Any:
        return lambda at: potential_energy(population, (cells, priors), {}, _by_name(at))

    first, step = hmc(potential_fn_gen=potential, algo="NUTS")

    def begin(key: Any, cells: CellArrays, priors: PriorArrays) -> Any:
        start, walk = jax.random.split(key)
        shape = (len(Population._fields), len(CONNECTIONS))
        at = jax.random.uniform(start, shape, minval=-_START, maxval=_START)
        return first(at, warmup, target_accept_prob=target_accept, model_args=(cells, priors), rng_key=walk)

    def advance(state: Any, cells: CellArrays, priors: PriorArrays) -> Any:
        def one(state: Any, _: None) -> Any:
            state = step(state, model_args=(cells, priors))
            return state, _Step(
                state.z, state.diverging, state.num_steps, state.accept_prob, state.energy, state.adapt_state.step_size
            )

        return jax.lax.scan(one, state, None, length=_CHUNK)

    shaped: Any = jax.ShapeDtypeStruct
    table = shaped((words, len(CONNECTIONS)), jnp.float64)
    number = shaped((), jnp.float64)
    given = CellArrays(table, table, table), PriorArrays(number, number, number, number)
    key = shaped((2,), jnp.uint32)
    state = jax.eval_shape(begin, key, *given)
    lowered = jax.jit(begin).lower(key, *given), jax.jit(advance).lower(state, *given)
    with ThreadPoolExecutor(2) as threads:
        begin_now, advance_now = threads.map(lambda each: each.compile(), lowered)
    return begin_now, advance_now
