"""Cosine distances from a CSV file, one row for each protected word and attribute."""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from pathlib import Path

import numpy as np

from tiltmeter.bayes.data import CONNECTIONS, Distances
from tiltmeter.errors import did_you_mean
from tiltmeter.lexicon.source_text import MAX_FILE_BYTES, SourceText, clean, decode, fault, shown
from tiltmeter.measurement import Lost
from tiltmeter.models._streams import Stream

_WORDS = ("protected_word", "word_to_compare", "connection")
_NUMBERS = ("cosine_distance", "cosine_similarity")
_SET = "word_class"
# The published data call the neutral words "none".
_SAME = {"none": "neutral"}
_ROUNDING = 1e-5
_NAMED = 3  # repeated pairs that a remark names

Pair = tuple[str, str, str]


def read_distances(path: Path | str, *, distinct: bool = False, lang: str = "en") -> Distances:
    """The distances in a CSV file, which may be compressed.

    Its header names the columns protected_word, word_to_compare, connection (associated, different, human, or neutral,
    also written none) and cosine_distance or cosine_similarity; word_class, if there, names the attribute set, and
    other columns are passed over. A similarity below -1, such as -100, marks a word that the embedding does not have:
    the row is dropped, and a word of which no row is left is named as lost. `distinct` counts a pair once that stands
    in the file several times.
    """
    path = Path(path).expanduser()
    with Stream(path) as stream:
        source = decode(stream.read(MAX_FILE_BYTES + 1), path)
    rows: list[tuple[Pair, str, float]] = []
    missing: list[Pair] = []
    seen: Counter[tuple[str, str, str, float]] = Counter()
    reader = csv.reader(io.StringIO(source.text, newline=""), strict=True)
    try:
        columns = _columns(source, next(reader))
        for texts in reader:
            if not any(text.strip() for text in texts):
                continue
            pair, attribute_set, distance = _row(source, reader.line_num, columns, texts)
            if distance is None:
                missing.append(pair)
                continue
            seen[(*pair, distance)] += 1
            if not distinct or seen[(*pair, distance)] == 1:
                rows.append((pair, attribute_set, distance))
    except csv.Error as error:
        raise source.error(
            f"is not valid CSV: {error}.", line=reader.line_num, hint='A double quote inside a word is written "".'
        ) from None
    if not rows:
        raise source.error(
            "has no row with a distance." + (f" {len(missing)} rows mark missing words." if missing else ""),
            hint="Give a row for each protected word and attribute.",
        )
    words = tuple(dict.fromkeys(pair[0] for pair, _, _ in rows))
    position = {word: index for index, word in enumerate(words)}
    name = path.name.removesuffix(path.suffix) if path.suffix in (".xz", ".gz", ".bz2", ".zip") else path.name
    return Distances(
        name=name.removesuffix(".csv"),
        model=path.name,
        words=words,
        word=np.array([position[pair[0]] for pair, _, _ in rows], dtype=np.intp),
        connection=np.array([CONNECTIONS.index(pair[2]) for pair, _, _ in rows], dtype=np.intp),
        attributes=tuple(pair[1] for pair, _, _ in rows),
        sets=tuple(attribute_set for _, attribute_set, _ in rows),
        distance=np.array([distance for _, _, distance in rows], dtype=np.float64),
        language=lang,
        lost=_lost([pair for pair, _, _ in rows], missing),
        remarks=() if distinct else _repeated(seen),
        settings={"distances": str(path), "distinct": distinct, "rows_marked_missing": len(missing)},
    )


def _columns(source: SourceText, header: list[str]) -> dict[str, int]:
    titles = [clean(title).lower() for title in header]
    known = (*_WORDS, *_NUMBERS, _SET)
    for title in _WORDS:
        if title not in titles:
            near = did_you_mean(title, [each for each in titles if each not in known])
            hint = near or f"The header names {', '.join(_WORDS)}, and cosine_distance or cosine_similarity."
            raise source.error(f"there is no column {title!r}.", line=1, hint=hint)
    if not set(_NUMBERS) & set(titles):
        raise source.error("there is no column 'cosine_distance' or 'cosine_similarity'.", line=1, hint="Give one.")
    for title in known:
        if titles.count(title) > 1:
            raise source.error(f"the column {title!r} stands twice.", line=1, hint="Keep one of them.")
    return {title: titles.index(title) for title in known if title in titles} | {"": len(titles)}


def _row(source: SourceText, line: int, columns: dict[str, int], texts: list[str]) -> tuple[Pair, str, float | None]:
    if len(texts) != columns[""]:
        raise source.error(
            f"the row has {len(texts)} cells, the header {columns['']}.",
            line=line,
            hint="The cells are parted by commas; put a word that holds one in double quotes.",
        )
    protected, attribute, connection = (clean(texts[columns[title]]) for title in _WORDS)
    for title, word in zip(_WORDS, (protected, attribute), strict=False):
        if problem := fault(word):
            raise source.error(f"the {title} {problem}.", line=line, hint="Give it a word.")
    connection = _SAME.get(connection.lower(), connection.lower())
    if connection not in CONNECTIONS:
        hint = did_you_mean(connection, CONNECTIONS) or f"It is one of: {', '.join(CONNECTIONS)}."
        raise source.error(f"the connection is {shown(connection)}.", line=line, hint=hint)
    numbers = {title: _number(source, line, title, texts[columns[title]]) for title in _NUMBERS if title in columns}
    attribute_set = clean(texts[columns[_SET]]) if _SET in columns else ""
    pair = (protected, attribute, connection)
    if min(numbers.values()) < -1 - _ROUNDING:
        return pair, attribute_set, None
    distance = numbers.get("cosine_distance")
    similarity = numbers.get("cosine_similarity")
    if distance is None:
        assert similarity is not None
        distance = 1 - similarity
    elif similarity is not None and abs(distance - (1 - similarity)) > 10 * _ROUNDING:
        raise source.error(
            f"the distance {distance:g} and the similarity {similarity:g} of {shown(protected)} and "
            f"{shown(attribute)} do not add up to 1.",
            line=line,
            hint="Keep the column that is right.",
        )
    if not -_ROUNDING <= distance <= 2 + _ROUNDING:
        raise source.error(
            f"the cosine distance of {shown(protected)} and {shown(attribute)} is {distance:g}; it lies between 0 and "
            "2.",
            line=line,
            hint="Is it a distance (1 - cosine)? Mark a missing word with a similarity of -100.",
        )
    return pair, attribute_set, distance


def _number(source: SourceText, line: int, title: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise source.error(
            f"the {title} is {shown(text.strip()) if text.strip() else 'empty'}, not a number.",
            line=line,
            hint="Delete the row, or mark a missing word with a similarity of -100.",
        )
    return number


def _lost(kept: list[Pair], missing: list[Pair]) -> tuple[Lost, ...]:
    """The words of which every row is marked missing: protected words first, then attributes by connection."""
    reason = "marked as missing in the file"
    protected = dict.fromkeys(pair[0] for pair in missing)
    for pair in kept:
        protected.pop(pair[0], None)
    attributes = dict.fromkeys(pair[1] for pair in missing)
    for pair in kept:
        attributes.pop(pair[1], None)
    return (
        *(Lost(word, "protected", reason) for word in protected),
        *(Lost(word, "attributes", reason) for word in attributes),
    )


def _repeated(seen: Counter[tuple[str, str, str, float]]) -> tuple[str, ...]:
    repeated = [(key, times) for key, times in seen.items() if times > 1]
    if not repeated:
        return ()
    named = ", ".join(f"{key[0]}–{key[1]} {times} times" for key, times in repeated[:_NAMED])
    return (
        f"{len(repeated)} of the {len(seen)} pairs stand in the file more than once ({named}…). Each row counts, which "
        "makes the intervals narrower than the data allow; count each pair once with distinct=True (--distinct).",
    )
