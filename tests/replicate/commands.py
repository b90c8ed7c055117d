"""`tiltmeter replicate`, run as a user runs it, and the table that it leaves."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest


def need(package: str, extra: str) -> None:
    """Skip a test for want of a package."""
    if find_spec(package) is None:
        pytest.skip(f"needs the extra '{extra}': {package}")


def replicate(
    *arguments: str | Path, folder: Path, code: int = 0, without: str = ""
) -> subprocess.CompletedProcess[str]:
    """The command, in a folder of its own, with nothing in the Hugging Face cache and no way to the hub.

    `without` is a package that is not to be had.
    """
    missing = f"import sys; sys.modules[{without!r}] = None; " if without else ""
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HUB_CACHE": str(folder / "no-hub/hub")}
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            f"{missing}from tiltmeter.cli.app import main; main()",
            "replicate",
            *map(str, arguments),
        ],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        cwd=folder,
        env=environment,
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done


def tables(*arguments: str | Path, folder: Path) -> list[dict[str, Any]]:
    """The tables that a replication prints as JSON."""
    found: list[dict[str, Any]] = json.loads(replicate(*arguments, "--json", folder=folder).stdout)["tables"]
    return found


def rows(folder: Path) -> list[dict[str, str]]:
    """The figures in a run folder's replication.tsv."""
    with (folder / "replication.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))
