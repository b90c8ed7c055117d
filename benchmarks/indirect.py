"""The indirect score of a whole category pair, against the literal algorithm and a careful user, in one run.

A BERT-base with random weights scores occupations × traits by way of 779 names. Beside it are timed, on a sample:
- the literal Algorithm 3.1: one call of the model for each template, target, name, feature, and each prior;
- what a careful user would write: the `fill-mask` pipeline with `targets`, each distinct sentence once, with the
  pipeline's default of one text at a time, and in batches of 16;
- the bare passes of the encoder that cannot be avoided, over the same sentences, in batches and a precision like ours;
- a feature that was not asked for before, scored with every occupation from the states that are there, with no pass.

All score words of one token only, as the pipeline can do no other: a feature of several tokens would take Tiltmeter
passes of its own beside every name.

    python -m benchmarks.indirect [--templates 4] [--device cuda] [--cube] [--json]

`--cube` scores the thesis's four target categories with all eleven feature categories, directly and indirectly. On a
GPU that is promised in seconds, once its libraries are loaded: the first time, which loads them, is told apart.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.random_bert import save
from benchmarks.throughput import counted, matrix_rate
from tiltmeter.lexicon.catalogue import template_set, word_set
from tiltmeter.lexicon.templates import TemplateSet
from tiltmeter.lexicon.words import Kind, Word
from tiltmeter.measure.blanks import blank_table, blank_tables
from tiltmeter.metrics.indirect import indirect_scores
from tiltmeter.metrics.logprob import bias_scores
from tiltmeter.models.masked import MaskedModel

TARGETS = ("beverage", "country", "occupation", "sport")
FEATURES = (
    *("beverage", "country", "occupation", "sport", "trait"),
    *("age", "gender", "race", "religion", "sexual-orientation", "year-of-birth"),
)
REPEATS = 3  # of the cube
SAMPLE = 48  # calls of the others that are timed, and scaled
PROMISES = {"literal / ours": 1000.0, "pipeline / ours": 4.0}
MOST_OVER_BARE = 1.5
MOST_FOR_A_WORD = 50.0  # milliseconds
MOST_FOR_A_CUBE = 5.0  # seconds, on one GPU: the median of `REPEATS`


def silent(_done: int, _total: int) -> None:
    """No progress bar."""


def seconds(job: Callable[[], object]) -> float:
    began = time.perf_counter()
    job()
    return time.perf_counter() - began


def first(templates: TemplateSet, most: int | None) -> TemplateSet:
    return replace(templates, templates=templates.templates[:most])


def pair(model: MaskedModel, to_target: TemplateSet, to_feature: TemplateSet) -> np.ndarray[Any, Any]:
    """Occupations × traits: every sentence through the model, and the scores; returns those of occupations × names."""
    names = word_set("name").words
    one, two = blank_tables(
        model,
        [
            (to_target, word_set("occupation").words, names, "feature"),
            (to_feature, names, word_set("trait").words, "feature"),
        ],
    )
    of_target = bias_scores(one.log_p, one.log_prior)
    indirect_scores(of_target, bias_scores(two.log_p, two.log_prior))
    return of_target


def new_words(model: MaskedModel, of_target: np.ndarray[Any, Any], to_feature: TemplateSet) -> float:
    """Milliseconds for one feature that the model was not asked for, scored with all targets: the median of nine."""
    computed, times = model.texts_computed, []
    for number in range(9):
        word = Word(f"filler{number}", frozenset({Kind.ADJECTIVE}))
        began = time.perf_counter()
        table = blank_table(model, to_feature, word_set("name").words, [word], read_slot="feature")
        indirect_scores(of_target, bias_scores(table.log_p, table.log_prior))
        times.append(time.perf_counter() - began)
    assert model.texts_computed == computed, "no pass is needed"
    return 1000 * statistics.median(times)


def cube(model: MaskedModel) -> int:
    """All pairs of categories of the thesis, direct and indirect; returns how many scores there are."""
    names = word_set("name").words
    words = {name: word_set(name).words for name in {*TARGETS, *FEATURES}}
    to_name = [(template_set(f"{one}-name"), words[one], names, "feature") for one in TARGETS]
    to_feature = [(template_set(f"name-{one}"), names, words[one], "feature") for one in FEATURES]
    pairs = [(one, two) for one in TARGETS for two in FEATURES if one != two]
    direct = [(template_set(f"{one}-{two}"), words[one], words[two], "feature") for one, two in pairs]
    tables = blank_tables(model, [*to_name, *to_feature, *direct])  # type: ignore[list-item]
    scores = [bias_scores(table.log_p, table.log_prior) for table in tables]
    of_target = dict(zip(TARGETS, scores, strict=False))
    of_feature = dict(zip(FEATURES, scores[len(TARGETS) :], strict=False))
    indirect = [indirect_scores(of_target[one], of_feature[two]).score for one, two in pairs]
    return sum(score.size for score in [*scores[len(TARGETS) + len(FEATURES) :], *indirect])


def timed_cube(folder: str, device: str) -> dict[str, Any]:
    """The cube, 1 + `REPEATS` times from nothing but a loaded model; and its share of what the GPU can multiply."""
    times = []
    for _ in range(1 + REPEATS):
        with counted() as ran:
            model = MaskedModel.open(folder, device=device, several_tokens=False, progress=silent)
            began = time.perf_counter()
            scores = cube(model)
            times.append(time.perf_counter() - began)
    cold, *times = times
    row = {
        "device": device,
        "scores": scores,
        "texts": ran.texts,
        "tokens": ran.tokens,
        "the first time": cold,
        "seconds": times,
    }
    if device != "cpu":
        rate = matrix_rate(device)
        middle = statistics.median(times)
        row |= {
            "median": middle,
            "matrix product, TFLOP/s": rate / 1e12,
            "share of it": ran.flops / middle / rate,
            "seconds on the GPU": ran.gpu_seconds(),
            "share of it while the GPU computes": ran.flops / ran.gpu_seconds() / rate,
        }
    return row


def sentences(to_target: TemplateSet, to_feature: TemplateSet, mask: str) -> list[str]:
    """The distinct sentences that the pair needs, each blank as a mask, for the comparisons."""
    from tiltmeter.lexicon.templates import BLANK, Blank

    texts: dict[str, None] = {}
    for templates, given in ((to_target, word_set("occupation").words), (to_feature, word_set("name").words)):
        for template in templates.templates:
            for word in given:
                for filling in (word, Blank(like=word)):
                    text = template.fill({"target": filling, "feature": Blank()})
                    if text is not None:
                        texts[text.replace(BLANK, mask)] = None
    return list(texts)


def bare(folder: str, tokenizer: Any, texts: Sequence[str], device: str, size: int) -> float:
    """The encoder alone over all texts, sorted by length, in batches of `size` tokens; no head."""
    import torch
    from transformers import BertForMaskedLM

    model: Any = BertForMaskedLM.from_pretrained(folder, dtype=torch.float32 if device == "cpu" else torch.bfloat16)
    model = model.eval().to(device)
    ids = sorted(tokenizer(list(texts))["input_ids"], key=len, reverse=True)
    batches: list[list[list[int]]] = []
    for row in ids:
        if not batches or (len(batches[-1]) + 1) * len(batches[-1][0]) > size:
            batches.append([])
        batches[-1].append(row)
    padded = [tokenizer.pad({"input_ids": batch}, return_tensors="pt").to(device) for batch in batches]

    def passes() -> None:
        with torch.inference_mode():
            for batch in padded:
                model.base_model(**batch)
        if device != "cpu":
            torch.cuda.synchronize()

    passes() if device != "cpu" else model.base_model(**padded[-1])
    return seconds(passes)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--templates", type=int, default=4, help="templates of each side; 0 for all")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--cube", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    from transformers import AutoTokenizer, BertForMaskedLM, FillMaskPipeline

    with tempfile.TemporaryDirectory() as folder:
        save(Path(folder))
        if options.cube:
            row = timed_cube(folder, options.device)
            print(json.dumps(row, indent=2))
            sys.exit("slower than what is promised" if row.get("median", 0.0) > MOST_FOR_A_CUBE else 0)
        model = MaskedModel.open(folder, device=options.device, several_tokens=False, progress=silent)
        to_target = first(template_set("occupation-name"), options.templates or None)
        to_feature = first(template_set("name-trait"), options.templates or None)
        began = time.perf_counter()
        of_target = pair(model, to_target, to_feature)
        ours = time.perf_counter() - began
        typed = new_words(model, of_target, to_feature)
        plain: Any = BertForMaskedLM.from_pretrained(folder)
        plain = plain.eval().to(options.device)
        tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        texts = sentences(to_target, to_feature, tokenizer.mask_token)
        passes = bare(folder, tokenizer, texts, options.device, model.tokens_per_batch)

        single = [text for text in texts if text.count(tokenizer.mask_token) == 1]
        names = [name.lower() for name in word_set("name").texts]
        sample = single[:: max(1, len(single) // SAMPLE)][:SAMPLE]

        def by_pipeline(batch: int) -> float:
            pipeline = FillMaskPipeline(model=plain, tokenizer=tokenizer, device=options.device, batch_size=batch)
            pipeline(sample[:2], targets=names, top_k=len(names))
            took = seconds(lambda: pipeline(sample, targets=names, top_k=len(names)))
            return took * len(texts) / len(sample)

        careful, batched = by_pipeline(1), by_pipeline(16)

        import torch

        def literal_calls() -> None:
            with torch.inference_mode():
                for text in single[:: max(1, len(single) // SAMPLE)][:SAMPLE]:
                    plain(**tokenizer(text, return_tensors="pt").to(options.device)).logits.softmax(-1)

        literal_calls()
        calls = 2 * (
            len(to_target) * len(word_set("occupation")) * len(word_set("name"))
            + len(to_feature) * len(word_set("name")) * len(word_set("trait"))
        )
        literal = seconds(literal_calls) * calls / SAMPLE

    result = {
        "distinct sentences": len(texts),
        "texts through the model": model.texts_computed,
        "literal calls": calls,
        "ours, seconds": round(ours, 1),
        "literal / ours": round(literal / ours, 1),
        "pipeline / ours": round(careful / ours, 2),
        "batched pipeline / ours": round(batched / ours, 2),
        "ours / bare passes": round(ours / passes, 2),
        "a new word, milliseconds": round(typed, 1),
    }
    if options.json:
        print(json.dumps(result, indent=2))
    else:
        for name, value in result.items():
            print(f"{name:26}{value:>14,}")
    most = {"a new word, milliseconds": MOST_FOR_A_WORD}
    if options.device == "cpu":  # on a GPU the passes take less time than what is around them
        most["ours / bare passes"] = MOST_OVER_BARE
    if any(result[name] < least for name, least in PROMISES.items()) or any(result[name] > most[name] for name in most):
        sys.exit("below what is promised")


if __name__ == "__main__":
    main()
