"""Small data sets that tests make for themselves."""

from __future__ import annotations

import numpy as np

from tiltmeter.bayes.data import CONNECTIONS, Distances


def simulated(
    *,
    words: int = 6,
    rows: tuple[int, int, int, int] = (5, 8, 20, 40),
    bar: tuple[float, float, float, float] = (0.75, 0.85, 0.92, 0.98),
    spread: float = 0.05,
    sigma: float = 0.1,
    seed: int = 0,
    name: str = "simulated",
) -> Distances:
    """Distances that the model itself might have made, `rows` of each word by connection."""
    rng = np.random.default_rng(seed)
    mu = rng.normal(bar, spread, (words, len(CONNECTIONS)))
    word, connection = np.nonzero(np.ones((words, sum(rows))))
    connection = np.repeat(np.arange(len(CONNECTIONS)), rows)[connection]
    return distances(word, connection, rng.normal(mu[word, connection], sigma), name=name)


def distances(word: object, connection: object, distance: object, *, name: str = "given") -> Distances:
    of_word, of_connection = np.asarray(word, dtype=np.intp), np.asarray(connection, dtype=np.intp)
    return Distances(
        name=name,
        model="made",
        words=tuple(f"w{index}" for index in range(int(of_word.max()) + 1)),
        word=of_word,
        connection=of_connection,
        attributes=tuple(f"a{index}" for index in range(of_word.size)),
        sets=("",) * of_word.size,
        distance=np.asarray(distance, dtype=np.float64),
    )
