"""The bundled lexicon: `data/<language>/*.toml`, read when first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import TypeVar

from tiltmeter.errors import InputError, did_you_mean
from tiltmeter.lexicon.source_text import decode
from tiltmeter.lexicon.templates import TemplateSet
from tiltmeter.lexicon.tests import AssociationTest, MulticlassTest
from tiltmeter.lexicon.toml_format import Document, Lexicon
from tiltmeter.lexicon.words import WordSet

_Entry = TypeVar("_Entry")
_READ_ELSEWHERE = ("seat-contexts.toml", "pairs.toml", "debias.toml", "usefulness.toml")


def languages() -> tuple[str, ...]:
    """The codes of the languages that come with words."""
    return tuple(sorted(folder.name for folder in _data().iterdir() if folder.is_dir() and any(_files(folder))))


def word_sets(lang: str = "en") -> Mapping[str, WordSet]:
    return MappingProxyType(_lexicon(lang).sets)


def word_set(name: str, lang: str = "en") -> WordSet:
    """A bundled set of words, such as occupation."""
    return _named("word set", name, lang, _lexicon(lang).sets)


def template_sets(lang: str = "en") -> Mapping[str, TemplateSet]:
    return MappingProxyType(_lexicon(lang).templates)


def template_set(name: str, lang: str = "en") -> TemplateSet:
    """A bundled set of templates, such as occupation-name."""
    return _named("template set", name, lang, _lexicon(lang).templates)


def association_tests(lang: str = "en") -> Mapping[str, AssociationTest]:
    return MappingProxyType(_lexicon(lang).tests)


def association_test(name: str, lang: str = "en") -> AssociationTest:
    """A bundled association test, such as weat7."""
    return _named("association test", name, lang, _lexicon(lang).tests)


def multiclass_tests(lang: str = "en") -> Mapping[str, MulticlassTest]:
    return MappingProxyType(_lexicon(lang).multiclass)


def multiclass_test(name: str, lang: str = "en") -> MulticlassTest:
    return _named("multiclass test", name, lang, _lexicon(lang).multiclass)


def _named(what: str, name: str, lang: str, known: Mapping[str, _Entry]) -> _Entry:
    if name in known:
        return known[name]
    hint = did_you_mean(name, known) or (f"Known: {', '.join(sorted(known))}." if known else None)
    raise InputError(f"there is no {what} {name!r} in language {lang!r}.", hint=hint)


def _data() -> Traversable:
    return resources.files("tiltmeter.lexicon") / "data"


def _files(folder: Traversable) -> Iterator[Traversable]:
    """The documents of a language, but for those that have a reader of their own."""
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".toml") and file.name not in _READ_ELSEWHERE:
            yield file


@cache
def _lexicon(lang: str) -> Lexicon:
    if lang not in languages():
        hint = did_you_mean(lang, languages()) or f"Known: {', '.join(languages())}."
        raise InputError(f"there are no bundled words in language {lang!r}.", hint=hint)
    return merge(lang, list(_files(_data() / lang)))


def merge(lang: str, files: Sequence[Traversable]) -> Lexicon:
    """Several documents as one: each may name the sets of the others, and no name may stand twice."""
    documents = [Document.parse(decode(file.read_bytes(), f"{lang}/{file.name}")) for file in files]
    whole = Lexicon(lang)
    own_sets = []
    for document in documents:
        if document.language != lang:
            raise document.root.error(f"is in {document.language!r}, not {lang!r}.", "language")
        own_sets.append(document.sets())
        _add(document, "sets", whole.sets, own_sets[-1])
    for document, sets in zip(documents, own_sets, strict=True):
        part = document.resolve(sets, whole.sets)
        _add(document, "templates", whole.templates, part.templates)
        _add(document, "tests", whole.tests, part.tests)
        _add(document, "multiclass", whole.multiclass, part.multiclass)
    return whole


def _add(document: Document, section: str, whole: dict[str, _Entry], part: dict[str, _Entry]) -> None:
    for name in part:
        if name in whole:
            raise document.tables(section)[name].error("stands in another file too.", hint="Rename one of the two.")
    whole.update(part)
