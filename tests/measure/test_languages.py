"""Every language through every metric of a language model: a tiny one with random weights that knows every letter."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="language models need the extra 'lm'")

from tiltmeter.lexicon.catalogue import association_test, template_set, template_sets, word_set, word_sets
from tiltmeter.lexicon.pairs import pair_set
from tiltmeter.lexicon.tests import AssociationTest
from tiltmeter.lexicon.words import WordSet
from tiltmeter.measure.crows import crows
from tiltmeter.measure.lpbs import lpbs
from tiltmeter.measure.scores import direct, indirect
from tiltmeter.measure.sources import explain, sensitive_sets
from tiltmeter.models.lm import LanguageModel
from tiltmeter.models.load import load_lm

LANGUAGES = ("de", "es", "fr", "is", "it", "nl", "no", "tr")
each_language = pytest.mark.parametrize("lang", LANGUAGES)
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> LanguageModel:
    """Its tokenizer keeps case and accents, has all letters, and the words of the lexicon whole."""
    import torch
    from transformers import BertConfig, BertForMaskedLM, BertTokenizer

    texts = [text for lang in LANGUAGES for words in word_sets(lang).values() for text in words.texts]
    texts += [pair.more for lang in LANGUAGES for pair in pair_set(lang).pairs]
    texts += [frame.text for lang in LANGUAGES for used in template_sets(lang).values() for frame in used.templates]
    letters = sorted({letter for text in texts for letter in text + text.upper() if not letter.isspace()})
    whole = sorted({word for text in texts for word in re.findall(r"\w\w+", text)} - {f"##{one}" for one in letters})
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{one}" for one in letters), *whole]
    folder = tmp_path_factory.mktemp("bert")
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n", encoding="utf-8")
    BertTokenizer(str(folder / "vocab.txt"), do_lower_case=False, strip_accents=False).save_pretrained(folder)
    torch.manual_seed(0)
    size: dict[str, Any] = {
        "hidden_size": 32,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "intermediate_size": 64,
    }
    BertForMaskedLM(BertConfig(vocab_size=len(vocabulary), max_position_embeddings=128, **size)).save_pretrained(folder)
    return load_lm(str(folder))


def few(name: str, lang: str, count: int) -> WordSet:
    words = word_set(name, lang)
    return dataclasses.replace(words, words=words.words[:: max(1, len(words) // count)][:count])


def sides_of(test: AssociationTest) -> dict[str, Any]:
    return {"x": test.x, "y": test.y, "a": test.a, "b": test.b}


@each_language
def test_scores_by_way_of_names_and_their_sources(model: LanguageModel, lang: str) -> None:
    names = few("name", lang, 5)
    matrix = indirect(model, few("occupation", lang, 2), few("trait", lang, 2), bridge=names, lang=lang, resamples=100)
    assert (matrix.language, matrix.score.shape, matrix.lost) == (lang, (2, 2), ())
    assert np.isfinite(matrix.score).all()
    assert sensitive_sets(lang) == ("gender", "age", "origin", "religion")
    gender = {few("gender", lang, 2): template_set("name-gender", lang)}
    found = explain(model, matrix, gender, bridge=names, resamples=100)
    assert np.isfinite(found.ranked(matrix.targets[0], matrix.features[0])[0].partial)


@each_language
def test_direct_scores_of_occupations_with_gender(model: LanguageModel, lang: str) -> None:
    matrix = direct(model, few("occupation", lang, 2), few("gender", lang, 2), lang=lang)
    assert matrix.lost == ()
    assert np.isfinite(matrix.score).all()
    assert set(matrix.n.ravel()) == {len(template_set("occupation-gender", lang).sentences)}  # versions count once


@each_language
def test_pairs_and_lpbs(model: LanguageModel, lang: str) -> None:
    pairs = pair_set(lang)
    result = crows(model, dataclasses.replace(pairs, pairs=pairs.pairs[::6]), resamples=100)
    assert result.language == lang
    assert result.lost == ()
    test = association_test("weat10", lang)
    sides: dict[str, Any] = {
        side: dataclasses.replace(words, words=words.words[:2]) for side, words in sides_of(test).items()
    }
    row = lpbs(model, dataclasses.replace(test, **sides), resamples=100)
    assert (row.language, row.lost) == (lang, ())
    assert row.low <= row.value <= row.high
