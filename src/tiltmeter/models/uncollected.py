"""Making objects by the hundred thousand that all stay, without the garbage collector going through them in vain."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Inside, no garbage is looked for. Not for long computations, whose own garbage would pile up.

    What was made is then among the old objects at once: the collector would else go through all of it several times.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if not gc.get_freeze_count():  # what others have frozen stays so
                gc.freeze()
                gc.unfreeze()
            gc.enable()
