"""Passages as a test writes them: the word stands between asterisks."""

from __future__ import annotations

from tiltmeter.lexicon.tests import Passage


def marked(text: str) -> Passage:
    """`marked("The *nurse* said")` is the text "The nurse said" with the word "nurse" at 4:9."""
    before, word, after = text.split("*")
    return Passage(before + word + after, word, len(before), len(before) + len(word))
