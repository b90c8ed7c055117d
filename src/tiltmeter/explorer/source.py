"""Where scores come from: a model that computes them, or the folder of a run that holds them."""

from __future__ import annotations

from abc import ABC, abstractmethod

from tiltmeter.explorer.computations import Work
from tiltmeter.explorer.views import View
from tiltmeter.measure.scores import ScoreMatrix
from tiltmeter.measure.sources import Explained

Named = tuple[str, str, str]  # targets, features, kind of score


class Source(ABC):
    """What every model and every run can be asked. `id` stands in addresses, `name` is what people read."""

    id: str
    name: str
    language: str
    kind: str = ""  # of model
    note: str = ""
    can: tuple[str, ...]
    absent_reason: str = ""

    @property
    def views(self) -> list[Named] | None:
        """Each view there is; None: all that templates allow."""
        return None

    @property
    def absent(self) -> dict[str, tuple[str, ...]]:
        """By category the words of which it is known beforehand that they have no score; `absent_reason` says why."""
        return {}

    def caution(self, *words: str) -> str | None:  # noqa: ARG002
        """Why what the model says of some of these words is worth little, if it is known."""
        return None

    @abstractmethod
    def matrix(self, view: View, work: Work) -> ScoreMatrix:
        """The scores of a view."""

    @abstractmethod
    def explained(self, part: ScoreMatrix, sensitive: tuple[str, ...], work: Work) -> Explained:
        """What sensitive attributes explain of some scores."""
