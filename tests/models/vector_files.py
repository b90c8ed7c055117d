"""Small writers of vector files, one for each form, and the passages that ask for words."""

from __future__ import annotations

import io
import zipfile

import numpy as np
from safetensors.numpy import save

from tiltmeter.lexicon.tests import Passage
from tiltmeter.models.base import Vectors


def alone(*words: str) -> list[Passage]:
    return [Passage(word, word, 0, len(word)) for word in words]


def glove(words: list[str], matrix: Vectors) -> bytes:
    lines = (" ".join([word, *map(repr, row)]) for word, row in zip(words, matrix.tolist(), strict=True))
    return "".join(line + "\n" for line in lines).encode()


def word2vec(words: list[str], matrix: Vectors) -> bytes:
    return f"{len(words)} {matrix.shape[1]}\n".encode() + glove(words, matrix)


def fasttext_vec(words: list[str], matrix: Vectors) -> bytes:
    return word2vec(words, matrix).replace(b"\n", b" \n").replace(b" \n", b"\n", 1)


def tabbed(words: list[str], matrix: Vectors) -> bytes:
    lines = (word + "\t" + "\t".join(map(repr, row)) for word, row in zip(words, matrix.tolist(), strict=True))
    return "\r\n".join(lines).encode()


def binary(words: list[str], matrix: Vectors, end: bytes = b"\n") -> bytes:
    rows = (word.encode() + b" " + row.astype("<f4").tobytes() + end for word, row in zip(words, matrix, strict=True))
    return f"{len(words)} {matrix.shape[1]}\n".encode() + b"".join(rows)


def binary_without_breaks(words: list[str], matrix: Vectors) -> bytes:
    return binary(words, matrix, b"")


def npy(_words: list[str], matrix: Vectors) -> bytes:
    file = io.BytesIO()
    np.save(file, matrix)
    return file.getvalue()


def safetensors(_words: list[str], matrix: Vectors) -> bytes:
    return save({"vectors": matrix})


def zipped(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/vectors.txt", data)
    return file.getvalue()
