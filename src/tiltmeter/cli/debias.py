"""`tiltmeter debias`: take a bias out of a model, and show what that did."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tiltmeter.cli.language_models import Seed
from tiltmeter.cli.output import Json, LangOfModel, print_json, say
from tiltmeter.errors import InputError


def debias(
    model: Annotated[
        str, typer.Argument(help="A file of vectors; or the folder or name of an encoder or masked model.")
    ],
    out: Annotated[
        Path,
        typer.Option("--out", "-o", help="What to write: debiased vectors, or a projection (.safetensors) of a model."),
    ],
    bias: Annotated[str, typer.Option("--bias", "-b", help="Which bias: gender, race, religion.")] = "gender",
    method: Annotated[
        str | None,
        typer.Option("--method", "-m", help="Files: hard (default), soft, projection, inlp, double-hard."),
    ] = None,
    subspace: Annotated[
        str | None, typer.Option(help="Files: how the bias is found: pca (default), means or classifier.")
    ] = None,
    dimensions: Annotated[
        int | None, typer.Option(min=1, help="Of the bias subspace; by default one less than there are classes.")
    ] = None,
    strength: Annotated[
        float | None, typer.Option(min=0.0, help="soft: weight λ of the bias against all similarities, by default 0.2.")
    ] = None,
    sums: Annotated[
        bool, typer.Option("--sums", help="soft: λ as in the source, of sums over words in place of means: far weaker.")
    ] = False,
    rounds: Annotated[
        int | None, typer.Option(min=1, max=1000, help="inlp: classifiers that it trains at most, by default 35.")
    ] = None,
    at: Annotated[
        str | None, typer.Option(help="Models: project at the 'blank' of a masked model, or the 'sentence' vectors.")
    ] = None,
    definitions: Annotated[
        Path | None, typer.Option(help="Your own definitions, a TOML file like the lexicon's debias.toml.")
    ] = None,
    keep: Annotated[Path | None, typer.Option(help="Files: more words that are left as they are, one a line.")] = None,
    report: Annotated[
        Path | None, typer.Option("--report", help="Folder of the report. By default beside --out, named after it.")
    ] = None,
    no_report: Annotated[bool, typer.Option("--no-report", help="Write the debiased model alone.")] = False,
    no_bayes: Annotated[
        bool, typer.Option("--no-bayes", help="Leave the Bayesian estimate out of the report.")
    ] = False,
    words: Annotated[str, typer.Option(help="Files: words to follow step by step in a figure, with commas.")] = "",
    several_tokens: Annotated[
        bool,
        typer.Option("--several-tokens", help="Masked models: score also words of several tokens in the report. Slow."),
    ] = False,
    seed: Seed = 0,
    lang: LangOfModel = None,
    as_json: Json = False,
) -> None:
    """Take a bias out of a model, and show before and after: what fell, what can still be recovered, what it cost.

    Vectors: a debiased copy of the file, in its form. Encoders and masked models: a small file with a projection; any
    command measures the debiased model under the name MODEL+FILE.safetensors.
    """
    from rich.text import Text

    from tiltmeter.debias import run
    from tiltmeter.lexicon import debias as lexicon
    from tiltmeter.lexicon.foreign import read_word_set
    from tiltmeter.models.named import language_of
    from tiltmeter.models.progress import progress_bar
    from tiltmeter.report.debias_page import differences_of, findings

    if at not in (None, "blank", "sentence"):
        raise InputError(f"--at is {at!r:.40}.", hint="Write blank or sentence.")
    lang = lang or language_of(model)
    given = lexicon.bias(bias, lang) if definitions is None else lexicon.read_bias(definitions, bias, lang)
    place = run.place_of(model, at)  # type: ignore[arg-type]
    asked: dict[str, Any] = {"subspace": subspace, "dimensions": dimensions, "strength": strength, "sums": sums or None}
    asked |= {"rounds": rounds, "keep": keep}
    options = {name: value for name, value in asked.items() if value is not None}
    chosen = run.check_method(method, place, list(options))
    folder = report or out.with_name(f"{out.name}.report")
    run.check_places(model, out, None if no_report else folder, [path for path in (definitions, keep) if path])
    if keep is not None:
        options["keep"] = read_word_set(keep, lang=lang).texts

    def tell(what: str) -> None:
        say(Text(what, style="dim"))

    more: dict[str, Any] = {"bayes": not no_bayes, "seed": seed, "tell": tell}
    found = None
    if place is None:
        with progress_bar(f"Debiasing {Path(model).name}") as bar:
            fitted = run.debias_file(model, out, given, chosen, progress=bar, seed=seed, **options)
        tell(f"{chosen} debiasing of {given.title.lower()}: {run.said_of_files(model, out)}")
        if not no_report:
            picked = [word.strip() for word in words.split(",") if word.strip()]
            found = run.report_on_file(model, out, given, fitted, folder, chosen=picked, **more)
    else:
        made = run.debias_model(model, out, given, place, **options)
        tell(f"wrote {out}: use it as {model}+{out}")
        if not no_report:
            how: dict[str, Any] = {"several_tokens": several_tokens} if place == "blank" else {}
            found = run.report_on_model(model, out, given, made, folder, **more, **how)
    if found is None:
        return
    tell(f"wrote {folder / 'debias.html'}")
    if as_json:
        sides = {side: [row.as_dict() for row in getattr(found, side)] for side in ("before", "after")}
        print_json({**sides, "differences": differences_of(found), "remarks": list(found.remarks)})
        return
    for title, sentences in findings(found).items():
        typer.echo(f"{title}\n" + "".join(f"- {sentence}\n" for sentence in sentences))
