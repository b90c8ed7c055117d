"""What a request may ask: each function turns the parameters of one address into the task that answers it.

The parameters' types are the schema that the server publishes, and the first check of what comes in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from fastapi import Depends, Query, Request

from tiltmeter.explorer import cells, comparison, maps, tables, vocabulary
from tiltmeter.explorer.catalogue import MOST_K
from tiltmeter.explorer.computations import Task
from tiltmeter.explorer.explorer import Explorer
from tiltmeter.explorer.layouts import Method
from tiltmeter.explorer.problems import RefusalError
from tiltmeter.explorer.views import MOST_WORDS, ScoreKind, Typed, View, typed_word, typed_words
from tiltmeter.explorer.wire import Body
from tiltmeter.lexicon.catalogue import languages, word_sets
from tiltmeter.measure.sources import SENSITIVE, sensitive_sets

_SENTENCE = 300
_CATEGORIES = 12

Name = Annotated[str, Query(min_length=1, max_length=100)]
Words = Annotated[list[str], Query(description=f"words as they were typed, at most {MOST_WORDS} of them")]
WordQuery = Annotated[str, Query(min_length=1, max_length=200)]
Categories = Annotated[list[str], Query(max_length=_CATEGORIES)]
ModelId = Annotated[str | None, Query(max_length=100, description="id from the catalogue; by default the first")]


async def explorer_(request: Request) -> Explorer:
    explorer: Explorer = request.app.state.explorer
    return explorer


async def view_(
    explorer: Annotated[Explorer, Depends(explorer_)],
    model: ModelId = None,
    targets: Name = "occupation",
    features: Name = "trait",
    kind: ScoreKind = "indirect",
    add_name: Words = [],  # noqa: B006 - FastAPI copies it
) -> View:
    """The view that a request is about."""
    source = explorer.source(model if model is not None else next(iter(explorer.sources)))
    names = typed_words(add_name, "names")[0] if kind == "indirect" else ()
    return View(source.id, targets, features, kind, names)


async def typed_(add_target: Words = [], add_feature: Words = []) -> Typed:  # noqa: B006
    return Typed(typed_words(add_target, "targets")[0], typed_words(add_feature, "features")[0])


Here = Annotated[Explorer, Depends(explorer_)]
Shown = Annotated[View, Depends(view_)]
Added = Annotated[Typed, Depends(typed_)]


async def table(explorer: Here, view: Shown, add_name: Words = []) -> Task[Body]:  # noqa: B006
    """All scores of a view, in binary."""
    return tables.table(explorer, view, typed_words(add_name, "names")[1] if view.kind == "indirect" else ())


async def words(
    explorer: Here,
    view: Shown,
    typed: Added,
    add_target: Words = [],  # noqa: B006
    add_feature: Words = [],  # noqa: B006
    profile_name: Words = [],  # noqa: B006
) -> Task[Body]:
    """Scores of typed words alone, and why others have none."""
    names, no_names = typed_words(profile_name, "names")
    odd = (*typed_words(add_target, "targets")[1], *typed_words(add_feature, "features")[1], *no_names)
    return tables.words(explorer, view, typed, names, odd)


async def cell(explorer: Here, view: Shown, target: WordQuery, feature: WordQuery) -> Task[Body]:
    """One score, and what is behind it."""
    return cells.cell(explorer, view, typed_word(target, "a target"), typed_word(feature, "a feature"))


async def sources(
    explorer: Here,
    view: Shown,
    target: WordQuery,
    feature: WordQuery,
    sensitive: Categories = [],  # noqa: B006
) -> Task[Body]:
    """What explains one score."""
    if view.kind == "direct":
        raise RefusalError(
            409, "not_here", "direct scores have no bridge, and so no sources.", hint="Use kind=indirect."
        )
    pair = typed_word(target, "a target"), typed_word(feature, "a feature")
    language = explorer.source(view.model).language
    asked = _known(explorer, view, sensitive) or (sensitive_sets(language) if language in languages() else ())
    return cells.sources(explorer, view, *pair, asked)


async def map_(
    explorer: Here,
    view: Shown,
    typed: Added,
    method: Method = "pca",
    by: Categories = [],  # noqa: B006
) -> Task[Body]:
    """Targets on a map, and the attributes that explain it."""
    return maps.map_(explorer, view, typed, method, _known(explorer, view, by) or _default_by(view))


async def discover(
    explorer: Here, view: Shown, target: WordQuery, k: Annotated[int, Query(ge=1, le=MOST_K)] = 15
) -> Task[Body]:
    """Words of the whole vocabulary that lean most."""
    return vocabulary.discover(explorer, view, typed_word(target, "a target"), k)


async def compare(
    explorer: Here,
    view: Shown,
    typed: Added,
    other: Annotated[str, Query(alias="with", min_length=1, max_length=100, description="a model's id, or direct")],
) -> Task[Body]:
    """Two models, or direct and indirect scores, in binary."""
    return comparison.compare(explorer, view, typed, other)


async def blanks(
    explorer: Here,
    a: Annotated[str, Query(min_length=1, max_length=_SENTENCE)],
    b: Annotated[str, Query(min_length=1, max_length=_SENTENCE)],
    model: ModelId = None,
    k: Annotated[int, Query(ge=1, le=MOST_K)] = 50,
    words: Name = "vocabulary",
) -> Task[Body]:
    """What fills the blank of two sentences."""
    source = explorer.source(model if model is not None else next(iter(explorer.sources)))
    if words != "vocabulary" and words not in _sets(source.language):
        raise RefusalError(404, "unknown_set", f"there is no category {words!r}.", hint="See the catalogue.")
    return vocabulary.blanks(explorer, source.id, a, b, k, words)


async def summary(
    explorer: Here,
    view: Shown,
    target: Annotated[str | None, Query(max_length=200)] = None,
    feature: Annotated[str | None, Query(max_length=200)] = None,
    sensitive: Annotated[str | None, Query(max_length=100)] = None,
) -> Task[Body]:
    """What is shown, in one sentence."""
    if (target is None) != (feature is None):
        raise RefusalError(422, "invalid", "a cell has a target and a feature.", hint="Give both, or none.")
    if sensitive is not None:
        _known(explorer, view, [sensitive])
    pair = [None if one is None else typed_word(one, "a cell") for one in (target, feature)]
    return cells.summary(explorer, view, pair[0], pair[1], sensitive)


Ask = Callable[..., Any]
ASKED: dict[str, Ask] = {
    "table": table,
    "words": words,
    "cell": cell,
    "sources": sources,
    "map": map_,
    "discover": discover,
    "compare": compare,
    "blanks": blanks,
    "summary": summary,
}
BINARY_ONES: tuple[Literal["table", "compare"], ...] = ("table", "compare")


def _known(explorer: Explorer, view: View, names: list[str]) -> tuple[str, ...]:
    """Categories as they were named, each once; an error names one that there is not."""
    source = explorer.source(view.model)
    known = set(_sets(source.language)) | {name for one in source.views or [] for name in one[:2]}
    for name in names:
        if name not in known:
            raise RefusalError(404, "unknown_set", f"there is no category {name[:60]!r}.", hint="See the catalogue.")
    return tuple(dict.fromkeys(names))


def _sets(language: str) -> tuple[str, ...]:
    return tuple(word_sets(language)) if language in languages() else ()


def _default_by(view: View) -> tuple[str, ...]:
    return tuple(dict.fromkeys((view.features, SENSITIVE[0])))
