"""The whole vocabulary: words that lean most towards a target, and what fills the blanks of two sentences."""

from __future__ import annotations

import difflib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.explorer import sentences
from tiltmeter.explorer.computations import Task, Work
from tiltmeter.explorer.explorer import Explorer
from tiltmeter.explorer.live import Predictions
from tiltmeter.explorer.problems import NotHereError, RefusalError
from tiltmeter.explorer.views import Typed, View
from tiltmeter.explorer.wire import Body, json_body
from tiltmeter.lexicon.templates import BLANK
from tiltmeter.measure.scores import submatrix
from tiltmeter.metrics.indirect import bridge_interval

_LIKELIEST = 2_000  # words that two sentences are compared by
_RESAMPLES = 999


def discover(explorer: Explorer, view: View, target: str, k: int) -> Task[Body]:
    """The k words of the vocabulary that go most with a target, and the k that go least."""
    source = explorer.live(view.model, "discover")
    if view.kind == "direct":
        raise NotHereError("direct scores have no bridge to search by.", hint="Use kind=indirect.")

    def compute(work: Work) -> Body:
        matrix = work.need(explorer.matrix(view))
        lost = [one for one in matrix.lost if one.word == target and not source.caution(target)]
        if target not in matrix.targets and not lost:
            found = work.need(explorer.extended(view, Typed((target,))))
            matrix, lost = found.matrix, list(found.lost)
        if target not in matrix.targets:
            reason = lost[0].reason if lost else "it is no target of this view"
            raise RefusalError(422, "lost", f"{target!r} has no score: {reason}.", hint="Try another word.", lost=lost)
        part = submatrix(matrix, [target], matrix.features[:1])
        rows = [
            {"word": one.details["feature"], "score": one.value, "low": one.low, "high": one.high, "p": one.p_value,
             "n": one.counts["names"], "searched": one.details["words_searched"]}
            for one in source.discovered(view, part, target, k, work)
        ]  # fmt: skip
        searched = rows[0]["searched"] if rows else 0
        for row in rows:
            del row["searched"]
        half = (len(rows) + 1) // 2
        towards, away = rows[:half], rows[half:]
        value = {
            "target": target,
            "searched": searched,
            "towards": towards,
            "away": away,
            "sentence": f"Of {searched:,} words, {sentences.listed([row['word'] for row in towards])} go most with "
            f"{target}, and {sentences.listed([row['word'] for row in away])} least.",
            "note": f"The highest of {searched:,} is high by chance too: the p-values count them all."
            + (
                " Some may be beginnings of longer words, which the model cannot tell from words."
                if source.pieces
                else ""
            ),
        }
        return json_body(value)

    return explorer.body(("discover", view, target, k), compute)


def blanks(explorer: Explorer, model: str, a: str, b: str, k: int, among: str) -> Task[Body]:
    """The words that fill the blank of two sentences, those whose log P differs most first."""
    source = explorer.live(model, "blanks")
    for sentence in (a, b):
        if sentence.count(BLANK) != 1 or "____" in sentence:
            raise RefusalError(
                422, "invalid", f"the sentence {sentence[:80]!r} needs one blank.",
                hint=f"Write {BLANK} where the word should stand.",
            )  # fmt: skip

    def compute(work: Work) -> Body:
        found = source.predictions(a, b, among, work)
        return json_body(_compared(found, a, b, k))

    return explorer.body(("blanks", model, a, b, k, among), compute)


def _compared(found: Predictions, a: str, b: str, k: int) -> dict[str, Any]:
    log_a, log_b = np.asarray(found.a), np.asarray(found.b)
    known = np.flatnonzero(np.isfinite(log_a) & np.isfinite(log_b))
    if not known.size:
        raise RefusalError(422, "lost", "no word can be scored in both blanks.", hint="Change the sentences.")
    likeliest = np.maximum(log_a, log_b)[known]
    compared = known[np.argsort(-likeliest, kind="stable")[:_LIKELIEST]]
    shown = _most_telling(log_a, log_b, compared, k)
    r, low, high = _agreement(log_a[compared], log_b[compared])
    words = [
        {"word": found.words[place], "a": log_a[place], "b": log_b[place], "difference": log_b[place] - log_a[place]}
        for place in shown
    ]
    changed = _changed(a, b)
    note = None
    if len(changed) != 1 or min(len(side.split()) for side in changed[0]) > 1:
        note = "The sentences differ in more than one word: which of them makes the difference cannot be told."
    return {
        "a": a,
        "b": b,
        "words": words,
        "searched": int(known.size),
        "compared": int(compared.size),
        "correlation": r,
        "low": low,
        "high": high,
        "method": f"Pearson over the {compared.size:,} words that are likeliest in either, BCa over words",
        "changed": list(changed[0]) if len(changed) == 1 else [],
        "lost": sentences.lost_words(found.lost),
        "note": note,
        "sentence": _sentence(words, _quoted(changed)),
    }


def _most_telling(a: NDArray[Any], b: NDArray[Any], places: NDArray[Any], k: int) -> list[int]:
    """The k words that change the divergence of the two predictions most, |p log (p / q)| + |q log (q / p)|: rare words
    differ wildly and say nothing."""
    with np.errstate(under="ignore"):
        telling = (np.exp(a[places]) + np.exp(b[places])) * np.abs(a[places] - b[places])
    chosen = places[np.argsort(-telling, kind="stable")[:k]]
    return [int(one) for one in chosen[np.argsort(-np.abs(a[chosen] - b[chosen]), kind="stable")]]


def _agreement(a: NDArray[Any], b: NDArray[Any]) -> tuple[float, float, float]:
    if len(a) < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
        return np.nan, np.nan, np.nan
    interval = bridge_interval(a, b, resamples=_RESAMPLES)
    return float(np.corrcoef(a, b)[0, 1]), interval.low, interval.high


def _changed(a: str, b: str) -> list[tuple[str, str]]:
    """The runs of words in which two sentences differ."""
    left, right = ([word.strip(".,;:!?") for word in sentence.split()] for sentence in (a, b))
    steps = difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
    return [(" ".join(left[i:j]), " ".join(right[m:n])) for step, i, j, m, n in steps if step != "equal"]


def _quoted(changed: list[tuple[str, str]]) -> tuple[str, str]:
    """The words by which the two sentences are told apart."""
    if len(changed) != 1:
        return "the first sentence", "the second"
    first, second = (f"“{words}”" if words else "nothing" for words in changed[0])
    return first, second


def _sentence(words: list[dict[str, Any]], named: tuple[str, str]) -> str:
    with_a = [one["word"] for one in words if one["difference"] < 0]
    with_b = [one["word"] for one in words if one["difference"] > 0]
    told = [
        f"with {name} rather than {other}: {sentences.listed(some)}"
        for name, other, some in ((*named, with_a), (*named[::-1], with_b))
        if some
    ]
    return f"Likelier {'; likelier '.join(told)}." if told else "Both sentences are filled alike."
