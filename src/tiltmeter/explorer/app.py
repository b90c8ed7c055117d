"""The application: addresses, and what answers them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

import tiltmeter
from tiltmeter.explorer import tables
from tiltmeter.explorer.catalogue import catalogue, default
from tiltmeter.explorer.computations import Computations, Task
from tiltmeter.explorer.explorer import Explorer
from tiltmeter.explorer.page import cache_of, files
from tiltmeter.explorer.problems import RefusalError, fault
from tiltmeter.explorer.queries import ASKED, BINARY_ONES, Ask
from tiltmeter.explorer.responses import answered, failed, respond, streamed
from tiltmeter.explorer.security import Guard, Hosts
from tiltmeter.explorer.source import Source
from tiltmeter.explorer.views import ScoreKind, View
from tiltmeter.explorer.wire import BINARY, JSON, Body

V1 = "/api/v1"


class _LostWord(BaseModel):
    word: str
    where: str
    reason: str


class _ErrorBody(BaseModel):
    code: str
    message: str
    hint: str | None
    lost: list[_LostWord]


class Failure(BaseModel):
    """What every refusal looks like."""

    error: _ErrorBody


_REFUSALS: dict[int | str, dict[str, Any]] = {
    status: {"model": Failure, "description": what}
    for status, what in {
        401: "The token is missing.",
        403: "The Host or the Origin is not this server's.",
        404: "There is no such model, category or word.",
        409: "This model or run cannot do it.",
        413: "The request has a body.",
        414: "The address is too long.",
        422: "A parameter is wrong, or a word has no score.",
        503: "Too much is being computed.",
    }.items()
}


def create_app(
    sources: Sequence[Source],
    *,
    hosts: Hosts,
    token: str | None = None,
    page: Mapping[str, Body] | None = None,
    warm: bool = False,
) -> FastAPI:
    """The explorer of `sources`. `warm`: compute the first view before anybody asks for it."""
    explorer, computations = Explorer(sources), Computations()
    first = catalogue(explorer)

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None, None]:
        warming = asyncio.create_task(_warm(explorer, computations)) if warm else None
        yield
        if warming is not None:
            warming.cancel()
        computations.close()

    app = FastAPI(
        title="Tiltmeter explorer",
        version=tiltmeter.__version__,
        description="Scores of a language model's social biases, with intervals. Arrays come in binary: a "
        "little-endian u32, that many bytes of JSON, and the arrays that it describes.",
        openapi_url=f"{V1}/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.explorer, app.state.computations = explorer, computations
    app.add_middleware(Guard, hosts=hosts, token=token)
    handle_errors(app)

    @app.get(f"{V1}/catalogue", response_class=Response, responses=_responses(JSON), summary="What there is")
    async def show_catalogue(request: Request) -> Response:
        return respond(request, first)

    for name, ask in ASKED.items():
        _add(app, name, ask)
    _add_page(app, files() if page is None else page)
    return app


def _add(app: FastAPI, name: str, ask: Ask) -> None:
    """An address that answers, and one that tells how far the answer is."""
    summary = (ask.__doc__ or "").strip()
    media_type = BINARY if name in BINARY_ONES else JSON

    async def answer(request: Request, task: Annotated[Task[Body], Depends(ask)]) -> Response:
        return await answered(request, request.app.state.computations, task)

    async def progress(request: Request, task: Annotated[Task[Body], Depends(ask)]) -> Response:
        return streamed(request, request.app.state.computations, task)

    # The annotations name a local variable, which FastAPI would look for elsewhere.
    for one in (answer, progress):
        one.__annotations__ = {"request": Request, "task": Annotated[Task[Body], Depends(ask)], "return": Response}
    app.get(f"{V1}/{name}", response_class=Response, responses=_responses(media_type), summary=summary, name=name)(
        answer
    )
    app.get(
        f"{V1}/progress/{name}",
        response_class=Response,
        responses=_responses("text/event-stream"),
        summary=f"Progress: {summary}",
        name=f"progress_{name}",
    )(progress)


def _responses(media_type: str) -> dict[int | str, dict[str, Any]]:
    # Of a stream of events, the schema is that of one event.
    schema = {"type": "string", "format": "binary"} if media_type == BINARY else {"type": "object"}
    good = {"description": "The answer", "content": {media_type: {"schema": schema}}}
    return {200: good, 304: {"description": "As it was."}, **_REFUSALS}


def _add_page(app: FastAPI, page: Mapping[str, Body]) -> None:
    @app.api_route("/{path:path}", methods=["GET", "HEAD"], include_in_schema=False)
    async def show_page(request: Request, path: str) -> Response:
        body = page.get(f"/{path}")
        if body is None:
            raise RefusalError(404, "not_found", "There is nothing at this address.", hint="The page is at /.")
        return respond(request, body, cache_of(f"/{path}"))


def handle_errors(app: FastAPI) -> None:
    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][1:])
        return failed(RefusalError(422, "invalid", f"{where} {fault(first)}.", hint="See the schema."))

    @app.exception_handler(HTTPException)
    async def refused(_: Request, error: HTTPException) -> JSONResponse:
        response = failed(RefusalError(error.status_code, "not_found", str(error.detail)))
        response.headers.update(error.headers or {})
        return response

    @app.exception_handler(Exception)
    async def broken(_: Request, error: Exception) -> JSONResponse:
        return failed(error)

    @app.exception_handler(tiltmeter.TiltmeterError)
    async def unable(_: Request, error: tiltmeter.TiltmeterError) -> JSONResponse:
        return failed(error)


async def _warm(explorer: Explorer, computations: Computations) -> None:
    """The first view; whatever goes wrong is told to the first who asks for it."""
    chosen = default(next(iter(explorer.sources.values())))
    kind: ScoreKind = "direct" if chosen["kind"] == "direct" else "indirect"
    view = View(chosen["model"], chosen["targets"], chosen["features"], kind)
    with contextlib.suppress(Exception):
        await computations.result(tables.table(explorer, view))
