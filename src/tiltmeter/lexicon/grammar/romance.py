"""What Italian, French and Spanish share: articles by gender and by sound, alone or joined with "of" and "to"."""

from __future__ import annotations

from tiltmeter.lexicon.grammar.base import Form, Grammar
from tiltmeter.lexicon.words import Gender, Genus, Kind, Word

_PLURALS = frozenset({"definites"})


class Romance(Grammar):
    """Beside the forms of all languages:

    - `of`: del libro, de l'eau, del agua; in Italian and French also what one drinks some of
    - `to`: al libro, à l'eau, al agua
    - `feminine`, `feminines`: the feminine of an adjective, as it stands after "persona", "famille" or "nacionalidad",
      "personas": there it says nothing of the gender of the person

    Nouns that are alike for both genders ("dentista") say so by a `feminine` of the same spelling, for their articles.
    A mass noun takes the definite article as well ("ama il caffè").
    """

    extra: tuple[str, ...] = ("of", "to", "feminine", "feminines")

    def inflect(self, word: Word, form: str, agreement: Gender | None = None) -> Form | None:
        if (agreement is Gender.FEMALE or form in ("feminine", "feminines")) and self.lacks_feminine(word):
            return None
        if form == "definite" and Kind.MASS in word.kinds:
            return self.with_article(self.agreeing(word, agreement), form)
        return super().inflect(word, form, agreement)

    def lacks_feminine(self, word: Word) -> bool:
        """Whether no rule tells the feminine of an adjective, nor that it is like the masculine: it must be written."""
        known = Kind.ADJECTIVE not in word.kinds or word.genus is Genus.FEMININE or self.feminine(word) is not None
        return not known and not self.is_alike(word.text)

    def is_alike(self, text: str) -> bool:
        """Whether an adjective for which there is no rule is the same in the feminine."""
        raise NotImplementedError

    def indefinite(self, word: Word) -> Form | None:
        return self.with_article(word, "a")

    def definite(self, word: Word) -> Form | None:
        return self.with_article(word, "definite")

    def definites(self, word: Word) -> Form | None:
        return self.with_article(word, "definites")

    def further(self, word: Word, form: str) -> Form | None:
        if form in ("feminine", "feminines"):
            return self.inflect(word, "adjective" if form == "feminine" else "adjectives", Gender.FEMALE)
        return self.with_article(word, form) if word.kinds & {Kind.THING, Kind.PERSON, Kind.MASS} else None

    def with_article(self, word: Word, form: str) -> Form | None:
        """The noun and what stands before it; None where its gender or its plural is not known."""
        genus = self.genus(word)
        noun = self.plural(word) if form in _PLURALS else self.singular(word)
        if genus not in (Genus.MASCULINE, Genus.FEMININE) or noun is None:
            return None
        return Form(noun, self.article(form, genus is Genus.FEMININE, noun, word.article))

    def open_article(self, form: str, agreement: Gender | None) -> str:
        """Before a blank that any word may fill: as before a consonant, by the gender of the version."""
        if form not in ("a", "definite", "definites", "of", "to"):
            return ""
        return self.article(form, agreement is Gender.FEMALE, "", None)

    def article(self, form: str, feminine: bool, noun: str, written: str | None) -> str:
        """What stands before `noun`, with its space or apostrophe. `written` is its definite article in the data."""
        raise NotImplementedError
