"""Writing files so that an interruption leaves the old file or the new one, never half of either."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tiltmeter.errors import InputError


@contextlib.contextmanager
def replacing(path: Path, *, flush: bool = True) -> Iterator[Path]:
    """A new file beside `path`, to be written; it takes the place of `path` when the block ends without an error.

    `flush=False` does not wait for the disk: for a file that carries a checksum and can be computed again.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror}).", where=path) from None
    os.close(handle)
    part = Path(name)
    try:
        yield part
        if flush:
            with part.open("rb") as written:
                os.fsync(written.fileno())
        part.chmod(0o666 & ~_umask())
        part.replace(path)
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror}).", where=path) from error
    finally:
        part.unlink(missing_ok=True)


def ensure_folder(folder: Path) -> None:
    """Create the folder, and those above it, if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot be written ({error.strerror}).", where=folder) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
