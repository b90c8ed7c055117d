"""All that the server can answer, as tasks: what equal requests have in common is computed once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from tiltmeter.explorer.computations import Task, Work
from tiltmeter.explorer.live import LiveModel
from tiltmeter.explorer.problems import NotHereError, RefusalError
from tiltmeter.explorer.source import Source
from tiltmeter.explorer.typed import Extended
from tiltmeter.explorer.views import Typed, View
from tiltmeter.explorer.wire import Body
from tiltmeter.measure.scores import ScoreMatrix, submatrix
from tiltmeter.measure.sources import Explained
from tiltmeter.measurement import Lost

T = TypeVar("T")


@dataclass(frozen=True)
class Pair:
    """A target and a feature, and scores that hold both."""

    matrix: ScoreMatrix
    target: str
    feature: str

    @property
    def alone(self) -> ScoreMatrix:
        return submatrix(self.matrix, [self.target], [self.feature])


class Explorer:
    """The sources that were offered, and the computations on them."""

    def __init__(self, sources: Sequence[Source]) -> None:
        self.sources = {one.id: one for one in sources}

    def source(self, id: str) -> Source:
        if id not in self.sources:
            raise RefusalError(404, "unknown_model", f"no model {id[:60]!r} is offered.", hint="See the catalogue.")
        return self.sources[id]

    def able(self, id: str, what: str) -> Source:
        """The source, if it can do what is asked."""
        source = self.source(id)
        if what not in source.can:
            raise RefusalError(409, "not_here", f"{source.name} cannot do this ({what}).", hint=source.note or None)
        return source

    def live(self, id: str, what: str) -> LiveModel:
        """The model, if it is one and can do what is asked."""
        source = self.able(id, what)
        if not isinstance(source, LiveModel):
            raise NotHereError(
                f"the run of {source.name} cannot score new words.",
                hint="Start the explorer with the model itself: tiltmeter explore MODEL.",
            )
        return source

    def body(self, key: Hashable, compute: Callable[[Work], Body], *, long: bool = True) -> Task[Body]:
        """A response."""
        return Task(key, compute, lambda body: body.size, long)

    def matrix(self, view: View) -> Task[ScoreMatrix]:
        """The scores of a view."""
        source = self.source(view.model)
        return Task(("matrix", view), functools.partial(source.matrix, view), _weight)

    def extended(self, view: View, typed: Typed) -> Task[Extended]:
        """The scores of a view with rows and columns for typed words."""

        def compute(work: Work) -> Extended:
            matrix = work.need(self.matrix(view))
            new = Typed(
                tuple(word for word in typed.targets if word not in matrix.targets),
                tuple(word for word in typed.features if word not in matrix.features),
            )
            if not new.targets and not new.features:
                return Extended(matrix)
            return self.live(view.model, "cell").extended(view, new, matrix, work)

        return Task(("extended", view, typed), compute, lambda found: _weight(found.matrix), long=False)

    def pair(self, view: View, target: str, feature: str, work: Work) -> Pair:
        """A pair of the view, or of typed words, or half and half; an error names what was lost."""
        matrix = work.need(self.matrix(view))
        source = self.source(view.model)
        # A word that was left out because it is rare can be scored when it is asked for.
        known = {one.word: one for one in matrix.lost if not source.caution(one.word)}
        typed = Typed(
            () if target in matrix.targets or target in known else (target,),
            () if feature in matrix.features or feature in known else (feature,),
        )
        lost: list[Lost] = []
        if typed.targets or typed.features:
            found = work.need(self.extended(view, typed))
            matrix, lost = found.matrix, list(found.lost)
        for word, words in ((target, matrix.targets), (feature, matrix.features)):
            if word not in words and word in known:
                lost.append(known[word])
        if lost:
            first = lost[0]
            raise RefusalError(
                422, "lost", f"{first.word!r} has no score: {first.reason}.", hint="Try another word.", lost=lost
            )
        for word, words in ((target, matrix.targets), (feature, matrix.features)):
            if word not in words:
                raise RefusalError(
                    404, "unknown_word", f"{word!r} has no score in this view.", hint="Try another word."
                )
        return Pair(matrix, target, feature)

    def explained(self, view: View, target: str, feature: str, sensitive: tuple[str, ...]) -> Task[Explained]:
        """What sensitive attributes explain of one pair."""
        source = self.able(view.model, "sources")

        def compute(work: Work) -> Explained:
            pair = self.pair(view, target, feature, work)
            return source.explained(pair.alone, sensitive, work)

        return Task(("explained", view, target, feature, sensitive), compute, lambda _: 100_000, long=False)


def _weight(matrix: ScoreMatrix) -> int:
    arrays: list[Any] = [matrix.score, matrix.low, matrix.high, matrix.template_low, matrix.template_high]
    arrays += [matrix.p_value, matrix.adjusted, matrix.n]
    if matrix.bridge is not None:
        arrays += [matrix.bridge.to_target, matrix.bridge.to_feature]
    return sum(np.asarray(one).nbytes for one in arrays)
