"""Names from outside, as a reader and a file system can take them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePath


def shown_names(names: Sequence[str]) -> dict[str, str]:
    """Models as a reader sees them: the last part of a path alone, where that is no other model's too."""
    last = {name: PurePath(name).name if PurePath(name).is_absolute() else name for name in names}
    taken = Counter(last.values())
    return {name: short if taken[short] == 1 else name for name, short in last.items()}


def file_name(name: str) -> str:
    """A name that any file system and LaTeX take: no separators, no leading dot."""
    return re.sub(r"[^A-Za-z0-9-]+", "-", name).strip("-")[:100] or "unnamed"


def file_names(names: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """A file name for each, none like another or one that is taken, on systems that fold case too."""
    known = {name.casefold() for name in taken}
    found = {}
    for name in names:
        stem = made = file_name(name)[:64].strip("-") or "unnamed"
        number = 2
        while made.casefold() in known:
            made, number = f"{stem}-{number}", number + 1
        known.add(made.casefold())
        found[name] = made
    return found
