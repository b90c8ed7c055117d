"""What there is to explore: models, categories of words, and which of them sentences link."""

from __future__ import annotations

from typing import Any

import tiltmeter
from tiltmeter.explorer.explorer import Explorer
from tiltmeter.explorer.live import BRIDGE
from tiltmeter.explorer.source import Source
from tiltmeter.explorer.views import MOST_WORDS, WORD_CHARACTERS, main_kind
from tiltmeter.explorer.wire import Body, json_body
from tiltmeter.lexicon.catalogue import languages, template_sets, word_sets
from tiltmeter.lexicon.words import Role
from tiltmeter.measure.sources import SENSITIVE

MOST_K = 100
_FIRST = ("occupation", "trait", "gender")


def pairs(language: str) -> dict[str, list[list[str]]]:
    """[targets, features] that templates link, directly or by way of names."""
    if language not in languages():
        return {"indirect": [], "direct": []}
    sets, templates = word_sets(language), template_sets(language)
    categories = [name for name in sets if name != BRIDGE]
    concepts = [name for name in categories if sets[name].role is Role.CONCEPT]
    both = [(target, feature) for target in concepts for feature in categories if target != feature]
    return {
        "indirect": [
            [target, feature]
            for target, feature in both
            if f"{target}-{BRIDGE}" in templates and f"{BRIDGE}-{feature}" in templates
        ],
        "direct": [[target, feature] for target, feature in both if f"{target}-{feature}" in templates],
    }


def catalogue(explorer: Explorer) -> Body:
    """Everything that the menus of the page need."""
    sources = list(explorer.sources.values())
    language = sources[0].language
    links = pairs(language)
    used = {name for kind in links.values() for pair in kind for name in pair}
    used |= {name for source in sources for view in source.views or [] for name in view[:2]}
    sets = word_sets(language) if language in languages() else {}
    value: dict[str, Any] = {
        "version": tiltmeter.__version__,
        "languages": sorted({source.language for source in sources}),
        "models": [_model(source, used) for source in sources],
        "sets": [
            {
                "name": words.name,
                "title": words.title,
                "role": words.role.value,
                "size": len(words),
                "word_kind": main_kind(words).value,
                "source": words.source,
                "genders": {one.text: one.gender.value for one in words.words if one.gender and name != BRIDGE},
                "words": words.texts,
            }
            for name, words in sets.items()
            if name in used or name == BRIDGE
        ],
        "pairs": links,
        "sensitive": [name for name in SENSITIVE if name in sets],
        "default": default(sources[0]),
        "limits": {"words": MOST_WORDS, "word_characters": WORD_CHARACTERS, "k": MOST_K},
    }
    return json_body(value)


def _model(source: Source, used: set[str]) -> dict[str, Any]:
    return {
        "id": source.id,
        "name": source.name,
        "source": "model" if source.views is None else "run",
        "kind": source.kind,
        "language": source.language,
        "can": source.can,
        "views": None
        if source.views is None
        else [{"targets": targets, "features": features, "kind": kind} for targets, features, kind in source.views],
        "absent": {name: words for name, words in source.absent.items() if name in used},
        "absent_reason": source.absent_reason,
        "note": source.note,
    }


def default(source: Source) -> dict[str, str]:
    targets, features, sensitive = _FIRST
    views = source.views
    if views is not None and (targets, features, "indirect") not in views:
        targets, features, kind = next((view for view in views if view[2] == "indirect"), views[0])
    else:
        kind = "indirect"
    return {"model": source.id, "targets": targets, "features": features, "sensitive": sensitive, "kind": kind}
