"""The words of the lexicon that a demo model must know whole: `python -m training.words en > words.txt`."""

from __future__ import annotations

import re
import sys

from tiltmeter.lexicon import catalogue

WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def words(language: str) -> list[str]:
    """All single words of the word sets and tests, with their plurals, and all words of the templates."""
    found: set[str] = set()
    for word_set in catalogue.word_sets(language).values():
        for word in word_set.words:
            found.update(text for text in (word.text, word.plural, word.singular) if text and WORD.fullmatch(text))
    for templates in catalogue.template_sets(language).values():
        for template in templates.templates:
            found.update(WORD.findall(re.sub(r"\{[^}]*\}", " ", template.text)))
    return sorted(found)


if __name__ == "__main__":
    print("\n".join(words(sys.argv[1])))
