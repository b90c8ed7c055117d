"""Louis-Alexandre 2022, table 4.1 (beer and gender), and the beverage study of Louis-Alexandre & Waldner 2023."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tiltmeter.replicate.tables import Figure, Replicated
from tiltmeter.replicate.thesis_scores import NUMBER, Array, Pair, Scores, printed

# Drinks and gender, occupations and drinks, occupations and gender.
PAIRS: tuple[Pair, ...] = (("beverage", "gender"), ("occupation", "beverage"), ("occupation", "gender"))
_METRICS = ("direct", "indirect")


def tables(model: str, scores: Mapping[Pair, Mapping[str, Scores]]) -> list[Replicated]:
    """Table 4.1, and the three findings of section 3 of the paper."""
    gender, occupation, occupation_gender = (scores[pair] for pair in PAIRS)
    paper = printed()["paper"]
    return [
        Replicated(
            title="Beer and gender",
            source=f"{printed()['thesis']}, table 4.1",
            model=model,
            columns=("word", "score"),
            figures=tuple(_beer(gender)),
            note="The published figures are of bert-base. Intervals: over templates (direct), over names (indirect). "
            f"{NUMBER}",
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
            columns=("word", "occupation", "score"),
            figures=tuple(_occupations(occupation, occupation_gender)),
            note="The indirect score is said to link these with drinks, and with woman or man in the same way; the "
            "direct one to make milk the drink of farmers, and to link firemen with water.",
        ),
    ]


_LOST = "lost: not one token of the model"
_UNSURE = "the interval holds 0"


def _sign(cell: tuple[float, float, float] | None) -> tuple[str | None, str]:
    """The sign of a score, and a remark where it is not sure."""
    if cell is None:
        return None, _LOST
    value, low, high = cell
    return "+" if value > 0 else "-", "" if low > 0 or high < 0 else _UNSURE


def _lost(value: object) -> str:
    return "" if value is not None else _LOST


def _beer(gender: Mapping[str, Scores]) -> list[Figure]:
    figures = []
    for word, known in printed()["beer"].items():
        for metric, theirs in zip(_METRICS, known, strict=True):
            ours, low, high = gender[metric].cell("beer", word) or (None, np.nan, np.nan)
            figures.append(
                Figure(
                    labels=(word, metric),
                    published=theirs,
                    measured=ours,
                    low=low,
                    high=high,
                    digits=4,
                    remark=_lost(ours),
                )
            )
    return figures


def _signs(gender: Mapping[str, Scores]) -> list[Figure]:
    figures = []
    for drink, known in printed()["drinks"]["signs"].items():
        for metric in _METRICS:
            ours, remark = _sign(gender[metric].cell(drink, "woman"))
            figures.append(Figure(labels=(drink, metric), published=known[metric], measured=ours, remark=remark))
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


def _occupations(occupation: Mapping[str, Scores], gender: Mapping[str, Scores]) -> list[Figure]:
    figures = []
    known = printed()["drinks"]
    links = [
        *((word, each, "indirect", occupation) for word, those in known["occupations"].items() for each in those),
        *((word, each, "indirect", gender) for word, those in known["genders"].items() for each in those),
        *((word, each, "direct", occupation) for each, word in known["direct-links"].items()),
    ]
    for word, each, metric, found in links:
        ours, remark = _sign(found[metric].cell(each, word))
        figures.append(Figure(labels=(word, each, metric), published="+", measured=ours, remark=remark))
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
