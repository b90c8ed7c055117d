"""What an explorer is started with: folders of runs and models, as they were named on the command line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from tiltmeter.errors import InputError
from tiltmeter.explorer.comparison import DIRECT
from tiltmeter.explorer.finished import FinishedModel
from tiltmeter.explorer.live import LiveModel
from tiltmeter.explorer.source import Named, Source
from tiltmeter.models.lm import LanguageModel
from tiltmeter.models.named import PREFIX, training_counts
from tiltmeter.runs.results import MANIFEST, read_run

LEAST = 100
_HASH = re.compile(r"[0-9a-f]{64}")
_MATRICES = ("indirect", "direct")

Open = Callable[[str], LanguageModel]


def offered(names: Sequence[str], open_model: Open, *, language: str = "en", least: int = LEAST) -> list[Source]:
    """A source for each model, and for each model of each run. `open_model` loads a language model.

    Of a model in the box it is known how often it met each word: those met fewer than `least` times are left out.
    """
    found: list[Source] = []
    for name in names:
        folder = Path(name)
        taken = {DIRECT, *(one.id for one in found)}
        if (folder / MANIFEST).is_file() or (folder / "jobs").is_dir():
            found += finished(folder, taken)
        else:
            model = open_model(name)
            short = folder.name if folder.exists() else model.name
            counts = training_counts(name) if name.startswith(PREFIX) else None
            found.append(
                LiveModel(slug(short, taken), model, language=language, name=short, counts=counts, least=least)
            )
    _tell_apart(found)
    return found


def _tell_apart(found: Sequence[Source]) -> None:
    """A run and its model, or two folders of one name, stand in one menu."""
    names = Counter(one.name for one in found)
    for one in found:
        if names[one.name] > 1 and isinstance(one, FinishedModel):
            one.name = f"{one.name} (run {one.folder.name})"
    names = Counter(one.name for one in found)
    for one in found:
        if names[one.name] > 1:
            one.name = f"{one.name} ({one.id})"


def finished(folder: Path, taken: set[str]) -> list[FinishedModel]:
    """The models of a run that have matrices of scores."""
    run = read_run(folder)
    files: dict[str, dict[Named, Path]] = {}
    for job in run.manifest.get("jobs", ()):
        if job.get("metric") not in _MATRICES or not job.get("arrays") or not _HASH.fullmatch(str(job.get("hash"))):
            continue
        targets, _, features = str(job.get("test")).partition(" × ")
        path = folder / "arrays" / f"{job['hash']}.safetensors"
        files.setdefault(str(job.get("model")), {})[targets, features, job["metric"]] = path
    if not files:
        raise InputError(
            "the run has no matrices of scores to explore.", where=folder,
            hint="Add the metric indirect or direct to its spec, and run it again.",
        )  # fmt: skip
    kinds = {str(one.get("name")): str(one.get("kind", "")) for one in run.manifest.get("models", ())}
    found = []
    for name, of_model in files.items():
        found.append(FinishedModel(slug(name, taken), name, run, of_model, kinds.get(name, "")))
        taken.add(found[-1].id)
    return found


def slug(name: str, taken: set[str]) -> str:
    """A short name for addresses that no other has."""
    base = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:60] or "model"
    number, found = 2, base
    while found in taken:
        found, number = f"{base}-{number}", number + 1
    return found
