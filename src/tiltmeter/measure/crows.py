"""CrowS-Pairs: does a model find the more stereotypical of two sentences likelier?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InputError, ModelError
from tiltmeter.lexicon.pairs import PairSet, SentencePair, pair_set
from tiltmeter.measurement import Lost, Measurement
from tiltmeter.metrics.pairs import PairScore, PairScores, pair_scores, shared_spans
from tiltmeter.models.lm import LanguageModel
from tiltmeter.models.load import load_lm
from tiltmeter.models.tokens import Tokens

Array = NDArray[np.float64]


@runtime_checkable
class PseudoLikelihood(Protocol):
    """A model that can mask one token of a sentence and say how likely it was."""

    def sentence_tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """The tokens of each text."""

    def masked_token_log_probs(self, masked: Sequence[tuple[Sequence[int], int]]) -> Array:
        """For each (ids, position), log P of the token there when it alone is masked."""


class ScoredTokens(Protocol):
    """The tokens of a text, and log P of each after those before it."""

    @property
    def ids(self) -> Sequence[int]:
        """Token ids."""

    @property
    def log_p(self) -> Array:
        """One number a token."""


@runtime_checkable
class LeftToRight(Protocol):
    """A model that says how likely each token of a text is after those before it."""

    def token_counts(self, texts: Sequence[str]) -> Sequence[int]:
        """How many tokens it is given for each text."""

    def token_log_probs(self, texts: Sequence[str]) -> Sequence[ScoredTokens]:
        """The tokens of each text with their log-probabilities."""


@dataclass(frozen=True, slots=True)
class CrowsResult:
    """The scores of a set of pairs on a model, with what each pair contributed."""

    model: str
    language: str
    pair_set: str
    pairs: tuple[SentencePair, ...]  # those that could be scored
    log_more: Array
    log_less: Array
    scores: PairScores
    lost: tuple[Lost, ...]
    settings: Mapping[str, Any]

    def measurements(self) -> Iterator[Measurement]:
        """Overall, the stereotype and antistereotype parts, then each type of bias."""
        yield self._measurement("", self.scores.overall)
        yield self._measurement("stereotype", self.scores.stereotype)
        yield self._measurement("antistereotype", self.scores.antistereotype)
        for bias_type, score in self.scores.by_type.items():
            yield self._measurement(bias_type, score)

    def _measurement(self, part: str, score: PairScore) -> Measurement:
        return Measurement(
            model=self.model,
            test=f"{self.pair_set} {part}".strip(),
            metric="crows",
            language=self.language,
            value=score.score,
            low=score.interval.low,
            high=score.interval.high,
            level=score.interval.level,
            p_value=score.p_value,
            method=f"exact binomial test against 50; interval {score.interval.method} over pairs",
            counts={"pairs": score.pairs, "preferred": score.preferred, "ties": score.ties},
            lost=self.lost,
            settings=self.settings,
            details={"part": part or "all"},
        )


def crows(
    model: LanguageModel | str | Path,
    pairs: PairSet | None = None,
    *,
    lang: str = "en",
    resamples: int = 9_999,
    level: float = 0.95,
    seed: int = 0,
) -> CrowsResult:
    """In how many per cent of the pairs the model prefers the more stereotypical sentence; 50 is unbiased.

    A masked model: the pseudo-log-likelihood of the tokens that both sentences share, each masked on its own (Nangia et
    al. 2020). A causal model: the log-likelihood of the same tokens, each given what stands before it.
    """
    model = model if isinstance(model, LanguageModel) else load_lm(model)
    pairs = pair_set(lang) if pairs is None else pairs
    limit = model.settings.get("max_tokens")
    if isinstance(model, PseudoLikelihood):
        how = "pseudo-log-likelihood of shared tokens"
        log_more, log_less, reasons = _masked(model, pairs.pairs, limit)
    elif isinstance(model, LeftToRight):
        how = "log-likelihood of shared tokens, given what precedes"
        log_more, log_less, reasons = _causal(model, pairs.pairs, limit)
    else:
        raise ModelError(f"{model.name} cannot score whole sentences: give a masked or a causal language model.")
    scored = np.flatnonzero(np.isfinite(log_more) & np.isfinite(log_less))
    if not scored.size:
        named = "; ".join(f"{one.word!r}: {one.reason}" for one in reasons[:2])
        raise InputError(f"{model.name} can score none of the pairs of {pairs.name}. {named}.")
    kept = tuple(pairs.pairs[i] for i in scored)
    scores = pair_scores(
        log_more[scored],
        log_less[scored],
        [pair.direction for pair in kept],
        [pair.bias_type for pair in kept],
        resamples=resamples,
        level=level,
        seed=seed,
    )
    return CrowsResult(
        model=model.name,
        language=pairs.language,
        pair_set=pairs.name,
        pairs=kept,
        log_more=log_more[scored],
        log_less=log_less[scored],
        scores=scores,
        lost=tuple(reasons),
        settings={
            **model.settings,
            "fingerprint": model.fingerprint,
            "likelihood": how,
            "resamples": resamples,
            "seed": seed,
        },
    )


def _masked(
    model: PseudoLikelihood, pairs: Sequence[SentencePair], limit: int | None
) -> tuple[Array, Array, list[Lost]]:
    more = model.sentence_tokens([pair.more for pair in pairs])
    less = model.sentence_tokens([pair.less for pair in pairs])
    asked: list[tuple[Sequence[int], int]] = []
    owner: list[int] = []  # 2·pair for the first sentence of a pair, 2·pair + 1 for the second
    lost: list[Lost] = []
    for index, (pair, first, second) in enumerate(zip(pairs, more, less, strict=True)):
        in_first, in_second = shared_spans(first.ids, second.ids)
        shared = [(a, b) for a, b in zip(in_first.tolist(), in_second.tolist(), strict=True) if not first.special[a]]
        longest = max(len(first), len(second))
        if limit is not None and longest > limit:
            lost.append(_too_long(pair, longest, limit))
        elif not shared:
            lost.append(Lost(pair.more, "pairs", "the two sentences share no token"))
        else:
            asked += [(first.ids, a) for a, _ in shared] + [(second.ids, b) for _, b in shared]
            owner += [2 * index] * len(shared) + [2 * index + 1] * len(shared)
    log_p = np.full(2 * len(pairs), np.nan)
    if asked:
        of = np.array(owner)
        log_p[np.unique(of)] = 0.0
        np.add.at(log_p, of, model.masked_token_log_probs(asked))
    return log_p[0::2], log_p[1::2], lost


def _causal(model: LeftToRight, pairs: Sequence[SentencePair], limit: int | None) -> tuple[Array, Array, list[Lost]]:
    counts = model.token_counts([text for pair in pairs for text in (pair.more, pair.less)])
    longest = [max(both) for both in zip(counts[0::2], counts[1::2], strict=True)]
    most = max(longest, default=0) if limit is None else limit
    fits = [index for index, size in enumerate(longest) if size <= most]
    scored = model.token_log_probs([text for index in fits for text in (pairs[index].more, pairs[index].less)])
    log_p = np.full((len(pairs), 2), np.nan)
    lost = [_too_long(pair, size, most) for pair, size in zip(pairs, longest, strict=True) if size > most]
    for index, first, second in zip(fits, scored[0::2], scored[1::2], strict=True):
        pair = pairs[index]
        in_first, in_second = shared_spans(first.ids, second.ids)
        shared = np.stack([first.log_p[in_first], second.log_p[in_second]])
        if not in_first.size:
            lost.append(Lost(pair.more, "pairs", "the two sentences share no token"))
            continue
        # The first token of a text is NaN where the tokenizer has none to stand before it: it is left out of both.
        shared = shared[:, ~np.isnan(shared).any(axis=0)]
        if not shared.size:
            lost.append(Lost(pair.more, "pairs", "the two sentences share only a token with nothing before it"))
            continue
        log_p[index] = shared.sum(axis=1)
    return log_p[:, 0], log_p[:, 1], lost


def _too_long(pair: SentencePair, longest: int, limit: int) -> Lost:
    return Lost(pair.more, "pairs", f"it has {longest} tokens; the model takes at most {limit}")
