"""Tables: the nine columns of the SEAT supplement, and what a reader sees."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

from tiltmeter.errors import InputError
from tiltmeter.measurement import Measurement
from tiltmeter.report.tables import SEAT_COLUMNS, association_rows, p_text, write_association_tsv


def measured(test: str, p_value: float, words: float | None = None) -> Measurement:
    return Measurement(
        model="glove",
        test=test,
        metric="weat",
        value=1.0,
        low=0.5,
        high=1.5,
        p_value=p_value,
        counts={"X": 8, "Y": 7, "A": 6, "B": 5},
        settings={"seed": 0},
        details={"null_share": 0.2, "p_value_words": p_value if words is None else words},
    )


def test_the_nine_columns(tmp_path: Path) -> None:
    write_association_tsv(tmp_path / "results.tsv", [measured("weat7", 0.0156954), measured("weat8", math.nan)])
    with (tmp_path / "results.tsv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert tuple(rows[0]) == SEAT_COLUMNS
    assert len(SEAT_COLUMNS) == 9
    first = rows[0]
    assert (first["model"], first["options"], first["test"]) == ("glove", '{"seed": 0}', "weat7")
    assert float(first["p_value"]) == 0.0156954
    assert [first[f"num_{side}"] for side in ("targ1", "targ2", "attr1", "attr2")] == ["8", "7", "6", "5"]
    assert list(tmp_path.iterdir()) == [tmp_path / "results.tsv"]


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none/results.tsv: cannot be written \(No such file"):
        write_association_tsv(tmp_path / "none" / "results.tsv", [measured("weat7", 0.1)])


def test_an_interrupted_write_leaves_the_old_file(tmp_path: Path) -> None:
    file = tmp_path / "results.tsv"
    file.write_text("old")
    with pytest.raises(KeyError):  # the second row has no counts: half of the table is written by then
        write_association_tsv(
            file, [measured("weat7", 0.1), Measurement(model="m", test="t", metric="weat", value=1.0)]
        )
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_marks_follow_holm_over_the_whole_table() -> None:
    # .004 · 3 = .012 and so .006 · 2 = .012 are above .01; alone, both would be below.
    rows = association_rows([measured("a", 0.004), measured("b", 0.006), measured("c", 0.5)], alpha=0.01)
    assert [row["p-value"] for row in rows] == ["0.004", "0.006", "0.500"]
    assert [row["p-value"] for row in association_rows([measured("a", 0.004)], alpha=0.01)] == ["0.004 *"]


def test_the_p_value_by_word_is_shown_where_it_differs() -> None:
    assert "p by word" not in association_rows([measured("a", 0.004)], alpha=0.01)[0]
    assert association_rows([measured("a", 1e-17, words=0.02)], alpha=0.01)[0]["p by word"] == "0.020"


def test_a_p_value_is_never_shown_as_zero() -> None:
    assert p_text(1.234e-17) == "1.2e-17"
    assert p_text(math.nan) == "–"
