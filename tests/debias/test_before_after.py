"""What the comparison says: that the measures of bias fall, and that the bias is still there."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from typer import Typer
from typer.testing import CliRunner

from tests.models.tiny import build
from tiltmeter.cli.debias import debias
from tiltmeter.debias.before_after import groups, precision
from tiltmeter.debias.construction import KEY
from tiltmeter.debias.fit import fit
from tiltmeter.debias.leaning import Leaning
from tiltmeter.debias.rewrite import number_type
from tiltmeter.debias.run import debias_file, report_on_file
from tiltmeter.debias.sample import Sample, sample_of_file
from tiltmeter.debias.vocabulary import ArrayVocabulary
from tiltmeter.errors import InputError, ModelError
from tiltmeter.lexicon.catalogue import association_test, word_set
from tiltmeter.lexicon.debias import bias, read_bias, usefulness
from tiltmeter.measure.association import weat
from tiltmeter.models.load import load
from tiltmeter.report.debias_page import summary

from .made import DIMENSION, embedding

APP = Typer()
APP.command()(debias)


@pytest.mark.slow
def test_on_the_words_of_caliskan_weat_falls_and_the_bias_remains(shared: Path, tmp_path: Path) -> None:
    source = shared / "data" / "glove-840b-caliskan-words.w2v.txt.xz"
    out = tmp_path / "debiased.w2v.txt.xz"
    gender = bias("gender")
    fitted = debias_file(str(source), out, gender, "hard")
    before, after = load(source), load(out)
    for test, published in (("weat7", 1.06), ("weat8", 1.24)):
        assert weat(before, test, resamples=100).effect_size == pytest.approx(published, abs=0.01)
        found = weat(after, test, resamples=100)
        assert abs(found.effect_size) < 0.05
        assert abs(found.statistic) < 1e-5
        assert found.p_value > 0.4
    report = report_on_file(str(source), out, gender, fitted, tmp_path / "report", bayes=False)
    by_test = {(row.metric, row.test): row for row in report.after}
    for test in ("words that leaned furthest", "first names"):
        row = by_test["recovered", test]
        assert row.low > row.details["chance"] + 10
    assert by_test["moved", "all neutral words"].value < 0.1
    weats = {row.test: abs(row.value) for row in report.after if row.metric == "weat"}
    assert weats["weat7"] < 0.05 > weats["weat8"]
    page = (tmp_path / "report" / "debias.html").read_text()
    assert "still told apart" in page
    assert "img-src data:" in page
    kept = json.loads((tmp_path / "report" / "debias.json").read_text())
    assert len(kept["after"]) == len(report.after)
    for figure in ("step-by-step", "what-remains", "moved", "similarities", "weat"):
        assert (tmp_path / "report" / "figures" / f"{figure}.pdf").stat().st_size > 1_000


def _glove(path: Path) -> Path:
    words, matrix = embedding()
    lines = (" ".join([word, *map(repr, row)]) for word, row in zip(words, matrix.astype(float).tolist(), strict=True))
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_command_writes_vectors_and_report(tmp_path: Path) -> None:
    source, out = _glove(tmp_path / "vectors.txt"), tmp_path / "debiased.txt"
    done = CliRunner().invoke(APP, [str(source), "--out", str(out), "--method", "soft", "--no-bayes"])
    assert done.exit_code == 0, done.output
    assert "assigns" in done.stdout
    assert out.is_file()
    assert "float32, as" in " ".join(done.stderr.split())
    assert (tmp_path / "debiased.txt.report" / "debias.html").is_file()
    assert np.isfinite(load(out).embed([]).vectors).all()


@pytest.mark.parametrize("dimension", [50, 300])
@pytest.mark.parametrize("numbers", ["float16", "bfloat16"])
def test_rounding_moves_similarities_as_far_as_is_said(numbers: str, dimension: int) -> None:
    rows = np.random.default_rng(0).normal(size=(300, dimension))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    kept = torch.from_numpy(rows).to(getattr(torch, numbers)).double().numpy()
    moved = np.sqrt(np.mean((kept[:150] @ kept[150:].T - rows[:150] @ rows[150:].T) ** 2))
    assert 0.3 < moved / precision(numbers, dimension) < 1
    assert precision("float32", dimension) == 1e-6


@pytest.mark.parametrize("numbers", ["float32", "float16"])
def test_what_a_method_makes_nothing_is_nothing_in_every_type_of_number(numbers: str, tmp_path: Path) -> None:
    words, matrix = embedding()
    test = association_test("weat7")
    more = [word for side in (test.x, test.y, test.a, test.b) for word in side.texts if word not in words]
    rows = np.concatenate([matrix, np.random.default_rng(1).normal(size=(len(more), DIMENSION))])
    source, out = tmp_path / "vectors.npy", tmp_path / "debiased.npy"
    np.save(source, rows.astype(numbers))
    source.with_name("words.txt").write_text("\n".join([*words, *more]) + "\n")
    gender = bias("gender")
    fitted = debias_file(str(source), out, gender, "hard")
    assert number_type(source) == number_type(out) == numbers
    report = report_on_file(str(source), out, gender, fitted, tmp_path / "report", bayes=False)
    first, second = ({row.metric: row for row in side if row.test == "weat7"} for side in (report.before, report.after))
    assert first["weat"].p_value < 1
    assert (second["weat"].value, second["weat"].p_value) == (0, 1)
    assert abs(second["association"].value) <= precision(numbers, DIMENSION) < abs(first["association"].value)
    assert "made equal" in second["weat"].details[KEY]
    assert KEY not in first["weat"].details
    assert any("By construction: neutral words are equally near" in said for said in summary(report))
    assert "After, weat7" in (tmp_path / "report" / "debias.html").read_text(encoding="utf-8")
    assert any(numbers in remark for remark in report.remarks) is (numbers == "float16")


def test_the_command_makes_a_projection_of_a_masked_model(tmp_path: Path) -> None:
    folder, out = build(tmp_path / "bert", "bert", "masked", spread=0.3), tmp_path / "gender.safetensors"
    done = CliRunner().invoke(APP, [str(folder), "--out", str(out), "--no-report"])
    assert done.exit_code == 0, done.output
    assert out.stat().st_size < 4_000


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--bias", "gendre"], "Did you mean 'gender'"),
        (["--method", "harder"], "Did you mean 'hard'"),
        (["--at", "blank"], "is a file of vectors"),
        (["--at", "nowhere"], "Write blank or sentence"),
        (["--subspace", "pcaa"], "Did you mean 'pca'"),
        (["--dimensions", "40"], "Ask for fewer dimensions"),
        (["--strength", "1"], "soft does"),
        (["--report", "{source}"], "lies in"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: list[str], said: str, tmp_path: Path) -> None:
    source, out = _glove(tmp_path / "vectors.txt"), tmp_path / "debiased.txt"
    done = CliRunner().invoke(APP, [str(source), "--out", str(out), *(one.format(source=source) for one in arguments)])
    assert isinstance(done.exception, InputError | ModelError)
    assert said in str(done.exception)
    assert not out.exists()


def test_words_of_a_bias_are_compared_wherever_they_stand(tmp_path: Path) -> None:
    """In a file that is not in the order of frequency they may stand behind all that a sample takes; and definitions of
    one's own may be no plain words, and leave nothing that both sides could be compared by."""
    words, matrix = embedding()
    vocabulary = ArrayVocabulary(words, matrix)
    fitted = fit(vocabulary, bias("gender"), "hard")
    sample = sample_of_file(vocabulary, fitted, ["SHE", "w3", "xaaaa", "absent"], among=0)
    assert sample.words == ("she", "w3", "xaaaa")
    own = tmp_path / "own.toml"
    own.write_text('language = "en"\n[bias.x]\nclasses = ["a", "b"]\ndefinitions = [["w0", "w1"], ["w2", "w3"]]')
    for number, most in enumerate((len(words), 4)):
        source, out = tmp_path / f"{number}.txt", tmp_path / f"{number}.out"
        rows = [
            row for row in zip(words, matrix.tolist(), strict=True) if most > 4 or row[0] in ("w0", "w1", "w2", "w3")
        ]
        source.write_text("".join(f"{word} {' '.join(map(str, row))}\n" for word, row in rows))
        arguments = [str(source), "--out", str(out), "--no-bayes", "--definitions", str(own), "--bias", "x"]
        done = CliRunner().invoke(APP, arguments)
        assert done.exit_code == 0, done.output
        assert (tmp_path / f"{number}.out.report" / "debias.html").is_file()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[bias.x]\nclasses = ["a"]\ndefinitions = [["u", "v"]]', "only the class"),
        ('[bias.x]\nclasses = ["a", "b"]\ndefinitions = [["u", "v", "w"]]', "Give it 2 to 2 words"),
        ('[bias.x]\nclasses = ["a", "b"]\ndefinitions = [["u", ""]]', "has 1 words"),
        ('[bias.x]\nclasses = ["a", "b"]\ndefinitions = [["u", "v"]]\nequalise = [["u", "v"], ["u", "w"]]', "two sets"),
        ('[bias.x]\nclasses = ["a", "b"]\ndefinitions = [["u", "v"]]\nsurprise = 1', "unknown key"),
        (
            '[bias.x]\nclasses = ["a", "b"]\ndefinitions = [["u", "v"]]\n[[bias.x.contexts]]\n'
            'sets = [["u", "v"]]\nblanks = ["{word} is here."]',
            "the blank ___ once",
        ),
    ],
)
def test_a_file_of_definitions_is_checked(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(f'language = "en"\n{text}\n')
    with pytest.raises(InputError, match=said):
        read_bias(path, "x")


def test_what_shows_usefulness_is_about_no_people() -> None:
    tasks = usefulness()
    assert tasks is not None
    words = {word for pairs in tasks.analogies.values() for pair in pairs for word in pair}
    assert not words & bias("gender").own_words
    for pairs in tasks.analogies.values():
        assert len({pair[0] for pair in pairs}) == len(pairs) == len({pair[1] for pair in pairs})
    assert all(len(set(triple)) == 3 for triple in tasks.triples)


def test_no_word_that_a_method_was_fitted_to_judges_it() -> None:
    gender = bias("gender")
    names = word_set("name").texts
    assert {"Mary", "Emily"} <= {*names}
    rows = np.random.default_rng(0).normal(size=(len(names), 8)).astype(np.float32)
    nobody = Leaning((), np.empty((0, 8)), np.empty(0, dtype=np.intp))
    (group,) = groups(Sample(tuple(names), rows, rows), gender, nobody)
    assert len(group.words) > 500
    assert not {"Mary", "John", "Emily", "David"} & {*group.words}


def test_no_word_is_made_equal_twice() -> None:
    for name in ("gender", "race", "religion"):
        words = [word.lower() for row in bias(name).equalise for word in row]
        assert len(words) == len(set(words))
