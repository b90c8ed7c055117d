"""A path or a name becomes a model."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tiltmeter.errors import InputError, ModelError, did_you_mean
from tiltmeter.models import KINDS, LM_KINDS, huggingface, named, projection
from tiltmeter.models.base import Embedder
from tiltmeter.models.json_file import read_json
from tiltmeter.models.lm import LanguageModel
from tiltmeter.models.precomputed import SUFFIXES as PRECOMPUTED_SUFFIXES

# owner/name, or the bare name of the hub's oldest models.
_HUB_NAME = re.compile(r"(?:\w[\w.-]*/)?\w[\w.-]*", re.ASCII)
# No model of the hub is called like a file.
_FILE = re.compile(
    r"\.(txt|vec|bin|npz?|parquet|jsonl?|gz|xz|zip|bz2|safetensors|kv|model|gguf|csv|tsv|h5|pt|pkl)$", re.I
)
_KIND_NAMES = tuple(kind.name for kind in KINDS)
_LM_KIND_NAMES = tuple(kind.name for kind in LM_KINDS)
# How the class that a model was saved from ends, and what such a model is. XLNet predicts any position from all others.
_HEADS = {
    "ForMaskedLM": "masked",
    "ForPreTraining": "masked",
    "XLNetLMHeadModel": "masked",
    "ForCausalLM": "causal",
    "LMHeadModel": "causal",
}


def load(name_or_path: str | Path, *, kind: str | None = None, **options: Any) -> Embedder:
    """The model in a file or folder, or of that name: in the box (`demo:en`), fetched by `tiltmeter pull`, or on the
    Hugging Face hub.

    `kind` ("static", "encoder" or "precomputed") is seen from what is there, unless given; `options` are those of
    `StaticEmbedding.open`, `HuggingFaceEncoder.open` and `Precomputed.open`.
    """
    name = str(Path(name_or_path).expanduser()) if str(name_or_path).startswith("~") else str(name_or_path)
    if kind is not None and kind not in _KIND_NAMES:
        near = did_you_mean(kind, _KIND_NAMES) or f"There are: {', '.join(_KIND_NAMES)}."
        raise ModelError(f"no kind of model is called {kind!r}. {near}")
    bare, file = projection.split(name)
    if file is not None:
        return projection.ProjectedEmbedder(
            load(bare, kind=kind, **options), projection.read_projection(file), options.get("name", name)
        )
    kind = kind or kind_of(name)
    opener = _opener(kind)
    _check_options(name, kind, opener, options)
    if kind == "static" and (place := named.located(name)) is not None:
        return opener(place, **{"name": name, **options})
    return opener(name, **options)


def load_lm(name_or_path: str | Path, *, kind: str | None = None, **options: Any) -> LanguageModel:
    """The language model in a folder or GGUF file, or of that name: in the box (`demo:en`), fetched by `tiltmeter
    pull`, or on the Hugging Face hub.

    `kind` ("masked" or "causal") is seen from the model's configuration, unless given; `options` are those of
    `MaskedModel.open` and `CausalModel.open`.
    """
    name = str(Path(name_or_path).expanduser()) if str(name_or_path).startswith("~") else str(name_or_path)
    if kind is not None and kind not in _LM_KIND_NAMES:
        near = did_you_mean(kind, _LM_KIND_NAMES) or f"There are: {', '.join(_LM_KIND_NAMES)}."
        raise ModelError(f"no kind of language model is called {kind!r}. {near}")
    known = {option: options[option] for option in ("revision", "trust_remote_code") if option in options}
    kind = kind or lm_kind_of(name, **known)
    name, file = projection.split(name)
    if file is not None:
        options["projection"] = file
    opener = _lm_opener(kind)
    _check_options(name, kind, opener, options)
    return opener(name, **options)


def lm_kind_of(name: str, *, revision: str | None = None, trust_remote_code: bool = False) -> str:
    """Whether the language model under a path or a name is a masked or a causal one, by its configuration."""
    name, _ = projection.split(name)
    place = named.path_of(name)
    if place.suffix.lower() == ".gguf" and place.is_file():
        return "causal"
    if kind_of(name) != "encoder":
        raise ModelError(f"{name} is a file of vectors, not a language model. Give the folder of one, or a GGUF file.")
    huggingface.require()
    folder = huggingface.folder_of(name, revision=revision, trust_remote_code=trust_remote_code)
    if not (folder / "config.json").is_file():
        raise ModelError(f"{name}: there is no config.json beside its weights, so that its kind is unknown.")
    architectures = read_json(folder / "config.json").get("architectures")
    architecture = architectures[0] if isinstance(architectures, list) and architectures else None
    if not isinstance(architecture, str):
        raise ModelError(f"{name}: its config.json does not name its architecture. Say kind='masked' or kind='causal'.")
    for ending, kind in _HEADS.items():
        if architecture.endswith(ending):
            return kind
    raise ModelError(
        f"{name}: a {architecture} has no language modelling head, so that it cannot say how likely a word is. Give "
        "the checkpoint that has one (its architecture ends in ForMaskedLM or ForCausalLM), or say kind='masked' or "
        "kind='causal'."
    )


def _check_options(name: str, kind: str, opener: Callable[..., Any], options: Mapping[str, Any]) -> None:
    taken = inspect.signature(opener).parameters
    for option in options:
        if option not in taken:
            known = [other for other in list(taken)[1:] if taken[other].kind is inspect.Parameter.KEYWORD_ONLY]
            hint = did_you_mean(option, known) or (f"It has: {', '.join(known)}." if known else "It has none.")
            raise ModelError(f"{name} is a model of the kind {kind!r}, which has no option {option!r}. {hint}")


def kind_of(name: str) -> str:
    """Which kind of model stands under a path or a name."""
    name, _ = projection.split(name)
    path = named.path_of(name)
    try:
        if path.is_dir():
            if (path / "config.json").is_file() or (path / "modules.json").is_file():
                return "encoder"
            raise ModelError(
                f"the folder {name!r} has neither config.json (a Hugging Face model) nor modules.json "
                "(sentence-transformers). Give the folder that has one, or a file of vectors."
            )
        if path.exists():
            return "precomputed" if path.suffix.lower() in PRECOMPUTED_SUFFIXES else "static"
    except (OSError, ValueError) as error:  # a name too long, a NUL in it, a folder that may not be entered
        raise InputError(f"is no path ({error}).", where=repr(name[:100])) from None
    if _HUB_NAME.fullmatch(name) and not _FILE.search(name) and not (path.parts[1:] and path.parent.is_dir()):
        return "encoder"
    raise ModelError(f"there is no file or folder {name!r}.{_hint(path)}")


def _hint(path: Path) -> str:
    if not path.parent.is_dir():
        return f" There is no folder {str(path.parent)!r} either."
    near = did_you_mean(path.name, (entry.name for entry in path.parent.iterdir()))
    return (
        f" {near}" if near else " Give a file of vectors, a model's folder, a name on the Hugging Face hub, or demo:en."
    )


def _opener(kind: str) -> Callable[..., Embedder]:
    if kind == "static":
        from tiltmeter.models.static import StaticEmbedding

        return StaticEmbedding.open
    if kind == "precomputed":
        from tiltmeter.models.precomputed import Precomputed

        return Precomputed.open
    from tiltmeter.models.encoder import HuggingFaceEncoder

    return HuggingFaceEncoder.open


def _lm_opener(kind: str) -> Callable[..., LanguageModel]:
    if kind == "causal":
        from tiltmeter.models.causal import CausalModel

        return CausalModel.open
    from tiltmeter.models.masked import MaskedModel

    return MaskedModel.open
