"""All sources that can be replicated, and the one way to do it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tiltmeter.errors import InputError, did_you_mean
from tiltmeter.replicate import caliskan2017, dobrzeniecka, lpbs, may2019, nangia2020, thesis
from tiltmeter.replicate.at_hand import choose
from tiltmeter.replicate.record import Record, place_of
from tiltmeter.replicate.source import Request, Source
from tiltmeter.replicate.tables import Replicated, summary, write_tsv
from tiltmeter.runs.run import Watcher

SOURCES: Mapping[str, Source] = {
    source.name: source
    for source in (
        caliskan2017.SOURCE,
        may2019.SOURCE,
        lpbs.KURITA,
        lpbs.PUTTICK,
        nangia2020.SOURCE,
        thesis.SOURCE,
        dobrzeniecka.SOURCE,
    )
}


@dataclass(frozen=True, slots=True)
class Replication:
    """What came out of doing a source's experiment again."""

    source: Source
    folder: Path
    models: tuple[str, ...]
    told: str  # what a reader must know of the models
    tables: tuple[Replicated, ...]

    def summary(self) -> str:
        """How many of the published figures of all tables came out."""
        return summary(each for table in self.tables for each in table.figures)


def replicate(
    name: str,
    folder: Path | str,
    *,
    models: Sequence[str] = (),
    data: Path | None = None,
    parts: Sequence[str] = (),
    seed: int = 0,
    watcher: Watcher | None = None,
) -> Replication:
    """Run the experiment of a source, and set what it printed beside what is measured.

    `models` are yours; by default those of the source that are on this machine, or else the demo model. `data` is what
    the source names, such as a file of sentence pairs. The run folder gets `replication.tsv` beside its measurements,
    and `replication.json`, which says what was replicated on what.
    """
    source = named(name)
    for part in parts:
        if part not in source.parts:
            known = f"It has: {', '.join(source.parts)}." if source.parts else "It is done as a whole."
            raise InputError(f"{name} has no part {part!r:.40}.", hint=did_you_mean(part, source.parts) or known)
    if data is not None and not source.data:
        raise InputError(f"{name} takes no --data.", hint="Leave it out.")
    if data is not None and not Path(data).expanduser().exists():
        raise InputError("there is no such file or folder.", where=data)
    request = Request((), Path(folder), data, tuple(parts), seed, watcher)
    if models and data is not None and (source.data_is_model or not source.needs_model(request)):
        raise InputError(f"{name} takes --data or --model, not both.", hint="Leave one of them out.")
    if models and not source.needs_model(request):
        raise InputError(f"{' and '.join(parts)} of {name} takes no --model.", hint="Leave it out.")
    told = ""
    if source.needs_model(request):
        chosen = choose(source, models, data)
        request, told = replace(request, models=chosen.models), chosen.told
    record = Record(
        source=name,
        models=tuple(place_of(model) for model in request.models),
        data=None if data is None else str(Path(data).expanduser().resolve()),
        parts=tuple(parts or source.parts),
        seed=seed,
        told=told,
    )
    record.refuse_another(request.folder)
    tables = tuple(source.run(request))
    write_tsv(request.folder, tables)
    record.write(request.folder)
    return Replication(source, request.folder, request.models, told, tables)


def named(name: str) -> Source:
    """The source of this name."""
    if name not in SOURCES:
        near = did_you_mean(name, SOURCES) or f"There are: {', '.join(SOURCES)}."
        raise InputError(f"there is no replication named {name!r:.60}.", hint=near)
    return SOURCES[name]
