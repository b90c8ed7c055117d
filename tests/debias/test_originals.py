"""Nothing is written over what is read, by whatever name it is called."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.models.tiny import build
from tiltmeter.debias.originals import originals, protect
from tiltmeter.debias.run import check_places, place_of
from tiltmeter.errors import InputError, ModelError

from .made import embedding


@pytest.fixture
def matrix(tmp_path: Path) -> Path:
    """A bare matrix, and its words beside it."""
    words, rows = embedding()
    place = tmp_path / "own" / "vectors.npy"
    place.parent.mkdir()
    np.save(place, rows)
    place.with_name("words.txt").write_text("\n".join(words) + "\n")
    return place


def test_a_matrix_is_two_files_and_a_model_a_folder(matrix: Path, tmp_path: Path) -> None:
    assert originals(str(matrix)) == [matrix, matrix.with_name("words.txt")]
    folder = build(tmp_path / "bert", "bert", "masked")
    assert originals(str(folder)) == [folder]


@pytest.mark.parametrize(
    "name",
    [
        lambda path: path,
        lambda path: path.parent / ".." / path.parent.name / path.name,
        lambda path: _linked(path, os.symlink),
        lambda path: _linked(path, os.link),
    ],
)
def test_a_file_is_known_by_every_name(name: Callable[[Path], Path], matrix: Path) -> None:
    for file in originals(str(matrix)):
        with pytest.raises(InputError, match="is the original, which is never changed"):
            protect([name(file)], originals(str(matrix)))


def _linked(path: Path, link: Callable[[Path, Path], None]) -> Path:
    other = path.parent.parent / f"other-{path.name}"
    link(path, other)
    return other


def test_nothing_is_written_into_the_folder_of_a_model(tmp_path: Path) -> None:
    folder = build(tmp_path / "bert", "bert", "masked")
    for out in (folder / "gender.safetensors", folder / "new" / "deep.txt"):
        with pytest.raises(InputError, match=r"lies in .*bert"):
            protect([out], [folder])
    with pytest.raises(InputError, match="is a file of"):
        protect([_linked(folder / "config.json", os.link)], [folder])
    protect([tmp_path / "bert.safetensors", tmp_path / "absent" / "out.txt"], [folder, tmp_path / "absent.txt"])


def test_report_and_word_list_are_looked_at_before_anything_is_written(matrix: Path, tmp_path: Path) -> None:
    own = tmp_path / "report" / "debias.json"
    own.parent.mkdir()
    own.write_text("{}")
    out = tmp_path / "out.npy"
    check_places(str(matrix), out, None, [own])
    with pytest.raises(InputError, match="is the original"):
        check_places(str(matrix), out, own.parent, [own])
    words = out.with_name("out.npy.words.txt")
    words.symlink_to(matrix.with_name("words.txt"))
    with pytest.raises(InputError, match="is the original"):
        check_places(str(matrix), out, None)


def test_a_projected_model_takes_no_second_projection(tmp_path: Path) -> None:
    folder, file = build(tmp_path / "bert", "bert", "masked"), tmp_path / "gender.safetensors"
    file.write_bytes(b"")
    assert originals(f"{folder}+{file}") == [folder, file]
    with pytest.raises(ModelError, match="has a projection already"):
        place_of(f"{folder}+{file}", None)
