"""CrowS-Pairs on models: the likelihoods are those of the published algorithm, worked out one mask at a time."""

from __future__ import annotations

import json
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

pytest.importorskip("torch", reason="language models need the extra 'lm'")

from tests.models.causal_reference import SlowCausal
from tests.models.fill_reference import Reference, head
from tests.models.tiny import build
from tiltmeter.errors import InputError
from tiltmeter.lexicon.pairs import PairSet, SentencePair
from tiltmeter.measure.crows import crows
from tiltmeter.models.load import load_lm

PAIRS = (
    SentencePair(
        "The nurse said that she would be there.", "The nurse said that he would be there.", "stereo", "gender"
    ),
    SentencePair("A man is here with them.", "A programmer and a woman are here.", "antistereo", "gender"),
    SentencePair("The mother likes mathematics.", "The father, the father likes mathematics.", "stereo", "age"),
    SentencePair("The nurse said that she would be there.", "Jeremy said that she would be there.", "stereo", ""),
)
Made = Callable[[str, str], Path]


@pytest.fixture
def made(tmp_path: Path) -> Made:
    """Models whose words matter to each other."""
    return lambda architecture, head: build(tmp_path / architecture, architecture, head, spread=0.2)


def pair_set(*pairs: SentencePair) -> PairSet:
    return PairSet("pairs", "en", pairs or PAIRS, "written here")


def shared(one: list[int], other: list[int]) -> tuple[list[int], list[int]]:
    """The places of the tokens that both have, as the published code finds them."""
    parts = SequenceMatcher(None, [str(token) for token in one], [str(token) for token in other]).get_opcodes()
    equal = [part for part in parts if part[0] == "equal"]
    return (
        [place for _, begin, end, _, _ in equal for place in range(begin, end)],
        [place for _, _, _, begin, end in equal for place in range(begin, end)],
    )


@pytest.mark.parametrize("architecture", ["bert", "roberta", "albert"])
def test_a_masked_model_gives_the_published_pseudo_log_likelihoods(architecture: str, made: Made) -> None:
    folder = made(architecture, head(architecture))
    reference = Reference(folder, architecture)
    result = crows(load_lm(folder), pair_set(), resamples=100)
    for index, pair in enumerate(PAIRS):
        both = [list(reference.tokenizer(text)["input_ids"]) for text in (pair.more, pair.less)]
        for ids, places, found in zip(both, shared(*both), (result.log_more, result.log_less), strict=True):
            masked = [[*ids[:place], reference.mask, *ids[place + 1 :]] for place in places]
            tokens = zip(masked[1:-1], places[1:-1], strict=True)  # all but the first and last, which frame the text
            pll = sum(reference.distribution(row, place)[ids[place]] for row, place in tokens)
            assert found[index] == pytest.approx(pll, abs=1e-4)
    assert result.scores.overall.preferred == int((result.log_more > result.log_less).sum())
    assert [row.details["part"] for row in result.measurements()][:4] == [
        "all",
        "stereotype",
        "antistereotype",
        "gender",
    ]


def test_a_causal_model_gives_the_likelihoods_of_the_same_tokens(made: Made) -> None:
    folder = made("gpt2", "causal")
    reference = SlowCausal(folder, "<|endoftext|>")
    result = crows(load_lm(folder), pair_set(), resamples=100)
    for index, pair in enumerate(PAIRS):
        texts = (pair.more, pair.less)
        both = [reference.tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]
        for text, places, found in zip(texts, shared(*both), (result.log_more, result.log_less), strict=True):
            assert found[index] == pytest.approx(reference.tokens(text)[places].sum(), abs=1e-4)
    assert result.settings["likelihood"] == "log-likelihood of shared tokens, given what precedes"


@pytest.mark.parametrize(("architecture", "head"), [("bert", "masked"), ("gpt2", "causal")])
def test_pairs_that_cannot_be_scored_are_lost_with_the_reason(architecture: str, head: str, made: Made) -> None:
    model = load_lm(made(architecture, head))
    long = SentencePair("The man is " + "here, " * 60 + "there.", "The woman is there.")
    nothing = SentencePair("nurse", "woman")
    result = crows(model, pair_set(PAIRS[0], long, *PAIRS[1:], nothing), resamples=100)
    assert_allclose(result.log_more, crows(model, pair_set(), resamples=100).log_more, atol=1e-5)
    assert result.pairs == PAIRS
    too_long, unlike = result.lost
    assert (too_long.word, unlike.word) == (long.more, "nurse")
    assert "the model takes at most 48" in too_long.reason
    assert unlike.reason == "the two sentences share no token"
    with pytest.raises(InputError, match=r"can score none of the pairs of pairs\. 'nurse': the two sentences share no"):
        crows(model, pair_set(nothing))
    with pytest.raises(InputError, match=r"can score none of the pairs of pairs\. .* at most 48"):
        crows(model, pair_set(long))


def test_without_a_token_before_the_first_the_rest_is_compared(made: Made) -> None:
    """The first token then has no probability; a pair is not lost for that, unless it shares no other."""
    folder = made("gpt2", "causal")
    for name in ("config.json", "tokenizer_config.json"):
        known = json.loads((folder / name).read_text("utf-8"))
        known = {key: value for key, value in known.items() if not key.startswith(("bos_token", "eos_token"))}
        known |= (
            {"tokenizer_class": "PreTrainedTokenizerFast"} if name.startswith("tokenizer") else {"bos_token_id": None}
        )
        (folder / name).write_text(json.dumps(known | {"eos_token_id": None}), "utf-8")
    model = load_lm(folder)
    assert model.settings["begins_with"] == ""
    begins_alike, begins_otherwise = PAIRS[0], PAIRS[3]
    only_the_first = SentencePair("The", "The")
    result = crows(model, pair_set(begins_alike, begins_otherwise, only_the_first), resamples=100)
    assert result.pairs == (begins_alike, begins_otherwise)
    assert np.isfinite([result.log_more, result.log_less]).all()
    assert [lost.reason for lost in result.lost] == ["the two sentences share only a token with nothing before it"]
