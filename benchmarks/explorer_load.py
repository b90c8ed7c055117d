"""50 clients of the explorer at once: how long each waits for a table that is there, and whether any fails.

The server runs in a process of its own, on a tiny model with all words of the lexicon: the table is that of 99 × 618.
Every client holds a connection and asks again as soon as it has its answer, which nobody at a screen does.

Run: python -m benchmarks.explorer_load [SECONDS [CLIENTS]]
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from tests.explorer.served import served

TABLE = "/api/v1/table?targets=occupation&features=trait"
MIX = (
    TABLE,
    "/api/v1/table?targets=occupation&features=gender",
    "/api/v1/catalogue",
    "/api/v1/summary?sensitive=gender",
)
_GZIP = "Accept-Encoding: gzip\r\n"


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, path: str) -> tuple[int, int]:
    """The status and the size of one answer."""
    writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{_GZIP}\r\n".encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    length = int(head.partition("content-length:")[2].split("\r\n", 1)[0])
    await reader.readexactly(length)
    return int(head.split(" ", 2)[1]), length


async def client(host: str, until: float, paths: tuple[str, ...], waits: list[float], codes: Counter[int]) -> None:
    name, _, port = host.partition(":")
    reader, writer = await asyncio.open_connection(name, int(port))
    number = 0
    while time.perf_counter() < until:
        begun = time.perf_counter()
        status, _ = await ask(reader, writer, host, paths[number % len(paths)])
        waits.append(time.perf_counter() - begun)
        codes[status] += 1
        number += 1
    writer.close()


async def load(host: str, seconds: float, clients: int, paths: tuple[str, ...]) -> tuple[list[float], Counter[int]]:
    waits: list[float] = []
    codes: Counter[int] = Counter()
    until = time.perf_counter() + seconds
    await asyncio.gather(*(client(host, until, paths, waits, codes) for _ in range(clients)))
    return waits, codes


async def first(host: str) -> None:
    """All answers once, so that they are there; and what one of them costs when nobody else asks."""
    name, _, port = host.partition(":")
    reader, writer = await asyncio.open_connection(name, int(port))
    for path in MIX:
        begun = time.perf_counter()
        status, size = await ask(reader, writer, host, path)
        computed = time.perf_counter() - begun
        begun = time.perf_counter()
        await ask(reader, writer, host, path)
        kept = time.perf_counter() - begun
        print(f"{path:70} {status} {size / 1000:7.1f} kB  first {computed:6.2f} s  kept {1000 * kept:6.1f} ms")
    writer.close()


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    clients = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as address:
        host = urlsplit(address).netloc
        asyncio.run(first(host))
        for what, paths in (("the whole table", (TABLE,)), ("a mix", MIX)):
            waits, codes = asyncio.run(load(host, seconds, clients, paths))
            p50, p95, p99 = 1000 * np.quantile(waits, [0.5, 0.95, 0.99])
            rate = f"{len(waits):,} answers, {len(waits) / seconds:.0f} a second"
            spread = f"p50 {p50:.0f} ms, p95 {p95:.0f} ms, p99 {p99:.0f} ms"
            print(f"{what}: {clients} clients, {seconds:.0f} s, {rate}, {spread}, status {dict(codes)}")


if __name__ == "__main__":
    main()
