"""How the demo models' word vectors are made: words of five languages, their letter case, and the same bytes again."""

from __future__ import annotations

import lzma
from pathlib import Path

import numpy as np
import pytest

from training.text import Casing, marked, paragraphs, tokens


def words(text: str, language: str) -> list[str]:
    return [token for token, _ in tokens(text, language)]


@pytest.mark.parametrize(
    ("language", "text", "found"),
    [
        ("en", "Rose's aunt didn't wake at 6 o'clock.", "Rose 's aunt did n't wake at o'clock"),
        ("en", "'Tis John O'Brien, I'll say!", "Tis John O'Brien I 'll say"),
        ("fr", "L'homme d'aujourd'hui, dit-il, qu'elle aime.", "L' homme d' aujourd'hui dit il qu' elle aime"),
        ("fr", "Viendra-t-elle quelqu'un ? Peut-être.", "Viendra elle quelqu'un Peut-être"),
        ("it", "Dell'uomo c'è un po' d'acqua.", "Dell' uomo c' è un po' d' acqua"),
        ("de", "Wie geht's, Magnus' Röschen?", "Wie geht 's Magnus Röschen"),
        ("no", "Den 15de Mai var «Fru Kjærlighed» paa gaarden.", "Den Mai var Fru Kjærlighed paa gaarden"),
    ],
)
def test_words_are_cut_as_each_language_cuts_them(language: str, text: str, found: str) -> None:
    assert words(text, language) == found.split()


def test_letters_with_marks_are_one_form_however_they_are_encoded(tmp_path: Path) -> None:
    corpus = _corpus(tmp_path, ["la mère e\u0301tait l\u2019amie", "la mère était l'amie"])
    assert len(set(paragraphs(corpus))) == 1


def test_lines_that_go_on_are_joined(tmp_path: Path) -> None:
    corpus = _corpus(tmp_path, ["s'affondano nel", "verde di due gole.", "Paralleli al paese", "Nuovo capoverso"])
    assert list(paragraphs(corpus)) == ["s'affondano nel verde di due gole.", "Paralleli al paese", "Nuovo capoverso"]


def test_a_word_that_begins_a_sentence_gets_the_case_that_it_has_elsewhere() -> None:
    text = [
        "I saw the rose and Rose saw the rose. The rose is red. Mary saw Rose. WHERE was Mary, where? Mr. Brown came."
    ]
    casing = learnt([*text, "We met Brown, and a brown dog and a brown cat."], "en")
    found = cut(casing, "Rose! The rose, and Rose. WHERE is Mary? Mr. Brown")
    # "Rose" begins a sentence and is the flower more often; the name in the middle of a sentence stays a name.
    assert found == ["rose", "the", "rose", "and", "Rose", "where", "is", "Mary", "Mr", "Brown"]


def test_german_nouns_keep_their_capitals() -> None:
    casing = learnt(["Da sah sie die Rose und die Frau.", "Dort ist sie, die Frau."], "de")
    assert cut(casing, "Sie sah die Frau. Rosen?") == ["sie", "sah", "die", "Frau", "Rosen"]


def test_norwegian_nouns_are_folded_into_small_letters_and_names_are_not() -> None:
    text = ["der kom en Kvinde og en kvinde til Rose og Rose"] + ["det var Rose og"] * 20 + ["en rose"]
    casing = learnt(text, "no")
    assert cut(casing, "saa kom Kvinde til Rose") == ["saa", "kom", "kvinde", "til", "Rose"]


def test_hyphened_words_stay_whole_where_they_are_common() -> None:
    casing = learnt(["a drawing-room"] * 20 + ["a tea-drinker"], "en")
    assert cut(casing, "my drawing-room, my tea-drinker") == ["my", "drawing-room", "my", "tea", "drinker"]


def test_wanted_words_are_kept_though_they_are_rare_and_the_file_stays_small() -> None:
    static = pytest.importorskip("training.static", reason="training needs gensim")
    learnt = {f"w{number:05}": 100_000 - number for number in range(40_000)} | {"wasp": 20, "Moth": 20, "gnat": 19}
    kept = static.pick(learnt, ["wasp", "moth", "gnat", "bedbug"], 100)
    assert {"wasp", "Moth"} <= set(kept)  # a wanted word is found under the case that it has
    assert "gnat" not in kept
    assert 17_000 < len(kept) < 20_000
    assert sum(200 + len(f"{word} {learnt[word]}\n") for word in kept) <= 4_000_000
    assert [learnt[word] for word in kept] == sorted((learnt[word] for word in kept), reverse=True)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes_and_another_gives_others(tmp_path: Path) -> None:
    static = pytest.importorskip("training.static", reason="training needs gensim")
    rng = np.random.default_rng(0)
    text = [" ".join(rng.choice(["the", "rose", "wasp", "is", "kind", "cruel"], 30)) for _ in range(200)]
    corpus = _corpus(tmp_path, text)
    for folder, seed in (("one", 1), ("two", 1), ("three", 2)):
        recipe = static.Recipe("en", epochs=2, dimension=8, seed=seed)
        static.save(static.train(corpus, recipe, ["rose"]), recipe, tmp_path / folder)
    one, two, three = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("one", "two", "three"))
    assert one == two != three
    assert "rose " in (tmp_path / "one/words.txt").read_text()


def learnt(lines: list[str], language: str) -> Casing:
    return Casing.of([marked(line, language) for line in lines], language)


def cut(casing: Casing, text: str) -> list[str]:
    return list(casing.words(marked(text, casing.language)))


def _corpus(folder: Path, lines: list[str]) -> Path:
    path = folder / "corpus.txt.xz"
    with lzma.open(path, "wt", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    return path
