"""The lexicon's own format: what it reads, and what it says to the person whose file is wrong."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tiltmeter.errors import InputError
from tiltmeter.lexicon.toml_format import Lexicon, read_lexicon
from tiltmeter.lexicon.words import Gender, Kind, Role

Write = Callable[[str | bytes], Path]

VALID = """\
language = "en"
source = "Made up for this test"

[sets.job]
kind = "person"
words = ["nurse", { text = "barman", plural = "barmen", gender = "male" }, "engineer"]

[sets.trait]
title = "Traits"
role = "sensitive"
kind = ["adjective", "mass"]
words = ["kind", "cold"]

[sets.woman]
gender = "female"
words = ["Amy", "Joan"]

[templates.job-trait]
target = "job"
feature = "trait"
sentences = [
  "{target:a} is {feature:adjective}.",
]

[tests.jobs]
x = "job"
y = ["piano", "flute"]
a = "trait"
b = ["soft"]

[multiclass.faith]
classes = ["jew", "christian"]
definitions = [["judaism", "christianity"], ["synagogue", "church"]]
[multiclass.faith.stereotypes]
jew = ["greedy"]
christian = ["familial"]
"""


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def to_file(content: str | bytes) -> Path:
        path = tmp_path / "mine.toml"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return to_file


def message(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_lexicon(path)
    return str(caught.value).replace(f"{path.parent}/", "")


def test_reads_every_kind_of_table(write: Write) -> None:
    lexicon = read_lexicon(write(VALID))
    job, trait = lexicon.sets["job"], lexicon.sets["trait"]
    assert job.texts == ("nurse", "barman", "engineer")
    assert (job.words[1].plural, job.words[1].gender) == ("barmen", Gender.MALE)
    assert job.words[1].kinds == {Kind.PERSON}
    assert (job.title, job.role, job.source) == ("job", Role.CONCEPT, "Made up for this test")
    assert (trait.title, trait.role) == ("Traits", Role.SENSITIVE)
    assert trait.words[0].kinds == {Kind.ADJECTIVE, Kind.MASS}
    (template,) = lexicon.templates["job-trait"].templates
    assert template.fill({"target": job.words[2], "feature": trait.words[1]}) == "An engineer is cold."
    jobs = lexicon.tests["jobs"]
    assert jobs.x is job
    assert jobs.y.texts == ("piano", "flute")
    assert jobs.y.words[0].kinds == {Kind.THING}
    assert lexicon.multiclass["faith"].definitions[1] == ("synagogue", "church")


def test_text_is_stripped_and_composed(write: Write) -> None:
    lexicon = read_lexicon(write('language = "en"\n[sets.a]\nwords = ["  cafe\u0301 "]\n'))
    assert lexicon.sets["a"].texts == ("caf\u00e9",)


def test_windows_line_ends_and_a_byte_order_mark_are_no_fault(write: Write) -> None:
    windows = b"\xef\xbb\xbf" + VALID.replace("\n", "\r\n").encode()
    plain = read_lexicon(write(VALID))
    assert read_lexicon(write(windows)) == plain


def test_a_test_may_name_bundled_sets(write: Write) -> None:
    own = 'language = "en"\n[tests.mine]\nx = "flowers"\ny = "insects"\na = ["good"]\nb = ["bad"]\n'
    assert "rose" in read_lexicon(write(own)).tests["mine"].x.texts


# Each case: what is replaced in VALID, by what, and the message with file, line, word and suggestion.
MALFORMED = {
    "missing slot": (
        "{target:a} is",
        "Someone is",
        "mine.toml:22: [templates.job-trait] the slot {target} is missing in"
        " 'Someone is {feature:adjective}.'. Each template needs {target} and {feature}.",
    ),
    "unknown slot": ("{target:a}", "{targt:a}", "mine.toml:22: [templates.job-trait] unknown slot '{targt:a}'"),
    "unknown form": ("{target:a}", "{target:plurl}", "unknown form 'plurl' in '{target:plurl} is"),
    "form suggested": ("{target:a}", "{target:plurl}", "Did you mean 'plural'"),
    "lone brace": ("{target:a}", "{target:a} {", "mine.toml:22: [templates.job-trait] unpaired brace in"),
    "no word fits": (
        "{feature:adjective}",
        "{feature:plural}",
        "mine.toml:22: [templates.job-trait] no word of set 'trait' fits {feature} in",
    ),
    "empty set": ('["Amy", "Joan"]', "[]", "mine.toml:16: [sets.woman] 'words' is empty. Give it at least one"),
    "empty word": ('"Joan"]', '" "]', "mine.toml:16: [sets.woman] a text in 'words' (' ') is empty."),
    "duplicate word": (
        '"engineer"]',
        '"engineer",\n "nurse"]',
        "mine.toml:7: 'nurse' stands twice in set 'job' (first on line 6). Delete one of the two.",
    ),
    "duplicate after NFC": (
        '"Amy", "Joan"',
        '"Zo\u00eb",\n "Zoe\u0308"',
        "mine.toml:17: 'Zo\u00eb' stands twice in set 'woman' (first on line 16), as \"'Zo\\\\xeb'\" and",
    ),
    "word in x and y": (
        '"piano"',
        '"nurse"',
        "mine.toml:27: 'nurse' stands in both X ('job') and Y ('jobs-y') of test 'jobs'. Delete it from one",
    ),
    "word in a and b": ('"soft"', '"cold"', "mine.toml:29: 'cold' stands in both A ('trait') and B ('jobs-b')"),
    "one target word": (
        ', "flute"',
        "",
        "mine.toml:27: Y ('jobs-y') of test 'jobs' has only the word 'piano'. A target set needs at least two",
    ),
    "unknown set": (
        'a = "trait"',
        'a = "triat"',
        "mine.toml:28: [tests.jobs] there is no word set 'triat' for 'a'. Did you mean 'trait",
    ),
    "unknown key": (
        "title =",
        "tilte =",
        "mine.toml:9: [sets.trait] has the unknown key 'tilte'. Did you mean 'title'?",
    ),
    "unknown section": ("[sets.job]", "[stes.job]", "mine.toml:4: has the unknown key 'stes'. Did you mean 'sets'"),
    "unknown key of a word": ("plural =", "plurl =", "mine.toml:6: [sets.job.words] has the unknown key 'plurl'."),
    "word without text": ('text = "barman", ', "", "mine.toml:6: [sets.job.words] a word of set 'job' lacks its text."),
    "unknown kind": ('"person"', '"persn"', "mine.toml:5: [sets.job] unknown kind 'persn'. Did you mean 'person'?"),
    "unknown role": ("sensitive", "sensible", "mine.toml:10: [sets.trait] unknown role 'sensible'. Did you mean 'sens"),
    "unknown gender": (
        '"male"',
        '"mal"',
        "mine.toml:6: [sets.job.words] unknown gender 'mal' of 'barman'. Did you mean 'male'",
    ),
    "number for a text": (
        '"Traits"',
        "3",
        "mine.toml:9: [sets.trait] 'title' must be a text, not a number. Put it in quotes",
    ),
    "text for a list": ('["Amy", "Joan"]', '"Amy"', "mine.toml:16: [sets.woman] 'words' must be a list, not a text."),
    "missing key": ('b = ["soft"]\n', "", "mine.toml:25: [tests.jobs] lacks the key 'b'."),
    "name not in kebab-case": ("[sets.woman]", "[sets.My_Women]", "mine.toml:14: [sets.My_Women] is not in kebab"),
    "definition too short": (
        '["judaism", "christianity"]',
        '["judaism"]',
        "mine.toml:33: [multiclass.faith] definition 1 is 1 words, not a list of 2. Give one word for each class",
    ),
    "unknown class": (
        "christian = [",
        "cristian = [",
        "mine.toml:36: [multiclass.faith.stereotypes] has the unknown key 'cristian'. Did you mean 'christian'?",
    ),
    "syntax": ('source = "', "source = ", "mine.toml:2: is not valid TOML: "),
    "same table twice": ("[sets.woman]", "[sets.job]", "mine.toml:14: is not valid TOML: "),
    "language": ('"en"', '"English"', "mine.toml:1: 'English' is no language code."),
    "no language": ('language = "en"\n', "", "mine.toml: the file does not say its language. Begin it with"),
    "escaped NUL": ('"Amy"', '"A\\u0000my"', "mine.toml:16: [sets.woman] a text in 'words' ('A\\x00my') holds the"),
    "zero-width space": ('"Amy"', '"A\u200bmy"', "mine.toml:16: [sets.woman] a text in 'words' ('A\\u200bmy') holds"),
    "control character": ('"Amy"', '"A\x07my"', "mine.toml:16: holds the control character U+0007."),
    "NUL": ('"Amy"', '"A\x00my"', "mine.toml:16: holds a NUL byte (U+0000): it is a binary file"),
    "dotted key bomb": ('source = "Made', f'{".".join("a" * 50_000)} = "', "mine.toml:2: is nested too deeply."),
    "array bomb": ('source = "Made', f'a = {"[" * 50_000}"', "mine.toml: is nested too deeply."),
}  # fmt: skip


@pytest.mark.parametrize("case", MALFORMED)
def test_says_what_is_wrong_and_where(case: str, write: Write) -> None:
    old, new, expected = MALFORMED[case]
    assert VALID.count(old) >= 1
    assert expected in message(write(VALID.replace(old, new, 1)))


def test_pronouns_need_a_gender(write: Write) -> None:
    test = '\n[tests.bind]\nx = "woman"\ny = ["he", "him"]\na = "trait"\nb = ["soft"]\n'
    template = 'target_template = "{word} knows {possessive} job."\n'
    whole = VALID.replace("\n[multiclass.faith]", f"{test}{template}\n[multiclass.faith]")
    assert "mine.toml:33: 'he' in Y of test 'bind' has no gender" in message(write(whole))


def test_wrong_encoding_names_the_byte_and_the_way_out(write: Write) -> None:
    told = message(write(VALID.replace("Amy", "Zo\u00eb").encode("latin-1")))
    offset = VALID.index("Amy") + 2
    assert f"mine.toml:16: is not UTF-8: byte 0xeb at offset {offset}. Save it as UTF-8" in told
    assert "iconv -f WINDOWS-1252 -t UTF-8" in told
    assert "mine.toml: is UTF-16 text, not UTF-8." in message(write(VALID.encode("utf-16")))


def test_a_line_of_100_megabytes_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    with path.open("wb") as file:
        file.write(b'language = "en"\nsource = "')
        for _ in range(100):
            file.write(b"a" * 2**20)
    start = time.perf_counter()
    assert message(path) == "mine.toml:2: the line is longer than 1 MB. Is it a text file? Break it into shorter lines."
    assert time.perf_counter() - start < 2


def test_a_large_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes((b"#" * 1000 + b"\n") * 20_000)
    assert message(path) == "mine.toml: is larger than 16 MB. Split it into several files."


def test_what_is_no_file(tmp_path: Path, write: Write) -> None:
    write(VALID)
    assert message(tmp_path / "mien.toml") == "mien.toml: there is no such file. Did you mean 'mine.toml'?"
    assert "is a folder, not a file." in message(tmp_path)
    assert "is not a regular file." in message(Path("/dev/zero"))
    assert "cannot be read" in message(tmp_path / "a\0b.toml")
    assert "there is no such file. There is no folder" in message(tmp_path / "no" / "mine.toml")


def test_files_with_nothing_in_them(write: Write) -> None:
    assert message(write("")) == "mine.toml: is empty. It should hold words or tests."
    assert message(write(" \n\n")) == "mine.toml: is empty. It should hold words or tests."
    assert "mine.toml: defines nothing. Add a table: [sets.NAME]" in message(write('language = "en"\n'))


def test_a_binary_file(write: Write) -> None:
    assert "mine.toml:1: holds a NUL byte" in message(write(b"PK\x03\x04\x14\x00\x00\x00\x08\x00"))
    assert "mine.toml:1: is not UTF-8: byte 0x89 at offset 0." in message(write(b"\x89PNG\r\n\x1a\n"))


def result_or_refusal(path: Path) -> Lexicon | None:
    """The result, where there is one. Any exception but InputError fails the test that asks."""
    try:
        return read_lexicon(path)
    except InputError as error:
        refusal = error
    assert refusal.where is not None
    assert str(refusal).isprintable()
    return None


FUZZ = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@FUZZ
@given(content=st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_random_bytes_end_in_a_refusal(content: bytes, write: Write) -> None:
    assert result_or_refusal(write(content)) is None


@FUZZ
@given(
    at=st.integers(0, len(VALID)),
    length=st.integers(0, 20),
    new=st.text(max_size=6)
    | st.sampled_from(['"', "[", "]", "{", "}", "=", "\n", ".", "[[", '"""', "1979-05-27", "true"]),
)
def test_a_damaged_file_is_read_or_refused(at: int, length: int, new: str, write: Write) -> None:
    damaged = VALID[:at] + new + VALID[at + length :]
    lexicon = result_or_refusal(write(damaged.encode("utf-8", "replace")))
    if lexicon is not None:
        for words in lexicon.sets.values():
            assert len(set(words.texts)) == len(words) > 0
            assert all(unicodedata.normalize("NFC", text).strip() == text != "" for text in words.texts)


_VALUES: st.SearchStrategy[str] = st.recursive(
    st.sampled_from(['"x"', "1", "1.5", "true", "1979-05-27", "07:32:00", "[]", "{}", '""']),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda values: f"[{', '.join(values)}]")
        | inner.map(lambda value: f"{{text = {value}}}")
    ),
    max_leaves=4,
)


@FUZZ
@given(old=st.sampled_from([line for line in VALID.splitlines() if " = " in line and line[-1] != "["]), value=_VALUES)
def test_a_value_of_any_type_anywhere_is_read_or_refused(old: str, value: str, write: Write) -> None:
    result_or_refusal(write(VALID.replace(old, f"{old.partition(' = ')[0]} = {value}")))
