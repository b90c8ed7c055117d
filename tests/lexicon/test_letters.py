"""ß, æ, ø, å, ð, þ, ğ, ı, İ and letters with combining accents, from a file to a model's tokens and back."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from tiltmeter.errors import InputError
from tiltmeter.lexicon.catalogue import association_tests, template_sets, word_set, word_sets
from tiltmeter.lexicon.foreign import read_tests, read_word_set
from tiltmeter.lexicon.grammar import grammar_of
from tiltmeter.lexicon.pairs import pair_set, read_pairs
from tiltmeter.lexicon.seat import seat_test
from tiltmeter.lexicon.templates import Blank, Template
from tiltmeter.lexicon.tests import Passage
from tiltmeter.lexicon.words import Genus, Kind, Word
from tiltmeter.measure.association import weat
from tiltmeter.models.load import load

from .required import LANGUAGES

# In NFC; the accents of some come apart in NFD.
WORDS = ["Straße", "Ärztin", "æble", "sjømann", "håp", "þorn", "góður", "sağlık", "ırmak", "İzmir", "niño", "œuvre"]
Spelling = Literal["NFC", "NFD"]
SIDES = {"x": WORDS[:3], "y": WORDS[3:6], "a": WORDS[6:9], "b": WORDS[9:]}


def apart(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def as_toml(sides: dict[str, list[str]]) -> str:
    lines = "\n".join(f"{slot} = {json.dumps(words, ensure_ascii=False)}" for slot, words in sides.items())
    return f'language = "de"\n[tests.mine]\n{lines}\n'


def as_json(sides: dict[str, list[str]]) -> str:
    keys = dict(zip(("targ1", "targ2", "attr1", "attr2"), sides.items(), strict=True))
    return json.dumps({key: {"category": slot, "examples": words} for key, (slot, words) in keys.items()})


def as_csv(sides: dict[str, list[str]]) -> str:
    return "set,word\n" + "".join(f"{slot},{word}\n" for slot, words in sides.items() for word in words)


def as_txt(sides: dict[str, list[str]]) -> str:
    return "\n".join(", ".join(words) for words in sides.values())


@pytest.mark.parametrize("lang", LANGUAGES)
def test_everything_that_is_bundled_is_composed(lang: str) -> None:
    for file in (resources.files("tiltmeter.lexicon") / "data" / lang).iterdir():
        text = file.read_text("utf-8")
        assert unicodedata.is_normalized("NFC", text), file.name


@pytest.mark.parametrize(("suffix", "layout"), [("toml", as_toml), ("json", as_json), ("csv", as_csv), ("txt", as_txt)])
@pytest.mark.parametrize("stored", ["NFC", "NFD"])
@pytest.mark.parametrize("given", ["NFC", "NFD"])
def test_a_word_is_found_whichever_way_its_accents_are_written(
    suffix: str, layout: Callable[[dict[str, list[str]]], str], stored: Spelling, given: Spelling, tmp_path: Path
) -> None:
    """From a file of words, in any layout and in either spelling, to its vector in a file in either spelling."""
    words = tmp_path / f"mine.{suffix}"
    words.write_bytes(layout({s: [unicodedata.normalize(given, w) for w in ws] for s, ws in SIDES.items()}).encode())
    rng = np.random.default_rng(3)
    vectors = tmp_path / "vectors.txt"
    rows = [
        f"{unicodedata.normalize(stored, word)} {' '.join(f'{n:.4f}' for n in rng.normal(size=8))}" for word in WORDS
    ]
    vectors.write_bytes("\n".join(rows).encode() + b"\n")
    (test,) = read_tests(words, lang="de")
    assert (*test.x.texts, *test.y.texts, *test.a.texts, *test.b.texts) == tuple(WORDS)
    result = weat(load(vectors), test, resamples=100)
    assert result.lost == ()
    assert sum(result.counts.values()) == len(WORDS)


def test_the_same_word_in_two_spellings_is_one(tmp_path: Path) -> None:
    file = tmp_path / "words.csv"
    file.write_text(f"set,word\nmine,Ärztin\nmine,{apart('Ärztin')}\n", encoding="utf-8")
    with pytest.raises(InputError, match="stands twice"):
        read_word_set(file)


def test_pairs_are_composed(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv"
    file.write_text(f"sent_more,sent_less\n{apart('Die Ärztin ging.')},Der Arzt ging.\n", encoding="utf-8")
    assert read_pairs(file, "de").pairs[0].more == "Die Ärztin ging."


@pytest.mark.parametrize(
    ("lang", "word", "capital"),
    [
        ("tr", "istanbul", "İstanbul"),
        ("tr", "ışık", "Işık"),
        ("tr", "ırmak", "Irmak"),
        ("tr", "çay", "Çay"),
        ("no", "øl", "Øl"),
        ("no", "ærlig", "Ærlig"),
        ("no", "år", "År"),
        ("is", "þorn", "Þorn"),
        ("is", "íþrótt", "Íþrótt"),
        ("nl", "ijzer", "IJzer"),
        ("fr", "œuvre", "Œuvre"),
        ("es", "ángel", "Ángel"),
        ("it", "è", "È"),
        ("en", "istanbul", "Istanbul"),
    ],
)
def test_the_capital_that_begins_a_sentence(lang: str, word: str, capital: str) -> None:
    mine = Word(word, frozenset({Kind.MASS}))
    filled = Template("{word} ...", lang).fill_marked({"word": mine})
    assert filled is not None
    assert filled.text == f"{capital} ..."
    start, end = filled.places["word"]
    assert filled.text[start:end] == capital == Template("{word} ...", lang).form("word", mine)
    assert Template("Hm, {word}!", lang).fill({"word": mine}) == f"Hm, {word}!"


def test_sharp_s_stays() -> None:
    street = Word("Straße", genus=Genus.FEMININE)
    assert Template("{word:definite} ist hier.", "de").fill({"word": street}) == "Die Straße ist hier."
    assert grammar_of("de").capitalised("äußerst") == "Äußerst"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_each_seat_sentence_knows_where_its_word_stands(lang: str) -> None:
    """The span holds a form of the word: it begins as the entry, its singular or its plural does."""
    for test in association_tests(lang).values():
        made = seat_test(test)
        for side in ("x", "y", "a", "b"):
            entries = {word.text: word for word in getattr(test, side).words}
            for passage in getattr(made, side):
                entry = entries[passage.word]
                forms = (entry.text, entry.singular, entry.plural, entry.feminine, *(text for _, text in entry.forms))
                stems = {grammar_of(lang).capitalised(form)[:2] for form in forms if form}
                assert grammar_of(lang).capitalised(passage.form)[:2] in stems, passage


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_letters_of_a_language_are_in_its_words(lang: str) -> None:
    letters = {"de": "äöüß", "es": "áéíóñ", "fr": "éèêçœ", "is": "áðéíóúýþæö", "it": "àè", "nl": "ëï", "no": "æøå"}
    texts = [text for words in word_sets(lang).values() for text in words.texts]
    texts += [pair.more for pair in pair_set(lang).pairs]
    texts += [template.text for templates in template_sets(lang).values() for template in templates.templates]
    missing = set(letters.get(lang, "çğıİöşü")) - set("".join(texts))
    assert missing == set()


@pytest.mark.slow
@pytest.mark.parametrize("architecture", ["roberta", "xlm-roberta"])
def test_a_masked_model_is_given_every_letter_or_says_which_words_it_lost(architecture: str, tmp_path: Path) -> None:
    """A byte-level tokenizer knows every letter: no word is lost, and its pieces are the word again."""
    transformers = pytest.importorskip("transformers", reason="language models need the extra 'lm'")
    from tiltmeter.models.lm import Query
    from tiltmeter.models.load import load_lm

    from ..models.tiny import build

    folder = build(tmp_path / "model", architecture, "masked")
    model = load_lm(str(folder))
    filled = model.fill([Query("Das ist ___ hier.")], WORDS)
    kept = [word for word, log_p in zip(WORDS, filled.log_p[0], strict=True) if np.isfinite(log_p)]
    assert set(kept) | set(filled.lost) == set(WORDS)
    if architecture == "roberta":
        assert kept == WORDS
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        for word in WORDS:
            assert tokenizer.decode(tokenizer(f" {word}", add_special_tokens=False)["input_ids"]).strip() == word


def test_a_blank_keeps_what_surrounds_a_turkish_name() -> None:
    like = next(word for word in word_set("name", "tr").words if word.text.startswith("İ"))
    template = Template("{word:genitive} annesi burada.", "tr")
    blank, form = template.fill({"word": Blank(like=like)}), template.form("word", like)
    assert blank is not None
    assert form == like.text
    assert blank.replace("___", form) == template.fill({"word": like})


def test_a_capital_sharp_s_is_the_letter_and_not_two(tmp_path: Path) -> None:
    vectors = tmp_path / "vectors.txt"
    vectors.write_text("straße 1 0\nstrasse 0 1\n", encoding="utf-8")
    model = load(vectors)
    passage = Passage("STRAẞE", "STRAẞE", 0, 6)
    model.prepare([passage])
    assert model.embed([passage]).vectors.tolist() == [[1.0, 0.0]]
