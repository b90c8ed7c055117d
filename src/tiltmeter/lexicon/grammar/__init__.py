"""The forms of words: one small module for each language, and what the languages share in `base`."""

from __future__ import annotations

from functools import cache
from importlib import import_module

from tiltmeter.lexicon.grammar.base import FORMS, Form, Grammar

_MODULES = {
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fr": "french",
    "is": "icelandic",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "tr": "turkish",
}

__all__ = ["FORMS", "Form", "Grammar", "grammar_of"]


@cache
def grammar_of(language: str) -> Grammar:
    """The grammar of a language; one without rules, for which all forms are written out, where there is none."""
    if language not in _MODULES:
        return Grammar()
    module = import_module(f"tiltmeter.lexicon.grammar.{_MODULES[language]}")
    grammar: Grammar = module.GRAMMAR
    return grammar
