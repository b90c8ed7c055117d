"""The bias subspace of an embedding, found in one of three ways, and the defining words that it is found from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from tiltmeter.debias.classify import normals
from tiltmeter.debias.vocabulary import Vocabulary, resolve
from tiltmeter.errors import InputError, did_you_mean
from tiltmeter.lexicon.debias import Bias, spellings
from tiltmeter.measurement import Lost
from tiltmeter.metrics.association import Array, units
from tiltmeter.metrics.subspace import bias_subspace

How = Literal["pca", "means", "classifier"]
HOWS: tuple[How, ...] = get_args(How)
_ABSENT = "not in the vocabulary"


@dataclass(frozen=True, slots=True)
class Defined:
    """The defining words of a bias as an embedding has them."""

    sets: tuple[Array, ...]  # two rows or more each
    classes: tuple[Array, ...]
    equalise: tuple[tuple[tuple[str, ...], Array], ...]  # words as they are spelled, and their rows
    kept: frozenset[str]  # words that are not neutral
    lost: tuple[Lost, ...]


def defined(vocabulary: Vocabulary, bias: Bias, keep: Sequence[str] = ()) -> Defined:
    """Look up what a bias is defined by; a definition of which fewer than two words are found is left out."""
    ways = {way for row in (*bias.definitions, *bias.equalise) for one in spellings(row) for way in one if way}
    found = {word: row for word, row in vocabulary.find(ways).items() if row.any()}
    lost: list[Lost] = []
    sets: list[Array] = []
    for row in bias.definitions:
        rows = [vector for word in row if word and (vector := resolve(found, word)) is not None]
        lost += [Lost(word, "definitions", _ABSENT) for word in row if word and resolve(found, word) is None]
        if len(rows) > 1:
            sets.append(np.stack(rows))
    classes = [[vector for word in words if (vector := resolve(found, word)) is not None] for words in bias.by_class]
    if not sets or sum(bool(rows) for rows in classes) < 2:
        missing = ", ".join(repr(one.word) for one in lost[:6])
        raise InputError(
            f"none of the {len(bias.definitions)} definitions of the bias {bias.name!r} has two words in "
            f"{vocabulary.name}. Not found: {missing}.",
            hint="Is --lang right?",
        )
    equalise: list[tuple[tuple[str, ...], Array]] = []
    for row in bias.equalise:
        lost += [Lost(word, "equalise", _ABSENT) for word in row if word and resolve(found, word) is None]
        for spelled in spellings(row):
            here = tuple(word for word in spelled if word in found)
            if len(here) > 1 and not any(set(here) & set(words) for words, _ in equalise):
                equalise.append((here, np.stack([found[word] for word in here])))
    own = tuple(bias.own_words | {*keep})
    return Defined(
        tuple(sets),
        tuple(np.stack(rows) for rows in classes if rows),
        tuple(equalise),
        frozenset(word for way in spellings(own) for word in way),
        tuple(dict.fromkeys(lost)),
    )


def directions(words: Defined, how: str = "pca", dimensions: int | None = None) -> Array:
    """Orthonormal directions of the bias, pointing to the first class   (k × dimensions of the embedding)

    "pca": principal components of the defining sets, each about its own mean (Bolukbasi et al. 2016, Manzini et al.
    2019). "means": what parts the means of the classes (Dev & Phillips 2019). "classifier": the normal of a linear
    classifier of the classes (Ravfogel et al. 2020). By default one dimension less than there are classes.
    """
    if how not in HOWS:
        near = did_you_mean(how, HOWS) or f"There are: {', '.join(HOWS)}."
        raise InputError(f"no way of finding a subspace is called {how!r:.40}. {near}")
    wanted = dimensions or len(words.classes) - 1
    if how == "pca":
        try:
            return bias_subspace(words.sets, wanted).directions
        except ValueError as error:
            raise InputError(f"the bias subspace cannot be found: {error}.", hint="Ask for fewer dimensions.") from None
    classes = units(**{f"class {number}": rows for number, rows in enumerate(words.classes, start=1)})
    labels = np.repeat(np.arange(len(classes)), [len(rows) for rows in classes])
    if how == "means":
        means = np.stack([rows.mean(axis=0) for rows in classes])
        _, sizes, found = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
        found = found[: min(len(classes) - 1, int(np.count_nonzero(sizes > 1e-9)))]
    else:
        found = normals(np.concatenate(classes), labels, len(classes))
    if not 1 <= wanted <= len(found):
        raise InputError(
            f"{wanted} dimensions were asked of {len(classes)} classes, whose "
            f"{'means' if how == 'means' else 'classifier'} give {len(found)}.",
            hint="Ask for fewer.",
        )
    to_first = found @ classes[0].mean(axis=0) - found @ np.mean([rows.mean(axis=0) for rows in classes[1:]], axis=0)
    return np.asarray((found * np.where(to_first < 0, -1.0, 1.0)[:, None])[:wanted], dtype=np.float64)
