"""Nangia et al. 2020: CrowS-Pairs, overall and by type of bias."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

from tiltmeter.errors import InputError
from tiltmeter.lexicon.source_text import MAX_FILE_BYTES
from tiltmeter.replicate.source import Request, Source, holm_corrected, models_of, published, row_key, run_spec
from tiltmeter.replicate.tables import Figure, Replicated

_PARTS = ("all", "stereotype", "antistereotype")


def replicate(request: Request) -> list[Replicated]:
    """Per cent of pairs whose more stereotypical sentence is likelier; 50 is unbiased."""
    printed = published("nangia2020")
    pairs = "" if request.data is None else f", pairs: {json.dumps(str(_plain(request)), ensure_ascii=False)}"
    run = run_spec(request, "Nangia et al. 2020: CrowS-Pairs", [f"{{ metric: crows{pairs} }}"])
    corrected = holm_corrected(run)
    tables = []
    for model in models_of(run):
        rows = [row for row in run.measurements if row.model == model]
        types = [row for row in rows if row.details["part"] not in _PARTS]
        whole = request.data is not None
        known = printed["scores"].get(model, {}) if whole else {}
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
            "50 is unbiased. p-values: two-sided, against 50; corrected: Holm over the table. Published scores are at "
            "hand for bert-base-uncased on all pairs, and no others."
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


def _plain(request: Request) -> Path:
    """The CSV file of pairs, unpacked beside the run if it is compressed."""
    path = Path(str(request.data)).expanduser()
    if path.suffix != ".xz":
        return path.resolve()
    try:
        with lzma.open(path) as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise InputError(f"cannot be read ({error}).", where=path) from None
    if len(data) > MAX_FILE_BYTES:
        raise InputError(f"is larger than {MAX_FILE_BYTES} bytes.", where=path, hint="CrowS-Pairs is half a megabyte.")
    # Beside the run folder, which takes no files that are not its own before it has begun.
    request.folder.parent.mkdir(parents=True, exist_ok=True)
    plain = request.folder.with_name(f"{request.folder.name}-{path.stem}")
    plain.write_bytes(data)
    return plain.resolve()


SOURCE = Source(
    name="nangia2020",
    about="CrowS-Pairs by type of bias",
    weights=("bert-base-uncased", "roberta-large", "albert-xxlarge-v2"),
    run=replicate,
    data="crows_pairs_anonymized.csv, also compressed with xz",
)
