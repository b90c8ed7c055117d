"""Folders of sentence-transformers: the pooling, and what follows it, as the folder says."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from safetensors.torch import save_file

from tiltmeter.errors import InputError, ModelError
from tiltmeter.lexicon.tests import Passage
from tiltmeter.models.encoder import HuggingFaceEncoder

from .passages import marked
from .tiny import MAX_TOKENS, WIDTH, build

Folders = Callable[..., Path]
PASSAGES = [marked("The *nurse* said that"), marked("*women*"), marked("Here is a *nursery*, and there is another.")]
PACKAGE = "sentence_transformers.models."


def pipeline(folder: Path, *modules: tuple[str, dict[str, Any]]) -> Path:
    """Write `modules` after the Transformer in `folder`."""
    entries = [{"idx": 0, "name": "0", "path": "", "type": f"{PACKAGE}Transformer"}]
    for number, (kind, config) in enumerate(modules, start=1):
        path = f"{number}_{kind}"
        entries.append({"idx": number, "name": str(number), "path": path, "type": PACKAGE + kind})
        (folder / path).mkdir()
        (folder / path / "config.json").write_text(json.dumps(config), "utf-8")
    (folder / "modules.json").write_text(json.dumps(entries), "utf-8")
    return folder


def pooling(*modes: str) -> tuple[str, dict[str, Any]]:
    known = ("cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken")
    return "Pooling", {"word_embedding_dimension": WIDTH} | {f"pooling_mode_{mode}": mode in modes for mode in known}


@pytest.fixture
def folder(tiny_models: Folders, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tiny_models("bert"), tmp_path / "bert"))


def vectors(folder: Path, passages: Sequence[Passage] = PASSAGES, **options: Any) -> NDArray[np.float32]:
    embedded = HuggingFaceEncoder.open(folder, **options).embed(passages)
    assert embedded.lost == ()
    return embedded.vectors


def hidden(folder: Path) -> list[NDArray[np.float32]]:
    import transformers

    from tiltmeter.models.huggingface import quiet

    with quiet(), torch.no_grad():
        tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder)
        model: Any = transformers.AutoModel.from_pretrained(folder)
        return [
            model(**tokenizer(passage.text, return_tensors="pt")).last_hidden_state[0].numpy() for passage in PASSAGES
        ]


@pytest.mark.parametrize(
    ("mode", "formula"),
    [
        ("cls_token", lambda h: h[0]),
        ("lasttoken", lambda h: h[-1]),
        ("max_tokens", lambda h: h.max(0)),
        ("mean_tokens", lambda h: h.mean(0)),
        ("mean_sqrt_len_tokens", lambda h: h.sum(0) / np.sqrt(len(h))),
        ("weightedmean_tokens", lambda h: np.average(h, axis=0, weights=range(1, len(h) + 1))),
    ],
)
def test_each_pooling(folder: Path, mode: str, formula: Callable[[Any], Any]) -> None:
    expected = [formula(states) for states in hidden(folder)]
    assert_allclose(vectors(pipeline(folder, pooling(mode))), expected, atol=1e-5)


def test_two_poolings_are_joined(folder: Path) -> None:
    """In the library's order, whatever the order in the file: first token, maximum, mean."""
    expected = [np.concatenate([states[0], states.mean(0)]) for states in hidden(folder)]
    assert_allclose(vectors(pipeline(folder, pooling("mean_tokens", "cls_token"))), expected, atol=1e-5)


def test_a_pooling_given_by_name(folder: Path) -> None:
    expected = [states[-1] for states in hidden(folder)]
    found = vectors(pipeline(folder, ("Pooling", {"embedding_dimension": WIDTH, "pooling_mode": "lasttoken"})))
    assert_allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("safe", [True, False])
def test_dense_and_normalize(folder: Path, safe: bool) -> None:
    """y = tanh(W x + b), then of length 1."""
    random = np.random.default_rng(0)
    weight, bias = random.normal(size=(5, WIDTH)).astype(np.float32), random.normal(size=5).astype(np.float32)
    dense = {
        "in_features": WIDTH,
        "out_features": 5,
        "bias": True,
        "activation_function": "torch.nn.modules.activation.Tanh",
    }
    pipeline(folder, pooling("mean_tokens"), ("Dense", dense), ("Dropout", {"dropout": 0.5}), ("Normalize", {}))
    tensors = {"linear.weight": torch.from_numpy(weight), "linear.bias": torch.from_numpy(bias)}
    if safe:
        save_file(tensors, folder / "2_Dense/model.safetensors")
    else:
        torch.save(tensors, folder / "2_Dense/pytorch_model.bin")
    raw = np.tanh(np.stack([states.mean(0) for states in hidden(folder)]) @ weight.T + bias)
    expected = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    model = HuggingFaceEncoder.open(folder)
    assert_allclose(model.embed(PASSAGES).vectors, expected, atol=1e-5)
    assert model.settings["steps"] == ["Dense", "Normalize"]

    before = model.fingerprint
    tensors["linear.bias"] += 1
    if safe:
        save_file(tensors, folder / "2_Dense/model.safetensors")
    else:
        torch.save(tensors, folder / "2_Dense/pytorch_model.bin")
    assert HuggingFaceEncoder.open(folder).fingerprint != before


def test_asked_for_a_pooling_it_is_a_plain_encoder(folder: Path) -> None:
    plain = vectors(folder, pooling="target_pooled")
    assert_allclose(
        vectors(pipeline(folder, pooling("mean_tokens"), ("Normalize", {})), pooling="target_pooled"), plain
    )


def test_an_old_folder_keeps_its_transformer_in_a_folder_of_its_own(tmp_path: Path, tiny_models: Folders) -> None:
    build(tmp_path / "0_Transformer", "bert")
    pipeline(tmp_path, pooling("mean_tokens"))
    modules = json.loads((tmp_path / "modules.json").read_text("utf-8"))
    modules[0]["path"] = "0_Transformer"
    (tmp_path / "modules.json").write_text(json.dumps(modules), "utf-8")
    assert_allclose(vectors(tmp_path), vectors(tiny_models("bert"), pooling="mean"), atol=0)
    assert len(HuggingFaceEncoder.open(tmp_path).fingerprint) == 64


def test_its_limit_and_its_lower_case(tmp_path: Path) -> None:
    """RoBERTa's tokenizer keeps case; "İ" in lower case is two characters, which would move the word after it."""
    folder = pipeline(build(tmp_path, "roberta"), pooling("mean_tokens"))
    cased = vectors(folder, [marked("THE *NURSE*"), marked("the *nurse*")])
    written_low = vectors(folder, [marked("İİİİİİ *nurse* man")], pooling="target_pooled")
    (folder / "sentence_roberta_config.json").write_text('{"max_seq_length": 40, "do_lower_case": true}', "utf-8")
    lowered = vectors(folder, [marked("THE *NURSE*"), marked("the *nurse*")])
    assert_allclose(lowered[0], lowered[1], atol=0)
    assert np.abs(cased[0] - cased[1]).max() > 0.01
    made_low = vectors(folder, [marked("İİİİİİ *NURSE* man")], pooling="target_pooled")
    assert_allclose(made_low, written_low, atol=0)

    embedded = HuggingFaceEncoder.open(folder).embed([marked("The *nurse* " + "nurse " * 40)])
    assert "the model takes at most 40" in embedded.lost[0][1]


def spoil(folder: Path, **changes: Any) -> None:
    modules = json.loads((folder / "modules.json").read_text("utf-8"))
    modules[1].update(changes)
    (folder / "modules.json").write_text(json.dumps(modules), "utf-8")


@pytest.mark.parametrize("path", ["../elsewhere", "/", "1_Pooling/../../elsewhere", "a\0b"])
def test_a_module_outside_the_folder(folder: Path, path: str) -> None:
    shutil.copytree(pipeline(folder, pooling("mean_tokens")) / "1_Pooling", folder.parent / "elsewhere")
    spoil(folder, path=path)
    with pytest.raises(InputError, match="leads out of the model's folder"):
        vectors(folder)


def test_a_link_out_of_the_folder(folder: Path) -> None:
    shutil.move(pipeline(folder, pooling("mean_tokens")) / "1_Pooling", folder.parent / "elsewhere")
    (folder / "1_Pooling").symlink_to(folder.parent / "elsewhere")
    with pytest.raises(InputError, match="leads out of the model's folder"):
        vectors(folder)


@pytest.mark.parametrize(
    ("write", "message"),
    [
        ("{}", "should hold a list of modules"),
        ('[{"type": "Transformer"}]', "should hold a list of modules"),
        ("[", "is not JSON"),
        ("[]", r"begins with the modules \(none\)"),
        ('[{"type": "x.CLIPModel", "path": ""}]', "begins with the modules CLIPModel"),
        ("[" * 100_000, "is nested too deeply"),
    ],
)
def test_bad_modules(folder: Path, write: str, message: str) -> None:
    (folder / "modules.json").write_text(write, "utf-8")
    with pytest.raises(InputError, match=message):
        vectors(folder)


def test_what_is_not_known_is_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the module 'LSTM' is not known"):
        vectors(pipeline(folder, pooling("mean_tokens"), ("LSTM", {})))
    with pytest.raises(InputError, match="names no pooling that is known"):
        vectors(pipeline(build(tmp_path / "none", "bert"), pooling()))
    dense = {"in_features": WIDTH, "out_features": 2, "activation_function": "os.system"}
    with pytest.raises(InputError, match="the activation 'system' is not known"):
        vectors(pipeline(build(tmp_path / "activation", "bert"), pooling("cls_token"), ("Dense", dense)))
    wrong = pipeline(
        build(tmp_path / "shape", "bert"), pooling("cls_token"), ("Dense", dense | {"activation_function": "Tanh"})
    )
    save_file({"linear.weight": torch.zeros(3, WIDTH)}, wrong / "2_Dense/model.safetensors")
    with pytest.raises(ModelError, match=r"the weights have the shape \(3, 32\)"):
        vectors(wrong)


def test_a_prompt_of_its_own_is_refused(folder: Path) -> None:
    pipeline(folder, pooling("mean_tokens"))
    prompts: dict[str, Any] = {"prompts": {"query": "query: "}, "default_prompt_name": None}
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts), "utf-8")
    assert len(vectors(folder)) == len(PASSAGES)
    prompts["default_prompt_name"] = "query"
    (folder / "config_sentence_transformers.json").write_text(json.dumps(prompts), "utf-8")
    with pytest.raises(ModelError, match="puts a prompt of its own"):
        vectors(folder)


def test_the_limit_is_the_smaller(folder: Path) -> None:
    pipeline(folder, pooling("mean_tokens"))
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 100000}', "utf-8")
    assert HuggingFaceEncoder.open(folder).settings["max_tokens"] == MAX_TOKENS


class TestMiniLM:
    """all-MiniLM-L6-v2, a real encoder."""

    def similarities(self, folder: Path, *texts: str) -> NDArray[np.float32]:
        found = vectors(folder, [Passage(text, text.split()[0], 0, len(text.split()[0])) for text in texts])
        assert found.shape == (len(texts), 384)
        assert_allclose(np.linalg.norm(found, axis=1), 1, atol=1e-6)
        product: NDArray[np.float32] = found @ found.T
        return product

    def test_published_similarities(self, minilm: Path) -> None:
        """What the model's authors print: in the quickstart of sentence-transformers' documentation,"""
        found = self.similarities(
            minilm, "The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."
        )
        published = [[1.0000, 0.6660, 0.1046], [0.6660, 1.0000, 0.1411], [0.1046, 0.1411, 1.0000]]
        assert_allclose(found, published, atol=5.1e-5)

    def test_published_similarities_of_the_hub(self, minilm: Path) -> None:
        """and in the Hugging Face hub's documentation of the sentence-similarity task."""
        found = self.similarities(
            minilm,
            "That is a happy person",
            "That is a happy dog",
            "That is a very happy person",
            "Today is a sunny day",
        )
        assert_allclose(found[0, 1:], [0.6945773363113403, 0.9429150819778442, 0.2568760812282562], atol=1e-5)

    def test_its_limit_is_the_one_it_was_trained_with(self, minilm: Path) -> None:
        """Its tokenizer.json would cut at 128 tokens and pad to 128: neither is done."""
        model = HuggingFaceEncoder.open(minilm)
        assert model.settings["max_tokens"] == 256
        long = [Passage("word " * count + "end", "end", 5 * count, 5 * count + 3) for count in (150, 200, 300)]
        embedded = model.embed(long)
        assert embedded.kept == (0, 1)
        assert np.abs(embedded.vectors[0] - embedded.vectors[1]).max() > 1e-3
