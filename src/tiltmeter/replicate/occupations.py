"""Louis-Alexandre 2022, tables 3.3, 3.4, 3.5, 3.7, 3.8 and A.5 to A.8: occupations and gender."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.stats import rankdata

from tiltmeter.replicate.correlations import correlation
from tiltmeter.replicate.tables import Figure, Replicated
from tiltmeter.replicate.thesis_scores import FEMALE, GENDERED, MALE, NUMBER, Array, Scores, against, column, printed

PAIR = ("occupation", "gender")
_GENDERS = {"female": FEMALE, "male": MALE}
_TABLES = {"female": "table 3.3", "male": "table 3.4"}
# Those of the 24 most gendered occupations of Bolukbasi et al. 2016 that stand in tables 3.7 and 3.8 too.
_IN_CHAPTER = ("homemaker", "nurse", "receptionist", "maestro", "skipper", "philosopher")


def tables(model: str, scores: Mapping[str, Scores]) -> list[Replicated]:
    """All tables of occupations and gender for one model; `scores` are its direct and its indirect ones."""
    return [
        *(_most_associated(model, scores, gender) for gender in _GENDERS),
        _correlations(model, scores),
        _ranks(model, scores),
    ]


def _most_associated(model: str, scores: Mapping[str, Scores], gender: str) -> Replicated:
    figures = []
    lists = printed()["occupations"][gender][column(model)]
    for metric, found in scores.items():
        mean = found.mean_of(_GENDERS[gender])
        order = [place for place in np.argsort(-mean, kind="stable") if np.isfinite(mean[place])]
        ours = [found.targets[place] for place in order[:10]]
        known = lists[metric]
        left_out = _left_out(gender, metric, model)
        for rank, theirs in enumerate(known):
            shifted = left_out and rank + 1 >= _place(left_out, gender, metric, model)
            figures.append(
                Figure(
                    labels=(metric, str(rank + 1)),
                    published=theirs,
                    measured=ours[rank] if rank < len(ours) else None,
                    remark=f"one place lower by the printed ranks: {left_out} is left out above" if shifted else "",
                )
            )
        figures.append(
            Figure(
                labels=(metric, "in both lists"),
                published=None,
                measured=f"{len(set(ours) & set(known))} of {len(known)}",
            )
        )
    return Replicated(
        title=f"The ten occupations most associated with the {gender} gender",
        source=f"{printed()['thesis']}, {_TABLES[gender]}",
        model=model,
        columns=("score", "rank"),
        figures=tuple(figures),
        note=f"{against(model)} The score of a gender is the mean over {', '.join(_GENDERS[gender])}. {NUMBER}",
    )


def _left_out(gender: str, metric: str, model: str) -> str:
    """The occupation that a list leaves out although its printed rank would put it there."""
    return str(printed()["left-out"].get(gender, {}).get(column(model), {}).get(metric, ""))


def _place(occupation: str, gender: str, metric: str, model: str) -> int:
    """The place in the list of ten that the printed rank gives, which counts no gendered words."""
    rank = int(printed()["ranks"][occupation][metric][column(model)][list(_GENDERS).index(gender)])
    listed = printed()["occupations"][gender][column(model)][metric]
    places = [place for place, each in enumerate(listed, start=1) if each not in printed()["not-ranked"]]
    return places[rank - 1]


def _correlations(model: str, scores: Mapping[str, Scores]) -> Replicated:
    known = printed()["gender-correlations"][column(model)]
    direct, indirect = scores["direct"], scores["indirect"]
    figures = []
    for label, groups in (
        ("words", [(word,) for word in GENDERED]),
        ("female", [FEMALE]),
        ("male", [MALE]),
    ):
        targets = [target for target in direct.targets if target in indirect.targets]
        both = [
            np.stack([_by(one, targets, one.mean_of(group)) for group in groups], axis=1) for one in (direct, indirect)
        ]
        r, low, high = correlation(*both)
        figures.append(Figure(labels=(label,), published=known[label], measured=r, low=low, high=high, digits=4))
    return Replicated(
        title="Correlation of direct and indirect scores, occupations and gender",
        source=f"{printed()['thesis']}, table 3.5",
        model=model,
        columns=("gender",),
        figures=tuple(figures),
        note=f"{against(model)} Intervals: bootstrap over occupations. {NUMBER}",
    )


def _by(scores: Scores, targets: list[str], values: Array) -> Array:
    place = {target: index for index, target in enumerate(scores.targets)}
    return np.array([values[place[target]] for target in targets])


def _ranks(model: str, scores: Mapping[str, Scores]) -> Replicated:
    figures = []
    ranks = {
        (metric, gender): _ranked(found, found.mean_of(words))
        for metric, found in scores.items()
        for gender, words in _GENDERS.items()
    }
    for occupation, known in printed()["ranks"].items():
        where = "3.7/3.8" if occupation in _IN_CHAPTER else "A.5–A.8"
        for metric in scores:
            ours = [ranks[metric, gender].get(occupation) for gender in _GENDERS]
            theirs = known[metric][column(model)]
            misprint = printed()["misprints"].get(occupation, {}).get(metric, {}).get(column(model))
            misprinted = "" if misprint is None else f"printed as {misprint}, which is not that of the printed ranks"
            absent = [
                f"not in the list of {_TABLES[gender]}" if _left_out(gender, metric, model) == occupation else ""
                for gender in _GENDERS
            ]
            for label, theirs_now, ours_now, remark in (
                ("female rank", theirs[0], ours[0], absent[0]),
                ("male rank", theirs[1], ours[1], absent[1]),
                ("difference", theirs[0] - theirs[1], _less(ours), misprinted),
            ):
                figures.append(
                    Figure(
                        labels=(occupation, metric, label, where),
                        published=float(theirs_now),
                        measured=ours_now,
                        digits=0,
                        remark=remark if ours_now is not None else "lost",
                    )
                )
    return Replicated(
        title="Ranks of the most gendered occupations of Bolukbasi et al. 2016",
        source=f"{printed()['thesis']}, tables 3.7, 3.8 and A.5 to A.8",
        model=model,
        columns=("occupation", "score", "figure", "table"),
        figures=tuple(figures),
        note=f"{against(model)} Ranks are among the occupations that the thesis ranks: all but "
        f"{', '.join(printed()['not-ranked'])}. 1 is the most associated. {NUMBER} "
        "Ranks have no intervals; those of the scores behind them are in the run folder.",
    )


def _less(ranks: list[float | None]) -> float | None:
    female, male = ranks
    return None if female is None or male is None else female - male


def _ranked(scores: Scores, values: Array) -> dict[str, float]:
    out = set(printed()["not-ranked"])
    kept = [place for place, target in enumerate(scores.targets) if target not in out and np.isfinite(values[place])]
    ranks = rankdata(-values[kept]) if kept else np.array([])
    return {scores.targets[place]: float(rank) for place, rank in zip(kept, ranks, strict=True)}
