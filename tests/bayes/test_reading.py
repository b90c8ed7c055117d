"""Distances from CSV files, good and bad."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from tiltmeter.bayes.reading import read_distances
from tiltmeter.errors import InputError

HEADER = "protected_word,word_to_compare,word_class,cosine_distance,cosine_similarity,connection\n"
GOOD = (
    HEADER
    + "jew,greedy,jewish,0.75,0.25,associated\n"
    + "jew,dirty,muslim,0.9,0.1,different\n"
    + "imam,dirty,muslim,0.5,0.5,associated\n"
    + "imam,chair,neutral,1.25,-0.25,none\n"
)


def test_a_file_is_read_with_its_words_connections_and_sets(tmp_path: Path) -> None:
    (tmp_path / "religion.csv").write_text(GOOD)
    data = read_distances(tmp_path / "religion.csv")
    assert (data.name, data.words) == ("religion", ("jew", "imam"))
    assert data.counts() == {"protected": 2, "associated": 2, "different": 1, "human": 0, "neutral": 1}
    assert data.of("neutral").tolist() == [1.25]
    assert data.sets[1] == "muslim"


def test_a_compressed_file_is_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "religion.csv.xz").write_bytes(lzma.compress(GOOD.encode()))
    data = read_distances(tmp_path / "religion.csv.xz")
    assert (data.name, data.distance.tolist()) == ("religion", [0.75, 0.9, 0.5, 1.25])


def test_either_the_distance_or_the_similarity_will_do(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "Protected_Word,word_to_compare,connection,cosine_similarity\na,b,associated,0.25\na,c,Human,-0.5\n"
    )
    assert read_distances(tmp_path / "a.csv").distance.tolist() == [0.75, 1.5]


def test_a_similarity_below_minus_one_marks_a_missing_word(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(GOOD + "quran,chair,neutral,-100,-100,none\njew,sofa,neutral,-100,-100,none\n")
    data = read_distances(tmp_path / "a.csv")
    assert data.words == ("jew", "imam")
    assert [(lost.word, lost.where) for lost in data.lost] == [("quran", "protected"), ("sofa", "attributes")]
    assert data.settings["rows_marked_missing"] == 2


def test_repeated_pairs_count_as_they_stand_but_are_told_of(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(GOOD + "jew,greedy,jewish,0.75,0.25,associated\n")
    data = read_distances(tmp_path / "a.csv")
    assert data.of("associated").size == 3
    assert "1 of the 4 pairs stand in the file more than once (jew–greedy 2 times" in data.remarks[0]
    once = read_distances(tmp_path / "a.csv", distinct=True)
    assert once.of("associated").size == 2
    assert once.remarks == ()


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("protected_word,word_to_compare,cosine_distance\na,b,1\n", 1, "no column 'connection'"),
        ("protected_word,word_to_compare,connection\na,b,human\n", 1, "'cosine_distance' or 'cosine_similarity'"),
        (GOOD + "jew,table,neutral,nan,nan,none\n", 6, "the cosine_distance is 'nan', not a number"),
        (GOOD + "jew,table,neutral,,,none\n", 6, "the cosine_distance is empty"),
        (GOOD + "jew,table,neutral,2.5,-0.9,none\n", 6, "do not add up to 1"),
        (GOOD + "jew,table,neutral,0.5,0.5,nothing\n", 6, "the connection is 'nothing'"),
        (GOOD + "jew,table,neutral,0.5,0.5\n", 6, "5 cells, the header 6"),
        (GOOD + ",table,neutral,0.5,0.5,none\n", 6, "the protected_word is empty"),
        (GOOD + '"jew,table,neutral,0.5,0.5,none\n', 6, "is not valid CSV"),
        ("protected_word,word_to_compare,connection,cosine_distance\na,b,human,2.5\n", 2, "between 0 and 2"),
        (HEADER, None, "no row with a distance"),
        (HEADER + "a,b,c,-100,-100,none\n", None, "1 rows mark missing words"),
        ("", None, "is empty"),
    ],
)
def test_a_bad_file_is_refused_where_it_is_bad(tmp_path: Path, text: str, line: int | None, message: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_distances(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)
    assert caught.value.line == line
    assert caught.value.hint


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    (tmp_path / "bomb.csv.xz").write_bytes(lzma.compress(bytes(1 << 27)))
    with pytest.raises(InputError, match=r"bomb\.csv\.xz"):
        read_distances(tmp_path / "bomb.csv.xz")
