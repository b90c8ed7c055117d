"""`tiltmeter sentences`: what a model would be given to read."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli.output import Json, Lang, print_json, say
from tiltmeter.errors import InputError, did_you_mean

if TYPE_CHECKING:
    from tiltmeter.lexicon.sampling import Sentence


def sentences(
    name: Annotated[str | None, typer.Argument(help="Name of an association test or a template set.")] = None,
    seat: Annotated[
        bool, typer.Option("--seat", help="Put a word test into the sentences of its SEAT version.")
    ] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Print at most this many.")] = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, max=100_000, help="Instead of a name: so many sentences of every kind, drawn at random."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the sample.")] = 0,
    lang: Lang = "en",
    as_json: Json = False,
) -> None:
    """Print every text that a test gives to a model, or a template set with its words filled in.

    With --sample, some sentences of all template sets, SEAT tests and pairs of a language, for a reader who speaks it.
    """
    if (name is None) == (sample is None):
        raise InputError(
            "give the name of a test or a template set, or else --sample.", hint="For example: --sample 40 --lang de"
        )
    if sample is not None and seat:
        raise InputError("--sample has SEAT sentences in it anyway.", hint="Leave --seat out.")
    if sample is not None:
        from tiltmeter.lexicon.sampling import sample as drawn

        rows: Iterator[Sentence] = iter(drawn(lang, sample, seed=seed))
    else:
        rows = _named(name or "", seat, lang)
    shown = list(itertools.islice(rows, limit))
    if as_json:
        print_json([{"set": row.words, **dataclasses.asdict(row)} for row in shown])
        return
    for row in shown:
        typer.echo(f"{row.words if sample is None else row.source}\t{row.text}")
    if sample is not None and _agrees(lang):
        say(
            "[dim]Where words have two forms, a sentence is asked in the masculine and in the feminine of every name, "
            "whoever bears it, so that grammar is not counted as bias.[/]"
        )
    if limit is not None and next(rows, None) is not None:
        say(f"[dim]stopped at {limit}; there are more[/]")


def _agrees(lang: str) -> bool:
    from tiltmeter.lexicon import catalogue

    return any(
        template.agreement for templates in catalogue.template_sets(lang).values() for template in templates.templates
    )


def _named(name: str, seat: bool, lang: str) -> Iterator[Sentence]:
    from tiltmeter.lexicon import catalogue
    from tiltmeter.lexicon.sampling import of_templates, of_test

    tests = catalogue.association_tests(lang)
    templates = catalogue.template_sets(lang)
    if name in tests:
        return of_test(tests[name], seat=seat)
    if name in templates and not seat:
        return of_templates(templates[name])
    known = [*tests] if seat else [*tests, *templates]
    raise InputError(
        f"there is no {'association test' if seat else 'association test or template set'} named {name!r} "
        f"for language {lang!r}.",
        hint=did_you_mean(name, known) or "`tiltmeter list tests` and `tiltmeter list templates` show what there is.",
    )
