"""`tiltmeter bayes`: how sure can we be, by group and by word?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.cli.output import Json, LangOfModel, print_json, print_rows, say
from tiltmeter.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tiltmeter.bayes.data import Distances
    from tiltmeter.bayes.estimates import Estimate
    from tiltmeter.bayes.fit import Posterior
    from tiltmeter.bayes.sensitivity import Shift
    from tiltmeter.lexicon.words import WordSet

Models = Annotated[
    list[str] | None, typer.Argument(help="Files of vectors, models' folders, or names on the Hugging Face hub.")
]
Tests = Annotated[
    list[str] | None,
    typer.Option("--test", "-t", help="A bundled test: religion, race, gender, weat1 …; may be given several times."),
]
Files = Annotated[
    list[Path] | None,
    typer.Option("--distances", help="A CSV file of cosine distances, instead of a model; several times for several."),
]
BeforeAfter = Annotated[
    bool, typer.Option("--before-after", help="Compare two models or files: before and after debiasing.")
]
ByWord = Annotated[bool, typer.Option("--by-word", help="Also print every protected word.")]
Sensitivity = Annotated[bool, typer.Option("--sensitivity", help="Fit again with narrower and wider priors.")]
Distinct = Annotated[bool, typer.Option("--distinct", help="Count a pair once that stands in a file several times.")]
Human = Annotated[str, typer.Option("--human", help="Human control words: a bundled word set, or a file.")]
Neutral = Annotated[str, typer.Option("--neutral", help="Neutral control words: a bundled word set, or a file.")]
Figures = Annotated[Path | None, typer.Option("--figures", help="Write figures (PNG and PDF) into this folder.")]
OfWord = Annotated[
    list[str] | None, typer.Option("--word", help="With --figures: also chart the distances of this protected word.")
]
Save = Annotated[
    Path | None, typer.Option("--save", help="Write all draws as NetCDF for ArviZ; one file for each data set.")
]
Chains = Annotated[int, typer.Option(help="Chains, each from a start of its own.")]
Draws = Annotated[int, typer.Option(help="Draws of each chain that are kept.")]
Warmup = Annotated[int, typer.Option(help="Steps before these, in which the sampler finds its stride.")]
Target = Annotated[float, typer.Option("--target-accept", help="Higher takes smaller steps, against divergences.")]
Seed = Annotated[int, typer.Option(help="Seed of everything drawn at random.")]
BarMean = Annotated[float, typer.Option("--prior-mean", help="Prior mean of the mean distances.")]
BarSd = Annotated[float, typer.Option("--prior-sd", help="Prior standard deviation of the mean distances.")]
SpreadRate = Annotated[float, typer.Option("--prior-spread-rate", help="Rate of the prior of spreads between words.")]
SigmaRate = Annotated[float, typer.Option("--prior-sigma-rate", help="Rate of the prior of spreads within words.")]


def bayes(
    models: Models = None,
    tests: Tests = None,
    files: Files = None,
    before_after: BeforeAfter = False,
    by_word: ByWord = False,
    sensitivity: Sensitivity = False,
    figures: Figures = None,
    words: OfWord = None,
    save: Save = None,
    distinct: Distinct = False,
    human: Human = "human",
    neutral: Neutral = "neutral",
    chains: Chains = 2,
    draws: Draws = 4_000,
    warmup: Warmup = 1_000,
    target_accept: Target = 0.8,
    seed: Seed = 0,
    prior_mean: BarMean = 1.0,
    prior_sd: BarSd = 0.3,
    prior_spread_rate: SpreadRate = 2.0,
    prior_sigma_rate: SigmaRate = 2.0,
    lang: LangOfModel = None,
    as_json: Json = False,
) -> None:
    """A hierarchical Bayesian estimate: how sure can we be of a bias, by group and by word?

    The cosine distances of protected words to the attributes that stereotypes link with them are compared with those to
    other attributes and to human and neutral control words. Models × tests, and files, are fitted together.
    """
    from tiltmeter.bayes.fit import fit, require
    from tiltmeter.bayes.priors import Priors
    from tiltmeter.models.named import language_of
    from tiltmeter.models.progress import progress_bar

    require()
    lang = lang or language_of(*models or [])
    priors = Priors(bar_mean=prior_mean, bar_sd=prior_sd, spread_rate=prior_spread_rate, sigma_rate=prior_sigma_rate)
    data = _data(models or [], tests or [], files or [], {"human": human, "neutral": neutral}, distinct, lang)
    if before_after and len(data) != 2:
        raise InputError(
            f"--before-after compares two data sets, not {len(data)}.",
            hint="Give two models and one test, or two files.",
        )
    for word in words or []:
        if not any(word in each.words for each in data):
            known = ", ".join(sorted({known for each in data for known in each.words}))
            raise InputError(f"no data set has the protected word {word!r}.", hint=f"There are: {known}.")
    settings: dict[str, Any] = {
        "priors": priors,
        "chains": chains,
        "draws": draws,
        "warmup": warmup,
        "seed": seed,
        "target_accept": target_accept,
    }
    with progress_bar(f"Sampling {len(data)} data set{'s' if len(data) > 1 else ''}") as report:
        posteriors = fit(data, progress=report, **settings)
    shifts: list[Shift] = []
    if sensitivity:
        from tiltmeter.bayes.sensitivity import prior_sensitivity

        with progress_bar("Sampling with other priors") as report:
            shifts = prior_sensitivity(data, progress=report, **settings)
    if save is not None:
        _save(save, posteriors)
    if figures is not None:
        _figures(figures, posteriors, words or [], before_after)
    if as_json:
        _print_json(posteriors, shifts, before_after)
        return
    for posterior in posteriors:
        _print(posterior, by_word)
    if before_after:
        from tiltmeter.bayes.estimates import changes

        print_rows(
            [_row(each, each.connection) for each in changes(*posteriors)], title="After less before", as_json=False
        )
    if shifts:
        _print_shifts(shifts)


def _data(
    models: Sequence[str],
    tests: Sequence[str],
    files: Sequence[Path],
    controls: Mapping[str, str],
    distinct: bool,
    lang: str,
) -> list[Distances]:
    from tiltmeter.bayes.embedding import distances_in, named
    from tiltmeter.bayes.reading import read_distances
    from tiltmeter.models.load import load

    if tests and not models:
        raise InputError("--test needs a model.", hint="Give a file of vectors, a model's folder, or a name.")
    if not models and not files:
        raise InputError("there is nothing to measure.", hint="Give a model and --test, or --distances FILE.csv.")
    if models and not tests:
        raise InputError("no test is given.", hint="Say which, for example: --test religion.")
    chosen = [named(test, lang) for test in tests]
    sets = {name: _word_set(given, lang) for name, given in controls.items()} if models else {}
    data = [distances_in(model, test, controls=sets) for model in map(load, models) for test in chosen]
    return [*data, *(read_distances(file, distinct=distinct, lang=lang) for file in files)]


def _word_set(given: str, lang: str) -> WordSet:
    from tiltmeter.lexicon.catalogue import word_set, word_sets
    from tiltmeter.lexicon.foreign import read_word_set

    if given not in word_sets(lang) and (Path(given).exists() or Path(given).suffix):
        return read_word_set(Path(given), lang=lang)
    return word_set(given, lang)


def _names(posteriors: Sequence[Posterior]) -> list[str]:
    """A short name for the files of each data set, different from all others."""
    from tiltmeter.report.names import file_name

    names: list[str] = []
    for posterior in posteriors:
        name = base = file_name(posterior.distances.title)
        number = 2
        while name in names:
            name, number = f"{base}-{number}", number + 1
        names.append(name)
    return names


def _save(path: Path, posteriors: Sequence[Posterior]) -> None:
    for name, posterior in zip(_names(posteriors), posteriors, strict=True):
        at = path if len(posteriors) == 1 else path.with_name(f"{path.stem}-{name}{path.suffix or '.nc'}")
        posterior.save(at)
        say(f"[dim]wrote {at}[/]")


def _figures(folder: Path, posteriors: Sequence[Posterior], words: Sequence[str], before_after: bool) -> None:
    from tiltmeter.report import bayes_figures as draw
    from tiltmeter.report.style import save

    drawn: dict[str, Figure] = {}
    for name, posterior in zip(_names(posteriors), posteriors, strict=True):
        drawn[f"{name}-connections"] = draw.by_connection(posterior)
        drawn[f"{name}-words"] = draw.by_word(posterior)
        drawn[f"{name}-predictive-check"] = draw.predictive_check(posterior)
        drawn[f"{name}-similarities"] = draw.empirical(posterior.distances)
        for word in words:
            if word in posterior.distances.words:
                drawn[f"{name}-distances-{word}"] = draw.word_distances(posterior.distances, word)
    if before_after:
        drawn["before-after"] = draw.before_and_after(*posteriors)
        drawn["before-after-similarities"] = draw.empirical(*(each.distances for each in posteriors))
    written = [path for name, made in drawn.items() for path in save(made, folder, name, ("png", "pdf"))]
    say(f"[dim]wrote {len(written)} files to {folder}[/]")


def _print_json(posteriors: Sequence[Posterior], shifts: Sequence[Shift], before_after: bool) -> None:
    from tiltmeter.bayes.summary import change_measurements, measurements, sensitivity_measurements

    rows = [row for posterior in posteriors for row in measurements(posterior)]
    if before_after:
        rows += change_measurements(*posteriors)
    print_json([row.as_dict() for row in (*rows, *sensitivity_measurements(shifts))])


def _print(posterior: Posterior, with_words: bool) -> None:
    from rich.text import Text

    from tiltmeter.bayes import estimates
    from tiltmeter.bayes.diagnostics import diagnostics
    from tiltmeter.bayes.predictive import coverage
    from tiltmeter.bayes.summary import sentence
    from tiltmeter.cli.output import console

    data = posterior.distances
    numbers = [each for each in estimates.population(posterior) if each.kind == "bar"]
    rows = [_row(each, each.connection) for each in numbers] + [
        _row(each, each.connection) for each in estimates.contrasts(posterior)
    ]
    print_rows(rows, title=f"Mean cosine distance, {data.title}", as_json=False)
    if with_words:
        of_words = [
            _row(each, f"{each.word}: {each.connection}")
            for each in sorted(
                [*estimates.by_word(posterior), *estimates.word_contrasts(posterior)],
                key=lambda each: data.words.index(each.word),
            )
        ]
        print_rows(of_words, title=f"By protected word, {data.title}", as_json=False)
    console().print(Text(sentence(posterior)), soft_wrap=True)
    console().print()
    checked = diagnostics(posterior)
    shares = ", ".join(f"{100 * each.share:.0f} % inside {100 * each.level:.0f} %" for each in coverage(posterior))
    settings = posterior.settings
    say(
        f"[dim]R-hat at most {checked.r_hat:.4f}, {checked.ess_bulk:.0f} effective draws or more (tails "
        f"{checked.ess_tail:.0f}), {checked.divergences} divergences; predictive check: {shares}; {settings['chains']} "
        f"chains × {settings['draws']} draws after {settings['warmup']}, seed {settings['seed']}[/]"
    )
    for warning in checked.warnings:
        say(Text(f"warning: {warning}", style="yellow"))
    for lost in data.lost[:20]:
        say(Text(f"lost {lost.word!r}: {lost.reason} ({lost.where})", style="dim"))
    if len(data.lost) > 20:
        say(f"[dim]and {len(data.lost) - 20} more lost words; --json names them all[/]")


def _row(each: Estimate, name: str) -> dict[str, str]:
    signed = " - " in each.connection or each.kind == "change"
    return {
        "": name.replace(" - ", " − "),
        "mean": f"{each.mean:.3f}",
        "sd": f"{each.sd:.3f}",
        "50 % interval": f"{each.low_50:.3f} … {each.high_50:.3f}",
        "89 % interval": f"{each.low:.3f} … {each.high:.3f}",
        "below 0": (f"{100 * each.below:.1f} %" if signed else ""),
        "R-hat": f"{each.r_hat:.3f}",
        "effective draws": f"{each.ess_bulk:.0f}",
    }


def _print_shifts(shifts: Sequence[Shift]) -> None:
    rows = [
        {
            "data": each.data.title,
            "contrast": each.given.connection.replace(" - ", " − "),
            "priors": f"× {each.factor:g}",
            "mean": f"{each.other.mean:.3f}",
            "89 % interval": f"{each.other.low:.3f} … {each.other.high:.3f}",
            "shift in sd": f"{each.shift:+.2f}",
            "": "depends on the prior" if each.sensitive else "",
        }
        for each in shifts
    ]
    print_rows(rows, title="Prior sensitivity: all priors narrower and wider", as_json=False)
