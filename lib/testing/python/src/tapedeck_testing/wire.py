"""Options of a test as the proxy takes them, with names such as `retryAfterS`."""

from __future__ import annotations

import re
from typing import Any, Dict, Mapping

from .answers import HandWritten
from .errors import TapeError
from .faults import CallFault

#: Flags of patterns that JavaScript has too.
_FLAGS = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL}
#: JavaScript reads these as the letters A and Z.
_PYTHON_ANCHOR = re.compile(r"(?<!\\)(?:\\\\)*\\[AZ]")


def _value_to_wire(value: Any) -> Any:
    if not isinstance(value, re.Pattern):
        return value
    pattern = value.pattern
    if isinstance(pattern, bytes) or value.flags & re.VERBOSE or _PYTHON_ANCHOR.search(pattern):
        reason = "no bytes, re.VERBOSE, \\A and \\Z"
        raise TapeError(f"The pattern {pattern!r} in when is not one that JavaScript has: {reason}.")
    return {"regex": pattern, "flags": "".join(name for name, flag in _FLAGS.items() if value.flags & flag)}


def _wire_name(name: str) -> str:
    return re.sub("_(.)", lambda match: match[1].upper(), name)


def to_wire(option: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns a fault or an answer as the proxy takes it."""
    return {
        _wire_name(name): to_wire(value) if isinstance(value, dict) and name == "usage" else _value_to_wire(value)
        for name, value in option.items()
    }


def to_python_names(message: str) -> str:
    """Returns a message of the proxy about an option with names such as `retry_after_s`."""
    known = [*CallFault.__annotations__, *HandWritten.__annotations__]
    names = {_wire_name(name): name for name in known}
    return re.sub(r"\b[a-z]+[A-Z]\w*", lambda match: names.get(match[0], match[0]), message)
