"""Tiltmeter measures social bias in word embeddings and language models, and says how sure it is."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from tiltmeter.errors import InputError, ModelError, TiltmeterError
    from tiltmeter.lexicon.catalogue import association_test, template_set, word_set
    from tiltmeter.lexicon.foreign import read_tests, read_word_set
    from tiltmeter.lexicon.pairs import pair_set, read_pairs
    from tiltmeter.measure.association import AssociationResult, seat, weat
    from tiltmeter.measure.crows import crows
    from tiltmeter.measure.discovery import discover
    from tiltmeter.measure.lpbs import lpbs
    from tiltmeter.measure.scores import direct, indirect
    from tiltmeter.measure.sources import explain
    from tiltmeter.measurement import Lost, Measurement
    from tiltmeter.models.load import load, load_lm

# The public surface. Each name is imported when it is first used, so that `import tiltmeter` stays quick.
_PUBLIC = {
    "InputError": "tiltmeter.errors",
    "ModelError": "tiltmeter.errors",
    "TiltmeterError": "tiltmeter.errors",
    "AssociationResult": "tiltmeter.measure.association",
    "seat": "tiltmeter.measure.association",
    "weat": "tiltmeter.measure.association",
    "load": "tiltmeter.models.load",
    "read_pairs": "tiltmeter.lexicon.pairs",
    "pair_set": "tiltmeter.lexicon.pairs",
    "lpbs": "tiltmeter.measure.lpbs",
    "load_lm": "tiltmeter.models.load",
    "indirect": "tiltmeter.measure.scores",
    "explain": "tiltmeter.measure.sources",
    "discover": "tiltmeter.measure.discovery",
    "direct": "tiltmeter.measure.scores",
    "crows": "tiltmeter.measure.crows",
    "Lost": "tiltmeter.measurement",
    "Measurement": "tiltmeter.measurement",
    "association_test": "tiltmeter.lexicon.catalogue",
    "template_set": "tiltmeter.lexicon.catalogue",
    "word_set": "tiltmeter.lexicon.catalogue",
    "read_tests": "tiltmeter.lexicon.foreign",
    "read_word_set": "tiltmeter.lexicon.foreign",
}
__all__ = [
    "AssociationResult",
    "InputError",
    "Lost",
    "Measurement",
    "ModelError",
    "TiltmeterError",
    "__version__",
    "association_test",
    "crows",
    "direct",
    "discover",
    "explain",
    "indirect",
    "load",
    "load_lm",
    "lpbs",
    "pair_set",
    "read_pairs",
    "read_tests",
    "read_word_set",
    "seat",
    "template_set",
    "weat",
    "word_set",
]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'tiltmeter' has no attribute {name!r}")
    value = getattr(importlib.import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
