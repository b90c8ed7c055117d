"""The code blocks of a page, and doing what they say, in their order and in one folder.

    ```console                 lines "$ tiltmeter ..." are run; each must succeed
    ```python                  run in one namespace for the page
    ```toml title="pets.toml"  a block with a title is a file, written into the folder
    ```text title="output"     what the block before it printed; a line "…" stands for any lines
    ```text                    a formula: not code
    ```sh                      cannot be run here: that its tiltmeter commands and their options exist is checked

An indented block is taken for one of the last kind.

`python -m tests.docs.blocks PAGE ...` runs pages, and writes what they print and draw back into docs/.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
FIGURES = "figures"
_FENCE = re.compile(r"^```(?P<language>\w+)?(?P<options>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_TITLE = re.compile(r'title="([^"]+)"')
_ADDRESS = re.compile(r"http://\S+")
_ANYTHING = "…"
_LANGUAGES = {"console", "python", "toml", "yaml", "csv", "text", "sh"}
# After an empty line, as an indented line after another is the rest of a paragraph or an entry of a list.
_INDENTED = re.compile(r"(?<=\n\n)(?: {4}[^\n]*\n)+")
_INLINE = re.compile(r"`((?:tiltmeter\s|--)[^`]+)`")


@dataclass(frozen=True)
class Block:
    """A fenced block, and where its text stands in the page."""

    language: str
    title: str
    text: str
    start: int
    end: int


def pages() -> list[Path]:
    """All pages of the site."""
    return sorted(DOCS.rglob("*.md"))


def blocks(text: str) -> list[Block]:
    """The blocks of a page. A language that nobody would run is an error: it may be a slip of the pen."""
    found = []
    for match in _FENCE.finditer(text):
        language = match["language"] or ""
        assert language in _LANGUAGES, f"a block of language {language!r}"
        title = _TITLE.search(match["options"])
        found.append(Block(language, title[1] if title else "", match["text"], match.start("text"), match.end("text")))
    return found


def not_run(text: str) -> list[str]:
    """The commands of a page that cannot be run here: those of `sh` blocks and of indented ones."""
    shown = [block.text for block in blocks(text) if block.language == "sh"]
    shown += [match[0] for match in _INDENTED.finditer(_FENCE.sub("", text))]
    lines = (line.strip().removeprefix("$ ") for block in shown for line in block.splitlines())
    return [line.partition("  #")[0] for line in lines if line.startswith("tiltmeter ")]


def named(text: str) -> list[str]:
    """The commands and options of a page that stand in its sentences and tables."""
    return [" ".join(code.split()) for code in _INLINE.findall(_INDENTED.sub("", _FENCE.sub("", text)))]


def check_named(code: str) -> None:
    """That a command has the options that are named with it; an option alone may be that of any command."""
    words = code.split()
    given = {word.partition("=")[0] for word in words if word.startswith("--")}
    if words[0] != "tiltmeter":
        assert given <= set().union(*map(_options, _commands_of(_app()))), code
        return
    place = _app()
    for word in words[1:]:
        if not hasattr(place, "commands") or word.startswith("--") or word.isupper():
            break
        assert word in place.commands, code
        place = place.commands[word]
    assert given <= _options(place), code


def _app() -> Any:
    from typer.main import get_command

    from tiltmeter.cli.app import app

    return get_command(app)


def _commands_of(place: Any) -> Iterator[Any]:
    yield place
    for command in getattr(place, "commands", {}).values():
        yield from _commands_of(command)


def _options(command: Any) -> set[str]:
    return {name for option in command.params for name in (*option.opts, *option.secondary_opts)}


def check_command(command: str) -> None:
    """That a command and its options exist; nothing is run."""
    place, words = _app(), shlex.split(command)[1:]
    while hasattr(place, "commands"):
        assert words, command
        assert words[0] in place.commands, command
        place, words = place.commands[words[0]], words[1:]
    place.make_context(command, words)


class Session:
    """A folder in which a page is tried out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.namespace: dict[str, object] = {"__name__": "page"}
        self.printed = ""

    def do(self, block: Block) -> None:
        """Run a block, or write the file that it is; what it prints is kept."""
        if block.language == "console":
            self.printed = "".join(map(self._command, _commands(block.text)))
        elif block.language == "python":
            with contextlib.chdir(self.folder), contextlib.redirect_stdout(io.StringIO()) as out:
                exec(compile(block.text, "<page>", "exec"), self.namespace)
            self.printed = out.getvalue()
        elif block.title and block.title != "output":
            path = self.folder / block.title
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text, encoding="utf-8")

    def _command(self, command: str) -> str:
        words = shlex.split(command)
        if words[:2] == ["pip", "install"]:
            check_install(words[2:])
            return ""
        assert words[0] == "tiltmeter", command
        if words[1] == "explore":
            return self._explore(words)
        done = subprocess.run(
            _tiltmeter(words[1:]), capture_output=True, text=True, encoding="utf-8", check=False, cwd=self.folder
        )
        assert done.returncode == 0, f"{command}\n{done.stderr}"
        return done.stdout

    def _explore(self, words: list[str]) -> str:
        """Start the explorer, open its page, stop it."""
        process = subprocess.Popen(
            [*_tiltmeter(words[1:]), "--no-browser"], stdout=subprocess.PIPE, text=True, cwd=self.folder
        )
        try:
            assert process.stdout is not None
            address = _ADDRESS.search(process.stdout.readline())
            assert address, "the explorer gave no address"
            with urllib.request.urlopen(address[0], timeout=60) as answer:
                assert answer.status == 200
                assert b"<html" in answer.read().lower()
        finally:
            process.terminate()
            process.communicate(timeout=60)
        return ""


def check_install(words: list[str]) -> None:
    """What the page tells people to install is what this project is called, and extras that it has."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for word in words:
        named = re.fullmatch(r"(\w+)(?:\[([\w,]+)\])?", word)
        assert named, word
        assert named[1] == project["name"], word
        assert set((named[2] or "").split(",")) - {""} <= set(project["optional-dependencies"]), word


def same(expected: str, printed: str) -> bool:
    """Whether a page shows what was printed: line by line but for spaces, a line "…" standing for any lines."""
    wanted = [_plain(line) for line in expected.splitlines() if line.strip()]
    found = [_plain(line) for line in printed.splitlines() if line.strip()]
    place = 0
    open_ended = False
    for line in wanted:
        if line == _ANYTHING:
            open_ended = True
            continue
        if open_ended:
            while place < len(found) and found[place] != line:
                place += 1
        if place >= len(found) or found[place] != line:
            return False
        place, open_ended = place + 1, False
    return open_ended or place == len(found)


def _plain(line: str) -> str:
    return " ".join(line.split())


def _commands(text: str) -> Iterator[str]:
    for line in text.replace("\\\n", "").splitlines():
        assert line.startswith("$ "), f"a line of a console block without '$ ': {line!r}"
        yield line.removeprefix("$ ").partition("  #")[0]


def _tiltmeter(words: list[str]) -> list[str]:
    return [sys.executable, "-c", "from tiltmeter.cli.app import main; main()", *words]


def rewritten(page: Path, session: Session) -> str:
    """The page with what its blocks print today; shortened outputs, with a line "…", are left as they are."""
    text = page.read_text(encoding="utf-8")
    pieces, end = [], 0
    for block in blocks(text):
        session.do(block)
        if block.title == "output" and _ANYTHING not in block.text.splitlines():
            lines = [line.rstrip() for line in session.printed.splitlines() if line.strip()]
            pieces += [text[end : block.start], "\n".join(lines) + "\n"]
            end = block.end
    return "".join([*pieces, text[end:]])


def main(names: list[str]) -> None:
    """Refresh pages."""
    for page in [Path(name).resolve() for name in names] or pages():
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            text = rewritten(page, Session(folder))
            page.write_text(text, encoding="utf-8")
            for figure in sorted((folder / FIGURES).glob("*.svg")):
                (DOCS / FIGURES).mkdir(exist_ok=True)
                shutil.copy(figure, DOCS / FIGURES / figure.name)
        print(page.relative_to(ROOT), file=sys.stderr)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main(sys.argv[1:])
