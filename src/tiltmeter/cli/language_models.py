"""What the commands for language models have in common: their options, and how a model is opened."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from tiltmeter.models.lm import LanguageModel

Model = Annotated[
    str,
    typer.Argument(help="A model's folder, a GGUF file, a name on the Hugging Face hub, or demo:en: masked or causal."),
]
Device = Annotated[str | None, typer.Option(help="cpu, cuda ...; by default a GPU where there is one.")]
Dtype = Annotated[
    str | None,
    typer.Option(help="float32, bfloat16 or float16; by default float32, on a GPU bfloat16 (XLNet: float32)."),
]
Cache = Annotated[
    bool, typer.Option("--cache/--no-cache", help="Keep what the model computes, so that it is not computed again.")
]
WholeWords = Annotated[
    bool,
    typer.Option(
        "--whole-words",
        help="Masked models: score only words of one token, in one pass a text; the others are lost. Much faster.",
    ),
]
Level = Annotated[float, typer.Option(min=0.5, max=0.999, help="Level of the intervals.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed of everything drawn at random.")]


def cache_folder() -> Path:
    """Where states are kept: TILTMETER_CACHE, or the user's cache folder."""
    named = os.environ.get("TILTMETER_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(named) if named else Path(base) / "tiltmeter" / "states"


def open_model(
    name: str, *, device: str | None, dtype: str | None, cache: bool, whole_words: bool = False
) -> LanguageModel:
    """The model, with the options that were given."""
    from tiltmeter.models.load import load_lm

    options: dict[str, Any] = {"device": device, "dtype": dtype}
    if whole_words:
        options["several_tokens"] = False
    if cache:
        options["cache"] = cache_folder()
    return load_lm(name, **{option: value for option, value in options.items() if value is not None})
