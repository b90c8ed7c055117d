"""What a causal model says of a text, slowly: one whole text at a time, through the model as transformers loads it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from numpy.typing import NDArray

from tiltmeter.models.huggingface import quiet

Array = NDArray[np.float64]


class SlowCausal:
    """`begin` is the token that is put before every text."""

    def __init__(self, folder: Path, begin: str) -> None:
        auto: Any = transformers
        with quiet():
            self.model = auto.AutoModelForCausalLM.from_pretrained(folder).eval()
            self.tokenizer = auto.AutoTokenizer.from_pretrained(folder)
        self.begin = self.tokenizer.convert_tokens_to_ids(begin)

    def tokens(self, text: str) -> Array:
        """log P of each token of a text."""
        ids = [self.begin, *self.tokenizer(text, add_special_tokens=False)["input_ids"]]
        with torch.no_grad():
            logits = self.model(torch.tensor([ids])).logits[0].double()
        log_p = torch.log_softmax(logits, dim=-1)
        return np.array([float(log_p[place, token]) for place, token in enumerate(ids[1:])])

    def text(self, text: str) -> float:
        return float(self.tokens(text).sum())

    def from_character(self, text: str, begin: int) -> float:
        """log P of the tokens that end after the character `begin`, given those before."""
        offsets = self.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)["offset_mapping"]
        return float(sum(p for p, (_, end) in zip(self.tokens(text), offsets, strict=True) if end > begin))

    def fill(self, text: str, words: Sequence[str]) -> Array:
        """Each word in the only blank of `text`, relative to the others."""
        return normalised(np.array([self.text(text.replace("___", word)) for word in words]))

    def joint(self, text: str, first: Sequence[str], last: Sequence[str]) -> Array:
        """Both words in the two blanks of a text that ends with the later one."""
        left, between, _ = text.split("___")
        return normalised(np.array([[self.text(f"{left}{one}{between}{other}") for other in last] for one in first]))


def normalised(log_p: Array) -> Array:
    return np.asarray(log_p - np.log(np.exp(log_p - log_p.max()).sum()) - log_p.max(), dtype=np.float64)
