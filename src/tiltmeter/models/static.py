"""Static embeddings: one vector for each word, in a file that is read for the words of a test alone."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tiltmeter.errors import InputError
from tiltmeter.lexicon.tests import Passage
from tiltmeter.models._lookup import Lookup, clitics, is_sentence, tokens
from tiltmeter.models._streams import Progress, Stream
from tiltmeter.models._vector_entry import Entry, Reader, check_finite
from tiltmeter.models._vector_formats import fingerprint, open_reader
from tiltmeter.models.base import Embedded, Vectors

_CASES = ("as is", "lower", "title")
_ZERO = "its vector is zero"


class StaticEmbedding:
    """Word vectors from a file in any of the usual forms, or from arrays.

    A word is looked up as it is written, then in lower case, then in title case (`lookup`, in that order). A name of
    several words is looked up whole, with `_` and with spaces; then, with `multiword="average"`, it is the mean of the
    vectors of its parts, all of which must be found. fastText models give a word that they do not hold the mean of its
    n-grams. A sentence is the mean of the vectors of those of its tokens that are found (continuous bag of words), and
    is lost if no token of the word that it is about is among them.
    """

    def __init__(
        self,
        opened: Callable[[], AbstractContextManager[Reader]],
        mark: Callable[[Reader], str],
        name: str,
        how: Lookup,
    ) -> None:
        self._opened = opened
        self._mark = mark
        self._name = name
        self._lookup = how
        self._vectors: dict[str, Vectors] = {}
        self._built: dict[str, Vectors] = {}
        self._absent: set[str] = set()
        self._found: dict[str, tuple[str, Vectors] | str] = {}
        self._duplicates: int | None = None
        with opened() as reader:
            self._form, self._dimension, self._words = reader.form, reader.dimension, reader.words

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        name: str | None = None,
        lookup: Sequence[str] = _CASES,
        multiword: str = "average",
        progress: Progress | None = None,
    ) -> StaticEmbedding:
        """The embedding in a file. Its header is read now, its vectors by `prepare`, in one pass.

        `progress` is called with the bytes read so far, and the bytes of the file.
        """
        path = Path(path).expanduser()

        @contextmanager
        def opened() -> Iterator[Reader]:
            with Stream(path, progress) as stream:
                yield open_reader(stream)

        how = Lookup.checked(lookup, multiword)
        return cls(opened, lambda reader: fingerprint(path, reader), path.name if name is None else name, how)

    @classmethod
    def from_arrays(
        cls,
        words: Sequence[str],
        matrix: ArrayLike,
        name: str,
        *,
        lookup: Sequence[str] = _CASES,
        multiword: str = "average",
    ) -> StaticEmbedding:
        """The embedding that gives each of `words` its row of `matrix`."""
        reader = _ArrayReader(words, np.asarray(matrix, dtype=np.float32), name)
        how = Lookup.checked(lookup, multiword)
        return cls(lambda: nullcontext(reader), lambda _: reader.fingerprint, name, how)

    @property
    def name(self) -> str:
        return self._name

    @property
    def dimension(self) -> int:
        return self._dimension

    @cached_property
    def fingerprint(self) -> str:
        """See `_vector_formats.fingerprint` for what it covers."""
        with self._opened() as reader:
            return self._mark(reader)

    @property
    def settings(self) -> Mapping[str, Any]:
        """The lookup policy."""
        return {
            "form": self._form,
            "dimension": self._dimension,
            "lookup": list(self._lookup.cases),
            "multiword": self._lookup.multiword,
            "sentences": "average of the tokens found",
        }

    @property
    def words(self) -> int | None:
        """How many words the file holds, as far as its header says or it was read."""
        return self._words

    @property
    def duplicates(self) -> int | None:
        """How many of the words asked for the file holds more than once, of which the first counts.

        None when the file was not read to its end, because every word was found as it is.
        """
        return self._duplicates

    @property
    def found(self) -> Mapping[str, int]:
        """How the distinct words asked for so far were found: "as is", "lower" ..., or "lost"."""
        return dict(sorted(Counter(_how(found) or "lost" for found in self._found.values()).items()))

    def found_as(self, word: str) -> str | None:
        """How a word is found: "as is", "lower", "title", "underscore", "space", "average" or "sub-words"; or None."""
        self._read([word])
        return _how(self._resolve(word))

    def prepare(self, passages: Sequence[Passage]) -> None:
        """Read the file once, for all that these passages need."""
        texts: set[str] = set()
        for passage in passages:
            if not is_sentence(passage):
                texts.add(passage.text)
                continue
            for token in tokens(passage):
                texts.update([token.text, *clitics(token.text)])
        self._read(texts)

    def embed(self, passages: Sequence[Passage]) -> Embedded:
        self.prepare(passages)
        kept: list[int] = []
        vectors: list[Vectors] = []
        lost: list[tuple[int, str]] = []
        for position, passage in enumerate(passages):
            found = self._sentence(passage) if is_sentence(passage) else self._word(passage.text)
            if isinstance(found, str):
                lost.append((position, found))
            else:
                kept.append(position)
                vectors.append(found)
        matrix = np.array(vectors, dtype=np.float32).reshape(len(kept), self._dimension)
        return Embedded(tuple(kept), matrix, tuple(lost))

    def _word(self, text: str) -> Vectors | str:
        found = self._found[text] = self._resolve(text)
        return found if isinstance(found, str) else found[1]

    def _sentence(self, passage: Passage) -> Vectors | str:
        found: list[Vectors] = []
        own_found = False
        for token in tokens(passage):
            pieces = [token.text]
            if isinstance(self._resolve(token.text), str):
                pieces = clitics(token.text) or pieces
            vectors = [self._word(piece) for piece in pieces]
            found += [vector for vector in vectors if not isinstance(vector, str)]
            own_found |= token.own and not isinstance(vectors[0], str)
        if not own_found:
            return f"no token of {passage.form!r} is in the vocabulary"
        return _mean(found)

    def _resolve(self, text: str) -> tuple[str, Vectors] | str:
        """How a text is found, and its vector; or why it is lost."""
        if not text.strip():
            return "it is empty"
        for how, spelling in self._lookup.spellings(text):
            if (vector := self._vectors.get(spelling)) is not None:
                return (how, vector) if vector.any() else _ZERO
        if parts := self._lookup.parts(text):
            found = [self._word_part(part) for part in parts]
            missing = [part for part, vector in zip(parts, found, strict=True) if isinstance(vector, str)]
            if missing:
                return f"not in the vocabulary, nor is its part {missing[0]!r}"
            mean = _mean([vector for vector in found if not isinstance(vector, str)])
            return mean if isinstance(mean, str) else ("average", mean)
        if (vector := self._built.get(self._first(text))) is not None:
            return ("sub-words", vector) if vector.any() else _ZERO
        return "not in the vocabulary"

    def _word_part(self, part: str) -> Vectors | str:
        found = self._resolve(part)
        return found if isinstance(found, str) else found[1]

    def _read(self, texts: Collection[str]) -> None:
        """Take from the file every spelling of `texts` that has not been looked for yet."""
        wanted: dict[bytes, str] = {}
        best: dict[bytes, str] = {}  # the best spelling of each text, and of each part of a name
        awaited: set[bytes] = set()
        for text in texts:
            first = self._first(text)
            if not text.strip() or first in self._vectors:
                continue  # what is found in its best spelling needs no other
            units = (text, *self._lookup.parts(text))
            best.update((_bytes(each), each) for each in map(self._first, units))
            spellings = {each for unit in units for _, each in self._lookup.spellings(unit)}
            if new := spellings - self._vectors.keys() - self._absent:
                wanted.update((_bytes(each), each) for each in new)
                awaited.add(_bytes(first))
        if not wanted:
            return
        repeated: set[bytes] = set()
        with self._opened() as reader:
            unknown = best if reader.has_subwords else {}
            for word, vector, built in reader.entries(wanted.keys(), unknown.keys()):
                if built:
                    self._built[unknown[word]] = vector
                elif wanted[word] in self._vectors:
                    repeated.add(word)
                else:
                    self._vectors[wanted[word]] = vector
                    awaited.discard(word)
                    if not awaited:
                        return  # nothing that follows can change what was found
            self._words = reader.words
        self._duplicates = (self._duplicates or 0) + len(repeated)
        self._absent.update(set(wanted.values()) - self._vectors.keys())

    def _first(self, text: str) -> str:
        return next((spelling for _, spelling in self._lookup.spellings(text)), text)


class _ArrayReader:
    """Vectors in memory, in the shape of a file."""

    form = "arrays"
    has_subwords = False

    def __init__(self, words: Sequence[str], matrix: Vectors, name: str) -> None:
        if matrix.ndim != 2 or len(matrix) != len(words) or not matrix.size:
            raise InputError(
                f"there are {len(words)} words for a matrix of shape {matrix.shape}.",
                where=name,
                hint="Give one row for each word.",
            )
        self._words = [_bytes(word) for word in words]
        self._matrix = matrix
        self.words, self.dimension = matrix.shape
        for word, vector in zip(self._words, matrix, strict=True):
            check_finite(vector, word, Path(name))

    @property
    def fingerprint(self) -> str:
        digest = hashlib.sha256(repr(self._matrix.shape).encode())
        digest.update(self._matrix.astype("<f4").tobytes())
        digest.update(b"\n".join(self._words))
        return digest.hexdigest()

    def entries(self, wanted: Collection[bytes], unknown: Collection[bytes] = ()) -> Iterator[Entry]:  # noqa: ARG002
        return (entry for entry in self.rows() if entry.word in wanted)

    def rows(self) -> Iterator[Entry]:
        return (Entry(word, vector) for word, vector in zip(self._words, self._matrix, strict=True))


def _how(found: tuple[str, Vectors] | str) -> str | None:
    return None if isinstance(found, str) else found[0]


def _mean(vectors: Sequence[Vectors]) -> Vectors | str:
    mean: Vectors = np.array(vectors, dtype=np.float64).mean(axis=0).astype(np.float32)
    return mean if mean.any() else _ZERO


def _bytes(text: str) -> bytes:
    """As a file would have it; what no file can have matches nothing."""
    return text.encode("utf-8", "surrogatepass")
