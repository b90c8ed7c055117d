"""`tiltmeter indirect`: which features go with which targets, by way of first names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.language_models import Cache, Device, Dtype, Level, Model, Seed, WholeWords, open_model
from tiltmeter.cli.output import Json, Lang, print_json, print_rows, say
from tiltmeter.errors import InputError

if TYPE_CHECKING:
    from tiltmeter.lexicon.words import WordSet
    from tiltmeter.measure.scores import ScoreMatrix


def indirect(
    model: Model,
    targets: Annotated[str, typer.Option("--targets", "-t", help="Word set of the targets.")] = "occupation",
    features: Annotated[str, typer.Option("--features", "-f", help="Word set of the features.")] = "trait",
    only: Annotated[
        list[str] | None, typer.Option("--only", "-o", help="Show only pairs with this target or feature; repeatable.")
    ] = None,
    direct: Annotated[
        bool, typer.Option("--direct", help="The direct score instead: one sentence with both words.")
    ] = False,
    sensitive: Annotated[
        str | None,
        typer.Option(
            help="Word sets that may explain an association, separated by commas. Default: those of the language."
        ),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Say what explains each pair that is shown.")] = False,
    top: Annotated[int, typer.Option(min=1, help="Show this many pairs, the strongest first.")] = 20,
    everything: Annotated[bool, typer.Option("--all", help="Show all pairs.")] = False,
    resamples: Annotated[int, typer.Option(min=100, help="Resamples of the bootstrap.")] = 1000,
    whole_words: WholeWords = False,
    level: Level = 0.95,
    seed: Seed = 0,
    device: Device = None,
    dtype: Dtype = None,
    cache: Cache = True,
    lang: Lang = "en",
    as_json: Json = False,
) -> None:
    """Indirect (or direct) log-probability scores of a category of targets with a category of features.

    The indirect score is the correlation, over some hundred first names, of how a model links each name to the target
    and to the feature. With --explain, it says what is left of it when gender, age ... of the names are held fixed.
    """
    from tiltmeter.measure import scores

    if direct and explain:
        raise InputError("direct scores have no bridge of names that could explain them.", hint="Leave --direct out.")
    opened = open_model(model, device=device, dtype=dtype, cache=cache, whole_words=whole_words)
    of_targets, of_features = _word_set(targets, lang), _word_set(features, lang)
    if direct:
        matrix = scores.direct(opened, of_targets, of_features, lang=lang, level=level)
    else:
        matrix = scores.indirect(
            opened, of_targets, of_features, lang=lang, resamples=resamples, level=level, seed=seed
        )
    shown = _strongest(matrix, only or [], None if everything else top)
    explained: dict[tuple[str, str], list[Any]] = {}
    if explain:
        from tiltmeter.measure.sources import explain as find_sources

        part = _part(matrix, shown)
        found = find_sources(opened, part, _sensitive(sensitive, lang), resamples=resamples, level=level, seed=seed)
        explained = {pair: found.ranked(*pair) for pair in shown}
    if as_json:
        print_json([_as_dict(matrix, pair, explained.get(pair)) for pair in shown])
        return
    print_rows(
        [_row(matrix, pair, explained.get(pair)) for pair in shown],
        title=f"{matrix.metric} scores on {matrix.model}: {matrix.target_set} × {matrix.feature_set}, "
        f"language {matrix.language}",
        as_json=False,
    )
    _print_notes(matrix, len(shown))


def _sensitive(named: str | None, lang: str) -> list[str]:
    from tiltmeter.measure.sources import sensitive_sets

    if named is None:
        return [name for name in sensitive_sets(lang) if name != "sexual-orientation"]
    return [name.strip() for name in named.split(",") if name.strip()]


def _word_set(name: str, lang: str) -> WordSet:
    from pathlib import Path

    from tiltmeter.lexicon.catalogue import word_set, word_sets
    from tiltmeter.lexicon.foreign import read_word_set

    if name not in word_sets(lang) and Path(name).exists():
        raise InputError(
            f"{name!r} is a file: words of your own need templates too.",
            hint=f"Write both as TOML; this file has {len(read_word_set(name))} words.",
        )
    return word_set(name, lang)


def _strongest(matrix: ScoreMatrix, only: list[str], top: int | None) -> list[tuple[str, str]]:
    import numpy as np

    from tiltmeter.lexicon.source_text import clean

    only = [clean(word) for word in only]
    for word in only:
        if word not in matrix.targets and word not in matrix.features:
            lost = {one.word: one.reason for one in matrix.lost}
            raise InputError(
                f"{word!r} is no target or feature with a score in language {matrix.language!r}.",
                hint=f"It was lost: {lost[word]}." if word in lost else "See `tiltmeter show` for the words of a set.",
            )
    order = np.argsort(-np.abs(np.nan_to_num(matrix.score)), axis=None, kind="stable")
    pairs = (
        (matrix.targets[place // len(matrix.features)], matrix.features[place % len(matrix.features)])
        for place in order.tolist()
    )
    fitting = [pair for pair in pairs if not only or set(pair) & set(only)]
    return fitting[:top]


def _part(matrix: ScoreMatrix, pairs: list[tuple[str, str]]) -> ScoreMatrix:
    """The matrix less the targets and features that are not shown: sources need a bootstrap for each pair."""
    from tiltmeter.measure.scores import submatrix

    return submatrix(matrix, dict.fromkeys(pair[0] for pair in pairs), dict.fromkeys(pair[1] for pair in pairs))


def _row(matrix: ScoreMatrix, pair: tuple[str, str], sources: list[Any] | None) -> dict[str, Any]:
    from tiltmeter.report.tables import number, p_text

    row = matrix.measurement(*pair)
    shown = {
        "target": pair[0],
        "feature": pair[1],
        "score": number(row.value),
        f"{100 * row.level:g} % interval": f"{number(row.low)} … {number(row.high)}",
    }
    if matrix.bridge is not None:  # the interval of a direct score is over templates itself
        shown["over templates"] = f"{number(row.details['template_low'])} … {number(row.details['template_high'])}"
    shown["p adjusted"] = p_text(row.details["p_adjusted"])
    if sources:
        from tiltmeter.measure.sources import COMMONNESS

        first = sources[0]
        shown["explained best by"] = f"{first.name} → {number(first.partial)}"
        (common,) = (source for source in sources if source.name == COMMONNESS)
        shown["commonness of names fixed"] = (
            f"{number(common.partial)} ({number(common.partial_low)} … {number(common.partial_high)})"
        )
    return shown


def _as_dict(matrix: ScoreMatrix, pair: tuple[str, str], sources: list[Any] | None) -> dict[str, Any]:
    import dataclasses
    import math

    row = matrix.measurement(*pair).as_dict()
    if sources is not None:
        row["sources"] = [
            {
                key: None if isinstance(value, float) and not math.isfinite(value) else value
                for key, value in dataclasses.asdict(source).items()
            }
            for source in sources
        ]
    return row


def _print_notes(matrix: ScoreMatrix, shown: int) -> None:
    from rich.text import Text

    counted = f"{shown} of {matrix.score.size:,} pairs"
    over = f"{len(matrix.bridge.names)} names" if matrix.bridge else f"{int(matrix.n.max())} templates"
    say(Text(f"{counted}, over {over}; p adjusted after Benjamini and Hochberg over all pairs", style="dim"))
    for lost in matrix.lost[:10]:
        say(Text(f"lost {lost.word!r} ({lost.where}): {lost.reason}", style="dim"))
    if len(matrix.lost) > 10:
        say(f"[dim]and {len(matrix.lost) - 10} more; --json names them all[/]")
