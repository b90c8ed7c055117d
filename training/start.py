"""A good start for the embeddings, so that little compute goes further: word statistics instead of noise.

Rows of the token embedding start as a truncated singular value decomposition of the positive pointwise mutual
information of tokens that stand near each other (Levy & Goldberg 2014), and the output bias as the log of a frequency.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from transformers import BertForMaskedLM

from training.corpus import Packed


def pmi_vectors(text: Packed, vocabulary: int, size: int, window: int, seed: int) -> NDArray[np.float32]:
    """U·√S of max(0, log p(a, b) / p(a) p(b)^0.75), for b within `window` tokens of a; a pair counts 1 / distance."""
    counts = np.zeros(vocabulary * vocabulary, np.float32)
    sentence = np.repeat(np.arange(len(text)), text.lengths)
    ids = text.ids.astype(np.int64)
    for distance in range(1, window + 1):
        inside = sentence[distance:] == sentence[:-distance]
        left, right = ids[:-distance][inside], ids[distance:][inside]
        for pair in (left * vocabulary + right, right * vocabulary + left):
            distinct, times = np.unique(pair, return_counts=True)
            counts[distinct] += times / distance
    table = torch.from_numpy(counts).view(vocabulary, vocabulary)
    row = table.sum(1, keepdim=True).clamp_min(1)
    context = row.squeeze(1) ** 0.75
    table.div_(row).div_(context / context.sum()).log_().clamp_min_(0)  # log 0 is -inf, and becomes 0
    torch.manual_seed(seed)
    left_vectors, values, _ = torch.svd_lowrank(table, q=size + 16, niter=2)
    vectors: NDArray[np.float32] = (left_vectors[:, :size] * values[:size].sqrt()).numpy()
    return vectors


def warm(model: BertForMaskedLM, vectors: NDArray[np.float32], frequencies: NDArray[np.int64], spread: float) -> None:
    """Put the vectors, centred and of standard deviation `spread`, into the tied embedding; and set the bias."""
    seen = frequencies > 0
    rows = vectors[seen] - vectors[seen].mean(0)
    with torch.no_grad():
        weight = model.bert.embeddings.word_embeddings.weight
        weight[torch.from_numpy(seen)] = torch.from_numpy(rows * (spread / rows.std())).to(weight)
        share = (frequencies + 1) / (frequencies + 1).sum()
        model.cls.predictions.bias.copy_(torch.from_numpy(np.log(share)))


def deepen(model: BertForMaskedLM, shallow: BertForMaskedLM) -> None:
    """Take every weight from a model with fewer layers, its layers repeated in order (Gong et al. 2019, stacking)."""
    weights = shallow.state_dict()
    below = shallow.config.num_hidden_layers
    for name in model.state_dict():
        parts = name.split(".layer.", 1)
        if len(parts) == 2:
            number, rest = parts[1].split(".", 1)
            weights.setdefault(name, shallow.state_dict()[f"{parts[0]}.layer.{int(number) % below}.{rest}"])
    model.load_state_dict(weights)
