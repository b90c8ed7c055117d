"""The scoring engine and its benchmarks need torch, transformers, numpy and scipy, and nothing else of ours."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="language models need the extra 'lm'")

BLOCKED = ("pydantic", "polars", "pyarrow", "matplotlib", "gguf", "rich", "typer", "yaml")
IMPORTS = """
import importlib.abc, sys

class Missing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in BLOCKED:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Missing())
import benchmarks.crows, benchmarks.indirect
import tiltmeter.measure.sources, tiltmeter.models.causal, tiltmeter.models.masked
"""


def test_the_engine_and_its_benchmarks_import_on_a_bare_machine() -> None:
    code = f"BLOCKED = {BLOCKED}\n{IMPORTS}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
