"""The model card of a static embedding, with what it scores: `python -m training.static_card README-OF-CORPORA de`.

The figures are measured on the files in the box. The words of the tests stand in `training/evaluation`, and for English
in the lexicon too; they were written before the vectors were.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from string import Template

from tiltmeter.lexicon.catalogue import association_test
from tiltmeter.lexicon.foreign import read_tests
from tiltmeter.lexicon.tests import AssociationTest
from tiltmeter.measure.association import weat
from tiltmeter.models.static import StaticEmbedding
from tiltmeter.report.tables import number, p_text

ROOT = Path(__file__).parents[1]
SPOKEN = {"de": "German", "en": "English", "fr": "French", "it": "Italian", "no": "Norwegian"}
COLLECTIONS = {
    "en": "ELTeC-eng (ed. Lou Burnard, doi 10.5281/zenodo.3462536) and ELTeC-eng-ext, "
    'https://github.com/COST-ELTeC, and "100 English novels" of computationalstylistics, '
    "https://github.com/computationalstylistics/100_english_novels, each novel once",
    "de": "ELTeC-deu (doi 10.5281/zenodo.3543243), https://github.com/COST-ELTeC/ELTeC-deu",
    "it": "ELTeC-ita, https://github.com/COST-ELTeC/ELTeC-ita",
    "no": "ELTeC-nor (doi 10.5281/zenodo.3521571), https://github.com/COST-ELTeC/ELTeC-nor",
    "fr": "ELTeC-fra, https://github.com/COST-ELTeC/ELTeC-fra",
}
LICENCE = {
    "en": "the novels are in the public domain; the markup of ELTeC is CC BY 4.0, ELTeC-eng-ext is CC0, and "
    "100 English novels states none (its texts are in the public domain by age)",
    "fr": "the novels are in the public domain, and no rights are claimed in the encoding",
}
SPELLING = {
    "no": "Norwegian of the time, in the old spelling that is close to Danish: aa for å, «kjærlighed», «sprog»; nouns "
    "with\na capital in the older half. A word in the spelling of today is often not in it, or is another word.",
    "de": "German of the time: the spelling before 1901 («Thür», «daß», «Civilisation») beside the later one.",
    "it": "Italian of the time.",
    "fr": "French of the time.",
    "en": "English of the time, mostly British («honour», «colour»).",
}
TEMPLATE = Template((Path(__file__).parent / "static_card.md").read_text(encoding="utf-8"))


def card(language: str, corpora: Path) -> str:
    """The whole text."""
    log = json.loads((ROOT / f"training/logs/{language}-static.json").read_text(encoding="utf-8"))
    novels = list(_novels(corpora, language))
    weights = ROOT / f"src/tiltmeter/models/demo/{language}-static/model.safetensors"
    embedding = StaticEmbedding.open(weights, name=f"demo:{language}-static")
    folded = ", and a capitalised noun into the small one where that is common too" if language == "no" else ""
    return TEMPLATE.substitute(
        log["recipe"],
        spoken=SPOKEN[language],
        kept=f"{log['kept']:,}",
        rarest=log["rarest"],
        tokens=f"{log['tokens'] / 1e6:.1f}",
        gensim=log["software"]["gensim"],
        collection=COLLECTIONS[language],
        licence=LICENCE.get(language, "the novels are in the public domain; the markup is CC BY 4.0"),
        spelling=SPELLING[language],
        folded=folded,
        rows="\n".join(_row(embedding, name, test) for name, test in _tests(language)),
        novels_count=len(novels),
        novels="\n".join(f"- {novel}" for novel in novels),
    )


def _tests(language: str) -> Iterator[tuple[str, AssociationTest]]:
    if language == "en":
        for name in ("weat1", "weat2", "weat6", "weat7", "weat8"):
            yield name, association_test(name)
    for test in read_tests(ROOT / f"training/evaluation/{language}.toml", language):
        yield test.name, test


def _row(embedding: StaticEmbedding, name: str, test: AssociationTest) -> str:
    measured = weat(embedding, test).measurement()
    found = "{X}, {Y} × {A}, {B}".format(**measured.counts)
    return (
        f"| {name}: {test.title} | {number(measured.value)} | {number(measured.low)} … {number(measured.high)} | "
        f"{p_text(measured.p_value)} | {found} | {', '.join(lost.word for lost in measured.lost) or '–'} |"
    )


def _novels(corpora: Path, language: str) -> Iterator[str]:
    """The titles as the README of the corpora lists them."""
    section = corpora.read_text(encoding="utf-8").split(f"\n### {language}\n", 1)[1].split("\n### ", 1)[0]
    for line in section.splitlines():
        if line.startswith("- "):
            yield line.removeprefix("- ").rpartition(" (")[0]


def main() -> None:
    corpora, *languages = sys.argv[1:]
    for language in languages:
        text = card(language, Path(corpora))
        (ROOT / f"src/tiltmeter/models/demo/{language}-static/README.md").write_text(text, encoding="utf-8")
        print("\n".join(line for line in text.splitlines() if line.startswith("|")))


if __name__ == "__main__":
    main()
