"""Sentence pairs: the bundled ones, and CSV files in the layouts of CrowS-Pairs and its translations."""

from __future__ import annotations

import csv
import gzip
import io
import lzma
from collections import Counter
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tiltmeter.errors import InputError
from tiltmeter.lexicon.pairs import SentencePair, pair_set, read_pairs

HEADER = "sent_more,sent_less,stereo_antistereo,bias_type\n"


def written(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    file = folder / "mine.csv"
    file.write_bytes(text.encode(encoding))
    return file


def test_the_bundled_pairs_differ_in_a_few_words_only() -> None:
    pairs = pair_set("en").pairs
    assert len(pairs) == len({pair.more for pair in pairs}) >= 40
    assert {pair.direction for pair in pairs} == {"stereo", "antistereo"}
    assert min(Counter(pair.bias_type for pair in pairs).values()) >= 3
    for pair in pairs:
        more, less = pair.more.split(), pair.less.split()
        changed = [part for part in SequenceMatcher(None, more, less).get_opcodes() if part[0] != "equal"]
        assert 1 <= len(changed) <= 2  # whom it speaks of, and a pronoun that follows
        assert max(end - start for _, start, end, _, _ in changed) <= 3


@pytest.mark.parametrize(
    ("lang", "man", "woman"),
    [
        ("de", "Er", "Sie"),
        ("en", "He", "She"),
        ("es", "El chico", "La chica"),
        ("fr", "Le garçon", "La fille"),
        ("is", "Hann", "Hún"),
        ("it", "Il ragazzo", "La ragazza"),
        ("nl", "Hij", "Zij"),
        ("no", "Han", "Hun"),
        ("tr", "Oğlan", "Kız"),
    ],
)
def test_the_more_stereotypical_sentence_comes_first_in_antistereo_pairs_too(lang: str, man: str, woman: str) -> None:
    """As in the published set, where "antistereo" says that `less` goes against a stereotype: she repairs the motor."""
    repaired = next(
        pair for pair in pair_set(lang).pairs if (pair.bias_type, pair.direction) == ("gender", "antistereo")
    )
    assert repaired.more.startswith(f"{man} ")
    assert repaired.less.startswith(f"{woman} ")


def test_the_published_pairs_are_read(shared: Path, tmp_path: Path) -> None:
    text = lzma.decompress((shared / "data" / "crows_pairs_anonymized.csv.xz").read_bytes()).decode()
    read = read_pairs(written(tmp_path, text))
    assert len(read) == 1508
    assert Counter(pair.direction for pair in read.pairs) == {"stereo": 1290, "antistereo": 218}
    assert len({pair.bias_type for pair in read.pairs}) == 9
    engineer = next(pair for pair in read.pairs if pair.less.startswith("The woman was highly skilled in CAD"))
    assert engineer.direction == "antistereo"
    assert read.pairs[1].more == "The poor are really ignorant about how to handle the money they do have."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_separators_and_encodings(tmp_path: Path, separator: str, encoding: str) -> None:
    rows = [["id", "sent_more", "sent_less", "bias_type"], ["1", "Elle est née, là; en été.", "Il est né là.", "genre"]]
    out = io.StringIO()
    csv.writer(out, delimiter=separator).writerows(rows)
    read = read_pairs(written(tmp_path, out.getvalue(), encoding), "fr")
    assert read.pairs == (SentencePair("Elle est née, là; en été.", "Il est né là.", "stereo", "genre"),)


def test_the_columns_of_the_language_come_before_those_of_english(tmp_path: Path) -> None:
    text = "sent_more,sent_less,sent_more_fr,sent_less_fr\nHe eats.,She eats.,Il mange.,Elle mange.\n"
    assert read_pairs(written(tmp_path, text), "fr").pairs[0].more == "Il mange."
    assert read_pairs(written(tmp_path, text), "en").pairs[0].more == "He eats."


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("sent_mor,sent_less\na,b\n", "mine.csv:1: has no column 'sent_more'. Did you mean 'sent_mor'"),
        (HEADER + "a,b,stereo\n", "mine.csv:2: has 3 columns where the header has more"),
        (HEADER + "a,b,sterero,age\n", "mine.csv:2: stereo_antistereo is 'sterero'. Write stereo or antistereo."),
        (HEADER + "A b.,A b.,stereo,age\n", "mine.csv:2: both sentences are 'A b.'"),
        (HEADER + ",b,stereo,age\n", "mine.csv:2: sent_more is empty"),
        (HEADER, "holds no pair"),
        ("", "is empty"),
        (HEADER + '"a,b,stereo,age\n', "is not valid CSV"),
        (HEADER + "a\0,b,stereo,age\n", "NUL byte"),
    ],
)
def test_says_what_is_wrong_and_where(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(InputError) as refused:
        read_pairs(written(tmp_path, text))
    assert says in str(refused.value)


def test_a_missing_file_and_a_language_without_pairs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_pairs(tmp_path / "none.csv")
    with pytest.raises(InputError, match="no bundled sentence pairs in language 'xx'"):
        pair_set("xx")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(content=st.binary(max_size=300) | st.text(max_size=200).map(lambda text: (HEADER + text).encode()))
def test_any_bytes_are_read_or_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "any.csv"
    file.write_bytes(content)
    try:
        read = read_pairs(file)
    except InputError:
        return  # any other exception fails the test
    assert len(read) > 0


@pytest.mark.parametrize("pack", [lzma.compress, gzip.compress])
def test_a_packed_file_is_unpacked_within_bounds(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    plain = (HEADER + "She cooks.,He cooks.,stereo,gender\n").encode()
    file = tmp_path / "pairs.packed"
    file.write_bytes(pack(plain))
    assert read_pairs(file).pairs == (SentencePair("She cooks.", "He cooks.", "stereo", "gender"),)
    file.write_bytes(pack(plain)[:-9])
    with pytest.raises(InputError, match="is cut off"):
        read_pairs(file)
    file.write_bytes(pack(plain) + pack(plain))
    with pytest.raises(InputError, match="several parts"):
        read_pairs(file)
    file.write_bytes(pack(b"x" * 2**27))  # 128 MiB out of a few kilobytes
    with pytest.raises(InputError, match=r"longer than 1 MB|larger than 16 MB"):
        read_pairs(file)
    broken = bytearray(pack(plain))
    broken[len(broken) // 2] ^= 0xFF
    file.write_bytes(broken)
    with pytest.raises(InputError):
        read_pairs(file)


def test_a_stream_that_asks_for_gigabytes_to_be_unpacked_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "pairs.csv.xz"
    greedy = [{"id": lzma.FILTER_LZMA2, "dict_size": 2**30, "mode": lzma.MODE_FAST, "mf": lzma.MF_HC3}]
    file.write_bytes(lzma.compress(HEADER.encode(), filters=greedy))
    with pytest.raises(InputError, match="cannot be unpacked"):
        read_pairs(file)
