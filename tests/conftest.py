"""What every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("TILTMETER_SHARED", Path(__file__).parents[2] / "shared"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference data beside the checkout; not part of the project."""
    if not (SHARED / "data").is_dir():
        require = pytest.fail if os.environ.get("TILTMETER_REQUIRE_SHARED") else pytest.skip
        require(f"needs the reference data in {SHARED} (set TILTMETER_SHARED to where it is)")
    return SHARED
