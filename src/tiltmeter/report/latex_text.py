"""Text and numbers from outside as LaTeX that shows them and does nothing else."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_\allowbreak{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "-": "{-}",  # no ligature, no dash of two
    "/": r"/\allowbreak{}",
    ",": "{,}",  # ",," is a quotation mark in T1
    "?": "{?}",
    "!": "{!}",
    "[": "{[}",  # may follow a \\ that would take it for its option
    "]": "{]}",
    "*": "{*}",
    "×": r"\texttimes{}",
    "≤": r"\ensuremath{\leq}",
    "≥": r"\ensuremath{\geq}",
    "−": r"\ensuremath{-}",
    "→": r"\ensuremath{\rightarrow}",
    "–": r"\textendash{}",
    "…": r"\textellipsis{}",
    "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}",
}
# What pdflatex can set in the encoding T1, with fonts that every installation has.
_T1 = re.compile("[A-Za-z0-9 .:;()+=@¡-¬®-¶¸-ÖØ-öø-ŁŃńŅņŇňŊŋŌ-ŤŨ-ž]")


def escape(text: object) -> str:
    """Text from outside as LaTeX that shows it and does nothing else, in one line.

    A letter that pdflatex has no font for is set by LuaLaTeX and XeLaTeX; pdflatex shows its code point.
    """
    return "".join(_escaped(character) for character in unicodedata.normalize("NFC", str(text)))


def _escaped(character: str) -> str:
    if character in _SPECIAL:
        return _SPECIAL[character]
    if _T1.match(character):
        return character
    if character.isspace():
        return " "
    point = f"{{\\footnotesize U+{ord(character):04X}}}"
    # Controls, marks that change direction, surrogates: never as they are.
    if unicodedata.category(character)[0] == "C":
        return point
    return rf"{{\ifdefined\Umathchar {character}\else{point}\fi}}"


def table_format(values: Sequence[float], digits: int) -> str:
    """The table-format of siunitx that these numbers need: sign, whole digits, decimals."""
    known = [value for value in values if math.isfinite(value)] or [0.0]
    whole = max(len(f"{abs(value):.{digits}f}".partition(".")[0]) for value in known)
    return f"{'-' if min(known) < 0 else ''}{whole}.{digits}"


def decimal(value: float, digits: int) -> str:
    return f"{value:.{digits}f}" if math.isfinite(value) else "{--}"


def p_value(value: float) -> str:
    """Two significant digits, never 0: `p_text` as siunitx sets it."""
    if not math.isfinite(value):
        return "--"
    return rf"\num{{{value:.1e}}}" if 0 < value < 0.001 else f"{value:.3f}"
