"""Metrics: pure functions from arrays to numbers. Nothing here knows of models, files or words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Metric:
    """What a metric is called, which models it fits, and where it comes from."""

    name: str
    models: tuple[str, ...]
    measures: str
    source: str
    command: str  # which measures it; "" where there is a function alone, `tiltmeter.metrics`


_VECTORS = ("static", "encoder", "precomputed")
_LANGUAGE_MODELS = ("masked", "causal")

METRICS: tuple[Metric, ...] = (
    Metric(
        "weat",
        _VECTORS,
        "how much nearer X stands to A, and Y to B, than the other way round, in standard deviations",
        "Caliskan, Bryson & Narayanan 2017",
        "weat, run",
    ),
    Metric(
        "seat",
        _VECTORS,
        "the same, of the vectors of sentences",
        "May et al. 2019",
        "seat, run",
    ),
    Metric(
        "wefat",
        _VECTORS,
        "each word's association with A over B, in standard deviations of its cosines",
        "Caliskan, Bryson & Narayanan 2017",
        "wefat, run",
    ),
    Metric(
        "mac",
        _VECTORS,
        "mean cosine distance of protected words to attribute sets; 1 is unrelated",
        "Manzini et al. 2019",
        "mac, run",
    ),
    Metric(
        "rnd",
        _VECTORS,
        "relative norm distance: to group A less to group B; positive where words stand nearer to B",
        "Garg et al. 2018",
        "rnd, run",
    ),
    Metric(
        "ect",
        _VECTORS,
        "embedding coherence: rank correlation of words' similarities to two groups; 1 is alike",
        "Dev & Phillips 2019",
        "ect, run",
    ),
    Metric(
        "direct_bias",
        _VECTORS,
        "mean |cos|^c of neutral words with the bias direction",
        "Bolukbasi et al. 2016",
        "debias",
    ),
    Metric(
        "indirect_bias",
        _VECTORS,
        "share of two words' similarity that the bias direction accounts for",
        "Bolukbasi et al. 2016",
        "debias",
    ),
    Metric(
        "cultural_dimension",
        _VECTORS,
        "where words stand on a dimension between antonyms",
        "Kozlowski, Taddy & Evans 2019",
        "",
    ),
    Metric(
        "bayes",
        _VECTORS,
        "posterior of cosine distances by connection (associated, different, human, neutral) and by word",
        "Dobrzeniecka & Urbaniak",
        "bayes, run",
    ),
    Metric(
        "lpbs",
        _LANGUAGE_MODELS,
        "how much likelier attributes A make targets X, and B make Y, in standard deviations over attributes",
        "Kurita et al. 2019",
        "lpbs, run",
    ),
    Metric(
        "direct",
        _LANGUAGE_MODELS,
        "how much likelier a feature is beside a target than beside a blank, as a log ratio",
        "Kurita et al. 2019; Louis-Alexandre 2022",
        "indirect --direct, run",
    ),
    Metric(
        "indirect",
        _LANGUAGE_MODELS,
        "correlation, over first names, of how they go with a target and with a feature",
        "Louis-Alexandre 2022; Louis-Alexandre & Waldner 2023",
        "indirect, run",
    ),
    Metric(
        "crows",
        _LANGUAGE_MODELS,
        "per cent of sentence pairs of which the model prefers the more stereotypical; 50 is unbiased",
        "Nangia et al. 2020",
        "crows, run",
    ),
)
