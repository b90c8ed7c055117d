"""What stands in a model's folder is checked before it is believed."""

from __future__ import annotations

import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from safetensors.torch import load_file, save_file

from tiltmeter.errors import InputError, ModelError
from tiltmeter.models import huggingface
from tiltmeter.models.encoder import HuggingFaceEncoder

from .passages import marked
from .tiny import build

Folders = Callable[..., Path]
PASSAGES = [marked("The *nurse* said"), marked("Here is a *woman*")]


@pytest.fixture
def folder(tiny_models: Folders, tmp_path: Path) -> Path:
    """A copy of tiny BERT to spoil."""
    return Path(shutil.copytree(tiny_models("bert"), tmp_path / "bert"))


def change(path: Path, **values: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | values), "utf-8")


def vectors(folder: Path | str) -> Any:
    return HuggingFaceEncoder.open(folder).embed(PASSAGES).vectors


def test_loading_is_quiet_and_changes_no_setting(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    from transformers.utils import logging as untyped

    logging: Any = untyped
    before = (logging.get_verbosity(), logging.is_progress_bar_enabled(), torch.get_rng_state().sum())
    vectors(folder)
    assert (logging.get_verbosity(), logging.is_progress_bar_enabled(), torch.get_rng_state().sum()) == before
    assert capfd.readouterr() == ("", "")


def test_torch_weights_give_the_same_vectors(folder: Path) -> None:
    expected = vectors(folder)
    torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    assert_allclose(vectors(folder), expected, atol=0)


def test_safetensors_come_first(folder: Path) -> None:
    (folder / "pytorch_model.bin").write_bytes(b"not even a pickle")
    assert np.isfinite(vectors(folder)).all()


class Bomb:
    """What a hostile file would do: run a command when it is unpickled."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> Any:
        return (os.mkdir, (str(self.target),))


@pytest.mark.parametrize("zipped", [True, False])
def test_nothing_is_unpickled(folder: Path, tmp_path: Path, zipped: bool) -> None:
    (folder / "model.safetensors").unlink()
    torch.save({"a": Bomb(tmp_path / "gone")}, folder / "pytorch_model.bin", _use_new_zipfile_serialization=zipped)
    with pytest.raises(ModelError, match="the model cannot be loaded"):
        vectors(folder)
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Bomb(tmp_path / "gone")))
    with pytest.raises(ModelError, match="the model cannot be loaded"):
        vectors(folder)
    assert not (tmp_path / "gone").exists()


def test_code_of_the_model_is_not_run(folder: Path, tmp_path: Path) -> None:
    (folder / "modeling_evil.py").write_text(f"import os; os.mkdir({str(tmp_path / 'gone')!r})\n", "utf-8")
    change(
        folder / "config.json",
        model_type="evil",
        auto_map={"AutoConfig": "modeling_evil.Config", "AutoModel": "modeling_evil.Model"},
    )
    with pytest.raises(ModelError, match=r"brings its own code.*read it, then pass trust_remote_code=True"):
        vectors(folder)
    assert not (tmp_path / "gone").exists()


def test_code_beside_a_known_model_is_passed_over(folder: Path, tmp_path: Path) -> None:
    expected = vectors(folder)
    (folder / "modeling_evil.py").write_text(f"import os; os.mkdir({str(tmp_path / 'gone')!r})\n", "utf-8")
    change(folder / "config.json", auto_map={"AutoModel": "modeling_evil.Model"})
    assert_allclose(vectors(folder), expected, atol=0)
    assert not (tmp_path / "gone").exists()


def test_a_configuration_may_not_choose_code_to_download(folder: Path) -> None:
    """An attention named owner/kernel would be fetched from the hub and run."""
    expected = vectors(folder)
    change(folder / "config.json", attn_implementation="somebody/kernel", _attn_implementation="somebody/kernel")
    assert_allclose(vectors(folder), expected, atol=0)


def test_weights_that_are_missing_are_not_made_up(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    lost = "encoder.layer.1.output.dense.weight"
    del weights[lost]
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    with pytest.raises(ModelError, match=rf"1 weights of its BertModel are not in the file \({lost}\).*random"):
        vectors(folder)


def test_an_unused_pooler_may_be_missing(folder: Path) -> None:
    expected = vectors(folder)
    weights = {key: value for key, value in load_file(folder / "model.safetensors").items() if "pooler" not in key}
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    assert_allclose(vectors(folder), expected, atol=0)


@pytest.mark.parametrize(
    ("spoil", "error", "message"),
    [
        (lambda f: (f / "model.safetensors").unlink(), ModelError, "there are no weights: none of model.safetensors"),
        (lambda f: (f / "model.safetensors").write_bytes(b"x" * 99), ModelError, "the model cannot be loaded"),
        (lambda f: (f / "config.json").write_text("{", "utf-8"), ModelError, "cannot be loaded"),
        (lambda f: (f / "config.json").write_text("{}", "utf-8"), ModelError, "cannot be loaded"),
        (lambda f: change(f / "config.json", hidden_size=16), ModelError, "the model cannot be loaded"),
        (lambda f: (f / "tokenizer.json").write_text("[]", "utf-8"), ModelError, "the tokenizer cannot be loaded"),
    ],
)
def test_a_spoilt_folder_says_so(
    folder: Path, spoil: Callable[[Path], Any], error: type[Exception], message: str
) -> None:
    spoil(folder)
    with pytest.raises(error, match=message):
        vectors(folder)


def test_shards_are_read_and_may_not_lie_elsewhere(folder: Path, tmp_path: Path) -> None:
    expected = vectors(folder)
    weights = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    names = sorted(weights)
    shards = {"model-00001-of-00002.safetensors": names[::2], "model-00002-of-00002.safetensors": names[1::2]}
    for shard, keys in shards.items():
        save_file({key: weights[key] for key in keys}, folder / shard, {"format": "pt"})
    index = folder / "model.safetensors.index.json"
    table = {key: shard for shard, keys in shards.items() for key in keys}
    index.write_text(json.dumps({"metadata": {}, "weight_map": table}), "utf-8")
    assert_allclose(vectors(folder), expected, atol=0)

    shutil.move(folder / "model-00002-of-00002.safetensors", tmp_path / "outside.safetensors")
    for elsewhere in (
        "../outside.safetensors",
        str(tmp_path / "outside.safetensors"),
        "model-00002-of-00002.safetensors",
    ):
        moved = {key: elsewhere if shard.startswith("model-00002") else shard for key, shard in table.items()}
        index.write_text(json.dumps({"metadata": {}, "weight_map": moved}), "utf-8")
        with pytest.raises(InputError, match="which is not in its folder"):
            vectors(folder)


def test_the_fingerprint_is_of_the_content(folder: Path, tmp_path: Path, tiny_models: Folders) -> None:
    def fingerprint(path: Path) -> str:
        return HuggingFaceEncoder.open(path).fingerprint

    first = fingerprint(folder)
    (folder / "README.md").write_text("Of no consequence.", "utf-8")
    assert fingerprint(folder) == fingerprint(tiny_models("bert")) == first

    other_weights = fingerprint(build(tmp_path / "other", "bert", seed=1))
    change(folder / "config.json", layer_norm_eps=1e-5)
    other_settings = fingerprint(folder)
    assert len({first, other_weights, other_settings}) == 3


def cached(tiny: Path, cache: Path, name: str) -> None:
    """Put a model where the hub's client keeps those that it has downloaded."""
    repository = cache / f"models--{name.replace('/', '--')}"
    commit = "0123456789abcdef0123456789abcdef01234567"
    shutil.copytree(tiny, repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs/main").write_text(commit, "utf-8")


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """No network, and an empty cache."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


def test_a_hub_name_is_found_in_the_cache(offline: Path, tiny_models: Folders) -> None:
    cached(tiny_models("bert"), offline, "somebody/tiny-bert")
    model = HuggingFaceEncoder.open("somebody/tiny-bert")
    assert model.name == "somebody/tiny-bert"
    assert_allclose(model.embed(PASSAGES).vectors, vectors(tiny_models("bert")), atol=0)


@pytest.mark.usefixtures("offline")
def test_a_hub_name_out_of_reach_says_what_to_do() -> None:
    with pytest.raises(ModelError, match=r"'somebody/tiny-bert'.*hf download somebody/tiny-bert\) and give the path"):
        HuggingFaceEncoder.open("somebody/tiny-bert")


def test_without_the_extra_the_error_names_it() -> None:
    """A fresh Python in which neither can be imported."""
    import subprocess
    import sys

    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from tiltmeter.models.load import load\n"
        "from tiltmeter.errors import ModelError\n"
        "try: load('somebody/model')\n"
        "except ModelError as error: print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'tiltmeter[lm]'" in run.stdout


def test_the_device_can_be_used() -> None:
    assert huggingface.pick_device("cpu").type == "cpu"
    assert huggingface.pick_device(None).type == (
        "cuda" if torch.cuda.is_available() else huggingface.pick_device(None).type
    )
