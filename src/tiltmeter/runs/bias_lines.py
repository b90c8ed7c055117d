"""The experiment files of the BIAS framework (Puttick et al. 2024): lines `dataset,test,embeddings,language,model`.

A line is one test on one model. Static embeddings have no model (`None`): they are looked for where that framework
keeps them, in `models/` beside the file; word lists in `datasets/<language>/<test>/`, unless they are bundled here.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tiltmeter.errors import InputError, did_you_mean
from tiltmeter.lexicon.catalogue import association_tests, languages
from tiltmeter.lexicon.source_text import SourceText
from tiltmeter.runs.yaml_text import Place, YamlText

_METRICS = {"weat": "weat", "seat": "seat", "lpbs": "lpbs", "crows": "crows", "crowspairs": "crows"}
_STATIC = {
    "fasttext": "models/cc.{language}.300.bin",
    "word2vec": "models/GoogleNews-vectors-negative300.bin",
    "glove": "models/glove.840B.300d.txt",
}
_POOLINGS = {"bert": "cls", "bert_pooling": "target_pooled", "bert_first": "target_first", "mbert": "cls"}
_MULTILINGUAL = "google-bert/bert-base-multilingual-cased"
_SUFFIXES = (".txt", ".jsonl", ".csv", ".toml", ".json")


def spec_text(source: SourceText) -> YamlText:
    """The spec that the lines of a file stand for, each entry with the line that it came from."""
    models: dict[str, dict[str, Any]] = {}
    metrics: list[dict[str, Any]] = []
    lines: dict[Place, int] = {(): 1}
    for number, raw in enumerate(source.text.split("\n"), start=1):
        if not raw.strip() or raw.lstrip().startswith("#"):
            continue
        cells = [cell.strip() for cell in raw.split(",")]
        if len(cells) != 5:
            raise source.error(
                f"the line has {len(cells)} parts, not five.",
                line=number,
                hint="Write dataset,test,embeddings,language,model; the model may be None.",
            )
        dataset, test, embeddings, language, model = cells
        metric = _known(source, number, "test", re.sub(r"[^a-z]", "", test.lower()), _METRICS)
        given = _model(source, number, embeddings, language, model, lm=metric in ("lpbs", "crows"))
        label = given["name"]
        if label not in models:
            lines[("models", len(models))] = number
            models[label] = given
        entry: dict[str, Any] = {"metric": metric, "models": [label]}
        if metric == "crows":
            found = _file(source, dataset, language, test)
            entry |= {} if found is None else {"pairs": found}
        else:
            entry["tests"] = [_test(source, number, dataset, language, test)]
        lines[("metrics", len(metrics))] = number
        metrics.append(entry)
    if not metrics:
        raise source.error("holds no experiment.", hint="Write dataset,test,embeddings,language,model on a line.")
    return YamlText(source, {"models": list(models.values()), "metrics": metrics}, lines)


def _known(source: SourceText, line: int, what: str, name: str, known: dict[str, str]) -> str:
    if name not in known:
        hint = did_you_mean(name, known) or f"There are: {', '.join(known)}."
        raise source.error(f"there is no {what} {name!r:.60}.", line=line, hint=hint)
    return known[name]


def _model(source: SourceText, line: int, embeddings: str, language: str, model: str, *, lm: bool) -> dict[str, Any]:
    named = model if model.lower() not in ("", "none") else None
    kind = embeddings.lower()
    if kind in _STATIC:
        path = named or _STATIC[kind].format(language=language)
        return {"path": path, "name": f"{embeddings} {language}", "kind": "static", "language": language}
    pooling = _known(source, line, "kind of embeddings", kind, _POOLINGS | {one: one for one in _STATIC})
    path = named or (_MULTILINGUAL if kind == "mbert" else "")
    if not path:
        raise source.error(f"{embeddings} needs a model.", line=line, hint="Name it in the fifth place.")
    if lm:
        return {"path": path, "name": f"{path} {language}", "kind": "masked", "language": language}
    name = f"{path} {pooling} {language}"
    return {"path": path, "name": name, "kind": "encoder", "pooling": pooling, "language": language}


def _test(source: SourceText, line: int, dataset: str, language: str, test: str) -> str:
    bundled = association_tests(language) if language in languages() else {}
    plain = re.sub(r"^seat(?=weat)", "", re.sub(r"[^a-z0-9]", "", dataset.lower()))
    for name in (dataset, plain):
        if name in bundled:
            return name
    found = _file(source, dataset, language, test)
    if found is None:
        hint = did_you_mean(dataset, bundled) or f"Put it into datasets/{language}/{test}/ beside this file."
        raise source.error(f"there is no test {dataset!r:.60} in language {language!r:.20}.", line=line, hint=hint)
    return found


def _file(source: SourceText, dataset: str, language: str, test: str) -> str | None:
    base = Path(source.where).parent
    for folder in (f"datasets/{language}/{test}", f"datasets/{language}/{test.upper()}", "."):
        for suffix in ("", *_SUFFIXES):
            path = Path(folder) / f"{dataset}{suffix}"
            try:
                if (base / path).is_file() and path.suffix:
                    return path.as_posix()
            except (OSError, ValueError) as error:
                raise InputError(f"{dataset!r:.60} is no name of a file ({error}).", where=source.where) from None
    return None
