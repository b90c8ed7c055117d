"""word2vec's binary form: a line with two counts, then each word, a space, and its vector in 32-bit floats."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from tiltmeter.errors import InputError
from tiltmeter.models._streams import Stream
from tiltmeter.models._vector_entry import CUT_SHORT, MAX_WORD, Entry, check_finite, check_shape
from tiltmeter.models._vector_text import header_counts
from tiltmeter.models.base import Vectors

_SHORTEST_WORD = 2  # a letter and the space after it


class BinaryReader:
    """A word2vec binary file, such as GoogleNews-vectors-negative300.bin."""

    form = "word2vec binary"
    has_subwords = False

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        header = stream.peek(64).split(b"\n", 1)[0]
        counts = header_counts(header)
        if counts is None:
            raise InputError("has no header of two counts.", where=stream.path, line=1, hint=CUT_SHORT)
        check_shape(*counts, stream.path, line=1)
        self.words, self.dimension = counts
        self._header_bytes = len(header) + 1
        least = self._header_bytes + self.words * (_SHORTEST_WORD + 4 * self.dimension)
        if stream.length is not None and stream.length < least:
            raise InputError(
                f"the header promises {self.words} vectors of {self.dimension} numbers, which take {least} bytes "
                f"at least; the file has {stream.length}.",
                where=stream.path,
                hint=CUT_SHORT,
            )

    def entries(self, wanted: Collection[bytes], unknown: Collection[bytes] = ()) -> Iterator[Entry]:  # noqa: ARG002
        return self._scan(frozenset(wanted))

    def rows(self) -> Iterator[Entry]:
        return self._scan(None)

    def _scan(self, wanted: frozenset[bytes] | None) -> Iterator[Entry]:
        self._stream.skip(self._header_bytes)
        size = 4 * self.dimension
        data, start = b"", 0
        for number in range(1, self.words + 1):
            while (space := data.find(b" ", start, start + MAX_WORD)) < 0 or len(data) < space + 1 + size:
                if space < 0 and len(data) - start >= MAX_WORD:
                    raise InputError(
                        f"there is no word where word {number} of {self.words} should be.",
                        where=self._stream.path,
                        hint="The file is damaged, or its vectors are not 32-bit floats.",
                    )
                if not (block := self._stream.some()):
                    raise InputError(
                        f"ends in the middle of word {number} of the {self.words} that its header promises.",
                        where=self._stream.path,
                        hint=CUT_SHORT,
                    )
                data, start = data[start:] + block, 0
            # The original program ends each vector with a line break, others do not.
            word = data[start:space].lstrip(b"\n")
            if wanted is None or word in wanted:
                yield Entry(word, self._vector(data, space + 1, word))
            start = space + 1 + size
        if data[start:].strip() or self._stream.peek(MAX_WORD).strip():
            raise InputError(
                f"goes on after the {self.words} words that its header promises.",
                where=self._stream.path,
                hint="Correct the count in its first line, or write the file again.",
            )

    def _vector(self, data: bytes, start: int, word: bytes) -> Vectors:
        vector = np.frombuffer(data, "<f4", self.dimension, start).astype(np.float32)
        check_finite(vector, word, self._stream.path)
        return vector
