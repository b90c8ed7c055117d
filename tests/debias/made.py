"""A small embedding with a gender direction that some words lean along, and a bias to take out of it."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from tiltmeter.lexicon.debias import Bias, bias

DIMENSION = 24
LEANING = 120
GENDER = bias("gender")
RAGGED: Bias = dataclasses.replace(
    GENDER,
    name="three",
    classes=("one", "two", "three"),
    definitions=(("w0", "w1", "w2"), ("w3", "w4"), ("", "w5", "w6"), ("w7", "absent", "w8")),
    equalise=(("w0", "w1", "w2"), ("w3", "w4")),
    specific=(),
    tests=(),
    multiclass="",
    labelled="",
)


def embedding(seed: int = 0) -> tuple[list[str], NDArray[np.float32]]:
    """Rows of many lengths: pairs that differ along one direction, made-up words that lean, others that do not."""
    rng = np.random.default_rng(seed)
    pairs = [pair for pair in GENDER.equalise[:12] if all(pair)] + [("her", "his")]
    words: dict[str, NDArray[np.float64]] = {}
    towards = rng.normal(size=DIMENSION)
    other = rng.normal(size=DIMENSION)  # what words that lean share beside the direction: it stays when that is gone
    for female, male in pairs:
        common = rng.normal(size=DIMENSION)
        for word, sign in ((female, 1.0), (male, -1.0)):
            words.setdefault(word, common + sign * towards + 0.2 * rng.normal(size=DIMENSION))
    for number in range(2 * LEANING):
        sign = 1.0 if number % 2 else -1.0
        name = "x" + "".join(chr(97 + int(digit)) for digit in f"{number:04}")
        words[name] = rng.normal(size=DIMENSION) + sign * (0.6 * towards + 0.9 * other)
    for number in range(9):
        words[f"w{number}"] = rng.normal(size=DIMENSION)
    matrix = np.stack(list(words.values())) * rng.uniform(0.1, 30.0, size=(len(words), 1))
    return list(words), matrix.astype(np.float32)
