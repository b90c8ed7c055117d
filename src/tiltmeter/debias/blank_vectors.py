"""The states of a masked model at a blank, as vectors of the words that stand beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tiltmeter.lexicon.debias import Bias, filled
from tiltmeter.lexicon.tests import Passage
from tiltmeter.models.base import Embedded
from tiltmeter.models.lm import Query
from tiltmeter.models.masked import MaskedModel

_SENTENCES = 2  # of each context


class BlankVectors:
    """A word's vector is the mean state at the blank of a few sentences about it: what the model expects of it.

    The sentences are the first ones of each context of the bias: not every word fits into all of them.
    """

    def __init__(self, model: MaskedModel, bias: Bias, name: str) -> None:
        sentences = dict.fromkeys(one for context in bias.contexts for one in context.blanks[:_SENTENCES])
        self._model, self._sentences, self._name = model, tuple(sentences), name

    @property
    def name(self) -> str:
        return self._name

    @property
    def fingerprint(self) -> str:
        return self._model.fingerprint

    @property
    def settings(self) -> Mapping[str, Any]:
        return {**self._model.settings, "sentences": list(self._sentences)}

    def prepare(self, passages: Sequence[Passage]) -> None:
        """The model keeps its states."""

    def embed(self, passages: Sequence[Passage]) -> Embedded:
        queries = [Query(filled(sentence, passage.word)) for passage in passages for sentence in self._sentences]
        states = self._model.blank_states(queries)
        rows = states.reshape(len(passages), len(self._sentences), states.shape[1]).mean(axis=1, dtype=np.float64)
        return Embedded(tuple(range(len(passages))), rows.astype(np.float32), ())
