"""A whole debiasing: fit, write, measure before and after, and report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tiltmeter.debias.before_after import AFTER, LEANING, BeforeAfter, Report, asked_words, compare_vectors
from tiltmeter.debias.construction import Construction, construction
from tiltmeter.debias.fit import LINEAR, METHODS, TAKES, check_options, fit
from tiltmeter.debias.leaning import Leaning, leaning
from tiltmeter.debias.originals import originals, protect
from tiltmeter.debias.rewrite import number_type, refuse_parts, rewrite, written
from tiltmeter.debias.sample import Sample, sample_of_file, sample_of_models
from tiltmeter.debias.step_by_step import step_by_step
from tiltmeter.debias.subspace import defined, directions
from tiltmeter.debias.transform import Debiaser
from tiltmeter.debias.vocabulary import ArrayVocabulary, FileVocabulary, spelled
from tiltmeter.errors import InputError, ModelError
from tiltmeter.lexicon.debias import Bias
from tiltmeter.metrics.association import Array
from tiltmeter.models._streams import Stream
from tiltmeter.models._vector_formats import open_reader
from tiltmeter.models.load import kind_of, lm_kind_of, load, load_lm
from tiltmeter.models.named import path_of
from tiltmeter.models.projection import SUFFIX, Place, ProjectedEmbedder, Projection, split

PROJECTION = "projection"  # the only method for encoders and masked models
Progress = Callable[[int, int], None]


def place_of(model: str, at: Place | None) -> Place | None:
    """Where a model is projected: at the blank if it fills blanks, else at its vectors of sentences; None for files."""
    if kind_of(model) != "encoder":
        if at is not None:
            raise ModelError(f"{model} is a file of vectors, and has no {at} to be projected at. Leave out --at.")
        return None
    if split(model)[1] is not None:
        raise ModelError(f"{model} has a projection already, and takes no second one. Give the model without it.")
    if at is not None:
        return at
    try:
        return "blank" if lm_kind_of(model) == "masked" else "sentence"
    except ModelError:
        return "sentence"


def debias_file(
    model: str, out: Path, bias: Bias, method: str, *, progress: Progress | None = None, **options: Any
) -> Debiaser:
    """Fit a method to a file of vectors and write the debiased copy."""
    path = path_of(model)
    if method not in LINEAR:
        with Stream(path) as stream:
            refuse_parts(open_reader(stream), path)
    fitted = fit(FileVocabulary(path, model, progress), bias, method, progress=progress, **options)
    rewrite(path, out, fitted, progress)
    return fitted


def check_places(model: str, out: Path, report: Path | None, read: Sequence[Path] = ()) -> None:
    """Refuse to write over, or into, what is read: the model, and further files of the user's."""
    from tiltmeter.report.debias_page import DATA_FILE, PAGE_FILE

    known = originals(model)
    outs = [out] if known[0].is_dir() else written(known[0], out)
    pages = [] if report is None else [report / name for name in (PAGE_FILE, DATA_FILE)]
    protect([*outs, *pages], [*known, *read])


def said_of_files(model: str, out: Path) -> str:
    """Which files a debiased copy is, and of what form."""
    first, *others = written(path_of(model), out)
    with Stream(first) as stream:
        form = open_reader(stream).form
    words = f", with its words in {others[0]}" if others else ""
    return f"wrote {first} ({form}, {number_type(first)}, as {model} is){words}"


def report_on_file(
    model: str,
    out: Path,
    bias: Bias,
    fitted: Debiaser,
    folder: Path,
    *,
    chosen: Sequence[str] = (),
    bayes: bool = True,
    seed: int = 0,
    tell: Report = lambda _: None,
) -> BeforeAfter:
    """Measure a file and its debiased copy, and write the report."""
    from tiltmeter.report.debias_figures import steps
    from tiltmeter.report.debias_page import write_debiasing

    tell("reading the words")
    vocabulary = FileVocabulary(path_of(model), model)
    sample = sample_of_file(vocabulary, fitted, asked_words(bias))
    leaned, direction = _leaning(sample, bias)
    before, after, numbers = load(model), load(out), number_type(out)
    found = compare_vectors(
        before,
        after,
        bias,
        sample,
        leaned,
        construction(fitted, bias),
        title=f"{Path(model).name}, {bias.name}: {fitted.method}",
        numbers=numbers,
        bayes=bayes,
        seed=seed,
        tell=tell,
    )
    found = replace(
        found,
        settings=_settings(model, bias, fitted.method, before, after) | {"numbers": numbers} | dict(fitted.settings),
    )
    known = vocabulary.find({way for word in chosen for way in spelled(word)})
    missing = [word for word in chosen if not any(way in known for way in spelled(word))]
    followed = [f"words to follow: not in the vocabulary: {', '.join(missing)}"] if missing else []
    found = replace(found, remarks=(*found.remarks, *_lost(fitted), *followed))
    tell("figures")
    seen, sides, pairs = step_by_step(vocabulary, fitted, bias, leaned, direction, chosen)
    drawn = {"step-by-step": lambda: steps(seen, sides, pairs, bias.classes)} if seen else {}
    write_debiasing(folder, found, drawn)
    return found


def debias_model(
    model: str, out: Path, bias: Bias, at: Place, *, dimensions: int | None = None, **options: Any
) -> Projection:
    """Fit a projection to an encoder or a masked model, and write it to a small file."""
    from tiltmeter.debias.templates import fit_projection

    if out.suffix != SUFFIX:
        raise InputError(
            f"does not end in {SUFFIX}, as a projection must to be found again.",
            where=out,
            hint=f"Write to {out.name}{SUFFIX}.",
        )
    protect([out], originals(model))
    opened: Any = load_lm(model, kind="masked", **options) if at == "blank" else load(model, kind="encoder", **options)
    made = fit_projection(opened, bias, at=at, dimensions=dimensions)
    made.write(out)
    return made


def report_on_model(
    model: str,
    out: Path,
    bias: Bias,
    made: Projection,
    folder: Path,
    *,
    bayes: bool = True,
    seed: int = 0,
    tell: Report = lambda _: None,
    **options: Any,
) -> BeforeAfter:
    """Measure a model with and without its projection, and write the report.

    Of a masked model only words of one token are scored, unless `several_tokens` says otherwise: longer ones multiply
    the passes. Those that are lost are named.
    """
    from tiltmeter.report.debias_page import write_debiasing

    title = f"{Path(model).name}, {bias.name}: projection at the {made.at}"
    if made.at == "blank":
        from tiltmeter.debias.before_after_lm import compare_masked

        options = {"several_tokens": False, **options}
        before: Any = load_lm(model, kind="masked", **options)
        after: Any = load_lm(f"{model}+{out}", kind="masked", **options)
        found = compare_masked(
            before, after, bias, title=title, dimensions=len(made.directions), bayes=bayes, seed=seed, tell=tell
        )
    else:
        before = load(model, kind="encoder", **options)
        after = ProjectedEmbedder(before, made, AFTER)
        tell("reading the words")
        sample = sample_of_models(before, after, asked_words(bias))
        leaned, _ = _leaning(sample, bias)
        found = compare_vectors(
            before,
            after,
            bias,
            sample,
            leaned,
            Construction(PROJECTION, made.directions.astype(np.float64)),
            title=title,
            in_sentences=True,
            bayes=bayes,
            seed=seed,
            tell=tell,
        )
    found = replace(found, settings=_settings(model, bias, PROJECTION, before, after) | dict(made.settings))
    tell("figures")
    write_debiasing(folder, found)
    return found


def check_method(method: str | None, at: Place | None, given: Sequence[str] = ()) -> str:
    """The method for a kind of model: hard debiasing of files, and a projection of all else, unless told otherwise.

    Options that were `given` and that it does not listen to are refused.
    """
    if at is None:
        chosen = method or next(iter(METHODS))
        if chosen in TAKES:
            check_options(chosen, given)
        return chosen
    if method not in (None, PROJECTION):
        raise ModelError(
            f"the method {method!r:.40} changes a vocabulary of vectors, and this model computes its vectors from "
            "sentences. Leave out --method: the model gets a projection."
        )
    for option in given:
        if option != "dimensions":
            raise ModelError(f"the projection of a model takes no {option!r}. It takes: 'dimensions'.")
    return PROJECTION


def _leaning(sample: Sample, bias: Bias) -> tuple[Leaning, Array]:
    """The words that lean furthest before, and the direction."""
    vocabulary = ArrayVocabulary(sample.words, sample.before, "the words of the comparison")
    words = defined(vocabulary, bias)
    found = directions(words, "pca", None)
    most = max(LEANING if len(sample.words) > 8 * LEANING else len(sample.words) // 8, 1)
    return leaning(vocabulary, words, found, most, among=len(sample.words)), np.asarray(found[0], dtype=np.float64)


def _settings(model: str, bias: Bias, method: str, before: Any, after: Any) -> dict[str, Any]:
    return {
        "model": model,
        "bias": bias.name,
        "method": method,
        "definitions": bias.source,
        "fingerprint_before": before.fingerprint,
        "fingerprint_after": after.fingerprint,
    }


def _lost(fitted: Debiaser) -> list[str]:
    """The defining words that took no part, by reason."""
    by_reason: dict[tuple[str, str], list[str]] = {}
    for one in fitted.lost:
        by_reason.setdefault((one.where, one.reason), []).append(one.word)
    return [f"{where}: {reason}: {', '.join(dict.fromkeys(words))}" for (where, reason), words in by_reason.items()]
