"""Cassette files of version 2: one request and its response."""

from __future__ import annotations

import base64
import hashlib
import math
import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple

from .errors import TapeError
from .js_json import canonical, parse
from .providers import PROVIDERS, Provider

#: Largest accepted cassette file, in bytes.
_MAX_BYTE_SIZE = 64 * 1024 * 1024
_LINE = re.compile(rb"([^\r\n]*)(?:\r\n?|\n)|[^\r\n]+\Z")


@dataclass(frozen=True)
class Answer:
    """A recorded response. A cut one ended without the end of its HTTP body."""

    status: int
    headers: Dict[str, str]
    pieces: List[bytes]
    is_cut: bool


def read_json(path: Path) -> Any:
    """Returns the value in a file. Raises TapeError with the line, and FileNotFoundError."""
    try:
        data = path.read_bytes()
        if len(data) > _MAX_BYTE_SIZE:
            raise TapeError(f"{path} has {len(data)} bytes; the limit is {_MAX_BYTE_SIZE} (64 MiB)")
        return parse(data.decode("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise TapeError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise TapeError(f"{path}{f':{line}' if line else ''} is not valid JSON: {error}") from error


def _bytes_of(chunk: Mapping[str, Any]) -> bytes:
    text = chunk.get("s")
    return text.encode("utf-8") if isinstance(text, str) else base64.b64decode(chunk["b"], validate=True)


def _hash_json(value: Mapping[str, Any]) -> str:
    return hashlib.sha256(canonical(value).encode("utf-8")).hexdigest()


def object_of(body: Optional[Mapping[str, Any]]) -> Optional[Dict[str, Any]]:
    """Returns a body that is a JSON object; None for any other."""
    json = body.get("json") if body else None
    return json if isinstance(json, dict) else None


class Cassette:
    """A cassette file. Its hashes are checked when it is played."""

    def __init__(self, path: Path) -> None:
        """Reads a file. Raises TapeError."""
        self.path = path
        self.file = path.name
        document = read_json(path)
        try:
            if document["schema"] != "cassette/2":
                raise TapeError(f"{path} has the schema {document['schema']}; this version reads cassette/2")
            self.id: str = document["id"]
            self.provider: Provider = PROVIDERS[document["provider"]]
            self.request: Dict[str, Any] = document["request"]
            self.method: str = self.request["method"]
            self.request_path: str = self.request["path"]
            self.query: str = self.request["query"]
            self.body: Optional[Dict[str, Any]] = self.request["body"]
            self.parent: Optional[Dict[str, Any]] = self.request.get("parent")
            self.redactions: List[Dict[str, Any]] = self.request.get("redactions", [])
        except (KeyError, TypeError) as error:
            raise TapeError(f"{path} does not match the cassette/2 schema: {error}") from error
        self._document: Dict[str, Any] = document

    def _check(self, name: str, expected: str, actual: str) -> None:
        if expected != actual:
            message = f"{name} does not match: the file says {expected}, the content has {actual}"
            raise TapeError(f"{self.path} {message}")

    def answer(self) -> Answer:
        """Returns the response. Raises TapeError if the file was altered."""
        try:
            return self._answer()
        except (KeyError, TypeError, ValueError, struct.error) as error:
            raise TapeError(f"{self.path} does not match the cassette/2 schema: {error}") from error

    def _answer(self) -> Answer:
        hashed = {name: self.request.get(name) for name in ("method", "path", "query", "body")}
        if self.parent is not None:
            hashed["parent"] = self.parent
        self._check("request.sha256", self.request["sha256"], _hash_json(hashed))
        pieces: List[bytes] = []
        whole, chunks = hashlib.sha256(), hashlib.sha256()
        for chunk in self._document["chunks"]:
            piece = _bytes_of(chunk)
            pieces.append(piece)
            whole.update(piece)
            chunks.update(struct.pack(">IQ", len(piece), math.floor(chunk["delta_ms"] * 1000 + 0.5)) + piece)
        integrity = self._document["integrity"]
        self._check("integrity.body_sha256", integrity["body_sha256"], whole.hexdigest())
        self._check("integrity.chunks_sha256", integrity["chunks_sha256"], chunks.hexdigest())
        response = self._document["response"]
        return Answer(response["status"], response["headers"], pieces, self._document["end"] == "truncated")


def join_parent(child: Cassette, parent_body: Optional[Mapping[str, Any]]) -> Optional[Dict[str, Any]]:
    """Returns the complete request of a cassette that leaves out what its parent has; None if they do not fit."""
    own = object_of(child.body)
    if child.parent is None or own is None:
        return own
    name, omitted = child.parent["field"][1:], child.parent["omitted"]
    before, after = (parent_body or {}).get(name), own.get(name)
    if not isinstance(before, list) or not isinstance(after, list) or len(before) < omitted:
        return None
    return {**own, name: before[:omitted] + after}


def event_ends(body: bytes, content_type: str) -> List[int]:
    """Returns the byte offset after each event of a stream. Those of JSON lines are lines."""
    lines: List[Tuple[bool, int]] = [(bool(line.group().strip(b"\r\n")), line.end()) for line in _LINE.finditer(body)]
    if not content_type.startswith("text/event-stream"):
        return [end for _, end in lines]
    ends: List[int] = []
    is_open = False
    for has_text, end in lines:
        if has_text:
            is_open = True
        elif is_open:
            ends.append(end)
            is_open = False
        elif ends:
            # Further blank lines belong to the event before them.
            ends[-1] = end
    if body and (not ends or ends[-1] < len(body)):
        ends.append(len(body))
    return ends
