"""Text to tokens, and where a word stands among them. The one place that tokenises for a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.errors import ModelError
from tiltmeter.lexicon.tests import Passage

# What byte-level BPE and SentencePiece write for a space. Alone, it is a token, but no part of a word.
_SPACE_MARKS = "\u0120\u2581 "


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one text, special ones included, as the model is given them."""

    ids: tuple[int, ...]
    types: tuple[int, ...]  # segment of each token; empty where all are of the first
    special: tuple[bool, ...]  # added by the tokenizer, not written in the text
    spans: tuple[tuple[int, int], ...]  # characters of the text; empty where the tokenizer does not say

    def __len__(self) -> int:
        return len(self.ids)


def tokenize(tokenizer: Any, texts: Sequence[str]) -> list[Tokens]:
    """Each text by itself: nothing is cut, nothing is padded."""
    if not texts:
        return []
    fast = bool(tokenizer.is_fast)
    encoded = tokenizer(
        list(texts),
        padding=False,
        truncation=False,
        return_special_tokens_mask=True,
        return_token_type_ids=True,  # not given unasked, but XLNet was trained with its last token in segment 2
        return_offsets_mapping=fast,
        verbose=False,
    )
    spans = encoded["offset_mapping"] if fast else [[]] * len(texts)
    return [
        Tokens(
            ids=tuple(ids),
            types=tuple(types) if any(types) else (),
            special=tuple(map(bool, special)),
            spans=tuple((start, end) for start, end in span),
        )
        for ids, types, special, span in zip(
            encoded["input_ids"], encoded["token_type_ids"], encoded["special_tokens_mask"], spans, strict=True
        )
    ]


def token_ids(tokenizer: Any, texts: Sequence[str], *, special: bool = True) -> list[list[int]]:
    """The ids alone, for texts by the ten thousand; `special=False` leaves out what the tokenizer would add."""
    if not texts:
        return []
    if tokenizer.is_fast:
        fast = tokenizer.backend_tokenizer
        fast.no_truncation()
        fast.no_padding()
        return [encoded.ids for encoded in fast.encode_batch_fast(list(texts), add_special_tokens=special)]
    ids: list[list[int]] = tokenizer(
        list(texts),
        add_special_tokens=special,
        padding=False,
        truncation=False,
        return_attention_mask=False,
        return_token_type_ids=False,
        verbose=False,
    )["input_ids"]
    return ids


def target_positions(tokenizer: Any, tokens: Tokens, passage: Passage) -> tuple[int, ...]:
    """Positions of the tokens that spell the passage's word, found by the characters that each of them covers.

    A token counts when it shares a character with the word: with byte-level BPE its span may begin at the space before
    the word, and a rare character may be spread over several tokens of the same span.
    """
    if not tokens.spans:
        raise ModelError(
            f"the tokenizer {type(tokenizer).__name__} does not say which characters a token covers, so that the "
            "tokens of a word cannot be found. Use a pooling without 'target', or a model with a fast tokenizer."
        )
    inside = [
        position
        for position, (start, end) in enumerate(tokens.spans)
        if start < passage.end and end > passage.start  # a special token covers nothing: 0 to 0
    ]
    pieces = tokenizer.convert_ids_to_tokens([tokens.ids[position] for position in inside])
    return tuple(position for position, piece in zip(inside, pieces, strict=True) if piece.strip(_SPACE_MARKS))
