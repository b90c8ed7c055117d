"""What the bundled English masked model has learned from its novels, measured by the project's own scores."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

import tiltmeter as tm
from tiltmeter.lexicon.catalogue import word_set
from tiltmeter.lexicon.words import Gender, WordSet
from tiltmeter.measure.scores import ScoreMatrix
from tiltmeter.metrics.paired import correlation_difference
from tiltmeter.models.lm import LanguageModel
from tiltmeter.models.named import demo, training_counts

FEMALE = ("nurse", "housekeeper", "teacher", "waitress", "barmaid", "cook", "singer", "dancer")
MALE = (
    *("captain", "soldier", "judge", "lawyer", "attorney", "carpenter"),
    *("mechanic", "engineer", "fisherman", "policeman", "butcher", "builder"),
)

# Names of today that are something else in the novels: places, words and titles, and names that men and women bore.
UNCLEAR = {
    *("London", "Florence", "Rose", "Violet", "Constance", "Grace", "June", "Evelyn", "Leslie", "Marion", "Kim"),
    *("Christian", "Norman", "Earl", "Don", "Dale", "Roman", "Mark"),
}


@pytest.fixture(scope="module")
def model() -> LanguageModel:
    return tm.load_lm("demo:en")


@pytest.fixture(scope="module")
def card() -> str:
    return " ".join((demo("demo:en").folder / "README.md").read_text(encoding="utf-8").split())


@pytest.fixture(scope="module")
def bridge() -> WordSet:
    """The names that the novels hold often enough for the model to know them."""
    return only("name", [word for word, count in training_counts("demo:en").items() if count >= 100])


def only(name: str, texts: Sequence[str]) -> WordSet:
    words = word_set(name)
    return replace(words, words=tuple(word for word in words.words if word.text in texts))


def auc(above: Sequence[float], below: Sequence[float]) -> float:
    """The chance that one of `above` is larger than one of `below`."""
    return float(np.mean([(a > b) + (a == b) / 2 for a, b in itertools.product(above, below)]))


def lean(matrix: ScoreMatrix, towards: Sequence[str], against: Sequence[str]) -> dict[str, float]:
    """By target: the mean score with the features of one side, less that with the other's."""
    mean = [matrix.score[:, [matrix.features.index(one) for one in side]].mean(axis=1) for side in (towards, against)]
    return dict(zip(matrix.targets, (mean[0] - mean[1]).tolist(), strict=True))


def by_gender(model: LanguageModel, without: set[str]) -> tuple[list[float], list[float]]:
    """How much likelier man is than woman beside each of the 40 commonest names of men, and of women."""
    counts = training_counts("demo:en")
    common: dict[Gender, list[str]] = {}
    for gender in (Gender.MALE, Gender.FEMALE):
        known = [word.text for word in word_set("name").words if word.gender == gender and word.text not in without]
        common[gender] = sorted(known, key=lambda name: -counts.get(name, 0))[:40]
    names = only("name", [*common[Gender.FEMALE], *common[Gender.MALE]])
    manly = lean(tm.direct(model, names, only("gender", ["man", "woman"])), ["man"], ["woman"])
    assert len(manly) == 80
    men, women = ([manly[name] for name in of_gender] for of_gender in common.values())
    return men, women


def test_the_gender_of_names_is_recovered(model: LanguageModel, card: str) -> None:
    assert auc(*by_gender(model, UNCLEAR)) >= 0.99
    assert f"with them {auc(*by_gender(model, set())):.2f}" in card
    assert all(name in card for name in UNCLEAR)


def test_names_alone_tell_womens_occupations_from_mens(model: LanguageModel, bridge: WordSet) -> None:
    gender = only("gender", ["man", "woman", "boy", "girl"])
    scores = tm.indirect(model, only("occupation", [*FEMALE, *MALE]), gender, bridge=bridge)
    womanly = lean(scores, ["woman", "girl"], ["man", "boy"])
    assert set(womanly) == {*FEMALE, *MALE}
    assert auc([womanly[word] for word in FEMALE], [womanly[word] for word in MALE]) >= 0.95


def test_the_model_card_names_the_occupations_that_are_rare(card: str) -> None:
    counts = training_counts("demo:en")
    rare = sorted((counts[word], word) for word in (*FEMALE, *MALE) if counts[word] < 100)
    assert f"(of those occupations: {', '.join(f'{word} {count}' for count, word in rare)})" in card


def test_tea_is_a_womans_drink_and_beer_a_mans(model: LanguageModel, bridge: WordSet, card: str) -> None:
    """The difference of two correlations with the same names, drawn together."""
    scores = tm.indirect(model, only("beverage", ["tea", "beer"]), only("gender", ["woman"]), bridge=bridge)
    assert scores.bridge is not None
    woman = scores.bridge.to_feature[:, 0]
    tea, beer = (scores.bridge.to_target[scores.targets.index(drink)] for drink in ("tea", "beer"))
    more, interval = correlation_difference((beer, woman), (tea, woman))
    assert interval.low > 0
    assert f"is {more:.2f} (95 % interval {interval.low:.2f} to {interval.high:.2f})" in card


def test_the_weights_are_those_that_were_published_and_logged() -> None:
    folder = demo("demo:en").folder
    digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    logs = Path(__file__).parents[2] / "training" / "logs"
    entries = [json.loads(line) for line in (logs / "en-masked.jsonl").read_text(encoding="utf-8").splitlines()]
    assert entries[-1]["sha256"] == digest
    assert math.exp(entries[-1]["held_out_loss"]) <= 9.9  # perplexity
    assert round(entries[-1]["held_out_accuracy"], 2) >= 0.56
    assert digest in (folder.parent / "SHA256SUMS").read_text(encoding="utf-8")
    assert (folder / "model.safetensors").stat().st_size <= 20_000_000


def test_the_words_that_it_was_to_know_whole_are_one_piece_each() -> None:
    """Those of the list that the other model of the same novels met 50 times, but for a name of a novel held out."""
    listed = (Path(__file__).parents[2] / "training/logs/en-masked-words.txt").read_text(encoding="utf-8").split()
    met = training_counts("demo:en-static")
    common = {word for word in listed if word.isalpha() and met.get(word, 0) >= 50} - {"Monica"}
    assert len(common) > 1_000
    assert common <= training_counts("demo:en").keys()


def test_plain_transformers_reads_it() -> None:
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    folder = demo("demo:en").folder
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForMaskedLM.from_pretrained(folder)
    assert model.config.vocab_size == len(tokenizer)
    assert tokenizer.tokenize("Hi! Mary is a nurse.") == ["Hi", "!", "Mary", "is", "a", "nurse", "."]
