"""A language model whose probabilities are known in closed form: names carry a latent trait, words respond to it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.lexicon.templates import Template, TemplateSet
from tiltmeter.lexicon.tests import AssociationTest
from tiltmeter.lexicon.words import Kind, Role, Word, WordSet
from tiltmeter.models.lm import Filled, Query

Array = NDArray[np.float64]


def word_set(name: str, texts: Sequence[str], kind: Kind, role: Role = Role.CONCEPT) -> WordSet:
    return WordSet(name, "en", tuple(Word(text, frozenset({kind})) for text in texts), name, "planted", role)


def template_set(target: str, feature: str, *texts: str) -> TemplateSet:
    templates = tuple(Template(text) for text in texts)
    return TemplateSet(f"{target}-{feature}", "en", target, feature, templates, "planted")


def own(x: list[str], y: list[str], a: list[str], b: list[str]) -> AssociationTest:
    sides = {name: word_set(name, words, Kind.THING) for name, words in {"x": x, "y": y, "a": a, "b": b}.items()}
    return AssociationTest("own", "en", "Own", **sides, source="here")  # type: ignore[arg-type]


class PlantedModel:
    """P(name | job) ∝ exp(common_b + lean_j · trait_b), and P(word | name) ∝ exp(base_w + lean_w · trait_b).

    With the other slot open, trait and lean are 0: the prior of a name is ∝ exp(common_b), of a word ∝ exp(base_w).
    """

    name = "planted"
    fingerprint = "planted"

    def __init__(
        self,
        traits: Array,
        common: Array,
        jobs: Mapping[str, float],
        words: Mapping[str, float],
        noise: float = 0.0,
    ) -> None:
        self.names = [f"N{i}" for i in range(len(traits))]
        self.traits, self.common = traits, common
        self.jobs, self.words = dict(jobs), dict(words)
        self.base = {word: 0.3 * i for i, word in enumerate(words)}
        # What a name has to do with a job or a word beside its trait.
        rng = np.random.default_rng(0)
        self.own = {one: noise * rng.normal(size=len(traits)) for one in (*jobs, *words)}
        self.asked = 0

    @property
    def settings(self) -> Mapping[str, Any]:
        return {"kind": "planted", "normalised": "over the vocabulary"}

    def prepare(self, asked: Sequence[tuple[Sequence[Query], Sequence[str]]]) -> None:
        self.asked += sum(len(queries) for queries, _ in asked)

    def fill(self, queries: Sequence[Query], words: Sequence[str]) -> Filled:
        log_p = np.array([[self._log_p(query.text, word) for word in words] for query in queries])
        return Filled(log_p, {word: "unknown" for word in words if word not in self.names and word not in self.words})

    def _log_p(self, text: str, word: str) -> float:
        found = re.findall(r"[A-Za-z]\w*", text)
        if word in self.names:
            job = next((one for one in found if one in self.jobs), None)
            logits = self.common + (self.jobs[job] * self.traits + self.own[job] if job else 0.0)
            return float(logits[self.names.index(word)] - np.logaddexp.reduce(logits))
        if word not in self.words:
            return float("nan")
        name = next((self.names.index(one) for one in found if one in self.names), None)
        trait = {
            one: 0.0 if name is None else lean * self.traits[name] + self.own[one][name]
            for one, lean in self.words.items()
        }
        logits = np.array([self.base[one] + trait[one] for one in self.words])
        return float(self.base[word] + trait[word] - np.logaddexp.reduce(logits))

    def score_of_name(self, job: str) -> Array:
        """BS1(job, ·) by the formula."""
        logits = self.common + self.jobs[job] * self.traits + self.own[job]
        log_p = logits - np.logaddexp.reduce(logits)
        return np.asarray(log_p - (self.common - np.logaddexp.reduce(self.common)))

    def score_of_word(self, word: str) -> Array:
        """BS2(·, word) by the formula."""
        base, lean = np.array(list(self.base.values())), np.array(list(self.words.values()))
        of_all = np.logaddexp.reduce(base[None] + self.traits[:, None] * lean[None], axis=1)
        return np.asarray(self.words[word] * self.traits - of_all + np.logaddexp.reduce(base))
