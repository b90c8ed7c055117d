"""The real server on tiny real models, in a process of its own.

By hand: `python -m tests.explorer.served [--port 8123] [--models 2]` prints the address and serves until it is stopped.
In a test: `with served(folder, models=2) as address: ...`
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

_ROOT = Path(__file__).parents[2]
NAMES = ("small", "other")


@contextlib.contextmanager
def served(folder: Path, *, models: int = 1, first: str | None = None) -> Iterator[str]:
    """The address of a server on `models` tiny models, built in `folder` if they are not there yet.

    `first` is a model that is offered before them.
    """
    command = [sys.executable, "-m", "tests.explorer.served", "--folder", str(folder), "--models", str(models)]
    command += ["--first", first] if first else []
    # One thread: test machines have few cores. Warnings are the server's own business.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "PYTHONPATH": str(_ROOT)}
    with subprocess.Popen(command, cwd=_ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            if not address.startswith("http"):
                raise RuntimeError(f"the server said {address!r} and not its address; see what stands above")
            yield address
        finally:
            process.terminate()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()


def build_models(folder: Path, count: int) -> list[Path]:
    """The tiny models, each of another seed; the second leans half as much."""
    from .planted import build

    found = []
    for number in range(count):
        found.append(folder / NAMES[number])
        if not (found[-1] / "config.json").exists():
            found[-1].mkdir(parents=True, exist_ok=True)
            build(found[-1], seed=number, lean=1.0 - 0.5 * number)
    return found


def main() -> None:
    """Build what is missing, and run `tiltmeter explore`."""
    options = argparse.ArgumentParser()
    options.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "tiltmeter-served")
    options.add_argument("--models", type=int, default=1, choices=(1, 2))
    options.add_argument("--port", default="0")
    options.add_argument("--first")
    known, rest = options.parse_known_args()
    folders = build_models(known.folder, known.models)
    import typer

    from tiltmeter.cli.explore import explore

    app = typer.Typer(pretty_exceptions_enable=False)
    app.command()(explore)
    os.environ.setdefault("TILTMETER_CACHE", str(known.folder / "states"))
    offered = [*([known.first] if known.first else []), *map(str, folders)]
    app([*offered, "--no-browser", "--port", known.port, *rest])


if __name__ == "__main__":
    main()
