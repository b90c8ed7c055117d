"""What the server answers when it cannot: one shape for all errors, in words that say what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tiltmeter.errors import InputError, ModelError, TiltmeterError
from tiltmeter.explorer.computations import BusyError
from tiltmeter.measurement import Lost


class RefusalError(TiltmeterError):
    """A request that cannot be answered, and why."""

    def __init__(
        self, status: int, code: str, message: str, *, hint: str | None = None, lost: Sequence[Lost] = ()
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.hint, self.lost = status, code, message, hint, tuple(lost)


class NotHereError(RefusalError):
    """A model or run cannot do what is asked of it, though another could."""

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(409, "not_here", message, hint=hint)


_FAULTS = {
    "missing": "is missing",
    "string_too_short": "is empty",
    "string_too_long": "has more than {max_length} characters",
    "too_long": "is given more than {max_length} times",
    "literal_error": "must be one of {expected}",
    "int_parsing": "is no whole number",
    "greater_than_equal": "is less than {ge}",
    "less_than_equal": "is more than {le}",
}


def fault(found: Mapping[str, Any]) -> str:
    """What pydantic found wrong with a parameter, in plain words."""
    known = _FAULTS.get(str(found["type"]))
    return known.format(**found.get("ctx", {})) if known else f"is not as it should be ({found['msg']})"


def described(error: Exception) -> tuple[int, dict[str, Any]]:
    """The status of a response, and its JSON."""
    if isinstance(error, RefusalError):
        lost = [{"word": one.word, "where": one.where, "reason": one.reason} for one in error.lost]
        return error.status, _error(error.code, error.message, error.hint, lost)
    if isinstance(error, BusyError):
        return 503, _error("busy", str(error))
    if isinstance(error, InputError):
        return 422, _error("invalid", error.message, error.hint)  # `where` may be a path of this machine
    if isinstance(error, ModelError):
        return 409, _error("not_here", str(error))
    return 500, _error("internal", "The server failed; what happened stands in its log.", "Try again, or report it.")


def _error(code: str, message: str, hint: str | None = None, lost: Sequence[Any] = ()) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "hint": hint, "lost": list(lost)}}
