"""Responses to be sent."""

from __future__ import annotations

from typing import Dict, List, Mapping, NamedTuple, Optional

from .js_json import stringify
from .providers import Provider


class Piece(NamedTuple):
    """Bytes that are sent at once, and the pause before them."""

    pause_ms: int
    data: bytes


class Playback(NamedTuple):
    """What is sent of an answer. A cut one ends without the end of the HTTP body."""

    pieces: List[Piece]
    is_cut: bool


class Reply(NamedTuple):
    """A response: status, headers and body."""

    status: int
    headers: Dict[str, str]
    playback: Playback
    first_byte_ms: int = 0


def whole_reply(status: int, headers: Dict[str, str], text: str) -> Reply:
    """Returns a response whose body is a text."""
    return Reply(status, headers, Playback([Piece(0, text.encode("utf-8"))], False))


def error_reply(provider: Provider, status: int, message: str, headers: Optional[Mapping[str, str]] = None) -> Reply:
    """Returns an error in the format of a provider."""
    own = {"content-type": "application/json", "x-tapedeck": "error"}
    return whole_reply(status, {**own, **(headers or {})}, stringify(provider.error_body(status, message)))
