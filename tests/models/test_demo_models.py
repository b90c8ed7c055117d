"""The word vectors in the box: real ones, small, whole, and leaning the way that novels lean."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file

from tiltmeter.lexicon.catalogue import association_test, word_sets
from tiltmeter.lexicon.foreign import read_tests
from tiltmeter.lexicon.tests import AssociationTest
from tiltmeter.measure.association import AssociationResult, weat
from tiltmeter.models import named
from tiltmeter.models.load import load

ROOT = Path(__file__).parents[2]
LANGUAGES = ("de", "en", "fr", "it", "no")
BOX = Path(named.__file__).parent / "demo"
STATIC_BYTES = 4_000_000
BOX_BYTES = 45_000_000

language = pytest.mark.parametrize("language", LANGUAGES)


def flowers_and_insects(language: str) -> AssociationTest:
    if language == "en":
        return association_test("weat1")
    return own_test(language, "flowers-insects")


def own_test(language: str, name: str) -> AssociationTest:
    return next(
        test for test in read_tests(ROOT / f"training/evaluation/{language}.toml", language) if test.name == name
    )


@cache
def measured(language: str, name: str) -> AssociationResult:
    test = flowers_and_insects(language) if name == "flowers-insects" else own_test(language, name)
    return weat(f"demo:{language}-static", test)


@language
def test_flowers_are_pleasanter_than_insects(language: str) -> None:
    result = measured(language, "flowers-insects")
    assert result.effect_size > 0
    assert result.permutation.method.startswith("exact")
    assert result.permutation.p_value < 0.01
    assert min(result.counts.values()) >= 8  # the test is of words that the novels have


@language
def test_women_go_with_the_home_and_men_with_the_world(language: str) -> None:
    result = measured(language, "gender-home")
    assert result.effect_size > 0
    assert result.permutation.p_value < 0.05


@language
def test_the_model_card_gives_these_figures(language: str) -> None:
    card = (BOX / f"{language}-static/README.md").read_text(encoding="utf-8")
    for name in ("flowers-insects", "gender-home"):
        row = measured(language, name).measurement()
        assert f"| {row.value:.2f} | {row.low:.2f} … {row.high:.2f} |" in card
    for part in ("public domain", "ELTeC", "Not to be used for", "seed"):
        assert part in card
    assert card.count("\n- ") >= 58  # every novel is named


@language
def test_plain_safetensors_reads_them(language: str) -> None:
    folder = BOX / f"{language}-static"
    (matrix,) = load_file(folder / "model.safetensors").values()
    lines = (folder / "words.txt").read_text(encoding="utf-8").splitlines()
    words, counts = zip(*(line.split(" ") for line in lines), strict=True)
    assert matrix.dtype == np.float16
    assert matrix.shape == (len(lines), 100)
    assert len(set(words)) == len(words) > 15_000
    assert np.isfinite(matrix).all()
    assert matrix.any(axis=1).all()
    assert sorted(map(int, counts), reverse=True) == list(map(int, counts))


@language
def test_they_are_small(language: str) -> None:
    folder = BOX / f"{language}-static"
    assert sum((folder / name).stat().st_size for name in ("model.safetensors", "words.txt")) < STATIC_BYTES


def test_the_whole_box_is_small() -> None:
    assert sum(file.stat().st_size for file in BOX.rglob("*") if file.is_file()) < BOX_BYTES


@language
def test_what_is_in_the_box_is_what_the_training_log_says(language: str) -> None:
    log: dict[str, Any] = json.loads((ROOT / f"training/logs/{language}-static.json").read_text(encoding="utf-8"))
    for name, sha256 in log["sha256"].items():
        content = (BOX / f"{language}-static" / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == sha256
    assert log["recipe"]["language"] == language
    assert log["recipe"]["seed"] == 1


def test_every_file_of_the_box_is_in_the_list_of_checksums_and_no_other() -> None:
    listed = dict(line.split("  ")[::-1] for line in (BOX / named.CHECKSUMS).read_text().splitlines())
    there = {file.relative_to(BOX).as_posix() for file in BOX.glob("*/*") if file.suffix in named.CHECKED}
    assert set(listed) == there


@pytest.mark.parametrize("name", ["flowers", "occupation", "gender", "name", "male-names"])
def test_words_of_the_lexicon_that_novels_have_are_found(name: str) -> None:
    embedding: Any = load("demo:en-static")
    counts = named.training_counts("demo:en-static")
    common = [word for word in word_sets()[name].texts if " " not in word and counts.get(word, 0) >= 20]
    assert common
    assert all(embedding.found_as(word) == "as is" for word in common)


def test_names_and_words_of_the_same_letters_are_two() -> None:
    embedding: Any = load("demo:en-static")
    assert embedding.found_as("Rose") == embedding.found_as("rose") == "as is"
    assert embedding.found_as("Will") == embedding.found_as("will") == "as is"


def test_norwegian_is_of_its_time() -> None:
    embedding: Any = load("demo:no-static")
    assert embedding.found_as("kjærlighed") == "as is"
    assert embedding.found_as("paa") == "as is"
    card = (BOX / "no-static/README.md").read_text(encoding="utf-8")
    assert "old spelling" in card
    assert "Danish" in card
