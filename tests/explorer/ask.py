"""Asking the server, and reading what it answers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from starlette.testclient import TestClient

BASE = "http://127.0.0.1:8000"
API = "/api/v1"
SMALL: dict[str, Any] = {
    "targets": "beverage",
    "features": "gender",
}  # 18 × 6 (plurals fit no sentence about a name): quick


@dataclass(frozen=True)
class Table:
    """A binary answer, decoded as the page does it."""

    header: dict[str, Any]
    arrays: dict[str, NDArray[np.float64]]


@dataclass(frozen=True)
class Ask:
    client: TestClient

    def json(self, what: str, *, status: int = 200, **query: Any) -> dict[str, Any]:
        response = self.client.get(f"{API}/{what}", params=query)
        assert response.status_code == status, response.text[:500]
        value: dict[str, Any] = response.json()
        return value

    def table(self, what: str = "table", **query: Any) -> Table:
        response = self.client.get(f"{API}/{what}", params=query)
        assert response.status_code == 200, response.text[:500]
        return decoded(response.content)


def decoded(body: bytes) -> Table:
    length = int.from_bytes(body[:4], "little")
    header = json.loads(body[4 : 4 + length])
    assert (4 + length) % 8 == 0
    arrays = {}
    for name, one in header["arrays"].items():
        assert one["offset"] % 8 == 0
        raw = np.frombuffer(body, dtype=f"<{one['dtype']}", count=one["length"], offset=one["offset"])
        values = raw.astype(np.float64)
        if "scale" in one:
            values = np.where(raw == -32768, np.nan, values * one["scale"])
        arrays[name] = values.reshape(header["shape"])
    return Table(header, arrays)
