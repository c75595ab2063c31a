"""Faults that a test asks for."""

from __future__ import annotations

from typing import Dict, TypedDict


class Delivery(TypedDict, total=False):
    """What happens to an answer while it is sent."""

    #: Number of events after which `do` happens.
    after_event: int
    #: `cut` closes the connection, `error` sends an error event, `end` ends the stream as if it were complete.
    #: Default: `cut`.
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
    #: Size of the pieces, in bytes; 1 divides every character. They leave 1 ms apart, in a minute at most.
    rechunk: int


class CallFault(Delivery, total=False):
    """A fault of one call of a test. Only `call` is required."""

    #: Number of the call, from 1, in the order in which they arrive.
    call: int
    #: Only calls to this host count, as `api.groq.com`; `*` stands for any part.
    host: str
    #: Sends this error, 400 to 599, instead of an answer. The recording stays for the next call.
    status: int
    #: Seconds in the `retry-after` header of that error.
    retry_after_s: float
    #: The provider's code of that error, such as `insufficient_quota`. Default: that of the status.
    code: str
    #: The text of that error.
    message: str
    #: The whole body of that error in place of the provider's format, `text/plain` unless `headers` say otherwise.
    body: str
    #: More headers of that error, or other values.
    headers: Dict[str, str]
