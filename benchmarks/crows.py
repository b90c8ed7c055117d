"""CrowS-Pairs in batches against one call of the model for each masked token, in one run on a random BERT-base.

    python -m benchmarks.crows [PAIRS.csv] [--device cuda] [--json]

Without a file, the bundled pairs. The loop is timed on a sample of its calls and scaled.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.random_bert import save
from benchmarks.throughput import counted, matrix_rate
from tiltmeter.lexicon.pairs import pair_set, read_pairs
from tiltmeter.measure.crows import crows
from tiltmeter.models.masked import MaskedModel

SAMPLE = 100
LEAST = 3.0
MOST = 5.0  # seconds, on one GPU


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="?", type=Path)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    import torch
    from transformers import AutoTokenizer, BertForMaskedLM

    pairs = pair_set() if options.pairs is None else read_pairs(options.pairs)
    texts = [text for pair in pairs.pairs for text in (pair.more, pair.less)]
    with tempfile.TemporaryDirectory() as folder, counted() as ran:
        save(Path(folder), texts)
        model = MaskedModel.open(folder, device=options.device, progress=lambda _done, _total: None)
        model.masked_token_log_probs([([2, 10, 3], 1)])  # warm
        began = time.perf_counter()
        result = crows(model, pairs)
        ours, flops = time.perf_counter() - began, ran.flops
        plain: Any = BertForMaskedLM.from_pretrained(folder)
        plain = plain.eval().to(options.device)
        tokenizer = AutoTokenizer.from_pretrained(folder)
    calls = model.texts_computed
    sample = texts[:: max(1, len(texts) // SAMPLE)][:SAMPLE]

    def loop() -> None:
        with torch.inference_mode():
            for text in sample:
                encoded = tokenizer(text, return_tensors="pt").to(options.device)
                middle = encoded["input_ids"].shape[1] // 2
                encoded["input_ids"][0, middle] = tokenizer.mask_token_id
                plain(**encoded).logits[0, middle].log_softmax(-1).cpu()

    loop()
    began = time.perf_counter()
    loop()
    one_by_one = (time.perf_counter() - began) * calls / len(sample)
    share = {}
    if options.device != "cpu":
        share["share of the GPU's matrix product"] = round(flops / ours / matrix_rate(options.device), 3)
    row = {
        "pairs": len(pairs),
        "scored": len(result.pairs),
        "masked tokens": calls,
        "ours, seconds": round(ours, 2),
        **share,
        "one call a mask / ours": round(one_by_one / ours, 2),
    }
    print(
        json.dumps(row, indent=2)
        if options.json
        else "\n".join(f"{name:26}{value:>12,}" for name, value in row.items())
    )
    if row["one call a mask / ours"] < LEAST or (options.device != "cpu" and ours > MOST):
        sys.exit("below what is promised")


if __name__ == "__main__":
    main()
