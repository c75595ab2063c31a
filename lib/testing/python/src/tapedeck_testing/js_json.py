"""JSON as JavaScript reads and writes it, because tapes contain hashes of such text."""

from __future__ import annotations

import json
import re
from array import array
from decimal import Decimal
from typing import Any, Callable, NoReturn, Tuple

_SURROGATE = re.compile("[\ud800-\udfff]")
_INDEX = re.compile(r"(?:0|[1-9][0-9]{0,9})\Z")
#: Numbers up to here are written without an exponent.
_MAX_PLAIN = 10**21
#: Longest integer that every double represents exactly, in characters.
_MAX_EXACT_LENGTH = 15


def _read_float(text: str) -> Any:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        return None
    return int(value) if value.is_integer() and abs(value) < _MAX_PLAIN else value


def _read_integer(text: str) -> Any:
    return int(text) if len(text) <= _MAX_EXACT_LENGTH else _read_float(text)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def parse(text: str) -> Any:
    """Returns the value of a JSON text, with numbers as doubles. Raises ValueError."""
    return json.loads(text, parse_float=_read_float, parse_int=_read_integer, parse_constant=_refuse)


def to_units(text: str) -> str:
    """Returns a text with one character for each UTF-16 unit, as JavaScript counts them."""
    if text.isascii() or max(text) <= "\uffff":
        return text
    return "".join(map(chr, array("H", text.encode("utf-16-le", "surrogatepass"))))


def from_units(units: str) -> str:
    """Returns the text of UTF-16 units. One half of a pair stays as it is."""
    return units.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _text(value: str) -> str:
    text = json.dumps(from_units(to_units(value)), ensure_ascii=False)
    return _SURROGATE.sub(lambda half: f"\\u{ord(half.group()):04x}", text)


def _number(value: Any) -> str:
    """Returns a number as in ECMA-262, Number::toString: the shortest digits that give the same double."""
    if isinstance(value, int) and abs(value) < 10**_MAX_EXACT_LENGTH:
        return str(value)
    sign, digits, exponent = Decimal(repr(float(value))).as_tuple()
    point = len(digits) + int(exponent)
    written = "".join(map(str, digits)).rstrip("0") or "0"
    count = len(written)
    minus = "-" if sign else ""
    if count <= point <= 21:
        return minus + written + "0" * (point - count)
    if 0 < point <= 21:
        return f"{minus}{written[:point]}.{written[point:]}"
    if -6 < point <= 0:
        return f"{minus}0.{'0' * -point}{written}"
    fraction = f".{written[1:]}" if count > 1 else ""
    return f"{minus}{written[0]}{fraction}e{'+' if point > 0 else '-'}{abs(point - 1)}"


def _unit_order(name: str) -> bytes:
    return name.encode("utf-16-be", "surrogatepass")


def _write(value: Any, order: Callable[[Any], Any]) -> str:
    if isinstance(value, str):
        return _text(value)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{_text(name)}:{_write(value[name], order)}" for name in order(value)) + "}"
    return "[" + ",".join(_write(item, order) for item in value) + "]"


def stringify(value: Any) -> str:
    """Returns what `JSON.stringify` returns."""
    return _write(value, list)


def canonical(value: Any) -> str:
    """Returns JSON with sorted members and no white space, so that equal values give equal text."""
    return _write(value, lambda members: sorted(members, key=_unit_order))


def _member_order(name: str) -> Tuple[int, int, bytes]:
    # JavaScript lists members that look like indexes first.
    return (0, int(name), b"") if _INDEX.match(name) else (1, 0, _unit_order(name))


def sort_members(value: Any) -> Any:
    """Returns a value with sorted members, as tapes store requests."""
    if isinstance(value, list):
        return [sort_members(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: sort_members(value[name]) for name in sorted(value, key=_member_order)}
