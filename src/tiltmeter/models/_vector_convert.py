"""Writing Tiltmeter's own form, laid out in `_vector_store.py`."""

from __future__ import annotations

import hashlib
import secrets
import struct
from contextlib import suppress
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO

import numpy as np

from tiltmeter.errors import InputError
from tiltmeter.models._subwords import Subwords
from tiltmeter.models._vector_entry import Reader, shown
from tiltmeter.models._vector_store import HEADER_AT, MAGIC, MATRIX_AT, NUMBERS, NGrams, StoreHeader, aligned, sealed


def write_store(reader: Reader, out: Path, *, half: bool = False) -> StoreHeader:
    """Write all that a reader holds to `out`, which appears there whole or not at all."""
    part = out.with_name(f".{out.name}.{secrets.token_hex(4)}.part")
    try:
        with part.open("xb") as file:
            header = _write(reader, file, half)
        part.replace(out)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}.", where=out) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return header


def _write(reader: Reader, file: BinaryIO, half: bool) -> StoreHeader:
    numbers = "float16" if half else "float32"
    digest = hashlib.sha256()

    def put(data: bytes) -> None:
        digest.update(data)
        file.write(data)

    file.write(bytes(MATRIX_AT))
    row_of: dict[bytes, int] = {}
    rows = 0
    for word, vector, _ in reader.rows():
        with np.errstate(over="ignore"):
            row = vector.astype(NUMBERS[numbers])
        if half and not np.isfinite(row).all():
            raise InputError(f"the vector of {shown(word)} is too large for float16.", hint="Convert without --half.")
        put(row.tobytes())
        if word:
            row_of.setdefault(word, rows)  # of a word that stands there twice, the first counts
        rows += 1
    if not row_of:
        raise InputError("there is no word in it.")
    words = sorted(row_of)
    put(bytes(aligned(file.tell()) - file.tell()))
    starts = np.fromiter(accumulate(map(len, words), initial=0), "<u8", len(words) + 1)
    put(starts.tobytes())
    put(np.fromiter((row_of[word] for word in words), "<u4", len(words)).tobytes())
    for word in words:
        put(word)
    header = StoreHeader(
        numbers="float16" if half else "float32",
        dimension=reader.dimension,
        rows=rows,
        words=len(words),
        text_bytes=int(starts[-1]),
        source=reader.form,
        subwords=_ngrams(reader),
        subword_base=reader.words or 0,
        hash="0" * 64,
    )
    header = header.model_copy(update={"hash": sealed(digest, header)})
    text = header.model_dump_json().encode()
    file.seek(0)
    file.write(MAGIC + struct.pack("<I", len(text)) + text)
    if file.tell() > MATRIX_AT:
        raise AssertionError(f"a header of {file.tell() - HEADER_AT} bytes")
    return header


def _ngrams(reader: Reader) -> NGrams | None:
    grams: Subwords | None = getattr(reader, "subwords", None)
    if grams is None or not reader.has_subwords:
        return None
    return NGrams(minn=grams.minn, maxn=grams.maxn, bucket=grams.bucket)
