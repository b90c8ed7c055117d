"""The novels as training text: which words belong to which novel, sentences, and token ids packed end to end."""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

# What ends with a full stop and does not end a sentence, in English novels.
_TITLES = "Mr Mrs Ms Messrs Dr St Rev Hon Esq Prof Capt Col Gen Lieut Lt Sergt Sir Jr Sr Co No Vol etc viz"
ABBREVIATIONS = frozenset(_TITLES.split())
END = re.compile(r"([.!?…]+[\"'”’)]*)\s+(?=[\"'“‘(]*[A-ZÀ-Þ])")
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class Novel:
    title: str
    words: int


def novels(readme: Path, language: str) -> list[Novel]:
    """The novels of one language in the order of its file, as the corpora's README lists them."""
    section = readme.read_text(encoding="utf-8").split(f"\n### {language}\n", 1)[1].split("\n### ", 1)[0]
    return [
        Novel(line[2:], int(match[1].replace(",", "")))
        for line in section.splitlines()
        if line.startswith("- ") and (match := re.search(r"([\d,]+) words\)\s*$", line))
    ]


def paragraphs(corpus: Path) -> list[str]:
    with lzma.open(corpus, "rt", encoding="utf-8") as lines:
        return [line.strip() for line in lines]


def split(text: list[str], books: list[Novel], held_out: Iterable[str]) -> tuple[list[str], list[str]]:
    """The paragraphs to train on, and those of the novels whose title contains one of `held_out`.

    The file has no mark between two novels; that each novel's words end where a paragraph ends is checked.
    """
    names = tuple(held_out)
    for name in names:
        if sum(name in book.title for book in books) != 1:
            raise SystemExit(f"held out: {name!r} must be part of the title of one novel")
    train: list[str] = []
    held: list[str] = []
    rest = iter(text)
    for book in books:
        part = held if any(name in book.title for name in names) else train
        missing = book.words
        while missing > 0:
            part.append(next(rest))
            missing -= len(part[-1].split())
        if missing:
            raise SystemExit(f"the README's word counts do not fit the corpus at {book.title!r}")
    return train, held


def sentences(paragraph: str) -> Iterator[str]:
    start = 0
    for match in END.finditer(paragraph):
        before = paragraph[start : match.start()]
        last = before.rsplit(None, 1)[-1] if before.strip() else ""
        if match[1] == "." and (last in ABBREVIATIONS or (len(last) == 1 and last.isupper() and last != "I")):
            continue
        yield paragraph[start : match.end()].strip()
        start = match.end()
    if paragraph[start:].strip():
        yield paragraph[start:].strip()


@dataclass(frozen=True, slots=True)
class Packed:
    """Sentences as token ids, one after the other: sentence i is `ids[starts[i]:starts[i + 1]]`."""

    ids: NDArray[np.uint16]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.starts)


def pack(encoded: Iterable[list[int]]) -> Packed:
    parts = [np.asarray(ids, np.uint16) for ids in encoded]
    starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])]).astype(np.int64)
    return Packed(np.concatenate(parts), starts)


def runs(sentences: Packed, longest: int) -> NDArray[np.int64]:
    """Bounds (first token, last token + 1) of runs of neighbouring sentences, each of at most `longest` tokens."""
    bounds: list[tuple[int, int]] = []
    first = 0
    for index in range(1, len(sentences) + 1):
        if index == len(sentences) or sentences.starts[index + 1] - sentences.starts[first] > longest:
            bounds.append((int(sentences.starts[first]), int(sentences.starts[index])))
            first = index
    return np.asarray(bounds, np.int64)
