"""`tiltmeter wefat`, `rnd`, `ect` and `mac`: the kin of WEAT."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tiltmeter.cli.association import Alpha, Level, Model, Pooling, Seed, Tests, chosen_tests, languages_of, print_lost
from tiltmeter.cli.output import Json, LangOfModel, print_json, print_rows, say
from tiltmeter.errors import InputError

if TYPE_CHECKING:
    from tiltmeter.lexicon.tests import AssociationTest, MulticlassTest
    from tiltmeter.measurement import Measurement


def wefat(
    model: Model,
    tests: Tests = None,
    level: Level = 0.95,
    alpha: Alpha = 0.01,
    seed: Seed = 0,
    pooling: Pooling = None,
    lang: LangOfModel = None,
    as_json: Json = False,
) -> None:
    """Word Embedding Factual Association Test: with which of A and B does each single word go?

    One row a word of X and Y: how much nearer it stands to A than to B, with an exact p-value and an interval.
    """
    from tiltmeter.measure.kin import wefat as measured

    _run(model, tests, measured, level, alpha, seed, pooling, lang, as_json)


def rnd(
    model: Model,
    tests: Tests = None,
    level: Level = 0.95,
    alpha: Alpha = 0.01,
    seed: Seed = 0,
    pooling: Pooling = None,
    lang: LangOfModel = None,
    as_json: Json = False,
) -> None:
    """Relative norm distance: are the words of X, and those of Y, nearer to the mean of A or of B?

    Positive where they are nearer to B. The p-value asks how often A and B, dealt out anew, show as much.
    """
    from tiltmeter.measure.kin import relative_norm_distance

    _run(model, tests, relative_norm_distance, level, alpha, seed, pooling, lang, as_json)


def ect(
    model: Model,
    tests: Tests = None,
    level: Level = 0.95,
    alpha: Alpha = 0.01,
    seed: Seed = 0,
    pooling: Pooling = None,
    lang: LangOfModel = None,
    as_json: Json = False,
) -> None:
    """Embedding coherence test: do A and B rank the words of X and Y alike? 1: they do.

    The p-value asks how often A and B, dealt out anew, are as incoherent.
    """
    from tiltmeter.measure.kin import embedding_coherence

    def measured(*given: Any, **options: Any) -> list[Measurement]:
        return [embedding_coherence(*given, **options)]

    _run(model, tests, measured, level, alpha, seed, pooling, lang, as_json)


def mac(
    model: Model,
    tests: Tests = None,
    level: Level = 0.95,
    seed: Seed = 0,
    pooling: Pooling = None,
    lang: LangOfModel = None,
    as_json: Json = False,
) -> None:
    """Mean average cosine distance of protected words to stereotypes, beside that to human and neutral words.

    By default of the multiclass tests: gender, race, religion. There is no p-value: see `tiltmeter bayes`.
    """
    from tiltmeter.bayes.embedding import named
    from tiltmeter.lexicon.catalogue import multiclass_tests
    from tiltmeter.measure.mac import mac as measured
    from tiltmeter.models.named import language_of

    language = lang or language_of(model)
    given = [named(test, language) for test in tests] if tests else list(multiclass_tests(language).values())
    rows = _rows(model, given, measured, pooling, skip_unfit=not tests, as_json=as_json, level=level, seed=seed)
    _print(model, rows, 0.0, as_json)


def _run(
    model: str,
    tests: list[str] | None,
    measured: Callable[..., list[Measurement]],
    level: float,
    alpha: float,
    seed: int,
    pooling: str | None,
    lang: str | None,
    as_json: bool,
) -> None:
    from tiltmeter.models.named import language_of

    given = [test for test in chosen_tests(tests, lang or language_of(model)) if not test.has_sentences or tests]
    for test in given:
        if test.has_sentences:
            raise InputError("is made of sentences.", where=f"test {test.name}", hint="Take `tiltmeter seat` for it.")
    rows = _rows(model, given, measured, pooling, skip_unfit=not tests, as_json=as_json, level=level, seed=seed)
    _print(model, rows, alpha, as_json)


def _rows(
    model: str,
    tests: Sequence[AssociationTest | MulticlassTest],
    measured: Callable[..., list[Measurement]],
    pooling: str | None,
    *,
    skip_unfit: bool,
    as_json: bool,
    **options: Any,
) -> list[Measurement]:
    from rich.progress import track
    from rich.text import Text

    from tiltmeter.cli.output import console
    from tiltmeter.lexicon.tests import AssociationTest
    from tiltmeter.measure.association import all_passages
    from tiltmeter.models.load import load

    embedder = load(model, **({} if pooling is None else {"pooling": pooling}))
    embedder.prepare(all_passages([test.passages() for test in tests if isinstance(test, AssociationTest)]))
    rows: list[Measurement] = []
    for test in track(tests, "testing", console=console(stderr=True), transient=True, disable=as_json):
        try:
            rows += measured(embedder, test, **options)
        except InputError as error:
            if not skip_unfit:
                raise
            say(Text(f"skipped {error}", style="dim"))
    if not rows:
        raise InputError(
            f"{embedder.name} has the words of none of the tests.",
            hint=f"Their language is {', '.join(sorted({test.language for test in tests}))}: is --lang right?",
        )
    return rows


def _print(model: str, rows: list[Measurement], alpha: float, as_json: bool) -> None:
    from tiltmeter.metrics.multiplicity import holm
    from tiltmeter.report.labels import label
    from tiltmeter.report.meanings import meaning
    from tiltmeter.report.sections import counted
    from tiltmeter.report.tables import number, p_text

    if as_json:
        print_json([row.as_dict() for row in rows])
        return
    of = meaning(rows[0].metric)
    adjusted = holm([row.p_value for row in rows]).tolist()
    tested = any(map(math.isfinite, adjusted))
    table = [
        {
            "test": label(row),
            of.quantity: number(row.value, of.digits),
            f"{100 * row.level:g} % interval": f"{number(row.low, of.digits)} … {number(row.high, of.digits)}",
            **({"p-value": f"{p_text(row.p_value)}{' *' if p <= alpha else ''}", "Holm": p_text(p)} if tested else {}),
            "words": counted(row),
            "lost": str(len(row.lost)),
        }
        for row, p in zip(rows, adjusted, strict=True)
    ]
    print_rows(table, title=f"{of.name} on {model}, {languages_of(rows)}", as_json=False)
    if tested:
        say(f"[dim]* significant at {alpha:g} after Holm's correction over these {len(rows)} rows[/]")
    print_lost(rows)
