"""What debiasing does to chosen words, step by step, in the browser   (after VERB: Rathore et al. 2021)."""

from __future__ import annotations

import threading
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from fastapi import FastAPI, Query, Request
from fastapi.responses import JSONResponse, Response
from numpy.typing import NDArray

import tiltmeter
from tiltmeter.debias.before_after import asked_words
from tiltmeter.debias.fit import METHODS, fit
from tiltmeter.debias.leaning import frequent, leaning
from tiltmeter.debias.sample import AMONG
from tiltmeter.debias.step_by_step import step_by_step
from tiltmeter.debias.subspace import HOWS, defined, directions
from tiltmeter.debias.transform import Debiaser
from tiltmeter.debias.vocabulary import ArrayVocabulary, FileVocabulary, spelled
from tiltmeter.explorer.app import V1, handle_errors
from tiltmeter.explorer.page import files
from tiltmeter.explorer.problems import RefusalError
from tiltmeter.explorer.responses import respond
from tiltmeter.explorer.security import Guard, Hosts
from tiltmeter.explorer.wire import Body
from tiltmeter.lexicon.debias import bias, biases
from tiltmeter.models.named import path_of

_LEANING = 50  # words of each class, of which those that lean furthest are shown
_MOST = 40  # words of the reader's own
_LONGEST = 100
_REMEMBERED = 10_000  # spellings


class Stage:
    """The vectors that are looked at: the frequent words of a file, and all words that define a bias.

    Methods are fitted to these words, so that an answer takes a second. For hard debiasing and projection, which look
    at defining words alone, that is what they do to the whole file.
    """

    def __init__(self, model: str, language: str = "en") -> None:
        self.name = Path(model).name if Path(model).exists() else model  # a path of this machine is not shown
        self.language = language
        self.biases = tuple(biases(language))
        self._file = FileVocabulary(path_of(model), self.name)
        names: list[str] = []
        rows: list[Any] = []
        for block in frequent(self._file, AMONG):
            names += [word.decode() for word in block.words]
            rows.append(np.asarray(block.rows, dtype=np.float32))
        asked = {way for name in self.biases for word in asked_words(bias(name, language)) for way in spelled(word)}
        more = self._file.find(asked - set(names))
        names += list(more)
        rows += [row.astype(np.float32)[None] for row in more.values()]
        empty = np.empty((0, self._file.dimension), dtype=np.float32)
        self._vocabulary = ArrayVocabulary(names, np.concatenate([empty, *rows]), self.name)
        self._names = frozenset(names)
        self._asked: dict[str, NDArray[np.float64] | None] = {}  # words of readers; None: not in the file
        self._fitted: dict[tuple[str, str, str], Debiaser] = {}
        self._lock = threading.Lock()

    def steps(self, name: str, method: str, subspace: str, chosen: list[str]) -> dict[str, Any]:
        """Where words stand after each step of a method."""
        given = bias(name, self.language)
        with self._lock:
            if (debiaser := self._fitted.get((name, method, subspace))) is None:
                debiaser = fit(self._vocabulary, given, method, subspace=subspace)
                self._fitted[name, method, subspace] = debiaser
        words = defined(self._vocabulary, given)
        direction = directions(words, subspace)
        leaned = leaning(self._vocabulary, words, direction, _LEANING)
        vocabulary = self._with(chosen)
        found, sides, pairs = step_by_step(vocabulary, debiaser, given, leaned, direction[0], chosen)
        if not found:
            raise RefusalError(422, "invalid", f"{self.name} has fewer than three words to show.", hint="Give others.")
        known = vocabulary.find({way for word in chosen for way in spelled(word)})
        return {
            "model": self.name,
            "bias": given.title,
            "classes": given.classes,
            "steps": [{"title": one.title, "said": one.said, "places": one.places} for one in found],
            "sides": sides,
            "pairs": pairs,
            "lost": [word for word in chosen if not any(way in known for way in spelled(word))],
            "words": len(self._vocabulary.words),
            "whole": method in ("hard", "projection"),
        }

    def _with(self, chosen: list[str]) -> ArrayVocabulary:
        """The vocabulary with the reader's own words, wherever they stand in the file; it is read once for each."""
        ways = {way for word in chosen for way in spelled(word)} - self._names
        with self._lock:
            if unknown := ways - self._asked.keys():
                if len(self._asked) > _REMEMBERED:
                    self._asked.clear()
                    unknown = ways
                self._asked |= {**dict.fromkeys(unknown), **self._file.find(unknown)}
            more = {way: row for way in sorted(ways) if (row := self._asked[way]) is not None}
        if not more:
            return self._vocabulary
        rows = np.stack(list(more.values())).astype(np.float32)
        matrix = np.concatenate([np.asarray(self._vocabulary.matrix), rows])
        return ArrayVocabulary([*self._vocabulary.words, *more], matrix, self.name)


def create_steps_app(stage: Stage, *, hosts: Hosts, token: str | None = None) -> FastAPI:
    """The page, and what it asks for."""
    app = FastAPI(
        title="Tiltmeter: debiasing step by step", version=tiltmeter.__version__, docs_url=None, redoc_url=None
    )
    app.add_middleware(Guard, hosts=hosts, token=token)
    handle_errors(app)
    page = files(resources.files("tiltmeter.explorer") / "steps")
    offered = {"model": stage.name, "biases": stage.biases, "methods": tuple(METHODS), "subspaces": HOWS}

    @app.get(f"{V1}/offered")
    def show_offered() -> JSONResponse:
        return JSONResponse(offered)

    @app.get(f"{V1}/steps")
    def show_steps(
        bias: Annotated[str, Query(max_length=_LONGEST)] = "gender",
        method: Annotated[str, Query(max_length=_LONGEST)] = "hard",
        subspace: Annotated[str, Query(max_length=_LONGEST)] = "pca",
        word: Annotated[list[str] | None, Query(max_length=_MOST)] = None,
    ) -> JSONResponse:
        chosen = [one[:_LONGEST] for one in word or [] if one.strip()]
        return JSONResponse(stage.steps(bias, method, subspace, chosen))

    @app.api_route("/{path:path}", methods=["GET", "HEAD"], include_in_schema=False)
    async def show_page(request: Request, path: str) -> Response:
        body: Body | None = page.get(f"/{path}")
        if body is None:
            raise RefusalError(404, "not_found", "There is nothing at this address.", hint="The page is at /.")
        return respond(request, body, "no-cache")

    return app
