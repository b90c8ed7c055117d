"""The converted form: the same vectors, one fingerprint whatever they came from, written whole or not at all."""

from __future__ import annotations

import gzip
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from tiltmeter.cli.vectors import app
from tiltmeter.errors import InputError, TiltmeterError
from tiltmeter.models._streams import Stream
from tiltmeter.models._vector_convert import write_store
from tiltmeter.models._vector_formats import open_reader
from tiltmeter.models._vector_store import StoreReader
from tiltmeter.models.static import StaticEmbedding

from .vector_files import alone

TEXT = "he 1 2\nShe 3 4.5\n中文 5 6\n. . . 7 8\nhe 9 9\nnaïve -1 0.1\n"


def converted(source: Path, out: Path, *, half: bool = False) -> Path:
    with Stream(source) as stream:
        write_store(open_reader(stream), out, half=half)
    return out


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (path := tmp_path / "glove.txt").write_text(TEXT, encoding="utf-8")
    return path


@pytest.mark.parametrize("half", [False, True])
def test_the_same_words_have_the_same_vectors(source: Path, half: bool) -> None:
    words = alone("he", "she", "中文", ". . .", "naïve", "absent")
    original = StaticEmbedding.open(source).embed(words)
    model = StaticEmbedding.open(converted(source, source.with_name("v"), half=half))
    embedded = model.embed(words)
    assert (embedded.kept, embedded.lost) == (original.kept, original.lost)
    np.testing.assert_allclose(embedded.vectors, original.vectors, rtol=1e-3 if half else 0)
    assert model.found_as("she") == "title"
    assert (model.words, model.dimension) == (5, 2)


def test_the_fingerprint_is_that_of_the_vectors(source: Path) -> None:
    (packed := source.with_name("packed")).write_bytes(gzip.compress(source.read_bytes()))
    (headed := source.with_name("headed")).write_bytes(b"6 2\n" + source.read_bytes())
    (other := source.with_name("other")).write_text(TEXT.replace("4.5", "4.6"), encoding="utf-8")
    marks = [
        StaticEmbedding.open(converted(path, path.with_suffix(".tilt"))).fingerprint
        for path in (source, packed, headed, other)
    ]
    assert marks[0] == marks[1] == marks[2] != marks[3]
    assert StaticEmbedding.open(source).fingerprint != StaticEmbedding.open(other).fingerprint


def test_sub_words_are_kept(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(2 + 20, 3)).astype("<f4")
    data = struct.pack("<ii12id", 793712314, 12, 3, 5, 5, 1, 5, 1, 2, 2, 20, 2, 4, 100, 1e-4)
    data += struct.pack("<iiiqq", 2, 2, 0, 9, -1)
    data += b"".join(word + struct.pack("<xqb", 1, 0) for word in (b"she", b"he"))
    (path := tmp_path / "model.bin").write_bytes(data + struct.pack("<?qq", False, *rows.shape) + rows.tobytes())
    words = alone("he", "she", "unseen", "été")
    original, model = StaticEmbedding.open(path), StaticEmbedding.open(converted(path, tmp_path / "v"))
    np.testing.assert_array_equal(model.embed(words).vectors, original.embed(words).vectors)
    assert model.found_as("unseen") == "sub-words"


def test_a_conversion_that_fails_leaves_nothing_behind(source: Path) -> None:
    source.write_text(TEXT + "bad 1\n", encoding="utf-8")
    (out := source.with_name("v")).write_text("what was there before")
    with pytest.raises(InputError, match=":7: the vector of 'bad' has 1 numbers"):
        converted(source, out)
    assert out.read_text() == "what was there before"
    assert {path.name for path in source.parent.iterdir()} == {"glove.txt", "v"}
    source.write_text("he 1 70000\n")
    with pytest.raises(InputError, match="'he' is too large for float16"):
        converted(source, out, half=True)
    with pytest.raises(InputError, match="cannot be written"):
        converted(source, source.with_name("nowhere") / "v")


def test_a_change_is_noticed(source: Path) -> None:
    out = converted(source, source.with_name("v"))
    sound = out.read_bytes()
    out.write_bytes(sound[:4096] + b"\x01" + sound[4097:])
    with Stream(out) as stream:
        reader = open_reader(stream)
        assert isinstance(reader, StoreReader)
        with pytest.raises(InputError, match="content is not what its hash says"):
            reader.check()
    out.write_bytes(sound[:-1])
    with pytest.raises(InputError, match="header asks for"):
        StaticEmbedding.open(out)
    out.write_bytes(gzip.compress(sound))
    with pytest.raises(InputError, match="cannot be mapped"):
        StaticEmbedding.open(out)


@given(place=st.integers(0, 4300), value=st.integers(0, 255))
@settings(deadline=None, max_examples=200)
def test_no_changed_byte_ends_in_anything_but_an_answer_or_a_clear_error(place: int, value: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (path := Path(folder, "v.txt")).write_text(TEXT, encoding="utf-8")
        changed = bytearray(converted(path, Path(folder, "v")).read_bytes())
        place = place % 600 if place < 3000 else place % len(changed)  # the header, or what follows the zeros
        changed[place] = value
        (path := Path(folder, "v")).write_bytes(changed)
        try:
            embedded = StaticEmbedding.open(path).embed(alone("he", "She", "中文", ". . .", "naïve", "absent"))
        except TiltmeterError:
            return
        assert np.isfinite(embedded.vectors).all()


def test_the_commands_convert_and_describe(source: Path) -> None:
    out = source.with_name("v")
    result = CliRunner().invoke(app, ["convert", str(source), str(out)])
    assert result.exit_code == 0, result.output
    described = {}
    for path in (source, out):
        result = CliRunner().invoke(app, ["info", str(path), "--check", "--json"])
        assert result.exit_code == 0, result.output
        described[path.name] = json.loads(result.stdout)
    assert described["glove.txt"]["form"] == "GloVe text"
    assert described["glove.txt"]["words"] == 6  # lines; one word stands there twice
    assert described["v"] == {
        "form": "converted from GloVe text",
        "compression": "none",
        "words": 5,
        "dimension": 2,
        "sub_words": "no",
        "fingerprint": StaticEmbedding.open(out).fingerprint,
    }
    assert "GloVe text" in CliRunner().invoke(app, ["info", str(source)]).stdout


def test_static_embeddings_need_neither_torch_nor_transformers(source: Path) -> None:
    code = (
        "import sys\nfrom tiltmeter.models.static import StaticEmbedding\nimport tiltmeter.cli.vectors\n"
        f"assert StaticEmbedding.open({str(source)!r}).found_as('he') == 'as is'\n"
        "assert not {'torch', 'transformers', 'gensim'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
