"""`tiltmeter weat` and `tiltmeter seat`: association tests on a model."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.output import Json, LangOfModel, print_json, print_rows, say
from tiltmeter.errors import InputError

if TYPE_CHECKING:
    from tiltmeter.lexicon.tests import AssociationTest
    from tiltmeter.measurement import Measurement


class PValue(StrEnum):
    EXACT = "exact"
    SAMPLED = "sampled"
    NORMAL = "normal"


Model = Annotated[
    str, typer.Argument(help="A file of vectors, a model's folder, a name on the Hugging Face hub, or demo:de-static.")
]
Tests = Annotated[
    list[str] | None, typer.Argument(help="Names of bundled tests, or files with your own. Default: all that fit.")
]
Tsv = Annotated[Path | None, typer.Option("--tsv", help="Also write the nine-column table of May et al. 2019 here.")]
How = Annotated[PValue, typer.Option("--p-value", help="How p-values are computed.")]
TwoSided = Annotated[bool, typer.Option("--two-sided", help="Count partitions as extreme on either side.")]
Level = Annotated[float, typer.Option(min=0.5, max=0.999, help="Level of the intervals.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of everything drawn at random.")]
Alpha = Annotated[float, typer.Option(min=0.0, max=1.0, help="Level of the Holm marks over the whole table.")]
Pooling = Annotated[
    str | None,
    typer.Option(help="How an encoder's tokens become a vector: cls, mean, last, max, target_first, target_pooled."),
]
Layer = Annotated[int | None, typer.Option(help="Hidden layer of an encoder; -1 is the last.")]


def weat(
    model: Model,
    tests: Tests = None,
    tsv: Tsv = None,
    p_value: How = PValue.EXACT,
    two_sided: TwoSided = False,
    level: Level = 0.95,
    alpha: Alpha = 0.01,
    seed: Seed = 0,
    pooling: Pooling = None,
    layer: Layer = None,
    lang: LangOfModel = None,
    as_json: Json = False,
) -> None:
    """Word Embedding Association Test: do the targets X go with A, and Y with B?

    Effect sizes with intervals over words, exact p-values, and how often such lists show as much without bias.
    """
    from tiltmeter.models.named import language_of

    given = chosen_tests(tests, lang or language_of(model))
    chosen = given if tests else [test for test in given if not test.has_sentences]
    _run(model, chosen, False, tsv, p_value, two_sided, level, alpha, seed, pooling, layer, as_json, not tests)


def seat(
    model: Model,
    tests: Tests = None,
    tsv: Tsv = None,
    p_value: How = PValue.EXACT,
    two_sided: TwoSided = False,
    level: Level = 0.95,
    alpha: Alpha = 0.01,
    seed: Seed = 0,
    pooling: Pooling = None,
    layer: Layer = None,
    lang: LangOfModel = None,
    as_json: Json = False,
) -> None:
    """Sentence Encoder Association Test: the same question, asked of whole sentences.

    Word tests are put into bland sentences ("This is a nurse."); tests made of sentences are taken as they are.
    """
    from tiltmeter.models.named import language_of

    _run(
        model,
        chosen_tests(tests, lang or language_of(model)),
        True,
        tsv,
        p_value,
        two_sided,
        level,
        alpha,
        seed,
        pooling,
        layer,
        as_json,
        not tests,
    )


def chosen_tests(names: list[str] | None, lang: str) -> list[AssociationTest]:
    """Bundled tests by name, those in a file by its path; all bundled ones where none is named."""
    from tiltmeter.lexicon.catalogue import association_test, association_tests
    from tiltmeter.lexicon.foreign import read_tests

    if not names:
        return list(association_tests(lang).values())
    tests: list[AssociationTest] = []
    for name in names:
        bare = name.removeprefix("sent-")
        if bare not in association_tests(lang) and (Path(name).exists() or Path(name).suffix):
            tests += read_tests(Path(name), lang)
        else:
            tests.append(association_test(bare, lang))
    return tests


def _run(
    model: str,
    tests: list[AssociationTest],
    in_sentences: bool,
    tsv: Path | None,
    p_value: PValue,
    two_sided: bool,
    level: float,
    alpha: float,
    seed: int,
    pooling: str | None,
    layer: int | None,
    as_json: bool,
    skip_unfit: bool,
) -> None:
    from rich.progress import track
    from rich.text import Text

    from tiltmeter.cli.output import console
    from tiltmeter.lexicon.seat import seat_test
    from tiltmeter.measure.association import all_passages, weat
    from tiltmeter.models.load import load
    from tiltmeter.report.tables import association_rows, write_association_tsv

    options: dict[str, Any] = {"pooling": pooling, "layer": layer}
    embedder = load(model, **{name: value for name, value in options.items() if value is not None})
    given = [seat_test(test) if in_sentences and not test.has_sentences else test.passages() for test in tests]
    embedder.prepare(all_passages(given))
    measured: list[Measurement] = []
    for test, sentences in track(
        list(zip(tests, given, strict=True)), "testing", console=console(stderr=True), transient=True, disable=as_json
    ):
        try:
            result = weat(
                embedder,
                sentences if in_sentences else test,
                p_value=p_value.value,
                alternative="two-sided" if two_sided else "greater",
                level=level,
                seed=seed,
            )
        except InputError as error:
            if not skip_unfit:
                raise
            say(Text(f"skipped {error}", style="dim"))
            continue
        measured.append(result.measurement())
    if not measured:
        raise InputError(
            f"{embedder.name} has the words of none of the tests.",
            hint=f"Their language is {', '.join(sorted({test.language for test in tests}))}: is --lang right?",
        )
    if tsv is not None:
        write_association_tsv(tsv, measured)
        say(Text(f"wrote {tsv}", style="dim"))
    if as_json:
        print_json([row.as_dict() for row in measured])
        return
    title = f"{measured[0].metric.upper()} on {embedder.name}, {languages_of(measured)}"
    print_rows(association_rows(measured, alpha=alpha), title=title, as_json=False)
    say(
        f"[dim]* significant at {alpha:g} after Holm's correction over these {len(measured)} tests; "
        "'without bias': how often such lists show as much by chance[/]"
    )
    if any(row.details["p_value_words"] != row.p_value for row in measured):
        say("[dim]sentences of one word are not independent: 'p by word' permutes whole words[/]")
    print_lost(measured)


def languages_of(measured: list[Measurement]) -> str:
    """The languages of the rows, for a title."""
    return "language " + ", ".join(sorted({row.language for row in measured}))


def print_lost(measured: list[Measurement]) -> None:
    """Which words took no part, and why."""
    from rich.text import Text

    lost: dict[tuple[str, str], dict[str, None]] = {}
    for row in measured:
        for each in row.lost:
            lost.setdefault((each.word, each.reason), {})[f"{row.test} {each.where}"] = None
    for (word, reason), where in list(lost.items())[:20]:
        places = ", ".join(list(where)[:6]) + (" …" if len(where) > 6 else "")
        say(Text(f"lost {word!r}: {reason} ({places})", style="dim"))
    if len(lost) > 20:
        say(f"[dim]and {len(lost) - 20} more; --json names them all[/]")
