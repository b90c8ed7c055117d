"""Sentence encoders against a slow, obvious reference: one text at a time, no padding, in double precision."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file

from tiltmeter.errors import ModelError
from tiltmeter.lexicon.tests import Passage
from tiltmeter.models import huggingface
from tiltmeter.models.base import Embedder
from tiltmeter.models.encoder import HuggingFaceEncoder
from tiltmeter.models.pooling import pool

from .passages import marked
from .tiny import ARCHITECTURES, CAUSAL, LAYERS, MASKED, MAX_TOKENS

Folders = Callable[..., Path]
DECODERS = ("gpt2", "llama", "qwen2", "gemma", "gemma2", "opt", "bloom", "openai-gpt")
# The word before which a text may be cut: what the tokenizers do with its beginning does not depend on its end.
PASSAGES = [
    marked("*nurse*"),
    marked("This is a *programmer*"),
    marked("*Mathematics* is pleasant, whether or not the weather is fine"),
    marked("The nursery *nurse* said that the nurse would be there."),
    marked("There *he* is, with the others there."),
    marked("Here is a woman with a *violin* and a weapon."),
]


class Reference:
    """transformers, asked in the plainest way."""

    def __init__(self, folder: Path) -> None:
        import transformers

        with huggingface.quiet():
            self.tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)
            self.model: Any = transformers.AutoModel.from_pretrained(folder).double().eval()

    def hidden(self, text: str, layer: int = -1) -> NDArray[np.float64]:
        inputs = self.tokenizer(text, return_tensors="pt")
        if type(self.model).__name__ == "XLNetModel":  # as it was trained: <cls> is a segment of its own
            inputs["token_type_ids"] = torch.tensor([[0] * (inputs["input_ids"].shape[1] - 1) + [2]])
        with torch.no_grad():
            states = self.model(**inputs, output_hidden_states=True).hidden_states
        hidden: NDArray[np.float64] = states[layer][0].numpy()
        return hidden

    def target(self, passage: Passage) -> list[int]:
        """As many tokens as the text has up to the word, and then up to its end; a lone mark of a space is not one."""
        before = self.tokenizer(passage.text[: passage.start].rstrip(), add_special_tokens=False)["input_ids"]
        until = self.tokenizer(passage.text[: passage.end], add_special_tokens=False)["input_ids"]
        ids = self.tokenizer(passage.text)["input_ids"]
        first = next(offset for offset in range(3) if ids[offset : offset + len(until)] == until)
        tokens = self.tokenizer.convert_ids_to_tokens(ids)
        return [place for place in range(first + len(before), first + len(until)) if tokens[place] not in ("▁", "Ġ")]

    def pooled(self, passage: Passage, pooling: str, layer: int = -1) -> NDArray[np.float64]:
        hidden = self.hidden(passage.text, layer)
        target = self.target(passage)
        cls = -1 if type(self.model).__name__ == "XLNetModel" else 0
        rows = {"cls": [cls], "last": [-1], "target_first": target[:1], "target_pooled": target}
        taken: NDArray[np.float64] = hidden[rows.get(pooling, list(range(len(hidden))))]
        pooled: NDArray[np.float64] = taken.max(axis=0) if pooling == "max" else taken.mean(axis=0)
        return pooled


def vectors(model: Embedder, passages: Sequence[Passage]) -> NDArray[np.float32]:
    embedded = model.embed(passages)
    assert embedded.lost == ()
    assert embedded.kept == tuple(range(len(passages)))
    return embedded.vectors


@pytest.mark.parametrize(
    ("architecture", "pooling"),
    [
        (architecture, pooling)
        for architecture in ARCHITECTURES
        for pooling in ("cls", "mean", "last", "max", "target_first", "target_pooled")
        if not (pooling == "cls" and architecture in DECODERS)  # see test_a_decoder_has_no_cls
    ],
)
def test_pooling_equals_the_reference(architecture: str, pooling: str, tiny_models: Folders) -> None:
    folder = tiny_models(architecture)
    reference = Reference(folder)
    expected = np.stack([reference.pooled(passage, pooling) for passage in PASSAGES])
    found = vectors(HuggingFaceEncoder.open(folder, pooling=pooling), PASSAGES)
    assert found.dtype == np.float32
    assert found.shape == expected.shape
    assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("architecture", ["bert", "roberta", "xlnet", "gpt2", "llama"])
@pytest.mark.parametrize("layer", range(LAYERS + 1))
def test_any_layer(architecture: str, layer: int, tiny_models: Folders) -> None:
    folder = tiny_models(architecture)
    reference = Reference(folder)
    expected = np.stack([reference.pooled(passage, "mean", layer) for passage in PASSAGES])
    from_below = vectors(HuggingFaceEncoder.open(folder, pooling="mean", layer=layer), PASSAGES)
    from_above = vectors(HuggingFaceEncoder.open(folder, pooling="mean", layer=layer - LAYERS - 1), PASSAGES)
    assert_allclose(from_below, expected, atol=1e-5)
    assert_allclose(from_above, from_below, atol=0)


def test_the_embedding_layer_knows_no_context(tiny_models: Folders) -> None:
    """Llama's embeddings hold neither position nor neighbours: the same word is the same vector."""
    texts = [marked("The *nurse* works"), marked("Nobody is here with the *nurse*")]
    embeddings = vectors(HuggingFaceEncoder.open(tiny_models("llama"), pooling="target_pooled", layer=0), texts)
    last = vectors(HuggingFaceEncoder.open(tiny_models("llama"), pooling="target_pooled"), texts)
    assert_allclose(embeddings[0], embeddings[1], atol=0)
    assert np.abs(last[0] - last[1]).max() > 0.01


@pytest.mark.parametrize("layer", [LAYERS + 1, -LAYERS - 2])
def test_a_layer_that_is_not_there(layer: int, tiny_models: Folders) -> None:
    with pytest.raises(ModelError, match=rf"no layer {layer}: it has 0 \(the embeddings\) to {LAYERS}"):
        HuggingFaceEncoder.open(tiny_models("bert"), layer=layer)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_the_batch_does_not_matter(architecture: str, tiny_models: Folders) -> None:
    folder = tiny_models(architecture)
    alone = vectors(HuggingFaceEncoder.open(folder, tokens_per_batch=1), PASSAGES)
    together = vectors(HuggingFaceEncoder.open(folder, tokens_per_batch=10_000), PASSAGES)
    backwards = vectors(HuggingFaceEncoder.open(folder, tokens_per_batch=40), PASSAGES[::-1])[::-1]
    assert_allclose(together, alone, atol=1e-5)
    assert_allclose(backwards, alone, atol=1e-5)


def test_what_stands_at_the_padding_takes_no_part() -> None:
    """Not even NaN, which some kinds of attention leave there."""
    hidden = torch.tensor([[[1.0, -4.0], [3.0, -2.0], [torch.nan, torch.inf]]])
    weights = torch.tensor([[0.5, 0.5, 0.0]])
    assert pool("mean", hidden, weights).tolist() == [[2.0, -3.0]]
    assert pool("max", hidden, weights).tolist() == [[3.0, -2.0]]


def test_half_precision_is_close_and_pooled_in_float32(tiny_models: Folders) -> None:
    full = vectors(HuggingFaceEncoder.open(tiny_models("bert")), PASSAGES)
    half = vectors(HuggingFaceEncoder.open(tiny_models("bert"), dtype="bfloat16"), PASSAGES)
    assert half.dtype == np.float32
    assert 1e-6 < np.abs(half - full).max() < 0.1


@pytest.mark.parametrize("architecture", DECODERS)
def test_a_decoder_has_no_cls(architecture: str, tiny_models: Folders) -> None:
    with pytest.raises(ModelError, match="no token that stands for the whole text"):
        HuggingFaceEncoder.open(tiny_models(architecture), pooling="cls")


@pytest.mark.parametrize(
    ("architecture", "head"), [*((name, "masked") for name in MASKED), *((name, "causal") for name in CAUSAL)]
)
def test_a_language_model_is_an_encoder_too(architecture: str, head: str, tiny_models: Folders) -> None:
    """Its checkpoint has a head that the encoder does not use, and lacks a pooler that the encoder does not use."""
    found = vectors(HuggingFaceEncoder.open(tiny_models(architecture, head)), PASSAGES)
    assert np.isfinite(found).all()
    assert np.linalg.matrix_rank(found - found.mean(axis=0), tol=1e-3) == len(PASSAGES) - 1


def test_an_encoder_decoder_gives_its_encoder(tmp_path: Path, tiny_models: Folders) -> None:
    import transformers

    folder = tiny_models("xlm-roberta")
    with huggingface.quiet(), torch.random.fork_rng(devices=[]):
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        config = transformers.AutoConfig.for_model(
            "t5",
            vocab_size=len(tokenizer),
            d_model=16,
            d_kv=4,
            d_ff=32,
            num_layers=2,
            num_heads=4,
            decoder_start_token_id=0,
        )
        auto: Any = transformers.AutoModel
        model = auto.from_config(config)
        model.eval()
        model.save_pretrained(tmp_path)
        tokenizer.save_pretrained(tmp_path)
    with torch.no_grad():
        hidden = model.encoder(**tokenizer(PASSAGES[1].text, return_tensors="pt")).last_hidden_state[0]
    found = vectors(HuggingFaceEncoder.open(tmp_path, pooling="mean"), PASSAGES)
    assert_allclose(found[1], hidden.mean(dim=0).numpy(), atol=1e-5)


@pytest.mark.parametrize("architecture", ["bert", "roberta", "gpt2"])
def test_a_text_too_long_is_lost_not_cut(architecture: str, tiny_models: Folders) -> None:
    tokenizer = huggingface.open_tokenizer(tiny_models(architecture))
    texts = [" ".join(["nurse"] * count) for count in range(1, MAX_TOKENS + 3)]
    lengths = [len(tokenizer(text, verbose=False)["input_ids"]) for text in texts]
    fits, longer = (Passage(texts[lengths.index(length)], "nurse", 0, 5) for length in (MAX_TOKENS, MAX_TOKENS + 1))
    embedded = HuggingFaceEncoder.open(tiny_models(architecture)).embed([longer, fits, longer])
    assert embedded.kept == (1,)
    reason = f"it has {MAX_TOKENS + 1} tokens; the model takes at most {MAX_TOKENS}"
    assert embedded.lost == ((0, reason), (2, reason))


def test_the_table_of_positions_limits_where_the_tokenizer_does_not(tiny_models: Folders) -> None:
    folder = tiny_models("roberta")
    tokenizer, model = huggingface.open_tokenizer(folder), huggingface.open_model(folder)
    tokenizer.model_max_length = 10**30
    assert huggingface.length_limit(tokenizer, model) == MAX_TOKENS
    model(input_ids=model.dummy_inputs["input_ids"].new_full((1, MAX_TOKENS), 9))
    with pytest.raises((IndexError, RuntimeError)):
        model(input_ids=model.dummy_inputs["input_ids"].new_full((1, MAX_TOKENS + 1), 9))


@pytest.mark.parametrize("pooling", ["mean", "target_pooled"])
def test_a_word_that_the_tokenizer_does_not_know_is_lost(pooling: str, tiny_models: Folders) -> None:
    """Every such word would have the one vector of [UNK]."""
    model = HuggingFaceEncoder.open(tiny_models("bert"), pooling=pooling)
    embedded = model.embed([marked("The *nurse*"), marked("The *Ω*"), marked("The Ω *nurse*")])
    assert embedded.kept == (0, 2)
    assert embedded.lost == ((1, "the tokenizer does not know 'Ω': it stands for nothing but 'unknown'"),)


def test_a_vector_that_is_not_finite_is_lost(tmp_path: Path, tiny_models: Folders) -> None:
    folder = Path(shutil.copytree(tiny_models("bert"), tmp_path / "bert"))
    weights = load_file(folder / "model.safetensors")
    weights["encoder.layer.1.output.LayerNorm.weight"] *= float("inf")
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    embedded = HuggingFaceEncoder.open(folder).embed(PASSAGES[:1])
    assert embedded.lost == ((0, "its vector is not finite in float32"),)


def test_nothing_in_nothing_out(tiny_models: Folders) -> None:
    embedded = HuggingFaceEncoder.open(tiny_models("bert")).embed([])
    assert (embedded.kept, embedded.lost, len(embedded.vectors)) == ((), (), 0)


def test_a_text_is_computed_once(tiny_models: Folders) -> None:
    counted: list[int] = []
    model = HuggingFaceEncoder.open(tiny_models("bert"), progress=lambda done, _total: counted.append(done))
    found = vectors(model, [*PASSAGES, *PASSAGES, PASSAGES[0]])
    assert max(counted) == len(PASSAGES)
    assert_allclose(found[: len(PASSAGES)], found[len(PASSAGES) : -1], atol=0)

    counted.clear()
    model.prepare(PASSAGES)
    model.embed(PASSAGES[:3])
    assert max(counted) == len(PASSAGES), "what was prepared is not computed again"

    counted.clear()
    model.embed([marked("This is *new*"), *PASSAGES])
    assert max(counted) == 1


def test_one_text_with_two_words_has_two_target_vectors(tiny_models: Folders) -> None:
    passages = [marked("The *woman* and the man"), marked("The woman and the *man*")]
    on_target = vectors(HuggingFaceEncoder.open(tiny_models("bert"), pooling="target_first"), passages)
    mean = vectors(HuggingFaceEncoder.open(tiny_models("bert"), pooling="mean"), passages)
    assert np.abs(on_target[0] - on_target[1]).max() > 0.01
    assert_allclose(mean[0], mean[1], atol=0)


def test_it_is_an_embedder_that_says_what_it_did(tiny_models: Folders) -> None:
    model = HuggingFaceEncoder.open(tiny_models("bert"), pooling="cls", layer=1)
    assert HuggingFaceEncoder.open(tiny_models("bert"), name="Tiny BERT").name == "Tiny BERT"
    assert isinstance(model, Embedder)
    assert model.name == "bert-base"
    assert model.settings == {
        "pooling": "cls",
        "layer": 1,
        "dtype": "float32",
        "max_tokens": MAX_TOKENS,
        "steps": [],
    }


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pooling": "man"}, "no pooling is called 'man'. Did you mean 'mean'"),
        ({"dtype": "float8"}, "no precision is called 'float8'. Choose one of: float32, bfloat16, float16"),
        ({"device": "abacus"}, "the device 'abacus' cannot be used"),
        ({"tokens_per_batch": 0}, "tokens_per_batch is 0"),
    ],
)
def test_a_bad_option_says_what_to_do(options: dict[str, Any], message: str, tiny_models: Folders) -> None:
    with pytest.raises(ModelError, match=message):
        HuggingFaceEncoder.open(tiny_models("bert"), **options)
