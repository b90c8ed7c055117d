"""What goes over the wire comes back as it was, as far as it says."""

from __future__ import annotations

import gzip

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tiltmeter.explorer.wire import binary_body, coarse, json_body, plain, quantised

from .ask import API, SMALL, Ask, decoded


@given(st.lists(st.floats(-50, 50) | st.just(float("nan")), min_size=1, max_size=40))
def test_quantised_scores_are_half_a_step_off_at_most(values: list[float]) -> None:
    table = np.array(values)
    numbers, scale = quantised(table)
    known = np.isfinite(table)
    np.testing.assert_array_equal(numbers == -32768, ~known)
    np.testing.assert_allclose(numbers[known] * scale, table[known], atol=0.5001 * scale)


@given(st.floats(1e-30, 1.0))
def test_coarse_p_values_keep_three_digits(p: float) -> None:
    assert abs(float(coarse([p])[0]) - p) <= p * 2**-11


@given(st.text(max_size=30), st.integers(1, 5), st.integers(1, 5))
def test_a_binary_body_is_read_as_it_was_written(text: str, rows: int, columns: int) -> None:
    scores = np.linspace(-1, 1, rows * columns).reshape(rows, columns)
    body = binary_body(
        {"shape": [rows, columns], "text": text},
        {"score": quantised(scores), "n": (np.arange(rows * columns, dtype="<u2"), None)},
    )
    table = decoded(body.content)
    assert table.header["text"] == text
    np.testing.assert_allclose(table.arrays["score"], scores, atol=2e-5)
    np.testing.assert_array_equal(table.arrays["n"].ravel(), np.arange(rows * columns))


def test_json_has_null_for_what_is_no_number() -> None:
    assert json_body({"a": np.nan, "b": np.array([1.0, np.inf]), "c": np.int64(3)}).content == (
        b'{"a":null,"b":[1.0,null],"c":3}'
    )
    assert plain((0.1 + 0.2,)) == [0.3]


def test_an_answer_that_the_browser_has_is_not_sent_again(ask: Ask) -> None:
    first = ask.client.get(f"{API}/table", params=SMALL)
    again = ask.client.get(f"{API}/table", params=SMALL, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert ask.client.get(f"{API}/table", params=SMALL, headers={"If-None-Match": '"other"'}).status_code == 200


def test_answers_are_compressed_for_those_who_take_it(ask: Ask) -> None:
    whole = ask.client.get(f"{API}/catalogue", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in whole.headers
    with ask.client.stream("GET", f"{API}/catalogue", headers={"Accept-Encoding": "br, gzip;q=0.5"}) as response:
        raw = b"".join(response.iter_raw())
    assert response.headers["content-encoding"] == "gzip"
    assert gzip.decompress(raw) == whole.content
    assert len(raw) < len(whole.content) / 2
    refused = ask.client.get(f"{API}/catalogue", headers={"Accept-Encoding": "gzip;q=0"})
    assert "content-encoding" not in refused.headers
