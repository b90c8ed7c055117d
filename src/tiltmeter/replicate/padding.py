"""Louis-Alexandre 2022, table 3.2: does the padding text before a sentence change the indirect scores?"""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
from scipy.stats import ttest_ind

from tiltmeter.errors import InputError
from tiltmeter.lexicon.catalogue import template_set, word_set
from tiltmeter.measure.scores import ScoreMatrix, indirect
from tiltmeter.models._blanks import PADDING_TEXT
from tiltmeter.models.lm import LanguageModel
from tiltmeter.models.load import load_lm
from tiltmeter.replicate.source import Request
from tiltmeter.replicate.tables import Figure, Replicated
from tiltmeter.replicate.thesis_scores import column, printed
from tiltmeter.runs.job import Job, Matrix, Model
from tiltmeter.runs.run import Watcher

FEATURES = ("trait", "age", "gender", "race", "religion", "sexual-orientation", "year-of-birth")
LEVELS = (0.05, 0.01)
STATES = "padding-states"  # not where the run keeps its own, which go when it has finished

# The thesis takes a random text and the beginnings of four books, one of them Orwell's 1984. It prints none of them;
# these are ours: our own padding text, and the beginnings of four novels that are free.
TEXTS = (
    PADDING_TEXT,
    "It is a truth universally acknowledged, that a single man in possession of a good fortune, must be in want of a "
    "wife. However little known the feelings or views of such a man may be on his first entering a neighbourhood, this "
    "truth is so well fixed in the minds of the surrounding families, that he is considered as the rightful property "
    "of some one or other of their daughters.",
    "Call me Ishmael. Some years ago - never mind how long precisely - having little or no money in my purse, and "
    "nothing particular to interest me on shore, I thought I would sail about a little and see the watery part of the "
    "world.",
    "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness, it "
    "was the epoch of belief, it was the epoch of incredulity, it was the season of Light, it was the season of "
    "Darkness.",
    "Alice was beginning to get very tired of sitting by her sister on the bank, and of having nothing to do: once or "
    "twice she had peeped into the book her sister was reading, but it had no pictures or conversations in it.",
)


# Table 3.2 prints these too, but in the text that we have its columns run together.
UNREAD = "printed, but the text that we have does not show in which column"


def tables(name: str, model: str, request: Request) -> list[Replicated]:
    """Per cent of occupations whose scores differ between two padding texts, by Student's t-test of the two sets.

    `name` is what the run calls the model that `model` names.
    """
    known = printed()["padding"].get(column(name), {})
    matrices, lost = _matrices(name, model, request)
    figures = []
    for feature in FEATURES:
        for first, second in combinations(range(len(TEXTS)), 2):
            pair = f"{first + 1}-{second + 1}"
            shares = None if feature in lost else _shares(matrices[first, feature], matrices[second, feature])
            theirs = known.get(pair, {}).get(feature)
            remark = UNREAD if known and theirs is None else ""
            for position, level in enumerate(LEVELS):
                figures.append(
                    Figure(
                        labels=(feature, pair, f"{100 * level:.0f} %"),
                        published=float(theirs[position]) if theirs else None,
                        measured=shares[position] if shares else None,
                        digits=1,
                        remark="; ".join(filter(None, (lost.get(feature), remark))),
                    )
                )
    unread = sum(UNREAD in each.remark for each in figures)
    of = (
        f"XLNet's, of which the thesis prints {len(figures)} figures; {unread} of them cannot be read off the text"
        if known
        else "no XLNet, and the thesis has no figures for it"
    )
    return [
        Replicated(
            title="Per cent of occupations whose indirect scores depend on the padding text",
            source=f"{printed()['thesis']}, table 3.2",
            model=name,
            columns=("feature", "texts", "level"),
            figures=tuple(figures),
            note=f"This model is {of}. The five texts are not those of the thesis, which does not print them.",
        )
    ]


def _matrices(name: str, model: str, request: Request) -> tuple[dict[tuple[int, str], ScoreMatrix], dict[str, str]]:
    """Scores by text and feature; and of which features there are none, and why."""
    found: dict[tuple[int, str], ScoreMatrix] = {}
    lost: dict[str, str] = {}
    watcher = request.watcher or Watcher()
    jobs = {
        (number, feature): _job(f"{name}, padding text {number + 1}", model, feature, request.seed)
        for number in range(len(TEXTS))
        for feature in FEATURES
    }
    begun: list[Job] = []
    watcher.planned(list(jobs.values()), 0)
    for number, text in enumerate(TEXTS):
        opened = load_lm(
            model,
            kind="masked",
            several_tokens=False,
            padding_text=text,
            cache=request.folder / STATES,
            progress=lambda done, total: watcher.batch(begun[-1], done, total),
        )
        for feature in FEATURES:
            begun.append(jobs[number, feature])
            watcher.started(begun[-1])
            if feature not in lost:
                try:
                    found[number, feature] = _scores(opened, feature, request.seed)
                except InputError as error:  # none of its words is one token, or the model takes only short texts
                    lost[feature] = f"not measured: {error}"
            watcher.ended(begun[-1], None, "")
    return found, lost


def _job(name: str, model: str, feature: str, seed: int) -> Job:
    """What is shown of one text and one feature while it lasts."""
    to_target, to_feature = (template_set(each) for each in _templates(feature))
    subject = Matrix(word_set("occupation"), word_set(feature), to_target, word_set("name"), to_feature)
    return Job(Model(name, model, "masked", "en", "", {}), "indirect", subject, {"seed": seed})


def _templates(feature: str) -> tuple[str, str]:
    return "occupation-name-printed", f"name-{feature}-printed"


def _scores(opened: LanguageModel, feature: str, seed: int) -> ScoreMatrix:
    to_target, to_feature = _templates(feature)
    return indirect(opened, "occupation", feature, to_target=to_target, to_feature=to_feature, resamples=100, seed=seed)


def _shares(first: ScoreMatrix, second: ScoreMatrix) -> tuple[float, ...]:
    """Of how many occupations the two sets of scores differ, at each level."""
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", RuntimeWarning
        )  # sets of one or of equal scores have no p-value, and count as alike
        p = np.array(
            [
                ttest_ind(first.score[row], second.score[second.targets.index(target)], nan_policy="omit").pvalue
                for row, target in enumerate(first.targets)
                if target in second.targets
            ]
        )
    return tuple(100 * float(np.mean(p < level)) if p.size else 0.0 for level in LEVELS)
