"""Two slots of one text: the earlier word is enumerated, the later one is read off for all words at once.

    log P(first, last) = log P(text up to the later slot, with first) + log P(last | that text)

So a text costs one pass for each first word, however many last words there are; a last word of several tokens needs its
own tokens run after that. What follows the later slot is not counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InputError
from tiltmeter.models._blanks import parts_of, shown
from tiltmeter.models._continuations import Continuation, Continuations, Ids
from tiltmeter.models._sequences import NOTHING_BEFORE, Sequences, common
from tiltmeter.models._slices import Request
from tiltmeter.models._states import States

Array = NDArray[np.float64]

# Cells planned before they are computed.
_SLICE = 1 << 16


@dataclass(frozen=True, slots=True)
class Joint:
    """For each text log P(first, last), the sum of P over all pairs being 1. NaN where a word cannot be scored."""

    log_p: list[Array]
    lost: Mapping[str, str]  # word, reason


@dataclass(slots=True)
class _Plan:
    """What has to be computed for one text; rows and columns are those of the words that can be scored."""

    prefixes: list[Ids]  # one a row
    start: int  # where the rows begin to differ
    single: dict[int, int] = field(default_factory=dict)  # column: its token
    several: dict[int, Ids] = field(default_factory=dict)  # column: its tokens
    whole: dict[tuple[int, int], Ids] = field(default_factory=dict)  # cells whose tokens are not prefix + word

    def requests(self) -> Iterator[Request]:
        """The tokens of each prefix from `start` on, and what comes after it."""
        for ids in self.prefixes:
            for position in range(self.start - 1, len(ids)):
                yield Request(ids, position)

    def continuations(self) -> Iterator[tuple[tuple[int, int], Continuation]]:
        for row, prefix in enumerate(self.prefixes):
            for column, pieces in self.several.items():
                if (row, column) not in self.whole:
                    yield (row, column), Continuation(prefix + pieces, len(prefix))
        for cell, ids in self.whole.items():
            yield cell, Continuation(ids, self.start)


class SlotScorer:
    """Joint tables of texts with two blanks."""

    def __init__(self, sequences: Sequences, states: States, continuations: Continuations) -> None:
        self._sequences, self._states, self._continuations = sequences, states, continuations

    def joint(self, texts: Sequence[str], first: Sequence[str], last: Sequence[str]) -> Joint:
        if not first or not last:
            raise InputError("there is no word to fill one of the two blanks with.", hint="Give one or more for each.")
        lost = self._sequences.faults([*first, *last])
        rows = [word for word in dict.fromkeys(first) if word not in lost]
        columns = [word for word in dict.fromkeys(last) if word not in lost]
        tables: list[Array] = []
        waiting: list[_Plan | None] = []
        for text in texts:
            waiting.append(self._planned(text, rows, columns, lost))
            if len(waiting) * len(rows) * len(columns) >= _SLICE:
                tables += self._computed(waiting, len(rows), len(columns))
                waiting = []
        tables += self._computed(waiting, len(rows), len(columns))
        # What is lost is read from one more row or column, which is NaN.
        of_row, of_column = ({word: place for place, word in enumerate(kept)} for kept in (rows, columns))
        cells = np.ix_([of_row.get(word, -1) for word in first], [of_column.get(word, -1) for word in last])
        return Joint([np.pad(table, ((0, 1), (0, 1)), constant_values=np.nan)[cells] for table in tables], lost)

    def _planned(self, text: str, rows: list[str], columns: list[str], lost: dict[str, str]) -> _Plan | None:
        parts = parts_of(text)
        if len(parts) != 3:
            raise InputError(f"the text {shown(text)} has {len(parts) - 1} blanks; a table of two slots needs two.")
        if not rows or not columns:
            return None
        left, between, _ = parts
        sequences = self._sequences
        (context,) = sequences.ids([left.rstrip()])
        prefixes = sequences.ids([f"{left}{row}{between}".rstrip() for row in rows])
        plan = _Plan(prefixes, 0)
        size = len(prefixes[0])
        with_first = sequences.ids([f"{left}{rows[0]}{between}{column}" for column in columns])
        pieces = [ids[size:] if ids[:size] == prefixes[0] else () for ids in with_first]
        example = next((column for column, ids in enumerate(pieces) if ids), 0)
        with_example = sequences.ids([f"{left}{row}{between}{columns[example]}" for row in rows])
        # A space between the slots keeps the words apart: what the tokens of the last word are does not depend on the
        # first one. It is checked with one last word; where it does not hold, each pair is tokenised by itself.
        apart = any(map(str.isspace, between))
        odd_rows = {
            row
            for row, (prefix, ids) in enumerate(zip(prefixes, with_example, strict=True))
            if not apart or not pieces[example] or ids != prefix + pieces[example]
        }
        odd = [
            (row, column)
            for row in range(len(rows))
            for column in range(len(columns))
            if row in odd_rows or not pieces[column]
        ]
        whole = sequences.ids([f"{left}{rows[row]}{between}{columns[column]}" for row, column in odd])
        plan.whole = dict(zip(odd, whole, strict=True))
        for column, ids in enumerate(pieces):
            if len(ids) == 1:
                plan.single[column] = ids[0]
            elif ids:
                plan.several[column] = ids
        longest = max((*whole, *(prefix + max(pieces, key=len) for prefix in prefixes)), key=len)
        sequences.check_length(text, len(longest))
        plan.start = min(common(context, ids) for ids in (*prefixes, *whole))
        if not plan.start:
            lost.update(dict.fromkeys(rows, NOTHING_BEFORE))
            return None
        return plan

    def _computed(self, plans: Sequence[_Plan | None], rows: int, columns: int) -> list[Array]:
        known = [plan for plan in plans if plan is not None]
        self._states.prepare(request for plan in known for request in plan.requests())
        self._continuations.prepare(one for plan in known for _, one in plan.continuations())
        return [np.full((rows, columns), np.nan) if plan is None else self._table(plan, columns) for plan in plans]

    def _table(self, plan: _Plan, columns: int) -> Array:
        requests = list(plan.requests())
        inside = [request for request in requests if request.position + 1 < len(request.ids)]
        tokens = self._states.log_p_of(inside, [request.ids[request.position + 1] for request in inside])
        ends = np.cumsum([len(ids) - plan.start for ids in plan.prefixes])
        of_prefix = np.array([part.sum() for part in np.split(tokens, ends[:-1])])
        table = np.zeros((len(plan.prefixes), columns))
        if plan.single:
            nexts = [Request(ids, len(ids) - 1) for ids in plan.prefixes]
            table[:, list(plan.single)] = self._states.log_p(nexts, list(plan.single.values()))
        table += of_prefix[:, None]
        cells = list(plan.continuations())
        for (cell, _), value in zip(cells, self._continuations.log_p([one for _, one in cells]), strict=True):
            table[cell] = value if cell in plan.whole else of_prefix[cell[0]] + value
        return np.asarray(table - np.logaddexp.reduce(table, axis=None), dtype=np.float64)
