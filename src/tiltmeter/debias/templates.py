"""Projections of encoders and masked models, fitted to what they make of sentences that differ in a defining word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.debias.classify import Labels
from tiltmeter.errors import InputError, ModelError
from tiltmeter.lexicon.debias import SLOT, Bias, filled
from tiltmeter.lexicon.tests import Passage
from tiltmeter.metrics.association import Array
from tiltmeter.metrics.subspace import bias_subspace
from tiltmeter.models.base import Embedder
from tiltmeter.models.lm import Query
from tiltmeter.models.masked import MaskedModel
from tiltmeter.models.projection import HOW, Place, Projection


@dataclass(frozen=True, slots=True)
class InSentences:
    """What a model makes of the defining words, each in each sentence of its context: one row a sentence."""

    rows: Array
    group: NDArray[np.intp]  # which rows differ in the defining word alone
    labels: Labels  # the class of the word
    sentence: tuple[str, ...]  # the sentence, with its slot
    word_set: NDArray[np.intp]  # the definition that the word is of, the same one in all contexts
    template: NDArray[np.intp]  # the number of the sentence in its context

    def sets(self, among: NDArray[np.bool_] | None = None) -> list[Array]:
        """The rows of each group of two or more, of all rows or of some."""
        rows, group = (self.rows, self.group) if among is None else (self.rows[among], self.group[among])
        return [rows[group == each] for each in np.unique(group) if np.count_nonzero(group == each) > 1]


def fit_projection(
    model: Embedder | MaskedModel, bias: Bias, *, at: Place | None = None, dimensions: int | None = None
) -> Projection:
    """The directions in which a model's vectors differ with the defining word   (SentDebias: Liang et al. 2020)

    Each definition in each sentence is a defining set; the directions are the principal components of all sets, each
    about its own mean. At "blank" the vectors are the states of a masked model at a blank in the sentence, which the
    head turns into probabilities; at "sentence", those of whole sentences. One dimension less than there are classes,
    unless `dimensions` says otherwise.
    """
    place: Place = at or ("blank" if isinstance(model, MaskedModel) else "sentence")
    seen = in_sentences(model, bias, place)
    sets = seen.sets()
    try:
        found = bias_subspace(sets, dimensions or len(bias.classes) - 1)
    except ValueError as error:
        raise InputError(f"{model.name}: the projection cannot be fitted: {error}.") from None
    return Projection(
        directions=found.directions.astype(np.float32),
        at=place,
        bias=bias.name,
        fitted_to=model.fingerprint,
        settings={
            "sets": len(sets),
            "sentences": len(seen.rows),
            "dimensions": len(found.directions),
            "explained": [round(float(share), 4) for share in found.explained],
            "source": bias.source,
            "language": bias.language,
            **({what: model.settings[what] for what in HOW if what in model.settings} if place == "sentence" else {}),
        },
    )


def in_sentences(model: Any, bias: Bias, at: Place) -> InSentences:
    """The vectors of all sentences of a bias; a sentence that the model cannot take is left out, with its group if only
    one is left of it."""
    texts: list[tuple[str, str, str]] = []  # sentence, word, filled
    numbers: list[tuple[int, int, int, int]] = []  # group, class, definition, sentence of its context
    group = 0
    known: dict[tuple[str, ...], int] = {}
    for context in bias.contexts:
        for words in context.sets:
            word_set = known.setdefault(words, len(known))
            for number, sentence in enumerate(context.blanks if at == "blank" else context.sentences):
                texts += [(sentence, word, filled(sentence, word)) for word in words if word]
                numbers += [(group, label, word_set, number) for label, word in enumerate(words) if word]
                group += 1
    if not texts:
        raise InputError(
            f"the bias {bias.name!r} has no sentences in language {bias.language!r} to fit a projection with.",
            hint="Add [[bias.NAME.contexts]] with sets, sentences and blanks to a file of your own.",
        )
    if at == "blank":
        if not isinstance(model, MaskedModel):
            raise ModelError(f"{model.name} is no masked model: it has no blank to project at. Say --at sentence.")
        rows = model.blank_states([Query(text) for _, _, text in texts])
        kept: Sequence[int] = range(len(texts))
    else:
        passages = [_passage(*one) for one in texts]
        model.prepare(passages)
        embedded = model.embed(passages)
        rows, kept = embedded.vectors, embedded.kept
    group_of, label_of, set_of, number_of = np.array([numbers[place] for place in kept], dtype=np.intp).T
    return InSentences(
        np.asarray(rows, dtype=np.float64),
        group_of,
        label_of,
        tuple(texts[place][0] for place in kept),
        set_of,
        number_of,
    )


def _passage(sentence: str, word: str, text: str) -> Passage:
    start = sentence.index(SLOT)
    return Passage(text, word, start, start + len(word))
