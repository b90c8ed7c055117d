"""The list of words that stands beside a bare matrix: one a line, or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tiltmeter.errors import InputError
from tiltmeter.models._streams import Stream
from tiltmeter.models._vector_entry import MAX_WORD, MAX_WORDS

_MAX_JSON = 1 << 28
_COMPRESSIONS = ("", ".gz", ".xz", ".bz2", ".zip")
_OWN_ENDINGS = (".vocab", ".words", ".txt", ".words.txt", ".vocab.txt", ".json", ".vocab.json", ".words.json")
_FOLDER_NAMES = ("words.txt", "vocab.txt", "words.json", "vocab.json")
_COUNTED = re.compile(rb"(\S.*?)[ \t]+[0-9]+")  # word2vec's -save-vocab: a word and how often it occurred


def find_word_list(matrix: Path) -> Path:
    """The word list of a matrix: of the same name, else the one of its folder."""
    stems = [matrix.name]
    while (stem := Path(stems[-1]).stem) != stems[-1]:
        stems.append(stem)
    names = [stem + ending for stem in stems for ending in _OWN_ENDINGS] + list(_FOLDER_NAMES)
    for name in names:
        for compression in _COMPRESSIONS:
            if (path := matrix.with_name(name + compression)).is_file() and path != matrix:
                return path
    raise InputError(
        "is a matrix, and the list of its words is missing.",
        where=matrix,
        hint=f"Put the words of its rows, one a line, into {matrix.with_name('words.txt').name} beside it.",
    )


def read_words(path: Path, rows: int) -> Iterator[bytes]:
    """The words of a matrix with `rows` rows, in their order; any other number of words is refused."""
    count = 0
    with Stream(path) as stream:
        if stream.peek(2)[:1] == b"\x80":
            raise InputError(
                "is a pickled vocabulary; Tiltmeter unpickles nothing.",
                where=path,
                hint="Write its words to words.txt beside the matrix, one a line.",
            )
        words = _json_words(stream, rows) if stream.peek(64).lstrip()[:1] in (b"{", b"[") and _is_json(path) else None
        for word in words if words is not None else _lines(stream):
            count += 1
            if count > rows:
                break
            yield word
    if count != rows:
        raise InputError(
            f"has {'more than ' if count > rows else ''}{min(count, rows)} words for a matrix of {rows} rows.",
            where=path,
            hint="There must be one word for each row.",
        )


def _is_json(path: Path) -> bool:
    # "{" and "[" are also words that may come first in a vocabulary, so that here the name decides.
    return ".json" in path.suffixes


def _lines(stream: Stream) -> Iterator[bytes]:
    first = stream.peek(1 << 16)
    if first.startswith(b"\xef\xbb\xbf"):
        stream.skip(3)
    sample = [line.rstrip() for line in first.split(b"\n")[:100] if line.strip()]
    if len(first) == 1 << 16 and len(sample) < 100:
        sample = sample[:-1]
    counted = bool(sample) and all(map(_COUNTED.fullmatch, sample))
    number, rest = 0, b""
    while block := stream.some():
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            number += 1
            yield _word(line, counted, number, stream.path)
        if len(rest) > MAX_WORD:
            raise InputError(f"has a word of more than {MAX_WORD} bytes.", where=stream.path, line=number + 1)
    if rest:
        yield _word(rest, counted, number + 1, stream.path)


def _word(line: bytes, counted: bool, number: int, path: Path) -> bytes:
    line = line.removesuffix(b"\r")
    if not counted:
        return line
    found = _COUNTED.fullmatch(line.rstrip())
    if found is None:
        raise InputError("has no count, as the lines before it have.", where=path, line=number)
    return found[1]


def _json_words(stream: Stream, rows: int) -> list[bytes]:
    """A list of words, or an object that gives each word its row."""
    path = stream.path
    text = stream.peek(_MAX_JSON + 1)
    if len(text) > _MAX_JSON:
        raise InputError(f"is larger than {_MAX_JSON} bytes.", where=path, hint="Write the words one a line instead.")
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON: {error}.", where=path, hint="Write the words one a line instead.") from None
    if isinstance(value, dict):
        by_row = {row: word for word, row in value.items() if type(row) is int}
        if len(by_row) != len(value) or any(not 0 <= row < min(len(value), MAX_WORDS) for row in by_row):
            raise InputError(
                f"does not give each word a row of its own from 0 to {rows - 1}.",
                where=path,
                hint='It should look like {"the": 0, "of": 1}.',
            )
        value = [by_row[row] for row in range(len(by_row))]
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise InputError("is not a list of words.", where=path, hint='It should look like ["the", "of"].')
    return [word.encode("utf-8", "surrogatepass") for word in value]
