"""The result in a few sentences that need no statistics to read, and as rows of a results table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tiltmeter.bayes.data import Distances
from tiltmeter.bayes.diagnostics import diagnostics
from tiltmeter.bayes.estimates import MOST, Estimate, by_word, changes, contrasts, population, word_contrasts
from tiltmeter.bayes.fit import Posterior
from tiltmeter.bayes.predictive import coverage
from tiltmeter.bayes.sensitivity import Shift
from tiltmeter.measurement import Measurement

_OTHERS = {
    "different": "those of the other groups",
    "human": "words of human life in general",
    "neutral": "neutral words",
}
_SIZES = ((0.2, "tiny"), (0.5, "small"), (0.8, "middling"))  # in standard deviations of single distances


def sentence(posterior: Posterior) -> str:
    """What the posterior says, for a reader who is no statistician."""
    data = posterior.distances
    found = contrasts(posterior)
    sigma = {each.connection: each.mean for each in population(posterior) if each.kind == "sigma"}
    said = [f"{data.title}:", *(_compared(each, sigma) for each in found)]
    said.append(_words(data, [each for each in word_contrasts(posterior) if each.connection == found[0].connection]))
    return " ".join(said)


def _compared(contrast: Estimate, sigma: dict[str, float]) -> str:
    other = contrast.connection.removeprefix("associated - ")
    nearer = contrast.below >= 0.5
    way = "nearer to" if nearer else "further from"
    low, high = sorted((abs(contrast.low), abs(contrast.high)))
    whom = f"the attributes linked with them than {'to' if nearer else 'from'} {_OTHERS[other]}"
    noise = ((sigma["associated"] ** 2 + sigma[other] ** 2) / 2) ** 0.5
    share = abs(contrast.mean) / noise
    size = next((name for limit, name in _SIZES if share < limit), "large")
    if contrast.sure:
        return (
            f"The protected words stand {way} {whom}, by {abs(contrast.mean):.3f} (between {low:.3f} and {high:.3f}, "
            f"with {_percent(MOST)} probability): a {size} difference, {share:.1f} times the scatter of single "
            "distances."
        )
    likelier = "nearer" if nearer else "further"
    return (
        f"Whether the protected words stand nearer to {whom.replace(' from ', ' to ')} is not settled: the difference "
        f"is {contrast.mean:+.3f} (between {contrast.low:+.3f} and {contrast.high:+.3f}, with {_percent(MOST)} "
        f"probability; below 0 is nearer), and its likelier direction, {likelier}, has a probability "
        f"of {_probability(contrast.direction)}."
    )


def _words(data: Distances, by_words: list[Estimate]) -> str:
    nearer = [each.word for each in by_words if each.high < 0]
    further = [each.word for each in by_words if each.low > 0]
    other = _OTHERS[by_words[0].connection.removeprefix("associated - ")]
    total = len(data.words)
    if not nearer and not further:
        return f"Word by word, the same comparison with {other} is settled for none of the {total}."
    parts = [
        f"{len(words)} of {total} stand {way} ({', '.join(words[:6])}{' …' if len(words) > 6 else ''})"
        for words, way in ((nearer, "nearer"), (further, "further"))
        if words
    ]
    return f"Word by word, against {other}, {' and '.join(parts)}; the rest is not settled."


def _probability(value: float) -> str:
    return f"more than {_percent(0.99)}" if value > 0.99 else _percent(value)


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def measurements(posterior: Posterior) -> list[Measurement]:
    """Contrasts, then the numbers by connection, then those by word; each with its 89 % interval."""
    checked = diagnostics(posterior)
    shared = {
        "divergences": checked.divergences,
        **{f"coverage_{100 * each.level:.0f}": each.share for each in coverage(posterior)},
        "warnings": list(checked.warnings),
    }
    rows = [
        *(("contrast", each) for each in contrasts(posterior)),
        *((each.kind, each) for each in population(posterior)),
        *(("word", each) for each in by_word(posterior)),
        *(("word contrast", each) for each in word_contrasts(posterior)),
    ]
    return [_measurement(posterior.distances, posterior.settings, what, each, shared) for what, each in rows]


def change_measurements(before: Posterior, after: Posterior) -> list[Measurement]:
    """How much further each mean distance and each contrast is after than before."""
    settings = {"before": dict(before.settings), "after": dict(after.settings)}
    data = after.distances
    shared = {"before": before.distances.title, "after": data.title}
    return [_measurement(data, settings, "change", each, shared) for each in changes(before, after)]


def sensitivity_measurements(shifts: Sequence[Shift]) -> list[Measurement]:
    """Each contrast under other priors."""
    return [
        _measurement(
            each.data,
            each.settings,
            f"contrast, priors × {each.factor:g}",
            each.other,
            {"shift_in_sd": each.shift, "sensitive": each.sensitive},
        )
        for each in shifts
    ]


def _measurement(
    data: Distances, settings: Mapping[str, Any], what: str, estimate: Estimate, shared: Mapping[str, Any]
) -> Measurement:
    signed = "contrast" in what or what == "change"
    return Measurement(
        model=data.model,
        test=data.name,
        metric=": ".join([f"bayes {what}", estimate.connection, *filter(None, [estimate.word])]),
        language=data.language,
        value=estimate.mean,
        low=estimate.low,
        high=estimate.high,
        level=MOST,
        method="posterior mean and highest-density interval; NUTS on the cells' sufficient statistics",
        counts=data.counts(),
        lost=data.lost,
        settings=settings,
        details={
            "quantity": what,
            "connection": estimate.connection,
            "word": estimate.word or None,
            "sd": estimate.sd,
            "low_50": estimate.low_50,
            "high_50": estimate.high_50,
            "probability_below_0": estimate.below if signed else None,
            "probability_of_direction": estimate.direction if signed else None,
            "r_hat": estimate.r_hat,
            "ess_bulk": estimate.ess_bulk,
            "ess_tail": estimate.ess_tail,
            **shared,
        },
    )
