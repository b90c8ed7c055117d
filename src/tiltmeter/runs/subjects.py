"""Which tests a metric of a spec is measured on: those that are named, or those that it is meant for."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tiltmeter.errors import InputError, did_you_mean
from tiltmeter.lexicon.catalogue import association_tests, languages, multiclass_tests, template_set, word_set
from tiltmeter.lexicon.foreign import read_tests
from tiltmeter.lexicon.pairs import pair_set, read_pairs
from tiltmeter.lexicon.tests import AssociationTest, MulticlassTest
from tiltmeter.runs.job import Matrix, Subject
from tiltmeter.runs.spec import Crows, Direct, Indirect, SpecFile
from tiltmeter.runs.yaml_text import Place

Test = AssociationTest | MulticlassTest

_MULTICLASS = ("bayes", "mac")  # metrics of distances to the stereotypes of several classes
# Those that Kurita et al. 2019 ran.
LPBS_TESTS = ("weat1", "weat3", "weat6", "weat7", "weat8")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A subject and where it was named; `optional` where it was not, or by a pattern."""

    subject: Subject
    optional: bool
    place: Place


def subjects(file: SpecFile, number: int, metric: Any, lang: str) -> Iterator[Chosen]:
    """What the metric at place `number` of a spec is measured on, in models of a language."""
    place: Place = ("metrics", number)
    match metric:
        case Crows():
            yield from _pairs(file, metric, lang, place)
        case Indirect() | Direct():
            try:
                yield Chosen(_matrix(metric, lang), optional=False, place=place)
            except InputError as error:
                raise _at(file, place, error) from None
        case _:
            yield from _tests(file, metric, lang, place)


def _tests(file: SpecFile, metric: Any, lang: str, place: Place) -> Iterator[Chosen]:
    own = metric.tests is not None
    names, base = (metric.tests, (*place, "tests")) if own else (file.spec.tests, ("tests",))
    if names is None:
        for test in _usual(metric.metric, lang):
            yield Chosen(test, optional=True, place=place)
        return
    for number, name in enumerate(names):
        here = (*base, number)
        in_sentences = name.startswith("sent-")
        for test, by_name in _named(file, name.removeprefix("sent-"), lang, here):
            if fits(metric.metric, test) and (metric.metric == "seat" or not in_sentences):
                yield Chosen(test, optional=not by_name, place=here)
            elif own and by_name:
                raise file.error(f"{metric.metric} cannot be measured on {name!r:.60}.", here, _takes(metric.metric))


def fits(metric: str, test: Test) -> bool:
    """Whether a metric can be measured on a test: sentences are SEAT's, several classes those of a few metrics."""
    if isinstance(test, MulticlassTest):
        return metric in _MULTICLASS
    return metric == "seat" or not test.has_sentences


def _takes(metric: str) -> str:
    if metric in _MULTICLASS:
        return "It takes multiclass tests, and association tests of words."
    return "It takes association tests" + ("." if metric == "seat" else " of words; take seat for sentences.")


def _usual(metric: str, lang: str) -> Sequence[Test]:
    association, multiclass = _bundled(lang)
    if metric in _MULTICLASS:
        return list(multiclass.values())
    if metric == "lpbs":
        return [association[name] for name in LPBS_TESTS if name in association]
    return [test for test in association.values() if fits(metric, test)]


def _bundled(lang: str) -> tuple[Mapping[str, AssociationTest], Mapping[str, MulticlassTest]]:
    return (association_tests(lang), multiclass_tests(lang)) if lang in languages() else ({}, {})


def _named(file: SpecFile, name: str, lang: str, place: Place) -> Iterator[tuple[Test, bool]]:
    """The tests of a name, a pattern or a file, and whether each was named itself."""
    association, multiclass = _bundled(lang)
    bundled: dict[str, Test] = {**association, **multiclass}
    if name in bundled:
        yield bundled[name], True
        return
    if any(sign in name for sign in "*?["):
        found = [test for known, test in bundled.items() if fnmatch.fnmatchcase(known, name)]
        files = sorted(file.base.glob(name)) if _is_glob(name) else []
        if not found and not files:
            raise file.error(f"no test matches {name!r:.60}.", place, "See `tiltmeter list tests`.")
        yield from ((test, False) for test in found)
        for path in files:
            yield from ((test, False) for test in _read(file, path, lang, place))
        return
    path = file.path(name)
    try:
        is_file = path.is_file()
    except (OSError, ValueError):
        is_file = False
    if not is_file:
        hint = did_you_mean(name, bundled) or "Give the name of a bundled test (`tiltmeter list tests`), or a file."
        raise file.error(f"there is no test {name!r:.60} in language {lang!r:.20}.", place, hint)
    yield from ((test, True) for test in _read(file, path, lang, place))


def _is_glob(pattern: str) -> bool:
    """Whether a pattern can be one of files, in the folder of the spec or in one below it that it names."""
    path = Path(pattern)
    return "." in pattern and not path.is_absolute() and ".." not in path.parts and "**" not in pattern


def _read(file: SpecFile, path: Path, lang: str, place: Place) -> tuple[AssociationTest, ...]:
    try:
        return _read_once(path, lang)
    except InputError as error:
        raise _at(file, place, error) from None


@cache
def _read_once(path: Path, lang: str) -> tuple[AssociationTest, ...]:
    return read_tests(path, lang)


def _pairs(file: SpecFile, metric: Crows, lang: str, place: Place) -> Iterator[Chosen]:
    try:
        found = pair_set(lang) if metric.pairs is None else read_pairs(file.path(metric.pairs), lang)
    except InputError as error:
        if metric.pairs is None and place not in file.text.lines:  # nobody asked for it
            return
        raise _at(file, place, error) from None
    yield Chosen(found, optional=False, place=place)


def _matrix(metric: Indirect | Direct, lang: str) -> Matrix:
    targets, features = word_set(metric.targets, lang), word_set(metric.features, lang)
    if isinstance(metric, Direct):
        return Matrix(targets, features, template_set(metric.templates or f"{targets.name}-{features.name}", lang))
    bridge = word_set(metric.bridge, lang)
    return Matrix(
        targets,
        features,
        template_set(metric.to_target or f"{targets.name}-{bridge.name}", lang),
        bridge,
        template_set(metric.to_feature or f"{bridge.name}-{features.name}", lang),
    )


def _at(file: SpecFile, place: Place, error: InputError) -> InputError:
    return file.error(str(InputError(error.message, where=error.where, line=error.line)), place, error.hint)
