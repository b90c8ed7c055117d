"""How well a masked demo model fills blanks of novels that it was not trained on, with intervals:

    python -m training.held_out CORPORA/en.txt.xz src/tiltmeter/models/demo/en-masked --held-out Doyle_Hound \
        Gissing_Women_1893

Every sentence of these novels counts, where the training log has 2,000 of them. The intervals are percentiles of a
bootstrap over sentences: they speak of other sentences of the same novels, and not of other novels.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy
from transformers import BertForMaskedLM

from training import corpus, vocabulary
from training.masked import Masking, batch, encoded, epoch, logits

MASKED, SLOTS, RESAMPLES = 0.15, 8_192, 2_000


@torch.no_grad()
def by_sentence(folder: Path, paragraphs: list[str], seed: int) -> NDArray[np.float64]:
    """A row a sentence: how many tokens were masked, how many of them were predicted, and the sum of their losses."""
    tokenizer = vocabulary.load(folder)
    model = BertForMaskedLM.from_pretrained(folder, dtype=torch.float32).eval()  # type: ignore[no-untyped-call]
    rates = torch.full((len(tokenizer),), MASKED)
    rates[tokenizer.all_special_ids] = 0
    masking, generator = Masking(rates, tokenizer.mask_token_id), torch.Generator().manual_seed(seed)
    text = corpus.pack(encoded(tokenizer, paragraphs))
    bounds = np.stack([text.starts[:-1], text.starts[1:]], 1)
    columns: tuple[list[NDArray[np.float32]], ...] = ([], [], [])
    for length, rows in epoch(bounds, SLOTS, np.random.default_rng(seed)):
        ids = batch(text.ids, rows, length, tokenizer)
        seen, chosen = masking(ids, generator)
        scores, truth = logits(model, seen, chosen, tokenizer.pad_token_id), ids[chosen]
        values = (torch.ones(len(truth)), scores.argmax(1) == truth, cross_entropy(scores, truth, reduction="none"))
        for column, value in zip(columns, values, strict=True):
            column.append(torch.zeros(len(ids)).index_add_(0, chosen.nonzero()[:, 0], value.float()).numpy())
    return np.stack([np.concatenate(column) for column in columns], axis=1).astype(np.float64)


def figures(sentences: NDArray[np.float64], seed: int) -> dict[str, float | list[float]]:
    """Accuracy and perplexity, each with the 2.5th and 97.5th percentile of its resamples."""
    rng = np.random.default_rng(seed)
    size = len(sentences)
    drawn = np.stack([sentences[rng.integers(0, size, size)].sum(axis=0) for _ in range(RESAMPLES)])
    whole = sentences.sum(axis=0)

    def of(name: str, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        share: NDArray[np.float64] = sums[..., 1 if name == "accuracy" else 2] / sums[..., 0]
        return share if name == "accuracy" else np.asarray(np.exp(share))

    told: dict[str, float | list[float]] = {"sentences": size, "masked_tokens": int(whole[0])}
    for name in ("accuracy", "perplexity"):
        told[name] = round(float(of(name, whole)), 4)
        told[f"{name}_interval"] = np.quantile(of(name, drawn), [0.025, 0.975]).round(4).tolist()
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--language", default="en")
    parser.add_argument("--held-out", nargs="+", required=True)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    books = corpus.novels(given.corpus.with_name("README.md"), given.language)
    _, held = corpus.split(corpus.paragraphs(given.corpus), books, given.held_out)
    print(json.dumps(figures(by_sentence(given.model, held, given.seed), given.seed)))


if __name__ == "__main__":
    main()
