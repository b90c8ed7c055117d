"""JSON objects that come with a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tiltmeter.errors import InputError
from tiltmeter.lexicon.source_text import read


def read_json(path: Path) -> dict[str, Any]:
    """The object in a JSON file of bounded size."""
    value = read_json_value(path)
    if not isinstance(value, dict):
        raise InputError("should hold a JSON object.", where=path, hint="Download the model again.")
    return value


def read_json_value(path: Path) -> Any:
    try:
        return json.loads(read(path).text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"is not JSON ({error.msg}).", where=path, line=error.lineno, hint="Download the model again."
        ) from None
    except RecursionError:
        raise InputError("is nested too deeply.", where=path, hint="Download the model again.") from None
