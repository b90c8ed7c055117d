"""The lexicon's own format: word sets, templates and tests in one TOML document.

Bundled data and users' files pass the same checks.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tiltmeter.errors import did_you_mean
from tiltmeter.lexicon.checks import SLOTS, check_test, check_twins
from tiltmeter.lexicon.grammar import grammar_of
from tiltmeter.lexicon.source_text import SourceText, clean, read, shown
from tiltmeter.lexicon.template_text import agreement, checked_template
from tiltmeter.lexicon.templates import Template, TemplateSet
from tiltmeter.lexicon.tests import AssociationTest, MulticlassTest
from tiltmeter.lexicon.toml_table import THING, Table, type_name
from tiltmeter.lexicon.words import Role, Word, WordSet

_SECTIONS = ("sets", "templates", "tests", "multiclass")
_MAX_NESTING = 100  # the format needs four; tomllib's time grows with the square of a dotted key's length
_DOTTED_KEY = re.compile(r"""(?:[\w-]++|"[^"]*+"|'[^']*+')(?:[ \t]*+\.[ \t]*+(?:[\w-]++|"[^"]*+"|'[^']*+'))*+""")


@dataclass(frozen=True, slots=True)
class Lexicon:
    """What one or several documents define, by name."""

    language: str
    sets: dict[str, WordSet] = field(default_factory=dict)
    templates: dict[str, TemplateSet] = field(default_factory=dict)
    tests: dict[str, AssociationTest] = field(default_factory=dict)
    multiclass: dict[str, MulticlassTest] = field(default_factory=dict)


def read_lexicon(path: Path | str) -> Lexicon:
    """A user's own file. Its tests and templates may name bundled sets of the same language."""
    document = Document.parse(read(path), default_source=f"the file {Path(path).name}")
    sets = document.sets()
    known: Mapping[str, WordSet] = sets
    if document.leans_on_others():
        from tiltmeter.lexicon import catalogue  # it reads its files with this module

        if document.language in catalogue.languages():
            known = {**catalogue.word_sets(document.language), **sets}
    return document.resolve(sets, known)


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed document. Its sets are read first, so that tests of other documents can name them."""

    root: Table
    language: str
    origin: str  # the source of everything that does not name its own

    @staticmethod
    def parse(source: SourceText, default_source: str | None = None) -> Document:
        root = Table(source, (), _parse(source))
        root.only("language", "source", *_SECTIONS)
        if "language" not in root.values:
            raise root.error("the file does not say its language.", hint='Begin it with: language = "en".')
        language = root.text("language", "")
        if not re.fullmatch(r"[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*", language):
            raise root.error(f"{shown(language)} is no language code.", "language", hint='Write it as "en" or "de".')
        if "source" not in root.values and default_source is None:
            raise root.error("the file names no source.", hint='Add: source = "where the words come from".')
        document = Document(root, language, root.text("source", default_source or ""))
        if not any(document.tables(section) for section in _SECTIONS):
            raise root.error("defines nothing.", hint='Add a table: [sets.NAME] with words = ["...", "..."].')
        return document

    def tables(self, section: str) -> dict[str, Table]:
        whole = self.root.table(section)
        tables = {}
        for name in whole.values:
            tables[name] = whole.table(name)
            proper = "-".join(re.findall(r"[^\W_]+", clean(name).lower()))
            if section == "tests":  # these keep the names they were published under
                if not re.fullmatch(r"[\w+.-]{1,100}", name):
                    raise tables[name].error("is no name for a test.", hint=f"Write it as {shown(proper)}.")
            elif name != proper or not 0 < len(name) <= 100:
                hint = f"Write it as {shown(proper)}." if proper else "Use letters, digits and hyphens."
                raise tables[name].error("is not in kebab-case.", hint=hint)
        return tables

    def sets(self) -> dict[str, WordSet]:
        return {name: self._set(name, table) for name, table in self.tables("sets").items()}

    def leans_on_others(self) -> bool:
        """Whether a test or template names a set, which may then be one of another document."""
        return bool(self.tables("templates") or self.tables("tests"))

    def resolve(self, sets: dict[str, WordSet], known: Mapping[str, WordSet]) -> Lexicon:
        """All of the document, with the sets that its tests and templates name taken from `known`."""
        return Lexicon(
            self.language,
            sets,
            {name: self._templates(name, table, known) for name, table in self.tables("templates").items()},
            {name: self._test(name, table, known) for name, table in self.tables("tests").items()},
            {name: self._multiclass(name, table) for name, table in self.tables("multiclass").items()},
        )

    def _set(self, name: str, table: Table) -> WordSet:
        table.only("title", "role", "kind", "gender", "genus", "note", "source", "words", required=("words",))
        role = table.choice(Role, "role", table.values["role"]) if "role" in table.values else Role.CONCEPT
        return WordSet(
            name,
            self.language,
            self._words(
                table,
                "words",
                f"set {name!r}",
                Word("", table.kinds(THING), gender=table.gender(None), genus=table.genus(None)),
            ),
            table.text("title", name),
            table.text("source", self.origin),
            role,
            table.note(),
        )

    def _words(self, table: Table, key: str, what: str, usual: Word) -> tuple[Word, ...]:
        """The words of a list; what they do not say of themselves is as in `usual`."""
        raw: list[str] = []
        words: list[Word] = []
        for value in table.list(key):
            if isinstance(value, dict):
                word = self._word(Table(table.source, (*table.path, key), value), what, usual)
                raw.append(value["text"])
            else:
                word = replace(usual, text=table.checked(value, key))
                raw.append(str(value))
            words.append(word)
        check_twins(table.source, what, words, table.lines(key, raw), raw)
        return tuple(words)

    def _word(self, entry: Table, what: str, usual: Word) -> Word:
        if not isinstance(entry.values.get("text"), str):
            raise entry.error(f"a word of {what} lacks its text.", hint='Write { text = "barman", plural = "barmen" }.')
        text = entry.text("text", "")
        written = grammar_of(self.language).keys()
        entry.only("text", "kind", "plural", "singular", "article", "gender", "genus", "feminine", *written)
        known = {key: entry.text(key, "") or None for key in ("plural", "singular", "article", "feminine")}
        if self.language == "en" and known["article"] not in (None, "a", "an", "the"):
            raise entry.error(
                f"unknown article {shown(known['article'] or '')} of {shown(text)}.",
                value=str(entry.values["article"]),
                hint="Known: a, an, the.",
            )
        return Word(
            text,
            entry.kinds(usual.kinds, text),
            gender=entry.gender(usual.gender, text),
            genus=entry.genus(usual.genus, text),
            forms=tuple((key, entry.text(key, "")) for key in written if key in entry.values),
            **known,
        )

    def _templates(self, name: str, table: Table, known: Mapping[str, WordSet]) -> TemplateSet:
        required = ("target", "feature", "sentences")
        table.only("target", "feature", "agrees", "sentences", "note", "source", required=required)
        sets = {slot: self._known(table, slot, known) for slot in ("target", "feature")}
        agrees = agreement(table, sets.values(), self.language)
        templates: list[Template] = []
        for text in table.texts("sentences"):
            template = checked_template(
                table, "sentences", text, self.language, required=("target", "feature"), agrees=agrees
            )
            versions = template.versions() if agrees else (template,)
            for slot, words in sets.items():
                if all(version.form(slot, word) is None for word in words.words for version in versions):
                    raise table.error(
                        f"no word of set {words.name!r} fits {{{slot}}} in {shown(text)}.",
                        "sentences",
                        value=text,
                        hint="Give the slot another form, or the words their kind.",
                    )
            templates += versions
        return TemplateSet(
            name,
            self.language,
            sets["target"].name,
            sets["feature"].name,
            tuple(templates),
            table.text("source", self.origin),
            table.note(),
        )

    def _known(self, table: Table, key: str, known: Mapping[str, WordSet]) -> WordSet:
        name = table.text(key, "")
        if name in known:
            return known[name]
        hint = did_you_mean(name, known) or (
            f"Define [sets.{name}], or use one of: {', '.join(sorted(known)[:20])}." if known else "Define it."
        )
        raise table.error(f"there is no word set {shown(name)} for {key!r}.", key, hint=hint)

    def _test(self, name: str, table: Table, known: Mapping[str, WordSet]) -> AssociationTest:
        templates = ("target_template", "attribute_template")
        table.only("title", *SLOTS, *templates, "source", "note", required=SLOTS)
        source = table.text("source", self.origin)
        sets = {}
        for slot in SLOTS:
            if isinstance(table.values[slot], list):
                words = self._words(table, slot, f"{slot.upper()} of test {name!r}", Word("", THING))
                label = f"{name}-{slot}"
                sets[slot] = WordSet(label, self.language, words, label, source)
            else:
                sets[slot] = self._known(table, slot, known)
        sentences = [
            checked_template(
                table, key, table.text(key, ""), self.language, required=("word",), optional=("subject", "possessive")
            )
            if key in table.values
            else None
            for key in templates
        ]
        test = AssociationTest(
            name=name,
            language=self.language,
            title=table.text("title", name),
            **sets,
            source=source,
            target_template=sentences[0],
            attribute_template=sentences[1],
            note=table.note(),
        )

        def line_of(slot: str, word: str | None) -> int | None:
            inline = isinstance(table.values[slot], list)
            return table.source.line_of(*table.path, slot, value=word if inline else None)

        check_test(table.source, test, line_of)
        return test

    def _multiclass(self, name: str, table: Table) -> MulticlassTest:
        keys = ("classes", "definitions", "stereotypes")
        table.only("title", *keys, "source", "note", required=keys)
        classes = table.words("classes", f"'classes' of {name!r}")
        if len(classes) < 2:
            raise table.error(f"has only the class {shown(classes[0])}.", "classes", hint="Give at least two.")
        definitions = []
        for number, row in enumerate(table.list("definitions"), start=1):
            if not isinstance(row, list) or len(row) != len(classes):
                size = f"{len(row)} words" if isinstance(row, list) else type_name(row)
                raise table.error(
                    f"definition {number} is {size}, not a list of {len(classes)}.",
                    "definitions",
                    hint=f"Give one word for each class: {', '.join(classes)}.",
                )
            definitions.append(table.distinct(row, "definitions", f"definition {number} of {name!r}"))
        stereotypes = table.table("stereotypes")
        stereotypes.only(*classes, required=classes)
        return MulticlassTest(
            name,
            self.language,
            table.text("title", name),
            classes,
            tuple(definitions),
            {one: stereotypes.words(one, f"the stereotypes of {one!r}") for one in classes},
            table.text("source", self.origin),
            table.note(),
        )


def _parse(source: SourceText) -> dict[str, object]:
    hint = "The format needs four levels at most."
    for number, row in enumerate(source.text.split("\n"), start=1):
        if row.count(".") > _MAX_NESTING and any(key[0].count(".") > _MAX_NESTING for key in _DOTTED_KEY.finditer(row)):
            raise source.error("is nested too deeply.", line=number, hint=hint)
    try:
        return tomllib.loads(source.text)
    except RecursionError:
        raise source.error("is nested too deeply.", hint=hint) from None
    except ValueError as error:  # tomllib.TOMLDecodeError, or a number with too many digits
        message = str(error)
        place = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
        line: int | None = None
        if place:
            line = int(place[1]) if place[1] else source.line_at(len(source.text.rstrip()))
            message = message[: place.start()] + (f" at column {place[2]}" if place[2] else " at the end")
        raise source.error(
            f"is not valid TOML: {message[:200]}.", line=line, hint="Texts stand in double quotes, lists in [ ]."
        ) from None
