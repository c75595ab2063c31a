"""Finds the recording of a request. Never a guess: what is not recorded is a miss."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, List, Mapping, Optional, Sequence, Tuple, Union

from .cassette import Cassette, object_of
from .differences import MAX_LISTED, Difference, Masks, find_differences
from .pointers import is_within, without_pointers
from .providers import Provider
from .tool_results import order_tool_results


@dataclass(frozen=True)
class TapeRequest:
    """A complete request. The query is without credentials; the body is as in a cassette."""

    method: str
    path: str
    query: str
    body: Optional[Mapping[str, Any]]

    @property
    def place(self) -> str:
        """Method, path and query."""
        return f"{self.method} {self.path}{f'?{self.query}' if self.query else ''}"


@dataclass
class Exchange:
    """A recorded request and the file with its answer."""

    cassette: Cassette
    request: TapeRequest
    masks: Masks = field(init=False)
    is_played: bool = False

    def __post_init__(self) -> None:
        self.masks = Masks(self.cassette.redactions)


@dataclass(frozen=True)
class Match:
    """Differences are empty for an exact match; else the requests differ only in what tools returned."""

    exchange: Exchange
    differences: List[Difference]


@dataclass(frozen=True)
class NoMatch:
    """`nearest` is the recording of the same turn with the fewest differences, or of the nearest turn."""

    reason: str
    nearest: Optional[Match]


def compare_requests(exchange: Exchange, sent: TapeRequest, volatile: Sequence[str]) -> List[Difference]:
    """Returns what a request has that differs from a recorded one, in fields that are compared."""
    ignored = [*exchange.cassette.provider.volatile_fields, *volatile]
    recorded = exchange.request
    before, after = object_of(recorded.body), object_of(sent.body)
    if before is None or after is None:
        differences = find_differences(recorded.body, sent.body, Masks())
    else:
        provider = exchange.cassette.provider
        ordered = order_tool_results(provider, before), order_tool_results(provider, after)
        without = without_pointers(ordered[0], ignored), without_pointers(ordered[1], ignored)
        differences = find_differences(without[0], without[1], exchange.masks)
    if recorded.place != sent.place:
        differences.insert(0, Difference("", recorded.place, sent.place))
    return differences


def _differ_only_in(places: Sequence[str], differences: Sequence[Difference]) -> bool:
    return all(any(is_within(each.pointer, place) for place in places) for each in differences)


def _history_length(provider: Provider, request: TapeRequest) -> int:
    history = (object_of(request.body) or {}).get(provider.history)
    return len(history) if isinstance(history, list) else 0


def _reason(exchange_count: int, exact_count: int, continued_count: int) -> str:
    if exact_count > 0:
        times = "once" if exact_count == 1 else f"{exact_count} times"
        return f"This request was recorded {times}, and each recording has been played"
    if continued_count > 1:
        return f"{continued_count} recordings differ only in what tools returned, so none is chosen"
    return "The tape has no recordings" if exchange_count == 0 else "No recording has this request"


def match_request(
    exchanges: Sequence[Exchange],
    provider: Provider,
    request: TapeRequest,
    volatile: Sequence[str],
    is_exact: bool,
) -> Union[Match, NoMatch]:
    """
    Finds the recording of a request: the first unplayed one of exactly this request, else the only unplayed one that
    differs only in what tools returned.
    """
    compared = [
        Match(exchange, compare_requests(exchange, request, volatile))
        for exchange in exchanges
        if exchange.cassette.provider is provider
    ]
    exact = [match for match in compared if not match.differences]
    for match in exact:
        if not match.exchange.is_played:
            return match
    body = object_of(request.body)
    may_differ = body is not None and not is_exact
    places = provider.tool_results(order_tool_results(provider, body or {})) if may_differ else []
    different = [match for match in compared if match.differences]
    continued = [
        match
        for match in different
        if not match.exchange.is_played and _differ_only_in(places, match.differences)
    ]
    if len(continued) == 1 and not exact:
        return continued[0]
    turns = _history_length(provider, request)

    # Of a conversation, the same turn is nearest, however many places differ in it.
    def distance(match: Match) -> Tuple[int, int]:
        other = _history_length(provider, match.exchange.request)
        return abs(other - turns), min(len(match.differences), MAX_LISTED)

    nearest = min(different, key=distance, default=None)
    return NoMatch(_reason(len(exchanges), len(exact), len(continued)), nearest)
