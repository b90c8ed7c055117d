"""Exact permutation p-values against 100,000 samples drawn in the usual loop, in one run.

The usual loop shuffles the words, sums each part and counts, once a sample: what WEAT implementations do. Both get the
same scores, of tests as large as WEAT 7, 4, 1 and 3 and as the sentence version of WEAT 1.

    python -m benchmarks.permutation [--json]
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
from numpy.typing import NDArray

from tiltmeter.metrics.permutation import permutation_test

SAMPLES = 100_000
LOOPED = 2_000  # of the loop's samples are timed, and scaled
CASES = (("weat7", 16, 1.0), ("weat4", 32, 1.2), ("weat1", 50, 1.6), ("weat3", 64, 1.0), ("sent-weat1", 700, 0.3))


def the_usual_loop(scores: NDArray[np.float64], first: int, samples: int) -> float:
    rng = np.random.default_rng(0)
    observed = scores[:first].mean() - scores[first:].mean()
    reached = 0
    for _ in range(samples):
        shuffled = rng.permutation(scores)
        reached += bool(shuffled[:first].mean() - shuffled[first:].mean() >= observed)
    return (reached + 1) / (samples + 1)


def seconds(of: object) -> float:
    assert callable(of)
    began = time.perf_counter()
    of()
    return time.perf_counter() - began


def main() -> None:
    rows = []
    for name, n, lean in CASES:
        scores = np.random.default_rng(n).normal(size=n)
        scores[: n // 2] += lean
        exact = permutation_test(scores, n // 2)
        ours = min(seconds(lambda s=scores: permutation_test(s, s.size // 2)) for _ in range(3))
        loop = seconds(lambda s=scores: the_usual_loop(s, s.size // 2, LOOPED)) * SAMPLES / LOOPED
        rows.append(
            {
                "test": name,
                "items": n,
                "p_low": exact.low,
                "p_high": exact.high,
                "loop_cannot_go_below": 1 / (SAMPLES + 1),
                "exact_seconds": round(ours, 4),
                "loop_over_exact": round(loop / ours, 1),
            }
        )
    if "--json" in sys.argv:
        print(json.dumps(rows, indent=2))
        return
    print(f"{'test':12}{'items':>6}{'p-value between':>28}{'exact, s':>10}{'loop / exact':>14}")
    for row in rows:
        bounds = f"{row['p_low']:.4g} … {row['p_high']:.4g}"
        print(f"{row['test']:12}{row['items']:>6}{bounds:>28}{row['exact_seconds']:>10}{row['loop_over_exact']:>14}")


if __name__ == "__main__":
    main()
