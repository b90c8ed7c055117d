"""Causal models: what the engine says is what the model itself says of whole texts."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from tests.measure.planted import template_set, word_set
from tiltmeter.errors import InputError, ModelError
from tiltmeter.lexicon.words import Kind
from tiltmeter.measure.blanks import blank_table
from tiltmeter.measurement import Lost
from tiltmeter.models.causal import CausalModel
from tiltmeter.models.lm import LanguageModel, Query
from tiltmeter.models.load import load_lm

from . import tiny
from .causal_reference import SlowCausal

Folders = Callable[..., Path]

# What stands before every text: the tokenizer's own first token, or what stood between texts in training.
BEGIN = {"gpt2": "<|endoftext|>", "llama": "<|begin_of_text|>", "qwen2": "<|endoftext|>", "gemma": "<bos>"}
OTHERS = {"gemma2": "<bos>", "opt": "<|endoftext|>", "bloom": "<|endoftext|>", "openai-gpt": "<|endoftext|>"}
EVERY = [*BEGIN, *OTHERS]

# Of one token and of several, known from the corpus and not; enough of them for a context to be worth sharing.
WORDS = ["nurse", "word", "a", "engineer", "mathematics", "quilt", "Amy", "is", "über-cat", "she", "woman", "the sea"]
WORDS += [f"nurse{number}" for number in range(8)]
TEXTS = [
    "The ___ said that she would be there.",
    "The nurse said that the other word is ___",
    "___ is a nurse.",
    '"___" is the word, is it not?',
    "Here is a (___), and there is a word",
    "The nurs___ works.",  # the word melts into what stands before it
    "The father, the mother and the ___'s children",
]


@pytest.fixture(scope="module")
def slow(tiny_models: Folders) -> Callable[[str], SlowCausal]:
    return lambda architecture: SlowCausal(tiny_models(architecture, "causal"), (BEGIN | OTHERS)[architecture])


@pytest.fixture
def gpt2(tiny_models: Folders) -> CausalModel:
    return CausalModel.open(tiny_models("gpt2", "causal"))


def queries(texts: list[str]) -> list[Query]:
    return [Query(text) for text in texts]


@pytest.mark.parametrize("architecture", EVERY)
@pytest.mark.parametrize("share", [None, False])
def test_a_blank_is_filled_as_the_whole_text_says(
    architecture: str, share: bool | None, tiny_models: Folders, slow: Callable[[str], SlowCausal]
) -> None:
    model = CausalModel.open(tiny_models(architecture, "causal"), share_prefixes=share)
    filled = model.fill(queries(TEXTS), WORDS)
    reference = slow(architecture)
    assert filled.lost == {}
    assert_allclose(filled.log_p, [reference.fill(text, WORDS) for text in TEXTS], atol=1e-5, rtol=0)
    assert isinstance(model, LanguageModel)


@pytest.mark.parametrize("architecture", BEGIN)
def test_only_what_stands_from_the_blank_on_counts(
    architecture: str, tiny_models: Folders, slow: Callable[[str], SlowCausal]
) -> None:
    text, words = "The nurse and the ___ are here.", WORDS[:6]
    reference, begin = slow(architecture), len("The nurse and the")
    scores = np.array([reference.from_character(text.replace("___", word), begin) for word in words])
    log_p = CausalModel.open(tiny_models(architecture, "causal")).fill([Query(text)], words).log_p[0]
    assert_allclose(log_p - log_p[0], scores - scores[0], atol=1e-5)


def test_a_word_may_melt_into_what_stands_before_it(gpt2: CausalModel, slow: Callable[[str], SlowCausal]) -> None:
    """The tokens before the blank are then others, and all words are compared from where these begin to differ."""
    text, words = "The nurs___ works.", ["engineer", "a", "e"]
    reference = slow("gpt2")
    context, *whole = (
        reference.tokenizer(part)["input_ids"] for part in ("The nurs", *(text.replace("___", word) for word in words))
    )
    assert [ids[: len(context)] == context for ids in whole] == [False, True, False]
    assert_allclose(gpt2.fill([Query(text)], words).log_p[0], reference.fill(text, words), atol=1e-5)


def test_the_model_is_told_by_its_configuration(tiny_models: Folders) -> None:
    model = load_lm(tiny_models("llama", "causal"), tokens_per_batch=64)
    assert isinstance(model, CausalModel)
    assert model.settings["kind"] == "causal"
    assert model.settings["normalised"] == "over the candidates"
    assert model.settings["begins_with"] == "<|begin_of_text|>"
    assert model.settings["max_tokens"] == tiny.MAX_TOKENS


def test_probabilities_sum_to_one_over_the_candidates(gpt2: CausalModel) -> None:
    assert_allclose(np.exp(gpt2.fill(queries(TEXTS), WORDS).log_p).sum(axis=1), 1)
    assert gpt2.fill([Query(TEXTS[0])], ["nurse"]).log_p.tolist() == [[0.0]]


def test_fewer_candidates_keep_their_ratios(gpt2: CausalModel) -> None:
    for text in TEXTS:
        every, few = (gpt2.fill([Query(text)], words).log_p[0] for words in (WORDS, WORDS[2:5]))
        assert_allclose(few - few[0], every[2:5] - every[2], atol=1e-5)


def test_what_stands_right_of_the_blank_counts(gpt2: CausalModel) -> None:
    one, other = gpt2.fill(queries(["The ___ is here.", "The ___ would help others."]), ["nurse", "word"]).log_p
    assert abs(one[0] - other[0]) > 1e-3


def test_duplicates_change_nothing(gpt2: CausalModel) -> None:
    once = gpt2.fill(queries(TEXTS[:2]), ["nurse", "word", "a"]).log_p
    twice = gpt2.fill(queries([TEXTS[0], TEXTS[1], TEXTS[0]]), ["nurse", "word", "nurse", "a", "a"]).log_p
    assert_array_equal(twice, once[np.ix_([0, 1, 0], [0, 1, 0, 2, 2])])


@pytest.mark.parametrize("architecture", ["gpt2", "llama", "gemma2", "opt", "bloom"])
def test_what_texts_begin_with_is_computed_once(architecture: str, tiny_models: Folders) -> None:
    text = "The nurse said that the other word would be the ___ there."
    words = [f"{letter}{other}" for letter in "abcdefgh" for other in "stuvwxyz"]
    computed, log_p = [], []
    for share in (True, False):
        model = CausalModel.open(tiny_models(architecture, "causal"), share_prefixes=share)
        before = model.tokens_computed
        log_p.append(model.fill([Query(text)], words).log_p)
        computed.append(model.tokens_computed - before)
    assert_allclose(log_p[0], log_p[1], atol=1e-5)
    assert computed[0] < computed[1] / 2


def test_contexts_of_the_same_length_share_a_batch(tiny_models: Folders, slow: Callable[[str], SlowCausal]) -> None:
    texts = [f"The nurse said that the {word} is the ___ there." for word in ("man", "word", "other", "woman")]
    model = CausalModel.open(tiny_models("gpt2", "causal"), tokens_per_batch=10_000)
    log_p = model.fill(queries(texts), WORDS).log_p
    assert_allclose(log_p, [slow("gpt2").fill(text, WORDS) for text in texts], atol=1e-5)


def test_a_model_that_keeps_no_keys_is_not_asked_to(tiny_models: Folders) -> None:
    folder = tiny_models("openai-gpt", "causal")
    assert not CausalModel.open(folder).shares_prefixes
    with pytest.raises(ModelError, match="does not give the same probabilities when it goes on"):
        CausalModel.open(folder, share_prefixes=True)


def test_all_that_was_prepared_is_there(tiny_models: Folders) -> None:
    calls: list[int] = []
    model = CausalModel.open(tiny_models("gpt2", "causal"), progress=lambda done, _: calls.append(done))
    model.prepare([(queries(TEXTS), WORDS), (queries(TEXTS[:2]), ["violin"])])
    prepared = len(calls)
    model.fill(queries(TEXTS), WORDS)
    model.fill(queries(TEXTS[:2]), ["violin"])
    assert prepared > 0
    assert len(calls) == prepared


# Two slots.

FIRST = ["nurse", "mathematics", "man", "Amy", "nur"]
LAST = ["word", "violin", "nurse", "a", "quilts", "rd", "e"]
PAIRS = ["The ___ is a ___.", "___ likes the ___", "Here the ___ ___.", "The ___-___ is here.", "___, (___)"]
PAIRS += ["The ___s___.", "The ___ is a wo___."]  # "nurs" and "e" melt together, and "wo" and "rd"


@pytest.mark.parametrize("architecture", EVERY)
def test_both_slots_as_the_whole_text_says(
    architecture: str, tiny_models: Folders, slow: Callable[[str], SlowCausal]
) -> None:
    model = CausalModel.open(tiny_models(architecture, "causal"))
    tables = model.joint(PAIRS, FIRST, LAST).log_p
    reference = slow(architecture)
    for text, table in zip(PAIRS, tables, strict=True):
        joint = reference.joint(text, FIRST, LAST)
        assert_allclose(table, joint, atol=1e-5)
        turned = np.exp(joint) / np.exp(joint).sum(axis=0)  # Bayes: P(first | last)
        assert_allclose(np.exp(table) / np.exp(table).sum(axis=0), turned, atol=1e-5)


def test_a_table_costs_one_pass_for_each_first_word(gpt2: CausalModel) -> None:
    """As many as names times templates, however many words the later slot has."""
    texts = ["The ___ is a ___.", "The ___ and the ___ are here."]
    one_token = ["nurse", "word", "a", "man", "woman", "the", "said"]
    before = gpt2.tokens_computed
    gpt2.joint(texts, FIRST, one_token[:2])
    assert gpt2.texts_computed == len(FIRST) * len(texts)
    gpt2.joint(texts, FIRST, one_token)
    assert gpt2.texts_computed == len(FIRST) * len(texts)
    assert gpt2.tokens_computed == before
    gpt2.joint(texts, [*FIRST, "father"], one_token)
    assert gpt2.texts_computed == (len(FIRST) + 1) * len(texts)


def test_an_open_blank_may_stand_after_the_one_that_is_read(
    gpt2: CausalModel, slow: Callable[[str], SlowCausal]
) -> None:
    """The prior of the first slot: whatever comes in the second, and after it."""
    filled = gpt2.fill(queries(["The ___ is a ___ there.", "___ ___"]), FIRST).log_p
    reference = slow("gpt2")
    assert_allclose(filled, [reference.fill("The ___ is a", FIRST), reference.fill("___", FIRST)], atol=1e-5)


def test_an_open_blank_cannot_stand_before_it(gpt2: CausalModel) -> None:
    with pytest.raises(InputError, match=r"'The ___ is a ___\.' has an open blank left of the one that is read"):
        gpt2.fill([Query("The ___ is a ___.", 1)], FIRST)


# Whole texts.


@pytest.mark.parametrize("architecture", BEGIN)
def test_every_token_of_a_text(architecture: str, tiny_models: Folders, slow: Callable[[str], SlowCausal]) -> None:
    texts = ["The nurse said that she would be there.", "Amy", "Here is a über-cat.", "The nurse", "Amy"]
    scored = CausalModel.open(tiny_models(architecture, "causal"), tokens_per_batch=16).token_log_probs(texts)
    reference = slow(architecture)
    for text, of_text in zip(texts, scored, strict=True):
        encoded = reference.tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        assert list(of_text.ids) == encoded["input_ids"]
        assert [text[begin:end] for begin, end in of_text.spans] == [text[b:e] for b, e in encoded["offset_mapping"]]
        assert_allclose(of_text.log_p, reference.tokens(text), atol=1e-5)


# What is kept.


def test_nothing_is_computed_twice(tiny_models: Folders, tmp_path: Path) -> None:
    folder = tiny_models("llama", "causal")
    texts = ["The nurse is here.", "The nurse", "The nurse is a word, and there it is.", "The nurse is"]
    calls: list[int] = []

    def ask() -> tuple[Any, ...]:
        model = CausalModel.open(
            folder, cache=tmp_path, tokens_per_batch=16, progress=lambda done, _: calls.append(done)
        )
        return (
            model.fill(queries(TEXTS), WORDS).log_p,
            *model.joint(PAIRS, FIRST, LAST).log_p,
            *(scored.log_p for scored in model.token_log_probs(texts)),
        )

    first = ask()
    assert calls
    calls.clear()
    for one, other in zip(first, ask(), strict=True):
        assert_array_equal(one, other)
    assert not calls


def test_a_run_that_was_killed_goes_on_to_the_same_bits(tiny_models: Folders, tmp_path: Path) -> None:
    folder = tiny_models("gpt2", "causal")
    asked = queries(TEXTS)

    def stop(done: int, _total: int) -> None:
        if done > 40:
            raise KeyboardInterrupt

    options: dict[str, Any] = {"tokens_per_batch": 128}
    whole = CausalModel.open(folder, cache=tmp_path / "whole", **options).fill(asked, WORDS).log_p
    with pytest.raises(KeyboardInterrupt):
        CausalModel.open(folder, cache=tmp_path / "killed", progress=stop, **options).fill(asked, WORDS)
    left: list[int] = []
    again = CausalModel.open(folder, cache=tmp_path / "killed", progress=lambda _, total: left.append(total), **options)
    assert_array_equal(again.fill(asked, WORDS).log_p, whole)
    assert left[0] < len(TEXTS) * len(WORDS) - 40


def test_whole_texts_go_on_to_the_same_bits_as_well(tiny_models: Folders, tmp_path: Path) -> None:
    texts = [text.replace("___", word) for text in TEXTS for word in WORDS[:6]]
    texts += [text[: len(text) // 2] for text in texts]

    def scores(cache: Path, stop_after: int | None = None) -> list[Any]:
        def stop(done: int, _total: int) -> None:
            if stop_after is not None and done > stop_after:
                raise KeyboardInterrupt

        model = CausalModel.open(tiny_models("gpt2", "causal"), cache=cache, tokens_per_batch=64, progress=stop)
        return [scored.log_p for scored in model.token_log_probs(texts)]

    with pytest.raises(KeyboardInterrupt):
        scores(tmp_path / "killed", 20)
    for one, other in zip(scores(tmp_path / "killed"), scores(tmp_path / "whole"), strict=True):
        assert_array_equal(one, other)


@pytest.mark.parametrize("architecture", EVERY)
def test_half_precision_is_near(architecture: str, tiny_models: Folders) -> None:
    folder = tiny_models(architecture, "causal")
    full, half = (
        CausalModel.open(folder, dtype=dtype).fill(queries(TEXTS), WORDS).log_p for dtype in ("float32", "bfloat16")
    )
    assert_allclose(half, full, atol=0.5, rtol=0.05)  # a word of several tokens adds up their roundings
    assert not np.array_equal(half, full)


# Lost words.


def test_words_that_no_text_can_be_scored_with(gpt2: CausalModel) -> None:
    filled = gpt2.fill([Query(TEXTS[0])], ["nurse", "", " word", "a ___", "word"])
    assert filled.lost == {
        "": "it is empty",
        " word": "it begins or ends with a space",
        "a ___": "it contains a blank",
    }
    assert np.isnan(filled.log_p[0]).tolist() == [False, True, True, True, False]
    assert_allclose(np.exp(filled.log_p[0, [0, 4]]).sum(), 1)
    joint = gpt2.joint(PAIRS[:1], ["nurse", ""], ["word", " word", "a"])
    assert set(joint.lost) == {"", " word"}
    assert np.isnan(joint.log_p[0]).tolist() == [[False, True, False], [True, True, True]]
    assert_allclose(np.nansum(np.exp(joint.log_p[0])), 1)


def test_a_word_too_long_for_the_model(gpt2: CausalModel) -> None:
    filled = gpt2.fill([Query(TEXTS[0])], ["nurse", "word", "x" * 60])
    assert filled.lost == {"x" * 60: "with its tokens a text would be longer than the 48 that the model takes"}
    assert_allclose(np.exp(filled.log_p[0, :2]).sum(), 1)


@pytest.fixture
def word_pieces(tiny_models: Folders, tmp_path: Path) -> Path:
    """GPT-2 with the tokenizer of BERT, as some Chinese models have: it knows few characters, and frames each text."""
    folder = Path(shutil.copytree(tiny_models("gpt2", "causal"), tmp_path / "gpt2"))
    for file in ("vocab.json", "merges.txt", "tokenizer.json", "tokenizer_config.json"):
        (folder / file).unlink(missing_ok=True)
    tiny._bert().save_pretrained(folder)
    return folder


def test_a_word_that_the_tokenizer_does_not_know(word_pieces: Path) -> None:
    model = CausalModel.open(word_pieces)
    filled = model.fill([Query("The ___ is here.")], ["nurse", "ж", "violin", "\u200b"])
    assert filled.lost == {
        "ж": "the tokenizer does not know it, or a part of it",
        "\u200b": "the tokenizer finds no token in it",
    }
    reference = SlowCausal(word_pieces, "[CLS]")
    assert_allclose(filled.log_p[0, [0, 2]], reference.fill("The ___ is here.", ["nurse", "violin"]), atol=1e-5)


def test_a_table_names_the_words_that_are_lost_and_why(word_pieces: Path) -> None:
    """Those that are read, and those that stand in the sentence, in the form in which they would stand there."""
    table = blank_table(
        CausalModel.open(word_pieces),
        template_set("job", "name", "The {target:noun} is {feature}."),
        word_set("job", ["nurse", "ж"], Kind.PERSON).words,
        word_set("name", ["Amy", "Jeremy", "жж"], Kind.NAME).words,
        read_slot="feature",
    )
    unknown = "the tokenizer does not know it, or a part of it"
    assert table.lost == (Lost("жж", "name", unknown), Lost("ж", "job", unknown))
    assert np.isfinite(table.log_p[:, :1, :2]).all()


def test_without_a_token_before_the_first(word_pieces: Path) -> None:
    """The first token then follows nothing, and has no probability."""
    tokenizer = json.loads((word_pieces / "tokenizer.json").read_text("utf-8"))
    (word_pieces / "tokenizer.json").write_text(json.dumps(tokenizer | {"post_processor": None}), "utf-8")
    named = json.loads((word_pieces / "tokenizer_config.json").read_text("utf-8"))
    named = {key: value for key, value in named.items() if key not in ("cls_token", "sep_token")}
    (word_pieces / "tokenizer_config.json").write_text(
        json.dumps(named | {"tokenizer_class": "PreTrainedTokenizerFast"}), "utf-8"
    )
    config = json.loads((word_pieces / "config.json").read_text("utf-8"))
    (word_pieces / "config.json").write_text(json.dumps(config | {"bos_token_id": None, "eos_token_id": None}), "utf-8")
    model = CausalModel.open(word_pieces)
    assert model.settings["begins_with"] == ""
    filled = model.fill(queries(["___ is here.", "The ___ is here."]), ["nurse", "word"])
    assert np.isnan(filled.log_p[0]).all()
    assert np.isfinite(filled.log_p[1]).all()
    assert filled.lost["nurse"].startswith("it begins the text")
    assert np.isnan(model.joint(["___ is a ___."], ["nurse"], ["word"]).log_p[0]).all()
    tokens = model.token_log_probs(["the nurse"])[0].log_p
    assert np.isnan(tokens).tolist() == [True] + [False] * (len(tokens) - 1)


# Bad input.


@pytest.mark.parametrize(
    ("query", "words", "message"),
    [
        (Query("The nurse."), ["a"], r"'The nurse\.' has no blank"),
        (Query("The ____."), ["a"], "more underscores in a row"),
        (Query("The ___.", 1), ["a"], "has no blank number 1: it has 1"),
        (Query("The ___.", -1), ["a"], "has no blank number -1"),
        (Query("The ___."), [], "there is no word to fill the blank with"),
        (Query("The ___" + " nurse" * 50), ["a"], r"'The ___ nurse.*…' has \d+ tokens; .* takes at most 48"),
    ],
)
def test_a_query_that_cannot_be_answered(query: Query, words: list[str], message: str, gpt2: CausalModel) -> None:
    with pytest.raises(InputError, match=message):
        gpt2.fill([query], words)


def test_a_table_or_a_text_that_cannot_be_scored(gpt2: CausalModel) -> None:
    with pytest.raises(InputError, match="has 1 blanks; a table of two slots needs two"):
        gpt2.joint(["The ___."], ["a"], ["b"])
    with pytest.raises(InputError, match="no word to fill one of the two blanks"):
        gpt2.joint(["The ___ is ___."], ["a"], [])
    with pytest.raises(InputError, match=r"tokens; .* takes at most 48"):
        gpt2.joint(["The ___" + " nurse" * 50 + " ___"], ["a"], ["b"])
    with pytest.raises(InputError, match="the text '' has no token"):
        gpt2.token_log_probs(["The nurse.", ""])
    with pytest.raises(InputError, match=r"tokens; .* takes at most 48"):
        gpt2.token_log_probs(["nurse " * 50])


@pytest.mark.parametrize(("architecture", "head"), [("bert", "masked"), ("roberta", "masked"), ("xlnet", "causal")])
def test_a_model_that_reads_from_both_sides(architecture: str, head: str, tiny_models: Folders) -> None:
    with pytest.raises(ModelError, match="reads a text from both sides, so that it is no causal model"):
        CausalModel.open(tiny_models(architecture, head))


def test_a_model_of_another_kind(tiny_models: Folders) -> None:
    with pytest.raises(ModelError, match=r"a distilbert model is no causal language model.*kind='masked'"):
        CausalModel.open(tiny_models("distilbert", "masked"))
    with pytest.raises(ModelError, match=r"weights of its .* are not in the file"):
        CausalModel.open(tiny_models("llama"))
    with pytest.raises(ModelError, match="it should be 1 or more"):
        CausalModel.open(tiny_models("gpt2", "causal"), tokens_per_batch=0)


def test_it_runs_on_a_bare_machine(tiny_models: Folders) -> None:
    """With torch, transformers, numpy and scipy alone."""
    code = (
        "import sys\n"
        "from tiltmeter.models.causal import CausalModel\n"
        "from tiltmeter.models.lm import Query\n"
        f"CausalModel.open({str(tiny_models('gpt2', 'causal'))!r}).fill([Query('A ___.')], ['nurse', 'word'])\n"
        "extra = {'gguf', 'pydantic', 'polars', 'typer', 'pyarrow'} & set(sys.modules)\n"
        "sys.exit(str(extra) if extra else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
