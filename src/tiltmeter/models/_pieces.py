"""What a tokenizer makes of a word in a blank, found by asking the tokenizer.

Whether a word takes a leading space, is lower-cased or falls into several tokens is the tokenizer's affair. So a short
text that looks like the surroundings of the blank is tokenised with the word and with the mask, and the two compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tiltmeter.models.lm import BLANK
from tiltmeter.models.tokens import token_ids

# What stands further off, and words of which one will not melt into what follows it.
_ELSEWHERE = "a"
_FILLERS = ("a", "the", "x", "1")

Ids = tuple[int, ...]


class Surroundings(NamedTuple):
    """What stands around a blank, as far as it can matter to its tokens."""

    left: str
    tail: str  # what is glued to the blank's right: a full stop, "'s"
    goes_on: bool  # whether more text follows

    @classmethod
    def of(cls, before: str, after: str) -> Surroundings:
        """Of a blank between two parts of a text, either of which may have blanks of its own."""
        head = before.rsplit(maxsplit=1)[-1].rsplit(BLANK, 1)[-1] if before and not before[-1].isspace() else ""
        tail = after.split(maxsplit=1)[0].split(BLANK, 1)[0] if after and not after[0].isspace() else ""
        left = head if len(head) == len(before) else f"{_ELSEWHERE} {head}"
        return cls(left, tail, bool(after[len(tail) :].strip()))

    @property
    def right(self) -> str:
        return f"{self.tail} {_ELSEWHERE}" if self.goes_on else self.tail


_ALONE = Surroundings(f"{_ELSEWHERE} ", "", goes_on=False)


@dataclass(frozen=True, slots=True)
class _Frame:
    """The tokens around a word in its surroundings, and how the tokens around a mask differ from them."""

    prefix: Ids
    suffix: Ids
    space: Ids  # what the tokenizer puts before a mask, but not before a word: a space by itself
    glued: Ids  # the tail after a word
    glued_to_mask: Ids  # the same after a mask, where some tokenizers begin a new word


@dataclass(frozen=True, slots=True)
class Pieces:
    """The tokens of a word, or why there are none."""

    ids: Ids
    fault: str | None = None


class PieceFinder:
    """The pieces of words in their surroundings. `vocabulary`: how many tokens the model can output."""

    def __init__(self, tokenizer: Any, vocabulary: int) -> None:
        self._tokenizer, self._vocabulary = tokenizer, vocabulary
        self._mask: str = tokenizer.mask_token
        self._mask_id: int = tokenizer.mask_token_id
        self._unknown: int | None = tokenizer.unk_token_id
        self._frames: dict[Surroundings, _Frame] = {}
        self._known: dict[tuple[str, Surroundings], Pieces] = {}

    def find(self, words: Sequence[str], around: Surroundings) -> list[Pieces]:
        new = [word for word in dict.fromkeys(words) if (word, around) not in self._known]
        if new:
            frame = self._frame(around)
            carriers = [f"{around.left}{word}{around.right}" for word in new]
            # An unknown character beside the blank may swallow an unknown one of the word: it is looked at by itself.
            swallowing = around != _ALONE and self._unknown in (*frame.prefix[-1:], *frame.suffix[:1])
            alone = self.find(new, _ALONE) if swallowing else [Pieces(())] * len(new)
            many = token_ids(self._tokenizer, carriers, special=False)
            for word, ids, by_itself in zip(new, many, alone, strict=True):
                found = self._middle(word, tuple(ids), frame)
                self._known[word, around] = found if by_itself.fault is None else by_itself
        return [self._known[word, around] for word in words]

    def mended(self, ids: list[int], around: Sequence[Surroundings]) -> tuple[list[int], list[int]]:
        """The ids of a text with masks, as they would be if a word stood in the place of each (see `_Frame`), and where
        the masks stand in them."""
        place = 0
        places: list[int] = []
        for surroundings in around:
            frame = self._frame(surroundings)
            place = ids.index(self._mask_id, place)
            size = len(frame.space)
            if size and tuple(ids[place - size : place]) == frame.space:
                ids = ids[: place - size] + ids[place:]
                place -= size
            places.append(place)
            place += 1
            if frame.glued != frame.glued_to_mask:
                size = len(frame.glued_to_mask)
                if tuple(ids[place : place + size]) == frame.glued_to_mask:
                    ids = ids[:place] + list(frame.glued) + ids[place + size :]
        return ids, places

    def _middle(self, word: str, ids: Ids, frame: _Frame) -> Pieces:
        fault = unfit(word, self._mask)
        if fault is not None:
            return Pieces((), fault)
        end = len(ids) - len(frame.suffix)
        middle = ids[len(frame.prefix) : end]
        if not middle or ids[: len(frame.prefix)] != frame.prefix or ids[end:] != frame.suffix:
            return Pieces((), "its tokens cannot be told from those of the text around it")
        if self._unknown in middle or max(middle) >= self._vocabulary:
            return Pieces((), "the tokenizer does not know it, or a part of it")
        return Pieces(middle)

    def _frame(self, around: Surroundings) -> _Frame:
        frame = self._frames.get(around)
        if frame is None:
            frame = self._frames[around] = self._framed(around)
        return frame

    def _framed(self, around: Surroundings) -> _Frame:
        before, masked, masked_tail = self._ids(
            around.left.rstrip(),
            f"{around.left}{self._mask}{around.right}",
            f"{around.left}{self._mask}{around.tail}",
        )
        place = masked.index(self._mask_id)
        space: Ids = masked[len(before) : place] if masked[: len(before)] == before else ()
        prefix = masked[: place - len(space)]
        glued_to_mask = masked_tail[place + 1 :]
        for filler in _FILLERS:
            word = f"{around.left}{filler}"
            alone, tail, right = self._ids(word, f"{word}{around.tail}", f"{word}{around.right}")
            if tail[: len(alone)] == right[: len(alone)] == alone:
                return _Frame(prefix, right[len(alone) :], space, tail[len(alone) :], glued_to_mask)
        return _Frame(prefix, masked[place + 1 :], space, glued_to_mask, glued_to_mask)

    def _ids(self, *texts: str) -> list[Ids]:
        return [tuple(ids) for ids in token_ids(self._tokenizer, texts, special=False)]


def unfit(word: str, mask: str = BLANK) -> str | None:
    """Why no model can put it into a blank, if so."""
    if not word.strip():
        return "it is empty"
    if word != word.strip():
        return "it begins or ends with a space"
    if BLANK in word or mask in word:
        return "it contains a blank"
    return None
