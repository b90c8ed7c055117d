"""Millions of requests go through little memory, and fall into the same batches in whatever order they come."""

from __future__ import annotations

import gc
import random
import resource
import tracemalloc
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tiltmeter.errors import InputError
from tiltmeter.models import _plans, _states
from tiltmeter.models._cache import StateCache
from tiltmeter.models._slices import Request, Slices
from tiltmeter.models.lm import Query
from tiltmeter.models.masked import MaskedModel

REQUESTS = st.lists(
    st.builds(Request, st.lists(st.integers(0, 5), min_size=1, max_size=4).map(tuple), st.integers(0, 3)), max_size=60
)


@settings(deadline=None)
@given(REQUESTS, st.integers(1, 12))
def test_slices_hold_every_request_and_each_text_in_one_place(requests: list[Request], most: int) -> None:
    with Slices(iter(requests), most) as slices:
        first, again = list(slices), list(slices)
        assert len(slices) == len(requests)
    assert first == again
    assert Counter(one for some in first for one in some) == Counter(requests)
    if len(requests) > most:
        texts = [{one.ids for one in some} for some in first]
        assert sum(map(len, texts)) == len(set().union(*texts))
        assert all(len(some) <= most or len(ids) == 1 for some, ids in zip(first, texts, strict=True))


@settings(deadline=None)
@given(REQUESTS, st.randoms(use_true_random=False))
def test_slices_do_not_depend_on_the_order(requests: list[Request], order: random.Random) -> None:
    shuffled = list(requests)
    order.shuffle(shuffled)
    with Slices(requests, 3) as one, Slices(shuffled, 3) as other:
        assert [Counter(some) for some in one] == [Counter(some) for some in other] or len(requests) <= 3


def test_texts_of_one_length_are_divided_until_a_slice_holds_them() -> None:
    requests = [Request((number, 0, 7), 1) for number in range(5_000)]
    with Slices(requests, 20) as slices:
        assert max(map(len, slices)) <= 20
        assert sorted(one for some in slices for one in some) == requests


def test_nothing_stays_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with Slices((Request((number,), 0) for number in range(1_000)), 10) as slices:
        assert len(list(tmp_path.iterdir())) == 1
        assert sum(map(len, slices)) == 1_000
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_an_error_that_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    requests = [Request((number, 0, 7), 1) for number in range(1_000)]
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))  # no file may be larger
    try:
        with pytest.raises(InputError, match=r"no temporary file can be written \(File too large\)\. .*TMPDIR"):
            Slices(requests, 10)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    for wanted in (lambda: Slices(requests, 10), lambda: StateCache(None, {}, 4)):
        with pytest.raises(InputError, match="no temporary file can be written"):
            wanted()


WORDS = tuple("".join(letters) for letters in product("abcdefgh", repeat=3))
QUERIES = tuple(Query(f"{name} is a ___.") for name in WORDS[:120])


def test_a_sliced_plan_gives_the_same_probabilities(
    lively_models: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = lively_models("bert", "masked")
    whole = MaskedModel.open(folder)
    expected = whole.fill(QUERIES[:20], WORDS[:80]).log_p
    for module in (_plans, _states):
        monkeypatch.setattr(module, "SLICE", 150)
    for prepared in (False, True):
        sliced = MaskedModel.open(folder)
        if prepared:
            sliced.prepare([(QUERIES[:20], WORDS[:80])])
        assert_allclose(sliced.fill(QUERIES[:20], WORDS[:80]).log_p, expected, atol=1e-5)
        assert sliced.texts_computed == whole.texts_computed


def test_memory_does_not_grow_with_the_number_of_sentences(
    lively_models: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many times as many sentences: each further one leaves its place in the index of the cache, and little else."""
    for module in (_plans, _states):
        monkeypatch.setattr(module, "SLICE", 500)

    def peak(words: tuple[str, ...]) -> tuple[int, int]:
        model = MaskedModel.open(lively_models("bert", "masked"), progress=lambda _done, _total: None)
        model.fill(QUERIES, WORDS[:2])  # what is loaded once
        gc.collect()
        tracemalloc.start()
        try:
            model.prepare([(QUERIES, words)])
            return tracemalloc.get_traced_memory()[1], model.texts_computed
        finally:
            tracemalloc.stop()

    small, few = peak(WORDS[:32])
    large, many = peak(WORDS)
    assert many > 6 * few
    per_sentence = (large - small) / (many - few)
    assert per_sentence < 250, f"{per_sentence:.0f} bytes for each further sentence"
