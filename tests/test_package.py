"""Importing Tiltmeter and asking it for help is quick, and works without any extra."""

from __future__ import annotations

import re
import resource
import subprocess
import sys

import pytest

import tiltmeter

EXTRAS = ("torch", "transformers", "numpyro", "jax", "arviz", "fastapi", "uvicorn")
HEAVY = (*EXTRAS, "scipy", "matplotlib", "polars", "pyarrow")

STARTS = {
    "import": "import tiltmeter",
    "help": "import sys; sys.argv = ['tiltmeter', '--help']; from tiltmeter.cli.app import main; main()",
}


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)


@pytest.mark.parametrize("start", STARTS)
def test_start_imports_nothing_heavy(start: str) -> None:
    report = "import atexit, sys; atexit.register(lambda: print('LOADED', *sys.modules))\n"
    loaded = re.search(r"^LOADED (.*)$", run(report + STARTS[start]).stdout, re.MULTILINE)
    assert loaded is not None
    modules = loaded[1].split()
    assert "tiltmeter" in modules
    assert not set(HEAVY) & set(modules)


@pytest.mark.parametrize("start", STARTS)
def test_start_takes_less_than_half_a_second_beyond_the_interpreter(start: str) -> None:
    # The one limit on absolute time in these tests: it is a promise to whoever types the command. It is processor time,
    # the best of several starts, less the interpreter's own, so that a busy machine does not decide.
    def best(code: str) -> float:
        times = []
        for _ in range(5):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            run(code)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return min(times)

    assert best(STARTS[start]) - best("pass") < 0.5


def test_every_public_name_can_be_reached_and_is_listed() -> None:
    assert set(dir(tiltmeter)) == set(tiltmeter.__all__)
    for name in tiltmeter.__all__:
        assert getattr(tiltmeter, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = tiltmeter.nonsense


def test_one_version_everywhere() -> None:
    from importlib.metadata import version

    assert tiltmeter.__version__ == version("tiltmeter")
