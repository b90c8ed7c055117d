"""Which tokens are those of a word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiltmeter.errors import ModelError
from tiltmeter.lexicon.tests import Passage
from tiltmeter.models.encoder import HuggingFaceEncoder
from tiltmeter.models.huggingface import open_tokenizer
from tiltmeter.models.tokens import target_positions, tokenize

from .passages import marked
from .tiny import ARCHITECTURES

Folders = Callable[..., Path]


def pieces(tokenizer: Any, passage: Passage) -> tuple[list[str], list[str], list[str]]:
    """The tokens before the word, of the word, and after it."""
    tokens = tokenize(tokenizer, [passage.text])[0]
    found = target_positions(tokenizer, tokens, passage)
    names = tokenizer.convert_ids_to_tokens(tokens.ids)
    assert found == tuple(range(found[0], found[-1] + 1)), "a word is in one piece"
    return names[: found[0]], names[found[0] : found[-1] + 1], names[found[-1] + 1 :]


@pytest.mark.parametrize(
    ("architecture", "text", "before", "word", "after"),
    [
        # inside another word; the word twice; several tokens; first and last place
        ("bert", "The nursery *nurse* nurse", ["[CLS]", "the", "nurse", "##ry"], ["nurse"], ["nurse", "[SEP]"]),
        ("bert", "The *nursery* nurse", ["[CLS]", "the"], ["nurse", "##ry"], ["nurse", "[SEP]"]),
        ("bert", "*nursery*", ["[CLS]"], ["nurse", "##ry"], ["[SEP]"]),
        ("roberta", "The nursery *nurse*", ["<s>", "The", "Ġnurse", "ry"], ["Ġnurse"], ["</s>"]),
        ("roberta", "*The* nurse", ["<s>"], ["The"], ["Ġnurse", "</s>"]),
        ("gpt2", "The *nursery* nurse.", ["The"], ["Ġnurse", "ry"], ["Ġnurse", "."]),
        ("gpt2", "The nurse said *é*", ["The", "Ġnurse", "Ġsaid", "Ġ"], ["Ã", "©"], []),
        ("llama", "*The* nurse", ["<|begin_of_text|>"], ["The"], ["Ġnurse"]),
        ("xlnet", "The nursery *nurse*.", ["▁The", "▁nurse", "ry"], ["▁nurse"], [".", "<sep>", "<cls>"]),
        ("xlnet", "The *said* nurse", ["▁The", "▁"], ["sa", "i", "d"], ["▁nurse", "<sep>", "<cls>"]),
        ("gemma", "The *nursery* nurse", ["<bos>", "The"], ["▁nurse", "ry"], ["▁nurse"]),
    ],
)
def test_by_hand(
    architecture: str, text: str, before: list[str], word: list[str], after: list[str], tiny_models: Folders
) -> None:
    assert pieces(open_tokenizer(tiny_models(architecture)), marked(text)) == (before, word, after)


WORDS = [
    "he",
    "the",
    "there",
    "other",
    "nurse",
    "nursery",
    "man",
    "woman",
    "algebra",
    "Zoë",
    "über-nurse",
    "naïve",
    "李",
]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@settings(max_examples=30, deadline=None)
@given(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=8), data=st.data())
def test_the_tokens_spell_the_word(
    architecture: str, words: list[str], data: st.DataObject, tiny_models: Folders
) -> None:
    """Decoded they are the word, up to case and accents, which some tokenizers drop."""
    tokenizer = open_tokenizer(tiny_models(architecture))
    chosen = data.draw(st.integers(0, len(words) - 1))
    start = len(" ".join([*words[:chosen], ""]))
    passage = Passage(" ".join(words), words[chosen], start, start + len(words[chosen]))
    tokens = tokenize(tokenizer, [passage.text])[0]
    found = target_positions(tokenizer, tokens, passage)
    names = tokenizer.convert_ids_to_tokens([tokens.ids[position] for position in found])
    if tokenizer.unk_token in names:
        assert words[chosen] not in ("he", "the", "there", "nurse", "man", "woman")
        return
    spelled = tokenizer.decode([tokens.ids[position] for position in found]).replace(" ", "")
    assert plain(spelled) == plain(words[chosen])


def plain(text: str) -> str:
    import unicodedata

    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))


def test_he_is_not_the_he_in_the(tiny_models: Folders) -> None:
    """A replacement of the string "he" would find it in "the" first."""
    model = HuggingFaceEncoder.open(tiny_models("bert"), pooling="target_first", layer=0)
    texts = ["the nurse said *he* is there", "the nurse said *she* is there", "*the* nurse said he is there"]
    he, she, the = model.embed([marked(text) for text in texts]).vectors
    assert np.abs(he - she).max() > 0.01
    assert np.abs(he - the).max() > 0.01


def test_a_word_that_the_tokenizer_drops_is_lost(tiny_models: Folders) -> None:
    """BERT's tokenizer deletes control and format characters: there is no token for a soft hyphen."""
    embedded = HuggingFaceEncoder.open(tiny_models("bert"), pooling="target_pooled").embed([marked("The *\xad* nurse")])
    assert embedded.lost == ((0, r"the tokenizer has no token for '\xad'"),)


def test_a_tokenizer_without_offsets_cannot_find_a_word(tiny_models: Folders) -> None:
    """transformers' last tokenizer in plain Python that needs no file from elsewhere works on bytes."""
    import transformers

    tokenizer = transformers.ByT5Tokenizer(extra_ids=0)
    assert not tokenizer.is_fast
    with pytest.raises(ModelError, match=r"ByT5Tokenizer does not say which characters a token covers"):
        target_positions(tokenizer, tokenize(tokenizer, ["The nurse"])[0], marked("The *nurse*"))

    from tiltmeter.models.huggingface import open_model

    folder = tiny_models("gpt2")
    parts = {"tokenizer": tokenizer, "model": open_model(folder), "folder": folder}
    assert len(HuggingFaceEncoder("byt5", **parts).embed([marked("The *nurse*")]).vectors) == 1
    with pytest.raises(ModelError, match="Use a pooling without 'target'"):
        HuggingFaceEncoder("byt5", **parts, poolings=["target_first"]).embed([marked("The *nurse*")])
