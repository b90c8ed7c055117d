"""Whatever the schema allows, and much that it does not, gets an answer that the schema names, and never a 500."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("schemathesis", reason="needs schemathesis")

import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tiltmeter.explorer.queries import ASKED

from .ask import API

_CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
# Of what takes long to compute, the smallest.
_QUICK = {"targets": "beverage", "features": "gender", "method": "pca", "by": ["gender"], "sensitive": "gender", "k": 3}
_SENTENCES = {"a": "The nurse is ___.", "b": "The engineer is ___."}


@pytest.fixture(scope="module")
def schema(explorer_address: str) -> Any:
    return schemathesis.openapi.from_url(f"{explorer_address.rstrip('/')}{API}/openapi.json")


def test_the_schema_names_every_address(schema: Any) -> None:
    paths = {f"{API}/catalogue", *(f"{API}/{way}{name}" for name in ASKED for way in ("", "progress/"))}
    assert set(schema.raw_schema["paths"]) == paths


def _cases() -> Iterator[Any]:
    for name in ("catalogue", *ASKED, "progress/cell"):
        for mode in GenerationMode:
            if name != "catalogue" or mode is GenerationMode.POSITIVE:  # it has no parameters that could be wrong
                yield pytest.param(name, mode, id=f"{name}-{mode.value}")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "mode"), list(_cases()))
def test_every_request_is_answered_as_the_schema_says(schema: Any, name: str, mode: GenerationMode) -> None:
    operation = schema[f"{API}/{name}"]["GET"]

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    def check(case: Any) -> None:
        case.call_and_validate(checks=_CHECKS, timeout=60)

    @given(case=operation.as_strategy(generation_mode=mode))
    @settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    def check_what_can_be_computed(case: Any) -> None:
        """Names of models and categories that chance would never find."""
        case.query.pop("model", None)
        known = _QUICK | (_SENTENCES if name == "blanks" else {})
        case.query.update({one: known[one] for one in known.keys() & case.query.keys()})
        if name == "compare":
            case.query["with"] = "other"
        case.query.update({"targets": "beverage", "features": "gender"})
        case.call_and_validate(checks=_CHECKS, timeout=60)

    check()
    if mode is GenerationMode.POSITIVE:
        check_what_can_be_computed()
