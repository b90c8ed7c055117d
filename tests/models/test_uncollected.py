"""Making many objects without looking for garbage leaves the collector as it was."""

from __future__ import annotations

import gc
import weakref

from tiltmeter.models.uncollected import uncollected


class Node:
    """Something that can point to itself."""

    itself: Node | None = None


def cycle() -> weakref.ref[Node]:
    node = Node()
    node.itself = node
    return weakref.ref(node)


def test_the_collector_rests_inside_and_only_there() -> None:
    assert gc.isenabled()
    frozen = gc.get_freeze_count()
    with uncollected():
        with uncollected():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    assert gc.get_freeze_count() == frozen


def test_garbage_that_was_made_inside_is_found_later() -> None:
    with uncollected():
        made = [cycle() for _ in range(1_000)]
        assert all(node() is not None for node in made)
    gc.collect()
    assert all(node() is None for node in made)


def test_what_another_has_frozen_stays_frozen() -> None:
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with uncollected():
            pass
        assert gc.get_freeze_count() == frozen > 0
    finally:
        gc.unfreeze()
