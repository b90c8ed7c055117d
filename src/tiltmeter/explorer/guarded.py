"""A language model that many computations use at once: a few sentences at a time, so that none has to wait for long.

Tokenizers and state caches are not made for several threads. Every call of the model therefore holds its lock, and what
may take long is cut into slices, between which others get their turn and the computation may be stopped.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.explorer.computations import Work
from tiltmeter.measure.blanks import JointModel, JointTables
from tiltmeter.measure.discovery import VocabularyModel
from tiltmeter.models.lm import Filled, LanguageModel, Query

Array = NDArray[np.float64]

_SLICE = 256  # sentences
READING, SCORING, SEARCHING = "reading sentences", "computing scores", "searching the vocabulary"


@dataclass(frozen=True)
class Shareable:
    """A model and its lock. `known` says of a token of its vocabulary whether it is a word."""

    model: LanguageModel
    known: Callable[[str], bool] = bool
    lock: threading.Lock = field(default_factory=threading.Lock)

    def guarded(self, work: Work) -> Guarded:
        """The model for one computation."""
        if isinstance(self.model, JointModel):
            return GuardedJoint(self.model, self.lock, work)
        if isinstance(self.model, VocabularyModel):
            return GuardedVocabulary(self.model, self.lock, work, self.known)
        return Guarded(self.model, self.lock, work)


class Guarded:
    """A language model as one computation sees it."""

    def __init__(self, model: LanguageModel, lock: threading.Lock, work: Work) -> None:
        self._model: Any = model
        self._lock, self._work = lock, work

    @property
    def name(self) -> str:
        return str(self._model.name)

    @property
    def fingerprint(self) -> str:
        with self._lock:
            return str(self._model.fingerprint)

    @property
    def settings(self) -> Mapping[str, Any]:
        settings: Mapping[str, Any] = self._model.settings
        return settings

    def prepare(self, asked: Sequence[tuple[Sequence[Query], Sequence[str]]]) -> None:
        total = sum(len(queries) for queries, _ in asked)
        done = 0
        for queries, words in asked:
            for begin in range(0, len(queries), _SLICE):
                part = queries[begin : begin + _SLICE]
                self._work.report(READING, done, total)
                with self._lock:
                    self._model.prepare([(part, words)])
                done += len(part)
        self._work.report(SCORING)

    def fill(self, queries: Sequence[Query], words: Sequence[str]) -> Filled:
        self._work.report(SCORING)
        with self._lock:
            filled: Filled = self._model.fill(queries, words)
        return filled


class GuardedVocabulary(Guarded):
    """One that gives its whole vocabulary at a blank, as far as its words are known."""

    def __init__(self, model: LanguageModel, lock: threading.Lock, work: Work, known: Callable[[str], bool]) -> None:
        super().__init__(model, lock, work)
        self._known = known

    def fill_vocabulary(self, queries: Sequence[Query], chunk: int = 4096) -> Iterator[tuple[list[str], Array]]:
        self.prepare([(queries, ("a",))])
        parts = self._model.fill_vocabulary(queries, chunk)
        searched = 0
        while True:
            self._work.report(SEARCHING, searched, 0)
            with self._lock:
                part = next(parts, None)
            if part is None:
                return
            words, log_p = part
            searched += len(words)
            kept = [place for place, word in enumerate(words) if self._known(word)]
            if kept:
                yield [words[place] for place in kept], log_p[:, kept]


class GuardedJoint(Guarded):
    """One that reads left to right, and gives both slots of a sentence at once."""

    def joint(self, texts: Sequence[str], first: Sequence[str], last: Sequence[str]) -> JointTables:
        self._work.report(READING)
        with self._lock:
            tables: JointTables = self._model.joint(texts, first, last)
        return tables
