"""`tiltmeter audit`: everything that fits one model."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from tiltmeter.cli.output import Json, LangOfModel
from tiltmeter.cli.run import Report, Trust, run_spec
from tiltmeter.errors import InputError

_KINDS = ("static", "encoder", "precomputed", "masked", "causal")


def audit(
    model: Annotated[
        str, typer.Argument(help="A file of vectors, a model's folder, a name on the Hugging Face hub, or demo:en.")
    ],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The run folder. Default: audit-MODEL.")] = None,
    kind: Annotated[
        str | None, typer.Option(help="static, encoder, precomputed, masked or causal; by default seen from the files.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of everything drawn at random.")] = 0,
    report: Report = True,
    trust: Trust = False,
    lang: LangOfModel = None,
    as_json: Json = False,
) -> None:
    """Measure on one model all that fits its kind, and leave the spec behind, so that it can be done again.

    Vectors: WEAT, and SEAT for encoders. Language models: LPBS, CrowS pairs, and direct scores.
    """
    from tiltmeter.models.named import language_of
    from tiltmeter.runs.spec import parse_spec
    from tiltmeter.runs.yaml_text import yaml_from

    if kind is not None and kind not in _KINDS:
        raise InputError(f"no kind of model is called {kind!r}.", hint=f"There are: {', '.join(_KINDS)}.")
    path = Path(model).expanduser()
    name = path.resolve().name if path.exists() else model
    plain = re.sub(r"[^\w.-]+", "-", name)
    folder = out or Path(f"audit-{plain}")
    given: dict[str, Any] = {"path": str(path.resolve()) if path.exists() else model, "name": name}
    if out is None:
        _refuse_another(folder, given["path"])
    given |= {"kind": kind} if kind else {}
    given |= {"trust_remote_code": True} if trust else {}
    lines = [
        f"# tiltmeter audit: all that fits this model. Do it again with: tiltmeter run {_quoted('spec.yaml')}",
        f"title: {_quoted(f'Audit of {name}')}",
        f"language: {_quoted(lang or language_of(model))}",
        f"seed: {seed}",
        'output: "."',
        "models:",
        *(
            f"  {'-' if not number else ' '} {key}: {_quoted(value)}"
            for number, (key, value) in enumerate(given.items())
        ),
    ]
    text = yaml_from("\n".join(lines) + "\n", folder / "spec.yaml")
    run_spec(parse_spec(text), folder, report=report, trust=trust, as_json=as_json)


def _refuse_another(folder: Path, path: str) -> None:
    """Two models of one name, in different folders, would take each other's results away."""
    from tiltmeter.runs.spec import read_spec

    earlier = folder / "spec.yaml"
    if not earlier.is_file():
        return
    before = read_spec(earlier).spec.models[0].path
    if before != path:
        raise InputError(f"holds the audit of {before}.", where=folder, hint="Give another folder with --out.")


def _quoted(value: str | bool) -> str:
    """A value as YAML, which JSON is part of."""
    return json.dumps(value, ensure_ascii=False)
