"""Requests as they arrive, and as they are compared."""

from __future__ import annotations

import base64
import re
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple
from urllib.parse import quote_plus, unquote_plus

from .js_json import parse, sort_members
from .matching import TapeRequest
from .providers import Provider

#: Names of query parameters and headers that contain credentials.
_CREDENTIAL = re.compile(r"(?:key|api[-_]?key|access[-_]token|authorization|x-api-key|x-goog-api-key)\Z", re.I)
#: Shortest credential that is masked in bodies, in characters; shorter values may be words.
_MIN_SECRET_LENGTH = 8


class Incoming(NamedTuple):
    """A request as it arrived. The path and query are below the name of the upstream."""

    providers: Sequence[Provider]
    method: str
    path: str
    query: str
    headers: Sequence[Tuple[str, str]]
    body: bytes


def _parameters(query: str) -> List[Tuple[str, str]]:
    pairs = (piece.partition("=") for piece in query.split("&") if piece)
    return [(unquote_plus(name), unquote_plus(value)) for name, _, value in pairs]


def _write_query(parameters: Sequence[Tuple[str, str]]) -> str:
    """Returns a query as `URLSearchParams` writes it."""
    encoded = [[quote_plus(text, safe="*").replace("~", "%7E") for text in pair] for pair in parameters]
    return "&".join(f"{name}={value}" for name, value in encoded)


#: Shortest text of `redact` in the configuration, in characters.
MIN_REDACT_LENGTH = 3


def _mask(value: Any, secrets: Sequence[str]) -> Any:
    if isinstance(value, str):
        for secret in secrets:
            mask = "*" * len(secret)
            if len(secret) < _MIN_SECRET_LENGTH:
                # A short text is a part of many words.
                value = re.sub(rf"(?<![A-Za-z0-9_]){re.escape(secret)}(?![A-Za-z0-9_])", mask, value)
            else:
                value = value.replace(secret, mask)
        return value
    if isinstance(value, list):
        return [_mask(item, secrets) for item in value]
    if isinstance(value, dict):
        return {_mask(name, secrets): _mask(member, secrets) for name, member in value.items()}
    return value


def _encode_body(body: bytes, secrets: Sequence[str]) -> Optional[Dict[str, Any]]:
    """Returns a body as it is stored in a cassette, with sorted members and without known secrets."""
    if not body:
        return None
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return {"b": base64.b64encode(body).decode()}
    try:
        json = parse(text)
    except ValueError:
        return {"s": text}
    return {"json": sort_members(_mask(json, secrets)) if isinstance(json, dict) else json}


def read_request(incoming: Incoming, redact: Sequence[str]) -> TapeRequest:
    """Returns a request as it is compared: without its credentials and the other texts that tapes do not contain."""
    parameters = _parameters(incoming.query)
    credentials = [value for name, value in (*incoming.headers, *parameters) if _CREDENTIAL.match(name)]
    keys = [*credentials, *(re.sub(r"^\S+\s+", "", value) for value in credentials)]
    known = [*redact, *(key for key in keys if len(key) >= _MIN_SECRET_LENGTH)]
    secrets = sorted(known, key=len, reverse=True)
    query = _write_query([(name, value) for name, value in parameters if not _CREDENTIAL.match(name)])
    return TapeRequest(incoming.method, incoming.path, query, _encode_body(incoming.body, secrets))
