"""The spec of a run: which models, tests and metrics, in a YAML file that is checked before anything is loaded.

models:
  - path: bert-base-uncased
tests: [weat6, weat7, "my tests/*.toml"]
metrics:
  - seat
  - metric: lpbs
    family: target attribute
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from tiltmeter.errors import InputError
from tiltmeter.metrics.logprob import Averaging
from tiltmeter.metrics.permutation import Alternative, Method
from tiltmeter.models._lookup import Case, Multiword
from tiltmeter.models.pooling import Pooling
from tiltmeter.runs.results import ALPHA
from tiltmeter.runs.spec_errors import explained
from tiltmeter.runs.yaml_text import Place, YamlText, parse_yaml

Kind = Literal["static", "encoder", "precomputed", "masked", "causal"]
_MOST = 10_000  # entries of a list

# What beside its file decides what a model of a kind says; each is an option of the class that opens it.
MODEL_OPTIONS: Mapping[str, tuple[str, ...]] = {
    "static": ("lookup", "multiword"),
    "precomputed": (),
    "encoder": ("pooling", "layer", "dtype", "device", "revision", "trust_remote_code", "tokens_per_batch"),
    "masked": (
        *("dtype", "device", "revision", "trust_remote_code", "tokens_per_batch"),
        *("padding_text", "several_tokens"),
    ),
    "causal": ("dtype", "device", "revision", "trust_remote_code", "tokens_per_batch", "share_prefixes"),
}


class _Checked(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False, str_max_length=4_000)


Text = Annotated[str, Field(min_length=1)]
Texts = Annotated[list[Text], Field(min_length=1, max_length=_MOST)]
Level = Annotated[float, Field(ge=0.5, le=0.999)]


class ModelSpec(_Checked):
    """A model: where it is, what to call it, and how it is asked."""

    path: Text  # a file or folder, beside the spec or anywhere; or a name on the Hugging Face hub
    name: Text | None = None
    kind: Kind | None = None
    language: Text | None = None
    revision: Text | None = None
    pooling: Pooling | None = None
    layer: int | None = None
    dtype: Literal["float32", "bfloat16", "float16"] | None = None
    device: Text | None = None
    trust_remote_code: bool | None = None
    tokens_per_batch: Annotated[int, Field(ge=1)] | None = None
    padding_text: bool | None = None
    several_tokens: bool | None = None
    share_prefixes: bool | None = None
    lookup: Annotated[list[Case], Field(min_length=1)] | None = None
    multiword: Multiword | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_path(cls, given: Any) -> Any:
        return {"path": given} if isinstance(given, str) else given


class _Metric(_Checked):
    models: Texts | None = None  # names of those that it is measured on; by default all that it fits


class Association(_Metric):
    """WEAT on words; SEAT on sentences."""

    metric: Literal["weat", "seat"]
    tests: Texts | None = None
    p_value: Method = "exact"
    alternative: Alternative = "greater"
    ddof: Literal[0, 1] = 1
    interval_over: Literal["all words", "targets"] = "all words"
    resamples: Annotated[int, Field(ge=100, le=1_000_000)] = 9_999
    samples: Annotated[int, Field(ge=100, le=10_000_000)] = 99_999


class Wefat(_Metric):
    """WEFAT: a row for each word of X and Y."""

    metric: Literal["wefat"]
    tests: Texts | None = None
    p_value: Method = "exact"
    ddof: Literal[0, 1] = 1
    resamples: Annotated[int, Field(ge=100, le=1_000_000)] = 9_999
    samples: Annotated[int, Field(ge=100, le=10_000_000)] = 99_999


class GroupMeans(_Metric):
    """Relative norm distance, of X and of Y; embedding coherence, of both."""

    metric: Literal["rnd", "ect"]
    tests: Texts | None = None
    resamples: Annotated[int, Field(ge=100, le=1_000_000)] = 9_999
    samples: Annotated[int, Field(ge=100, le=1_000_000)] = 19_999


class Mac(_Metric):
    """Mean average cosine distance: to stereotypes, and to human and neutral control words."""

    metric: Literal["mac"]
    tests: Texts | None = None
    resamples: Annotated[int, Field(ge=100, le=1_000_000)] = 9_999


class Lpbs(_Metric):
    """The Log Probability Bias Score."""

    metric: Literal["lpbs"]
    tests: Texts | None = None
    family: Literal["target is attribute", "target attribute"] | None = None
    p_value: Method = "exact"
    resamples: Annotated[int, Field(ge=100, le=1_000_000)] = 9_999


class Crows(_Metric):
    """CrowS-Pairs: the bundled pairs of the language, or a CSV file."""

    metric: Literal["crows"]
    pairs: Text | None = None
    resamples: Annotated[int, Field(ge=100, le=1_000_000)] = 9_999


class Indirect(_Metric):
    """Indirect scores: the `top` strongest pairs go into the table, all of them into arrays/."""

    metric: Literal["indirect"]
    targets: Text = "occupation"
    features: Text = "gender"
    bridge: Text = "name"
    to_target: Text | None = None
    to_feature: Text | None = None
    averaging: Averaging = "probability"
    resamples: Annotated[int, Field(ge=100, le=100_000)] = 1_000
    top: Annotated[int, Field(ge=1, le=1_000_000)] = 50


class Direct(_Metric):
    """Direct scores; likewise."""

    metric: Literal["direct"]
    targets: Text = "occupation"
    features: Text = "gender"
    templates: Text | None = None
    averaging: Averaging = "probability"
    top: Annotated[int, Field(ge=1, le=1_000_000)] = 50


class Bayes(_Metric):
    """The hierarchical Bayesian estimate of a multiclass or an association test."""

    metric: Literal["bayes"]
    tests: Texts | None = None
    chains: Annotated[int, Field(ge=1, le=64)] = 2
    draws: Annotated[int, Field(ge=4, le=1_000_000)] = 4_000
    warmup: Annotated[int, Field(ge=20, le=1_000_000)] = 1_000
    target_accept: Annotated[float, Field(gt=0, lt=1)] = 0.8


MetricSpec = Annotated[
    Association | Wefat | GroupMeans | Mac | Lpbs | Crows | Indirect | Direct | Bayes, Field(discriminator="metric")
]
METRIC_SPECS: Mapping[str, type[_Metric]] = {
    "weat": Association,
    "seat": Association,
    "wefat": Wefat,
    "rnd": GroupMeans,
    "ect": GroupMeans,
    "mac": Mac,
    "lpbs": Lpbs,
    "crows": Crows,
    "indirect": Indirect,
    "direct": Direct,
    "bayes": Bayes,
}


class RunSpec(_Checked):
    """A whole run: all metrics that fit, on all models, for all tests that fit."""

    title: str = ""
    language: Text = "en"
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0
    level: Level = 0.95
    alpha: Annotated[float, Field(gt=0, le=0.5)] = ALPHA  # at which tables, figures and page mark what is significant
    least: Annotated[int, Field(ge=0)] = 0  # words that a demo model met less often in training take no part
    output: Text | None = None  # the run folder; by default beside the spec
    models: Annotated[list[ModelSpec], Field(min_length=1, max_length=_MOST)]
    tests: Texts | None = None  # names, patterns, files; by default those that a metric is meant for
    metrics: Annotated[list[MetricSpec], Field(min_length=1, max_length=_MOST)] | None = None

    @field_validator("metrics", mode="before")
    @classmethod
    def _named(cls, given: Any) -> Any:
        """A metric's name stands for the metric with its usual options."""
        return [{"metric": one} if isinstance(one, str) else one for one in given] if isinstance(given, list) else given


@dataclass(frozen=True, slots=True)
class SpecFile:
    """A spec and the text it was read from, which knows its lines."""

    spec: RunSpec
    text: YamlText

    @property
    def base(self) -> Path:
        """The folder that paths in the spec start from."""
        return Path(self.text.source.where).parent

    def path(self, named: str) -> Path:
        """A path in the spec, from where this process stands."""
        try:
            return self.base / Path(named).expanduser()
        except RuntimeError:  # the home of nobody
            return self.base / named

    def error(self, message: str, place: Place = (), hint: str | None = None) -> InputError:
        return self.text.error(message, place, hint)


def read_spec(path: Path | str) -> SpecFile:
    """The spec in a YAML file, or in the lines of a `.txt` file of the BIAS framework."""
    from tiltmeter.lexicon.source_text import read
    from tiltmeter.runs.bias_lines import spec_text

    path = Path(path)
    source = read(path)
    if path.suffix.lower() == ".txt":
        return parse_spec(spec_text(source))
    return parse_spec(parse_yaml(source))


def parse_spec(text: YamlText) -> SpecFile:
    """The spec in a text, checked; what is wrong is named with its line and key."""
    if not isinstance(text.value, dict):
        raise text.error("should be a table with the keys models, tests, metrics.", (), "See `tiltmeter init`.")
    try:
        return SpecFile(RunSpec.model_validate(text.value), text)
    except ValidationError as error:
        raise explained(text, error, _fields) from None


def _fields(location: Sequence[int | str]) -> list[str]:
    """The keys that are known where an error stands."""
    holder: type[BaseModel] = RunSpec
    if location[0] == "models":
        holder = ModelSpec
    elif location[0] == "metrics" and len(location) > 2:
        holder = METRIC_SPECS.get(str(location[2]), _Metric)
    return list(holder.model_fields)
