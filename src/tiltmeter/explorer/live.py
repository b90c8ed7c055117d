"""A model that computes what is asked of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import InputError
from tiltmeter.explorer.computations import Work
from tiltmeter.explorer.guarded import Shareable
from tiltmeter.explorer.problems import NotHereError, RefusalError
from tiltmeter.explorer.remembered import remembered
from tiltmeter.explorer.source import Source
from tiltmeter.explorer.typed import Extended, extended_direct, extended_indirect
from tiltmeter.explorer.views import Typed, View, as_word
from tiltmeter.lexicon.catalogue import template_set, template_sets, word_set, word_sets
from tiltmeter.lexicon.templates import TemplateSet
from tiltmeter.lexicon.words import Kind, Word, WordSet
from tiltmeter.measure.blanks import blank_table, blank_tables
from tiltmeter.measure.discovery import VocabularyModel, discover
from tiltmeter.measure.scores import Bridge, ScoreMatrix, direct, indirect
from tiltmeter.measure.sources import Explained, explain
from tiltmeter.measurement import Lost, Measurement
from tiltmeter.metrics.logprob import bias_scores, increased_log_probability
from tiltmeter.models.lm import LanguageModel, Query
from tiltmeter.models.named import occurrences

Array = NDArray[np.float64]

BRIDGE = "name"
CAN = ("table", "words", "cell", "sources", "map", "discover", "compare", "blanks", "summary")


@dataclass(frozen=True)
class Predictions:
    """log P of words in the blank of two sentences."""

    words: tuple[str, ...]
    a: Array
    b: Array
    lost: tuple[Lost, ...] = ()


class LiveModel(Source):
    """A language model, ready to be asked."""

    def __init__(
        self,
        id: str,
        model: LanguageModel,
        *,
        language: str = "en",
        name: str | None = None,
        counts: Mapping[str, int] | None = None,
        least: int = 0,
    ) -> None:
        """`counts` says how often it met each word in training: those met fewer than `least` times are left out."""
        self.id, self.language = id, language
        self._counts, self._least = counts or {}, least if counts else 0
        self.name = name or model.name
        # A token that was never met as a word is a piece of one ("unwel").
        self._shared = Shareable(model, lambda word: not counts or self._met(word) >= max(self._least, 1))
        self._known_templates: dict[str, TemplateSet] = {}
        self.kind = str(model.settings.get("kind", ""))
        self._vocabulary = isinstance(model, VocabularyModel)
        self.can = CAN if self._vocabulary else tuple(one for one in CAN if one != "discover")
        if model.settings.get("several_tokens") == "lost":
            self.note = "Only words of one piece are scored: start with --several-tokens to score the others too."
        if self._least:
            self.note += " Words that the model hardly met in training are left out: --least 0 keeps them."
            self.absent_reason = f"met fewer than {self._least} times in training"

    @property
    def absent(self) -> dict[str, tuple[str, ...]]:
        sets = word_sets(self.language) if self._least else {}
        return {name: words for name in sets if (words := tuple(one.word for one in self._rare(name)))}

    @property
    def pieces(self) -> bool:
        return not self._counts

    def matrix(self, view: View, work: Work) -> ScoreMatrix:
        model = self._shared.guarded(work)
        self._check(view)
        targets, features = self._common(view.targets), self._common(view.features)
        sets = [view.targets, view.features]
        if view.kind == "direct":
            templates = self._templates(f"{view.targets}-{view.features}")
            found = direct(model, targets, features, templates=templates, lang=self.language)
        else:
            sets.append(BRIDGE)
            found = indirect(
                model,
                targets,
                features,
                bridge=self._bridge(view),
                to_target=self._templates(f"{view.targets}-{BRIDGE}"),
                to_feature=self._templates(f"{BRIDGE}-{view.features}"),
                lang=self.language,
            )
        rare = tuple(lost for name in sets for lost in self._rare(name) if lost.word not in view.add_names)
        return dataclasses.replace(found, model=self.name, lost=(*found.lost, *rare))

    def extended(self, view: View, typed: Typed, matrix: ScoreMatrix, work: Work) -> Extended:
        targets, features = self._common(view.targets), self._common(view.features)
        new_targets = self._typed(view.targets, typed.targets)
        new_features = self._typed(view.features, typed.features)
        model = self._shared.guarded(work)
        if view.kind == "direct":
            return extended_direct(model, matrix, targets, features, new_targets, new_features)
        return extended_indirect(model, matrix, self._bridge(view), new_targets, new_features, self._templates)

    def profile(self, view: View, names: Sequence[str], matrix: ScoreMatrix, work: Work) -> tuple[Bridge, list[Lost]]:
        """BS1 of every target with each name, BS2 of each name with every feature; NaN where there is none."""
        if matrix.bridge is None:
            raise NotHereError("direct scores know no names.", hint="Use the indirect score.")
        known = {word.text: word for word in self._bridge(view).words}
        words = [known.get(name, Word(name, frozenset({Kind.NAME}))) for name in names]
        model, settings = self._shared.guarded(work), matrix.settings
        sides = {
            side: [word for word in word_set(getattr(view, side), self.language).words if word.text in texts]
            for side, texts in (("targets", matrix.targets), ("features", matrix.features))
        }
        first, second = blank_tables(
            model,
            [
                (self._templates(settings["to_target"]), sides["targets"], words, "feature"),
                (self._templates(settings["to_feature"]), words, sides["features"], "feature"),
            ],
        )
        scores = [bias_scores(one.log_p, one.log_prior, averaging=settings["averaging"]) for one in (first, second)]
        lost = [one for one in dict.fromkeys((*first.lost, *second.lost)) if one.word in names]
        return Bridge(tuple(names), scores[0], scores[1], np.full(len(names), np.nan)), lost

    def explained(self, part: ScoreMatrix, sensitive: tuple[str, ...], work: Work) -> Explained:
        model = self._shared.guarded(work)
        common = {name: self._common(name) for name in dict.fromkeys(sensitive)}
        categories = {words: self._templates(f"{BRIDGE}-{name}") for name, words in common.items() if words.words}
        return explain(model, part, categories, bridge=self._names(part.bridge.names if part.bridge else ()))

    def sentences(self, view: View, target: str, feature: str, work: Work) -> list[dict[str, Any]]:
        templates = self._templates(f"{view.targets}-{view.features}")
        given, read = self._word(target, view.targets), self._word(feature, view.features)
        table = blank_table(self._shared.guarded(work), templates, [given], [read], read_slot="feature")
        ratios = increased_log_probability(table.log_p, table.log_prior)
        return [
            {
                "text": template.fill({"target": given, "feature": read}),
                "log_p": table.log_p[row, 0, 0],
                "log_prior": table.log_prior[row, 0, 0],
                "log_ratio": ratios[row, 0, 0],
            }
            for row, group in enumerate(templates.groups)
            for template in [templates.templates[group[0]]]
            if not np.isnan(ratios[row, 0, 0])
        ]

    def discovered(self, view: View, part: ScoreMatrix, target: str, k: int, work: Work) -> list[Measurement]:
        if not self._vocabulary:
            raise NotHereError(
                f"{self.name} does not give its whole vocabulary at a blank.", hint="Use a masked model."
            )
        model, templates = self._shared.guarded(work), self._templates(f"{BRIDGE}-{view.features}")
        return discover(model, part, target, templates=templates, bridge=self._bridge(view), k=k)

    def predictions(self, a: str, b: str, among: str, work: Work) -> Predictions:
        model: Any = self._shared.guarded(work)
        queries = [Query(a), Query(b)]
        if among != "vocabulary":
            words = list(word_set(among, self.language).texts)
            filled = model.fill(queries, words)
            lost = tuple(Lost(word, among, reason) for word, reason in filled.lost.items())
            return Predictions(tuple(words), filled.log_p[0], filled.log_p[1], lost)
        if not self._vocabulary:
            raise NotHereError(
                f"{self.name} does not give its whole vocabulary at a blank.", hint="Choose a category of words."
            )
        found, parts = [], []
        for some, log_p in model.fill_vocabulary(queries):
            found += some
            parts.append(log_p)
        if not found:
            raise InputError("no word of the vocabulary fits these blanks.", hint="Put a space before each blank.")
        log_p = np.concatenate(parts, axis=1)
        return Predictions(tuple(found), log_p[0], log_p[1])

    def _templates(self, name: str) -> TemplateSet:
        if name not in self._known_templates:
            self._known_templates[name] = remembered(template_set(name, self.language))
        return self._known_templates[name]

    def _check(self, view: View) -> None:
        wanted = (
            [f"{view.targets}-{view.features}"]
            if view.kind == "direct"
            else [f"{view.targets}-{BRIDGE}", f"{BRIDGE}-{view.features}"]
        )
        for name in wanted:
            if name not in template_sets(self.language):
                raise RefusalError(
                    404, "unknown_set", f"there are no sentences for {view.targets} × {view.features} ({view.kind}).",
                    hint="The catalogue lists the pairs that there are.",
                )  # fmt: skip

        for name in (view.targets, view.features):
            if not self._common(name).words:
                raise RefusalError(
                    409, "not_here",
                    f"{self.name} met no word of {name!r} {self._least} times or more in training.",
                    hint="Choose another category, or start with --least 0 to see them all the same.",
                )  # fmt: skip

    def caution(self, *words: str) -> str | None:
        found = next((word for word in words if self._met(word) < self._least), None)
        if found is None:
            return None
        return f"The model met {found!r} {_times(self._met(found))} in training: what it says of it is mostly noise."

    def _met(self, word: str) -> int:
        return occurrences(word, self._counts)

    def _common(self, name: str) -> WordSet:
        """A category, without the words that the model has hardly met."""
        words = word_set(name, self.language)
        kept = tuple(word for word in words.words if self._met(word.text) >= self._least)
        return dataclasses.replace(words, words=kept) if len(kept) < len(words) else words

    def _rare(self, name: str) -> list[Lost]:
        """The words of a category that are left out."""
        counts = {text: self._met(text) for text in word_set(name, self.language).texts}
        return [
            Lost(text, name, f"the model met it {_times(count)} in training, fewer than {self._least}")
            for text, count in counts.items()
            if count < self._least
        ]

    def _typed(self, name: str, typed: tuple[str, ...]) -> WordSet:
        """The typed words that the category does not show, as a set of the same name."""
        words, shown = word_set(name, self.language), set(self._common(name).texts)
        return dataclasses.replace(words, words=tuple(self._word(text, name) for text in typed if text not in shown))

    def _bridge(self, view: View) -> WordSet:
        return self._names(view.add_names)

    def _names(self, some: Sequence[str]) -> WordSet:
        """The names of the lexicon, and those of `some` that are not among them."""
        names = self._common(BRIDGE)
        known = set(names.texts)
        new = tuple(Word(name, frozenset({Kind.NAME})) for name in some if name not in known)
        return dataclasses.replace(names, words=names.words + new) if new else names

    def _word(self, text: str, name: str) -> Word:
        words = word_set(name, self.language)
        return next((word for word in words.words if word.text == text), as_word(text, words))


def _times(count: int) -> str:
    return "never" if not count else "once" if count == 1 else f"{count} times"
