"""`tiltmeter discover`: the words of a whole vocabulary that lean most."""

from __future__ import annotations

from typing import Annotated

import typer

from tiltmeter.cli.language_models import Cache, Device, Dtype, Level, Model, Seed, WholeWords, open_model
from tiltmeter.cli.output import Json, Lang, print_json, print_rows, say
from tiltmeter.errors import InputError


def discover(
    model: Model,
    target: Annotated[str, typer.Argument(help="A target, such as an occupation: nurse.")],
    targets: Annotated[str, typer.Option("--targets", "-t", help="Word set of the target.")] = "occupation",
    features: Annotated[
        str, typer.Option("--features", "-f", help="Category whose templates are read: trait, sport ...")
    ] = "trait",
    top: Annotated[int, typer.Option(min=1, max=1000, help="How many words each way.")] = 15,
    whole_words: WholeWords = False,
    level: Level = 0.95,
    seed: Seed = 0,
    device: Device = None,
    dtype: Dtype = None,
    cache: Cache = True,
    lang: Lang = "en",
    as_json: Json = False,
) -> None:
    """Which words of a masked model's whole vocabulary go most with a target, and which least?"""
    import dataclasses

    from tiltmeter.lexicon.catalogue import word_set
    from tiltmeter.lexicon.source_text import clean
    from tiltmeter.measure import scores
    from tiltmeter.measure.discovery import discover as search
    from tiltmeter.measure.discovery import with_vocabulary
    from tiltmeter.report.tables import number, p_text

    whole, target = word_set(targets, lang), clean(target)
    words = tuple(word for word in whole.words if word.text == target)
    if not words:
        raise InputError(
            f"{target!r} is not in the word set {targets!r} of language {lang!r}.",
            hint=f"See `tiltmeter show {targets} --lang {lang}`.",
        )
    opened = open_model(model, device=device, dtype=dtype, cache=cache, whole_words=whole_words)
    with_vocabulary(opened)
    matrix = scores.indirect(
        opened, dataclasses.replace(whole, words=words), features, lang=lang, resamples=100, level=level, seed=seed
    )
    found = search(opened, matrix, target, k=top, level=level, seed=seed)
    if as_json:
        print_json([row.as_dict() for row in found])
        return
    rows = [
        {
            "word": row.details["feature"],
            "score": number(row.value),
            f"{100 * level:g} % interval": f"{number(row.low)} … {number(row.high)}",
            "p adjusted": p_text(row.p_value),
        }
        for row in found
    ]
    print_rows(
        rows, title=f"{target} on {opened.name}: words of the vocabulary, as {features}, language {lang}", as_json=False
    )
    say(
        f"[dim]{found[0].details['words_searched']:,} words searched; p-values adjusted for all of them (Bonferroni)[/]"
    )
