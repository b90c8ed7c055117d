"""Louis-Alexandre 2022, table 4.1 (beer and gender), and the beverage study of Louis-Alexandre & Waldner 2023."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tiltmeter.replicate.tables import Figure, Replicated
from tiltmeter.replicate.thesis_scores import Array, Pair, Scores, printed

GENDER: Pair = ("beverage", "gender")
OCCUPATION: Pair = ("occupation", "beverage")
_METRICS = ("direct", "indirect")


def tables(model: str, scores: Mapping[Pair, Mapping[str, Scores]]) -> list[Replicated]:
    """Table 4.1, and the three findings of section 3 of the paper."""
    gender, occupation = scores[GENDER], scores[OCCUPATION]
    paper = printed()["paper"]
    return [
        Replicated(
            title="Beer and gender",
            source=f"{printed()['thesis']}, table 4.1",
            model=model,
            columns=("word", "score"),
            figures=tuple(_beer(gender)),
            note="The published figures are of bert-base.",
        ),
        Replicated(
            title="Drinks and woman: the sign of the score",
            source=paper,
            model=model,
            columns=("drink", "score"),
            figures=tuple(_signs(gender)),
            note="Public health data say that of these only wine is drunk more by women than by men.",
        ),
        Replicated(
            title="The two drinks most associated with woman and with man",
            source=paper,
            model=model,
            columns=("word", "score", "rank"),
            figures=tuple(_top(gender)),
            note="The published findings are of a BERT model that the paper does not name.",
        ),
        Replicated(
            title="Drinks and occupations",
            source=paper,
            model=model,
            columns=("drink", "occupation", "score"),
            figures=tuple(_occupations(occupation)),
            note="The indirect score is said to link these; the direct one to make milk the drink of farmers.",
        ),
    ]


def _cell(scores: Scores, target: str, feature: str) -> float | None:
    if target not in scores.targets or feature not in scores.features:
        return None
    value = float(scores.score[scores.targets.index(target), scores.features.index(feature)])
    return value if np.isfinite(value) else None


def _sign(value: float | None) -> str | None:
    return None if value is None else "+" if value > 0 else "-"


def _lost(value: object) -> str:
    return "" if value is not None else "lost: not one token of the model"


def _beer(gender: Mapping[str, Scores]) -> list[Figure]:
    figures = []
    for word, known in printed()["beer"].items():
        for metric, theirs in zip(_METRICS, known, strict=True):
            ours = _cell(gender[metric], "beer", word)
            figures.append(Figure(labels=(word, metric), published=theirs, measured=ours, digits=4, remark=_lost(ours)))
    return figures


def _signs(gender: Mapping[str, Scores]) -> list[Figure]:
    figures = []
    for drink, known in printed()["drinks"]["signs"].items():
        for metric in _METRICS:
            ours = _sign(_cell(gender[metric], drink, "woman"))
            figures.append(Figure(labels=(drink, metric), published=known[metric], measured=ours, remark=_lost(ours)))
    return figures


def _highest(names: Sequence[str], values: Array, count: int) -> list[str]:
    order = [place for place in np.argsort(-values, kind="stable") if np.isfinite(values[place])]
    return [names[place] for place in order[:count]]


def _top(gender: Mapping[str, Scores]) -> list[Figure]:
    figures = []
    for metric in _METRICS:
        for word, known in printed()["drinks"]["top-two"][metric].items():
            ours = _highest(gender[metric].targets, gender[metric].of(word), len(known))
            for rank, theirs in enumerate(known):
                measured = ours[rank] if rank < len(ours) else None
                figures.append(
                    Figure(
                        labels=(word, metric, str(rank + 1)),
                        published=theirs,
                        measured=measured,
                        remark=_lost(measured),
                    )
                )
    return figures


def _occupations(occupation: Mapping[str, Scores]) -> list[Figure]:
    figures = []
    known = printed()["drinks"]
    for drink, occupations in known["occupations"].items():
        for each in occupations:
            ours = _sign(_cell(occupation["indirect"], each, drink))
            figures.append(Figure(labels=(drink, each, "indirect"), published="+", measured=ours, remark=_lost(ours)))
    for each, drink in known["direct-first"].items():
        direct = occupation["direct"]
        values = direct.score[direct.targets.index(each)] if each in direct.targets else np.array([])
        first = _highest(direct.features, values, 1) if values.size else []
        figures.append(
            Figure(
                labels=("most preferred", each, "direct"),
                published=drink,
                measured=first[0] if first else None,
                remark=_lost(first[0] if first else None),
            )
        )
    return figures
