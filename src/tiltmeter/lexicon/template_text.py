"""Templates as they are written: slots that are known, in forms that the language has, and choices by gender."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from tiltmeter.errors import InputError, did_you_mean
from tiltmeter.lexicon.grammar import grammar_of
from tiltmeter.lexicon.source_text import shown
from tiltmeter.lexicon.templates import Template
from tiltmeter.lexicon.toml_table import Table, type_name
from tiltmeter.lexicon.words import WordSet

_BRACES = re.compile(r"\{[^{}]*\}|[{}]")


def agreement(table: Table, sets: Iterable[WordSet], language: str) -> bool:
    """Whether each sentence has a masculine and a feminine version. Words with two forms leave no doubt about it."""
    given = table.values.get("agrees", False)
    if not isinstance(given, bool):
        raise table.error(f"'agrees' must be true or false, not {type_name(given)}.", "agrees")
    grammar = grammar_of(language)
    if "agrees" not in table.values:
        for words in sets:
            for word in words.words:
                if (feminine := grammar.feminine(word)) is not None:
                    raise table.error(
                        f"{shown(word.text)} of set {words.name!r} has the feminine form {shown(feminine)}.",
                        hint="Add agrees = true, so that each sentence is asked in both genders.",
                    )
    return given


def checked_template(
    table: Table,
    key: str,
    text: str,
    language: str,
    *,
    required: Sequence[str],
    optional: Sequence[str] = (),
    agrees: bool = False,
) -> Template:
    """A template whose slots are all known, each in a known form."""

    def wrong(message: str, hint: str) -> InputError:
        return table.error(f"{message} in {shown(text)}.", key, value=text, hint=hint)

    template = Template(text, language)
    slots = (*required, *optional)
    forms = template.grammar.forms()
    example = " and ".join(f"{{{slot}}}" for slot in required)
    for match in _BRACES.finditer(text):
        if match[0] in ("{", "}"):
            raise wrong("unpaired brace", f"Slots are written {example}.")
        if "|" in match[0]:
            if match[0].count("|") > 1:
                raise wrong(f"{shown(match[0])} is no choice of two", "Write {masculine|feminine}.")
            if not agrees:
                hint = "Add agrees = true to the template set." if not optional else "A test has no two versions."
                raise wrong(f"{shown(match[0])} is a choice by gender", hint)
            continue
        slot, colon, form = match[0].strip("{}").partition(":")
        if slot not in slots:
            hint = did_you_mean(slot, slots) or f"Known slots: {', '.join(slots)}."
            raise wrong(f"unknown slot {shown(match[0])}", hint)
        if colon and form not in forms:
            known = f"Known forms in language {language!r}: {', '.join(sorted(forms))}."
            raise wrong(f"unknown form {shown(form)}", did_you_mean(form, forms) or known)
    for slot in required:
        if slot not in template.slots:
            raise wrong(f"the slot {{{slot}}} is missing", f"Each template needs {example}.")
    return template
