"""`tiltmeter sentences`: what a model would be given to read."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from tiltmeter.cli.output import Json, Lang, print_json, say
from tiltmeter.errors import InputError, did_you_mean
from tiltmeter.lexicon.templates import TemplateSet
from tiltmeter.lexicon.tests import AssociationTest


def sentences(
    name: Annotated[str, typer.Argument(help="Name of an association test or a template set.")],
    seat: Annotated[
        bool, typer.Option("--seat", help="Put a word test into the sentences of its SEAT version.")
    ] = False,
    limit: Annotated[int | None, typer.Option(min=1, help="Print at most this many.")] = None,
    lang: Lang = "en",
    as_json: Json = False,
) -> None:
    """Print every text that a test gives to a model, or a template set with its words filled in."""
    from tiltmeter.lexicon import catalogue

    tests = catalogue.association_tests(lang)
    templates = catalogue.template_sets(lang)
    if name in tests:
        rows = _of_test(tests[name], seat)
    elif name in templates and not seat:
        rows = _of_templates(templates[name])
    else:
        known = [*tests] if seat else [*tests, *templates]
        raise InputError(
            f"there is no {'association test' if seat else 'association test or template set'} named {name!r} "
            f"for language {lang!r}.",
            hint=did_you_mean(name, known)
            or "`tiltmeter list tests` and `tiltmeter list templates` show what there is.",
        )
    shown = list(itertools.islice(rows, limit))
    if as_json:
        print_json(shown)
        return
    for row in shown:
        typer.echo(f"{row['set']}\t{row['text']}")
    if limit is not None and next(rows, None) is not None:
        say(f"[dim]stopped at {limit}; there are more[/]")


def _of_test(test: AssociationTest, seat: bool) -> Iterator[dict[str, Any]]:
    from tiltmeter.lexicon.seat import seat_test

    sides = (seat_test(test) if seat else test).texts()
    for role, texts in zip("XYAB", sides, strict=True):
        for text in texts:
            yield {"set": role, "text": text}


def _of_templates(templates: TemplateSet) -> Iterator[dict[str, Any]]:
    from tiltmeter.lexicon import catalogue

    targets = catalogue.word_set(templates.target, templates.language)
    features = catalogue.word_set(templates.feature, templates.language)
    for template in templates.templates:
        for target, feature in itertools.product(targets.words, features.words):
            text = template.fill({"target": target, "feature": feature})
            if text is not None:
                yield {"set": f"{target} × {feature}", "text": text}
