"""Equal computations are done once, several share them, and what nobody waits for stops."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from typing import Any, TypeVar

import pytest

from tiltmeter.explorer.computations import BusyError, Computations, NobodyWaitsError, Progress, Task, Work

PATIENCE = 10.0
Found = TypeVar("Found")


def run(main: Coroutine[Any, Any, Found]) -> Found:
    """In a thread of its own: in this one, Playwright's driver may have a loop that runs."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, main).result()


def task(key: str, compute: Callable[[Work], str], *, long: bool = True) -> Task[str]:
    return Task(key, compute, len, long)


class Endless:
    """Works until it is stopped, and says so."""

    def __init__(self) -> None:
        self.begun, self.stopped = threading.Event(), threading.Event()

    def __call__(self, work: Work) -> str:
        self.begun.set()
        try:
            while True:
                work.report("working", 1, 2)
                time.sleep(0.005)
        except NobodyWaitsError:
            self.stopped.set()
            raise


def test_equal_requests_are_computed_once() -> None:
    calls = []

    def compute(_: Work) -> str:
        calls.append(1)
        time.sleep(0.1)
        return "found"

    async def main() -> list[str]:
        computations = Computations()
        at_once = await asyncio.gather(*(computations.result(task("same", compute)) for _ in range(20)))
        return [*at_once, await computations.result(task("same", compute))]

    assert run(main()) == ["found"] * 21
    assert len(calls) == 1


def test_an_error_reaches_all_who_wait_and_is_not_kept() -> None:
    calls = []

    def compute(_: Work) -> str:
        calls.append(1)
        time.sleep(0.05)
        raise LookupError("it is gone")

    async def main() -> list[BaseException | str]:
        computations = Computations()
        both = await asyncio.gather(
            *(computations.result(task("a", compute)) for _ in range(2)), return_exceptions=True
        )
        with pytest.raises(LookupError):
            await computations.result(task("a", compute))
        return both

    assert all(isinstance(one, LookupError) for one in run(main()))
    assert len(calls) == 2


def test_a_computation_stops_when_its_only_client_leaves() -> None:
    endless = Endless()

    async def main() -> None:
        computations = Computations()

        async def gone() -> bool:
            return endless.begun.is_set()

        with pytest.raises(NobodyWaitsError):
            await computations.result(task("endless", endless), gone=gone)
        assert await asyncio.to_thread(endless.stopped.wait, PATIENCE)

    run(main())


def test_a_computation_goes_on_while_somebody_waits() -> None:
    finish = threading.Event()

    def compute(work: Work) -> str:
        while not finish.is_set():
            work.report("working")
            time.sleep(0.005)
        return "found"

    async def main() -> str:
        computations = Computations()
        stays = asyncio.create_task(computations.result(task("shared", compute)))
        async with aclosing(computations.watch(task("shared", compute))) as progress:
            async for _ in progress:
                break  # this client leaves
        await asyncio.sleep(0.2)
        finish.set()
        return await stays

    assert run(main()) == "found"


def test_what_is_needed_stops_with_what_needs_it() -> None:
    endless = Endless()

    async def main() -> None:
        computations = Computations()
        outer = task("outer", lambda work: work.need(task("inner", endless)))
        async with aclosing(computations.watch(outer)) as progress:
            async for one in progress:
                if one == Progress("working", 1, 2):  # that of the inner one
                    break
        assert await asyncio.to_thread(endless.stopped.wait, PATIENCE)

    run(main())


def test_what_another_waits_for_is_not_computed_twice_nor_stopped() -> None:
    calls = []

    def inner(_: Work) -> str:
        calls.append(1)
        time.sleep(0.2)
        return "inner"

    async def main() -> tuple[str, ...]:
        computations = Computations()
        names = [f"outer{i}" for i in range(8)]  # more than there are threads
        outers = [task(name, lambda work: work.need(task("inner", inner))) for name in names]
        return tuple(await asyncio.gather(*(computations.result(one) for one in outers)))

    assert run(main()) == ("inner",) * 8
    assert len(calls) == 1


def test_no_more_is_kept_than_there_is_room_for() -> None:
    calls: list[str] = []

    def compute(key: str) -> Task[str]:
        def inner(_: Work) -> str:
            calls.append(key)
            return key * 40

        return task(key, inner)

    async def main() -> None:
        computations = Computations(capacity=100)
        for key in ("a", "b", "a", "c", "a", "b"):  # c pushes out b, which was asked for longest ago
            await computations.result(compute(key))

    run(main())
    assert calls == ["a", "b", "c", "b"]


def test_quick_work_does_not_wait_for_long_work() -> None:
    async def main() -> float:
        computations = Computations()
        blocks = [Endless() for _ in range(4)]
        waiting = [asyncio.create_task(computations.result(task(f"long{i}", one))) for i, one in enumerate(blocks)]
        assert await asyncio.to_thread(blocks[0].begun.wait, PATIENCE)
        begun = time.monotonic()
        await computations.result(task("quick", lambda _: "found", long=False))
        seconds = time.monotonic() - begun
        for one in waiting:
            one.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        assert await asyncio.to_thread(blocks[0].stopped.wait, PATIENCE)
        return seconds

    assert run(main()) < PATIENCE / 2


def test_too_much_at_once_is_refused() -> None:
    async def main() -> None:
        computations = Computations()
        endless = Endless()
        waiting = [asyncio.create_task(computations.result(task(f"{i}", endless))) for i in range(64)]
        await asyncio.sleep(0.1)
        with pytest.raises(BusyError):
            await computations.result(task("one more", endless))
        for one in waiting:
            one.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    run(main())
