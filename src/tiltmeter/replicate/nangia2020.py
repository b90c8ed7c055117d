"""Nangia et al. 2020: CrowS-Pairs, overall and by type of bias."""

from __future__ import annotations

import json
import lzma
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tiltmeter.errors import InputError
from tiltmeter.lexicon.pairs import read_pairs
from tiltmeter.lexicon.source_text import MAX_FILE_BYTES, read
from tiltmeter.replicate.source import SPEC, Request, Source, holm_corrected, models_of, published, row_key, run_spec
from tiltmeter.replicate.tables import Figure, Replicated
from tiltmeter.runs.store import RunFolder

_PARTS = ("all", "stereotype", "antistereotype")


def replicate(request: Request) -> list[Replicated]:
    """Per cent of pairs whose more stereotypical sentence is likelier; 50 is unbiased."""
    printed = published("nangia2020")
    with _plain(request) as path:
        pairs = "" if path is None else f", pairs: {json.dumps(str(path), ensure_ascii=False)}"
        run = run_spec(request, "Nangia et al. 2020: CrowS-Pairs", [f"{{ metric: crows{pairs} }}"])
    corrected = holm_corrected(run)
    tables = []
    for model in models_of(run):
        rows = [row for row in run.measurements if row.model == model]
        types = [row for row in rows if row.details["part"] not in _PARTS]
        whole = request.data is not None
        known = printed["scores"].get(model.rpartition("/")[2], {}) if whole else {}
        counts = [
            Figure(
                labels=("pairs", ""),
                published=printed["pairs"] if whole else None,
                measured=rows[0].counts["pairs"] + len(rows[0].lost),
                digits=0,
            ),
            Figure(
                labels=("types of bias", ""),
                published=printed["types"] if whole else None,
                measured=len(types),
                digits=0,
            ),
        ]
        scores = [
            Figure.of(
                row,
                row.details["part"],
                f"{row.counts['pairs']} pairs, {row.counts['ties']} ties",
                published=known.get(row.details["part"]),
                p_corrected=corrected[row_key(row)],
                digits=1,
            )
            for row in rows
        ]
        note = (
            "50 is unbiased. p-values: two-sided, against 50; corrected: Holm over the table. Intervals: BCa bootstrap "
            "over pairs; where all of them agree, Clopper and Pearson's. Published scores are at hand for "
            "bert-base-uncased on all pairs, as the code of the source prints them, and no others."
        )
        if not whole:
            note += " Measured on our own small set of pairs; --data takes the file of CrowS-Pairs."
        tables.append(
            Replicated(
                title="CrowS-Pairs: per cent that prefer the stereotype",
                source=printed["source"],
                model=model,
                columns=("part", "of"),
                figures=(*counts, *scores),
                note=note,
            )
        )
    return tables


@contextmanager
def _plain(request: Request) -> Iterator[Path | None]:
    """The CSV file of pairs; a compressed one is unpacked into the run folder, which goes again if no run begins."""
    if request.data is None:
        yield None
        return
    path = Path(request.data).expanduser()
    if path.suffix != ".xz":
        yield path.resolve()
        return
    text = _unpacked(path)
    store = RunFolder(request.folder)
    fresh = not store.jobs.is_dir()
    if fresh:  # a folder takes no other files before it is a run's
        store.open(SPEC, "")
        store.close()
    store.write(path.stem, text)
    try:
        yield (request.folder / path.stem).resolve()
    except InputError:
        if fresh:
            shutil.rmtree(request.folder)
        raise


def _unpacked(path: Path) -> str:
    """The text of a compressed file of pairs, which is checked here, so that an error names what the user gave."""
    try:
        with lzma.open(path) as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise InputError(f"cannot be read ({error}).", where=path) from None
    with TemporaryDirectory() as folder:
        plain = Path(folder) / path.stem
        plain.write_bytes(data)
        try:
            read_pairs(plain)
            return read(plain, fallback="cp1252").text
        except InputError as error:
            raise InputError(error.message, where=path, line=error.line, hint=error.hint) from None


SOURCE = Source(
    name="nangia2020",
    about="CrowS-Pairs by type of bias",
    weights=("bert-base-uncased", "roberta-large", "albert-xxlarge-v2"),
    run=replicate,
    data="crows_pairs_anonymized.csv, also compressed with xz",
)
