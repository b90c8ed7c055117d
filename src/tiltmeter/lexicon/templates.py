"""Templates, and the one place that turns a template and words into a sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from tiltmeter.lexicon.grammar import Form, Grammar, grammar_of
from tiltmeter.lexicon.words import Gender, Kind, Word

BLANK = "___"
_SLOT = re.compile(r"\{(?P<name>[a-z]+)(?::(?P<form>[a-z-]+))?\}")
_CHOICE = re.compile(r"\{(?P<masculine>[^{}|]*)\|(?P<feminine>[^{}|]*)\}")
_STARTS_SENTENCE = re.compile(r"(?:^|[.!?][\"'”’)]*\s+)$")
_REMEMBERED = 1 << 12  # templates whose parts are known

Forms = tuple[Form, ...]  # of one word, at each place of a slot
_NOTHING = Form("")


@dataclass(frozen=True, slots=True)
class Blank:
    """A slot left open for a model to fill. Its article agrees with `like`, where a word is given."""

    like: Word | None = None


@dataclass(frozen=True, slots=True)
class Filled:
    """A sentence, and the span of characters in which the word of each slot first stands, article left out."""

    text: str
    places: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence with named slots: "{name} works as {occupation:a}."

    A slot may ask for a form of its word, as listed in `tiltmeter.lexicon.grammar.base`: `a` (with the indefinite
    article), `noun`, `plural` ..., or for a kind such as `adjective`, which only words of that kind fit.

    With `agreement` it is the masculine or the feminine version of a sentence that needs one: words with two forms
    take that one, and "{He|She}" becomes the first or the second of the two.
    """

    text: str
    language: str = "en"
    agreement: Gender | None = None

    @property
    def slots(self) -> tuple[str, ...]:
        """The names of the slots, in the order in which they stand."""
        return tuple(dict.fromkeys(match["name"] for match in _SLOT.finditer(self.text)))

    @property
    def grammar(self) -> Grammar:
        return grammar_of(self.language)

    def versions(self) -> tuple[Template, Template]:
        """The masculine and the feminine version."""
        return replace(self, agreement=Gender.MALE), replace(self, agreement=Gender.FEMALE)

    def asked(self, slot: str) -> tuple[str, ...]:
        """The forms that `slot` asks for, one for each of its places."""
        return _parts(self).forms_of.get(slot, ())

    def inflected(self, slot: str, words: Sequence[Word | Blank]) -> list[Forms | None]:
        """What stands at each place of `slot`, for each word; None where a word does not fit one of them."""
        asked, grammar, agreement = self.asked(slot), self.grammar, self.agreement
        found: list[Forms | None] = []
        for word in words:
            if isinstance(word, Blank) and word.like is None:
                found.append(tuple(Form(BLANK, grammar.open_article(form, agreement)) for form in asked))
                continue
            like = word.like if isinstance(word, Blank) else word
            assert like is not None
            forms = [grammar.inflect(like, form, agreement) for form in asked]
            known = tuple(form for form in forms if form is not None)
            whole = known if len(known) == len(asked) else None
            found.append(blanked(whole) if whole and isinstance(word, Blank) else whole)
        return found

    def bare(self, slot: str, inflected: Sequence[Forms]) -> list[str]:
        """Of what `inflected` gives, the words that a model must put into a blank there: without an article, and with
        a capital where they begin a sentence."""
        capitalised = self.grammar.capitalised
        if next(place.begins for place in _parts(self).places if place.slot == slot):
            return [forms[0].text if forms[0].before else capitalised(forms[0].text) for forms in inflected]
        return [forms[0].text for forms in inflected]

    def form(self, slot: str, word: Word) -> str | None:
        """What `word` looks like in `slot`, as `bare` has it; None where the word does not fit."""
        (forms,) = self.inflected(slot, [word])
        return self.bare(slot, [forms])[0] if forms else None

    def assembled(self, slot: str, inflected: Sequence[Forms], others: Mapping[str, Forms]) -> list[str]:
        """The sentence with each of what `inflected` gives for `slot`, and with `others` in the other slots."""
        parts, capitalised = _parts(self), self.grammar.capitalised
        places = [place for place in parts.places if place.slot == slot]
        frame, begins = _assembled(parts, {**others, slot: (_NOTHING,) * len(places)}, capitalised)
        cuts = [begin for place, begin in zip(parts.places, begins, strict=True) if place.slot == slot]
        first, *further = (frame[begin:end] for begin, end in pairwise((0, *cuts, len(frame))))
        texts = [first] * len(inflected)
        for place, after in zip(places, further, strict=True):
            wholes = [str(forms[place.turn]) for forms in inflected]
            if place.begins:
                wholes = [capitalised(whole) for whole in wholes]
            texts = [text + whole + after for text, whole in zip(texts, wholes, strict=True)]
        return texts

    def fill(self, words: Mapping[str, Word | Blank]) -> str | None:
        """The sentence, capitalised; None where a word has no form that fits its slot."""
        filled = self.fill_marked(words)
        return None if filled is None else filled.text

    def fill_marked(self, words: Mapping[str, Word | Blank]) -> Filled | None:
        """The same, and where the words stand in it: looking for "his" in "This is his." would find "This"."""
        parts = _parts(self)
        forms: dict[str, Forms] = {}
        for slot in parts.forms_of:
            (found,) = self.inflected(slot, [words[slot]])
            if found is None:
                return None
            forms[slot] = found
        text, begins = _assembled(parts, forms, self.grammar.capitalised)
        places: dict[str, tuple[int, int]] = {}
        for place, begin in zip(parts.places, begins, strict=True):
            form = forms[place.slot][place.turn]
            start = begin + len(form.before)
            places.setdefault(place.slot, (start, start + len(form.text)))
        return Filled(text, places)


def blanked(forms: Forms) -> Forms:
    """What stays beside a blank in the place of a word: its article, its suffix."""
    return tuple(Form(BLANK, form.before, form.after) for form in forms)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a word stands in a template."""

    before: str  # the template's own text since the last place
    slot: str
    turn: int  # the first, second ... place of this slot
    begins: bool  # whether a sentence begins here


@dataclass(frozen=True, slots=True)
class _Parts:
    places: tuple[_Place, ...]
    rest: str
    forms_of: Mapping[str, tuple[str, ...]]  # what each slot asks for at each of its places


@lru_cache(maxsize=_REMEMBERED)
def _parts(template: Template) -> _Parts:
    """A template taken apart, its choices made and its beginning capitalised."""
    chosen = "feminine" if template.agreement is Gender.FEMALE else "masculine"
    text = template.grammar.capitalised(_CHOICE.sub(lambda choice: choice[chosen], template.text))
    places = []
    forms_of: dict[str, tuple[str, ...]] = {}
    end = 0
    for match in _SLOT.finditer(text):
        slot = match["name"]
        asked = forms_of.get(slot, ())
        begins = _STARTS_SENTENCE.search(text[: match.start()]) is not None
        places.append(_Place(text[end : match.start()], slot, len(asked), begins))
        forms_of[slot] = (*asked, match["form"] or "")
        end = match.end()
    return _Parts(tuple(places), text[end:], forms_of)


def _assembled(parts: _Parts, forms: Mapping[str, Forms], capitalised: Callable[[str], str]) -> tuple[str, list[int]]:
    """The sentence, and where in it each place begins."""
    text = ""
    begins = []
    for place in parts.places:
        form = forms[place.slot][place.turn]
        text += place.before
        begins.append(len(text))
        whole = form.before + form.text + form.after
        text += capitalised(whole) if place.begins else whole
    return text + parts.rest, begins


@dataclass(frozen=True, slots=True)
class TemplateSet:
    """The templates that link one category of words to another.

    A sentence that agrees in gender stands here twice, in its masculine and its feminine version, one after the other.
    """

    name: str
    language: str
    target: str  # the name of the word set that fills {target}
    feature: str  # and of the one that fills {feature}
    templates: tuple[Template, ...]
    source: str
    note: str = ""

    def __len__(self) -> int:
        return len(self.templates)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The templates as they are written: both versions of a sentence are one."""
        return tuple(self.templates[group[0]].text for group in self.groups)

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The places of the versions of each sentence."""
        groups: list[tuple[int, ...]] = []
        for place, template in enumerate(self.templates):
            before = self.templates[place - 1] if place else None
            if before is not None and template.agreement is Gender.FEMALE and before == template.versions()[0]:
                groups[-1] = (place - 1, place)
            else:
                groups.append((place,))
        return tuple(groups)


def word(text: str, kind: Kind = Kind.THING) -> Word:
    """A word that stands in no word set: one that a user typed."""
    return Word(text=text, kinds=frozenset({kind}))
