"""Words that a demo model hardly met are left out, and said to be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from tiltmeter.errors import InputError
from tiltmeter.lexicon.catalogue import association_test, template_set, word_set
from tiltmeter.lexicon.pairs import pair_set
from tiltmeter.models import named
from tiltmeter.runs.job import Matrix
from tiltmeter.runs.rare import without_rare
from tiltmeter.runs.results import read_run
from tiltmeter.runs.run import run
from tiltmeter.runs.spec import parse_spec
from tiltmeter.runs.yaml_text import yaml_from

SPEC = "models: ['demo:en-static']\ntests: [weat6, weat7]\nmetrics: [weat]\nleast: 100\n"


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Word vectors of two tests as if they came in the box, trained on a text in which two words were rare."""
    from training.checksums import sha256

    folder = tmp_path / "demo" / "en-static"
    folder.mkdir(parents=True)
    tests = [association_test(name) for name in ("weat6", "weat7")]
    words = sorted({word for test in tests for side in test.texts() for word in side})
    counts = {**dict.fromkeys(words, 1_000), "Lisa": 3, "algebra": 99}
    rng = np.random.default_rng(0)
    save_file({"vectors": rng.standard_normal((len(words), 8)).astype(np.float16)}, folder / "model.safetensors")
    (folder / "words.txt").write_text("".join(f"{word} {counts[word]}\n" for word in words))
    listed = [f"{sha256(file)}  en-static/{file.name}\n" for file in sorted(folder.iterdir())]
    (tmp_path / "demo" / named.CHECKSUMS).write_text("".join(listed))
    monkeypatch.setattr(named, "_DEMO", tmp_path / "demo")
    return counts


def test_a_run_leaves_rare_words_out_and_names_them(demo: dict[str, int], tmp_path: Path) -> None:  # noqa: ARG001
    summary = run(parse_spec(yaml_from(SPEC, tmp_path / "spec.yaml")), tmp_path / "run")
    assert not summary.failed
    weat6, weat7 = read_run(tmp_path / "run").measurements
    assert [(lost.word, lost.where, lost.reason) for lost in weat6.lost] == [
        ("Lisa", "Y", "the model met it 3 times in training, fewer than 100")
    ]
    assert weat6.counts == {"X": 8, "Y": 7, "A": 8, "B": 8}
    assert [lost.word for lost in weat7.lost] == ["algebra"]


def test_a_run_that_asks_for_commoner_words_is_another_run(demo: dict[str, int], tmp_path: Path) -> None:  # noqa: ARG001
    run(parse_spec(yaml_from(SPEC, tmp_path / "spec.yaml")), tmp_path / "run")
    more = parse_spec(yaml_from(SPEC.replace("least: 100", "least: 0"), tmp_path / "spec.yaml"))
    assert run(more, tmp_path / "run").kept == 0
    assert run(more, tmp_path / "run").kept == 2


def test_a_model_without_counts_is_refused_with_the_line_of_the_spec(tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_text("rose 1 0\nwasp 0 1\n")
    spec = parse_spec(yaml_from("models: [vectors.txt]\nleast: 100\n", tmp_path / "spec.yaml"))
    with pytest.raises(InputError, match=r"spec\.yaml:2: .*only the demo models"):
        run(spec, tmp_path / "run")


def test_all_sets_of_a_matrix_are_cut_and_sentence_pairs_are_not() -> None:
    drinks, genders, names = word_set("beverage"), word_set("gender"), word_set("name")
    matrix = Matrix(drinks, genders, template_set("beverage-name"), names, template_set("name-gender"))
    counts = {"tea": 500, "beer": 20, "man": 10_000, "woman": 8_000, "Amy": 100, "Jane": 99}
    kept, lost = without_rare(matrix, counts, 100)
    assert isinstance(kept, Matrix)
    assert kept.bridge is not None
    assert (kept.targets.texts, kept.features.texts, kept.bridge.texts) == (("tea",), ("man", "woman"), ("Amy",))
    assert len(lost) == len(drinks) + len(genders) + len(names) - 4
    assert {one.where for one in lost} == {"beverage", "gender", "name"}
    assert next(one.reason for one in lost if one.word == "vodka") == (
        "the model met it never in training, fewer than 100"
    )
    pairs = pair_set("en")
    assert without_rare(pairs, counts, 100) == (pairs, ())
