"""fastText's binary form: words that it holds, and words that it builds from their n-grams."""

from __future__ import annotations

import gzip
import struct
from pathlib import Path

import numpy as np
import pytest

from tiltmeter.errors import InputError
from tiltmeter.models._subwords import Subwords, fnv1a
from tiltmeter.models.base import Vectors
from tiltmeter.models.static import StaticEmbedding

from .vector_files import alone

BUCKET = 50


def fasttext_bin(
    words: list[str],
    matrix: Vectors,
    *,
    labels: tuple[str, ...] = (),
    version: int = 12,
    minn: int = 3,
    maxn: int = 4,
    quantised: bool = False,
    pruned: int = -1,
) -> bytes:
    rows, dimension = matrix.shape
    model = 3 if labels else 2
    data = struct.pack("<ii", 793712314, version)
    data += struct.pack("<12id", dimension, 5, 5, 1, 5, 1, 2, model, BUCKET, minn, maxn, 100, 1e-4)
    data += struct.pack("<iiiqq", len(words) + len(labels), len(words), len(labels), 99, pruned)
    for kind, names in enumerate((words, labels)):
        for name in names:
            data += name.encode() + b"\0" + struct.pack("<qb", 7, kind)
    return data + struct.pack("<?qq", quantised, rows, dimension) + matrix.astype("<f4").tobytes() + b"\0the output"


def test_the_hash_is_fnv1a_with_signed_bytes() -> None:
    # Published test vectors of FNV-1a in 32 bits.
    assert fnv1a(b"") == 0x811C9DC5
    assert fnv1a(b"a") == 0xE40C292C
    assert fnv1a(b"foobar") == 0xBF9CF968
    # By hand: 0x811C9DC5 xor 0xFFFFFFC3 (C3 as a signed char, widened) = 0x7EE36206; times 0x01000193, modulo 2^32.
    # Without the sign it would be 0x811C9D06 times the prime.
    assert fnv1a(b"\xc3") == 3_321_057_138
    assert fnv1a(b"\xc3") != 0x811C9D06 * 0x01000193 % 2**32


def test_the_ngrams_are_counted_in_characters_between_marks() -> None:
    grams = Subwords(3, 6, BUCKET).ngrams(b"where")  # the example of the paper, n = 3
    assert [gram for gram in grams if len(gram) == 3] == [b"<wh", b"whe", b"her", b"ere", b"re>"]
    assert b"<where" in grams
    assert b"<where>" not in grams
    assert Subwords(1, 2, BUCKET).ngrams("né".encode()) == [b"<n", b"n", "né".encode(), "é".encode(), "é>".encode()]


@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_vector_is_the_mean_of_the_word_and_its_ngrams(compress: type[bytes], tmp_path: Path) -> None:
    words = ["</s>", "hé", "it"]
    matrix = np.random.default_rng(1).normal(size=(len(words) + BUCKET, 5)).astype(np.float32)
    (path := tmp_path / "model.bin").write_bytes(compress(fasttext_bin(words, matrix)))

    def ngram(text: str) -> Vectors:
        row: Vectors = matrix[len(words) + fnv1a(text.encode()) % BUCKET]
        return row

    expected = [
        np.mean([matrix[1], ngram("<hé"), ngram("hé>"), ngram("<hé>")], axis=0),
        matrix[0],  # the end of a sentence has no n-grams
        np.mean([ngram("<ab"), ngram("ab>"), ngram("<ab>")], axis=0),
    ]
    model = StaticEmbedding.open(path, multiword="none")
    embedded = model.embed(alone("hé", "</s>", "ab"))
    np.testing.assert_allclose(embedded.vectors, expected, rtol=1e-5, atol=1e-6)
    assert [model.found_as(word) for word in ("hé", "HÉ", "</s>", "ab")] == ["as is", "lower", "as is", "sub-words"]
    # A word found in another case is not built.
    np.testing.assert_array_equal(model.embed(alone("HÉ")).vectors, embedded.vectors[:1])


def test_a_supervised_model_has_words_beside_its_labels(tmp_path: Path) -> None:
    matrix = np.random.default_rng(1).normal(size=(2 + BUCKET, 4)).astype(np.float32)
    for version, maxn in ((12, 0), (11, 4)):  # version 11 used no n-grams here, whatever it says
        data = fasttext_bin(["he", "she"], matrix, labels=("__label__a",), version=version, maxn=maxn)
        (path := tmp_path / "model.bin").write_bytes(data)
        model = StaticEmbedding.open(path)
        np.testing.assert_array_equal(model.embed(alone("she")).vectors, matrix[[1]])
        assert model.embed(alone("__label__a", "new")).kept == ()


SOUND = fasttext_bin(["he", "she"], np.ones((2 + BUCKET, 4), np.float32))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (fasttext_bin(["he"], np.ones((9, 4), np.float32), quantised=True), "quantised"),
        (fasttext_bin(["he"], np.ones((9, 4), np.float32), pruned=3), "quantised"),
        (fasttext_bin(["he"], np.ones((9, 4), np.float32), version=13), "version 13"),
        (fasttext_bin(["he"], np.ones((99, 4), np.float32)), "matrix of 99 × 4 for 1 words"),
        (fasttext_bin(["he"], np.ones((2, 4), np.float32)), "matrix of 2 rows, of which row"),
        (fasttext_bin(["he"], np.full((51, 4), np.nan, np.float32)), "'he' holds a number that is not finite"),
        (SOUND[:30], "middle of its header"),
        (SOUND[:108], "middle of word 2 of 2"),
        (SOUND[:-100], "middle of its matrix"),
        (gzip.compress(SOUND[:-500], mtime=0), "middle of its matrix"),
    ],
)
def test_damaged_and_quantised_models_are_refused(data: bytes, message: str, tmp_path: Path) -> None:
    (path := tmp_path / "model.bin").write_bytes(data)
    with pytest.raises(InputError, match=message):
        StaticEmbedding.open(path).embed(alone("he", "unseen"))


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_gensim_gives_the_same_vectors(tmp_path: Path) -> None:
    fasttext = pytest.importorskip("gensim.models.fasttext")
    sentences = [["der", "straße", "été", "中文", "running", "cat"], ["naïve", "cat", "dogs", "der", "x"]] * 20
    trained = fasttext.FastText(
        sentences, vector_size=12, min_count=1, bucket=300, min_n=2, max_n=5, epochs=2, seed=1, workers=1
    )
    fasttext.save_facebook_model(trained, str(tmp_path / "model.bin"))
    words = ["straße", "été", "中文", "x", "cats", "Überstraße", "日本", "q"]
    embedded = StaticEmbedding.open(tmp_path / "model.bin", lookup=("as is",)).embed(alone(*words))
    assert not embedded.lost
    np.testing.assert_allclose(embedded.vectors, [trained.wv[word] for word in words], atol=1e-5)
