"""How likely a word is in a blank, in the plainest way: one text, one mask, one word at a time, softmax in float64."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.models import huggingface
from tiltmeter.models.lm import BLANK, Query

from .tiny import HEADS, MASKED

FILLINGS = (*MASKED, "xlnet")  # what fills blanks
OTHER = "nurse"  # stands in the blanks that are not read while the tokens are found


def head(architecture: str) -> str:
    """transformers counts XLNet among the causal models."""
    return "masked" if architecture in MASKED else "causal"


class Reference:
    def __init__(self, folder: Path, architecture: str) -> None:
        import transformers

        self.permutes = architecture == "xlnet"
        with huggingface.quiet():
            self.tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)
            auto = getattr(transformers, HEADS[head(architecture)])
            self.model: Any = auto.from_pretrained(folder).eval()
        self.mask: int = self.tokenizer.mask_token_id

    def tokens(self, query: Query, word: str) -> tuple[list[int], int, list[int]]:
        """The ids with one mask for each blank, the position of the blank that is read, and the ids of `word`.

        Found by the characters that each token of the finished sentence covers. The sign of a space that stands alone
        before a word belongs to the word.
        """
        parts = query.text.split(BLANK)
        text, spans = parts[0], []
        for number, part in enumerate(parts[1:]):
            filling = word if number == query.blank else OTHER
            spans.append((len(text), len(text) + len(filling)))
            text += filling + part
        encoded = self.tokenizer(text, return_offsets_mapping=True, return_special_tokens_mask=True)
        ids, position, pieces = list(encoded["input_ids"]), -1, []
        names = self.tokenizer.convert_ids_to_tokens(ids)
        for number, (start, end) in reversed(list(enumerate(spans))):
            inside = [
                place
                for place, (begin, stop) in enumerate(encoded["offset_mapping"])
                if not encoded["special_tokens_mask"][place] and begin < end and stop > start
            ]
            first, last = inside[0], inside[-1]
            if first and names[first - 1] in ("▁", "Ġ"):
                first -= 1
            if number == query.blank:
                position, pieces = first, ids[first : last + 1]
            elif number < query.blank:
                position -= last - first
            ids[first : last + 1] = [self.mask]
        return ids, position, pieces

    def distribution(self, ids: list[int], position: int) -> NDArray[np.float64]:
        """log P of every token at a position."""
        import torch

        inputs: dict[str, Any] = {"input_ids": torch.tensor([ids])}
        if self.permutes:
            hidden = [place for place, token in enumerate(ids) if token == self.mask or place == position]
            inputs["perm_mask"] = torch.zeros(1, len(ids), len(ids))
            inputs["perm_mask"][0, :, hidden] = 1
            inputs["target_mapping"] = torch.zeros(1, 1, len(ids))
            inputs["target_mapping"][0, 0, position] = 1
            inputs["token_type_ids"] = torch.tensor([[0] * (len(ids) - 1) + [2]])
        with torch.no_grad():
            logits = self.model(**inputs).logits[0, 0 if self.permutes else position]
        log_p: NDArray[np.float64] = torch.log_softmax(logits.double(), dim=-1).numpy()
        return log_p

    def log_p(self, query: Query, word: str, *, before: list[int] | None = None) -> float:
        """By the chain rule; NaN where the tokenizer does not know the word. `before`: ids in front of the text."""
        ids, position, pieces = self.tokens(query, word)
        if self.tokenizer.unk_token_id in pieces:
            return float("nan")
        ids, position = [*(before or []), *ids], position + len(before or [])
        ids[position : position + 1] = [self.mask] * len(pieces)
        total = 0.0
        for place, piece in enumerate(pieces, start=position):
            total += float(self.distribution(ids, place)[piece])
            ids[place] = piece
        return total
