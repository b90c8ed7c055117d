"""The page's own tests and its types, as Node sees them."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

WEB = Path(__file__).parents[2] / "web"


@pytest.mark.slow
def test_the_page_keeps_its_types_and_passes_its_tests(tmp_path: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("the page's types and tests need Node.js and npm")
    web = shutil.copytree(WEB, tmp_path / "web", ignore=shutil.ignore_patterns("node_modules"))
    for command in (["ci", "--no-audit", "--no-fund"], ["run", "check"]):
        done = subprocess.run(
            [npm, *command], cwd=web, env=os.environ | {"NO_COLOR": "1"}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert "failed" not in done.stdout
    assert "passed" in done.stdout
