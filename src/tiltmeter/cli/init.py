"""`tiltmeter init`: an example of a spec, to begin with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tiltmeter.cli.output import say
from tiltmeter.cli.run import refuse_to_overwrite

EXAMPLE = """\
# A run: every metric below that fits a model is measured on it. Start it with: tiltmeter run {name}
title: My first run
# language: en          # of the words; a model may have its own; by default that of a demo model, else English
seed: 0                 # of everything drawn at random
level: 0.95             # of the intervals
alpha: 0.01             # a p-value up to this, after correction, is marked with a star
# least: 25             # of demo models alone: words that one met less often in training take no part
output: {output}   # the run folder, beside this file

models:
  # A name of our own (tiltmeter list models): word vectors and a small language model that are in the box.
  - path: demo:it
  - path: demo:en
    name: novels        # what tables call it
  # A file of word vectors: word2vec, GloVe or fastText.
  # - path: vectors/glove.txt
  #   name: GloVe
  #   lookup: [as is, lower, title]
  # A folder, or a name on the Hugging Face hub. Its kind is seen from its files, unless you say it:
  # static, encoder, precomputed, masked or causal.
  # - path: bert-base-uncased
  #   kind: masked
  #   revision: main    # of the hub
  #   dtype: float32    # or bfloat16, float16
  # - path: sentence-transformers/all-MiniLM-L6-v2
  #   kind: encoder
  #   pooling: mean     # or cls, last, max, target_first, target_pooled

# Names (tiltmeter list tests), patterns, or files of your own. Left out: what each metric is usually measured on.
tests: ["weat*"]

metrics:
  - weat
  - metric: lpbs
    tests: [weat6, weat7, weat8]
    family: target is attribute
    models: [novels]          # only on these
  # - metric: seat
  #   alternative: greater    # or two-sided
  # - crows
  # - metric: indirect        # by way of first names; takes longer
  #   targets: occupation
  #   features: gender
  #   top: 50                 # rows in the table; all are in arrays/
  # - metric: bayes
  #   tests: [gender, religion]
"""


def init(file: Annotated[Path, typer.Argument(help="The file to write.")] = Path("tiltmeter.yaml")) -> None:
    """Write an example of a spec, with a comment on each key. An existing file is never overwritten."""
    from rich.text import Text

    from tiltmeter.files import replacing

    refuse_to_overwrite(file)
    text = EXAMPLE.format(name=file.name, output=json.dumps(f"{file.stem}-run", ensure_ascii=False))
    with replacing(file) as part:
        part.write_text(text, encoding="utf-8")
    say(Text(f"wrote {file}: it runs as it is. Name your models in it, then: tiltmeter run {file}"))
