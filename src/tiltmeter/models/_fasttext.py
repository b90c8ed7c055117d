"""fastText's own binary form (`.bin`), versions 11 and 12, not quantised.

Read after `FastText::saveModel` of its source: magic and version; arguments; dictionary; whether the input matrix is
quantised; the input matrix. What follows (the output matrix) no word vector needs.
"""

from __future__ import annotations

import struct
from collections import defaultdict
from collections.abc import Collection, Iterator

import numpy as np

from tiltmeter.errors import InputError
from tiltmeter.models._streams import Stream
from tiltmeter.models._subwords import Subwords
from tiltmeter.models._vector_entry import CUT_SHORT, MAX_WORD, MAX_WORDS, Entry, check_finite, check_shape
from tiltmeter.models.base import Vectors

MAGIC = struct.pack("<i", 793_712_314)
_ARGUMENTS = struct.Struct("<12id")
_COUNTS = struct.Struct("<iiiqq")
_SUPERVISED = 3
_LONGEST_NGRAM = 64
_AFTER_WORD = 9  # its count, and whether it is a word or a label


class FastTextReader:
    """A fastText model; words that it does not hold are built from their n-grams."""

    form = "fastText binary"

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        version, *arguments = struct.unpack("<i12i", self._peek(4 + _ARGUMENTS.size + 4)[4:56])
        if version not in (11, 12):
            raise InputError(
                f"is of version {version} of fastText's form; 11 and 12 are read.",
                where=stream.path,
                hint="Convert it with a current fastText.",
            )
        self.dimension, model = arguments[0], arguments[7]
        bucket, minn, maxn = arguments[8:11]
        if version == 11 and model == _SUPERVISED:
            maxn = 0  # old supervised models never used n-grams
        if not (0 <= bucket <= MAX_WORDS and minn <= _LONGEST_NGRAM and maxn <= _LONGEST_NGRAM):
            raise self._damaged(f"n-grams of {minn} to {maxn} characters in {bucket} rows")
        self.subwords = Subwords(minn, maxn, bucket)
        # From here on the file says how long it is, so that a count can be checked before it is believed.
        counts = self._peek(8 + _ARGUMENTS.size + _COUNTS.size)[8 + _ARGUMENTS.size :]
        self._entries, self.words, labels, _, self._pruned = _COUNTS.unpack(counts)
        check_shape(self.words, self.dimension, stream.path)
        if self._entries != self.words + labels or labels < 0:
            raise self._damaged(f"{self._entries} entries for {self.words} words and {labels} labels")
        if self._pruned >= 0:
            raise self._quantised()

    @property
    def has_subwords(self) -> bool:
        return self.subwords.maxn > 0 and self.subwords.bucket > 0

    def entries(self, wanted: Collection[bytes], unknown: Collection[bytes] = ()) -> Iterator[Entry]:
        wanted = frozenset(wanted)
        found: dict[bytes, int] = {}
        for row, word in enumerate(self.vocabulary()):
            if word in wanted and word not in found:
                found[word] = row
        rows = self.matrix()
        made_of = {word: self.subwords.rows(word, row, self.words) for word, row in found.items()}
        for word in frozenset(unknown) - found.keys():
            if ngrams := self.subwords.rows(word, None, self.words):
                made_of[word] = ngrams
        for word, vector in self._means(made_of, rows):
            check_finite(vector, word, self._stream.path)
            yield Entry(word, vector, built=word not in found)

    def rows(self) -> Iterator[Entry]:
        """The rows of the input matrix: of words, then of n-grams, not yet put together."""
        words = list(self.vocabulary())
        rows = self.matrix()
        if self.has_subwords and rows < self.words + self.subwords.bucket:
            raise self._damaged(f"a matrix of {rows} rows for {self.words} words and {self.subwords.bucket} n-grams")
        for row in range(rows if self.has_subwords else self.words):
            word = words[row] if row < len(words) else b""
            vector = self._row()
            check_finite(vector, word, self._stream.path)
            yield Entry(word, vector)

    def _means(self, made_of: dict[bytes, list[int]], rows: int) -> Iterator[tuple[bytes, Vectors]]:
        """The mean of the rows of each word, each row read once, in the order of the file."""
        users: defaultdict[int, list[bytes]] = defaultdict(list)
        for word, needed in made_of.items():
            for row in needed:
                users[row].append(word)
        sums = {word: np.zeros(self.dimension) for word in made_of}
        here = 0
        for row in sorted(users):
            if row >= rows:
                raise self._damaged(f"a matrix of {rows} rows, of which row {row} is needed")
            self._stream.skip((row - here) * 4 * self.dimension)
            vector, here = self._row(), row + 1
            for word in users[row]:
                sums[word] += vector
        for word, total in sums.items():
            yield word, (total / len(made_of[word])).astype(np.float32)

    def vocabulary(self) -> Iterator[bytes]:
        """The words in the order of their rows; labels, which come after them, are passed over."""
        self._stream.skip(8 + _ARGUMENTS.size + _COUNTS.size)
        data, start = b"", 0
        for number in range(self._entries):
            while (end := data.find(b"\0", start, start + MAX_WORD)) < 0 or len(data) < end + 1 + _AFTER_WORD:
                if end < 0 and len(data) - start >= MAX_WORD:
                    raise self._damaged(f"no word where word {number + 1} of {self._entries} should be")
                if not (block := self._stream.some()):
                    raise self._cut_short(f"word {number + 1} of {self._entries}")
                data, start = data[start:] + block, 0
            if number < self.words:
                yield data[start:end]
            start = end + 1 + _AFTER_WORD
        self._stream.unread(len(data) - start)

    def matrix(self) -> int:
        """Pass to the first row of the input matrix; how many rows it has."""
        start = self._stream.read(17)
        if len(start) < 17:
            raise self._cut_short("the head of its matrix")
        if start[0]:
            raise self._quantised()
        rows, columns = struct.unpack("<qq", start[1:])
        # A supervised model that was trained on word n-grams has their rows here too.
        if columns != self.dimension or not self.words <= rows <= self.words + self.subwords.bucket:
            raise self._damaged(f"a matrix of {rows} × {columns} for {self.words} words of {self.dimension} numbers")
        length = self._stream.length
        if length is not None and length < self._stream.position + rows * columns * 4:
            raise self._cut_short(f"its matrix of {rows} × {columns}")
        return int(rows)

    def _row(self) -> Vectors:
        data = self._stream.read(4 * self.dimension)
        if len(data) < 4 * self.dimension:
            raise self._cut_short("its matrix")
        return np.frombuffer(data, "<f4").astype(np.float32)

    def _peek(self, count: int) -> bytes:
        data = self._stream.peek(count)
        if len(data) < count:
            raise self._cut_short("its header")
        return data

    def _cut_short(self, place: str) -> InputError:
        return InputError(f"ends in the middle of {place}.", where=self._stream.path, hint=CUT_SHORT)

    def _damaged(self, what: str) -> InputError:
        return InputError(f"is damaged: it has {what}.", where=self._stream.path, hint="Fetch the file again.")

    def _quantised(self) -> InputError:
        return InputError(
            "is a quantised fastText model, whose vectors are approximate; these are not read.",
            where=self._stream.path,
            hint="Use the .bin or .vec file that it was made from.",
        )
