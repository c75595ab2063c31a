"""Places where two requests differ, with secrets that the recording masks."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Tuple

from .js_json import from_units, stringify, to_units
from .pointers import member_pointer

#: Most differences that a report lists.
MAX_LISTED = 100
#: Longest place of a redaction in a cassette, in characters.
_MAX_PLACE_LENGTH = 500
_CONTEXT_BEFORE = 24
_CONTEXT_AFTER = 48
_MAX_JSON_LENGTH = 80

_RUN = re.compile(r"\*+")
#: Frequent kinds of secrets. Requests are not masked as a recording is, so they are masked at least in messages.
_SECRET = re.compile(
    r"(?:sk-|AIza|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|AKIA|hf_|npm_|whsec_|[sr]k_(?:live|test)_|eyJ)[\w.+/=-]{12,}"
)


class _Absent:
    """Stands for a member that a value does not have."""

    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()


class Difference(NamedTuple):
    """A place where two JSON values differ. A value that is absent is ABSENT."""

    pointer: str
    before: Any
    after: Any

    def to_json(self) -> Dict[str, Any]:
        """Returns the difference as in a report, without absent values."""
        return {name: value for name, value in self._asdict().items() if value is not ABSENT}


class Masks:
    """Places of a recorded request where secrets were replaced by asterisks, one for each character."""

    def __init__(self, redactions: Iterable[Mapping[str, Any]] = ()) -> None:
        self._least: Dict[str, int] = {}
        for redaction in redactions:
            place, byte_length = redaction.get("place", ""), redaction.get("byte_length", 1)
            self._least[place] = min(byte_length, self._least.get(place, byte_length))

    def runs(self, pointer: str, recorded: str) -> List[Tuple[int, int]]:
        """Returns where a recorded text has masks: the runs of asterisks that are long enough for a secret."""
        least = self._least.get(pointer[:_MAX_PLACE_LENGTH])
        if least is None:
            return []
        runs = [match.span() for match in _RUN.finditer(to_units(recorded))]
        # A secret that is not ASCII has more bytes than characters.
        return [(start, end) for start, end in runs if end - start >= least] or runs

    def apply(self, pointer: str, recorded: str, sent: str) -> str:
        """Returns a text with asterisks where the recorded one has masks, as far as the texts agree before them."""
        before, after = to_units(recorded), to_units(sent)
        for start, end in self.runs(pointer, recorded):
            if before[:start] != after[:start] or len(after) < end:
                break
            after = after[:start] + before[start:end] + after[end:]
        return from_units(after)

    def names(self, pointer: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Dict[str, str]:
        """Returns the recorded name for each sent name of a member that is masked on the tape."""
        if pointer[:_MAX_PLACE_LENGTH] not in self._least:
            return {}
        masked = [name for name in before if "*" in name and name not in after]
        pairs = ((name, sent) for name in masked for sent in after if sent not in before)
        return {sent: name for name, sent in pairs if self.apply(pointer, name, sent) == name}


def _differences(before: Any, after: Any, pointer: str, masks: Masks) -> Iterator[Difference]:
    if isinstance(before, list) and isinstance(after, list):
        for index in range(max(len(before), len(after))):
            one, other = (items[index] if index < len(items) else ABSENT for items in (before, after))
            yield from _differences(one, other, member_pointer(pointer, index), masks)
    elif isinstance(before, dict) and isinstance(after, dict):
        names = masks.names(pointer, before, after)
        renamed = {names.get(name, name): member for name, member in after.items()}
        for name in {**before, **renamed}:
            one, other = before.get(name, ABSENT), renamed.get(name, ABSENT)
            yield from _differences(one, other, member_pointer(pointer, name), masks)
    else:
        if isinstance(before, str) and isinstance(after, str) and before != after:
            after = masks.apply(pointer, before, after)
        # In Python, True equals 1.
        if before != after or isinstance(before, bool) != isinstance(after, bool):
            yield Difference(pointer, before, after)


def find_differences(before: Any, after: Any, masks: Masks) -> List[Difference]:
    """Returns the places where a sent value differs from a recorded one. Items of arrays are compared by position."""
    return list(_differences(before, after, "", masks))


def _excerpt(units: str, at: int) -> str:
    start, end = max(0, at - _CONTEXT_BEFORE), at + _CONTEXT_AFTER
    text = stringify(from_units(units[start:end]))[1:-1]
    return f"{'…' if start > 0 else ''}{text}{'…' if end < len(units) else ''}"


def _short_json(value: Any) -> str:
    text = stringify(value)
    units = to_units(text)
    return text if len(units) <= _MAX_JSON_LENGTH else f"{from_units(units[:_MAX_JSON_LENGTH])}…"


def _hide(value: Any) -> Any:
    if isinstance(value, str):
        return _SECRET.sub(lambda match: "*" * len(match.group()), value)
    if isinstance(value, list):
        return [_hide(item) for item in value]
    return {name: _hide(item) for name, item in value.items()} if isinstance(value, dict) else value


def describe_difference(difference: Difference) -> str:
    """Returns a difference as a line: `/system was "…be brief" and is now "…be brave"`."""
    pointer, before, after = difference.pointer, _hide(difference.before), _hide(difference.after)
    place = pointer or "the request"
    if before is ABSENT:
        return f"{place} is new: {_short_json(after)}"
    if after is ABSENT:
        return f"{place} is missing; it was {_short_json(before)}"
    if not isinstance(before, str) or not isinstance(after, str):
        return f"{place} was {_short_json(before)} and is now {_short_json(after)}"
    one, other = to_units(before), to_units(after)
    at = next((index for index, pair in enumerate(zip(one, other)) if pair[0] != pair[1]), min(len(one), len(other)))
    return f'{place} was "{_excerpt(one, at)}" and is now "{_excerpt(other, at)}"'
