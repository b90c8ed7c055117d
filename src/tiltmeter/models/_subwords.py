"""The character n-grams of fastText: how it gives a vector to a word that it has never seen."""

from __future__ import annotations

from dataclasses import dataclass

_END_OF_SENTENCE = b"</s>"
_FNV_OFFSET = 2_166_136_261
_FNV_PRIME = 16_777_619


def fnv1a(data: bytes) -> int:
    """The 32-bit FNV-1a hash as fastText computes it: each byte as a signed char, so that those from 128 on
    also flip the upper 24 bits (`Dictionary::hash` of its source)."""
    value = _FNV_OFFSET
    for byte in data:
        value ^= byte if byte < 128 else byte | 0xFFFFFF00
        value = value * _FNV_PRIME & 0xFFFFFFFF
    return value


@dataclass(frozen=True, slots=True)
class Subwords:
    """Which rows of the input matrix make up a word: its own, and one for each of its n-grams (by hash).

    Source: Bojanowski et al. (2017), Enriching Word Vectors with Subword Information, section 3.2.
    """

    minn: int
    maxn: int
    bucket: int

    def rows(self, word: bytes, row: int | None, words: int) -> list[int]:
        """The rows whose mean is the vector of `word`, which stands in `row` of a vocabulary of `words`."""
        own = [] if row is None else [row]
        if self.maxn <= 0 or self.bucket <= 0 or (word == _END_OF_SENTENCE and row is not None):
            return own
        return own + [words + fnv1a(ngram) % self.bucket for ngram in self.ngrams(word)]

    def ngrams(self, word: bytes) -> list[bytes]:
        """The n-grams of `<word>`, n from minn to maxn counted in characters, without the lone < and >."""
        marked = b"<" + word + b">"
        # In bytes that are not UTF-8 a stray continuation byte belongs to the character before it.
        starts = [at for at, byte in enumerate(marked) if byte & 0xC0 != 0x80] + [len(marked)]
        last = len(starts) - 1
        return [
            marked[starts[first] : starts[first + n]]
            for first in range(last)
            for n in range(max(self.minn, 1), min(self.maxn, last - first) + 1)
            if not (n == 1 and (first == 0 or first == last - 1))
        ]
