"""Tiltmeter measures social bias in word embeddings and language models, and says how sure it is."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from tiltmeter.errors import InputError, ModelError, TiltmeterError
    from tiltmeter.lexicon.catalogue import association_test, template_set, word_set
    from tiltmeter.lexicon.foreign import read_tests, read_word_set
    from tiltmeter.measure.association import AssociationResult, seat, weat
    from tiltmeter.measurement import Lost, Measurement
    from tiltmeter.models.load import load

# The public surface. Each name is imported when it is first used, so that `import tiltmeter` stays quick.
_PUBLIC = {
    "InputError": "tiltmeter.errors",
    "ModelError": "tiltmeter.errors",
    "TiltmeterError": "tiltmeter.errors",
    "AssociationResult": "tiltmeter.measure.association",
    "seat": "tiltmeter.measure.association",
    "weat": "tiltmeter.measure.association",
    "load": "tiltmeter.models.load",
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
    "load",
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
