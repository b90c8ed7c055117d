"""Which form a vector file has: its content decides, never its name."""

from __future__ import annotations

import hashlib
from pathlib import Path

from tiltmeter.errors import InputError
from tiltmeter.models._fasttext import MAGIC as FASTTEXT_MAGIC
from tiltmeter.models._fasttext import FastTextReader
from tiltmeter.models._streams import Stream
from tiltmeter.models._vector_arrays import NPY_MAGIC, MatrixReader, looks_like_safetensors, open_npy, open_safetensors
from tiltmeter.models._vector_binary import BinaryReader
from tiltmeter.models._vector_entry import Reader
from tiltmeter.models._vector_store import MAGIC as STORE_MAGIC
from tiltmeter.models._vector_store import StoreReader
from tiltmeter.models._vector_text import TextReader, ends_in_number, header_counts

_HEAD = 1 << 16
_HASHED_WHOLE = 1 << 26
_SAMPLES = 64
_SAMPLE = 1 << 20

_KNOWN = "Tiltmeter reads word2vec, GloVe and fastText files, and .npy or safetensors with a word list."
_EXPORT = (
    "If gensim wrote it, export it there: gensim.models.KeyedVectors.load(path).save_word2vec_format('vectors.txt'), "
    "or for a whole model model.wv.save_word2vec_format('vectors.txt')."
)
# Files that people try, by their first bytes: what they are, and what to do.
_REFUSED: tuple[tuple[bytes, str, str], ...] = (
    (b"\x28\xb5\x2f\xfd", "is compressed with zstd", "Unpack it, or compress it with gzip or xz."),
    (b"7z\xbc\xaf\x27\x1c", "is a 7z archive", "Unpack it and name the file with the vectors."),
    (b"Rar!\x1a", "is a rar archive", "Unpack it and name the file with the vectors."),
    (b"\x89HDF", "is an HDF5 file", "Save its matrix with numpy.save, and its words in words.txt beside it."),
    (b"PAR1", "is a Parquet file", "Save its vectors as a text: a word and its numbers on each line."),
    (b"GGUF", "is a language model (GGUF)", _KNOWN),
    (b"%PDF-", "is a PDF", _KNOWN),
    (b"\xff\xfe", "is text in UTF-16", "Save it in UTF-8."),
    (b"\xfe\xff", "is text in UTF-16", "Save it in UTF-8."),
    (b"version https://git-lfs", "is a pointer of Git LFS, not the file itself", "Fetch it with `git lfs pull`."),
)
_PICKLES = tuple(bytes((0x80, protocol)) for protocol in range(2, 6))


def open_reader(stream: Stream) -> Reader:
    """The reader for what the stream holds."""
    head = stream.peek(_HEAD)
    _refuse(head, stream.path)
    if head.startswith(STORE_MAGIC):
        return StoreReader(stream)
    if head.startswith(FASTTEXT_MAGIC):
        return FastTextReader(stream)
    if head.startswith(NPY_MAGIC):
        return open_npy(stream)
    if looks_like_safetensors(head):
        return open_safetensors(stream)
    first, _, rest = head.partition(b"\n")
    if header_counts(first) is not None and not _is_text(rest):
        return BinaryReader(stream)
    if b"\0" in head:
        raise InputError("is no vector file: it is binary, of no known form.", where=stream.path, hint=_KNOWN)
    return TextReader(stream)


def fingerprint(path: Path, reader: Reader) -> str:
    """A SHA-256 that changes with the file.

    A converted file carries the hash of its vectors. Another is hashed whole up to 64 MiB; of a larger one only the
    size and 64 pieces of 1 MiB, first and last among them, evenly spread: that tells published files apart, but a
    changed line in a file of gigabytes may escape it. A word list beside a matrix is hashed with it.
    """
    if isinstance(reader, StoreReader):
        return reader.fingerprint
    digest = hashlib.sha256()
    for part in [path, reader.word_list] if isinstance(reader, MatrixReader) else [path]:
        size = part.stat().st_size
        digest.update(size.to_bytes(8, "little"))
        with part.open("rb") as file:
            if size <= _HASHED_WHOLE:
                digest.update(hashlib.file_digest(file, "sha256").digest())
                continue
            for piece in range(_SAMPLES):
                file.seek((size - _SAMPLE) * piece // (_SAMPLES - 1))
                digest.update(file.read(_SAMPLE))
    return digest.hexdigest()


def _refuse(head: bytes, path: Path) -> None:
    if not head:
        raise InputError("is empty.", where=path, hint="Fetch it again, or name another file.")
    if head.startswith(_PICKLES):
        raise InputError("is a pickled Python object; Tiltmeter unpickles nothing.", where=path, hint=_EXPORT)
    for magic, what, hint in _REFUSED:
        if head.startswith(magic):
            raise InputError(f"{what}.", where=path, hint=hint)
    if head[257:262] == b"ustar":
        raise InputError("is a tar archive.", where=path, hint="Unpack it and name the file with the vectors.")
    start = head[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html", b"<?xml")):
        raise InputError(
            "is a web page, not a file of vectors.",
            where=path,
            hint="The download went wrong: open the address in a browser to see what it says.",
        )


def _is_text(rest: bytes) -> bool:
    """Whether lines of text follow a header of two counts, rather than words with binary numbers."""
    line = rest.partition(b"\n")[0]
    if ends_in_number(line):
        return True
    try:
        rest[:-4].decode("utf-8")  # the head may end in the middle of a character
    except UnicodeDecodeError:
        return False
    return not any(byte < 9 or 14 <= byte < 32 for byte in rest)
