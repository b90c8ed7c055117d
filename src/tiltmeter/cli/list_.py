"""`tiltmeter list`: what there is to measure, and to measure with."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from tiltmeter.cli.output import Json, Lang, print_rows

# rows, the columns that a person sees, title
_Listing = tuple[list[dict[str, Any]], list[str], str]


class What(StrEnum):
    TESTS = "tests"
    SETS = "sets"
    TEMPLATES = "templates"
    METRICS = "metrics"
    MODELS = "models"


def list_(
    what: Annotated[What, typer.Argument(help="What to list.")],
    lang: Lang = "en",
    as_json: Json = False,
) -> None:
    """List the bundled tests, word sets and templates, the metrics, or the models."""
    rows, columns, title = {
        What.TESTS: _tests,
        What.SETS: _sets,
        What.TEMPLATES: _templates,
        What.METRICS: _metrics,
        What.MODELS: _models,
    }[what](lang)
    print_rows(rows, title=title, as_json=as_json, columns=columns)


def _tests(lang: str) -> _Listing:
    from tiltmeter.lexicon import catalogue

    rows: list[dict[str, Any]] = [
        {
            "name": test.name,
            "shape": "association",
            "title": test.title,
            "sizes": " ".join(str(len(words)) for words in (test.x, test.y, test.a, test.b)),
            "language": test.language,
            "source": test.source,
        }
        for test in catalogue.association_tests(lang).values()
    ] + [
        {
            "name": test.name,
            "shape": "multiclass",
            "title": test.title,
            "sizes": " ".join(str(len(test.stereotypes[name])) for name in test.classes),
            "language": test.language,
            "source": test.source,
        }
        for test in catalogue.multiclass_tests(lang).values()
    ]
    return rows, ["name", "shape", "title", "sizes"], f"Tests ({lang})"


def _sets(lang: str) -> _Listing:
    from tiltmeter.lexicon import catalogue

    rows = [
        {
            "name": words.name,
            "words": len(words),
            "role": words.role.value,
            "title": words.title,
            "language": words.language,
            "source": words.source,
        }
        for words in catalogue.word_sets(lang).values()
    ]
    return rows, ["name", "words", "role", "title"], f"Word sets ({lang})"


def _templates(lang: str) -> _Listing:
    from tiltmeter.lexicon import catalogue

    rows = [
        {
            "name": templates.name,
            "target": templates.target,
            "feature": templates.feature,
            "sentences": len(templates.sentences),
            "first": templates.templates[0].text,
            "language": templates.language,
            "source": templates.source,
        }
        for _, templates in sorted(catalogue.template_sets(lang).items())
    ]
    return rows, ["name", "target", "feature", "sentences", "first"], f"Template sets ({lang})"


def _metrics(_lang: str) -> _Listing:
    from tiltmeter.metrics import METRICS

    rows = [
        {
            "name": metric.name,
            "models": ", ".join(metric.models),
            "measures": metric.measures,
            "command": metric.command or "in Python",
            "source": metric.source,
        }
        for metric in METRICS
    ]
    return rows, ["name", "models", "measures", "command"], "Metrics"


def _models(_lang: str) -> _Listing:
    from tiltmeter.models import KINDS, LM_KINDS
    from tiltmeter.models.named import PULLABLE, demos, fetched

    rows: list[dict[str, Any]] = [
        {
            "name": model.name,
            "kind": model.kind,
            "language": model.language,
            "size": f"{model.bytes / 1e6:.1f} MB",
            "about": model.about,
            "where": "in the box",
        }
        for model in demos()
    ]
    rows += [
        {
            "name": one.name,
            "kind": one.kind,
            "language": "en",
            "size": f"{one.bytes / 1e6:.1f} MB",
            "about": one.about,
            "where": "fetched" if fetched(one) else f"tiltmeter pull {one.name}",
        }
        for one in PULLABLE.values()
    ]
    rows += [
        {
            "name": "your own",
            "kind": kind.name,
            "language": "any",
            "size": "any",
            "about": f"{kind.accepts}; for {kind.serves}",
            "where": "a path, or a name on the hub" if kind.name in ("encoder", "masked", "causal") else "a path",
        }
        for kind in (*KINDS, *LM_KINDS)
    ]
    return rows, ["name", "kind", "language", "size", "about", "where"], "Models"
