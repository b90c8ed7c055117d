"""A published figure beside a measured one: what counts as met, and what the files say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltmeter.replicate.source import published
from tiltmeter.replicate.tables import Figure, Replicated, write_tsv
from tiltmeter.replicate.thesis_scores import column


def figure(published: float | str | None, measured: float | str | None, **more: float | bool | None) -> Figure:
    return Figure(labels=("a",), published=published, measured=measured, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "met"),
    [
        (figure(1.5, 1.504), True),
        (figure(1.5, 1.506), False),
        (figure(1.5, 1.506, tolerance=0.01), True),
        (figure(0.0, -0.001), True),
        (figure("nurse", "nurse"), True),
        (figure("nurse", "captain"), False),
        (figure(1.5, None), False),
        (figure(1e-7, 5e-8, bound=True), True),
        (figure(1e-7, 2e-7, bound=True), False),
        (figure(None, 1.5), None),
    ],
)
def test_a_figure_is_met_where_it_rounds_to_the_printed_one_or_lies_within_tolerance(
    given: Figure, met: bool | None
) -> None:
    assert given.met is met


def test_the_file_names_what_is_published_measured_and_the_difference(tmp_path: Path) -> None:
    table = Replicated(
        title="t", source="s, table 1", model="m", columns=("test",), figures=(figure(1.5, 1.25), figure(None, "x"))
    )
    text = write_tsv(tmp_path, [table]).read_text(encoding="utf-8").splitlines()
    row = dict(zip(*(line.split("\t") for line in text[:2]), strict=True))
    assert row == {
        **{"table": "t", "source": "s, table 1", "model": "m", "what": "a"},
        **{"published": "1.5", "measured": "1.25", "difference": "-0.25", "low": "", "high": ""},
        **{"p_value": "", "p_corrected": "", "met": "no", "remark": ""},
    }
    assert table.summary() == "0 of 1 published figures are met"


def test_a_reader_sees_signs_bounds_and_corrected_p_values() -> None:
    figures = (
        figure(1.5, 1.501),
        figure(1.5, 1.51, p_value=0.0123, p_corrected=0.0246),
        figure(1e-7, 5e-8, bound=True, digits=None),
    )
    rows = list(Replicated(title="t", source="s", model="m", columns=("test",), figures=figures).rows())
    assert [row["difference"] for row in rows] == ["0.00", "+0.01", "–"]
    assert rows[1]["p-value"] == "0.012"
    assert rows[1]["corrected"] == "0.025"
    assert rows[2]["published"] == "< 1e-07"


def test_printed_differences_of_ranks_are_of_the_printed_ranks() -> None:
    """Table 3.7, nurse, direct score, bert-base: 10, 76, -66; table A.8, magician, indirect, xl-large: 14, 89, -75."""
    ranks = published("louis-alexandre2022")["ranks"]
    assert ranks["nurse"]["direct"]["bert-base"] == [10, 76]
    assert ranks["magician"]["indirect"]["xl-large"] == [14, 89]
    assert len(ranks) == 21
    misprints = published("louis-alexandre2022")["misprints"]
    apart = {
        abs(printed) - abs(ranks[occupation][metric][model][0] - ranks[occupation][metric][model][1])
        for occupation, of in misprints.items()
        for metric, by in of.items()
        for model, printed in by.items()
    }
    assert apart == {0, 2}  # a sign is lacking, or the difference is 2 too large
    assert all(1 <= rank <= 92 for of in ranks.values() for by in of.values() for pair in by.values() for rank in pair)


def test_tables_3_5_and_3_6_print_the_same_correlation_of_occupation_and_gender() -> None:
    """They are printed twice, once rounded otherwise: 0.48867 and 0.4887."""
    printed = published("louis-alexandre2022")
    for model in ("bert-base", "bert-large", "xl-base", "xl-large"):
        once = printed["gender-correlations"][model]["words"]
        again = printed["correlations"][model]["occupation"]["gender"]
        assert once == pytest.approx(again, abs=0.00005)


def test_lists_of_occupations_agree_with_the_ranks_printed_elsewhere() -> None:
    """The strongest of tables 3.3 and 3.4 that is no gendered word has rank 1 where ranks are printed."""
    printed = published("louis-alexandre2022")
    gendered = {"waitress", "barmaid", "businesswoman", "barman", "waiter", "policeman"}
    seen = 0
    for gender, place in (("female", 0), ("male", 1)):
        for model, lists in printed["occupations"][gender].items():
            for metric, occupations in lists.items():
                assert len(set(occupations)) == 10
                first = next(one for one in occupations if one not in gendered)
                if first in printed["ranks"]:
                    seen += 1
                    assert printed["ranks"][first][metric][model][place] == 1
    assert seen >= 6


@pytest.mark.parametrize(
    ("model", "named"),
    [
        ("bert-base-cased", "bert-base"),
        ("models/bert-large-cased", "bert-large"),
        ("xlnet-large-cased", "xl-large"),
        ("xlnet-base-cased", "xl-base"),
        ("demo:en", "bert-base"),
    ],
)
def test_a_model_is_compared_with_its_namesake(model: str, named: str) -> None:
    assert column(model) == named
