"""Sources: a planted world whose associations are known to come from gender, or from how common a name is."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tiltmeter.metrics.indirect import bridge_bounds, indirect_scores
from tiltmeter.metrics.logprob import bias_scores
from tiltmeter.metrics.sources import Sources, rank_sources, sources

Array = NDArray[np.float64]
Plant = Callable[..., Any]
NAN = math.nan


def found_in(world: Any, candidates: dict[str, Array], **options: Any) -> Sources:
    x, y = bias_scores(world.target, world.target_prior), bias_scores(world.feature, world.feature_prior)
    return sources(x, y, candidates, **options)


def test_planted_sources_come_out(planted: Plant) -> None:
    world = planted(200, 0, exact=True)
    prior = world.target_prior[0, 0]
    found = found_in(world, {"prior": prior, "gender": world.gender, "both": np.column_stack([prior, world.gender])})
    assert found.names == ("prior", "gender", "both")
    assert found.raw == pytest.approx(world.raw)
    assert found.partial[0] == pytest.approx(world.given_commonness)
    assert found.partial[1] == pytest.approx(world.given_gender)
    assert found.partial[2] == pytest.approx(0, abs=1e-9)
    strong = ~np.isnan(found.share[0])
    assert strong.sum() >= 4
    assert found.share[0][strong] == pytest.approx(1 - (world.given_commonness / world.raw)[strong])
    assert found.share[1][strong] == pytest.approx(1 - (world.given_gender / world.raw)[strong])
    assert found.share[2][strong] == pytest.approx(1)
    assert np.all(found.n == 200)


def test_the_source_of_an_association_is_ranked_first(planted: Plant) -> None:
    world = planted(300, 1, exact=True)
    rng = np.random.default_rng(0)
    candidates = {"noise": rng.normal(size=(300, 3)), "prior": world.commonness, "gender": world.gender}
    ranked = rank_sources(found_in(world, candidates), 2, 1)  # leans by gender only, and to the other side
    assert ranked[0].name == "gender"
    assert ranked[0].partial == pytest.approx(0, abs=1e-9)
    assert ranked[0].partial_low < 0 < ranked[0].partial_high
    assert ranked[0].share_low < 1 < ranked[0].share_high
    assert ranked[0].share_low > 0.5
    by_name = {source.name: source for source in ranked}
    assert abs(by_name["noise"].share) < 0.05
    assert by_name["prior"].share < 0  # commonness hid some of it
    assert by_name["noise"].partial_p < 1e-6 < by_name["gender"].partial_p


def test_where_there_is_no_association_there_is_nothing_to_share() -> None:
    x, y, z = np.random.default_rng(3).normal(size=(3, 60))
    found = sources(x[None], y[:, None], {"z": z})
    assert found.raw_bounds.low.item() < 0 < found.raw_bounds.high.item()
    assert np.isnan([found.share.item(), found.share_bounds.low.item(), found.share_bounds.high.item()]).all()
    assert not np.isnan(found.partial_bounds.low.item())


def test_what_hides_an_association_has_a_share_below_0_and_what_turns_it_above_1() -> None:
    rng = np.random.default_rng(4)
    z, shared, *own = rng.normal(size=(4, 400))
    x = z + shared + 0.3 * own[0]
    hidden = sources(x[None], (-0.5 * z + shared + 0.3 * own[1])[:, None], {"z": z})
    assert hidden.share_bounds.high.item() < 0
    turned = sources(x[None], (3 * z - shared + 0.3 * own[1])[:, None], {"z": z})
    assert turned.share_bounds.low.item() > 1


def test_bounds_are_those_of_the_indirect_score(planted: Plant) -> None:
    world = planted(80, 5)
    x, y = bias_scores(world.target, world.target_prior), bias_scores(world.feature, world.feature_prior)
    found = sources(x, y, {"gender": world.gender}, resamples=300, seed=2)
    raw = bridge_bounds(x, y, resamples=300, seed=2)
    held = bridge_bounds(x, y, held=world.gender, resamples=300, seed=2)
    assert found.raw_bounds.low == pytest.approx(raw.low, abs=1e-5)
    assert found.partial_bounds.high[0] == pytest.approx(held.high, abs=1e-5)
    assert found.partial_p[0] == pytest.approx(indirect_scores(x, y, held=world.gender).p_value)


def test_all_candidates_are_compared_over_the_same_names() -> None:
    rng = np.random.default_rng(6)
    x, y, z = rng.normal(size=(2, 30)), rng.normal(size=(30, 3)), rng.normal(size=(30, 2))
    z[4, 1] = x[1, 7] = NAN
    found = sources(x, y, {"one": z[:, 0], "two": z}, resamples=100)
    assert found.n.tolist() == [[29] * 3, [28] * 3]
    kept = np.delete(np.arange(30), 4)
    assert found.raw[0] == pytest.approx(indirect_scores(x[:1, kept], y[kept]).score[0])
    assert found.partial[0] == pytest.approx(indirect_scores(x[:, kept], y[kept], held=z[kept, 0]).score)


def test_a_candidate_with_as_many_columns_as_names_is_ranked_last_without_a_number() -> None:
    rng = np.random.default_rng(7)
    x, y = rng.normal(size=(1, 12)), rng.normal(size=(12, 1))
    ranked = rank_sources(sources(x, y, {"many": rng.normal(size=(12, 12)), "z": rng.normal(size=12)}), 0, 0)
    assert [source.name for source in ranked] == ["z", "many"]
    assert math.isnan(ranked[1].partial)


def coverage(planted: Plant, names: int, worlds: int, resamples: int) -> tuple[float, float]:
    """How often the intervals of what is left, and of the share, hold the truth of the population."""
    partial, share = [], []
    for seed in range(worlds):
        world = planted(names, seed, templates=(1, 1))
        found = found_in(world, {"gender": world.gender}, resamples=resamples, seed=seed)
        truth = world.given_gender, 1 - world.given_gender / world.raw
        partial.append((found.partial_bounds.low[0] <= truth[0]) & (truth[0] <= found.partial_bounds.high[0]))
        given = ~np.isnan(found.share[0])
        given[0] = False  # leans by commonness alone, weakly: seldom given, and if so by chance
        share.append(((found.share_bounds.low[0] <= truth[1]) & (truth[1] <= found.share_bounds.high[0]))[given])
    return float(np.mean(partial)), float(np.mean(np.concatenate(share)))


def test_intervals_hold_the_planted_truth_as_often_as_they_say(planted: Plant) -> None:
    for share in coverage(planted, 120, 300, 400):
        assert 0.92 <= share <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("names", [60, 300])
def test_coverage_over_many_worlds(planted: Plant, names: int) -> None:
    for share in coverage(planted, names, 1_000, 1_000):
        assert 0.92 <= share <= 0.97


X, Y = np.arange(12.0).reshape(3, 4), np.arange(8.0).reshape(4, 2)
REFUSED: list[tuple[Callable[[], object], str]] = [
    (lambda: sources(X, Y, {}), "name one candidate or more"),
    (lambda: sources(X, Y, {"gender": [[1.0, NAN]] * 4}), "column 1 of the candidate 'gender' has no score"),
    (lambda: sources(X, Y, {"gender": np.zeros((4, 0))}), "'gender' needs names × columns"),
    (lambda: sources(X, Y, {"gender": np.zeros(3)}), "one row for each of the 4 names"),
]


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_has_no_answer_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
