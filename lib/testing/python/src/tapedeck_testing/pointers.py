"""JSON pointers (RFC 6901) as patterns: the segment `*` stands for any member."""

from __future__ import annotations

from typing import Any, Iterable, List, Sequence, Union


def _segments(pointer: str) -> List[str]:
    return [segment.replace("~1", "/").replace("~0", "~") for segment in pointer.split("/")[1:]]


def member_pointer(parent: str, name: Union[str, int]) -> str:
    """Returns the pointer of a member."""
    return f"{parent}/{str(name).replace('~', '~0').replace('/', '~1')}"


def is_within(pointer: str, pattern: str) -> bool:
    """Returns whether a pointer is a pattern's place, or a place inside it."""
    segments, wanted = _segments(pointer), _segments(pattern)
    return len(segments) >= len(wanted) and all(one in ("*", other) for one, other in zip(wanted, segments))


def _remove(value: Any, segments: Sequence[str]) -> Any:
    if not segments or not isinstance(value, (dict, list)):
        return value
    first, rest = segments[0], segments[1:]
    if isinstance(value, list):
        # Removing an item would move the others, so it becomes None.
        return [
            item if first not in ("*", str(index)) else _remove(item, rest) if rest else None
            for index, item in enumerate(value)
        ]
    return {
        name: member if first not in ("*", name) else _remove(member, rest)
        for name, member in value.items()
        if rest or first not in ("*", name)
    }


def without_pointers(value: Any, pointers: Iterable[str]) -> Any:
    """Returns a JSON value without the members at these pointers; an item of an array becomes None."""
    for pointer in pointers:
        value = _remove(value, _segments(pointer))
    return value
