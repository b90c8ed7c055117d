"""Texts as a model that reads from left to right is given them, and which words it can be asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tiltmeter.errors import InputError
from tiltmeter.models._blanks import shown
from tiltmeter.models._continuations import Ids
from tiltmeter.models._pieces import unfit
from tiltmeter.models.tokens import Tokens, token_ids, tokenize

# Texts tokenised at once.
_BULK = 1 << 13

NOTHING_BEFORE = "it begins the text, and the tokenizer has no token that stands before the first"


class Sequences:
    """The ids of texts, after the token that begins every text.

    That token is the one which the tokenizer puts there itself; or else its BOS token, or that of the model; or else
    its EOS token, which stood between texts when the model was trained. Without any, the first token of a text has no
    probability. `limit` is how many tokens the model takes, `vocabulary` how many it knows.
    """

    def __init__(self, name: str, tokenizer: Any, config: Any, *, limit: int | None, vocabulary: int) -> None:
        self._name, self._tokenizer, self._vocabulary = name, tokenizer, vocabulary
        self.limit = limit
        self.lead = self._found_lead(config)

    @property
    def begins_with(self) -> str:
        return "".join(self._tokenizer.convert_ids_to_tokens(list(self.lead)))

    def ids(self, texts: Sequence[str]) -> list[Ids]:
        """Each whole text by itself, as long as it is."""
        found: list[Ids] = []
        for begin in range(0, len(texts), _BULK):
            part = texts[begin : begin + _BULK]
            for text, ids in zip(part, token_ids(self._tokenizer, part, special=False), strict=True):
                if ids and max(ids) >= self._vocabulary:
                    token = self._tokenizer.convert_ids_to_tokens(max(ids))
                    raise InputError(
                        f"the text {shown(text)} has the token {token!r}, which {self._name} does not have."
                    )
                found.append((*self.lead, *ids))
        return found

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens that are written in each text, and where; none that the tokenizer would add."""
        found: list[Tokens] = []
        for text, ids, tokens in zip(texts, self.ids(texts), tokenize(self._tokenizer, texts), strict=True):
            written = [place for place, special in enumerate(tokens.special) if not special]
            spans = tuple(tokens.spans[place] for place in written) if tokens.spans else ()
            if not written:
                raise InputError(f"the text {shown(text)} has no token.")
            self.check_length(text, len(ids))
            found.append(Tokens(ids[len(self.lead) :], (), (False,) * len(written), spans))
        return found

    def check_length(self, text: str, length: int) -> None:
        if self.limit is not None and length > self.limit:
            raise InputError(
                f"the text {shown(text)} has {length} tokens; {self._name} takes at most {self.limit}.",
                hint="Shorten it.",
            )

    def faults(self, words: Sequence[str]) -> dict[str, str]:
        """Which of `words` no text can be scored with, and why."""
        faults: dict[str, str] = {}
        fit: list[str] = []
        for word in dict.fromkeys(words):
            fault = unfit(word)
            if fault is None:
                fit.append(word)
            else:
                faults[word] = fault
        unknown = self._tokenizer.unk_token_id
        for word, ids in zip(fit, token_ids(self._tokenizer, fit, special=False), strict=True):
            if not ids:
                faults[word] = "the tokenizer finds no token in it"
            elif max(ids) >= self._vocabulary or unknown in ids:
                faults[word] = "the tokenizer does not know it, or a part of it"
        return faults

    def _found_lead(self, config: Any) -> Ids:
        bare, whole = (token_ids(self._tokenizer, ["a"], special=special)[0] for special in (False, True))
        for place in range(len(whole) - len(bare) + 1):
            if place and whole[place : place + len(bare)] == bare:
                return tuple(whole[:place])
            if whole[: len(bare)] == bare:
                break
        names = ("bos_token_id", "eos_token_id")
        for token in (getattr(owner, name, None) for name in names for owner in (self._tokenizer, config)):
            if isinstance(token, int) and 0 <= token < self._vocabulary:
                return (token,)
        return ()


def common(one: Ids, other: Ids) -> int:
    """How many tokens both begin with."""
    shorter = min(len(one), len(other))
    if one[:shorter] == other[:shorter]:
        return shorter
    return next(place for place in range(shorter) if one[place] != other[place])
