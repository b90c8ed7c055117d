"""Every block of every page, run; and that the pages show what was printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tiltmeter
from tiltmeter.metrics import METRICS

from .blocks import DOCS, FIGURES, ROOT, Session, blocks, check_command, check_named, named, not_run, pages, same

# Small pages are run by `make test` too: nothing on them needs a model.
_LIGHT = [
    page
    for page in pages()
    if not any(
        block.language == "console" or "demo:" in block.text for block in blocks(page.read_text(encoding="utf-8"))
    )
]

_DRAW = "`python -m tests.docs.blocks` draws it"


def _rounded(figure: Path) -> str:
    """The text of a drawing; the last digits of its numbers differ from one processor to the next."""
    return re.sub(r"-?\d+\.\d+", lambda number: f"{float(number[0]):.1f}", figure.read_text(encoding="utf-8"))


def _run(page: Path, folder: Path) -> None:
    session = Session(folder)
    text = page.read_text(encoding="utf-8")
    for block in blocks(text):
        session.do(block)
        if block.title == "output":
            assert same(block.text, session.printed), f"{page.name} shows\n{block.text}\nbut it is\n{session.printed}"
    for figure in (folder / FIGURES).glob("*.svg"):
        assert f"{FIGURES}/{figure.name}" in text, f"{page.name} draws {figure.name} and does not show it"
        kept = DOCS / FIGURES / figure.name
        assert kept.is_file(), _DRAW
        assert _rounded(figure) == _rounded(kept), f"{page.name} draws another {figure.name} today: {_DRAW}"


@pytest.mark.parametrize("page", _LIGHT, ids=lambda page: str(page.relative_to(DOCS)))
def test_the_blocks_of_a_page_without_commands(page: Path, tmp_path: Path) -> None:
    _run(page, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in pages() if page not in _LIGHT], ids=lambda page: str(page.relative_to(DOCS))
)
def test_the_blocks_of_a_page_with_commands(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "page"
    folder.mkdir()
    _run(page, folder)


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(DOCS)))
def test_commands_that_cannot_be_run_here_exist_with_their_options(page: Path) -> None:
    for command in not_run(page.read_text(encoding="utf-8")):
        check_command(command)


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(DOCS)))
def test_commands_and_options_that_are_named_in_a_sentence_exist(page: Path) -> None:
    for code in named(page.read_text(encoding="utf-8")):
        check_named(code)


def test_the_commands_of_the_readme_exist_with_their_options() -> None:
    """They are not run: they ask for models and files that are not in the box."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = [block.text for block in blocks(text) if block.language == "console"]
    commands = [
        part.strip()
        for block in shown
        for line in block.splitlines()
        for part in line.removeprefix("$ ").partition("  #")[0].split("&&")
    ]
    for command in (one for one in commands if one.startswith("tiltmeter ")):
        check_command(command)
    for code in named(text):
        check_named(code)


def test_a_name_in_a_sentence_that_does_not_exist_is_found() -> None:
    page = "Give `tiltmeter weat --no-such` or\n`tiltmeter\nwaet`, or `--no-such-one`.\n\n```python\n`--x`\n```\n"
    codes = ["tiltmeter weat --no-such", "tiltmeter waet", "--no-such-one"]
    assert named(page) == codes
    for code in codes:
        with pytest.raises(AssertionError, match=r"no-such|waet"):
            check_named(code)


def test_a_command_or_an_option_that_does_not_exist_is_found() -> None:
    page = "Text\n\n    tiltmeter weat glove.txt --no-such-option\n\n```sh\ntiltmeter waet glove.txt  # why\n```\n"
    commands = not_run(page)
    assert commands == ["tiltmeter waet glove.txt", "tiltmeter weat glove.txt --no-such-option"]
    with pytest.raises(AssertionError, match="waet"):
        check_command(commands[0])
    with pytest.raises(Exception, match="No such option"):
        check_command(commands[1])


def test_the_reference_has_every_public_name() -> None:
    text = (DOCS / "reference" / "index.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^::: tiltmeter\.(\w+)$", text, re.MULTILINE))
    assert named == set(tiltmeter.__all__) - {"__version__"}


def test_every_public_name_says_what_it_is() -> None:
    """The reference is made of docstrings: a name without one has an empty entry there."""
    for name in set(tiltmeter.__all__) - {"__version__"}:
        doc = getattr(tiltmeter, name).__doc__
        assert doc, name
        assert not doc.startswith(f"{name}("), f"the docstring of {name} is the one that a dataclass makes"


def test_every_metric_has_a_page_with_its_parts() -> None:
    for metric in METRICS:
        text = (DOCS / "metrics" / f"{metric.name.replace('_', '-')}.md").read_text(encoding="utf-8")
        headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
        assert headings == ["Meaning", "Limits", "Known criticism"], metric.name
        assert text.index("```text") < text.index("## Meaning"), "the formula stands first"


def test_a_line_of_dots_stands_for_any_lines() -> None:
    assert same("a\n…\nd  e\n", "a\nb\nc\n\n d e\n")
    assert same("a\n…\n", "a\nb\n")
    assert not same("a\n", "a\nb\n")
    assert not same("a\n…\nc\n", "a\nb\n")
    assert not same("b\n", "a\n")
