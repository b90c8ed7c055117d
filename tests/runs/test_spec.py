"""What a spec may say, and what is said of one that is wrong: file, line, key, and what to do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tiltmeter.errors import InputError
from tiltmeter.models import load
from tiltmeter.runs.plan import plan
from tiltmeter.runs.results import COLUMNS
from tiltmeter.runs.spec import METRIC_SPECS, MODEL_OPTIONS, ModelSpec, RunSpec, read_spec
from tiltmeter.runs.yaml_text import yaml_from

from .conftest import MakeSpec

MODELS = "models: [{path: VECTORS, name: small}]\n"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("models:\n  - path: VECTORS\n    poolin: cls\n", 3, "'pooling'"),
        (MODELS + "sed: 3\n", 2, "'seed'"),
        (MODELS + "seed: many\n", 2, "seed is 'many'"),
        (MODELS + "seed: '3'\n", 2, "seed is '3'"),
        (MODELS + "seed: -1\n", 2, "seed is -1"),
        (MODELS + "level: 1e999\n", 2, "level is inf"),
        (MODELS + "alpha: 5\n", 2, "alpha is 5"),
        (MODELS + "metrics:\n  - weat\n  - waet\n", 4, "'weat'"),
        (MODELS + "metrics:\n  - metric: weat\n    p_value: exakt\n", 4, "'exact'"),
        (MODELS + "metrics:\n  - metric: weat\n    to: 50\n", 4, "no key 'to'"),
        (MODELS + "metrics:\n  - p_value: exact\n", 3, "names no metric"),
        ("seed: 1\n", 1, "'models' is missing"),
        ("models:\n  - name: x\n", 2, "'path' is missing"),
        ("models: []\n", 1, "models is []"),
        ("- weat\n", 1, "a table"),
        ("models: [VECTORS]\nseed: 1\nseed: 2\n", 3, "'seed' stands twice"),
        ("a: &a [x, x]\nb: &b [*a, *a]\n", 2, "alias '*a'"),
        ("models: !!python/object/apply:os.system [ls]\n", 1, "tag"),
        ("models: [VECTORS\n", 2, "not YAML"),
        ("models: " + "[" * 500 + "\n", 1, "nested too deeply"),
        ("models: [VECTORS]\n---\nseed: 1\n", 2, "second document"),
        ('models: [VECTORS]\ntitle: "a\\u0000b"\n', 2, "U+0000"),
        ("models: VECTORS\n", 1, "it should be a list. Write models: ["),
        (MODELS + "metrics: weat\n", 2, "it should be a list. Write metrics: [weat]."),
        (MODELS + "tests: [weat6, 7]\n", 2, "tests, entry 2, is 7: it should be text"),
        (MODELS + "title: 2026\n", 2, 'Put it into quotes: "2026".'),
        (MODELS + "level: true\n", 2, "level is true: it should be a number"),
        (MODELS + "tests: []\n", 2, "tests is []: it is empty"),
        (MODELS + "metrics:\n  - weat\n  -\n", 4, "metrics, entry 2, is empty. Write the name of a metric"),
        ("models: [5]\n", 1, "models, entry 1, is 5. Write the path of a model"),
        ("models:\n  - paht: VECTORS\n", 2, "there is no key 'paht' here. Did you mean 'path'?"),
        ("models:\n  - path: VECTORS\n    lookup: [lover]\n", 3, "lookup, entry 1, is 'lover'. Did you mean 'lower'?"),
        ("models:\n  - path: VECTORS\n    multiword: mean\n", 3, "'average', 'underscore' or 'none'"),
        ("models:\n  - path: VECTORS\n    pooling: clss\n", 3, "Did you mean 'cls'?"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(make_spec: MakeSpec, text: str, line: int, said: str) -> None:
    path = make_spec(text)
    with pytest.raises(InputError) as caught:
        read_spec(path)
    assert f"{path}:{line}: " in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("models:\n  - small.txt\n", 2, "no file or folder 'small.txt'"),
        (MODELS + "tests: [weat6, waet7]\n", 2, "'weat7'"),
        (MODELS + "tests: ['nothing*']\n", 2, "no test matches"),
        (MODELS + "tests: ['../**/*.txt']\n", 2, "no test matches"),
        (MODELS + "tests: ['**.txt']\n", 2, "no test matches"),
        (MODELS + "tests: ['~nobody/x.txt']\n", 2, "there is no test"),
        (MODELS + "tests:\n  - weat6\n  - gender\n", 4, "no metric of this run takes the test 'gender'"),
        (MODELS + "metrics:\n  - metric: weat\n    tests: [heilman_double_bind_likable_1]\n", 4, "take seat"),
        (MODELS + "metrics: [lpbs]\n", 1, "no metric of this run fits 'small'"),
        (MODELS + "metrics:\n  - metric: weat\n    models: [smal]\n", 4, "'small'"),
        (MODELS + "metrics:\n  - metric: lpbs\n    models: [small]\n", 3, "cannot be measured on 'small'"),
        ("models:\n  - path: VECTORS\n  - path: VECTORS\n", 3, "two models are called"),
        ("models:\n  - path: VECTORS\n    pooling: cls\n", 3, "no option 'pooling'"),
        (MODELS + "language: xx\n", 2, "nothing to measure on 'small' in the language 'xx'"),
        (MODELS.replace("}", "}, {path: VECTORS, name: b, language: nl-BE}"), 1, "'b' in the language 'nl-BE'"),
        ("models:\n  - " + "x" * 3_000 + "\n", 2, "File name too long"),
        (MODELS + "tests:\n  - batch.yaml\n", 3, "batch.yaml: a test cannot be read"),
    ],
)
def test_what_does_not_exist_or_fit_is_named_with_its_line(
    make_spec: MakeSpec, text: str, line: int, said: str
) -> None:
    path = make_spec(text)
    with pytest.raises(InputError) as caught:
        plan(read_spec(path))
    assert f"{path}:{line}: " in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused_in_place_of_waiting_for_it(make_spec: MakeSpec, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="not a regular file"):
        plan(read_spec(make_spec("models: [pipe]\n")))


def test_the_line_of_a_test_file_stands_beside_that_of_the_spec(make_spec: MakeSpec, tmp_path: Path) -> None:
    (tmp_path / "own.txt").write_text("a, b\nc, d\n", encoding="utf-8")
    path = make_spec(MODELS + "tests: [own.txt]\n")
    with pytest.raises(InputError) as caught:
        plan(read_spec(path))
    assert str(caught.value).startswith(f"{path}:2: {tmp_path / 'own.txt'}:")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("models: [demo:de]\n", "de"),
        ("models: [demo:de]\nlanguage: en\n", "en"),
        ("models: [{path: demo:de, language: fr}]\nlanguage: en\n", "fr"),
    ],
)
def test_a_demo_model_is_asked_in_its_own_language_unless_the_spec_says_another(
    make_spec: MakeSpec, text: str, language: str
) -> None:
    assert [model.language for model in plan(read_spec(make_spec(text))).models] == [language]


def test_a_bomb_of_aliases_is_refused_before_it_grows() -> None:
    bomb = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 30))
    with pytest.raises(InputError, match="alias"):
        yaml_from(bomb, "bomb.yaml")


def test_a_large_file_is_refused(make_spec: MakeSpec) -> None:
    with pytest.raises(InputError, match="larger than 1 MB"):
        read_spec(make_spec("# " + "\n# ".join(["x" * 70] * 20_000)))


def test_the_guide_names_every_key_and_every_column() -> None:
    text = (Path(__file__).parents[2] / "docs/batches.md").read_text(encoding="utf-8")
    keys = {*RunSpec.model_fields, *ModelSpec.model_fields, *METRIC_SPECS, *COLUMNS}
    keys |= {key for options in METRIC_SPECS.values() for key in options.model_fields}
    assert [key for key in sorted(keys) if f"`{key}`" not in text] == []


def test_no_is_norwegian() -> None:
    assert yaml_from("language: no\nyes: on\n", "x").value == {"language": "no", "yes": "on"}


def test_every_option_of_a_model_is_one_of_the_class_that_opens_it(vectors: Path) -> None:
    for kind, options in MODEL_OPTIONS.items():
        opener = load.load_lm if kind in ("masked", "causal") else load.load
        with pytest.raises(Exception, match="no option 'not_an_option'") as caught:
            opener(vectors, kind=kind, not_an_option=1)
        has = str(caught.value)
        assert "It has none." in has if not options and "none" in has else all(one in has for one in options)


def test_a_plan_is_the_same_wherever_the_model_lies(make_spec: MakeSpec, vectors: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere.txt"
    moved.write_bytes(vectors.read_bytes())
    here = plan(read_spec(make_spec()))
    there = plan(
        read_spec(make_spec(f"models: [{{path: {moved}, name: small}}]\ntests: ['weat[678]']\nmetrics: [weat, seat]\n"))
    )
    assert [job.hash for job in here.jobs] == [job.hash for job in there.jobs]


@pytest.mark.parametrize("change", ["seed: 1", "level: 0.9", "language: de", "vectors"])
def test_what_decides_a_result_decides_its_hash(
    make_spec: MakeSpec, vectors: Path, tmp_path: Path, change: str
) -> None:
    test = tmp_path / "own.txt"
    test.write_text("he, John\nshe, Amy\nscience, math\nart, poetry\n", encoding="utf-8")
    before = plan(read_spec(make_spec(MODELS + "tests: [own.txt]\n"))).jobs[0]
    if change == "vectors":
        other = tmp_path / "other.txt"
        other.write_text(vectors.read_text().replace("0.1", "0.2"), encoding="utf-8")
        text = f"models: [{{path: {other}, name: small}}]\ntests: [own.txt]\n"
    else:
        text = f"{MODELS}tests: [own.txt]\n{change}\n"
    after = plan(read_spec(make_spec(text, "after.yaml"))).jobs[0]
    assert before.hash != after.hash


def test_lines_of_the_bias_framework_are_read(tmp_path: Path, vectors: Path) -> None:
    (tmp_path / "datasets/de/WEAT").mkdir(parents=True)
    (tmp_path / "datasets/de/WEAT/CW1.txt").write_text(
        "Mann, Bub\nFrau, Tante\nChef, Lohn\nHeim, Kind\n", encoding="utf-8"
    )
    lines = tmp_path / "experiment.txt"
    lines.write_text(
        f"###\n# a comment\nWEAT_6,WEAT,glove,en,{vectors}\nSEAT_WEAT_7,SEAT,glove,en,{vectors}\n"
        f"CW1,WEAT,fasttext,de,{vectors}\n",
        encoding="utf-8",
    )
    jobs = plan(read_spec(lines)).jobs
    assert [(job.model.name, job.model.language, job.metric, job.subject.name) for job in jobs] == [
        ("glove en", "en", "weat", "weat6"),
        ("glove en", "en", "seat", "weat7"),
        ("fasttext de", "de", "weat", "CW1"),
    ]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("SEAT_WEAT_7,bert,en,google-bert/bert-base-uncased", "has 4 parts, not five"),
        ("WEAT_6,WHAT,glove,en,None", "no test 'what'"),
        ("WEAT_6,WEAT,glov,en,None", "'glove'"),
        ("WEAT_6,WEAT,bert,en,None", "needs a model"),
        ("WEAT_66,WEAT,glove,en,None", "no test 'WEAT_66'"),
    ],
)
def test_a_wrong_line_of_the_bias_framework_is_named(tmp_path: Path, row: str, said: str) -> None:
    lines = tmp_path / "experiment.txt"
    lines.write_text(f"# first\n{row}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_spec(lines)
    assert f"{lines}:2: " in str(caught.value)
    assert said in str(caught.value)
