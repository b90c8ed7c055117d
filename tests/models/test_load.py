"""Which model a path or a name stands for."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tiltmeter.errors import ModelError, TiltmeterError
from tiltmeter.models import KINDS
from tiltmeter.models.load import kind_of, load

from .passages import marked

Folders = Callable[..., Path]


@pytest.fixture
def precomputed(tmp_path: Path) -> Path:
    path = tmp_path / "vectors.npz"
    np.savez(path, text=np.array(["nurse"]), vector=np.array([[1.0, 2.0]]))
    return path


def test_a_folder_of_a_model_is_an_encoder(tiny_models: Folders) -> None:
    model = load(tiny_models("gpt2"), pooling="last", layer=1)
    assert (model.settings["pooling"], model.settings["layer"]) == ("last", 1)
    assert len(model.embed([marked("The *nurse*")]).kept) == 1


def test_texts_with_vectors_are_precomputed(precomputed: Path) -> None:
    assert load(precomputed).embed([marked("*nurse*")]).vectors.tolist() == [[1.0, 2.0]]
    assert load(str(precomputed), kind="precomputed").name == "vectors.npz"


@pytest.mark.parametrize("suffix", [".txt", ".vec", ".bin", ".npy", ".txt.gz", ".xz", ".zip", ""])
def test_any_other_file_holds_word_vectors(suffix: str, tmp_path: Path) -> None:
    (tmp_path / f"vectors{suffix}").write_text("nurse 1 2\n", "utf-8")
    assert kind_of(str(tmp_path / f"vectors{suffix}")) == "static"


def test_a_file_of_word_vectors_is_opened(tmp_path: Path) -> None:
    pytest.importorskip("tiltmeter.models.static")
    (tmp_path / "glove.txt").write_text("nurse 1 2\nman 3 4\n", "utf-8")
    assert load(tmp_path / "glove.txt").embed([marked("*man*")]).vectors.tolist() == [[3.0, 4.0]]


@pytest.mark.parametrize("name", ["google-bert/bert-base-uncased", "gpt2", "bert-base-uncased", "a/b.c_d-1"])
def test_a_name_of_the_hub(name: str) -> None:
    assert kind_of(name) == "encoder"


@pytest.mark.parametrize(
    "name",
    ["glove.txt", "nowhere/glove.6B.300d.txt", "./model", "../model", "/no/model", "a/b/c", "", " ", "~/model", "x\\y"],
)
def test_what_is_neither_a_path_nor_a_name(name: str) -> None:
    with pytest.raises(TiltmeterError, match=r"there is no file or folder|neither config\.json"):
        kind_of(name)


def test_a_slip_of_the_pen(precomputed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelError, match=r"there is no file or folder '.*vectros\.npz'\. Did you mean 'vectors\.npz'"):
        load(precomputed.with_name("vectros.npz"))
    with pytest.raises(ModelError, match=r"There is no folder 'nowhere' either"):
        load("nowhere/vectors.npz")
    monkeypatch.chdir(precomputed.parent)
    (precomputed.parent / "models" / "bert").mkdir(parents=True)
    with pytest.raises(ModelError, match=r"there is no file or folder 'models/bret'\. Did you mean 'bert'"):
        load("models/bret")
    with pytest.raises(ModelError, match=r"has neither config\.json"):
        load("models/bert")


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000])
def test_what_cannot_be_a_path(name: str) -> None:
    with pytest.raises(TiltmeterError, match=r"is no path|there is no file or folder"):
        load(name)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "encodre"}, "no kind of model is called 'encodre'. Did you mean 'encoder'"),
        ({"pooling": "cls"}, "the kind 'precomputed', which has no option 'pooling'. It has: name."),
    ],
)
def test_a_bad_option(options: dict[str, Any], message: str, precomputed: Path) -> None:
    with pytest.raises(ModelError, match=message):
        load(precomputed, **options)


def test_an_option_with_a_slip(tiny_models: Folders) -> None:
    with pytest.raises(ModelError, match=r"has no option 'poling'\. Did you mean 'pooling'"):
        load(tiny_models("bert"), poling="cls")


def test_the_kinds_are_listed() -> None:
    assert [kind.name for kind in KINDS] == ["static", "encoder", "precomputed"]


def test_only_an_encoder_imports_torch(precomputed: Path) -> None:
    code = (
        "import sys\n"
        "from tiltmeter.models.load import load\n"
        f"load({str(precomputed)!r})\n"
        "sys.exit(any(name in sys.modules for name in ('torch', 'transformers', 'pyarrow', 'rich')))\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
