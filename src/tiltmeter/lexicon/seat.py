"""SEAT: a test between words made into a test between sentences, by bland contexts around each word.

May, Wang, Bordia, Bowman and Rudinger 2019, On Measuring Social Biases in Sentence Encoders, with its supplement.
The contexts are data: `seat-contexts.toml` of each language that has one.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from tiltmeter.errors import InputError
from tiltmeter.lexicon.templates import Template
from tiltmeter.lexicon.tests import AssociationTest, Passage, SentenceTest
from tiltmeter.lexicon.words import Kind, Word, WordSet

CONTEXTS_FILE = "seat-contexts.toml"


@dataclass(frozen=True, slots=True)
class SeatContexts:
    """The contexts of one language, by the kind of word that they are for."""

    language: str
    by_kind: dict[Kind, tuple[Template, ...]]
    source: str

    def sentences(self, word: Word) -> tuple[Passage, ...]:
        """Every context of the word's kinds that has a form for it; a sentence that two kinds share stands once."""
        passages: dict[str, Passage] = {}
        for kind, templates in self.by_kind.items():
            if kind not in word.kinds:
                continue
            for template in templates:
                filled = template.fill_marked({"word": word})
                if filled is not None:
                    passages.setdefault(filled.text, Passage(filled.text, word.text, *filled.places["word"]))
        return tuple(passages.values())


def seat_languages() -> tuple[str, ...]:
    """The languages that have contexts."""
    folders = (resources.files("tiltmeter.lexicon") / "data").iterdir()
    return tuple(sorted(folder.name for folder in folders if (folder / CONTEXTS_FILE).is_file()))


@cache
def seat_contexts(language: str) -> SeatContexts:
    """The contexts of `language`."""
    languages = seat_languages()
    if language not in languages:
        raise InputError(
            f"there are no SEAT contexts for language {language!r}.",
            hint=f"Languages that have them: {', '.join(languages)}.",
        )
    file = resources.files("tiltmeter.lexicon") / "data" / language / CONTEXTS_FILE
    table = tomllib.loads(file.read_text("utf-8"))
    by_kind = {
        Kind(kind): tuple(Template(text, language) for text in contexts) for kind, contexts in table["contexts"].items()
    }
    return SeatContexts(language, by_kind, table["source"])


def seat_test(test: AssociationTest) -> SentenceTest:
    """The sentence-level test `sent-<name>`: each word in every context that its kind has."""
    if test.has_sentences:
        raise InputError(
            f"the test {test.name} is made of sentences already.", hint="Run it as it is, without SEAT contexts."
        )
    contexts = seat_contexts(test.language)
    x, y, a, b = (_in_sentences(words, contexts, test) for words in (test.x, test.y, test.a, test.b))
    return SentenceTest(
        name=f"sent-{test.name}",
        language=test.language,
        title=test.title,
        x=x,
        y=y,
        a=a,
        b=b,
        source=f"{test.source}; sentences by the contexts of {contexts.source}",
        note=test.note,
    )


def _in_sentences(words: WordSet, contexts: SeatContexts, test: AssociationTest) -> tuple[Passage, ...]:
    passages: list[Passage] = []
    for word in words.words:
        found = contexts.sentences(word)
        if not found:
            kinds = ", ".join(sorted(word.kinds))
            raise InputError(
                f"the word {word.text!r} is of kind {kinds}, for which language {contexts.language!r} "
                "has no SEAT contexts.",
                where=f"test {test.name}, set {words.name}",
                hint=f"Kinds that have them: {', '.join(contexts.by_kind)}.",
            )
        passages += found
    return tuple(passages)
