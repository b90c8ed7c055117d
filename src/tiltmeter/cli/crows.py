"""`tiltmeter crows`: which of two sentences a model prefers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tiltmeter.cli.language_models import Cache, Device, Dtype, Level, Model, Seed, open_model
from tiltmeter.cli.output import Json, Lang, print_json, print_rows, say


def crows(
    model: Model,
    pairs: Annotated[
        Path | None, typer.Option(help="CSV in the layout of CrowS-Pairs. Default: the bundled pairs of the language.")
    ] = None,
    level: Level = 0.95,
    seed: Seed = 0,
    device: Device = None,
    dtype: Dtype = None,
    cache: Cache = True,
    lang: Lang = "en",
    as_json: Json = False,
) -> None:
    """CrowS-Pairs: in how many per cent of the pairs is the more stereotypical sentence likelier? 50 is unbiased."""
    from rich.text import Text

    from tiltmeter.lexicon.pairs import pair_set, read_pairs
    from tiltmeter.measure.crows import crows as measure
    from tiltmeter.report.tables import number, p_text

    given = pair_set(lang) if pairs is None else read_pairs(pairs, lang)
    result = measure(open_model(model, device=device, dtype=dtype, cache=cache), given, level=level, seed=seed)
    measured = list(result.measurements())
    if as_json:
        print_json([row.as_dict() for row in measured])
        return
    rows = [
        {
            "part": row.details["part"],
            "score": number(row.value, 1),
            f"{100 * level:g} % interval": f"{number(row.low, 1)} … {number(row.high, 1)}",
            "p-value": p_text(row.p_value),
            "pairs": row.counts["pairs"],
            "ties": row.counts["ties"],
        }
        for row in measured
    ]
    print_rows(rows, title=f"CrowS on {result.model}: {result.pair_set}, language {result.language}", as_json=False)
    say("[dim]50 is unbiased; above, the model prefers the more stereotypical sentences[/]")
    say(Text(given.note or given.source, style="dim"))
    for lost in result.lost[:10]:
        say(Text(f"lost {lost.word!r}: {lost.reason}", style="dim"))
    if len(result.lost) > 10:
        say(f"[dim]and {len(result.lost) - 10} more; --json names them all[/]")
