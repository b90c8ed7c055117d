"""Vectors as text: word2vec and fastText `.vec` with a header of two counts, GloVe without.

A line is a word, a space, and the numbers. Only lines that may hold a wanted word are looked into: of every other line
no more is read than its first token. GloVe 840B has words with spaces in them, so that a line's word is whatever stands
before its last `dimension` fields.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator

import numpy as np

from tiltmeter.errors import InputError
from tiltmeter.models._streams import Stream
from tiltmeter.models._vector_entry import CUT_SHORT, MAX_WORDS, Entry, check_finite, check_shape, shown
from tiltmeter.models.base import Vectors

MAX_LINE = 1 << 21
_SAMPLE_LINES = 100
_HEADER = re.compile(rb"\s*([0-9]{1,12})[ \t]+([0-9]{1,12})\s*")
_NUMBER = re.compile(rb"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?(?i:nan|inf(?:inity)?)")


class TextReader:
    """A text of vectors."""

    has_subwords = False

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self.words: int | None = None
        head = stream.peek(MAX_LINE)
        self._skipped = 3 if head.startswith(b"\xef\xbb\xbf") else 0
        lines = head[self._skipped :].split(b"\n")
        if len(head) == MAX_LINE:
            lines.pop()
        header = header_counts(lines[0]) if len(lines) > 1 else None
        body = [line for line in lines[1 if header else 0 :] if line.strip()][:_SAMPLE_LINES]
        if not body and len(head) == MAX_LINE:
            raise self._too_long(2 if header else 1)
        self.dimension, self._promised, self._lines_before = self._shape(header, lines[0], body)
        self.form = "GloVe text" if self._promised is None else "word2vec text"
        if self._promised is not None:
            self._skipped += len(lines[0]) + 1
            self.words = self._promised
        # Tabs, and spaces before a word, are rare, and cost the quick way of finding it.
        self._irregular = b"\t" in head or b"\n " in head or head.startswith(b" ")

    def entries(self, wanted: Collection[bytes], unknown: Collection[bytes] = ()) -> Iterator[Entry]:  # noqa: ARG002
        wanted = frozenset(wanted)
        return self._scan(frozenset(_first_token(word) for word in wanted), wanted)

    def rows(self) -> Iterator[Entry]:
        return self._scan(None, None)

    def _scan(self, first_tokens: frozenset[bytes | None] | None, wanted: frozenset[bytes] | None) -> Iterator[Entry]:
        self._stream.skip(self._skipped)
        irregular, number, blank = self._irregular, self._lines_before, 0
        rest = b""
        while True:
            block = self._stream.some()
            text = rest + block if block else rest + b"\n" * bool(rest)
            find, start = text.find, 0
            while (end := find(b"\n", start)) >= 0:
                number += 1
                if irregular:
                    token = _first_token(text[start:end])
                else:
                    cut = find(b" ", start, end)
                    token = text[start:cut] if cut >= 0 else None
                if first_tokens is None or token is None or token in first_tokens:
                    line = text[start:end]
                    if not line.strip():
                        blank += 1
                    elif (entry := self._entry(line, token, number)) and (wanted is None or entry.word in wanted):
                        yield entry
                start = end + 1
            rest = text[start:]
            if len(rest) > MAX_LINE:
                raise self._too_long(number + 1)
            if number > MAX_WORDS:
                raise InputError(f"has more than {MAX_WORDS} lines.", where=self._stream.path)
            if not block:
                break
        self._check_count(number - self._lines_before - blank)

    def _entry(self, line: bytes, token: bytes | None, number: int) -> Entry:
        fields = line.rsplit(None, self.dimension)
        if len(fields) <= self.dimension:
            raise self._wrong_dimension(line, len(fields) - 1, number)
        word = fields[0].strip()
        # More numbers than there should be look like a word with spaces; a word of numbers alone is taken for an error.
        if word != token and (extra := word.split()[1:]) and all(map(_NUMBER.fullmatch, extra)):
            raise self._wrong_dimension(line, self.dimension + len(extra), number)
        vector = self._numbers(word, fields[1:], number)
        check_finite(vector, word, self._stream.path, line=number)
        return Entry(word, vector)

    def _numbers(self, word: bytes, fields: list[bytes], number: int) -> Vectors:
        try:
            with np.errstate(over="ignore"):
                vector = np.array(list(map(float, fields)), dtype=np.float64).astype(np.float32)
        except ValueError:
            vector = None
        # Python also reads 1_000, which no writer of vectors means.
        if vector is None or any(b"_" in field for field in fields):
            wrong = next(field for field in fields if not _NUMBER.fullmatch(field))
            raise InputError(
                f"the vector of {shown(word)} has {shown(wrong)} where a number should be.",
                where=self._stream.path,
                line=number,
                hint=f"Every line must be a word and {self.dimension} numbers, with spaces between them.",
            )
        return vector

    def _shape(self, header: tuple[int, int] | None, first: bytes, body: list[bytes]) -> tuple[int, int | None, int]:
        """Dimension, words promised, and lines before the first word."""
        counts = Counter(count for line in body if (count := _trailing_numbers(line)))
        if header and header[1] != 1 and set(counts) == {1} and _trailing_numbers(first) == 1:
            header = None  # vectors of one number, the first word of which is a number
        if header is not None:
            check_shape(*header, self._stream.path, line=1)
            if not body:
                raise InputError(
                    f"ends after its header, which promises {header[0]} words.", where=self._stream.path, hint=CUT_SHORT
                )
            if counts and header[1] not in counts:
                here = _trailing_numbers(body[0])
                raise InputError(
                    f"the header says that vectors have {header[1]} numbers, but those that follow have {here}.",
                    where=self._stream.path,
                    line=1,
                    hint="Correct the header, or take it out.",
                )
            return header[1], header[0], 1
        if not counts:
            raise InputError(
                "is not a file of word vectors: its lines do not end in numbers.",
                where=self._stream.path,
                hint="Tiltmeter reads word2vec, GloVe and fastText files, and .npy or safetensors with a word list.",
            )
        dimension = counts.most_common(1)[0][0]
        check_shape(1, dimension, self._stream.path)
        return dimension, None, 0

    def _check_count(self, count: int) -> None:
        if self._promised is not None and count != self._promised:
            raise InputError(
                f"the header promises {self._promised} words, but the file holds {count}.",
                where=self._stream.path,
                line=1,
                hint=CUT_SHORT if count < self._promised else "Correct the header, or take it out.",
            )
        self.words = count

    def _wrong_dimension(self, line: bytes, count: int, number: int) -> InputError:
        return InputError(
            f"the vector of {shown(line.split(None, 1)[0])} has {count} numbers, where others have {self.dimension}.",
            where=self._stream.path,
            line=number,
            hint="The line is damaged, or the file was cut short: fetch it again.",
        )

    def _too_long(self, number: int) -> InputError:
        return InputError(
            f"has a line of more than {MAX_LINE} bytes, which is no word and its vector.",
            where=self._stream.path,
            line=number,
            hint="Tiltmeter reads word2vec, GloVe and fastText files, and .npy or safetensors with a word list.",
        )


def header_counts(line: bytes) -> tuple[int, int] | None:
    """The two counts of a word2vec header, if this is one."""
    found = _HEADER.fullmatch(line)
    return (int(found[1]), int(found[2])) if found else None


def ends_in_number(line: bytes) -> bool:
    """Whether a line may be one of text, rather than binary numbers."""
    return _trailing_numbers(line) > 0


def _first_token(line: bytes) -> bytes | None:
    return next(iter(line.split(None, 1)), None)


def _trailing_numbers(line: bytes) -> int:
    """How many fields at the end of a line are numbers; its first field is the word, whatever it looks like."""
    fields = line.split()[1:]
    return next((i for i, field in enumerate(reversed(fields)) if not _NUMBER.fullmatch(field)), len(fields))
