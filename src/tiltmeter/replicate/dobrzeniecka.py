"""Dobrzeniecka & Urbaniak: posteriors, null models, and a second look at debiasing."""

from __future__ import annotations

from pathlib import Path

from tiltmeter.errors import InputError
from tiltmeter.replicate import null_models
from tiltmeter.replicate.source import Request, Source, models_of, published, run_spec, skipped
from tiltmeter.replicate.tables import Figure, Replicated

NAME = "dobrzeniecka-urbaniak"
PARTS = ("posteriors", "null-models", "debiasing")
_MEASURED = ("posteriors", "debiasing")  # on models or distances; the null models need neither
_TESTS = ("religion", "race", "gender", "weat1", "weat7")
_REDDIT = "{}_group_reddit_dataset"  # of the embedding that table 2 and section 5.2 are about


def replicate(request: Request) -> list[Replicated]:
    """From published distances where --data has them, else on models."""
    parts = request.parts or PARTS
    made: list[Replicated] = []
    if request.data is not None:
        made += _from_distances(request, Path(request.data).expanduser(), parts)
    elif set(parts) & set(_MEASURED):
        made += _on_models(request, parts)
    if "null-models" in parts:
        made.append(null_models.table(NAME, seed=request.seed))
    return made


def _from_distances(request: Request, folder: Path, parts: tuple[str, ...]) -> list[Replicated]:
    from tiltmeter.bayes.fit import require
    from tiltmeter.bayes.reading import read_distances
    from tiltmeter.replicate import debiasing, posteriors

    if not folder.is_dir():
        raise InputError("is not a folder.", where=folder, hint="Give the folder with NAME.csv and NAME.posterior.csv.")
    given = posteriors.data_sets(folder)
    made = []
    if "posteriors" in parts:
        require()
        made = posteriors.replicate(request, given)
    if "debiasing" in parts:
        files = {each.name: each.distances for each in given}
        before = {
            test: {"before": read_distances(files[_REDDIT.format(test)])}
            for test in debiasing.TESTS
            if _REDDIT.format(test) in files
        }
        made += debiasing.tables("published distances, Reddit", before, seed=request.seed)
    return made


def _on_models(request: Request, parts: tuple[str, ...]) -> list[Replicated]:
    from tiltmeter.bayes.fit import require
    from tiltmeter.replicate import debiasing

    require()
    from tiltmeter.bayes.estimates import MOST

    run = run_spec(request, "Dobrzeniecka & Urbaniak", ["bayes"], tests=list(_TESTS))
    reasons = skipped(run)
    made = []
    for model, path in zip(models_of(run), request.models, strict=True):
        rows = [row for row in run.measurements if row.model == model]
        if "posteriors" in parts:
            made.append(
                Replicated(
                    title="Mean cosine distance by connection, and contrasts",
                    source=f"{published(NAME)['source']}, appendix A.1",
                    model=model,
                    columns=("test", "of"),
                    figures=(
                        *(
                            Figure.of(row, row.test, str(row.details["connection"]), digits=3)
                            for row in rows
                            if row.details["quantity"] in ("bar", "contrast")
                        ),
                        *(
                            Figure(labels=(test, "–"), published=None, measured=None, remark=reason)
                            for (of, _, test), reason in reasons.items()
                            if of == model
                        ),
                    ),
                    level=MOST,
                    note="Highest-density intervals. The paper draws these as figures and prints no numbers; "
                    "those that it publishes as files are compared with --data.",
                )
            )
        if "debiasing" in parts:
            found = {
                test: debiasing.before_and_after(path, test)
                for test in debiasing.TESTS
                if (model, "bayes", test) not in reasons
            }
            made += debiasing.tables(model, found, seed=request.seed)
    return made


SOURCE = Source(
    name=NAME,
    about="Bayesian estimates of cosine distances, null models, debiasing",
    weights=("reddit.txt", "GoogleNews-vectors-negative300.bin"),
    run=replicate,
    parts=PARTS,
    data="the folder with the published distances and posteriors",
    demo="demo:en-static",
    needs_model=lambda request: request.data is None and bool(set(request.parts or PARTS) & set(_MEASURED)),
)
