"""Requests that no recording has."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional

from .differences import ABSENT, MAX_LISTED, Difference, describe_difference

#: Most differences in the message of a miss.
_MAX_SHOWN = 10


class Miss(NamedTuple):
    """A request that no recording has. `file` is that of the nearest recording, with the differences from it."""

    test: str
    request: str
    reason: str
    file: Optional[str]
    differences: List[Difference]
    #: In mode `auto` of the proxy, why it was not recorded either.
    failure: Optional[str] = None

    def describe(self) -> str:
        """Returns why the request is a miss, and what to do."""
        lines = [f'Tapedeck has no recording for this request of "{self.test}". {self.reason}.']
        if self.file is not None:
            shown = self.differences[:_MAX_SHOWN]
            more = min(len(self.differences), MAX_LISTED) - len(shown)
            lines.append(f"The nearest recording is {self.file}:")
            lines.extend(f"  {describe_difference(difference)}" for difference in shown)
            lines.extend([f"  and {more} more"] if more > 0 else [])
        if self.failure is None:
            lines.append("Record it with: tapedeck run --mode auto -- <command>")
        else:
            lines.append(f"It could not be recorded: {self.failure}")
        if self.file is not None:
            lines.append("The old recording stays until tapedeck prune removes it.")
        return "\n".join(lines)

    def to_json(self) -> Dict[str, Any]:
        """Returns the miss as in the report of a proxy."""
        differences = [difference.to_json() for difference in self.differences[:MAX_LISTED]]
        nearest = None if self.file is None else {"file": self.file, "differences": differences}
        return {"test": self.test, "request": self.request, "reason": self.reason, "nearest": nearest}

    @classmethod
    def from_json(cls, json: Mapping[str, Any]) -> Miss:
        """Returns the miss in the report of a proxy."""
        nearest = json.get("nearest") or {}
        differences = [
            Difference(each["pointer"], each.get("before", ABSENT), each.get("after", ABSENT))
            for each in nearest.get("differences", [])
        ]
        return cls(json["test"], json["request"], json["reason"], nearest.get("file"), differences, json.get("failure"))
