"""LPBS: the association tests, asked of a language model's probabilities in place of its vectors."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InputError
from tiltmeter.lexicon.catalogue import association_test
from tiltmeter.lexicon.templates import Template, TemplateSet
from tiltmeter.lexicon.tests import AssociationTest
from tiltmeter.measure.blanks import blank_table
from tiltmeter.measurement import Lost, Measurement
from tiltmeter.metrics.logprob import increased_log_probability
from tiltmeter.metrics.logprob import lpbs as score
from tiltmeter.metrics.permutation import Method
from tiltmeter.models.lm import LanguageModel
from tiltmeter.models.load import load_lm

Family = Literal["target is attribute", "target attribute"]

# Kurita et al. 2019 use the first; Puttick & Kurpicz-Briki 2024 the second, which fits any language.
FAMILIES: dict[str, dict[Family, Template]] = {
    language: {
        "target is attribute": Template(sentence, language),
        "target attribute": Template("{target} {feature}", language),
    }
    for language, sentence in {
        "de": "{target} ist {feature}.",
        "en": "{target} is {feature}.",
        "es": "{target} es {feature}.",
        "fr": "{target} est {feature}.",
        "is": "{target} er {feature}.",
        "it": "{target} è {feature}.",
        "nl": "{target} is {feature}.",
        "no": "{target} er {feature}.",
        "tr": "{target} {feature}.",
    }.items()
}


def lpbs(
    model: LanguageModel | str | Path,
    test: AssociationTest | str,
    *,
    lang: str = "en",
    family: Family = "target is attribute",
    p_value: Method = "exact",
    resamples: int = 9_999,
    level: float = 0.95,
    seed: int = 0,
) -> Measurement:
    """The Log Probability Bias Score of an association test (Kurita et al. 2019; Puttick & Kurpicz-Briki 2024, 4.3).

    The targets X and Y fill a blank beside each attribute of A and B. The test is two-sided, over partitions of the
    attributes. Positive: A makes X likelier, and B makes Y likelier. Words with a masculine and a feminine form stand
    in both (`tiltmeter.metrics.agreement`).
    """
    model = model if isinstance(model, LanguageModel) else load_lm(model)
    test = association_test(test, lang) if isinstance(test, str) else test
    templates = FAMILIES.get(test.language, {"target attribute": Template("{target} {feature}", test.language)})
    if family not in templates:
        raise InputError(
            f"there is no template of the family {family!r} in language {test.language!r}.",
            where=f"test {test.name} ({test.language})",
            hint='Use family="target attribute".',
        )
    targets, attributes = (*test.x.words, *test.y.words), (*test.a.words, *test.b.words)
    template = templates[family]
    agrees = any(template.grammar.feminine(word) is not None for word in (*targets, *attributes))
    versions = template.versions() if agrees else (template,)
    used = TemplateSet(family, test.language, "X and Y", "A and B", versions, "")
    table = blank_table(model, used, attributes, targets, read_slot="target")
    scores = increased_log_probability(table.log_p[0], table.log_prior[0])  # attributes × targets
    in_x, in_a = len(test.x.words), len(test.a.words)
    has_attribute, has_target, incomplete = _complete(np.isfinite(scores))
    counts = {
        "X": int(has_target[:in_x].sum()),
        "Y": int(has_target[in_x:].sum()),
        "A": int(has_attribute[:in_a].sum()),
        "B": int(has_attribute[in_a:].sum()),
    }
    words = [word.text for word in (*attributes, *targets)]
    gaps = [
        Lost(word, "", f"has no score beside {gap} of the words of the other side")
        for word, gap in zip(words, incomplete, strict=True)
        if gap
    ]
    lost = _lost(test, [*gaps, *table.lost])
    for side, least in (("X", 1), ("Y", 1), ("A", 2), ("B", 2)):
        if counts[side] < least:
            named = "; ".join(f"{one.word!r}: {one.reason}" for one in lost if one.where == side) or "none is left"
            raise InputError(
                f"{model.name} can score {counts[side]} words of {side}, and {least} must be. {named}.",
                where=f"test {test.name} ({test.language})",
            )
    found = score(
        scores[np.ix_(has_attribute, has_target)].T,
        counts["X"],
        counts["A"],
        p_value=p_value,
        resamples=resamples,
        level=level,
        seed=seed,
    )
    return Measurement(
        model=model.name,
        test=test.name,
        metric="lpbs",
        language=test.language,
        value=found.effect_size,
        low=found.interval.low,
        high=found.interval.high,
        level=level,
        p_value=found.p_value,
        method=f"p-value two-sided over attributes, {found.permutation.method}; "
        f"interval {found.interval.method} over attributes",
        counts=counts,
        lost=lost,
        settings={
            **model.settings,
            "fingerprint": model.fingerprint,
            "family": family,
            "p_value": p_value,
            "resamples": resamples,
            "seed": seed,
        },
        details={"difference": found.difference, "p_value_low": found.permutation.low},
    )


def _complete(scored: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.bool_], list[int]]:
    """Which attributes (rows) and targets (columns) have a score beside all that are left of the others.

    A word with few scores would cost its opposites theirs, so of all words the one with the largest share missing goes
    first. The list says for every word, attributes first, how many of its scores were missing when it went; 0 for those
    that stay, and for those without any score.
    """
    rows, columns = np.asarray(scored.any(axis=1)), np.asarray(scored.any(axis=0))
    missing = np.zeros(sum(scored.shape), dtype=int)
    while (gaps := ~scored & rows[:, None] & columns).any():
        counts = np.concatenate([gaps.sum(axis=1), gaps.sum(axis=0)])
        worst = int(np.argmax(counts / np.repeat([columns.sum(), rows.sum()], scored.shape)))
        missing[worst] = counts[worst]
        if worst < len(rows):
            rows[worst] = False
        else:
            columns[worst - len(rows)] = False
    return rows, columns, missing.tolist()


def _lost(test: AssociationTest, lost: Sequence[Lost]) -> tuple[Lost, ...]:
    reasons = {one.word: one.reason for one in lost}
    sides = {"X": test.x, "Y": test.y, "A": test.a, "B": test.b}
    words = [(word.text, side) for side, of_side in sides.items() for word in of_side.words]
    return tuple(Lost(word, side, reasons[word]) for word, side in words if word in reasons)
