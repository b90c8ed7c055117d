"""The figures of held-out novels: each masked token counts once, and intervals are of sentences."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from tiltmeter.models.named import demo
from training import corpus, held_out

TEXT = [
    "It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a "
    "wife. My dear Mr. Bennet, said his lady to him one day, have you heard that the house is let at last?",
    "He had not. But it is, returned she.",
]


def test_figures_are_those_of_all_masked_tokens() -> None:
    # Two sentences: 1 of 4 tokens with a loss of 8, and 3 of 4 without any.
    sentences = np.array([[4, 1, 8], [4, 3, 0]], float)
    told = held_out.figures(sentences, seed=0)
    assert (told["sentences"], told["masked_tokens"], told["accuracy"]) == (2, 8, 0.5)
    assert told["perplexity"] == pytest.approx(np.e, abs=1e-4)
    assert told["accuracy_interval"] == [0.25, 0.75]  # a resample may hold either sentence twice


def test_every_sentence_is_read_and_a_trained_model_is_no_guesser() -> None:
    found = held_out.by_sentence(demo("demo:en").folder, TEXT * 20, seed=1)
    assert len(found) == 20 * sum(len(list(corpus.sentences(paragraph))) for paragraph in TEXT)
    masked, right, losses = found.sum(axis=0)
    assert (found[:, 1] <= found[:, 0]).all()
    assert right / masked > 0.3
    assert losses / masked < np.log(16_018) / 2  # half of what a guess among all pieces costs
