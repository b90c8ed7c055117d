"""500 words out of 400,000 × 300: Tiltmeter against gensim, each in a fresh process, on the same file.

    python benchmarks/static_load.py [--json]

Exits with 1 where a promise is not kept: 10 times as fast as gensim, under 200 MB of memory, and under 50 ms from the
converted form. The file is made anew each time, in a temporary folder; it takes about 1 GB.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PROMISED_RATIO, PROMISED_MB, PROMISED_MS = 10.0, 200.0, 50.0
_DISTINCT_VECTORS = 2_000

# What each process runs; {path} is the file. Time starts after the imports, which are no part of reading.
_MEASURE = """
import json, sys, time
{imports}
words = [f"word{{number}}" for number in range({first}, {count}, {step})]
start = time.perf_counter()
{load}
seconds = time.perf_counter() - start
assert found == len(words), found
try:
    with open("/proc/self/status") as status:
        memory = next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))
except FileNotFoundError:
    import resource
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 / (1024 if sys.platform == "darwin" else 1)
print(json.dumps({{"seconds": seconds, "memory_mb": memory}}))
"""
_TILTMETER = (
    "from tiltmeter.lexicon.tests import Passage\nfrom tiltmeter.models.static import StaticEmbedding",
    "passages = [Passage(word, word, 0, len(word)) for word in words]\n"
    "found = len(StaticEmbedding.open({path!r}).embed(passages).kept)",
)
_GENSIM = (
    "from gensim.models import KeyedVectors",
    "vectors = KeyedVectors.load_word2vec_format({path!r}, binary=False, no_header=True)\n"
    "found = sum(word in vectors for word in words)",
)
_CONVERT = "import sys; from tiltmeter.cli.vectors import app; app(['convert', *sys.argv[1:]])"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--words", type=int, default=400_000)
    parser.add_argument("--dimension", type=int, default=300)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        text, converted = Path(folder, "vectors.txt"), Path(folder, "vectors.tilt")
        write_glove(text, options.words, options.dimension)
        results: dict[str, Any] = {"file_mb": text.stat().st_size / 1e6}
        convert = [sys.executable, "-c", _CONVERT, str(text), str(converted)]
        subprocess.run(convert, check=True, stderr=subprocess.DEVNULL)
        for name, how, path in [
            ("tiltmeter", _TILTMETER, text),
            ("tiltmeter, converted", _TILTMETER, converted),
            ("gensim", _GENSIM, text),
        ]:
            results[name] = measure(how, path, options.words)
    results["ratio"] = results["gensim"]["seconds"] / results["tiltmeter"]["seconds"]
    results["kept"] = (
        results["ratio"] >= PROMISED_RATIO
        and results["tiltmeter"]["memory_mb"] < PROMISED_MB
        and results["tiltmeter, converted"]["seconds"] * 1000 < PROMISED_MS
    )
    if options.json:
        print(json.dumps(results, indent=2))
    else:
        show(results)
    return 0 if results["kept"] else 1


def write_glove(path: Path, words: int, dimension: int) -> None:
    """As GloVe writes: five decimals, no header. Vectors repeat after 2,000, which no reader makes use of."""
    import numpy as np

    random = np.random.default_rng(0)
    tails = [
        (" " + " ".join(map("{:.5f}".format, row)) + "\n").encode()
        for row in random.normal(0, 0.4, (min(words, _DISTINCT_VECTORS), dimension)).tolist()
    ]
    with path.open("wb", buffering=1 << 20) as file:
        for number in range(words):
            file.write(b"word%d" % number + tails[number % len(tails)])


def measure(how: tuple[str, str], path: Path, count: int) -> dict[str, float]:
    """500 words, evenly spread, the last of the file among them."""
    step = max(count // 500, 1)
    imports, load = how
    code = _MEASURE.format(imports=imports, load=load.format(path=str(path)), first=step - 1, step=step, count=count)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    measured: dict[str, float] = json.loads(done.stdout)
    return measured


def show(results: dict[str, Any]) -> None:
    print(f"500 words out of {results['file_mb']:.0f} MB of GloVe text")
    print(f"{'':24}{'seconds':>10}{'memory, MB':>12}")
    for name in ("gensim", "tiltmeter", "tiltmeter, converted"):
        print(f"{name:24}{results[name]['seconds']:>10.3f}{results[name]['memory_mb']:>12.0f}")
    print(f"tiltmeter is {results['ratio']:.1f} times as fast (promised: {PROMISED_RATIO:.0f})")
    print("every promise is kept" if results["kept"] else "A PROMISE IS NOT KEPT")


if __name__ == "__main__":
    sys.exit(main())
