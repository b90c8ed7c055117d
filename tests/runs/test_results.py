"""The run folder as somebody else may have sent it."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pytest

from tiltmeter.errors import InputError
from tiltmeter.measurement import Lost, Measurement
from tiltmeter.runs.arrays import read_arrays
from tiltmeter.runs.results import COLUMNS, read_run, write_tables
from tiltmeter.runs.run import run
from tiltmeter.runs.spec import read_spec

from .conftest import MakeSpec

ODD = Measurement(
    model='m\t"odd"\u2028\n',
    test="t\\'t",
    metric="weat",
    value=0.1 + 0.2,
    counts={"X": 2, "Y": 2, "A": 1, "B": 1},
    lost=(Lost("naïve\tword", "X", 'not "in" it'),),
    settings={"lookup": ["as is"], "padding_text": None, "fingerprint": "f"},
    details={"statistic": math.nan, "p_value_words": 1e-300},
)


@pytest.fixture
def finished(make_spec: MakeSpec, tmp_path: Path) -> Path:
    run(read_spec(make_spec()), tmp_path / "out")
    return tmp_path / "out"


def test_what_is_written_is_read_to_the_last_bit(finished: Path) -> None:
    write_tables(finished, [ODD])
    (found,) = read_run(finished).measurements
    assert found.as_dict() == ODD.as_dict()
    assert found.value == ODD.value
    assert math.isnan(found.low)
    assert math.isnan(found.details["statistic"])
    assert found.settings["padding_text"] is None


@pytest.mark.parametrize("key", ["value", "lost", "counts", "model", "details"])
@pytest.mark.parametrize("wrong", [[1], "x", True, {"a": "b"}])
def test_what_is_no_measurement_is_refused(key: str, wrong: object) -> None:
    given = ODD.as_dict()
    fits = (key, type(wrong)) in (("model", str), ("details", dict))
    given[key] = wrong
    if fits:
        assert Measurement.from_dict(given).as_dict() == given
        return
    with pytest.raises(ValueError, match=r"."):
        Measurement.from_dict(given)


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("manifest.json", b"{", "no JSON"),
        ("manifest.json", b"[]", "no JSON object"),
        ("manifest.json", b"[" * 200_000, "no JSON"),
        ("manifest.json", b'{"format": 99}', "of format 99"),
        ("manifest.json", b"\xff", "no JSON"),
        ("manifest.json", b'{"format": 1, "alpha": "a lot"}', "alpha is 'a lot'"),
        ("manifest.json", b'{"format": 1, "alpha": NaN}', "no JSON"),
        ("measurements.tsv", b"", "its columns are not those of a run"),
        ("measurements.tsv", b"model\tvalue\nm\t1\n", "its columns are not those of a run"),
        ("measurements.tsv", b"\xff\xfe", "not UTF-8"),
    ],
)
def test_a_damaged_file_is_named(finished: Path, name: str, data: bytes, said: str) -> None:
    (finished / name).write_bytes(data)
    with pytest.raises(InputError, match=said) as caught:
        read_run(finished)
    assert str(finished / name) in str(caught.value)


def test_a_damaged_row_is_named_with_its_line(finished: Path) -> None:
    path = finished / "measurements.tsv"
    lines = path.read_text(encoding="utf-8").split("\n")
    lines[3] = lines[3].replace("[]", "[1]", 1).replace("weat8", "weat8", 1)
    lines[2] = lines[2].rpartition("\t")[0] + "\t{"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_run(finished)
    assert str(caught.value).startswith(f"{path}:3: is damaged")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"p_value": 1.5}, "column p_value is 1.5, not between 0 and 1"),
        ({"details": {"p_adjusted": 7.0}}, "column details, p_adjusted is 7.0, not between 0 and 1"),
        ({"details": {"p_adjusted": "low"}}, "column details, p_adjusted is 'low', not between 0 and 1"),
        ({"details": {"statistic": 10**400}}, "is too long"),
        ({"details": {"word": "\ud800"}}, "surrogates not allowed"),
        ({"value": math.inf}, "is not finite"),
    ],
)
def test_a_number_that_cannot_be_is_named_with_its_row_and_column(
    finished: Path, changed: dict[str, object], said: str
) -> None:
    path = finished / "measurements.tsv"
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t"))
    for key, value in changed.items():
        rows[2][COLUMNS.index(key)] = json.dumps(value) if isinstance(value, dict) else str(value)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t", lineterminator="\n").writerows(rows)
    with pytest.raises(InputError) as caught:
        read_run(finished)
    assert str(caught.value).startswith(f"{path}:3: is damaged")
    assert said in str(caught.value)


@pytest.mark.parametrize("name", ["manifest.json", "measurements.tsv"])
def test_no_link_leads_out_of_the_folder(finished: Path, tmp_path: Path, name: str) -> None:
    secret = tmp_path / "secret"
    (finished / name).rename(secret)
    (finished / name).symlink_to(secret)
    with pytest.raises(InputError, match="not a regular file"):
        read_run(finished)


def test_a_file_that_is_too_large_is_not_read(finished: Path) -> None:
    with (finished / "manifest.json").open("r+b") as file:
        file.truncate(2**27)  # a hole: it takes no room on the disk
    with pytest.raises(InputError, match="larger than 64 MB"):
        read_run(finished)


@pytest.mark.parametrize("data", [b"", b"\xff" * 100, (2**40).to_bytes(8, "little") + b"{}", bytes(8)])
def test_damaged_arrays_are_named(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(data)
    with pytest.raises(InputError, match="is damaged") as caught:
        read_arrays(path)
    assert str(path) in str(caught.value)


def test_the_manifest_says_what_was_run(finished: Path) -> None:
    manifest = read_run(finished).manifest
    assert manifest["models"][0]["name"] == "small"
    assert len(manifest["models"][0]["fingerprint"]) == 64
    assert [job["test"] for job in manifest["jobs"]] == ["weat6", "weat7", "weat8"] * 2
    assert manifest["spec"]["tests"] == ["weat6", "weat7", "weat8"]
    assert manifest["timings"]["by_job"].keys() == {job["hash"] for job in manifest["jobs"]}
    assert "numpy" in manifest["versions"]
    assert json.dumps(manifest)
