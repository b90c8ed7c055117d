"""Bodies as responses: what the browser has already is not sent again, and what can be sent compressed is."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from fastapi import Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from tiltmeter.explorer.computations import Computations, NobodyWaitsError, Task
from tiltmeter.explorer.problems import described
from tiltmeter.explorer.wire import Body

_STILL_HERE = 10.0  # seconds between two signs of life
_SAME = 0.05  # seconds between two looks
_LOG = logging.getLogger("tiltmeter.explorer")


def respond(request: Request, body: Body, cache: str = "private, no-cache") -> Response:
    """The body, compressed if the browser takes it, or 304 if it has it."""
    headers = {"ETag": f'"{body.etag}"', "Cache-Control": cache, "Vary": "Accept-Encoding"}
    asked = [tag.strip().removeprefix("W/") for tag in request.headers.get("if-none-match", "").split(",")]
    if headers["ETag"] in asked:
        return Response(status_code=304, headers=headers)
    if body.compressed is not None and _takes_gzip(request.headers.get("accept-encoding", "")):
        headers["Content-Encoding"] = "gzip"
        return Response(body.compressed, headers=headers, media_type=body.media_type)
    return Response(body.content, headers=headers, media_type=body.media_type)


def failed(error: Exception) -> JSONResponse:
    """An error in the one shape that all have."""
    status, value = described(error)
    if status == 500:
        _LOG.error("a request failed", exc_info=error)
    headers = {"Cache-Control": "no-store"}
    if status == 503:
        headers["Retry-After"] = "2"
    return JSONResponse(value, status_code=status, headers=headers)


async def answered(request: Request, computations: Computations, task: Task[Body]) -> Response:
    """The answer, once it is there; nothing is computed for a client that has gone."""
    body = computations.kept(task.key)
    if body is None:
        try:
            body = await computations.result(task, gone=request.is_disconnected)
        except NobodyWaitsError:
            return Response(status_code=499)  # nobody reads it
    return respond(request, body)


def streamed(request: Request, computations: Computations, task: Task[Body]) -> Response:
    """Progress as server-sent events; the result itself is then fetched from where it is kept."""
    return StreamingResponse(
        _events(request, computations, task), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
    )


async def _events(request: Request, computations: Computations, task: Task[Body]) -> AsyncGenerator[str, None]:
    said: Any = None
    quiet = looks = 0.0
    try:
        async with aclosing(computations.watch(task)) as watched:
            async for progress in watched:
                if await request.is_disconnected():
                    return
                quiet += _SAME
                looks += _SAME
                if progress != said:
                    said, quiet = progress, 0.0
                    yield _event("progress", progress._asdict())
                elif quiet >= _STILL_HERE:
                    quiet = 0.0
                    yield ": still here\n\n"
    except NobodyWaitsError:
        return
    except Exception as error:
        status, value = described(error)
        if status == 500:
            _LOG.error("a computation failed", exc_info=error)
        yield _event("failed", value)
        return
    yield _event("done", {"seconds": round(looks, 2)})


def _event(name: str, value: Any) -> str:
    return f"event: {name}\ndata: {json.dumps(value, ensure_ascii=False)}\n\n"


def _takes_gzip(accepted: str) -> bool:
    for one in accepted.split(","):
        name, _, rest = one.partition(";")
        if name.strip().lower() in ("gzip", "*"):
            return rest.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False
