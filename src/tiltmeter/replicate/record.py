"""What the replication in a folder is of: said in a file beside its figures, so that another does not replace them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tiltmeter.errors import InputError
from tiltmeter.files import replacing
from tiltmeter.runs.results import read_object

FILE = "replication.json"
_BYTES = 2**20
_DECIDES = {
    "source": "another source",
    "models": "other models",
    "data": "other data",
    "seed": "another seed",
    "parts": "other parts",
}


@dataclass(frozen=True, slots=True)
class Record:
    """A replication by what decides its figures, and what a reader must know of the models."""

    source: str
    models: tuple[str, ...]
    data: str | None
    parts: tuple[str, ...]
    seed: int
    told: str

    def refuse_another(self, folder: Path) -> None:
        """A folder is of one replication: done again, gone on with, or with further parts."""
        path = folder / FILE
        if not path.exists():
            return
        before, mine = read_object(path, _BYTES), self.as_dict()
        for what, other in _DECIDES.items():
            theirs, ours = before.get(what), mine[what]
            if theirs == ours or (what == "parts" and isinstance(theirs, list) and set(theirs) <= set(ours)):
                continue
            shown = ", ".join(map(str, theirs)) if isinstance(theirs, list) else theirs
            raise InputError(
                f"holds a replication of {other} ({'none' if shown in (None, '') else shown}), whose figures this one "
                "would replace.",
                where=folder,
                hint="Give another folder with --out.",
            )

    def as_dict(self) -> dict[str, Any]:
        """Plain types, as JSON has them."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    def write(self, folder: Path) -> None:
        with replacing(folder / FILE) as part:
            part.write_text(json.dumps(self.as_dict(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def place_of(model: str) -> str:
    """A model as it is named wherever one stands: the whole path of a file or folder, or its name."""
    path = Path(model).expanduser()
    return str(path.resolve()) if path.exists() else model
