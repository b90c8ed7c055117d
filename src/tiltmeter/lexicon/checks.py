"""What must hold of every word set and test, wherever it comes from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tiltmeter.lexicon.source_text import SourceText, shown
from tiltmeter.lexicon.tests import AssociationTest
from tiltmeter.lexicon.words import Gender, Word

MAX_WORDS = 100_000
SLOTS = ("x", "y", "a", "b")


def check_count(source: SourceText, what: str, count: int, line_of: Callable[[int], int | None]) -> None:
    if count == 0:
        raise source.error(f"{what} is empty.", line=line_of(0), hint="Give it at least one word.")
    if count > MAX_WORDS:
        hint = "Split it into several."
        raise source.error(f"{what} has {count} entries (at most {MAX_WORDS}).", line=line_of(MAX_WORDS), hint=hint)


def check_twins(
    source: SourceText,
    what: str,
    words: Sequence[Word],
    line_of: Callable[[int], int | None],
    raw: Sequence[str],
) -> None:
    """Refuse a set in which a word stands twice. `raw` are the words before NFC."""
    first: dict[str, int] = {}
    for index, word in enumerate(words):
        earlier = first.setdefault(word.text, index)
        if earlier == index:
            continue
        line, before = line_of(index), line_of(earlier)
        places = "" if before is None or before == line else f" (first on line {before})"
        spelling = ""
        if raw[earlier].strip() != raw[index].strip():
            spelling = f", as {shown(ascii(raw[earlier]))} and {shown(ascii(raw[index]))}, the same after NFC"
        raise source.error(
            f"{shown(word.text)} stands twice in {what}{places}{spelling}.", line=line, hint="Delete one of the two."
        )


def check_test(source: SourceText, test: AssociationTest, line_of: Callable[[str, str | None], int | None]) -> None:
    """Refuse a test that has no effect size, or whose answer a shared word would blur.

    `line_of` takes a slot (x, y, a or b) and a word in it.
    """
    for slot in ("x", "y"):
        target = getattr(test, slot)
        if len(target) < 2:
            raise source.error(
                f"{slot.upper()} ({target.name!r}) of test {test.name!r} has only the word {shown(target.texts[0])}.",
                line=line_of(slot, None),
                hint="A target set needs at least two words: the effect size divides by their spread.",
            )
    for left, right in (("x", "y"), ("a", "b")):
        in_left = set(getattr(test, left).texts)
        for text in getattr(test, right).texts:
            if text in in_left:
                raise source.error(
                    f"{shown(text)} stands in both {left.upper()} ({getattr(test, left).name!r}) and"
                    f" {right.upper()} ({getattr(test, right).name!r}) of test {test.name!r}.",
                    line=line_of(right, text),
                    hint="Delete it from one of the two.",
                )
    for template, slots in ((test.target_template, ("x", "y")), (test.attribute_template, ("a", "b"))):
        if template is None or not {"subject", "possessive"} & set(template.slots):
            continue
        for slot in slots:
            for word in getattr(test, slot).words:
                if word.gender not in (Gender.FEMALE, Gender.MALE):
                    raise source.error(
                        f"{shown(word.text)} in {slot.upper()} of test {test.name!r} has no gender, and the"
                        " template needs its pronoun.",
                        line=line_of(slot, word.text),
                        hint='Add gender = "female" or "male" to the word or its set.',
                    )
