"""Every form of vector file gives the same vectors; what is no such file, or a damaged one, is refused in words."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tarfile
import tempfile
import unicodedata
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save

from tiltmeter.errors import InputError, TiltmeterError
from tiltmeter.models.base import Embedder, Vectors
from tiltmeter.models.static import StaticEmbedding

from .vector_files import (
    alone,
    binary,
    binary_without_breaks,
    fasttext_vec,
    glove,
    npy,
    safetensors,
    tabbed,
    word2vec,
    zipped,
)

DIMENSION = 7


def vectors_for(words: list[str]) -> Vectors:
    return np.random.default_rng(len(words)).normal(size=(len(words), DIMENSION)).astype(np.float32)


FORMS: list[Callable[[list[str], Vectors], bytes]] = [
    *(glove, word2vec, fasttext_vec, tabbed, binary, binary_without_breaks, npy, safetensors),
]
COMPRESSIONS: list[Callable[[bytes], bytes]] = [bytes, gzip.compress, lzma.compress, bz2.compress, zipped]


@pytest.mark.parametrize("compress", COMPRESSIONS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("form", FORMS, ids=lambda each: each.__name__)
def test_every_form_gives_the_same_vectors(
    form: Callable[[list[str], Vectors], bytes], compress: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    words = ["the", "Amy", "naïve", "中文", "of", ".", "</s>", "1984"]
    matrix = vectors_for(words)
    path = tmp_path / "some.name"  # which says nothing of its form
    path.write_bytes(compress(form(words, matrix)))
    (tmp_path / "words.txt").write_text("\n".join(words), encoding="utf-8")
    embedding = StaticEmbedding.open(path)
    assert isinstance(embedding, Embedder)
    embedded = embedding.embed(alone("1984", "absent", "中文", "naïve", "the"))
    assert embedded.kept == (0, 2, 3, 4)
    assert [position for position, _ in embedded.lost] == [1]
    np.testing.assert_array_equal(embedded.vectors, matrix[[7, 3, 2, 0]])
    assert embedding.dimension == DIMENSION
    assert embedding.words == len(words)


# A word of letters and signs, maybe of several pieces with single spaces between them; no digits, since "a 1" followed
# by numbers cannot be told from "a" with one number too many.
pieces = st.text(st.characters(exclude_categories=["C", "Z", "N"]), min_size=1, max_size=6)
spaced_words = st.lists(pieces, min_size=1, max_size=3).map(" ".join)


@given(words=st.lists(spaced_words, min_size=1, max_size=8, unique=True))
@example(words=[". . .", "at name@domain.com", "at"])
@example(words=["Nan", "inf"])
@settings(deadline=None)
def test_any_word_is_read_from_text_even_with_spaces_in_it(words: list[str]) -> None:
    # Two spellings that Unicode holds equal are one word.
    words = list({unicodedata.normalize("NFC", word): word for word in words}.values())
    if any(part.lower() in ("nan", "inf", "infinity") for word in words for part in word.split(" ")[1:]):
        return
    matrix = vectors_for(words)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "vectors")
        for form in (word2vec, tabbed):
            path.write_bytes(form(words, matrix))
            embedded = StaticEmbedding.open(path, lookup=("as is",), multiword="none").embed(alone(*words))
            np.testing.assert_array_equal(embedded.vectors, matrix, err_msg=form.__name__)


def test_the_published_words_of_glove_840b_are_read(shared: Path) -> None:
    path = shared / "data" / "glove-840b-caliskan-words.w2v.txt.xz"
    embedding = StaticEmbedding.open(path)
    embedded = embedding.embed(alone("abuse", "absent-word"))
    assert embedding.dimension == 300
    np.testing.assert_allclose(embedded.vectors[0, :3], [-0.87152, 0.40062, 0.20291], rtol=1e-6)
    assert embedding.words == 457


def test_a_long_file_is_read_across_its_blocks(tmp_path: Path) -> None:
    words = [f"word{number}" for number in range(30_000)]
    matrix = np.random.default_rng(0).normal(size=(len(words), 24)).astype(np.float32)
    calls: list[tuple[int, int]] = []
    wanted = range(0, len(words), 97)
    for form in (glove, binary):
        (path := tmp_path / "vectors.gz").write_bytes(gzip.compress(form(words, matrix), 1))
        embedding = StaticEmbedding.open(path, progress=lambda *call: calls.append(call))
        embedded = embedding.embed(alone(*(words[row] for row in wanted), "none"))
        np.testing.assert_array_equal(embedded.vectors, matrix[list(wanted)])
        assert calls[-1] == (path.stat().st_size, path.stat().st_size)


def test_the_first_of_two_equal_words_counts(tmp_path: Path) -> None:
    (path := tmp_path / "v").write_bytes(b"he 1 2\nshe 3 4\nhe 5 6\n")
    embedding = StaticEmbedding.open(path)
    np.testing.assert_array_equal(embedding.embed(alone("he", "it")).vectors, [[1, 2]])
    assert embedding.duplicates == 1


def test_a_word_passed_over_by_an_early_stop_is_found_later(tmp_path: Path) -> None:
    (path := tmp_path / "v").write_bytes(b"Amy 1 2\nBob 3 4\namy 5 6\n")
    embedding = StaticEmbedding.open(path)
    np.testing.assert_array_equal(embedding.embed(alone("Amy")).vectors, [[1, 2]])
    np.testing.assert_array_equal(embedding.embed(alone("amy")).vectors, [[5, 6]])


def test_spaces_and_tabs_may_be_mixed(tmp_path: Path) -> None:
    (path := tmp_path / "v").write_bytes(b"he 1\t2 \t\nshe\t3 4\n  it  5  6\n")
    np.testing.assert_array_equal(
        StaticEmbedding.open(path).embed(alone("he", "she", "it")).vectors, [[1, 2], [3, 4], [5, 6]]
    )


def test_words_that_are_not_utf8_do_no_harm(tmp_path: Path) -> None:
    for data in (b"2 2\n\xff\xfe\xe9 1 2\nhe 3 4\n", b"2 2\n\xff\xe9 " + bytes(8) + b"he " + bytes((0, 0, 64, 64)) * 2):
        (path := tmp_path / "v").write_bytes(data)
        assert StaticEmbedding.open(path).embed(alone("he")).vectors[0, 0] == 3


@pytest.mark.parametrize("name", ["v.json", "v.vocab"])
def test_a_vocabulary_may_be_json_or_have_counts(name: str, tmp_path: Path) -> None:
    matrix = vectors_for(["he", "she"])
    np.save(tmp_path / "v.npy", matrix)
    (tmp_path / name).write_text('{"she": 1, "he": 0}' if name == "v.json" else "he 512\nshe 40\n")
    embedded = StaticEmbedding.open(tmp_path / "v.npy").embed(alone("she"))
    np.testing.assert_array_equal(embedded.vectors, matrix[[1]])


TEXT = b"he 1 2\nshe 3 4\n"
NUMBERS = np.array([1, 2], "<f4").tobytes()
TAR = io.BytesIO()
with tarfile.open(fileobj=TAR, mode="w"):
    pass
BAD: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "nan": (b"he 1 nan\nshe 3 4\n", r":1: the vector of 'he' holds a number that is not finite"),
    "infinite": (b"he 1 2\nshe 3 -inf\n", r":2: the vector of 'she' holds a number that is not finite"),
    "too large for a float32": (b"he 1 2\nshe 3 1e99\n", r":2: .*not finite"),
    "nan in binary": (b"1 2\nhe " + np.array([1, np.nan], "<f4").tobytes(), "'he' holds a number that is not finite"),
    "a number too few": (b"he 1 2\nit 1 2\nshe 3\n", r":3: the vector of 'she' has 1 numbers, where others have 2"),
    "a number too many": (
        b"he 1 2\nit 1 2\nshe 3 4 5\n",
        r":3: the vector of 'she' has 3 numbers, where others have 2",
    ),
    "no number": (b"he 1 2\nit 1 2\nshe\n", r":3: the vector of 'she' has 0 numbers"),
    "a decimal comma": (b"he 1 2\nit 1 2\nshe 3,5 4\n", r":3: the vector of 'she' has '3,5' where a number should be"),
    "an underscore": (b"he 1 2\nit 1 2\nshe 1_0 4\n", r":3: .* '1_0' where a number should be"),
    "too few lines": (b"3 2\n" + TEXT, "promises 3 words, but the file holds 2.*cut short"),
    "too many lines": (b"1 2\n" + TEXT, "promises 1 words, but the file holds 2"),
    "header of another dimension": (b"2 3\n" + TEXT, ":1: the header says that vectors have 3 numbers"),
    "header alone": (b"2 3\n", "ends after its header"),
    "header of nothing": (b"0 2\n" + TEXT, "holds 0 words"),
    "header of monsters": (b"2 999999999\n" + bytes(99), "vectors have 999999999 numbers"),
    "a truncated binary": (b"2 2\nhe " + NUMBERS + b"she " + NUMBERS[:5], "2 words|word 2 of|take .* bytes at least"),
    "a truncated binary, packed": (gzip.compress(b"2 2\nhe " + NUMBERS + b"she\x00"), "middle of word 2 of the 2"),
    "a binary that goes on": (b"1 2\nhe " + NUMBERS + b"she " + NUMBERS, "goes on after the 1 words"),
    "a truncated gzip": (gzip.compress(TEXT * 99)[:-9], "cannot be decompressed"),
    "a truncated xz": (lzma.compress(TEXT * 99)[:-20], "cannot be decompressed"),
    "a truncated bz2": (bz2.compress(TEXT * 99)[:-9], "cannot be decompressed"),
    "a truncated zip": (zipped(TEXT)[:-30], "damaged zip"),
    "a line without end": (gzip.compress(b"a" * 5_000_000), "more than 2097152 bytes"),
    "a pickle": (b"\x80\x04\x95\x00gensim.models.keyedvectors", "save_word2vec_format"),
    "a web page": (b"\n<!DOCTYPE html><html><body>404</body></html>", "is a web page"),
    "an LFS pointer": (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "git lfs pull"),
    "a tar archive": (TAR.getvalue(), "unpack|tar archive|no vector file"),
    "prose": (b"It was a dark and stormy night.\nThe rain fell.\n", "lines do not end in numbers"),
    "noise": (bytes(range(256)) * 9, "no known form"),
    "UTF-16": (TEXT.decode().encode("utf-16"), "UTF-16"),
    "zstd": (b"\x28\xb5\x2f\xfd" + bytes(50), "zstd"),
    "an npy of objects": (npy([], np.array([[None]])), "not floats"),
    "an npy by columns": (npy([], np.asfortranarray(vectors_for(["a", "b"]))), "stored by columns"),
    "a truncated npy": (npy([], vectors_for(["a", "b"]))[:-1], "needs"),
    "an npy without words": (npy([], vectors_for(["a", "b"])), "the list of its words is missing"),
    "safetensors of two": (save({"a": np.eye(2), "b": np.eye(2)}), "holds 2 matrices of floats: a, b"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused_in_words(case: str, tmp_path: Path) -> None:
    data, message = BAD[case]
    (path := tmp_path / "vectors.txt").write_bytes(data)
    with pytest.raises(InputError, match=message) as caught:
        StaticEmbedding.open(path).embed(alone("he", "she", "it", "a", "absent"))
    assert str(path) in str(caught.value)


def test_a_folder_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this is a folder"):
        StaticEmbedding.open(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        StaticEmbedding.open(tmp_path / "nothing.txt")


def test_a_torch_file_and_a_full_archive_are_refused(tmp_path: Path) -> None:
    for names, message in [
        (["archive/data.pkl", "archive/version"], "PyTorch"),
        (["a.txt", "b.txt"], "of 2 files: a.txt"),
    ]:
        with zipfile.ZipFile(path := tmp_path / "v.zip", "w") as archive:
            for name in names:
                archive.writestr(name, TEXT)
        with pytest.raises(InputError, match=message):
            StaticEmbedding.open(path)


@pytest.mark.parametrize(("count", "message"), [(1, "has 1 words"), (3, "has more than 2 words")])
def test_a_vocabulary_of_another_length_is_refused(count: int, message: str, tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", vectors_for(["a", "b"]))
    words = [f"word{letter}" for letter in "abc"[:count]]
    for name, text in [("v.json", json.dumps(words)), ("v.txt", "\n".join(words) + "\n")]:
        (path := tmp_path / name).write_text(text)
        with pytest.raises(InputError, match=f"{name}: {message} .*matrix of 2 rows"):
            StaticEmbedding.open(tmp_path / "v.npy").embed(alone("worda", "x"))
        path.unlink()


def test_a_pickled_vocabulary_is_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", vectors_for(["a", "b"]))
    (tmp_path / "v.vocab").write_bytes(b"\x80\x04]\x94(e.")
    with pytest.raises(InputError, match="pickled vocabulary"):
        StaticEmbedding.open(tmp_path / "v.npy").embed(alone("a"))


SOUND = [form(["he", "she"], vectors_for(["he", "she"])) for form in FORMS]
STARTS = [b"", b"2 3\n", b"\xba\x16\x4f\x2f\x0c\0\0\0", b"\x93NUMPY\x01\0", b"\x40\0\0\0\0\0\0\0{", b"TILTVEC\x01"]
STARTS += [b"\x1f\x8b\x08", b"\xfd7zXZ\x00", b"BZh9", b"PK\x03\x04"]


@given(data=st.data())
@settings(deadline=None, max_examples=300)
def test_no_bytes_at_all_end_in_anything_but_an_answer_or_a_clear_error(data: st.DataObject) -> None:
    if data.draw(st.booleans()):
        content = data.draw(st.sampled_from(STARTS)) + data.draw(st.binary(max_size=200))
    else:  # a sound file with a few bytes changed, maybe cut short
        changed = bytearray(data.draw(st.sampled_from([*SOUND, *map(gzip.compress, SOUND), *map(zipped, SOUND)])))
        for _ in range(data.draw(st.integers(0, 4))):
            changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
        content = bytes(changed[: data.draw(st.integers(0, len(changed)))])
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "words.txt").write_text("he\nshe\n")
        (path := Path(folder, "v")).write_bytes(content)
        try:
            embedded = StaticEmbedding.open(path).embed(alone("he", "she", "absent"))
        except TiltmeterError:
            return
        assert len(embedded.kept) + len(embedded.lost) == 3
        assert np.isfinite(embedded.vectors).all()
