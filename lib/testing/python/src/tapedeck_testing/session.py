"""Answers the requests of one test from its tape."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .config import Config
from .errors import TapeError
from .faults import Fault, FaultUse, play, seed_fault
from .js_json import stringify
from .matching import Match, TapeRequest
from .miss import Miss
from .providers import Provider, provider_at
from .recorded_tape import RecordedTape
from .reply import Reply, error_reply
from .request import Incoming, read_request

#: What to do about a tape that cannot be read.
_REPAIR = "Restore it, or record it again: tapedeck run --mode record -- <command>"
#: What to do about a recording whose checksums are wrong.
_EDITED = "Recordings cannot be edited by hand: restore the file, or delete its folder and record the test again"
_NOT_RETRIED = {"x-should-retry": "false"}


@dataclass(frozen=True)
class Options:
    """What a test sets for itself."""

    volatile: Tuple[str, ...] = ()
    faults: Tuple[Fault, ...] = ()
    exact: Optional[bool] = None

    @classmethod
    def from_json(cls, json: Mapping[str, Any]) -> Options:
        """Reads the options in a request of the control API. Raises TapeError."""
        unknown = set(json) - {"volatile", "faults", "exact"}
        if unknown:
            raise TapeError(f"The replay in Python has no option {', '.join(sorted(unknown))}.")
        volatile, faults, exact = json.get("volatile", []), json.get("faults", []), json.get("exact")
        if not isinstance(volatile, list) or not all(isinstance(each, str) and each[:1] == "/" for each in volatile):
            raise TapeError(f"volatile={volatile!r}: must be a list of JSON pointers such as /metadata/run_id.")
        return cls(tuple(volatile), tuple(Fault.from_wire(fault) for fault in faults), exact)


def _is_retried(status: int) -> bool:
    return status in (408, 409, 429) or status >= 500


@dataclass
class _State:
    """What happened since the test began."""

    options: Options
    tape: RecordedTape
    calls: int = 0
    unreadable: int = 0
    has_ended: bool = False
    requests: List[Dict[str, Any]] = field(default_factory=list)
    played: int = 0
    misses: List[Miss] = field(default_factory=list)
    accepted: List[Dict[str, Any]] = field(default_factory=list)
    notes: List[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.faults = FaultUse(self.options.faults)


class Session:
    """Answers the requests of one test. Safe for use in several threads."""

    def __init__(self, folder: Path, test: str, config: Config, options: Options) -> None:
        """Reads the tape of a test. Raises TapeError."""
        self.test = test
        self._folder = folder
        self._config = config
        self._lock = threading.Lock()
        self.begin(options)

    def begin(self, options: Options) -> None:
        """Starts the test, again if it ran before. Raises TapeError."""
        volatile = (*self._config.volatile, *options.volatile)
        try:
            tape = RecordedTape(self._folder, volatile)
        except TapeError as error:
            raise TapeError(f"{error}. {_REPAIR}") from error
        state = _State(options, tape)
        with self._lock:
            self._state = state

    @property
    def requests(self) -> List[Dict[str, Any]]:
        """The requests so far, in order."""
        with self._lock:
            return list(self._state.requests)

    def end(self, has_passed: bool) -> Dict[str, Any]:
        """Ends the test, and returns what its requests came to."""
        with self._lock:
            state = self._state
            if has_passed and not state.has_ended:
                state.notes.extend(state.faults.describe_unused(state.calls))
            state.has_ended = True
        return self.report()

    def report(self) -> Dict[str, Any]:
        """Returns what the test's requests came to, in the form of the recording proxy."""
        with self._lock:
            state = self._state
            return {
                "test": self.test,
                "folder": str(self._folder),
                "requests": state.calls,
                "played": state.played,
                "recorded": 0,
                "passedThrough": 0,
                "unreadable": state.unreadable,
                "misses": [miss.to_json() for miss in state.misses],
                "unused": state.tape.unused,
                "accepted": list(state.accepted),
                "notes": list(state.notes),
                "redactions": 0,
            }

    def handle(self, incoming: Incoming) -> Reply:
        """Answers a request. What goes wrong is an error in its provider's format."""
        provider = provider_at(incoming.providers, incoming.path)
        request = read_request(incoming, self._config.redact)
        with self._lock:
            state = self._state
            state.calls += 1
            call = state.calls
            body = (request.body or {}).get("json")
            state.requests.append({"method": request.method, "path": request.path, "body": body})
            fault = state.faults.at(call)
        if fault is not None and fault.status is not None:
            with self._lock:
                state.faults.mark_used(fault)
            retry = {} if fault.retry_after_s is None else {"retry-after": stringify(fault.retry_after_s)}
            message = f"Tapedeck sends this {fault.status}, because the test asks for it."
            return error_reply(provider, fault.status, message, retry)
        try:
            return self._answer(state, provider, request, fault)
        except TapeError as error:
            with self._lock:
                state.unreadable += 1
                state.notes.append(str(error))
            return error_reply(provider, 500, str(error), _NOT_RETRIED)

    def _answer(self, state: _State, provider: Provider, request: TapeRequest, fault: Optional[Fault]) -> Reply:
        is_exact = self._config.exact if state.options.exact is None else state.options.exact
        match = state.tape.take(provider, request, is_exact)
        if not isinstance(match, Match):
            file = match.nearest.exchange.cassette.file if match.nearest else None
            differences = match.nearest.differences if match.nearest else []
            reason = match.reason if state.tape.exchanges else f"{match.reason}: {self._folder}"
            miss = Miss(self.test, f"{request.method} {request.path}", reason, file, differences)
            with self._lock:
                state.misses.append(miss)
            return error_reply(provider, 424, miss.describe(), _NOT_RETRIED)
        file = match.exchange.cassette.file
        try:
            answer = match.exchange.cassette.answer()
        except TapeError as error:
            raise TapeError(f"{error}. {_EDITED}") from error
        if fault is not None:
            with self._lock:
                state.faults.mark_played(fault, answer)
        fault, seeds, notes = seed_fault(fault, file)
        with self._lock:
            state.played += 1
            state.notes.extend(notes)
            if match.differences:
                differences_json = [difference.to_json() for difference in match.differences]
                state.accepted.append({"file": file, "differences": differences_json})
        # At full speed, clients need not wait as long as the provider asked.
        hurry = {"retry-after-ms": "1"} if _is_retried(answer.status) else {}
        headers = {**answer.headers, **hurry, "x-tapedeck": "played", "x-tapedeck-file": file, **seeds}
        first_byte_ms = (fault.first_byte_ms or 0) if fault else 0
        return Reply(answer.status, headers, play(answer, fault, provider), first_byte_ms)
