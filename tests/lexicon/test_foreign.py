"""Words and tests in other tools' layouts: what is read, and what is said of a file that cannot be."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence, Sized
from itertools import zip_longest
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tiltmeter.errors import InputError
from tiltmeter.lexicon.foreign import read_tests, read_word_set
from tiltmeter.lexicon.source_text import clean, fault
from tiltmeter.lexicon.tests import AssociationTest
from tiltmeter.lexicon.words import Kind

SUFFIXES = (".toml", ".json", ".jsonl", ".txt", ".csv", ".dat", "")
Lists = Sequence[Sequence[str]]

FLOWERS: Lists = (["rose", "tulip"], ["wasp", "ant", "flea"], ["love"], ["abuse", "crash"])
JSON = """\
{
  "targ1": {"category": "Flowers",
            "examples": ["rose", "tulip"]},
  "targ2": {"category": "Insects",
            "examples": ["wasp", "ant", "flea"]},
  "attr1": {"category": "Pleasant", "examples": ["love"]},
  "attr2": {"category": "Unpleasant", "examples": ["abuse", "crash"]}
}
"""
BIAS = """\
# Made up for this test
# Target: flowers
# Target: insects
# Attribute: pleasant
# Attribute: unpleasant
rose, tulip
wasp, ant, flea
love
abuse, crash
"""
LONG = "set,word\nx,rose\nx,tulip\ny,wasp\ny,ant\ny,flea\na,love\nb,abuse\nb,crash\n"
WIDE = "x;y;a;b\nrose;wasp;love;abuse\ntulip;ant;;crash\n;flea;;\n"


def lists(test: AssociationTest) -> list[list[str]]:
    return [list(words.texts) for words in (test.x, test.y, test.a, test.b)]


def save(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def message(path: Path, reader: Callable[[Path], object] = read_tests) -> str:
    with pytest.raises(InputError) as caught:
        reader(path)
    return str(caught.value).replace(f"{path.parent}/", "")


@pytest.mark.parametrize(
    ("name", "content", "names"),
    [
        ("mine.json", JSON, ["Flowers", "Insects", "Pleasant", "Unpleasant"]),
        ("mine.jsonl", JSON, ["Flowers", "Insects", "Pleasant", "Unpleasant"]),
        ("mine.dat", JSON, ["Flowers", "Insects", "Pleasant", "Unpleasant"]),
        ("mine.txt", BIAS, ["flowers", "insects", "pleasant", "unpleasant"]),
        ("mine.txt", BIAS.partition("unpleasant\n")[2], ["X", "Y", "A", "B"]),
        ("mine.csv", LONG, ["x", "y", "a", "b"]),
        ("mine.csv", WIDE, ["x", "y", "a", "b"]),
        ("mine.csv", LONG.replace("x,", "Blumen,").replace("b,", "übel,"), ["Blumen", "y", "a", "übel"]),
        ("mine.csv", "set,word\nb,abuse\nb,crash\n" + LONG[9:-16], ["x", "y", "a", "b"]),
    ],
)
def test_the_same_test_in_every_layout(name: str, content: str, names: list[str], tmp_path: Path) -> None:
    (test,) = read_tests(save(tmp_path, name, content), lang="de")
    assert lists(test) == list(FLOWERS)
    assert [words.name for words in (test.x, test.y, test.a, test.b)] == names
    assert (test.name, test.language, test.source) == ("mine", "de", f"the file {name}")
    assert test.x.words[0].kinds == {Kind.THING}


def test_toml_gives_all_its_tests(tmp_path: Path) -> None:
    table = '[tests.{}]\nx = ["p", "q"]\ny = ["r", "s"]\na = ["t"]\nb = ["u"]\n'
    path = save(tmp_path, "mine.toml", 'language = "de"\n' + table.format("one") + table.format("two"))
    assert [(test.name, test.language) for test in read_tests(path)] == [("one", "de"), ("two", "de")]
    path = save(tmp_path, "sets.toml", 'language = "de"\n[sets.one]\nwords = ["p"]\n')
    assert message(path) == "sets.toml: defines no test. Add a table [tests.NAME] with x, y, a and b."


def test_all_published_sentence_tests_are_read(shared: Path) -> None:
    paths = sorted((shared / "data" / "sent-bias-tests").glob("*.jsonl"))
    tests = {path.stem: read_tests(path)[0] for path in paths}
    assert len(tests) == len(paths) > 40
    assert [len(words) for words in lists(tests["weat1"])] == [25, 25, 25, 25]
    assert [len(words) for words in lists(tests["sent-weat1"])] == [350, 350, 215, 250]
    assert tests["weat9"].x.name == "MentalDisease"


MALFORMED = {
    "JSON, no slot": (".json", JSON.replace("attr2", "attr3"), ": has the unknown key 'attr3'. Did you mean 'attr"),
    "JSON, line of key": (".json", JSON.replace("attr2", "attr3"), "mine.json:7: "),
    "JSON, slot missing": (".json", '{"targ1": {"category": "c", "examples": ["a"]}}', "lacks the key 'targ2'."),
    "JSON, unknown key": (".json", JSON.replace("category", "kategory", 1), "mine.json:2: [targ1] has the unknown key"),
    "JSON, number": (".json", JSON.replace('"rose"', "5"), "mine.json:3: [targ1] 'examples' must be a text, not a num"),
    "JSON, null": (".json", JSON.replace('["love"]', "null"), "mine.json:6: [attr1] 'examples' must be a list, not nu"),
    "JSON, list": (".json", "[1, 2]", "mine.json:1: must hold an object with targ1, targ2, attr1 and attr2, not"),
    "JSON, empty set": (".json", JSON.replace('"love"', ""), "mine.json:6: [attr1] 'examples' is empty."),
    "JSON, twice": (
        ".json",
        JSON.replace('"tulip"', '\n"rose"'),
        "mine.json:4: 'rose' stands twice in set 'Flowers' (first on line 3). Delete one of the two.",
    ),
    "JSON, in X and Y": (
        ".json",
        JSON.replace("flea", "rose"),
        "mine.json:5: 'rose' stands in both X ('Flowers') and Y ('Insects') of test 'mine'. Delete it from one",
    ),
    "JSON, same key": (".json", JSON.replace("targ2", "targ1"), "the key 'targ1' stands twice. Delete one of the two."),
    "JSON, syntax": (".json", JSON.replace('"tulip"]', '"tulip"'), "mine.json:3: is not valid JSON: "),
    "JSON, array bomb": (".json", "[" * 100_000, "mine.json: is nested too deeply. The layout needs three levels."),
    "JSON, object bomb": (".json", '{"a":' * 100_000, "mine.json: is nested too deeply."),
    "JSON, long number": (".json", "9" * 5_000, "mine.json: is not valid JSON: a number is too long."),
    "JSON, half a character": (".json", JSON.replace("love", "\\ud800"), "mine.json:6: [attr1] a text in 'examples'"),
    "BIAS, three lines": (
        ".txt",
        BIAS.replace("abuse, crash\n", ""),
        "mine.txt:8: has 3 lines of words, not four. Write X, Y, A and B, each as one line of words with commas",
    ),
    "BIAS, five lines": (".txt", BIAS + "more, words\n", "mine.txt:10: has 5 lines of words, not four."),
    "BIAS, only comments": (".txt", "# Target: rose\n", "mine.txt: has 0 lines of words, not four."),
    "BIAS, gap": (".txt", BIAS.replace("ant,", ","), "mine.txt:7: there is no word between two commas, after 'wasp'."),
    "BIAS, twice": (".txt", BIAS.replace("tulip", "rose"), "mine.txt:6: 'rose' stands twice in set 'flowers'."),
    "BIAS, in A and B": (".txt", BIAS.replace("crash", "love"), "mine.txt:9: 'love' stands in both A ('pleasant') and"),
    "BIAS, one target": (".txt", BIAS.replace(", tulip", ""), "mine.txt:6: X ('flowers') of test 'mine' has only the"),
    "CSV, no column": (".csv", "x,y,a\np,q,r\n", "mine.csv:1: the column 'b' is missing. The header is set,word or"),
    "CSV, one column": (".csv", "set\nx\n", "mine.csv:1: the column 'word' is missing."),
    "CSV, unknown column": (".csv", LONG.replace("word", "wrod"), "mine.csv:1: unknown column 'wrod'. Did you mean"),
    "CSV, twice": (".csv", LONG.replace("tulip", "rose"), "mine.csv:3: 'rose' stands twice in set 'x' (first on line"),
    "CSV, in X and Y": (".csv", LONG.replace("flea", "rose"), "mine.csv:6: 'rose' stands in both X ('x') and Y ('y')"),
    "CSV, three sets": (".csv", LONG.replace("b,", "a,"), "mine.csv: holds 3 sets (x, y, a), not four."),
    "CSV, ragged": (".csv", LONG.replace("y,ant", "y,ant,bee"), "mine.csv:5: the row has 3 cells, the header 2."),
    "CSV, empty word": (".csv", LONG.replace("ant", " "), "mine.csv:5: a word of set 'y' (' ') is empty."),
    "CSV, empty set": (".csv", "x,y,a,b\np,q,,s\nt,u,,v\n", "mine.csv:1: the column 'a' is empty."),
    "CSV, no rows": (".csv", "x,y,a,b\n", "mine.csv:1: has no row of words."),
    "CSV, open quote": (".csv", LONG + 'b,"wreck\n', "mine.csv:10: is not valid CSV: unexpected end of data."),
    "no such layout": (".docx", "rose", "mine.docx: a test cannot be read from '.docx'. Use .toml, .json,"),
}  # fmt: skip


@pytest.mark.parametrize("case", MALFORMED)
def test_says_what_is_wrong_and_where(case: str, tmp_path: Path) -> None:
    suffix, content, expected = MALFORMED[case]
    assert expected in message(save(tmp_path, f"mine{suffix}", content))


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("reader", [read_tests, read_word_set])
def test_no_reader_takes_what_is_no_text(reader: Callable[[Path], object], suffix: str, tmp_path: Path) -> None:
    name = f"mine{suffix}"
    latin = save(tmp_path, name, "é".encode("latin-1"))
    assert f"{name}:1: is not UTF-8: byte 0xe9 at offset 0. Save it as UTF-8" in message(latin, reader)
    assert f"{name}:1: holds a NUL byte" in message(save(tmp_path, name, b"PK\x03\x04\0\0"), reader)
    assert f"{name}: is empty." in message(save(tmp_path, name, ""), reader)
    (tmp_path / name).unlink()
    assert f"{name}: there is no such file." in message(tmp_path / name, reader)
    (tmp_path / name).mkdir()
    assert f"{name}: is a folder, not a file." in message(tmp_path / name, reader)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_line_of_100_megabytes_is_refused(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"mine{suffix}"
    with path.open("wb") as file:
        file.truncate(0)
        for _ in range(100):
            file.write(b"a," * 2**19)
    for reader in (read_tests, read_word_set):
        assert f"mine{suffix}:1: the line is longer than 1 MB." in message(path, reader)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("rose\n# a comment\n\n  tulip \n", ("rose", "tulip")),
        ("rose, tulip, lily of the valley,\n", ("rose", "tulip", "lily of the valley")),
        ("rose", ("rose",)),
        ("cafe\u0301\r\n", ("caf\u00e9",)),
    ],
)
def test_a_word_set_from_plain_text(content: str, words: tuple[str, ...], tmp_path: Path) -> None:
    path = save(tmp_path, "flowers.txt", content)
    assert read_word_set(path).texts == words
    assert (read_word_set(path).name, read_word_set(path, "mine").name) == ("flowers", "mine")


def test_what_is_wrong_with_plain_text(tmp_path: Path) -> None:
    assert message(save(tmp_path, "f.txt", "rose\n\nrose\n"), read_word_set) == (
        "f.txt:3: 'rose' stands twice in set 'f' (first on line 1). Delete one of the two."
    )
    assert "f.txt:2: 'tulip, lily' holds a comma. Write one word a line" in message(
        save(tmp_path, "f.txt", "rose\ntulip, lily\n"), read_word_set
    )
    assert "f.txt: holds no word. Write one word a line." in message(save(tmp_path, "f.txt", "# rose\n"), read_word_set)
    assert "f.txt: set 'f' has 100001 entries (at most 100000)" in message(
        save(tmp_path, "f.txt", "".join(f"w{n}\n" for n in range(100_001))), read_word_set
    ).replace("f.txt:100001:", "f.txt:")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("mine.json", JSON.replace("Insects", "y")),
        ("mine.csv", LONG),
        ("mine.csv", WIDE),
        ("mine.toml", 'language = "en"\n[sets.y]\nwords = ["wasp", "ant", "flea"]\n[sets.z]\nwords = ["a"]\n'),
    ],
)
def test_one_set_of_several(name: str, content: str, tmp_path: Path) -> None:
    path = save(tmp_path, name, content)
    assert read_word_set(path, "y").texts == ("wasp", "ant", "flea")
    assert "word sets; which one? Its sets: " in message(path, read_word_set)
    assert f"{name}: holds no word set 'yy'." in message(path, lambda path: read_word_set(path, "yy"))


def write_json(sets: Lists) -> str:
    slots = ("targ1", "targ2", "attr1", "attr2")
    return json.dumps({slot: {"category": slot, "examples": words} for slot, words in zip(slots, sets, strict=True)})


def write_toml(sets: Lists) -> str:
    # A JSON list of texts is a TOML one, but for the halves of characters beyond U+FFFF and for DEL.
    rows = [f"{slot} = {json.dumps(words, ensure_ascii=False)}\n" for slot, words in zip("xyab", sets, strict=True)]
    return 'language = "en"\n[tests.mine]\n' + "".join(rows)


def write_bias(sets: Lists) -> str:
    return "".join(f"{', '.join(words)}\n" for words in sets)


def write_long(sets: Lists) -> str:
    file = io.StringIO()
    rows = [(slot, word) for slot, words in zip("xyab", sets, strict=True) for word in words]
    csv.writer(file).writerows([("set", "word"), *rows])
    return file.getvalue()


def write_wide(sets: Lists) -> str:
    file = io.StringIO()
    csv.writer(file, delimiter=";").writerows([tuple("xyab"), *zip_longest(*sets, fillvalue="")])
    return file.getvalue()


WRITERS = {
    write_json: ".json",
    write_toml: ".toml",
    write_bias: ".txt",
    write_long: ".csv",
    write_wide: ".csv",
}
WORD = st.text(st.characters(codec="utf-8", exclude_characters=",#{"), min_size=1, max_size=8).map(clean)
TESTS = (
    st.lists(WORD.filter(lambda text: fault(text) is None), min_size=8, max_size=16, unique=True)
    .map(lambda words: (words[:2], words[2:5], words[5:6], words[6:]))
)  # fmt: skip
FUZZ = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@FUZZ
@given(sets=TESTS)
def test_a_test_survives_every_layout(sets: Lists, tmp_path: Path) -> None:
    for write, suffix in WRITERS.items():
        (test,) = read_tests(save(tmp_path, f"mine{suffix}", write(sets)))
        assert lists(test) == list(sets), write.__name__
    for words in sets:
        assert read_word_set(save(tmp_path, "mine.txt", "\n".join(words))).texts == tuple(words)


def result_or_refusal(reader: Callable[[Path], Sized], path: Path) -> None:
    """Any exception but InputError fails the test that asks; so does a message with a raw control character."""
    try:
        result = reader(path)
    except InputError as error:
        refusal = error
    else:
        assert len(result) > 0
        return
    assert refusal.where is not None
    assert str(refusal).isprintable()


@FUZZ
@given(
    content=st.binary(max_size=100)
    | st.text(max_size=100).map(lambda text: text.encode("utf-8", "replace"))
    | st.lists(st.sampled_from([*',;\n\r"#:xyabw', "set,word\n", "x,y,a,b\n"]))
    .map(lambda parts: "".join(parts).encode())
)  # fmt: skip
def test_random_content_is_read_or_refused(content: bytes, tmp_path: Path) -> None:
    for suffix in SUFFIXES:
        path = save(tmp_path, f"mine{suffix}", content)
        result_or_refusal(read_tests, path)
        result_or_refusal(read_word_set, path)


JSON_VALUES: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["category", "examples"]) | st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


@FUZZ
@given(value=JSON_VALUES, at=st.sampled_from(["targ1", "targ2", "attr1", "attr2", "targ1.examples", "attr2.category"]))
def test_json_of_any_shape_is_read_or_refused(value: object, at: str, tmp_path: Path) -> None:
    whole = json.loads(JSON)
    slot, _, key = at.partition(".")
    if key:
        whole[slot][key] = value
    else:
        whole[slot] = value
    for content in (whole, value):
        path = save(tmp_path, "mine.json", json.dumps(content))
        result_or_refusal(read_tests, path)
        result_or_refusal(read_word_set, path)


@FUZZ
@given(
    layout=st.sampled_from([(JSON, ".json"), (BIAS, ".txt"), (LONG, ".csv"), (WIDE, ".csv")]),
    at=st.integers(0, 300),
    length=st.integers(0, 12),
    new=st.text(max_size=4),
)
def test_a_damaged_file_is_read_or_refused(
    layout: tuple[str, str], at: int, length: int, new: str, tmp_path: Path
) -> None:
    content, suffix = layout
    damaged = content[:at] + new + content[at + length :]
    path = save(tmp_path, f"mine{suffix}", damaged.encode("utf-8", "replace"))
    result_or_refusal(read_tests, path)
    result_or_refusal(read_word_set, path)
