"""`tiltmeter plan` against the run that it foretells: the same counts, and the time within a factor of two.

OMP_NUM_THREADS=1 python -m benchmarks.plan [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.random_bert import save
from benchmarks.throughput import counted
from tiltmeter.runs.cost import costs, total
from tiltmeter.runs.plan import plan
from tiltmeter.runs.run import run
from tiltmeter.runs.spec import read_spec

FACTOR = 2.0
SPEC = """\
models:
  - {path: bert, name: masked, kind: masked}
  - {path: bert, name: encoder, kind: encoder}
tests: [weat6, weat7, weat8]
metrics:
  - seat
  - lpbs
  - {metric: direct, targets: occupation, features: gender}
  - {metric: crows, models: [masked]}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, counted() as ran:
        folder = Path(name)
        (folder / "bert").mkdir()
        save(folder / "bert", layers=options.layers, width=options.width)
        (folder / "spec.yaml").write_text(SPEC)
        file = read_spec(folder / "spec.yaml")
        planned = plan(file)
        begun = time.perf_counter()
        cost = total(costs(planned))
        took = time.perf_counter() - begun
        begun = time.perf_counter()
        summary = run(file, folder / "out")
        measured = time.perf_counter() - begun
    row = {
        "forward passes, planned": cost.texts,
        "forward passes, run": ran.texts,
        "tokens, planned": cost.tokens,
        "tokens, run": ran.tokens,
        "seconds, planned": round(cost.seconds, 2),
        "of which statistics": round(cost.host_seconds, 2),
        "seconds, run": round(measured, 2),
        "planned / run": round(cost.seconds / measured, 2),
        "seconds that the plan took": round(took, 2),
    }
    print(
        json.dumps(row, indent=2) if options.json else "\n".join(f"{key:28}{value:>12,}" for key, value in row.items())
    )
    counts = (cost.texts, cost.tokens) == (ran.texts, ran.tokens)
    if summary.failed or not counts or not 1 / FACTOR <= cost.seconds / measured <= FACTOR:
        sys.exit("not what is promised")


if __name__ == "__main__":
    main()
