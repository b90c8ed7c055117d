"""The bundled lexicon: complete, consistent, and light to import."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tiltmeter.errors import InputError
from tiltmeter.lexicon import catalogue
from tiltmeter.lexicon.templates import Blank


def test_english_comes_with_words() -> None:
    assert "en" in catalogue.languages()
    assert catalogue.word_set("flowers") is catalogue.word_sets("en")["flowers"]
    assert "rose" in catalogue.word_set("flowers").texts


def test_weat_1_is_the_published_test() -> None:
    test = catalogue.association_test("weat1")
    assert [len(words) for words in (test.x, test.y, test.a, test.b)] == [25, 25, 25, 25]
    assert test.x is catalogue.word_set("flowers")


@pytest.mark.parametrize("lang", catalogue.languages())
def test_everything_names_its_source_and_language(lang: str) -> None:
    for entries in (
        catalogue.word_sets(lang),
        catalogue.template_sets(lang),
        catalogue.association_tests(lang),
        catalogue.multiclass_tests(lang),
    ):
        for name, entry in entries.items():
            assert entry.name == name
            assert entry.language == lang
            assert entry.source


def test_a_multiclass_test_is_found() -> None:
    for name in catalogue.multiclass_tests():
        test = catalogue.multiclass_test(name)
        assert {len(row) for row in test.definitions} == {len(test.classes)}
        assert set(test.stereotypes) == set(test.classes)


def test_templates_leave_a_blank_for_either_slot() -> None:
    assert catalogue.template_sets()
    for name in catalogue.template_sets():
        for template in catalogue.template_set(name).templates:
            assert template.fill({"target": Blank(), "feature": Blank()}) is not None


@pytest.mark.parametrize("lang", catalogue.languages())
def test_sentences_made_together_are_those_made_one_by_one(lang: str) -> None:
    """All words of a slot at once, beside a word and beside a blank in the other slot."""
    words = [word for name in ("name", "occupation") for word in catalogue.word_sets(lang)[name].words[:8]]
    made = 0
    for templates in catalogue.template_sets(lang).values():
        for template in templates.templates:
            for slot, other in (template.slots, template.slots[::-1]):
                for beside in (words[0], words[-1], Blank()):
                    (standing,) = template.inflected(other, [beside])
                    inflected = dict(zip(words, template.inflected(slot, words), strict=True))
                    fitting = {word: forms for word, forms in inflected.items() if forms}
                    if standing:
                        texts = template.assembled(slot, list(fitting.values()), {other: standing})
                        assert texts == [template.fill({slot: word, other: beside}) for word in fitting]
                        made += len(texts)
    assert made > 0


LOOKUPS: dict[str, Callable[..., object]] = {
    "word set": catalogue.word_set,
    "template set": catalogue.template_set,
    "association test": catalogue.association_test,
    "multiclass test": catalogue.multiclass_test,
}


@pytest.mark.parametrize("what", LOOKUPS)
def test_an_unknown_name_is_refused(what: str) -> None:
    with pytest.raises(InputError, match=rf"there is no {what} 'qqqq' in language 'en'\. Known: "):
        LOOKUPS[what]("qqqq")


def test_a_near_name_is_suggested() -> None:
    with pytest.raises(InputError, match=r"no word set 'flowrs' in language 'en'\. Did you mean 'flowers'"):
        catalogue.word_set("flowrs")
    with pytest.raises(InputError, match=r"no association test 'WEAT1' in language 'en'\. Did you mean 'weat1"):
        catalogue.association_test("WEAT1")


@pytest.mark.parametrize("lang", ["xx", "", "..", "../en", "en/../en"])
def test_an_unknown_language_is_refused(lang: str) -> None:
    with pytest.raises(InputError, match="there are no bundled words in language"):
        catalogue.word_sets(lang)


def test_the_catalogue_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        catalogue.word_sets()["mine"] = catalogue.word_set("flowers")  # type: ignore[index]


def document(folder: Path, name: str, body: str, lang: str = "en") -> Path:
    path = folder / name
    path.write_text(f'language = "{lang}"\nsource = "s"\n{body}', encoding="utf-8")
    return path


def test_a_test_may_name_a_set_of_another_file(tmp_path: Path) -> None:
    tests = document(tmp_path, "a.toml", '[tests.t]\nx = "one"\ny = ["c", "d"]\na = ["e"]\nb = ["f"]\n')
    sets = document(tmp_path, "b.toml", '[sets.one]\nwords = ["a", "b"]\n')
    assert catalogue.merge("en", [tests, sets]).tests["t"].x.texts == ("a", "b")


def test_a_name_may_stand_in_one_file_only(tmp_path: Path) -> None:
    body = '[sets.one]\nwords = ["a", "b"]\n'
    files = [document(tmp_path, "a.toml", body), document(tmp_path, "b.toml", body)]
    with pytest.raises(InputError, match=r"^en/b\.toml:3: \[sets\.one\] stands in another file too\. Rename one"):
        catalogue.merge("en", files)


def test_a_file_in_another_language_is_refused(tmp_path: Path) -> None:
    files = [document(tmp_path, "a.toml", '[sets.one]\nwords = ["a"]\n', lang="de")]
    with pytest.raises(InputError, match=r"^en/a\.toml:1: is in 'de', not 'en'\."):
        catalogue.merge("en", files)


def test_a_bundled_file_must_name_its_source(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('language = "en"\n[sets.one]\nwords = ["a"]\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"^en/a\.toml: the file names no source\."):
        catalogue.merge("en", [tmp_path / "a.toml"])


def test_importing_the_catalogue_reads_nothing_and_stays_light() -> None:
    heavy = "{'numpy', 'scipy', 'pydantic', 'torch', 'transformers', 'polars', 'rich', 'typer'}"
    script = (
        "import sys; from tiltmeter.lexicon import catalogue, foreign;"
        f"assert not {heavy} & set(sys.modules), sorted({heavy} & set(sys.modules));"
        "assert catalogue._lexicon.cache_info().currsize == 0"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
