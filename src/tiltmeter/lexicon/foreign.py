"""Bring your own words: tests and word sets in the layouts that other tools write.

Tests (`read_tests`):
- `.toml`: the lexicon's own format
- `.json`, `.jsonl`: one object with targ1, targ2, attr1, attr2, each {"category": NAME, "examples": [WORDS]}, as May
  et al. 2019 published theirs
- `.txt`: four lines of words with commas between them: X, Y, A and B, as the BIAS framework of Puttick et al. 2024
  reads them. Lines that begin with # are comments; the last four of them, if there are so many, name the sets.
- `.csv`, with `,` or `;`, and one of two headers. `set,word`: one word a row; sets called x, y, a and b are taken as
  such, any other four in the order in which they first appear. `x,y,a,b`: one column a set, shorter ones end in
  empty cells.

Word sets (`read_word_set`): a set in any of these, or a text with one word a line or one line with commas.
A word is a THING unless TOML says otherwise.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import InputError, did_you_mean
from tiltmeter.lexicon.checks import SLOTS, check_count, check_test, check_twins
from tiltmeter.lexicon.source_text import SourceText, clean, fault, read, shown
from tiltmeter.lexicon.tests import AssociationTest
from tiltmeter.lexicon.toml_format import read_lexicon
from tiltmeter.lexicon.toml_table import Table, type_name
from tiltmeter.lexicon.words import Word, WordSet

_JSON_SLOTS = ("targ1", "targ2", "attr1", "attr2")


@dataclass(frozen=True, slots=True)
class _Column:
    """The words of one set as they stand in a file, and on which lines."""

    name: str
    words: list[str]
    line_of: Callable[[int], int | None]

    def word_set(self, source: SourceText, lang: str, name: str | None = None) -> WordSet:
        what = f"set {self.name!r}"
        check_count(source, what, len(self.words), self.line_of)
        words = []
        for index, raw in enumerate(self.words):
            text = clean(raw)
            if problem := fault(text):
                raise source.error(f"a word of {what} ({shown(raw)}) {problem}.", line=self.line_of(index))
            words.append(Word(text))
        check_twins(source, what, words, self.line_of, self.words)
        title = name or self.name
        return WordSet(title, lang, tuple(words), title, source=_origin(source))


def _column(name: str, words: list[tuple[int, str]]) -> _Column:
    return _Column(name, [text for _, text in words], lambda index: words[min(index, len(words) - 1)][0])


def read_tests(path: Path | str, lang: str = "en") -> tuple[AssociationTest, ...]:
    """All association tests in a file. `lang` is the language of files that do not say theirs."""
    path = Path(path)
    if path.suffix.lower() == ".toml":
        lexicon = read_lexicon(path)
        if not lexicon.tests:
            raise InputError("defines no test.", where=path, hint="Add a table [tests.NAME] with x, y, a and b.")
        return tuple(lexicon.tests.values())
    source = read(path)
    columns = _test_reader(path, source)(source)
    sets = [column.word_set(source, lang) for column in columns]
    name = clean(path.stem)
    if problem := fault(name):
        raise source.error(f"the name of the file {problem}, and it names the test.", hint="Rename the file.")
    x, y, a, b = sets
    test = AssociationTest(name, lang, name, x, y, a, b, _origin(source))
    by_slot = dict(zip(SLOTS, columns, strict=True))

    def line_of(slot: str, word: str | None) -> int | None:
        cleaned = [clean(raw) for raw in by_slot[slot].words]
        return by_slot[slot].line_of(0 if word is None else cleaned.index(word))

    check_test(source, test, line_of)
    return (test,)


def read_word_set(path: Path | str, name: str | None = None, lang: str = "en") -> WordSet:
    """One word set: the one called `name`, where a file holds several; else the whole file, under that name."""
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix == ".toml":
        sets = read_lexicon(path).sets
        return sets[_pick(path, name, tuple(sets))]
    source = read(path)
    if suffix in (".json", ".jsonl", ".csv"):
        columns = {column.name: column for column in _test_reader(path, source, whole=False)(source)}
        return columns[_pick(path, name, tuple(columns))].word_set(source, lang)
    title = clean(path.stem if name is None else name)
    if problem := fault(title):
        raise source.error(f"the name {shown(title)} of the set {problem}.", hint="Give it another name.")
    return _plain(source, title).word_set(source, lang)


def _origin(source: SourceText) -> str:
    return f"the file {Path(source.where).name}"


def _pick(path: Path, name: str | None, known: Sequence[str]) -> str:
    if name is None and len(known) == 1:
        return known[0]
    listed = f"Its sets: {', '.join(map(shown, known[:20]))}." if known else None
    if name is None:
        raise InputError(f"holds {len(known)} word sets; which one?", where=path, hint=listed)
    if name not in known:
        hint = did_you_mean(name, known) or listed
        raise InputError(f"holds no word set {shown(name)}.", where=path, hint=hint)
    return name


def _test_reader(path: Path, source: SourceText, *, whole: bool = True) -> Callable[[SourceText], list[_Column]]:
    suffix = path.suffix.lower()
    if suffix == ".csv":
        return _read_csv if whole else _csv_columns
    if suffix in (".json", ".jsonl") or source.text.lstrip().startswith("{"):
        return _read_json
    if suffix == ".txt":
        return _read_bias
    raise source.error(
        f"a test cannot be read from {shown(path.suffix) if path.suffix else 'a file without a suffix'}.",
        hint="Use .toml, .json, .jsonl, .txt or .csv.",
    )


def _read_json(source: SourceText) -> list[_Column]:
    def no_twins(pairs: list[tuple[str, object]]) -> dict[str, object]:
        seen: dict[str, object] = {}
        for key, value in pairs:
            if key in seen:
                raise source.error(
                    f"the key {shown(key)} stands twice.", line=source.line_of(key), hint="Delete one of the two."
                )
            seen[key] = value
        return seen

    try:
        whole = json.loads(source.text, object_pairs_hook=no_twins)
    except RecursionError:
        raise source.error("is nested too deeply.", hint="The layout needs three levels.") from None
    except json.JSONDecodeError as error:
        raise source.error(
            f"is not valid JSON: {error.msg} at column {error.colno}.",
            line=error.lineno,
            hint="The file must hold one object with targ1, targ2, attr1 and attr2.",
        ) from None
    except ValueError:  # an integer of thousands of digits
        raise source.error("is not valid JSON: a number is too long.") from None
    if not isinstance(whole, dict):
        raise source.error(f"must hold an object with targ1, targ2, attr1 and attr2, not {type_name(whole)}.", line=1)
    root = Table(source, (), whole)
    root.only(*_JSON_SLOTS, required=_JSON_SLOTS)
    columns = []
    for slot in _JSON_SLOTS:
        table = root.table(slot)
        table.only("category", "examples", required=("category", "examples"))
        texts = table.list("examples")
        for text in texts:
            table.checked(text, "examples")
        raw = [str(text) for text in texts]
        columns.append(_Column(table.text("category", slot), raw, table.lines("examples", raw)))
    return columns


def _cells(source: SourceText, line: int, text: str) -> list[tuple[int, str]]:
    """The words of a line with commas, each with its line; one comma may end it."""
    cells = [cell.strip() for cell in text.split(",")]
    if len(cells) > 1 and not cells[-1]:
        cells.pop()
    for before, cell in zip(["", *cells], cells, strict=False):
        if not cell:
            raise source.error(
                f"there is no word between two commas, after {shown(before)}.", line=line, hint="Delete one comma."
            )
    return [(line, cell) for cell in cells]


def _lines(source: SourceText) -> tuple[list[tuple[int, str]], list[str]]:
    """The numbered lines that are neither empty nor comments, and the comments."""
    numbered = [(number, line.strip()) for number, line in enumerate(source.text.split("\n"), 1)]
    comments = [line.lstrip("#").strip() for _, line in numbered if line.startswith("#")]
    return [(number, line) for number, line in numbered if line and not line.startswith("#")], comments


def _read_bias(source: SourceText) -> list[_Column]:
    rows, comments = _lines(source)
    if len(rows) != 4:
        raise source.error(
            f"has {len(rows)} lines of words, not four.",
            line=rows[:5][-1][0] if rows else None,
            hint="Write X, Y, A and B, each as one line of words with commas between them.",
        )
    names = [comment.partition(":")[2].strip() or comment for comment in comments[-4:]]
    if len(names) < 4 or not all(names):
        names = [slot.upper() for slot in SLOTS]
    columns = []
    for name, (line, text) in zip(names, rows, strict=True):
        columns.append(_column(_name(source, name, line), _cells(source, line, text)))
    return columns


def _name(source: SourceText, raw: str, line: int | None) -> str:
    name = clean(raw)
    if problem := fault(name):
        raise source.error(f"the name {shown(raw)} of a set {problem}.", line=line, hint="Give it another name.")
    return name


def _plain(source: SourceText, name: str) -> _Column:
    rows, _ = _lines(source)
    if len(rows) == 1:
        return _column(name, _cells(source, *rows[0]))
    for line, text in rows:
        if "," in text:
            raise source.error(
                f"{shown(text)} holds a comma.",
                line=line,
                hint="Write one word a line, or all words in a single line with commas.",
            )
    if not rows:
        raise source.error("holds no word.", hint="Write one word a line.")
    return _column(name, rows)


def _read_csv(source: SourceText) -> list[_Column]:
    columns = _csv_columns(source)
    if len(columns) != 4:
        names = ", ".join(shown(column.name)[1:-1] for column in columns)
        raise source.error(f"holds {len(columns)} sets ({names}), not four.", hint="A test needs X, Y, A and B.")
    by_slot = {column.name.lower(): column for column in columns}
    return [by_slot[slot] for slot in SLOTS] if set(by_slot) == set(SLOTS) else columns


def _csv_columns(source: SourceText) -> list[_Column]:
    header, *rows = _csv_rows(source)
    titles = [clean(cell).lower() for cell in header[1]]
    wanted = ("set", "word") if {"set", "word"} & set(titles) else SLOTS
    for title in titles:
        if title not in wanted:
            hint = did_you_mean(title, wanted) or "The header is set,word or x,y,a,b."
            raise source.error(f"unknown column {shown(title)}.", line=header[0], hint=hint)
    for title in wanted:
        if titles.count(title) != 1:
            problem = "is missing" if title not in titles else "stands twice"
            hint = "The header is set,word or x,y,a,b."
            raise source.error(f"the column {title!r} {problem}.", line=header[0], hint=hint)
    if wanted != SLOTS:
        name_at, word_at = titles.index("set"), titles.index("word")
        long: dict[str, list[tuple[int, str]]] = {}
        for line, cells in rows:
            long.setdefault(_name(source, cells[name_at], line), []).append((line, cells[word_at]))
        return [_column(name, words) for name, words in long.items()]
    wide = []
    for slot in SLOTS:
        index = titles.index(slot)
        words = [(line, cells[index]) for line, cells in rows if cells[index].strip()]
        if not words:
            raise source.error(f"the column {slot!r} is empty.", line=header[0], hint="Give it at least one word.")
        wide.append(_column(slot, words))
    return wide


def _csv_rows(source: SourceText) -> list[tuple[int, list[str]]]:
    """The rows that are not empty, header first, each with as many cells as the header."""
    header = source.text.lstrip("\n").partition("\n")[0]
    delimiter = ";" if header.count(";") > header.count(",") else ","
    reader = csv.reader(io.StringIO(source.text, newline=""), delimiter=delimiter, strict=True)
    rows: list[tuple[int, list[str]]] = []
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if rows and len(cells) != len(rows[0][1]):
                raise source.error(
                    f"the row has {len(cells)} cells, the header {len(rows[0][1])}.",
                    line=reader.line_num,
                    hint=f"The cells are parted by {delimiter!r}; put a word that holds one in double quotes.",
                )
            rows.append((reader.line_num, cells))
    except csv.Error as error:
        raise source.error(
            f"is not valid CSV: {error}.", line=reader.line_num, hint='A double quote inside a word is written "".'
        ) from None
    if len(rows) < 2:
        raise source.error("has no row of words.", line=1, hint="Write a header and at least one row below it.")
    return rows
