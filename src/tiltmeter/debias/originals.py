"""What is read is never written to: not the model, its list of words, nor the definitions."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tiltmeter.errors import InputError
from tiltmeter.models import huggingface, projection
from tiltmeter.models._streams import Stream
from tiltmeter.models._vector_arrays import MatrixReader
from tiltmeter.models._vector_formats import open_reader
from tiltmeter.models.load import kind_of
from tiltmeter.models.named import path_of


def originals(model: str) -> list[Path]:
    """The file or the folder of a model, and what else it is read from."""
    bare, file = projection.split(model)
    place = path_of(bare)
    if kind_of(bare) == "encoder":
        found = [place if place.exists() else huggingface.folder_of(bare)]
    else:
        found = files_of(place)
    return found if file is None else [*found, file]


def files_of(vectors: Path) -> list[Path]:
    """A file of vectors, and the list of its words where it is a bare matrix."""
    with Stream(vectors) as stream:
        reader = open_reader(stream)
        return [vectors, reader.word_list] if isinstance(reader, MatrixReader) else [vectors]


def protect(outs: Iterable[Path], read: Iterable[Path]) -> None:
    """Refuse to write to a file that is read, by whatever name or link, or into a folder that is."""
    known = [path for path in read if path.exists()]
    for out in outs:
        where = out.resolve()
        for original in known:
            if any(above.exists() and above.samefile(original) for above in where.parents):
                raise _refused(out, f"lies in {original}")
            inside = original.rglob("*") if original.is_dir() else ()
            if where.exists() and any(file.exists() and file.samefile(where) for file in (original, *inside)):
                raise _refused(out, "is" if original.is_file() else f"is a file of {original},")


def _refused(out: Path, what: str) -> InputError:
    return InputError(f"{what} the original, which is never changed.", where=out, hint="Give another path.")
