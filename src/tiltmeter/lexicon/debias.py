"""What debiasing needs of a language, `data/<language>/debias.toml`, and the sets that show what it cost.

A user's own file has the same form; whatever it leaves out is empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from tiltmeter.errors import InputError, did_you_mean
from tiltmeter.lexicon.source_text import SourceText, decode, read
from tiltmeter.lexicon.templates import BLANK
from tiltmeter.lexicon.toml_format import _parse as parse_toml
from tiltmeter.lexicon.toml_table import Table

DEBIAS_FILE, USEFULNESS_FILE = "debias.toml", "usefulness.toml"
SLOT = "{word}"

WordLists = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Context:
    """Definitions, and sentences in which any of their words may stand."""

    sets: WordLists
    sentences: tuple[str, ...]
    blanks: tuple[str, ...]  # with a blank, where a masked model says what it expects


@dataclass(frozen=True, slots=True)
class Bias:
    """A kind of bias: what defines it, and what should be free of it.

    A definition has a word for each class, in the order of the classes; "" where a class has none.
    """

    name: str
    language: str
    title: str
    classes: tuple[str, ...]
    definitions: WordLists
    equalise: WordLists
    specific: tuple[str, ...]
    contexts: tuple[Context, ...]
    labelled: str  # names in the lexicon, "" where there is no such thing
    probe: tuple[str, ...]
    tests: tuple[str, ...]
    multiclass: str
    scores: tuple[str, ...]
    source: str

    @property
    def by_class(self) -> tuple[tuple[str, ...], ...]:
        """All defining words of each class, each once."""
        rows = (*self.definitions, *self.equalise)
        return tuple(
            tuple(dict.fromkeys(row[column] for row in rows if column < len(row) and row[column]))
            for column in range(len(self.classes))
        )

    @property
    def own_words(self) -> frozenset[str]:
        """Every word that is not neutral."""
        return frozenset(word for row in (*self.definitions, *self.equalise) for word in row if word) | {*self.specific}


@dataclass(frozen=True, slots=True)
class Usefulness:
    """Relations of word pairs, and triples of which the second word is nearer to the first than the third is."""

    language: str
    analogies: Mapping[str, tuple[tuple[str, str], ...]]
    triples: tuple[tuple[str, str, str], ...]
    source: str


def biases(lang: str = "en") -> Mapping[str, Bias]:
    """The kinds of bias that can be taken out with what comes with Tiltmeter."""
    return _bundled_biases(lang)


def bias(name: str, lang: str = "en") -> Bias:
    """The bundled definitions of a kind of bias."""
    return _named(name, _bundled_biases(lang), f"language {lang!r}")


def read_bias(path: Path | str, name: str, lang: str = "en") -> Bias:
    """Definitions from a file of the user's."""
    return _named(name, _biases(read(path), lang), str(path))


@cache
def usefulness(lang: str = "en") -> Usefulness | None:
    """What comes with Tiltmeter to see whether an embedding still works; None where a language has nothing."""
    file = resources.files("tiltmeter.lexicon") / "data" / lang / USEFULNESS_FILE
    if not file.is_file():
        return None
    root = _root(decode(file.read_bytes(), f"{lang}/{USEFULNESS_FILE}"), lang)
    root.only("language", "source", "analogies", "similarity", required=("language", "source"))
    analogies = root.table("analogies")
    similarity = root.table("similarity")
    similarity.only("triples")
    return Usefulness(
        lang,
        {name: tuple((row[0], row[1]) for row in _rows(analogies, name, exactly=2)) for name in analogies.values},
        tuple((row[0], row[1], row[2]) for row in _rows(similarity, "triples", exactly=3)),
        root.text("source", ""),
    )


@cache
def _bundled_biases(lang: str) -> Mapping[str, Bias]:
    data = resources.files("tiltmeter.lexicon") / "data"
    file = data / lang / DEBIAS_FILE
    if not file.is_file():
        known = sorted(folder.name for folder in data.iterdir() if (folder / DEBIAS_FILE).is_file())
        raise InputError(
            f"there are no bundled definitions of a bias in language {lang!r}.",
            hint=f"Languages that have them: {', '.join(known)}; or give a file of your own.",
        )
    return _biases(decode(file.read_bytes(), f"{lang}/{DEBIAS_FILE}"), lang)


def _named(name: str, known: Mapping[str, Bias], where: str) -> Bias:
    if name in known:
        return known[name]
    hint = did_you_mean(name, known) or f"Known: {', '.join(known)}."
    raise InputError(f"there are no definitions of the bias {name!r:.60} in {where}.", hint=hint)


def _root(source: SourceText, lang: str) -> Table:
    root = Table(source, (), parse_toml(source))
    if (language := root.text("language", lang)) != lang:
        raise root.error(f"is in {language!r}, not {lang!r}.", "language")
    return root


def _biases(source: SourceText, lang: str) -> dict[str, Bias]:
    root = _root(source, lang)
    root.only("language", "source", "bias", required=("bias",))
    tables = root.table("bias")
    return {
        name: _bias(name, tables.table(name), lang, root.text("source", "the user's own file"))
        for name in tables.values
    }


def _bias(name: str, table: Table, lang: str, source: str) -> Bias:
    lists = ("specific", "probe", "tests", "scores")
    table.only(
        *("title", "source", "classes", "definitions", "equalise", "contexts", "labelled", "multiclass", *lists),
        required=("classes", "definitions"),
    )
    classes = table.words("classes", f"'classes' of {name!r}")
    if len(classes) < 2:
        raise table.error(f"has only the class {classes[0]!r}.", "classes", hint="Give at least two.")
    equalise = _rows(table, "equalise", most=len(classes))
    seen: set[str] = set()
    for row in equalise:
        if twice := next((word for word in row if word and word in seen), None):
            raise table.error(
                f"{twice!r} stands in two sets that are to be made equal.",
                "equalise",
                value=twice,
                nth=2,
                hint="Leave it in one: the second would undo the first.",
            )
        seen.update(row)
    given = {key: table.words(key, f"{key!r} of {name!r}") if table.values.get(key) else () for key in lists}
    if given["scores"] and len(given["scores"]) != 3:
        raise table.error("'scores' names targets, features and a bridge: three sets.", "scores")
    return Bias(
        name=name,
        language=lang,
        title=table.text("title", name),
        classes=classes,
        definitions=_rows(table, "definitions", most=len(classes)),
        equalise=equalise,
        contexts=_contexts(table, len(classes)),
        labelled=table.text("labelled", ""),
        multiclass=table.text("multiclass", ""),
        source=table.text("source", source),
        **given,
    )


def _rows(table: Table, key: str, *, most: int = 0, exactly: int = 0) -> WordLists:
    """Lists of words: two to `most` of a definition, or so many exactly."""
    rows = []
    for number, row in enumerate(table.list(key) if table.values.get(key) else (), start=1):
        if not isinstance(row, list):
            raise table.error(f"entry {number} of {key!r} is not a list of words.", key, hint='Write ["she", "he"].')
        words = tuple("" if word == "" and not exactly else table.checked(word, key) for word in row)
        wrong = len(words) != exactly if exactly else len(words) > most or sum(map(bool, words)) < 2
        if wrong:
            wanted = f"{exactly} words" if exactly else f"2 to {most} words"
            raise table.error(
                f"entry {number} of {key!r} has {sum(map(bool, words))} words.", key, hint=f"Give it {wanted}."
            )
        rows.append(words)
    return tuple(rows)


def _contexts(table: Table, classes: int) -> tuple[Context, ...]:
    found = []
    for entry in table.list("contexts") if table.values.get("contexts") else ():
        if not isinstance(entry, dict):
            raise table.error("a context is not a table.", "contexts", hint="Write [[bias.NAME.contexts]] above it.")
        context = Table(table.source, (*table.path, "contexts"), entry)
        context.only("sets", "sentences", "blanks", required=("sets",))
        texts = {key: context.texts(key) if entry.get(key) else () for key in ("sentences", "blanks")}
        for key, blanks in (("sentences", 0), ("blanks", 1)):
            for text in texts[key]:
                _check_sentence(context, key, text, blanks)
        found.append(Context(_rows(context, "sets", most=classes), **texts))
    return tuple(found)


def _check_sentence(table: Table, key: str, text: str, blanks: int) -> None:
    if text.count(SLOT) != 1 or text.count(BLANK) != blanks:
        wanted = f"{SLOT} once" + (f" and the blank {BLANK} once" if blanks else "")
        raise table.error(f"{text!r:.80} needs {wanted}.", key, value=text)


def filled(sentence: str, word: str) -> str:
    """The sentence with the word in its slot, with a capital where it begins."""
    text = sentence.replace(SLOT, word)
    return text[:1].upper() + text[1:]


def spellings(words: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Words of a set as they are, in lower case, in title case and in capitals; each way once."""
    ways = (tuple(words), *(tuple(map(way, words)) for way in (str.lower, str.title, str.upper)))
    return tuple(dict.fromkeys(ways))
