"""A job: one test with one metric on one model. Its hash covers all that decides its result."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping, Set
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

import tiltmeter
from tiltmeter.lexicon.pairs import PairSet
from tiltmeter.lexicon.templates import TemplateSet
from tiltmeter.lexicon.tests import AssociationTest, MulticlassTest
from tiltmeter.lexicon.words import WordSet
from tiltmeter.measurement import Lost


@dataclass(frozen=True, eq=False)
class Model:
    """A model of a run, known by its files but not loaded."""

    name: str  # in tables
    path: str
    kind: str
    language: str
    fingerprint: str
    options: Mapping[str, Any]  # as given; those of its kind, and of an encoder where it serves as one

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "path": self.path,
            "kind": self.kind,
            "language": self.language,
            "fingerprint": self.fingerprint,
            "options": dict(self.options),
        }


@dataclass(frozen=True)
class Matrix:
    """What a matrix of scores is of; without a bridge, of direct scores (`to_target` are then its templates)."""

    targets: WordSet
    features: WordSet
    to_target: TemplateSet
    bridge: WordSet | None = None
    to_feature: TemplateSet | None = None

    @property
    def name(self) -> str:
        return f"{self.targets.name} × {self.features.name}"


Subject = AssociationTest | MulticlassTest | PairSet | Matrix


@dataclass(frozen=True, eq=False)
class Job:
    """What one job needs; it can be sent to another process."""

    model: Model
    metric: str
    subject: Subject
    options: Mapping[str, Any]
    left_out: tuple[Lost, ...] = ()  # words of the test that were left out beforehand
    optional: bool = False  # chosen by default or by a pattern: a model that lacks its words is no error

    @property
    def title(self) -> str:
        """What people read of it."""
        return f"{self.model.name}: {self.metric} {self.subject.name}"

    @cached_property
    def hash(self) -> str:
        """SHA-256 of everything that decides the result. Where the model lies is no part of it."""
        decides = {
            "tiltmeter": tiltmeter.__version__,
            "model": {key: value for key, value in self.model.as_dict().items() if key != "path"},
            "metric": self.metric,
            "subject": digest(self.subject),
            "options": dict(self.options),
            **({"left_out": [_plain(lost) for lost in self.left_out]} if self.left_out else {}),
        }
        return _sha256(decides)

    def as_dict(self) -> dict[str, Any]:
        """What the run folder says of it."""
        return {
            "hash": self.hash,
            "model": self.model.as_dict(),
            "metric": self.metric,
            "test": self.subject.name,
            "subject": digest(self.subject),
            "options": dict(self.options),
        }


def digest(subject: Subject) -> str:
    """SHA-256 of the words, templates or pairs of a subject."""
    known = _digests.get(id(subject))
    if known is None or known[0] is not subject:
        known = _digests[id(subject)] = (subject, _sha256([type(subject).__name__, _plain(subject)]))
    return known[1]


_digests: dict[int, tuple[Subject, str]] = {}  # of the few subjects that many jobs share


def _sha256(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def _plain(value: Any) -> Any:
    """Dataclasses as tables, sets in order."""
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {one.name: _plain(getattr(value, one.name)) for one in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, Set):
        return sorted(str(_plain(one)) for one in value)
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    return value if isinstance(value, str | int | float | bool | None) else str(value)
