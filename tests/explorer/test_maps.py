"""Maps keep what is near together, and attributes are ranked by what they explain."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from tiltmeter.errors import InputError
from tiltmeter.explorer.agreement import agreement
from tiltmeter.explorer.attributes import fits
from tiltmeter.explorer.layouts import METHODS, Method, layout

from .ask import SMALL, Ask


def two_groups(each: int, features: int = 30) -> np.ndarray:
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(2, features))
    return np.repeat(centres, each, axis=0) * 3 + rng.normal(size=(2 * each, features))


@pytest.mark.parametrize(
    "method", [pytest.param(one, marks=pytest.mark.slow) if one == "umap" else one for one in METHODS]
)
def test_two_groups_lie_apart_on_every_map(method: Method) -> None:
    if method == "umap":
        pytest.importorskip("umap")
    each = 15
    found = layout(two_groups(each), method)
    assert found.points.shape == (2 * each, 2)
    distance = np.linalg.norm(found.points[:, None] - found.points[None], axis=-1)
    np.fill_diagonal(distance, np.inf)
    nearest = distance.argmin(axis=1)
    assert np.mean((nearest < each) == (np.arange(2 * each) < each)) > 0.95
    np.testing.assert_allclose(found.points, layout(two_groups(each), method).points)  # the same each time


@pytest.mark.slow
def test_a_map_leaves_the_threads_of_a_model_alone() -> None:
    """In a process of its own: UMAP's compiler sets them when it is first used."""
    pytest.importorskip("umap")
    pytest.importorskip("torch")
    asked = (
        "import numpy, torch; from tiltmeter.explorer.layouts import layout; torch.set_num_threads(1); "
        "layout(numpy.random.default_rng(0).normal(size=(20, 9)), 'umap'); print(torch.get_num_threads())"
    )
    said = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "1"


def test_principal_components_keep_distances_on_a_plane() -> None:
    plane = np.random.default_rng(1).normal(size=(12, 2)) @ np.random.default_rng(2).normal(size=(2, 9))
    found = layout(plane, "pca")
    for points in (found.points, plane):
        points -= points.mean(axis=0)
    np.testing.assert_allclose(found.points @ found.points.T, plane @ plane.T, atol=1e-9)
    assert found.explained is not None
    assert sum(found.explained) == pytest.approx(1)


@pytest.mark.parametrize("method", [one for one in METHODS if one != "umap"])
@pytest.mark.parametrize("count", [2, 4, 5, 7])
def test_few_targets_have_a_map_too(method: Method, count: int) -> None:
    found = layout(np.random.default_rng(count).normal(size=(count, 4)), method)
    assert np.isfinite(found.points).all()
    assert (found.note is not None) == (count < 5 and method != "pca")


def test_targets_without_scores_have_no_place() -> None:
    scores = two_groups(4)
    scores[2] = np.nan
    scores[5, 3] = np.nan
    scores[:, 7] = np.nan
    found = layout(scores, "pca")
    assert found.kept.tolist() == [0, 1, 3, 4, 5, 6, 7]
    assert np.isfinite(found.points).all()
    with pytest.raises(InputError):
        layout(np.full((3, 3), np.nan), "pca")


def test_an_attribute_on_the_plane_is_explained_and_noise_is_not() -> None:
    rng = np.random.default_rng(3)
    points = rng.normal(size=(60, 2))
    on_it = 0.5 + points @ [2.0, -1.0]
    flat = np.full(60, 0.3)
    found = fits(points, np.column_stack([on_it, rng.normal(size=60), flat]))
    assert found[0] is not None
    assert found[0].r2 == pytest.approx(1)
    assert (*found[0].slope, found[0].intercept) == pytest.approx((2.0, -1.0, 0.5))
    assert found[1] is not None
    assert found[1].low < 0.05
    assert found[2] is None


def test_how_the_map_is_turned_does_not_matter() -> None:
    rng = np.random.default_rng(4)
    points, scores = rng.normal(size=(30, 2)), rng.normal(size=(30, 3))
    turned = points @ np.array([[0.6, -0.8], [0.8, 0.6]]) * 7 + 3
    for one, other in zip(fits(points, scores), fits(turned, scores), strict=True):
        assert one is not None
        assert other is not None
        assert (one.r2, one.low, one.high) == pytest.approx((other.r2, other.low, other.high))


@pytest.mark.slow
@pytest.mark.parametrize("true", [0.5, 0.1])
def test_the_interval_holds_the_r2_of_very_many_targets(true: float) -> None:
    rng = np.random.default_rng(5)
    held = 0
    for trial in range(300):
        points = rng.normal(size=(60, 2))
        scores = np.sqrt(true) * points[:, :1] + np.sqrt(1 - true) * rng.normal(size=(60, 1))
        fit = fits(points, scores, resamples=400, seed=trial)[0]
        assert fit is not None
        held += fit.low <= true <= fit.high
    assert 0.91 <= held / 300 <= 0.995


def test_agreement_is_pearsons_over_all_cells() -> None:
    rng = np.random.default_rng(6)
    a = rng.normal(size=(20, 15))
    b = a + rng.normal(size=a.shape)
    a[3, 4] = np.nan
    r, interval = agreement(a, b)
    known = np.isfinite(a)
    assert r == pytest.approx(np.corrcoef(a[known], b[known])[0, 1])
    assert interval.low < r < interval.high
    assert agreement(b, 2 * b + 1)[0] == pytest.approx(1)


def test_cells_that_share_a_word_do_not_count_as_many() -> None:
    """100 columns that are copies of one hold no more than it does: the interval must not shrink by √100."""
    rng = np.random.default_rng(7)
    a, b = rng.normal(size=(2, 30, 1))
    _, few = agreement(np.tile(a, 2), np.tile(b, 2))
    _, many = agreement(np.tile(a, 100), np.tile(b, 100))
    assert many.high - many.low > 0.7 * (few.high - few.low)


def test_the_map_of_a_view(ask: Ask) -> None:
    found = ask.json("map", **SMALL, method="pca", by=["gender"])
    assert [one["target"] for one in found["points"]] == ask.table(**SMALL).header["rows"]
    assert [one["r2"] for one in found["attributes"]] == sorted(
        (one["r2"] for one in found["attributes"]), reverse=True
    )
    assert {one["category"] for one in found["attributes"]} == {"gender"}
    assert "R²" in found["sentence"] or "No attribute" in found["sentence"]


def test_another_category_than_the_maps_own_is_named_first(ask: Ask) -> None:
    """What a map was made of explains it by its nature."""
    found = ask.json("map", targets="occupation", features="trait", method="pca", by=["trait", "gender"])
    assert found["attributes"][0]["category"] == "trait"
    best = next(one for one in found["attributes"] if one["category"] == "gender" and one["low"] > 0)
    assert f"{best['word']!r} (gender) explains the places best: R² {best['r2']:.2f}" in found["sentence"]


def test_typed_words_stand_on_the_map(ask: Ask) -> None:
    found = ask.json(
        "map", **SMALL, method="isomap", by=["gender"], add_target=["barista", "wine"], add_feature="nurse"
    )
    assert [one["target"] for one in found["points"] if one["typed"]] == ["barista"]
    assert "nurse" in {one["word"] for one in found["attributes"]}


def test_two_models_side_by_side(ask: Ask) -> None:
    found = ask.table("compare", **SMALL, **{"with": "other"})
    a, b = ask.table(**SMALL), ask.table(**SMALL, model="other")
    np.testing.assert_allclose(found.arrays["difference"], b.arrays["score"] - a.arrays["score"], atol=2e-4)
    assert found.header["correlation"] == pytest.approx(
        np.corrcoef(a.arrays["score"].ravel(), b.arrays["score"].ravel())[0, 1], abs=1e-3
    )
    apart = (found.arrays["difference_low"] > 0) | (found.arrays["difference_high"] < 0)
    assert found.header["n_apart"] == found.arrays["apart"].sum()
    assert np.mean(apart == (found.arrays["apart"] == 1)) > 0.99  # but for rounding
    first = found.header["strongest"][0]
    assert abs(first["difference"]) == pytest.approx(
        np.abs(np.where(apart, found.arrays["difference"], 0)).max(), abs=2e-4
    )


def test_direct_and_indirect_are_compared_in_standard_deviations(ask: Ask) -> None:
    found = ask.table("compare", **SMALL, **{"with": "direct"})
    assert found.header["unit"] == "sd"
    a, b = found.arrays["a"], found.arrays["b"]
    np.testing.assert_allclose(found.arrays["difference"], b - a, atol=1e-3)
    for scores, kind, scale in zip((a, b), ("indirect", "direct"), found.header["scales"], strict=True):
        assert scores.std() == pytest.approx(1, abs=1e-3)
        table = ask.table(**SMALL, kind=kind)
        common = [table.header["columns"].index(word) for word in found.header["columns"]]
        np.testing.assert_allclose(scores * scale, table.arrays["score"][:, common], atol=1e-3)
    assert found.header["units"] == ["correlation", "log ratio"]
    first = found.header["strongest"][0]
    assert first["difference"] == pytest.approx(first["b"] - first["a"])
    assert first["low"] < first["difference"] < first["high"]
    assert ask.json("compare", status=422, **SMALL, **{"with": "small"})["error"]["code"] == "invalid"


def test_typed_words_are_compared_as_well(ask: Ask) -> None:
    typed = {"add_target": "barista", "add_feature": "nurse"}
    found = ask.table("compare", **SMALL, **typed, **{"with": "other"})
    place = found.header["rows"].index("barista"), found.header["columns"].index("nurse")
    one, other = (
        ask.json("cell", **SMALL, model=model, target="barista", feature="nurse") for model in ("small", "other")
    )
    assert found.arrays["difference"][place] == pytest.approx(other["score"] - one["score"], abs=1e-3)
