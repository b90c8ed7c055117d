"""Grammar must not be counted as bias: two versions of a sentence made one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltmeter.metrics.agreement import over_versions
from tiltmeter.metrics.logprob import bias_scores

NAN = float("nan")


def test_by_hand() -> None:
    """p = (0.6 + 0.2) / 2 = 0.4 and prior = (0.1 + 0.3) / 2 = 0.2: the word is twice as likely beside this name."""
    log_p, log_prior = np.log([[[0.6]], [[0.2]]]), np.log([[[0.1]], [[0.3]]])
    p, prior = over_versions(log_p, log_prior, [(0, 1)])
    assert np.exp(p) == pytest.approx(0.4)
    assert np.exp(prior) == pytest.approx(0.2)
    assert bias_scores(p, prior) == pytest.approx(np.log(2))


@given(st.floats(1e-6, 0.5), st.floats(0.05, 0.95))
def test_a_model_that_knows_grammar_and_nothing_else_has_no_bias(slip: float, women: float) -> None:
    """A version that does not agree has `slip` of the word's probability; `women` is how many names are women's.

    The prior is what the model says where the name is open, so that it mixes the two. With equal shares no name differs
    from it, however strict the grammar; with others all names differ by the same, so that no link can come of it.
    """
    word = 0.01
    agrees = np.array([[1 - slip, slip], [slip, 1 - slip]])  # versions × (a man's name, a woman's name)
    log_p = np.log(word * agrees)[:, :, None]
    log_prior = np.log(word * (agrees @ [1 - women, women]))[:, None, None] * np.ones((1, 2, 1))
    man, woman = bias_scores(*over_versions(log_p, log_prior, [(0, 1)]))[:, 0]
    assert man == pytest.approx(woman, abs=1e-9)
    assert man == pytest.approx(0, abs=1e-9)
    alone = bias_scores(log_p[:1], log_prior[:1])[:, 0]  # the masculine form only: grammar counted as bias
    assert (abs(alone[0] - alone[1]) > 1e-3) is (abs(np.log((1 - slip) / slip)) > 1e-3)


def test_a_link_beyond_grammar_is_kept_whole() -> None:
    """A word three times as likely beside one woman's name as beside another keeps its log 3."""
    log_p = np.log([[[1e-9], [1e-9]], [[0.03], [0.01]]])
    log_prior = np.log([[[0.01], [0.01]], [[0.01], [0.01]]])
    score = bias_scores(*over_versions(log_p, log_prior, [(0, 1)]))[:, 0]
    assert score[0] - score[1] == pytest.approx(np.log(3), abs=1e-6)


def test_the_two_versions_do_not_count_as_two_templates() -> None:
    log_p = np.log(np.full((5, 2, 3), 0.1))
    p, prior = over_versions(log_p, log_p, [(0, 1), (2,), (3, 4)])
    assert p.shape == prior.shape == (3, 2, 3)
    assert np.allclose(p, np.log(0.1))


def test_without_versions_nothing_changes() -> None:
    log_p = np.random.default_rng(0).normal(size=(3, 2, 2)) - 5
    p, prior = over_versions(log_p, log_p - 1, [(0,), (1,), (2,)])
    assert np.array_equal(p, log_p)
    assert np.array_equal(prior, log_p - 1)


def test_one_version_alone_says_nothing() -> None:
    """The form that is left is likelier of one gender: grammar would be counted as bias."""
    log_p, log_prior = np.log([[[0.2, 0.2]], [[0.4, 0.4]]]), np.log([[[0.1, 0.3]], [[0.1, 0.1]]])
    log_prior[0, 0, 0] = NAN
    p, prior = over_versions(log_p, log_prior, [(0, 1)])
    assert np.isnan([p[0, 0, 0], prior[0, 0, 0]]).all()
    assert np.exp([p[0, 0, 1], prior[0, 0, 1]]) == pytest.approx([0.3, 0.2])


def test_a_version_in_which_a_word_is_impossible_counts() -> None:
    log_p = np.array([[[-np.inf]], [[np.log(0.4)]]])
    p, prior = over_versions(log_p, np.log([[[0.1]], [[0.1]]]), [(0, 1)])
    assert np.exp([p[0, 0, 0], prior[0, 0, 0]]) == pytest.approx([0.2, 0.1])
