"""Making objects by the hundred thousand that all stay, without the garbage collector going through them in vain."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Inside, no garbage is looked for. Not for long computations, whose own garbage would pile up."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
