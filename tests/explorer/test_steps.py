"""The explorer of a file of vectors: what debiasing does to chosen words, step by step."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer import Typer
from typer.testing import CliRunner

pytest.importorskip("fastapi", reason="the explorer needs the extra 'explorer'")

from starlette.testclient import TestClient

from tests.debias.made import GENDER, embedding
from tiltmeter.cli.explore import explore
from tiltmeter.debias.fit import METHODS, fit
from tiltmeter.debias.vocabulary import ArrayVocabulary, unit_rows
from tiltmeter.errors import InputError
from tiltmeter.explorer.debiasing import Stage, create_steps_app
from tiltmeter.explorer.security import Hosts

from .ask import BASE

WORDS, MATRIX = embedding()
STEPS = "/api/v1/steps"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("vectors") / "vectors.txt"
    lines = (" ".join([word, *map(repr, row)]) for word, row in zip(WORDS, MATRIX.astype(float).tolist(), strict=True))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def client(file: Path) -> Iterator[TestClient]:
    with TestClient(create_steps_app(Stage(str(file)), hosts=Hosts.of("127.0.0.1", 0)), base_url=BASE) as client:
        yield client


def ask(client: TestClient, **given: Any) -> dict[str, Any]:
    answer = client.get(STEPS, params=given)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_the_last_step_is_what_hard_debiasing_gives(client: TestClient) -> None:
    found = ask(client, word=["xaaaa", "xaaab"])
    assert [one["title"][:2] for one in found["steps"]] == ["1.", "2.", "3."]
    fitted = fit(ArrayVocabulary(WORDS, MATRIX), GENDER, "hard")
    made = dict(zip(WORDS, fitted.transform(WORDS, MATRIX).astype(np.float64), strict=True))
    start = dict(zip(WORDS, unit_rows(MATRIX), strict=True))
    first, taken, last = (one["places"] for one in found["steps"])
    assert {"she", "he", "xaaaa", "xaaab"} <= first.keys() == last.keys()
    for word in first:
        assert first[word][0] == pytest.approx(float(start[word] @ fitted.directions[0]), abs=1e-6)
        assert last[word][0] == pytest.approx(float(made[word] @ fitted.directions[0]), abs=1e-6)
    assert taken["xaaaa"][0] == pytest.approx(0, abs=1e-9)
    assert taken["she"] == first["she"]
    for female, male in found["pairs"]:
        assert last[female][0] == pytest.approx(-last[male][0])
        assert last[female][1] == pytest.approx(last[male][1])
        assert (found["sides"][female], found["sides"][male]) == (0, 1)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_its_steps(client: TestClient, method: str) -> None:
    found = ask(client, method=method)
    assert len(found["steps"]) == {"hard": 3, "double-hard": 4}.get(method, 2)
    assert found["whole"] is (method in ("hard", "projection"))
    assert all(one["said"] for one in found["steps"])


def test_what_cannot_be_shown_is_said(client: TestClient) -> None:
    assert ask(client, word=["xaaaa", "unheard"])["lost"] == ["unheard"]
    assert ask(client)["model"] == "vectors.txt"
    for given, said in (
        ({"method": "harder"}, "no method of debiasing"),
        ({"subspace": "pcaa"}, "no way of finding a subspace"),
        ({"bias": "gendre"}, "no definitions of the bias"),
        ({"bias": "race"}, "has two words in"),
        ({"word": ["a"] * 41}, "more than"),
    ):
        answer = client.get(STEPS, params=given)
        assert answer.status_code == 422, answer.text
        assert said in answer.json()["error"]["message"]


def test_the_page_is_there_and_loads_only_what_the_server_has(client: TestClient) -> None:
    for path, kind in (("/", "text/html"), ("/steps.js", "text/javascript"), ("/steps.css", "text/css")):
        answer = client.get(path)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(kind)
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert client.get("/lost.js").status_code == 404
    assert client.get("/", headers={"Host": "elsewhere.example"}).status_code == 403


def test_words_far_down_in_a_file_are_found(tmp_path: Path) -> None:
    """In the order of the alphabet, or of rarity, words of the bias may come behind all that are read at once."""
    path = tmp_path / "vectors.txt"
    filler = "".join(f"{_name(number)} {' '.join(['0.1'] * MATRIX.shape[1])}\n" for number in range(20_100))
    lines = "".join(
        f"{word} {' '.join(map(str, row))}\n" for word, row in zip(WORDS, MATRIX.astype(float).tolist(), strict=True)
    )
    path.write_text(filler + lines)
    found = Stage(str(path)).steps("gender", "hard", "pca", ["xaaaa"])
    assert {"she", "he", "xaaaa"} <= found["steps"][0]["places"].keys()
    assert found["lost"] == []


def _name(number: int) -> str:
    return "q" + "".join(chr(97 + int(digit)) for digit in f"{number:05}")


def test_vectors_are_explored_alone(file: Path) -> None:
    app = Typer()
    app.command()(explore)
    done = CliRunner().invoke(app, [str(file), "demo:en", "--no-browser"])
    assert isinstance(done.exception, InputError)
    assert "is explored alone" in str(done.exception)
