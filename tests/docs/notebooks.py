"""Notebooks, executed without Jupyter: their code cells, in their order, in one namespace.

`python -m tests.docs.notebooks` executes them and writes what they print into them, as Jupyter would.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from .blocks import DOCS

FOLDER = DOCS / "notebooks"


def notebooks() -> list[Path]:
    """All notebooks of the site."""
    return sorted(FOLDER.glob("*.ipynb"))


def executed(path: Path, folder: Path) -> dict[str, Any]:
    """The notebook with the outputs of its cells, which ran in `folder`. An error in a cell is raised."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    namespace: dict[str, object] = {"__name__": "__main__"}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        count += 1
        out = io.StringIO()
        with contextlib.chdir(folder), contextlib.redirect_stdout(out):
            exec(compile("".join(cell["source"]), f"{path.name}, cell {count}", "exec"), namespace)
        text = out.getvalue().splitlines(keepends=True)
        cell["execution_count"] = count
        cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": text}] if text else []
    return notebook


def printed(notebook: dict[str, Any]) -> list[str]:
    """What each code cell printed."""
    return [
        "".join(line for output in cell["outputs"] for line in output["text"])
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def main() -> None:
    """Execute all notebooks, and keep their outputs."""
    for path in notebooks():
        with tempfile.TemporaryDirectory() as folder:
            made = executed(path, Path(folder))
        path.write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        print(path.name, file=sys.stderr)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
