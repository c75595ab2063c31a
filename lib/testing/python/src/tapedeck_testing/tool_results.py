"""Puts the results of parallel tools in one order: clients send them in that in which the tools end."""

from __future__ import annotations

import copy
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .providers import Provider

#: Members of a tool's result that name its call.
_CALL_ID_NAMES = ("tool_use_id", "tool_call_id", "call_id")


def _call_id(item: Any) -> Optional[str]:
    if not isinstance(item, dict):
        return None
    return next((item[name] for name in _CALL_ID_NAMES if isinstance(item.get(name), str)), None)


def _sort_results(results: Sequence[Dict[str, Any]]) -> List[Dict[str, Any]]:
    ordered = []
    for result, at_place in zip(sorted(results, key=lambda each: _call_id(each) or ""), results):
        # What marks a place in the list, as `cache_control` does, stays there.
        kept = {name: value for name, value in result.items() if name != "cache_control"}
        if "cache_control" in at_place:
            kept["cache_control"] = at_place["cache_control"]
        ordered.append(kept)
    return ordered


def _list_at(body: Any, names: Sequence[str]) -> Any:
    for name in names:
        body = body[int(name)] if isinstance(body, list) else body[name]
    return body


def order_tool_results(provider: Provider, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a body in which the results of parallel tools have one order."""
    places = [pointer.split("/")[1:-1] for pointer in provider.tool_results(body)]
    if len(places) < 2:
        return body
    ordered = copy.deepcopy(dict(body))
    start = 0
    while start < len(places):
        parent, first = places[start][:-1], int(places[start][-1]) if places[start][-1].isdigit() else None
        count = 1
        while (
            first is not None
            and start + count < len(places)
            and places[start + count] == [*parent, str(first + count)]
        ):
            count += 1
        items = _list_at(ordered, parent)
        if count > 1 and first is not None and isinstance(items, list):
            results = items[first : first + count]
            if all(_call_id(item) is not None for item in results):
                items[first : first + count] = _sort_results(results)
        start += count
    return ordered
