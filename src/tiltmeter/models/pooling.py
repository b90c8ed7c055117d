"""Many token vectors become one.

Every pooling but `max` is a weighted sum Σ wᵢ hᵢ over the tokens of a text, special ones ([CLS], <s>, ...) included as
sentence-transformers does; padding always has weight 0.

  cls            the token that the tokenizer adds to stand for the whole text, wherever it stands: first in BERT,
                 last in XLNet. Decoders (GPT-2, Llama) have none: their first token has seen no other, so that
                 `cls` is refused
  mean           the mean of all tokens
  last           the last token: the only one that has seen the whole text in a decoder, [SEP] in BERT
  max            the largest value of each dimension
  target_first   the first token of the test's word
  target_pooled  the mean of the tokens of the test's word
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tiltmeter.models.tokens import Tokens

Pooling = Literal["cls", "mean", "last", "max", "target_first", "target_pooled"]
POOLINGS: tuple[Pooling, ...] = get_args(Pooling)
# What a sentence-transformers folder may ask for beside: the first token whatever it is, the sum over √n, and the mean
# in which the token at position i (from 1) counts i times.
FOLDER_POOLINGS = ("first", "max", "mean", "mean_sqrt_len", "weighted_mean", "last")


def token_weights(pooling: str, tokens: Tokens, target: Sequence[int], cls_id: int | None) -> NDArray[np.float32]:
    """wᵢ of each token; for `max`, which tokens take part."""
    size = len(tokens)
    weights = np.zeros(size, dtype=np.float32)
    match pooling:
        case "cls":
            weights[cls_position(tokens, cls_id)] = 1
        case "first":
            weights[0] = 1
        case "last":
            weights[-1] = 1
        case "target_first":
            weights[target[0]] = 1
        case "target_pooled":
            weights[list(target)] = 1 / len(target)
        case "mean":
            weights[:] = 1 / size
        case "max":
            weights[:] = 1
        case "mean_sqrt_len":
            weights[:] = 1 / np.sqrt(size)
        case "weighted_mean":
            weights[:] = 2 * np.arange(1, size + 1) / (size * (size + 1))
        case _:
            raise AssertionError(pooling)
    return weights


def cls_position(tokens: Tokens, cls_id: int | None) -> int | None:
    """Where the tokenizer put the token that stands for the whole text."""
    places = (place for place, special in enumerate(tokens.special) if special and tokens.ids[place] == cls_id)
    return next(places, None)


def pool(pooling: str, hidden: Any, weights: Any) -> Any:
    """One vector a text from `hidden` (texts × tokens × dimensions) and `weights` (texts × tokens), both of torch."""
    if pooling == "max":
        return hidden.masked_fill((weights == 0).unsqueeze(-1), float("-inf")).amax(dim=1)
    # A padded position may hold anything, NaN included, and NaN × 0 is not 0.
    hidden = hidden.masked_fill((weights == 0).unsqueeze(-1), 0)
    return (hidden * weights.unsqueeze(-1)).sum(dim=1)
