"""Computations that requests share: equal ones are done once, kept while there is room, and stopped when nobody waits.

A computation runs in a thread. It calls `Work.report` now and then, which tells those who wait how far it is, and ends
it with `NobodyWaitsError` once none is left. It may need the results of others (`Work.need`), which are shared alike.
"""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

from tiltmeter.errors import TiltmeterError

T = TypeVar("T")

_POLL = 0.05  # seconds between two looks at whether somebody still waits
_LONG, _QUICK = 2, 4  # threads for what takes long, and for what should not wait for that
_MOST = 64  # computations under way or waiting for a thread


class NobodyWaitsError(Exception):
    """Nobody waits for the result any more."""


class BusyError(TiltmeterError):
    """More is being computed than this machine should take on."""


class Progress(NamedTuple):
    """How far a computation is; a total of 0 says that this is not known."""

    phase: str
    done: int
    total: int


_WAITING = Progress("waiting", 0, 0)


@dataclass(frozen=True)
class Task(Generic[T]):
    """What is to be computed. Equal keys have equal results; `size` is what a result weighs, in bytes."""

    key: Hashable
    compute: Callable[[Work], T]
    size: Callable[[T], int]
    long: bool = True


@dataclass(eq=False)
class _Entry:
    task: Task[Any]
    future: Future[Any] = field(default_factory=Future)
    claimed: bool = False  # a thread does it
    waiting: int = 0  # requests
    parents: list[_Entry] = field(default_factory=list)  # computations that need it
    progress: Progress = _WAITING

    def alive(self) -> bool:
        return self.waiting > 0 or any(not parent.future.done() and parent.alive() for parent in self.parents)


class Work:
    """What a computation is given: a way to report, to stop, and to need others."""

    def __init__(self, of: Computations, entry: _Entry) -> None:
        self._of, self._entry = of, entry

    def report(self, phase: str, done: int = 0, total: int = 0) -> None:
        """Say how far it is; ends the computation if nobody waits for it."""
        self._tell(Progress(phase, done, total))
        self._of.check(self._entry)

    def need(self, task: Task[T]) -> T:
        """The result of another computation: kept, under way, or done now in this thread."""
        return self._of.inner(task, self._entry)

    def _tell(self, progress: Progress) -> None:
        entries = [self._entry]
        while entries:
            entry = entries.pop()
            entry.progress = progress
            entries += entry.parents


class Computations:
    """All that is being computed, and the results of late, at most `capacity` bytes of them."""

    def __init__(self, capacity: int = 512 * 2**20) -> None:
        self._capacity = capacity
        self._kept: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._bytes = 0
        self._under_way: dict[Hashable, _Entry] = {}
        self._lock = threading.Lock()
        self._pools = {
            True: ThreadPoolExecutor(_LONG, thread_name_prefix="long"),
            False: ThreadPoolExecutor(_QUICK, thread_name_prefix="quick"),
        }

    def kept(self, key: Hashable) -> Any:
        """The result, or None if it is not there."""
        with self._lock:
            return self._kept_or_none(key)

    @property
    def idle(self) -> bool:
        """Whether nothing is being computed."""
        with self._lock:
            return not self._under_way

    async def result(self, task: Task[T], *, gone: Callable[[], Any] | None = None) -> T:
        """The result, computed if need be. `gone` is asked now and then whether the client has left."""
        async with aclosing(self.watch(task)) as progress:
            async for _ in progress:
                if gone is not None and await gone():
                    raise NobodyWaitsError
        return await self._last(task)

    async def watch(self, task: Task[Any]) -> AsyncGenerator[Progress, None]:
        """Progress, several times a second, until there is a result or an error, which is raised."""
        entry = self._join(task, waiting=1)
        if entry is None:
            return
        try:
            waiter = asyncio.wrap_future(entry.future)
            waiter.add_done_callback(lambda done: done.cancelled() or done.exception())  # no complaint if nobody looks
            while not waiter.done():
                await asyncio.wait({waiter}, timeout=_POLL)
                if not waiter.done():
                    yield entry.progress
            waiter.result()
        finally:
            with self._lock:
                entry.waiting -= 1
                self._drop_unclaimed(entry)

    def inner(self, task: Task[T], parent: _Entry) -> T:
        entry = self._join(task, parent=parent)
        if entry is None:
            found: T = self.kept(task.key)
            return found
        self._run(entry)  # unless another thread does
        while True:
            try:
                result: T = entry.future.result(timeout=_POLL)
                return result
            except NotYet:
                if entry.future.done():  # it is the computation's own error
                    raise
                self.check(parent)

    def check(self, entry: _Entry) -> None:
        """End the computation in this thread if nobody waits for it."""
        with self._lock:
            if entry.alive():
                return
            if self._under_way.get(entry.task.key) is entry:
                del self._under_way[entry.task.key]
        raise NobodyWaitsError

    def close(self) -> None:
        """Let go of everything; what runs ends at its next report."""
        with self._lock:
            for entry in self._under_way.values():
                entry.waiting = 0
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)

    async def _last(self, task: Task[T]) -> T:
        found = self.kept(task.key)
        if found is None:  # so large that it was not kept, or already pushed out
            return await asyncio.get_running_loop().run_in_executor(self._pools[task.long], self._alone, task)
        result: T = found
        return result

    def _alone(self, task: Task[T]) -> T:
        return task.compute(Work(self, _Entry(task, waiting=1)))

    def _join(self, task: Task[Any], *, waiting: int = 0, parent: _Entry | None = None) -> _Entry | None:
        """The computation under way, a new one, or None if the result is there."""
        with self._lock:
            if self._kept_or_none(task.key) is not None:
                return None
            entry = self._under_way.get(task.key)
            new = entry is None
            if entry is None:
                if len(self._under_way) >= _MOST and parent is None:
                    raise BusyError("too much is being computed at the moment. Try again in a few seconds.")
                entry = self._under_way[task.key] = _Entry(task)
            entry.waiting += waiting
            if parent is not None:
                entry.parents.append(parent)
        if new and parent is None:
            self._pools[task.long].submit(self._run, entry)
        return entry

    def _run(self, entry: _Entry) -> None:
        with self._lock:
            if entry.claimed:
                return
            entry.claimed = True
        try:
            self.check(entry)
            result = entry.task.compute(Work(self, entry))
        except BaseException as error:
            self._finish(entry)
            entry.future.set_exception(error)
            return
        self._keep(entry.task, result)
        self._finish(entry)
        entry.future.set_result(result)

    def _finish(self, entry: _Entry) -> None:
        with self._lock:
            if self._under_way.get(entry.task.key) is entry:
                del self._under_way[entry.task.key]

    def _keep(self, task: Task[Any], result: Any) -> None:
        weight = task.size(result)
        with self._lock:
            if weight > self._capacity:
                return
            self._kept[task.key] = (result, weight)
            self._bytes += weight
            while self._bytes > self._capacity:
                _, (_, freed) = self._kept.popitem(last=False)
                self._bytes -= freed

    def _kept_or_none(self, key: Hashable) -> Any:
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key][0]

    def _drop_unclaimed(self, entry: _Entry) -> None:
        """Forget what nobody waits for and no thread has begun, so that it does not stand in the way of others."""
        if not entry.claimed and not entry.alive() and self._under_way.get(entry.task.key) is entry:
            entry.claimed = True
            del self._under_way[entry.task.key]
