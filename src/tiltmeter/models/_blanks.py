"""Texts with blanks, as a masked model is given them: ids with masks, and where the masks stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from tiltmeter.errors import InputError, ModelError
from tiltmeter.models._pieces import PieceFinder, Surroundings
from tiltmeter.models._slices import Request
from tiltmeter.models.lm import BLANK, Query
from tiltmeter.models.tokens import token_ids, tokenize

# Texts whose ids are remembered, and texts tokenised at once.
_REMEMBERED = 1 << 18
_BULK = 1 << 13
_TOO_MANY = f"{BLANK}_"
_ROOM = 16  # tokens left free behind a padding text, for words of several tokens
_SHOWN = 80  # characters of a text in an error

# Before a short text, for models that were trained on long ones. It names nobody and judges nothing.
PADDING_TEXT = (
    "The road runs along the river and crosses it twice before it comes to the market town. In spring the water is "
    "high, and the lower bridge is closed for a week or two. The upper bridge was built of stone from the hills nearby "
    "and has five arches. On the far side the ground rises slowly, first through meadows and then through a wood of "
    "oak and beech. From the edge of the wood the roofs of the town can be seen, and on clear days the line of the "
    "coast behind them. The railway follows the same valley. There are four trains in the morning and four in the "
    "afternoon, and the journey takes forty minutes. The timetable hangs beside the door of the station, next to a map "
    "of the paths in the neighbourhood."
)


class Blank(NamedTuple):
    """One blank of a text: the ids of the whole text and the position of this mask, and what stands around it."""

    request: Request
    around: Surroundings


class BlankFinder:
    """Blanks of texts, each text tokenised once. `limit`: how many tokens the model takes."""

    def __init__(
        self, name: str, tokenizer: Any, pieces: PieceFinder, *, limit: int | None, padding_text: str = ""
    ) -> None:
        self._name, self._tokenizer, self._pieces, self.limit = name, tokenizer, pieces, limit
        self._mask_token: str = tokenizer.mask_token
        self._mask: int = tokenizer.mask_token_id
        example = tokenize(tokenizer, [self._mask_token])[0]
        self._lead = next(place for place, token in enumerate(example.ids) if token == self._mask)
        self._padding = self._padding_ids(padding_text)
        self._texts: dict[str, tuple[Blank, ...]] = {}

    def find(self, queries: Sequence[Query]) -> list[Blank]:
        """The blank that each query reads."""
        known = self.learn(queries)
        found: list[Blank] = []
        for text, place in queries:
            blanks = known[text]
            if not 0 <= place < len(blanks):
                raise InputError(f"the text {shown(text)} has no blank {place}: it has {len(blanks)}, counted from 0.")
            found.append(blanks[place])
        return found

    def learn(self, queries: Sequence[Query]) -> Mapping[str, tuple[Blank, ...]]:
        """Tokenise together what will be looked for. Returns the blanks of all texts that are remembered."""
        if len(self._texts) > _REMEMBERED:
            self._texts = {}
        known = self._texts
        new = list(dict.fromkeys([text for text, _ in queries if text not in known]))
        for begin in range(0, len(new), _BULK):
            texts = new[begin : begin + _BULK]
            parts = [self._parts(text) for text in texts]
            many = token_ids(self._tokenizer, [self._mask_token.join(part) for part in parts])
            for text, part, ids in zip(texts, parts, many, strict=True):
                known[text] = self._located(text, part, ids)
        return known

    def widened(self, request: Request, size: int, filled: tuple[int, ...]) -> Request:
        """The blank of `request` as `size` masks, of which the first are filled; the next one is read."""
        if size == 1:
            return request
        ids, position = request
        masks = (self._mask,) * (size - len(filled))
        return Request(ids[:position] + filled + masks + ids[position + 1 :], position + len(filled))

    def masked(self, ids: Sequence[int], position: int) -> Request:
        """A text of which one token is masked."""
        if not 0 <= position < len(ids):
            raise InputError(f"there is no position {position} in a text of {len(ids)} tokens.")
        if self.limit is not None and len(ids) > self.limit:
            raise self._too_long(self._tokenizer.decode(list(ids)), len(ids))
        return self._padded((*ids[:position], self._mask, *ids[position + 1 :]), position)

    def _parts(self, text: str) -> list[str]:
        """What stands before, between and after the blanks."""
        if self._mask_token in text:
            raise InputError(
                f"the text {shown(text)} holds the model's own mask {self._mask_token!r}.",
                hint=f"Write a blank as {BLANK}, whatever the model.",
            )
        return parts_of(text)

    def _located(self, text: str, parts: Sequence[str], ids: list[int]) -> tuple[Blank, ...]:
        if len(parts) == 2:  # as almost all texts have it
            around = [Surroundings.of(*parts)]
        else:
            around = [
                Surroundings.of(BLANK.join(parts[:blank]), BLANK.join(parts[blank:])) for blank in range(1, len(parts))
            ]
        if ids.count(self._mask) != len(around):
            raise InputError(f"the tokenizer of {self._name} does not find the blanks of {shown(text)} again.")
        ids, positions = self._pieces.mended(ids, around)
        if self.limit is not None and len(ids) > self.limit:
            raise self._too_long(text, len(ids))
        whole = tuple(ids)
        return tuple(
            [
                Blank(self._padded(whole, position), surroundings)
                for position, surroundings in zip(positions, around, strict=True)
            ]
        )

    def _padded(self, ids: tuple[int, ...], position: int) -> Request:
        """With the padding text after the tokens that the tokenizer puts first, where there is room for it."""
        if not self._padding or (self.limit and len(ids) + len(self._padding) + _ROOM > self.limit):
            return Request(ids, position)
        lead = self._lead
        shift = len(self._padding) if position >= lead else 0
        return Request(ids[:lead] + self._padding + ids[lead:], position + shift)

    def _padding_ids(self, text: str) -> tuple[int, ...]:
        """Cut from the left to half of what the model takes, and ended as the model's texts end."""
        if self._mask_token in text:
            raise ModelError(f"{self._name}: the padding text holds the mask {self._mask_token!r}.")
        if not text:
            return ()
        ids = token_ids(self._tokenizer, [text], special=False)[0]
        if isinstance(self._tokenizer.eos_token_id, int):
            ids = [*ids, self._tokenizer.eos_token_id]
        return tuple(ids[-(self.limit // 2) :] if self.limit else ids)

    def _too_long(self, text: str, length: int) -> InputError:
        return InputError(
            f"the text {shown(text)} has {length} tokens; {self._name} takes at most {self.limit}.", hint="Shorten it."
        )


def parts_of(text: str) -> list[str]:
    """What stands before, between and after the blanks of a text."""
    if _TOO_MANY in text:
        raise InputError(f"the text {shown(text)} has more underscores in a row than the three of a blank.")
    parts = text.split(BLANK)
    if len(parts) == 1:
        raise InputError(f"the text {shown(text)} has no blank.", hint=f"Write {BLANK} where the word should stand.")
    return parts


def shown(text: str) -> str:
    """A text as an error quotes it."""
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")
