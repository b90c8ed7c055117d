"""Fit a method to an embedding: `fit(vocabulary, bias, "hard").transform(words, matrix)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tiltmeter.debias.classify import agreement, clusters
from tiltmeter.debias.hard import all_bytes, replacements
from tiltmeter.debias.leaning import leaning
from tiltmeter.debias.nullspace import ROUNDS, null_space_directions
from tiltmeter.debias.soft import minimiser
from tiltmeter.debias.subspace import Defined, defined, directions
from tiltmeter.debias.transform import Debiaser
from tiltmeter.debias.vocabulary import Vocabulary, unit_rows
from tiltmeter.errors import InputError, did_you_mean
from tiltmeter.lexicon.debias import Bias
from tiltmeter.metrics.association import Array

_LABELLED = 2_500  # words of each class that INLP learns from
_TESTED = 500  # words of each class that double-hard clusters, as in its source
_COMPONENTS = 20  # principal components of which double-hard tries to take out one, likewise


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a method may be told; `TAKES` says which of it each listens to."""

    subspace: str = "pca"
    dimensions: int | None = None
    strength: float = 0.2
    sums: bool = False
    rounds: int = ROUNDS
    seed: int = 0
    progress: Callable[[int, int], None] | None = None


def fit(
    vocabulary: Vocabulary, bias: Bias, method: str = "hard", *, keep: Sequence[str] = (), **options: Any
) -> Debiaser:
    """What takes a bias out of an embedding, by one of `METHODS`.

    `keep`: words beside those of the lexicon that carry the bias by their meaning, and are left as they are.
    `subspace` ("pca", "means", "classifier") and `dimensions`: see `tiltmeter.debias.subspace.directions`.
    `strength` and `sums`: λ of soft debiasing, and whether its objective has the sums of the source (see `soft.py`).
    `rounds`: the most classifiers that INLP trains.
    """
    if method not in METHODS:
        near = did_you_mean(method, METHODS) or f"There are: {', '.join(METHODS)}."
        raise InputError(f"no method of debiasing is called {method!r:.40}. {near}")
    check_options(method, [*options, *(["keep"] if keep else [])])
    return METHODS[method](vocabulary, bias, defined(vocabulary, bias, keep), Options(**options))


def check_options(method: str, given: Iterable[str]) -> None:
    """Refuse an option that a method does not listen to: it would have no effect, and nobody would know."""
    for option in given:
        if option not in (*TAKES[method], "seed", "progress"):
            others = [name for name, taken in TAKES.items() if option in taken]
            raise InputError(
                f"{method} debiasing takes no {option!r}"
                + (f"; {' and '.join(others)} {'does' if len(others) == 1 else 'do'}." if others else "."),
                hint=f"It takes: {', '.join(TAKES[method])}.",
            )


def _hard(_: Vocabulary, bias: Bias, words: Defined, options: Options) -> Debiaser:
    """Neutral words lose the bias subspace; sets that should differ in it alone are made equal (Bolukbasi, Manzini)."""
    found = directions(words, options.subspace, options.dimensions)
    replaced, lost = replacements(words, found, unit_rows)
    return Debiaser(
        method="hard",
        bias=bias.name,
        directions=found,
        unit=True,
        kept=all_bytes(words.kept),
        replaced=replaced,
        lost=(*words.lost, *lost),
        settings=_settings(options, found),
    )


def _projection(_: Vocabulary, bias: Bias, words: Defined, options: Options) -> Debiaser:
    """Every word, whatever it means, loses the subspace: v' = v - V ᵀV v (Dev & Phillips 2019). Lengths are kept."""
    found = directions(words, options.subspace, options.dimensions)
    return Debiaser(
        method="projection",
        bias=bias.name,
        directions=found,
        unit=False,
        lost=words.lost,
        settings=_settings(options, found),
    )


def _soft(vocabulary: Vocabulary, bias: Bias, words: Defined, options: Options) -> Debiaser:
    """One linear map of all words, which lessens the bias and keeps the other similarities (Bolukbasi, Manzini)."""
    found = directions(words, options.subspace, options.dimensions)
    moments = _moments(vocabulary, words)
    n, m = (1.0, 1.0) if options.sums else (moments.count, max(moments.neutral_count, 1.0))
    T = minimiser(moments.all / n, moments.neutral / m, found, options.strength)
    return Debiaser(
        method="soft",
        bias=bias.name,
        directions=np.empty((0, vocabulary.dimension)),
        unit=True,
        matrix=T,
        lost=words.lost,
        settings={**_settings(options, found), "strength": options.strength, "sums": options.sums},
    )


def _inlp(vocabulary: Vocabulary, bias: Bias, words: Defined, options: Options) -> Debiaser:
    """All words lose what classifiers of the words that lean furthest go by (Ravfogel et al. 2020)."""
    learned = leaning(vocabulary, words, directions(words, options.subspace, options.dimensions), _LABELLED)
    if np.bincount(learned.labels, minlength=2).min() < 10:
        raise InputError(
            f"{vocabulary.name} has {len(learned.words)} words to learn {bias.name} from, and INLP needs 10 a class.",
            hint="Take another method, or a larger vocabulary.",
        )
    found, shares = null_space_directions(
        learned.rows, learned.labels, rounds=options.rounds, seed=options.seed, progress=options.progress
    )
    settings = {
        "learned_from": len(learned.words),
        "rounds": len(shares),
        "recognised": [round(share, 4) for share in shares],
        "seed": options.seed,
    }
    return Debiaser(
        method="inlp",
        bias=bias.name,
        directions=found,
        unit=False,
        lost=words.lost,
        settings={**_settings(options, found), **settings},
    )


def _double_hard(vocabulary: Vocabulary, bias: Bias, words: Defined, options: Options) -> Debiaser:
    """Hard debiasing after one principal component of all words is taken out: the one without which the words that lean
    furthest cluster least by class (Wang et al. 2020). Vectors are taken about their mean."""
    moments = _moments(vocabulary, words)
    centre = moments.sum / moments.count
    _, axes = np.linalg.eigh(moments.all / moments.count - np.outer(centre, centre))
    components = axes[:, ::-1].T[: min(_COMPONENTS, vocabulary.dimension - 1)]
    tested = leaning(vocabulary, words, directions(words, options.subspace, options.dimensions), _TESTED)
    if np.bincount(tested.labels, minlength=2).min() < 2:
        raise InputError(
            f"{vocabulary.name} has {len(tested.words)} words that lean to a side of {bias.name}, too few to cluster.",
            hint="Take another method, or a larger vocabulary.",
        )
    best: tuple[float, int, Debiaser] | None = None
    for number, component in enumerate(components):
        tried = _after(bias, words, options, centre, component[None])
        made = tried.neutral(tried.before(tested.rows))
        share = float(agreement(tested.labels, clusters(made, len(words.classes), seed=options.seed)).mean())
        if best is None or share < best[0] - 1e-9:
            best = share, number, tried
        if options.progress is not None:
            options.progress(number + 1, len(components))
    assert best is not None
    share, number, chosen = best
    settings = {"component": number + 1, "of": len(components), "clustered": round(share, 4), "seed": options.seed}
    return Debiaser(**{**vars(chosen), "settings": {**chosen.settings, **settings}})


def _after(bias: Bias, words: Defined, options: Options, centre: Array, first: Array) -> Debiaser:
    """Hard debiasing of what is left without the mean and a component."""
    none = np.empty((0, len(centre)))
    before = Debiaser(method="", bias="", directions=none, unit=True, centre=centre, first=first).before
    moved = Defined(
        tuple(before(rows) for rows in words.sets),
        tuple(before(rows) for rows in words.classes),
        words.equalise,
        words.kept,
        words.lost,
    )
    found = directions(moved, options.subspace, options.dimensions)
    replaced, lost = replacements(words, found, before)
    return Debiaser(
        method="double-hard",
        bias=bias.name,
        directions=found,
        unit=True,
        centre=centre,
        first=first,
        kept=all_bytes(words.kept),
        replaced=replaced,
        lost=(*words.lost, *lost),
        settings=_settings(options, found),
    )


@dataclass(slots=True)
class _Moments:
    """Sums over the words of length 1."""

    count: float
    sum: Array
    all: Array
    neutral_count: float
    neutral: Array


def _moments(vocabulary: Vocabulary, words: Defined) -> _Moments:
    """Of all words, and of those that are neutral; words with a vector of zeros take no part."""
    kept, d = all_bytes(words.kept), vocabulary.dimension
    made = _Moments(0.0, np.zeros(d), np.zeros((d, d)), 0.0, np.zeros((d, d)))
    for block in vocabulary.blocks():
        rows = unit_rows(block.rows, block.words, vocabulary.name)
        own = rows[[row for row, word in enumerate(block.words) if word in kept]]
        square = rows.T @ rows
        made.count += float(np.count_nonzero(rows.any(axis=1)))
        made.neutral_count += float(np.count_nonzero(rows.any(axis=1)) - np.count_nonzero(own.any(axis=1)))
        made.sum += rows.sum(axis=0)
        made.all += square
        made.neutral += square - own.T @ own
    return made


def _settings(options: Options, found: Array) -> dict[str, Any]:
    return {"subspace": options.subspace, "dimensions": len(found)}


Fit = Callable[[Vocabulary, Bias, Defined, Options], Debiaser]
METHODS: Mapping[str, Fit] = {
    "hard": _hard,
    "soft": _soft,
    "projection": _projection,
    "inlp": _inlp,
    "double-hard": _double_hard,
}
LINEAR = ("projection", "inlp")  # one map of all words, see `Debiaser.linear`
_SUBSPACE = ("subspace", "dimensions")
TAKES: Mapping[str, tuple[str, ...]] = {
    "hard": (*_SUBSPACE, "keep"),
    "soft": (*_SUBSPACE, "keep", "strength", "sums"),
    "projection": _SUBSPACE,
    "inlp": (*_SUBSPACE, "keep", "rounds"),
    "double-hard": (*_SUBSPACE, "keep"),
}
