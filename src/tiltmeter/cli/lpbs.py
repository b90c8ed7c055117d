"""`tiltmeter lpbs`: association tests on a language model's probabilities."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from tiltmeter.cli.association import Alpha, How, PValue, Tests, chosen_tests, languages_of, print_lost
from tiltmeter.cli.language_models import Cache, Device, Dtype, Level, Model, Seed, open_model
from tiltmeter.cli.output import Json, Lang, print_json, print_rows, say
from tiltmeter.errors import InputError

# Those that Kurita et al. 2019 ran.
_DEFAULT = ("weat1", "weat3", "weat6", "weat7", "weat8")


class Family(StrEnum):
    SENTENCE = "target is attribute"
    WORDS = "target attribute"


def lpbs(
    model: Model,
    tests: Tests = None,
    family: Annotated[
        Family, typer.Option(help="The template that joins a target and an attribute.")
    ] = Family.SENTENCE,
    p_value: How = PValue.EXACT,
    level: Level = 0.95,
    alpha: Alpha = 0.01,
    seed: Seed = 0,
    device: Device = None,
    dtype: Dtype = None,
    cache: Cache = True,
    lang: Lang = "en",
    as_json: Json = False,
) -> None:
    """Log Probability Bias Score: does an attribute make one group of targets likelier than the other?

    By default the tests of Kurita et al. 2019: WEAT 1, 3, 6, 7 and 8.
    """
    from rich.text import Text

    from tiltmeter.measure.lpbs import lpbs as measure
    from tiltmeter.metrics.multiplicity import holm
    from tiltmeter.report.tables import number, p_text

    opened = open_model(model, device=device, dtype=dtype, cache=cache)
    measured = []
    for test in chosen_tests(tests or list(_DEFAULT), lang):
        try:
            measured.append(measure(opened, test, family=family.value, p_value=p_value.value, level=level, seed=seed))
        except InputError as error:
            if tests:
                raise
            say(Text(f"skipped {error}", style="dim"))
    if not measured:
        raise InputError(
            f"{opened.name} can score the words of none of the tests.",
            hint=f"The language of the tests is {lang}: is --lang right?",
        )
    if as_json:
        print_json([row.as_dict() for row in measured])
        return
    adjusted = holm([row.p_value for row in measured]).tolist()
    rows = [
        {
            "test": row.test,
            "effect size": number(row.value),
            f"{100 * level:g} % interval": f"{number(row.low)} … {number(row.high)}",
            "p-value": f"{p_text(row.p_value)}{' *' if corrected <= alpha else ''}",
            "Holm": p_text(corrected),
            "X, Y × A, B": "{X}, {Y} × {A}, {B}".format(**row.counts),
            "lost": str(len(row.lost)),
        }
        for row, corrected in zip(measured, adjusted, strict=True)
    ]
    print_rows(rows, title=f"LPBS on {opened.name}, {languages_of(measured)}", as_json=False)
    say(f"[dim]* significant at {alpha:g} after Holm's correction; p-values two-sided, over attributes[/]")
    print_lost(measured)
