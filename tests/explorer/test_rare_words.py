"""What a model has hardly met in training is left out, listed with the reason, and scored with a caution when typed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from starlette.testclient import TestClient

from tiltmeter.explorer.app import create_app
from tiltmeter.explorer.live import LiveModel
from tiltmeter.explorer.security import Hosts
from tiltmeter.lexicon.catalogue import word_sets
from tiltmeter.models.masked import MaskedModel

from .ask import BASE, SMALL, Ask

LEAST = 100
RARE = {"beer": 3, "wine": 0, "woman": 1, "Amy": 99}


@pytest.fixture(scope="module")
def of_novels(models: list[MaskedModel]) -> Iterator[Ask]:
    """An explorer of a model that knows how often it met each word: no age at all."""
    texts = {text for name, words in word_sets().items() if name != "age" for text in words.texts}
    counts = {part: LEAST for text in texts for part in text.split()} | RARE
    source = LiveModel("novels", models[0], counts=counts, least=LEAST)
    with TestClient(create_app([source], hosts=Hosts.of("127.0.0.1", 0), page={}), base_url=BASE) as client:
        yield Ask(client)


def test_rare_words_are_left_out_and_say_why(of_novels: Ask) -> None:
    header = of_novels.table(**SMALL).header
    assert not {"beer", "wine"} & set(header["rows"])
    assert "woman" not in header["columns"]
    lost = {one["word"]: one["reason"] for one in header["lost"]}
    assert lost["beer"] == "the model met it 3 times in training, fewer than 100"
    assert lost["wine"] == "the model met it never in training, fewer than 100"
    assert lost["woman"] == "the model met it once in training, fewer than 100"
    assert lost["Amy"]
    (model,) = of_novels.json("catalogue")["models"]
    assert "--least 0" in model["note"]
    assert model["absent"]["beverage"] == ["beer", "wine"]
    assert model["absent"]["age"] == list(word_sets()["age"].texts)
    assert "name" not in model["absent"]  # no menu offers it
    assert model["absent_reason"] == "met fewer than 100 times in training"


def test_a_rare_word_that_is_typed_has_its_score_and_a_caution(of_novels: Ask) -> None:
    found = of_novels.json("words", **SMALL, add_target=["beer", "barista"], add_feature="woman")
    for one in found["targets"]:
        assert one["lost"] is None
        assert "mostly noise" in one["caution"]
    assert "met 'woman' once in training" in found["features"][0]["caution"]
    cell = of_novels.json("cell", **SMALL, target="beer", feature="man")
    assert "met 'beer' 3 times in training" in cell["weak"]
    assert of_novels.json("cell", **SMALL, target="tea", feature="man")["weak"] is None
    assert of_novels.json("sources", **SMALL, target="beer", feature="man")["sources"]


def test_a_typed_word_of_the_lexicon_scores_as_if_it_had_stayed(of_novels: Ask, ask: Ask) -> None:
    """The names that were left out are typed as well."""
    found = of_novels.json("words", **SMALL, add_name="Amy", add_target="beer")
    table = ask.table(**SMALL)
    columns = [table.header["columns"].index(word) for word in found["columns"]]
    expected = table.arrays["score"][table.header["rows"].index("beer"), columns]
    np.testing.assert_allclose(found["targets"][0]["score"], expected, atol=1e-4)


@pytest.mark.slow
def test_discovery_finds_words_alone_where_it_is_known_what_was_met(of_novels: Ask, ask: Ask) -> None:
    """Of a model whose training text is unknown, a token may be a piece of a word."""
    found = of_novels.json("discover", **SMALL, target="tea", k=100)
    words = {one["word"] for one in found["towards"] + found["away"]}
    met = {part.lower() for words in word_sets().values() for text in words.texts for part in text.split()}
    assert words <= met - {"beer", "wine", "woman"}
    assert "beginnings" not in found["note"]
    of_all = ask.json("discover", **SMALL, target="tea", k=100)
    assert of_all["searched"] > found["searched"]
    assert "beginnings" in of_all["note"]


def test_a_category_of_rare_words_alone_is_not_shown_and_explains_nothing(of_novels: Ask) -> None:
    error = of_novels.json("table", status=409, targets="beverage", features="age")["error"]
    assert "met no word of 'age' 100 times" in error["message"]
    assert "--least 0" in error["hint"]
    found = of_novels.json("sources", **SMALL, target="tea", feature="man", sensitive=["age", "religion"])
    assert "age" not in {one["category"] for one in found["sources"]}
    assert found["note"] == "Not tried: age, as no word of it has scores here."
