"""Masked models against the plainest reference, the known traps, and bad input."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tiltmeter.errors import InputError, ModelError
from tiltmeter.models._forward import Forward
from tiltmeter.models._slices import Request
from tiltmeter.models._states import States
from tiltmeter.models.huggingface import open_model, open_tokenizer
from tiltmeter.models.lm import LanguageModel, Query
from tiltmeter.models.load import load_lm
from tiltmeter.models.masked import MaskedModel
from tiltmeter.models.tokens import token_ids

from .fill_reference import FILLINGS, Reference, head
from .tiny import ARCHITECTURES, MASKED, MAX_TOKENS

Folders = Callable[..., Path]

QUERIES = [
    Query("The ___ said that she would be there."),
    Query("___ is a programmer; the others are not."),
    Query("___ said that ___ would be there with the others, here and there", 0),
    Query("___ said that ___ would be there with the others, here and there", 1),
    Query("The nurse said that the ___, the father and the ___ are here.", 1),
    Query("Here is a ___."),
    Query("Here is ___"),
    Query("A woman (___) and a man."),
    Query("The ___'s children are lovely"),
    Query("The ___ said that she would be there."),
]
WORDS = ["nurse", "he", "programmer", "Amy", "She", "doctor", "mathematics", "fine weather", "nurse", "naïve"]


@pytest.fixture
def opened(lively_models: Folders) -> Callable[..., MaskedModel]:
    def opened(architecture: str, **options: Any) -> MaskedModel:
        return MaskedModel.open(lively_models(architecture, head(architecture)), **{"padding_text": False, **options})

    return opened


@pytest.fixture
def reference(lively_models: Folders) -> Callable[[str], Reference]:
    return lambda architecture: Reference(lively_models(architecture, head(architecture)), architecture)


@pytest.mark.parametrize("architecture", FILLINGS)
def test_every_architecture_equals_the_reference(
    architecture: str, opened: Callable[..., MaskedModel], reference: Callable[[str], Reference]
) -> None:
    slow = reference(architecture)
    expected = np.array([[slow.log_p(query, word) for word in WORDS] for query in QUERIES])
    filled = opened(architecture).fill(QUERIES, WORDS)
    assert_allclose(filled.log_p, expected, atol=1e-5, rtol=0)
    assert set(filled.lost) == {word for word, lost in zip(WORDS, np.isnan(expected).any(axis=0), strict=True) if lost}
    sizes = {len(slow.tokens(query, word)[2]) for query in QUERIES for word in WORDS}
    assert {1, 2, 3} <= sizes, "words of one token and of several take part"
    assert np.isfinite(expected).mean() >= 0.8


@pytest.mark.parametrize("tokens_per_batch", [1, 70, 10_000])
def test_the_batch_does_not_matter(tokens_per_batch: int, opened: Callable[..., MaskedModel]) -> None:
    for architecture in ("bert", "deberta-v2", "xlnet"):
        default = opened(architecture).fill(QUERIES, WORDS).log_p
        assert_allclose(
            opened(architecture, tokens_per_batch=tokens_per_batch).fill(QUERIES, WORDS).log_p, default, atol=1e-5
        )


def test_asking_again_or_in_another_order_computes_nothing_new(opened: Callable[..., MaskedModel]) -> None:
    model = opened("bert")
    assert isinstance(model, LanguageModel)
    model.prepare([(QUERIES[:4], WORDS), (QUERIES, WORDS[:5]), (QUERIES[4:], WORDS[5:])])
    prepared = model.texts_computed
    filled = model.fill(QUERIES, WORDS)
    again = model.fill(QUERIES[::-1], WORDS[::-1])
    assert model.texts_computed == prepared
    assert_allclose(again.log_p[::-1, ::-1], filled.log_p, atol=1e-6)


@pytest.mark.parametrize("kind", [tuple, list])
def test_what_was_prepared_is_answered_for_the_words_that_are_asked(
    kind: Callable[..., Any], opened: Callable[..., MaskedModel]
) -> None:
    queries, words = kind(QUERIES), kind([*WORDS, " he"])
    others = kind([*words[::-1], "woman"])
    right = opened("bert").fill(queries, words).log_p
    model = opened("bert")
    model.prepare([(queries, words), (queries, others)])
    computed = model.texts_computed
    assert_allclose(model.fill(queries, others).log_p[:, -2::-1], right, rtol=1e-6)
    if kind is list:
        words.append("woman")
    again = model.fill(queries, words)
    assert_allclose(again.log_p[:, : right.shape[1]], right, rtol=1e-6)
    assert again.log_p.shape == (len(queries), len(words))
    assert again.lost == {" he": "it begins or ends with a space"}
    assert model.texts_computed == computed


def test_one_pass_serves_all_words_of_one_token(opened: Callable[..., MaskedModel]) -> None:
    model = opened("bert")
    whole = ["nurse", "she", "he", "there", "nurse"]
    model.fill([Query("The ___ works."), Query("The ___ works."), Query("The ___ and the ___.", 1)], whole)
    assert model.texts_computed == 2
    model.fill([Query("The ___ and the ___.", 0)], whole)
    assert model.texts_computed == 2 + 1, "the other blank of a text that was asked for later"


def test_two_blanks_of_one_text_take_one_pass(opened: Callable[..., MaskedModel]) -> None:
    model = opened("bert")
    model.fill([Query("The ___ and the ___.", 0), Query("The ___ and the ___.", 1)], ["nurse", "she"])
    assert model.texts_computed == 1


def test_probabilities_of_all_tokens_sum_to_one(opened: Callable[..., MaskedModel]) -> None:
    chunks = list(opened("roberta").fill_vocabulary([Query("The ___ works.")], chunk=50))
    words = [word for part, _ in chunks for word in part]
    total = sum(float(np.exp(log_p).sum()) for _, log_p in chunks)
    assert len(words) == len(set(words)) > 30
    assert {"nurse", "woman", "she"} <= set(words)
    assert 0 < total < 1, "pieces of words hold the rest"


def test_the_vocabulary_equals_the_same_words_asked_for(opened: Callable[..., MaskedModel]) -> None:
    model = opened("bert")
    queries = [Query("The ___ works."), Query("___ works.")]
    for words, log_p in model.fill_vocabulary(queries):
        assert log_p.shape == (2, len(words))
        assert_allclose(log_p, model.fill(queries, words).log_p, atol=1e-6)


class TestTraps:
    """Each is a way to read a number that looks right. The reference makes the mistake; the model must not agree."""

    @pytest.mark.parametrize("architecture", ["bert", "roberta", "xlnet"])
    def test_the_prior_stands_at_its_own_mask(
        self, architecture: str, opened: Callable[..., MaskedModel], reference: Callable[[str], Reference]
    ) -> None:
        slow, text = reference(architecture), "The ___ said that the ___ is there."
        right, wrong = (slow.log_p(Query(text, blank), "nurse") for blank in (1, 0))
        assert abs(right - wrong) > 1e-3
        assert opened(architecture).fill([Query(text, 1)], ["nurse"]).log_p[0, 0] == pytest.approx(right, abs=1e-5)

    @pytest.mark.parametrize("architecture", ["bert", "roberta", "albert"])
    def test_positions_count_the_leading_special_token(
        self, architecture: str, opened: Callable[..., MaskedModel], reference: Callable[[str], Reference]
    ) -> None:
        slow, query = reference(architecture), Query("The ___ works.")
        ids, position, [piece] = slow.tokens(query, "nurse")
        found = opened(architecture).fill([query], ["nurse"]).log_p[0, 0]
        assert position == 2, "after the special token and the article"
        assert found == pytest.approx(slow.distribution(ids, 2)[piece], abs=1e-5)
        assert abs(found - slow.distribution(ids, 1)[piece]) > 1e-3

    @pytest.mark.parametrize("architecture", ["bert", "roberta", "xlm-roberta", "xlnet"])
    def test_a_word_is_all_of_its_tokens_and_each_sees_those_before_it(
        self, architecture: str, opened: Callable[..., MaskedModel], reference: Callable[[str], Reference]
    ) -> None:
        slow, query = reference(architecture), Query("The ___ works.")
        ids, position, pieces = slow.tokens(query, "programmer")
        assert len(pieces) > 2
        one_mask = slow.distribution(ids, position)
        found = opened(architecture).fill([query], ["programmer"]).log_p[0, 0]
        assert found == pytest.approx(slow.log_p(query, "programmer"), abs=1e-5)
        assert abs(found - one_mask[pieces[0]]) > 0.1, "the first token only"
        assert abs(found - one_mask[pieces].sum()) > 1e-3, "all tokens read at one mask"

    def test_the_chain_is_a_distribution(
        self, opened: Callable[..., MaskedModel], reference: Callable[[str], Reference]
    ) -> None:
        """Over all second tokens, P(first, second) sums to P(first | two masks)."""
        slow, query = reference("bert"), Query("The ___ works.")
        ids, position, [nurse, ry] = slow.tokens(query, "nursery")
        two = [*ids[:position], slow.mask, *ids[position:]]
        first, second = (
            slow.distribution(two, position),
            slow.distribution([*ids[:position], nurse, *ids[position:]], position + 1),
        )
        assert np.exp(second).sum() == pytest.approx(1)
        found = opened("bert").fill([query], ["nursery"]).log_p[0, 0]
        assert found == pytest.approx(first[nurse] + second[ry], abs=1e-5)

    def test_a_word_inside_a_sentence_has_its_leading_space(
        self, opened: Callable[..., MaskedModel], reference: Callable[[str], Reference]
    ) -> None:
        slow, model = reference("roberta"), opened("roberta")
        inside, first, token = Query("The ___ said."), Query("___ said."), slow.tokenizer.convert_tokens_to_ids
        ids, position, _ = slow.tokens(inside, "nurse")
        assert slow.tokenizer.convert_ids_to_tokens(ids) == ["<s>", "The", "<mask>", "Ġsaid", ".", "</s>"]
        log_p = slow.distribution(ids, position)
        assert model.fill([inside], ["nurse"]).log_p[0, 0] == pytest.approx(log_p[token("Ġnurse")], abs=1e-5)
        ids, position, [piece] = slow.tokens(first, "The")
        assert piece == token("The") != token("ĠThe")
        assert model.fill([first], ["The"]).log_p[0, 0] == pytest.approx(
            slow.distribution(ids, position)[piece], abs=1e-5
        )

    @pytest.mark.parametrize("architecture", ["bert", "albert"])
    def test_a_cased_name_in_a_lower_cased_model(self, architecture: str, opened: Callable[..., MaskedModel]) -> None:
        filled = opened(architecture).fill([Query("___ works.")], ["Amy", "amy", "AMY"])
        assert filled.lost == {}
        assert np.isfinite(filled.log_p).all()
        assert len(set(filled.log_p[0])) == 1

    def test_a_cased_model_keeps_case(self, opened: Callable[..., MaskedModel]) -> None:
        filled = opened("roberta").fill([Query("___ works.")], ["Amy", "amy"])
        assert len(set(filled.log_p[0])) == 2

    def test_duplicates_keep_their_places(self, opened: Callable[..., MaskedModel]) -> None:
        queries = [Query("The ___ works."), Query("A ___ works."), Query("The ___ works.")]
        log_p = opened("bert").fill(queries, ["nurse", "she", "nurse"]).log_p
        assert log_p.shape == (3, 3)
        assert_allclose(log_p[2], log_p[0], atol=0)
        assert_allclose(log_p[:, 2], log_p[:, 0], atol=0)
        assert abs(log_p[0, 0] - log_p[1, 0]) > 1e-3

    def test_nothing_sees_the_content_of_a_blank_of_xlnet(self, lively_models: Folders) -> None:
        model = open_model(lively_models("xlnet", "causal"), auto="AutoModelForCausalLM")
        forward = Forward("xlnet", model, mask_id=6)
        assert forward.permutes
        states = States(forward, fingerprint="", identity={})
        texts = [(20, 30, blank, 40, 50, 4, 3) for blank in (6, 21, 33)]
        same = states.log_p([Request(ids, 2) for ids in texts], slice(None))
        assert_allclose(same[1:], same[[0, 0]], atol=1e-6)
        other_blank_open = states.log_p([Request((20, 6, 6, 40, 50, 4, 3), 2)], slice(None))
        assert np.abs(other_blank_open - same[:1]).max() > 1e-3, "what is not a blank is seen"

    def test_a_model_that_does_not_permute_sees_what_stands_in_the_blank(self, lively_models: Folders) -> None:
        """So that the test above means something."""
        forward = Forward("bert", open_model(lively_models("bert", "masked"), auto="AutoModelForMaskedLM"), mask_id=4)
        states = States(forward, fingerprint="", identity={})
        log_p = states.log_p([Request((2, 20, blank, 40, 3), 2) for blank in (4, 21)], slice(None))
        assert np.abs(log_p[0] - log_p[1]).max() > 1e-3


def test_xlnet_reads_a_padding_text_first(lively_models: Folders, reference: Callable[[str], Reference]) -> None:
    folder, slow = lively_models("xlnet", "causal"), reference("xlnet")
    queries, words = QUERIES[:4], ["nurse", "he", "Amy"]
    padding = "The road runs along the river."
    before = [*slow.tokenizer(padding, add_special_tokens=False)["input_ids"], slow.tokenizer.eos_token_id]
    before = before[-(MAX_TOKENS // 2) :]
    expected = [
        [slow.log_p(query, word, before=before if len(slow.tokens(query, word)[0]) <= 8 else []) for word in words]
        for query in (Query("The ___."), Query("___"))
    ]
    model = MaskedModel.open(folder, padding_text=padding)
    assert model.settings["padding_text"] == padding
    assert_allclose(model.fill([Query("The ___."), Query("___")], words).log_p, expected, atol=1e-5)
    without = MaskedModel.open(folder, padding_text=False).fill(queries, words).log_p
    assert np.abs(MaskedModel.open(folder).fill([Query("The ___.")], words).log_p - expected[0]).max() > 1e-3
    assert MaskedModel.open(folder).settings["padding_text"].startswith("The road runs along")
    assert MaskedModel.open(lively_models("bert", "masked")).settings["padding_text"] == ""
    long = Query("The ___ said that the woman, the man, the father and the mother are there with others.")
    assert_allclose(
        MaskedModel.open(folder, padding_text=padding).fill([long], words).log_p,
        MaskedModel.open(folder, padding_text=False).fill([long], words).log_p,
        atol=1e-6,
    )
    assert np.isfinite(without).all()


@pytest.mark.parametrize("architecture", FILLINGS)
def test_log_probabilities_of_true_tokens(
    architecture: str, opened: Callable[..., MaskedModel], reference: Callable[[str], Reference]
) -> None:
    """One token masked at a time, as for pseudo-log-likelihoods."""
    model, slow = opened(architecture), reference(architecture)
    texts = ["The nurse is there.", "A woman and a man are here together.", "The nurse is there."]
    tokens = model.sentence_tokens(texts)
    asked = [(text.ids, place) for text in tokens for place, special in enumerate(text.special) if not special]
    expected = [
        slow.distribution([*ids[:place], slow.mask, *ids[place + 1 :]], place)[ids[place]] for ids, place in asked
    ]
    found = model.masked_token_log_probs(asked)
    assert_allclose(found, expected, atol=1e-5)
    assert model.texts_computed == len(set(asked))


class TestBadInput:
    def test_a_model_without_a_mask(self, tiny_models: Folders) -> None:
        with pytest.raises(ModelError, match=r"reads from left to right only.*kind='causal'"):
            MaskedModel.open(tiny_models("gpt2", "causal"))

    def test_a_tokenizer_without_a_mask(self, tiny_models: Folders, tmp_path: Path) -> None:
        folder = shutil.copytree(tiny_models("bert", "masked"), tmp_path / "model")
        (folder / "special_tokens_map.json").unlink(missing_ok=True)
        for name in ("tokenizer_config.json", "tokenizer.json"):
            settings = json.loads((folder / name).read_text())
            settings.pop("mask_token", None)
            if name == "tokenizer_config.json":
                settings["tokenizer_class"] = "PreTrainedTokenizerFast"
            (folder / name).write_text(json.dumps(settings))
        with pytest.raises(ModelError, match=r"no mask token.*kind='causal'"):
            MaskedModel.open(folder)

    def test_a_model_without_a_language_modelling_head(self, tiny_models: Folders) -> None:
        with pytest.raises(ModelError, match="weights of its BertForMaskedLM are not in the file"):
            MaskedModel.open(tiny_models("bert"))
        with pytest.raises(ModelError, match=r"BertModel has no language modelling head.*ForMaskedLM"):
            load_lm(tiny_models("bert"))

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("The nurse works.", r"'The nurse works\.' has no blank\. Write ___ where"),
            ("", r"has no blank"),
            ("The [MASK] works.", r"holds the model's own mask '\[MASK\]'\. Write a blank as ___"),
            ("The ______ works.", r"more underscores in a row"),
            ("The ___ " + "nurse " * 60, r"has 64 tokens; .* takes at most 48\. Shorten it"),
            ("nurse " * 60 + "___", r"'nurse nurse .*…' has 63 tokens"),
        ],
    )
    def test_texts(self, text: str, message: str, opened: Callable[..., MaskedModel]) -> None:
        with pytest.raises(InputError, match=message):
            opened("bert").fill([Query("The ___ works."), Query(text)], ["nurse"])

    @pytest.mark.parametrize("blank", [1, -1, 10**9])
    def test_a_blank_that_is_not_there(self, blank: int, opened: Callable[..., MaskedModel]) -> None:
        with pytest.raises(InputError, match=rf"has no blank {blank}: it has 1, counted from 0"):
            opened("bert").fill([Query("The ___ works.", blank)], ["nurse"])

    def test_no_words(self, opened: Callable[..., MaskedModel]) -> None:
        with pytest.raises(InputError, match="there is no word to fill the blank with"):
            opened("bert").fill([Query("The ___ works.")], [])

    def test_no_queries(self, opened: Callable[..., MaskedModel]) -> None:
        assert opened("bert").fill([], ["nurse"]).log_p.shape == (0, 1)

    def test_words_that_cannot_be_scored(self, opened: Callable[..., MaskedModel]) -> None:
        words = ["nurse", "", "  ", " nurse", "李", "a [MASK] b", "___", "nurse" * 60]
        filled = opened("bert").fill([Query("The ___ works.")], words)
        assert np.isfinite(filled.log_p[0, 0])
        assert np.isnan(filled.log_p[0, 1:]).all()
        assert filled.lost == {
            "": "it is empty",
            "  ": "it is empty",
            " nurse": "it begins or ends with a space",
            "李": "the tokenizer does not know it, or a part of it",
            "a [MASK] b": "it contains a blank",
            "___": "it contains a blank",
            "nurse" * 60: filled.lost["nurse" * 60],
        }

    def test_a_word_too_long_for_one_text_only(self, opened: Callable[..., MaskedModel]) -> None:
        queries = [Query("The ___ works."), Query("The ___ " + "nurse " * 40)]
        filled = opened("bert").fill(queries, ["nurse", "mathematics and algebra"])
        assert np.isnan(filled.log_p).tolist() == [[False, False], [False, True]]
        assert "longer than the 48 that the model takes" in filled.lost["mathematics and algebra"]

    def test_unknown_models(self, tmp_path: Path, tiny_models: Folders) -> None:
        with pytest.raises(ModelError, match="no file or folder"):
            load_lm(tmp_path / "nowhere")
        with pytest.raises(ModelError, match=r"no kind of language model is called 'maskd'. Did you mean 'masked'\?"):
            load_lm(tiny_models("bert", "masked"), kind="maskd")
        with pytest.raises(ModelError, match=r"kind 'masked', which has no option 'paddin_text'.*'padding_text'"):
            load_lm(tiny_models("bert", "masked"), paddin_text=True)
        vectors = tmp_path / "vectors.txt"
        vectors.write_text("nurse 1 2\n")
        with pytest.raises(ModelError, match="file of vectors, not a language model"):
            load_lm(vectors)

    def test_options(self, tiny_models: Folders) -> None:
        folder = tiny_models("bert", "masked")
        with pytest.raises(ModelError, match="tokens_per_batch is 0"):
            MaskedModel.open(folder, tokens_per_batch=0)
        with pytest.raises(ModelError, match="no precision is called 'int3'"):
            MaskedModel.open(folder, dtype="int3")
        with pytest.raises(ModelError, match="the padding text holds the mask"):
            MaskedModel.open(folder, padding_text="a [MASK]")


@pytest.mark.parametrize("architecture", FILLINGS)
def test_the_kind_is_seen_from_the_configuration(architecture: str, tiny_models: Folders) -> None:
    model = load_lm(tiny_models(architecture, head(architecture)))
    assert isinstance(model, MaskedModel)
    assert model.settings["kind"] == "masked"
    assert model.settings["normalised"] == "over the vocabulary"
    assert len(model.fingerprint) == 64


@pytest.mark.parametrize("architecture", MASKED)
def test_half_precision_is_near(architecture: str, opened: Callable[..., MaskedModel]) -> None:
    full, half = (opened(architecture, dtype=dtype).fill(QUERIES, WORDS[:3]).log_p for dtype in ("float32", "bfloat16"))
    assert 0 < np.abs(full - half).max() < 0.5


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_a_model_that_fails_in_half_precision(dtype: str, opened: Callable[..., MaskedModel]) -> None:
    """XLNet as transformers has it; on a GPU, where the others are halved, its default is float32."""
    with pytest.raises(ModelError, match=rf"a XLNetLMHeadModel cannot compute in {dtype} .* Use dtype='float32'"):
        opened("xlnet", dtype=dtype)


def test_importing_needs_torch_transformers_and_numpy_alone() -> None:
    import subprocess
    import sys

    code = (
        "import sys\n"
        "for name in ('pydantic', 'polars', 'typer', 'gguf', 'pyarrow', 'matplotlib'): sys.modules[name] = None\n"
        "import tiltmeter.models.masked\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_ids_in_bulk_are_those_of_the_tokenizer(architecture: str, tiny_models: Folders) -> None:
    tokenizer = open_tokenizer(tiny_models(architecture))
    texts = ["The nurse, the father and Amy's mother.", "", "  A  woman", "naïve 李", "nurse " * 100]
    for special in (True, False):
        plain = [tokenizer(text, add_special_tokens=special, verbose=False)["input_ids"] for text in texts]
        tokenizer(texts, truncation=True, max_length=5)  # leaves its settings in the tokenizer
        tokenizer.backend_tokenizer.enable_padding(length=150)
        assert token_ids(tokenizer, texts, special=special) == plain
