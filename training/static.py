"""Static embeddings of the demo models: skip-gram with negative sampling (Mikolov et al. 2013), by gensim.

    python -m training.static CORPUS.txt.xz --language de --out src/tiltmeter/models/demo/de-static \
        --log training/logs/de-static.json

Writes `model.safetensors` (float16, a row a word) and `words.txt` (a word and how often it occurred, a row each). One
worker and a fixed seed: with more, threads overwrite each other's updates, and no two trainings are alike.
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from gensim.models import Word2Vec
from gensim.models.callbacks import CallbackAny2Vec
from numpy.typing import NDArray
from safetensors.numpy import save_file

from tiltmeter.lexicon.catalogue import association_tests, languages, multiclass_tests, word_sets
from tiltmeter.lexicon.foreign import read_tests
from tiltmeter.models._lookup import Lookup
from training.checksums import sha256
from training.text import Casing, marked, paragraphs

EVALUATION = Path(__file__).parent / "evaluation"
LEAST = 20  # a word of the lexicon that occurs as often as this is always in
BYTES = 3_950_000  # of weights and words together
# The smaller a corpus, the more often it is read.
EPOCHS: Mapping[str, int] = {"en": 3, "de": 6, "fr": 6, "it": 10, "no": 15}


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that decides the vectors, beside the corpus."""

    language: str
    epochs: int
    dimension: int = 100
    window: int = 5
    negative: int = 5
    sample: float = 1e-4
    min_count: int = 5
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Trained:
    """The words that are kept, how often each occurred, their vectors, and what happened on the way."""

    words: list[str]
    counts: Mapping[str, int]
    vectors: NDArray[np.float16]
    log: dict[str, Any]


def train(corpus: Path, recipe: Recipe, wanted: Iterable[str]) -> Trained:
    """Learn from a corpus, and keep the wanted words and as many of the commonest as fit."""
    begun = time.perf_counter()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        raw, text = Path(folder) / "raw.txt", Path(folder) / "tokens.txt"
        with raw.open("w", encoding="utf-8") as lines:
            lines.writelines(" ".join(marked(each, recipe.language)) + "\n" for each in paragraphs(corpus))
        with raw.open(encoding="utf-8") as lines:
            casing = Casing.of((line.split() for line in lines), recipe.language)
        with raw.open(encoding="utf-8") as lines, text.open("w", encoding="utf-8") as out:
            for line in lines:
                words = list(casing.words(line.split()))
                counts.update(words)
                out.write(" ".join(words) + "\n")
        epochs = _Epochs()
        model = Word2Vec(
            corpus_file=str(text),
            sg=1,
            vector_size=recipe.dimension,
            window=recipe.window,
            negative=recipe.negative,
            sample=recipe.sample,
            min_count=recipe.min_count,
            epochs=recipe.epochs,
            seed=recipe.seed,
            workers=1,
            callbacks=[epochs],
        )
    learnt = {word: counts[word] for word in model.wv.index_to_key}
    kept = pick(learnt, wanted, recipe.dimension)
    vectors = np.array([model.wv[word] for word in kept], dtype=np.float16)
    log = {
        "tokens": counts.total(),
        "distinct": len(counts),
        "learnt": len(learnt),
        "kept": len(kept),
        "rarest": min(learnt[word] for word in kept),
        "epoch_seconds": epochs.seconds,
        "seconds": round(time.perf_counter() - begun, 1),
    }
    return Trained(kept, {word: learnt[word] for word in kept}, vectors, log)


def pick(learnt: Mapping[str, int], wanted: Iterable[str], dimension: int) -> list[str]:
    """The wanted words that occur often enough, then the commonest that fit, in the order of their counts."""
    named = {spelling for word in wanted if (spelling := found(word, learnt)) and learnt[spelling] >= LEAST}
    kept, size = set(named), sum(_bytes(word, learnt[word], dimension) for word in named)
    for word, count in sorted(learnt.items(), key=lambda item: (-item[1], item[0])):
        size += 0 if word in kept else _bytes(word, count, dimension)
        if size > BYTES:
            break
        kept.add(word)
    return sorted(kept, key=lambda word: (-learnt[word], word))


def found(word: str, learnt: Mapping[str, int]) -> str | None:
    """The form under which Tiltmeter will look a word up, if there is one."""
    spellings = Lookup.checked(("as is", "lower", "title"), "average").spellings(word)
    return next((spelling for _, spelling in spellings if spelling in learnt), None)


def lexicon_words(language: str) -> Iterator[str]:
    """Every word that a bundled test, or one of those in `evaluation`, asks for; the parts of longer names too."""
    words: list[str] = []
    tests = [*read_tests(EVALUATION / f"{language}.toml", language)]
    if language in languages():
        for of_set in word_sets(language).values():
            words += of_set.texts
        tests += association_tests(language).values()
        for test in multiclass_tests(language).values():
            words += [word for row in test.definitions for word in row]
            words += [word for of_class in test.stereotypes.values() for word in of_class]
    for each in tests:
        if not each.has_sentences:
            words += [word for side in each.texts() for word in side]
    for word in dict.fromkeys(words):
        yield word
        yield from word.split() if " " in word else ()


def save(trained: Trained, recipe: Recipe, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    # One entry of metadata: safetensors writes several in any order, and the bytes would differ.
    save_file({"vectors": trained.vectors}, folder / "model.safetensors", {"language": recipe.language})
    (folder / "model.safetensors").chmod(0o644)  # safetensors lets nobody else read it
    lines = "".join(f"{word} {trained.counts[word]}\n" for word in trained.words)
    (folder / "words.txt").write_text(lines, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--language", required=True, choices=sorted(EPOCHS))
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--log", required=True, type=Path)
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    recipe = Recipe(given.language, given.epochs or EPOCHS[given.language], seed=given.seed)
    wanted = list(lexicon_words(recipe.language))  # before the long part: a word set may be damaged
    trained = train(given.corpus, recipe, wanted)
    save(trained, recipe, given.out)
    import gensim

    about = {
        "corpus": {"file": given.corpus.name, "sha256": sha256(given.corpus)},
        "recipe": asdict(recipe),
        "software": {"python": platform.python_version(), "gensim": gensim.__version__, "numpy": np.__version__},
        **trained.log,
        "sha256": {name: sha256(given.out / name) for name in ("model.safetensors", "words.txt")},
    }
    given.log.parent.mkdir(parents=True, exist_ok=True)
    given.log.write_text(json.dumps(about, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(about, indent=1, ensure_ascii=False))


def _bytes(word: str, count: int, dimension: int) -> int:
    return 2 * dimension + len(f"{word} {count}\n".encode())


class _Epochs(CallbackAny2Vec):  # type: ignore[misc]
    """How long each reading of the corpus took."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self._begun = 0.0

    def on_epoch_begin(self, _model: Any) -> None:
        self._begun = time.perf_counter()

    def on_epoch_end(self, _model: Any) -> None:
        self.seconds.append(round(time.perf_counter() - self._begun, 1))
        print(f"epoch {len(self.seconds)}: {self.seconds[-1]} s", flush=True)


if __name__ == "__main__":
    main()
