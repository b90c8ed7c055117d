"""What is wrong with a spec, in our own words: the line, the key, what stands there, and what belongs there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from tiltmeter.errors import InputError, did_you_mean
from tiltmeter.runs.yaml_text import Place, YamlText

_BELONGS: Mapping[str, str] = {
    "string_type": "text",
    "list_type": "a list",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a number that is not infinite",
}
_ENTRIES: Mapping[str, str] = {
    "models": "Write the path of a model, or a table that begins with path:.",
    "metrics": "Write the name of a metric, or a table that begins with metric:.",
}


def explained(text: YamlText, error: ValidationError, fields: Callable[[Sequence[int | str]], list[str]]) -> InputError:
    """The first thing that is wrong; a key that is missing may be there under a wrong name.

    `fields` gives the keys that are known where an error stands.
    """
    errors = error.errors(include_url=False)
    found = errors[0]
    if found["type"] == "missing":
        beside = (one for one in errors if one["type"] == "extra_forbidden" and one["loc"][:-1] == found["loc"][:-1])
        found = next(beside, found)
    place = _place(text.value, found["loc"])
    key = next((step for step in reversed(place) if isinstance(step, str)), "the spec")
    given, context = found.get("input"), found.get("ctx", {})
    number = f", entry {place[-1] + 1}," if place and isinstance(place[-1], int) else ""
    is_so = f"{key}{number} is {_shown(given)}"
    match found["type"]:
        case "extra_forbidden":
            known = fields(found["loc"])
            hint = did_you_mean(key, known) or f"Known here: {', '.join(known)}."
            return text.error(f"there is no key {key!r:.60} here.", place, hint)
        case "missing":
            return text.error(f"the key {found['loc'][-1]!r} is missing.", place, "Add it.")
        case "union_tag_not_found":
            return text.error("this entry names no metric.", place, "Write metric: and its name.")
        case "union_tag_invalid":
            tag = str(context.get("tag"))
            metrics = [one.strip("'") for one in str(context["expected_tags"]).split(", ")]
            hint = did_you_mean(tag, metrics) or f"There are: {', '.join(metrics)}."
            return text.error(f"there is no metric {tag!r:.60}.", (*place, "metric"), hint)
        case "literal_error":
            expected = str(context["expected"])
            near = did_you_mean(given, [one.strip("'") for one in expected.replace(" or ", ", ").split(", ")]) if (
                isinstance(given, str)
            ) else None  # fmt: skip
            return text.error(f"{is_so}.", place, near or f"It may be: {expected}.")
        case "model_type" | "model_attributes_type" | "dict_type":
            return text.error(f"{is_so}.", place, _ENTRIES.get(key))
        case kind if kind in _BELONGS:
            return text.error(f"{is_so}: it should be {_BELONGS[kind]}.", place, _written(key, kind, given))
        case "too_short" | "string_too_short":
            return text.error(f"{is_so}: it is empty.", place, "Write what belongs there, or leave the key out.")
        case "too_long" | "string_too_long":
            unit = "entries" if found["type"] == "too_long" else "characters"
            return text.error(f"{is_so}: it has more than {context['max_length']:,} {unit}.", place, None)
        case _:
            return text.error(f"{is_so}: it {found['msg'].removeprefix('Input ')}.", place, None)


def _written(key: str, kind: str, given: Any) -> str | None:
    """How to write a value so that it is what belongs there."""
    if kind == "list_type" and isinstance(given, str | int | float):
        return f"Write {key}: [{_shown(given).strip(chr(39)):.60}]."
    if kind == "string_type" and isinstance(given, int | float):
        return f'Put it into quotes: "{_shown(given)}".'
    return "Write a value, or leave the key out." if given is None else None


def _shown(given: Any) -> str:
    """A value as YAML spells it."""
    if given is None:
        return "empty"
    return str(given).lower() if isinstance(given, bool) else f"{given!r:.60}"


def _place(value: Any, location: tuple[int | str, ...]) -> Place:
    """Where in the document an error stands; pydantic adds the names of alternatives, and what is missing."""
    place: list[str | int] = []
    for step in location:
        inside = step in value if isinstance(value, dict) else isinstance(value, list) and step in range(len(value))
        if inside:
            value = value[step]
            place.append(step)
    return tuple(place)
