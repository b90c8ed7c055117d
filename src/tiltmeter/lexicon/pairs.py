"""Pairs of sentences for the CrowS metric: the bundled ones, and files in the layout of CrowS-Pairs.

Such a file is CSV with the columns `sent_more` and `sent_less` and, if it likes, `stereo_antistereo` and `bias_type`
(Nangia et al. 2020; the French and Dutch versions keep the names, or add the language: `sent_more_fr`). It is separated
by commas, semicolons or tabs, in UTF-8 or, failing that, Latin-1 (with the additions of Windows-1252).
"""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal, get_args

from tiltmeter.errors import InputError, did_you_mean
from tiltmeter.lexicon.source_text import clean, fault, read, shown

PAIRS_FILE = "pairs.toml"
_MAX_PAIRS = 100_000
Direction = Literal["stereo", "antistereo"]
_DIRECTIONS: tuple[Direction, ...] = get_args(Direction)


@dataclass(frozen=True, slots=True)
class SentencePair:
    """`more` is the more stereotypical of the two sentences, whatever the direction.

    With direction "stereo" it states a stereotype of a disadvantaged group, and `less` says the same of another group;
    with "antistereo" it is `less` that speaks of that group, and goes against a stereotype of it.
    """

    more: str
    less: str
    direction: Direction = "stereo"
    bias_type: str = ""


@dataclass(frozen=True, slots=True)
class PairSet:
    """Pairs of one language."""

    name: str
    language: str
    pairs: tuple[SentencePair, ...]
    source: str
    note: str = ""

    def __len__(self) -> int:
        return len(self.pairs)


def pair_languages() -> tuple[str, ...]:
    """The languages that have pairs."""
    folders = (resources.files("tiltmeter.lexicon") / "data").iterdir()
    return tuple(sorted(folder.name for folder in folders if (folder / PAIRS_FILE).is_file()))


@cache
def pair_set(language: str = "en") -> PairSet:
    """The pairs that come with Tiltmeter."""
    known = pair_languages()
    if language not in known:
        raise InputError(
            f"there are no bundled sentence pairs in language {language!r}.",
            hint=f"Languages that have them: {', '.join(known)}; or give a CSV file of your own.",
        )
    file = resources.files("tiltmeter.lexicon") / "data" / language / PAIRS_FILE
    document = tomllib.loads(file.read_text("utf-8"))
    pairs = [
        SentencePair(more, less, direction, bias_type)
        for bias_type, table in document.items()
        if isinstance(table, dict)
        for direction in _DIRECTIONS
        for more, less in table.get(direction, ())
    ]
    return PairSet(f"tiltmeter-pairs-{language}", language, tuple(pairs), document["source"], document["note"])


def read_pairs(path: Path | str, language: str = "en") -> PairSet:
    """Pairs from a CSV file of the user's, which may be packed by xz or gzip."""
    path = Path(path)
    text = read(path, fallback="cp1252").text
    delimiter = max(",;\t", key=text.split("\n", 1)[0].count)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    pairs: list[SentencePair] = []
    try:
        columns = _columns(path, next(lines, []), language)
        for row in lines:
            if any(cell.strip() for cell in row):
                pairs.append(_pair(path, lines.line_num, row, columns))
            if len(pairs) > _MAX_PAIRS:
                raise InputError(f"holds more than {_MAX_PAIRS:,} pairs.", where=path, hint="Split it.")
    except csv.Error as error:
        raise InputError(f"is not valid CSV ({error}).", where=path, line=lines.line_num) from None
    if not pairs:
        raise InputError("holds no pair.", where=path, hint="Give each pair a line below the header.")
    return PairSet(path.stem, language, tuple(pairs), f"the file {path.name}")


def _columns(path: Path, header: Sequence[str], language: str) -> dict[str, int]:
    names = [name.strip().lower() for name in header]
    columns: dict[str, int] = {}
    for column in ("sent_more", "sent_less", "stereo_antistereo", "bias_type"):
        found = [name for name in (f"{column}_{language}", column) if name in names]
        if found:
            columns[column] = names.index(found[0])
        elif column.startswith("sent"):
            hint = did_you_mean(column, names) or "A first line names the columns: sent_more,sent_less."
            raise InputError(f"has no column {column!r}.", where=path, line=1, hint=hint)
    return columns


def _pair(path: Path, line: int, row: Sequence[str], columns: dict[str, int]) -> SentencePair:
    if len(row) <= max(columns.values()):
        raise InputError(
            f"has {len(row)} columns where the header has more.", where=path, line=line, hint="Is a quote missing?"
        )
    cells = {column: clean(" ".join(row[place].split())) for column, place in columns.items()}
    for column in ("sent_more", "sent_less"):
        wrong = fault(cells[column])
        if wrong is not None:
            raise InputError(f"{column} {wrong}: {shown(cells[column])}.", where=path, line=line)
    if cells["sent_more"] == cells["sent_less"]:
        raise InputError(f"both sentences are {shown(cells['sent_more'])}.", where=path, line=line)
    direction = cells.get("stereo_antistereo", "").lower() or "stereo"
    if direction not in _DIRECTIONS:
        raise InputError(
            f"stereo_antistereo is {shown(direction)}.", where=path, line=line, hint="Write stereo or antistereo."
        )
    return SentencePair(
        cells["sent_more"],
        cells["sent_less"],
        "stereo" if direction == "stereo" else "antistereo",
        cells.get("bias_type", ""),
    )
