"""`tiltmeter score`: how likely words are in a blank."""

from __future__ import annotations

from typing import Annotated

import typer

from tiltmeter.cli.language_models import Cache, Device, Dtype, Model, open_model
from tiltmeter.cli.output import Json, Lang, print_json, print_rows, say
from tiltmeter.errors import InputError


def score(
    model: Model,
    text: Annotated[str, typer.Argument(help='A text with a blank, written ___: "She works as a ___."')],
    words: Annotated[str, typer.Option("--words", "-w", help="Words for the blank, separated by commas.")],
    device: Device = None,
    dtype: Dtype = None,
    cache: Cache = True,
    lang: Lang = "en",
    as_json: Json = False,
) -> None:
    """How likely is each word in the blank of a text?

    The words are taken in the form in which they stand there. A probability is what the model says, not an estimate:
    it has no interval. It is normalised over the vocabulary (masked models) or over these words (causal models).
    """
    import numpy as np
    from rich.text import Text

    from tiltmeter.lexicon.source_text import clean
    from tiltmeter.measurement import Lost, Measurement
    from tiltmeter.models.lm import Query

    text = clean(text)
    asked = list(dict.fromkeys(clean(word) for word in words.split(",") if word.strip()))
    if not asked:
        raise InputError("there is no word to fill the blank with.", hint="Give some: --words nurse,engineer")
    opened = open_model(model, device=device, dtype=dtype, cache=cache)
    filled = opened.fill([Query(text)], asked)
    log_p = filled.log_p[0]
    lost = tuple(Lost(word, "words", reason) for word, reason in filled.lost.items())
    measured = [
        Measurement(
            model=opened.name,
            test=text,
            metric="log_probability",
            language=lang,
            value=float(log_p[place]),
            method="as the model says; no interval",
            lost=lost,
            settings={**opened.settings, "fingerprint": opened.fingerprint},
            details={"word": asked[place], "probability": float(np.exp(log_p[place]))},
        )
        for place in np.argsort(-log_p, kind="stable")
        if np.isfinite(log_p[place])
    ]
    if as_json:
        print_json([row.as_dict() for row in measured])
        return
    rows = [
        {"word": row.details["word"], "probability": f"{row.details['probability']:.3g}", "log": f"{row.value:.3f}"}
        for row in measured
    ]
    if rows:
        print_rows(rows, title=text, as_json=False)
        say(Text(f"normalised {opened.settings['normalised']}", style="dim"))
    for each in lost:
        say(Text(f"lost {each.word!r}: {each.reason}", style="dim"))
    if not rows:
        raise InputError(f"{opened.name} can score none of these words.")
