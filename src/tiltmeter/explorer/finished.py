"""A model of a finished run, whose scores stand in the run folder: the model itself is not needed any more.

What explains an association can still be told where the run holds the scores of the same names with a sensitive
category: those are what is held fixed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tiltmeter.errors import InputError
from tiltmeter.explorer.computations import Work
from tiltmeter.explorer.problems import NotHereError, RefusalError
from tiltmeter.explorer.source import Named, Source
from tiltmeter.explorer.views import View
from tiltmeter.measure.scores import Bridge, ScoreMatrix
from tiltmeter.measure.sources import COMMONNESS, Explained
from tiltmeter.measurement import Measurement
from tiltmeter.metrics.sources import sources
from tiltmeter.runs.arrays import Arrays, read_arrays
from tiltmeter.runs.results import Run

_BY_PAIR = ("score", "low", "high", "template_low", "template_high", "p_value", "adjusted", "n")
_MODEL_NEEDED = "Start the explorer with the model itself: tiltmeter explore MODEL."
_MOST_COLUMNS = 20  # held fixed together, as in `tiltmeter.measure.sources`


class FinishedModel(Source):
    """One model of a run. `arrays` are the files of its matrices; each is read when it is first asked for."""

    can = ("table", "cell", "sources", "map", "compare", "summary")

    def __init__(self, id: str, name: str, run: Run, files: dict[Named, Path], kind: str) -> None:
        self.id, self.name, self.kind = id, name, kind
        self._measured = name  # as the run calls it
        self.language = str(run.manifest.get("language", "en"))
        self._files, self._run = files, run
        self.note = f"From the run {run.folder.name}: what it measured can be seen, nothing new can be computed."

    @property
    def folder(self) -> Path:
        return self._run.folder

    @property
    def views(self) -> list[Named]:
        return sorted(self._files)

    def matrix(self, view: View, work: Work) -> ScoreMatrix:
        if view.add_names:
            raise NotHereError("a run takes no new names.", hint=_MODEL_NEEDED)
        key = (view.targets, view.features, view.kind)
        if key not in self._files:
            raise RefusalError(
                404, "unknown_set", f"the run has no {view.kind} scores of {view.targets} × {view.features}.",
                hint="The catalogue lists what it has.",
            )  # fmt: skip
        work.report("reading the run")
        return self._read(key)

    def explained(self, part: ScoreMatrix, sensitive: tuple[str, ...], work: Work) -> Explained:
        if part.bridge is None:
            raise InputError("direct scores have no bridge, and so no sources.", hint="Use the indirect score.")
        work.report("reading the run")
        candidates: dict[str, Any] = {}
        category: dict[str, str] = {}
        for name in sensitive:
            held = self._held(name, part.bridge.names)
            if held is None:
                continue
            columns, scores = held
            offered = dict(zip(columns, np.asarray(scores).T, strict=True))
            if 1 < len(columns) <= _MOST_COLUMNS:
                offered[name] = scores
            candidates |= offered
            category |= dict.fromkeys(offered, name)
        candidates[COMMONNESS] = part.bridge.commonness
        category[COMMONNESS] = COMMONNESS
        found = sources(part.bridge.to_target, part.bridge.to_feature, candidates)
        return Explained(part, category, found)

    def _held(self, name: str, names: tuple[str, ...]) -> tuple[tuple[str, ...], Any] | None:
        """How the same names go with the words of a sensitive category, if any matrix of the run has them."""
        for key in sorted(self._files):
            if key[1] == name and key[2] == "indirect":
                matrix = self._read(key)
                if matrix.bridge is not None and matrix.bridge.names == names:
                    known = np.asarray(~np.isnan(matrix.bridge.to_feature).all(axis=0))
                    columns = tuple(word for word, has in zip(matrix.features, known, strict=True) if has)
                    return columns, matrix.bridge.to_feature[:, known]
        return None

    def _read(self, key: Named) -> ScoreMatrix:
        path = self._files[key]
        stored = read_arrays(path)
        row = next(
            (
                one
                for one in self._run.measurements
                if one.model == self._measured and one.metric == key[2] and one.test.count(" × ")
                and one.details.get("target") in stored.about.get("rows", ())
                and one.details.get("feature") in stored.about.get("columns", ())
            ),
            None,
        )  # fmt: skip
        try:
            return _matrix(self, stored, key, row)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"does not hold a matrix of scores ({error!s:.80}).", where=path) from None


def _matrix(of: FinishedModel, stored: Arrays, key: Named, row: Measurement | None) -> ScoreMatrix:
    arrays, about = stored.arrays, stored.about
    rows, columns = (tuple(map(str, about[side])) for side in ("rows", "columns"))
    for name in _BY_PAIR:
        if arrays[name].shape != (len(rows), len(columns)):
            raise ValueError(f"{name} has the shape {arrays[name].shape}")
    bridge = None
    if "bridge" in about:
        names = tuple(map(str, about["bridge"]))
        bridge = Bridge(names, arrays["bridge_to_row"], arrays["bridge_to_column"], arrays["commonness"])
        shapes = (bridge.to_target.shape, bridge.to_feature.shape, bridge.commonness.shape)
        if shapes != ((len(rows), len(names)), (len(names), len(columns)), (len(names),)):
            raise ValueError("its bridge does not fit its scores")
    return ScoreMatrix(
        model=of.name,
        metric=key[2],
        language=of.language,
        target_set=key[0],
        feature_set=key[1],
        targets=rows,
        features=columns,
        **{name: arrays[name] for name in _BY_PAIR},
        level=row.level if row else 0.95,
        method=row.method if row else "",
        lost=row.lost if row else (),
        settings=row.settings if row else {},
        bridge=bridge,
    )
