"""From a spec to jobs: which metrics fit which model, on which tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tiltmeter.errors import InputError, TiltmeterError, did_you_mean
from tiltmeter.lexicon.catalogue import languages
from tiltmeter.metrics import METRICS
from tiltmeter.models import gguf_file
from tiltmeter.models.named import training_counts
from tiltmeter.runs import identity
from tiltmeter.runs.job import Job, Model
from tiltmeter.runs.rare import without_rare
from tiltmeter.runs.spec import METRIC_SPECS, ModelSpec, SpecFile
from tiltmeter.runs.subjects import subjects
from tiltmeter.runs.yaml_text import Place

# What a spec without metrics measures. Indirect scores are not in it: names of several tokens make them take hours.
_LANGUAGE_MODEL = ("lpbs", "crows", "direct")
_USUAL: Mapping[str, tuple[str, ...]] = {
    "static": ("weat",),
    "precomputed": ("weat", "seat"),
    "encoder": ("weat", "seat"),
    "masked": _LANGUAGE_MODEL,
    "causal": _LANGUAGE_MODEL,
}
_PLANNING = (
    "metric",
    "models",
    "tests",
    "pairs",
    "targets",
    "features",
    "bridge",
    "to_target",
    "to_feature",
    "templates",
)
_KINDS: Mapping[str, tuple[str, ...]] = {
    "bayes": ("static", "encoder", "precomputed"),
    **{metric.name: metric.models for metric in METRICS},
}


@dataclass(frozen=True, slots=True)
class Plan:
    """All jobs of a run, those of a model together; and the models."""

    models: tuple[Model, ...]
    jobs: tuple[Job, ...]


def serves(metric: str, model: Model) -> bool:
    """Whether a metric can be measured on a model. What predicts words from hidden states gives vectors too, but not
    those that a projection at its blanks has changed."""
    if model.kind in _KINDS[metric]:
        return True
    bare, projected = identity.parts(model.path)
    gives_vectors = not projected and model.kind in identity.LANGUAGE_MODELS and not gguf_file.is_gguf(bare)
    return _wants_vectors(metric) and gives_vectors


def plan(file: SpecFile, earlier: Callable[[], Mapping[str, Model]] = dict) -> Plan:
    """The jobs of a spec. `earlier` gives the models of an earlier run in the same folder, by name: one that has
    vanished is taken to be the same, so that what was measured on it is kept, and what was not is reported."""
    models = _models(file, earlier)
    used: set[Place] = set()
    jobs: dict[str, Job] = {}
    for number, model in enumerate(models):
        of_model = {job.hash: job for job in _jobs(file, model, models, used)}
        if not of_model:
            raise _nothing_to_do(file, number, model)
        jobs |= of_model
    for number, name in enumerate(file.spec.tests or ()):
        if ("tests", number) not in used:
            raise file.error(
                f"no metric of this run takes the test {name!r:.60}.",
                ("tests", number),
                "Add one that does, or drop it.",
            )
    order = [model.name for model in models]
    # What needs the same form of a model comes together, so that it is loaded once.
    ordered = sorted(jobs.values(), key=lambda job: (order.index(job.model.name), not _wants_vectors(job.metric)))
    return Plan(tuple(models), tuple(ordered))


def _wants_vectors(metric: str) -> bool:
    return "encoder" in _KINDS[metric]


def _jobs(file: SpecFile, model: Model, models: list[Model], used: set[Place]) -> Iterator[Job]:
    fitting = 0
    counts = _counts(file, model) if file.spec.least else {}
    for number, metric in enumerate(_metrics(file, model.kind)):
        names = metric.models
        for place, name in enumerate(names or ()):
            if name not in {one.name for one in models}:
                hint = did_you_mean(name, [one.name for one in models]) or "Use the name of one of the models above."
                raise file.error(f"there is no model {name!r:.60}.", ("metrics", number, "models", place), hint)
        if names is not None and model.name not in names:
            continue
        if not serves(metric.metric, model):
            if names is not None:
                message = (
                    f"{metric.metric} cannot be measured on {model.name!r:.60}, a model of the kind {model.kind!r}."
                )
                raise file.error(message, ("metrics", number), "See `tiltmeter list metrics`.")
            continue
        fitting += 1
        options = {name: value for name, value in metric.model_dump().items() if name not in _PLANNING}
        options["seed"] = file.spec.seed
        if metric.metric != "bayes":  # whose intervals have levels of their own
            options["level"] = file.spec.level
        for chosen in subjects(file, number, metric, model.language):
            used.add(chosen.place)
            subject, left_out = without_rare(chosen.subject, counts, file.spec.least)
            yield Job(model, metric.metric, subject, options, left_out, chosen.optional)
    if not fitting:
        raise file.error(
            f"no metric of this run fits {model.name!r:.60}, a model of the kind {model.kind!r}.",
            ("models", [one.name for one in models].index(model.name)),
            "See `tiltmeter list metrics`.",
        )


def _nothing_to_do(file: SpecFile, number: int, model: Model) -> InputError:
    """No test of a metric that fits is in the model's language: most often, there is no such language here."""
    own: Place = ("models", number, "language")
    place = own if file.spec.models[number].language is not None else ("language",)
    known = languages()
    hint = "Give tests of your own in that language."
    if model.language not in known:
        hint = did_you_mean(model.language, known) or f"There are: {', '.join(known)}; or give tests of your own."
    return file.error(
        f"there is nothing to measure on {model.name!r:.60} in the language {model.language!r:.20}.", place, hint
    )


def _counts(file: SpecFile, model: Model) -> Mapping[str, int]:
    try:
        return training_counts(model.path)
    except TiltmeterError as error:
        raise file.error(f"it is not known how often {model.name!r:.60} met a word.", ("least",), str(error)) from None


def _metrics(file: SpecFile, kind: str) -> list[Any]:
    if file.spec.metrics is not None:
        return list(file.spec.metrics)
    return [METRIC_SPECS[name].model_validate({"metric": name}) for name in _USUAL[kind]]


def _models(file: SpecFile, earlier: Callable[[], Mapping[str, Model]]) -> list[Model]:
    models: list[Model] = []
    for number, spec in enumerate(file.spec.models):
        model = _model(file, spec, number, earlier)
        if model.name in {one.name for one in models}:
            raise file.error(
                f"two models are called {model.name!r:.60}.", ("models", number), "Give one of them another name."
            )
        models.append(model)
    return models


def _model(file: SpecFile, spec: ModelSpec, number: int, earlier: Callable[[], Mapping[str, Model]]) -> Model:
    path = identity.location(file, spec)
    name = identity.label(spec, path)
    place: Place = ("models", number)
    given = {key for key in spec.model_fields_set if key not in ("path", "name", "kind", "language")}
    options = {key: getattr(spec, key) for key in sorted(given) if getattr(spec, key) is not None}
    try:
        kind = identity.kind(path, spec)
        fingerprint = identity.fingerprint(path, kind, spec)
    except (TiltmeterError, OSError) as error:
        known = earlier().get(name)
        if known is None or known.options != options:
            raise file.error(f"{error}", (*place, "path")) from None
        kind, fingerprint = known.kind, known.fingerprint
    allowed = identity.option_names(kind)
    for key in options:
        if key not in allowed:
            hint = f"It has: {', '.join(allowed)}." if allowed else "It has none."
            raise file.error(f"a model of the kind {kind!r} has no option {key!r}.", (*place, key), hint)
    return Model(name, path, kind, identity.language(path, spec, file), fingerprint, options)
