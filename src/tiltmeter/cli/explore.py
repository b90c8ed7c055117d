"""`tiltmeter explore`: see the lean of a model or a run in the browser."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli.language_models import Cache, Device, Dtype, open_model
from tiltmeter.cli.output import Lang, say
from tiltmeter.errors import InputError

if TYPE_CHECKING:
    from tiltmeter.models.lm import LanguageModel

_DEMO = "demo:en"


def explore(
    what: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[RUN|MODEL]...",
            help="Folders of runs, and models; by default the bundled demo model. Or one file of vectors.",
        ),
    ] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the address in the browser.")] = True,
    host: Annotated[
        str, typer.Option(help="Address to listen on. On any but this machine's own, a token is demanded.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port to listen on; 0 takes a free one.")] = 0,
    token: Annotated[
        str | None, typer.Option(help="Demand this token (16 letters and digits or more); made up where needed.")
    ] = None,
    called: Annotated[
        list[str] | None, typer.Option("--called", help="A further name by which the server may be called; repeatable.")
    ] = None,
    several_tokens: Annotated[
        bool, typer.Option("--several-tokens", help="Masked models: score words of several tokens too. Much slower.")
    ] = False,
    least: Annotated[
        int, typer.Option(min=0, help="Models in the box: leave out words that they met less often in training.")
    ] = 100,
    device: Device = None,
    dtype: Dtype = None,
    cache: Cache = True,
    lang: Lang = "en",
) -> None:
    """Explore indirect and direct associations in the browser: table, map, names, and what explains them.

    Of a file of word vectors: what debiasing does to chosen words, step by step.
    """
    try:
        from tiltmeter.explorer.offer import offered
        from tiltmeter.explorer.server import Settings, listen, serve
    except ModuleNotFoundError as error:
        raise InputError(
            f"the explorer needs the package {error.name!r}.", hint="Install it: pip install 'tiltmeter[explorer]'."
        ) from None
    from tiltmeter.lexicon.catalogue import word_sets

    word_sets(lang)  # says so if there are none
    names = what or [_DEMO]
    load = functools.partial(_load, device=device, dtype=dtype, cache=cache, whole_words=not several_tokens)

    def ready(address: str) -> None:
        typer.echo(address)
        say("The explorer is at this address; stop it with Ctrl+C.")
        if browser:
            import threading
            import webbrowser

            # Some browsers (BROWSER=lynx) are waited for, and this one waits for a server that does not answer yet.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    settings = Settings(host, port, token, tuple(called or ()))
    vectors = [name for name in names if _is_vectors(name)]
    if not vectors:
        serve(offered(names, load, language=lang, least=least), settings, ready)
        return
    if len(names) > 1:
        raise InputError(
            "is a file of word vectors, which is explored alone: what debiasing does to its words, step by step.",
            where=vectors[0],
            hint="Name it without the others.",
        )
    from tiltmeter.explorer.debiasing import Stage, create_steps_app

    stage = Stage(vectors[0], lang)
    listen(lambda hosts, demanded: create_steps_app(stage, hosts=hosts, token=demanded), settings, ready)


def _is_vectors(name: str) -> bool:
    from tiltmeter.models.load import kind_of
    from tiltmeter.models.named import path_of
    from tiltmeter.models.projection import split

    bare, projected = split(name)
    return projected is None and path_of(bare).is_file() and kind_of(bare) == "static"


def _load(name: str, *, device: str | None, dtype: str | None, cache: bool, whole_words: bool) -> LanguageModel:
    """Causal models score words of several tokens anyway, and have no such choice."""
    from tiltmeter.models.load import lm_kind_of

    masked = lm_kind_of(name) == "masked"
    return open_model(name, device=device, dtype=dtype, cache=cache, whole_words=whole_words and masked)
