"""`tiltmeter show`: one test, word set or template set, whole."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from tiltmeter.cli.output import Json, Lang, console, print_json
from tiltmeter.errors import InputError, did_you_mean
from tiltmeter.lexicon.grammar import grammar_of
from tiltmeter.lexicon.templates import TemplateSet
from tiltmeter.lexicon.tests import AssociationTest, MulticlassTest
from tiltmeter.lexicon.words import WordSet


def show(
    name: Annotated[str, typer.Argument(help="Name of a test, a word set or a template set.")],
    lang: Lang = "en",
    as_json: Json = False,
) -> None:
    """Show the words, the templates and the source of one test, word set or template set.

    A name that several of them share shows each.
    """
    from tiltmeter.lexicon import catalogue

    entries: list[AssociationTest | MulticlassTest | WordSet | TemplateSet] = [
        *catalogue.association_tests(lang).values(),
        *catalogue.multiclass_tests(lang).values(),
        *catalogue.word_sets(lang).values(),
        *catalogue.template_sets(lang).values(),
    ]
    found = [_described(entry) for entry in entries if entry.name == name]
    if not found:
        raise InputError(
            f"there is no test, word set or template set named {name!r} for language {lang!r}.",
            hint=did_you_mean(name, [entry.name for entry in entries])
            or "`tiltmeter list tests`, `sets` or `templates` shows what there is.",
        )
    if as_json:
        print_json(found)
        return
    for shown in found:
        _print(shown)


def _described(entry: AssociationTest | MulticlassTest | WordSet | TemplateSet) -> dict[str, Any]:
    common = {"name": entry.name, "language": entry.language, "source": entry.source, "note": entry.note}
    words: dict[str, list[str]] = {}
    match entry:
        case AssociationTest():
            for role, side in (("X", entry.x), ("Y", entry.y), ("A", entry.a), ("B", entry.b)):
                words[f"{role}: {side.title}"] = list(side.texts)
            templates = [t.text for t in (entry.target_template, entry.attribute_template) if t]
            return common | {
                "what": "association test",
                "title": entry.title,
                "words": words,
                "templates": templates,
            }
        case MulticlassTest():
            for column, each in enumerate(entry.classes):
                words[f"{each}: protected words"] = [definition[column] for definition in entry.definitions]
                words[f"{each}: stereotypes"] = list(entry.stereotypes[each])
            return common | {"what": "multiclass test", "title": entry.title, "words": words, "templates": []}
        case WordSet():
            words["words"] = list(entry.texts)
            feminine = grammar_of(entry.language).feminine
            return common | {
                "what": f"word set ({entry.role.value})",
                "title": entry.title,
                "words": words,
                "feminine": {word.text: form for word in entry.words if (form := feminine(word)) is not None},
                "gender": {word.text: word.gender.value for word in entry.words if word.gender is not None},
                "templates": [],
            }
        case TemplateSet():
            templates = list(entry.sentences)
            agrees = any(template.agreement for template in entry.templates)
            return common | {
                "what": "template set",
                "title": f"{entry.target} × {entry.feature}",
                "words": words,
                "templates": templates,
                "agrees": agrees,
            }


def _print(shown: dict[str, Any]) -> None:
    from rich.markup import escape

    out = console()
    out.print(
        f"[bold]{escape(shown['name'])}[/]  {escape(shown['title'])}  [dim]{shown['what']}, {shown['language']}[/]"
    )
    feminine = shown.get("feminine", {})
    for title, words in _by_gender(shown).items():
        out.print(f"\n[cyan]{escape(title)}[/] [dim]({len(words)})[/]")
        both = (dict.fromkeys((word, feminine.get(word, word))) for word in words)
        out.print(", ".join(" / ".join(forms) for forms in both), markup=False)
    if shown["templates"]:
        asked = "  [dim]each in a masculine and a feminine version, whatever the word[/]" if shown.get("agrees") else ""
        out.print(f"\n[cyan]templates[/]{asked}")
        for text in shown["templates"]:
            out.print(f"  {text}", markup=False)
    out.print(f"\n[dim]Source: {escape(shown['source'])}[/]")
    if shown["note"]:
        out.print(f"[dim]Note: {escape(shown['note'])}[/]")


def _by_gender(shown: dict[str, Any]) -> dict[str, list[str]]:
    """The words, those of women and of men apart where a set has both."""
    words: dict[str, list[str]] = shown["words"]
    gender: dict[str, str] = shown.get("gender", {})
    if len(set(gender.values())) < 2:
        return words
    parts: dict[str, list[str]] = {}
    for word in words["words"]:
        parts.setdefault(f"words, {gender.get(word, 'no gender')}", []).append(word)
    return parts
