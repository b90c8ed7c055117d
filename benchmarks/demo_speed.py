"""How many sentences of 16 tokens the language model in the box reads a second, on a processor, in batches of 64.

    python -m benchmarks.demo_speed

Promised: 600 on two cores. Two threads are timed by the clock, and one by its processor time: twice that is what two
cores give, whatever else the machine does. Exits with 1 where neither is enough; `load` says how many processes waited
for a core.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

from tiltmeter.models.named import demo

SENTENCES, TOKENS, BATCH, TIMES, PROMISED = 1_280, 16, 64, 3, 600


def main() -> int:
    import torch
    from transformers import AutoTokenizer, BertForMaskedLM

    folder = demo("demo:en").folder
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = BertForMaskedLM.from_pretrained(folder, dtype=torch.float32).eval()  # type: ignore[no-untyped-call]
    ids = torch.randint(200, len(tokenizer), (SENTENCES, TOKENS), generator=torch.Generator().manual_seed(0))
    ids[:, 0], ids[:, -1], ids[:, 5] = tokenizer.cls_token_id, tokenizer.sep_token_id, tokenizer.mask_token_id

    def best(threads: int, clock: Callable[[], float]) -> float:
        torch.set_num_threads(threads)
        rates = []
        with torch.inference_mode():
            for _ in range(TIMES):
                begun = clock()
                for batch in ids.split(BATCH):  # type: ignore[no-untyped-call]
                    model.cls(model.bert(batch).last_hidden_state[:, 5])
                rates.append(SENTENCES / (clock() - begun))
        return max(rates)

    one, two = best(1, time.process_time), best(2, time.perf_counter)
    kept = max(2 * one, two) >= PROMISED
    print(f"two threads: {two:,.0f} sentences a second; one: {one:,.0f} a second of processor time")
    print(f"load {os.getloadavg()[0]:.1f}; promised: {PROMISED} on two cores, {'kept' if kept else 'NOT KEPT'}")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
