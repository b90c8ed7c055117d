"""What a model is, before it is loaded: its kind, its fingerprint, and what it is called in tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tiltmeter.errors import InputError, ModelError
from tiltmeter.models import gguf_file, huggingface, projection
from tiltmeter.models.load import kind_of, lm_kind_of, load
from tiltmeter.models.named import language_of, path_of
from tiltmeter.models.sentence_transformers import is_pipeline, read_pipeline
from tiltmeter.runs.spec import MODEL_OPTIONS, ModelSpec, SpecFile

LANGUAGE_MODELS = ("masked", "causal")


def location(file: SpecFile, spec: ModelSpec) -> str:
    """A path beside the spec, if there is such a thing, else the name or path as it is written; so of a projection."""

    def found(path: str) -> str:
        beside = file.path(path)
        return str(beside) if _exists(beside) else path

    model, plus, projected = spec.path.rpartition("+")
    if model and projected.endswith(projection.SUFFIX) and not _exists(file.path(spec.path)):
        return found(model) + plus + found(projected)
    return found(spec.path)


def label(spec: ModelSpec, path: str) -> str:
    """What tables call a model: its name, that of its file or folder, or that on the hub; and that of a projection."""
    if spec.name:
        return spec.name
    bare, projected = parts(path)
    is_path = (not projected and path != spec.path) or Path(bare).is_absolute() or _exists(Path(bare))
    name = Path(bare).resolve().name if is_path else bare
    return f"{name}+{projected}" if projected else name


def parts(path: str) -> tuple[str, str]:
    """A model, and the name of its projection, if it has one; both may have vanished since an earlier run."""
    try:
        bare, file = projection.split(path)
    except InputError:
        bare, _, gone = path.rpartition("+")
        return bare, Path(gone).name
    return bare, "" if file is None else file.name


def language(path: str, spec: ModelSpec, file: SpecFile) -> str:
    """That of the words a model is asked about: what the spec says, or else that of a demo model."""
    if spec.language is not None:
        return spec.language
    return file.spec.language if "language" in file.spec.model_fields_set else language_of(path)


def kind(path: str, spec: ModelSpec) -> str:
    """The kind that the spec says, or else that the files show; a language model is one if it has its head."""
    if spec.kind is not None:
        return spec.kind
    path, projected = projection.split(path)
    if projected is not None and projection.read_projection(projected).at == "sentence":
        return "encoder"
    if gguf_file.is_gguf(path):
        return "causal"
    found = kind_of(path)
    if found != "encoder":
        return found
    source = _source(spec)
    if is_pipeline(huggingface.folder_of(path, **source)):
        return "encoder"
    try:
        return lm_kind_of(path, **source)
    except ModelError:
        return "encoder"


def fingerprint(path: str, kind: str, spec: ModelSpec) -> str:
    """The fingerprint that the model will have once it is loaded, found without loading its weights."""
    bare, file = projection.split(path)
    if file is not None:
        return projection.read_projection(file).fingerprint_of(fingerprint(bare, kind, spec))
    if kind in ("static", "precomputed"):
        place = path_of(path)
        if place.exists() and not place.is_file() and not place.is_dir():  # a pipe says once what a run reads twice
            raise InputError("is not a regular file.", where=place, hint="Save it as a file first.")
        return load(path, kind=kind).fingerprint
    if gguf_file.is_gguf(path):
        return gguf_file.fingerprint(Path(path))
    folder = huggingface.folder_of(path, **_source(spec))
    folders = read_pipeline(folder).folders if kind == "encoder" and is_pipeline(folder) else (folder,)
    return huggingface.fingerprint(folder, folders)


def option_names(kind: str) -> tuple[str, ...]:
    """The options that a model of this kind may have; a language model may serve as an encoder too."""
    also = MODEL_OPTIONS["encoder"] if kind in LANGUAGE_MODELS else ()
    return tuple(dict.fromkeys((*MODEL_OPTIONS[kind], *also)))


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long, or a NUL
        return False


def _source(spec: ModelSpec) -> dict[str, Any]:
    return {"revision": spec.revision, "trust_remote_code": bool(spec.trust_remote_code)}
