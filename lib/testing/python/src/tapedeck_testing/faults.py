"""Faults that a test asks for."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import accumulate
from random import randrange
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Set, Tuple, TypedDict

from .cassette import Answer, event_ends
from .errors import TapeError
from .providers import Provider
from .reply import Piece, Playback

_MAX_CALL = 100_000
_MAX_STALL_MS = 60_000
_MAX_RETRY_AFTER_S = 3600
_MAX_PIECE_BYTE_SIZE = 1_000_000
_MAX_SEED = 2**32 - 1


class CallFault(TypedDict, total=False):
    """A fault of one call of a test. Only `call` is required."""

    #: Number of the call, from 1, in the order in which they arrive.
    call: int
    #: Sends this error, 400 to 599, instead of an answer. The recording stays for the next call.
    status: int
    #: Seconds in the `retry-after` header of that error.
    retry_after_s: float
    #: Number of events after which `do` happens.
    after_event: int
    #: `cut` closes the connection; `error` sends an error event. Default: `cut`.
    do: str
    #: Pause after the first piece, in milliseconds; at most 60,000.
    stall_ms: int
    #: Delay before the first byte, in milliseconds; at most 60,000.
    first_byte_ms: int
    #: Longest random delay before each event, in milliseconds; at most 60,000.
    jitter_ms: int
    #: Decides these delays: the same seed, the same delays. Default: a random one, which the response header
    #: `x-tapedeck-seed` and the report of a failed test name.
    seed: int
    #: Size of the pieces, in bytes; 1 divides every character.
    rechunk: int


#: Names of the fields in the control API of the proxy, and the least and greatest value.
_FIELDS: Mapping[str, Tuple[str, float, float]] = {
    "call": ("call", 1, _MAX_CALL),
    "status": ("status", 400, 599),
    "retry_after_s": ("retryAfterS", 0, _MAX_RETRY_AFTER_S),
    "after_event": ("afterEvent", 0, _MAX_CALL),
    "stall_ms": ("stallMs", 0, _MAX_STALL_MS),
    "first_byte_ms": ("firstByteMs", 0, _MAX_STALL_MS),
    "jitter_ms": ("jitterMs", 0, _MAX_STALL_MS),
    "seed": ("seed", 0, _MAX_SEED),
    "rechunk": ("rechunk", 1, _MAX_PIECE_BYTE_SIZE),
}
_ACTIONS = ("cut", "error")


def to_wire(fault: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns a fault as the control API takes it. Raises TapeError if it is not valid."""
    if "call" not in fault:
        raise TapeError(f"The fault {dict(fault)} has no call. Calls are counted from 1.")
    if "do" in fault and "after_event" not in fault:
        raise TapeError("do needs after_event")
    wire: Dict[str, Any] = {}
    for name, value in fault.items():
        if name == "do":
            if value not in _ACTIONS:
                raise TapeError(f"The fault has do={value!r}; it takes {' or '.join(_ACTIONS)}.")
            wire[name] = value
            continue
        if name not in _FIELDS:
            raise TapeError(f"A fault has no field {name}; it has {', '.join(_FIELDS)} and do.")
        wire_name, least, most = _FIELDS[name]
        is_number = isinstance(value, (int, float) if name == "retry_after_s" else int) and not isinstance(value, bool)
        if not is_number or not least <= value <= most:
            raise TapeError(f"The fault has {name}={value!r}; it takes a number from {least} to {most}.")
        wire[wire_name] = value
    return wire


@dataclass(frozen=True, eq=False)
class Fault:
    """A fault as a session applies it."""

    call: int
    status: Optional[int] = None
    retry_after_s: Optional[float] = None
    after_event: Optional[int] = None
    do: str = "cut"
    stall_ms: Optional[int] = None
    first_byte_ms: Optional[int] = None
    jitter_ms: Optional[int] = None
    seed: Optional[int] = None
    rechunk: Optional[int] = None

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any]) -> Fault:
        """Returns the fault in a request of the control API. Raises TapeError."""
        names = {wire_name: name for name, (wire_name, _, _) in _FIELDS.items()}
        fields = {names.get(name, name): value for name, value in wire.items()}
        to_wire(fields)
        return cls(**fields)


class FaultUse:
    """Which faults of a test have acted: one that never does may hide a mistake in the test."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self._faults = faults
        self._used: Set[Fault] = set()
        self._reasons: Dict[Fault, str] = {}

    def at(self, call: int) -> Optional[Fault]:
        """Returns the fault of a call."""
        return next((fault for fault in self._faults if fault.call == call), None)

    def mark_used(self, fault: Fault) -> None:
        """Notes that a fault has acted."""
        self._used.add(fault)

    def mark_played(self, fault: Fault, answer: Answer) -> None:
        """Notes an answer that was played with a fault."""
        content_type = answer.headers.get("content-type", "application/json")
        count = len(event_ends(b"".join(answer.pieces), content_type))
        if (fault.after_event or 0) <= count:
            self.mark_used(fault)
        else:
            self._reasons[fault] = f"the answer to call {fault.call} has {count} events"

    def describe_unused(self, call_count: int) -> List[str]:
        """Returns a note for each fault that has not acted in so many calls."""
        notes: List[str] = []
        for index, fault in enumerate(self._faults):
            if fault in self._used:
                continue
            is_second = self.at(fault.call) is not fault
            other = (
                f"call {fault.call} has another fault"
                if is_second
                else f"the answer to call {fault.call} was not played"
            )
            why = f"number of calls: {call_count}" if fault.call > call_count else self._reasons.get(fault, other)
            notes.append(f"Fault {index + 1} was not used; {why}.")
        return notes


def seeded_delays(seed: int, max_ms: int) -> Iterator[int]:
    """Yields delays from 0 to `max_ms` milliseconds, those of the proxy. Mulberry32, by Tommy Ettinger (public domain)."""
    state = seed
    while True:
        state = (state + 0x6D2B79F5) & _MAX_SEED
        value = (state ^ state >> 15) * (1 | state) & _MAX_SEED
        value = (value + ((value ^ value >> 7) * (61 | value)) ^ value) & _MAX_SEED
        yield math.floor((value ^ value >> 14) / 2**32 * (max_ms + 1))


def seed_fault(fault: Optional[Fault], file: str) -> Tuple[Optional[Fault], Dict[str, str], List[str]]:
    """Gives a fault with random delays a seed. Also returns a header with it, and notes for the report if it is new."""
    if fault is None or fault.jitter_ms is None:
        return fault, {}, []
    seed = randrange(_MAX_SEED + 1) if fault.seed is None else fault.seed
    note = f"The random delays of {file} have the seed {seed}. Set it as the seed of the fault to repeat them."
    return replace(fault, seed=seed), {"x-tapedeck-seed": str(seed)}, [note] if fault.seed is None else []


def _event_starts(pieces: Sequence[bytes], content_type: str) -> List[bool]:
    """Returns for each piece whether an event begins with it."""
    starts = {0, *event_ends(b"".join(pieces), content_type)}
    offsets = [0, *accumulate(len(piece) for piece in pieces)]
    return [offset in starts for offset in offsets[: len(pieces)]]


def _first_bytes(pieces: Sequence[bytes], count: int) -> List[bytes]:
    kept: List[bytes] = []
    for piece in pieces:
        if count <= 0:
            break
        kept.append(piece[:count])
        count -= len(piece)
    return kept


def play(answer: Answer, fault: Optional[Fault], provider: Provider) -> Playback:
    """Returns an answer as it is sent, with the fault that the test asks for."""
    pieces, is_cut = answer.pieces, answer.is_cut
    if fault is None:
        return Playback([Piece(0, piece) for piece in pieces], is_cut)
    content_type = answer.headers.get("content-type", "application/json")
    if fault.after_event is not None:
        ends = [0, *event_ends(b"".join(pieces), content_type)]
        is_within = fault.after_event < len(ends)
        if is_within:
            pieces = _first_bytes(pieces, ends[fault.after_event])
        is_cut = fault.do == "cut" if is_within else is_cut
        if fault.do == "error":
            pieces.append(provider.error_event())
    stalled = 1 if len(pieces) > 1 else 0
    pauses = [fault.stall_ms or 0 if index == stalled else 0 for index in range(len(pieces))]
    if fault.jitter_ms is not None:
        delays = seeded_delays(fault.seed or 0, fault.jitter_ms)
        begins = _event_starts(pieces, content_type)
        pauses = [pause + (next(delays) if is_start else 0) for pause, is_start in zip(pauses, begins)]
    played = [Piece(pause, piece) for pause, piece in zip(pauses, pieces)]
    size = fault.rechunk
    if size is not None:
        played = [
            Piece(pause_ms if start == 0 else 0, data[start : start + size])
            for pause_ms, data in played
            for start in range(0, len(data), size)
        ]
    return Playback(played, is_cut)
