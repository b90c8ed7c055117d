"""Reading a text from outside: bounded, decoded, and able to say on which line a thing stands."""

from __future__ import annotations

import lzma
import re
import stat
import unicodedata
import zlib
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import InputError, did_you_mean

MAX_FILE_BYTES = 16 * 2**20
MAX_LINE_BYTES = 2**20
_XZ_MEMORY = 128 * 2**20  # what xz -9 asks for is half of this
MAX_TEXT_CHARACTERS = 10_000  # the longest stimulus in the literature is a paragraph of some 600

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_JOINERS = "\u200c\u200d"  # invisible, but part of the spelling in Persian, Hindi and other languages


@dataclass(frozen=True, slots=True)
class SourceText:
    """A decoded file, kept to find the lines of what is wrong in it."""

    where: str | Path
    text: str

    def error(self, message: str, *, line: int | None = None, hint: str | None = None) -> InputError:
        return InputError(message, where=self.where, line=line, hint=hint)

    def line_at(self, offset: int) -> int:
        return self.text.count("\n", 0, offset) + 1

    def line_of(self, *keys: str, value: str | None = None, nth: int = 1) -> int | None:
        """The line of the last of nested TOML or JSON `keys`, or of the `nth` quoted `value` after it.

        A key that is written in a way not foreseen here is passed over: a near line is better than none.
        """
        position, found = 0, None
        for key in keys:
            name = rf"[ \t]*+[\"']?{re.escape(key)}[\"']?[ \t]*+"
            pattern = re.compile(rf"(?:^|[\[{{,.]){name}[=:.]|\.{name}\]", re.MULTILINE)
            if match := pattern.search(self.text, position):
                # The full stop that ends this key begins the next.
                position, found = match.end() - 1, match
        if value is not None:
            for match in re.finditer(rf"[\"']{re.escape(value)}[\"']", self.text[position:]):
                nth -= 1
                if nth == 0:
                    return self.line_at(position + match.start())
        return None if found is None else self.line_at(position)


def read(path: Path | str, *, fallback: str | None = None) -> SourceText:
    """The text of a file, which may be packed by xz or gzip. Never reads or unpacks more than `MAX_FILE_BYTES`, nor
    reads anything but a regular file.

    What is not UTF-8 is refused, or read in the encoding `fallback`.
    """
    path = Path(path)
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise InputError("is a folder, not a file.", where=path, hint="Name one of the files in it.")
        if not stat.S_ISREG(mode):  # opening a pipe would wait for ever
            raise InputError("is not a regular file.", where=path, hint="Save it as a file first.")
        with path.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError:
        raise InputError("there is no such file.", where=path, hint=_nearby(path)) from None
    except PermissionError:
        raise InputError("may not be read.", where=path, hint="Check its permissions.") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise InputError(f"cannot be read ({error}).", where=repr(str(path))) from None
    return decode(_unpacked(data, path), path, fallback=fallback)


def _unpacked(data: bytes, path: Path) -> bytes:
    """What is in a file of one packed stream; a plain file as it is."""
    packed: lzma.LZMADecompressor | zlib._Decompress
    try:
        if data.startswith(b"\xfd7zXZ\0"):
            packed = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)
        elif data.startswith(b"\x1f\x8b"):
            packed = zlib.decompressobj(16 + zlib.MAX_WBITS)
        else:
            return data
        plain = packed.decompress(data, MAX_FILE_BYTES + 1)
    except (lzma.LZMAError, zlib.error, MemoryError) as error:
        raise InputError(f"cannot be unpacked ({error}).", where=path, hint="Unpack it, or pack it again.") from None
    if packed.unused_data or (not packed.eof and len(plain) <= MAX_FILE_BYTES):
        raise InputError("is cut off, or packed in several parts.", where=path, hint="Unpack it, or pack it again.")
    return plain


def _nearby(path: Path) -> str | None:
    try:
        return did_you_mean(path.name, [entry.name for entry in path.parent.iterdir()])
    except OSError:
        return f"There is no folder {str(path.parent)!r} either."


def decode(data: bytes, where: str | Path, *, fallback: str | None = None) -> SourceText:
    """UTF-8 text from bytes, without control characters and over-long lines; line ends become "\\n"."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("is UTF-16 text, not UTF-8.", where=where, hint=_convert("UTF-16"))
    data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in data[:MAX_LINE_BYTES]:
        line = data.count(b"\n", 0, data.index(b"\0")) + 1
        raise InputError(
            "holds a NUL byte (U+0000): it is a binary file, not text.",
            where=where,
            line=line,
            hint="Give a text file in UTF-8.",
        )
    start, line = 0, 1
    while len(data) - start > MAX_LINE_BYTES:
        end = data.rfind(b"\n", start, start + MAX_LINE_BYTES + 1)
        if end < 0:
            raise InputError(
                "the line is longer than 1 MB.",
                where=where,
                line=line,
                hint="Is it a text file? Break it into shorter lines.",
            )
        line += data.count(b"\n", start, end + 1)
        start = end + 1
    if len(data) > MAX_FILE_BYTES:
        raise InputError("is larger than 16 MB.", where=where, hint="Split it into several files.")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        if fallback is not None:
            return decode(data.decode(fallback, errors="replace").encode(), where)
        raise InputError(
            f"is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}.",
            where=where,
            line=data.count(b"\n", 0, error.start) + 1,
            hint=_convert("WINDOWS-1252"),
        ) from None
    source = SourceText(where, text.replace("\r\n", "\n"))
    if match := _CONTROL.search(source.text):
        hint = "End the lines with a line feed." if match[0] == "\r" else "Delete it."
        raise source.error(
            f"holds the control character U+{ord(match[0]):04X}.",
            line=source.line_at(match.start()),
            hint=hint,
        )
    if not source.text.strip():
        raise source.error("is empty.", hint="It should hold words or tests.")
    return source


def _convert(encoding: str) -> str:
    return f"Save it as UTF-8, for example with: iconv -f {encoding} -t UTF-8 OLD > NEW (if it is {encoding})."


def clean(text: str) -> str:
    """NFC and stripped: the one spelling under which a word is compared and looked up."""
    return unicodedata.normalize("NFC", text).strip()


def fault(text: str) -> str | None:
    """What makes a cleaned text unfit to be a word, a sentence or a name; None where nothing does."""
    if not text:
        return "is empty"
    if len(text) > MAX_TEXT_CHARACTERS:
        return f"is {len(text)} characters long (at most {MAX_TEXT_CHARACTERS})"
    if not text.isprintable():  # the fast way out; letters and plain spaces are printable
        for character in text:
            category = unicodedata.category(character)
            if category in ("Cc", "Cs", "Zl", "Zp") or (category == "Cf" and character not in _JOINERS):
                return f"holds the invisible character U+{ord(character):04X}"
    return None


def shown(text: str) -> str:
    """A word as messages show it: quoted, escaped and short."""
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
