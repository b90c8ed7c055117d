"""What a masked model has to compute for words in blanks: the factors of the chain rule, and the states they need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tiltmeter.models._blanks import BlankFinder
from tiltmeter.models._pieces import PieceFinder, Surroundings
from tiltmeter.models._slices import SLICE, Request
from tiltmeter.models.lm import Query

Asked = tuple[Sequence[Query], Sequence[str]]  # and the words for the blank of each query

_REMEMBERED = 256  # lists of words in surroundings whose factors are known


@dataclass(frozen=True, slots=True)
class _Factors:
    """Tokens to be read once the first pieces of a word of `size` are `filled`, and whose they are (columns)."""

    size: int
    filled: tuple[int, ...]
    columns: list[int]
    tokens: list[int]


@dataclass(frozen=True, slots=True)
class Step:
    """Factors of the chain rule that the same states give: those of `rows` (queries), for `columns` (words).

    `first`: whether they are those of the first pieces of the words. They come before the others.
    """

    first: bool
    rows: list[int]
    requests: list[Request]
    columns: list[int]
    tokens: list[int]


@dataclass(frozen=True, slots=True)
class Plan:
    """What was prepared, until it is asked for. It holds what it is found by: no other can have the same identity."""

    queries: Sequence[Query]
    words: Sequence[str]
    steps: list[Step]
    lost: dict[str, str]


class Planner:
    """Plans for one model. `several_tokens`: whether words of several tokens are scored, or lost."""

    def __init__(self, blanks: BlankFinder, pieces: PieceFinder, *, several_tokens: bool) -> None:
        self._blanks, self._pieces, self._several_tokens = blanks, pieces, several_tokens
        self._known_factors: dict[tuple[tuple[str, ...], Surroundings], tuple[list[_Factors], dict[str, str]]] = {}

    def requests(self, asked: Sequence[Asked], plans: list[Plan]) -> Iterator[Request]:
        """All positions that are read for what is asked. If they fit into a slice, what was planned is kept in `plans`;
        otherwise it is planned again when it is asked for."""
        count = 0
        for bulk in _bulks(asked):
            self._blanks.learn([query for queries, _ in bulk for query in queries])
            for queries, words in bulk:
                plan = Plan(queries, words, [], {})
                for step in self.steps(queries, words, plan.lost):
                    count += len(step.requests)
                    if count <= SLICE:
                        plan.steps.append(step)
                    yield from step.requests
                plans.append(plan)
                if count > SLICE:
                    plans.clear()

    def steps(self, queries: Sequence[Query], words: Sequence[str], lost: dict[str, str]) -> Iterator[Step]:
        """All factors of the probabilities of `words`; why a word has none goes into `lost`."""
        blanks = self._blanks.find(queries)
        limit = self._blanks.limit
        rows_by_surroundings: dict[Surroundings, list[int]] = {}
        for row, blank in enumerate(blanks):
            rows_by_surroundings.setdefault(blank.around, []).append(row)
        for around, rows in rows_by_surroundings.items():
            factors, reasons = self._factors(tuple(words), around)
            for word, reason in reasons.items():
                lost.setdefault(word, reason)
            for of in factors:
                fits = [row for row in rows if limit is None or len(blanks[row].request.ids) + of.size - 1 <= limit]
                if len(fits) < len(rows):
                    reason = f"with its {of.size} tokens a text would be longer than the {limit} that the model takes"
                    for column in of.columns:
                        lost.setdefault(words[column], reason)
                if fits:
                    requests = [self._blanks.widened(blanks[row].request, of.size, of.filled) for row in fits]
                    yield Step(not of.filled, fits, requests, of.columns, of.tokens)

    def _factors(self, words: tuple[str, ...], around: Surroundings) -> tuple[list[_Factors], dict[str, str]]:
        """The factors of all words in a blank, and why a word has none. Words of as many pieces that begin with the
        same ones are read from the same states. The same words stand in blanks of many templates."""
        known = self._known_factors.get((words, around))
        if known is not None:
            return known
        factors: dict[tuple[int, tuple[int, ...]], _Factors] = {}
        lost: dict[str, str] = {}
        for column, (word, pieces) in enumerate(zip(words, self._pieces.find(words, around), strict=True)):
            if pieces.fault is not None:
                lost[word] = pieces.fault
            size = len(pieces.ids)
            if size > 1 and not self._several_tokens:
                lost[word] = f"it is {size} tokens, and only words of one were asked for"
                continue
            for place, token in enumerate(pieces.ids):
                filled = pieces.ids[:place]
                of = factors.setdefault((size, filled), _Factors(size, filled, [], []))
                of.columns.append(column)
                of.tokens.append(token)
        if len(self._known_factors) >= _REMEMBERED:
            self._known_factors = {}
        self._known_factors[words, around] = found = list(factors.values()), lost
        return found


def _bulks(asked: Sequence[Asked]) -> Iterator[list[Asked]]:
    """What is asked, so much at a time that its texts are worth tokenising together, and not too many to remember."""
    bulk: list[Asked] = []
    texts = 0
    for one in asked:
        bulk.append(one)
        texts += len(one[0])
        if texts >= SLICE // 2:
            yield bulk
            bulk, texts = [], 0
    yield bulk
