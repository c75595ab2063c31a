"""The recordings of one test, in a folder: one cassette file an exchange, and `tape.json` with their order."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Union

from .cassette import Cassette, join_parent, object_of, read_json
from .errors import TapeError
from .matching import Exchange, Match, NoMatch, TapeRequest, match_request
from .providers import Provider

_LIST_NAME = "tape.json"
_CASSETTE_ENDING = ".cassette.json"


def _read_list(folder: Path) -> Dict[str, Any]:
    path = folder / _LIST_NAME
    try:
        document = read_json(path)
    except (FileNotFoundError, NotADirectoryError):
        return {"exchanges": []}
    if not isinstance(document, dict) or document.get("schema") != "tape/1":
        raise TapeError(f"{path} is not a list of the schema tape/1")
    return document


def _complete_requests(cassettes: Sequence[Cassette]) -> Dict[str, Optional[Dict[str, Any]]]:
    """Puts requests together that leave out what the turn before has. Raises TapeError."""
    by_id = {cassette.id: cassette for cassette in cassettes}
    bodies: Dict[str, Optional[Dict[str, Any]]] = {}
    for cassette in cassettes:
        chain = [cassette]
        while chain[-1].parent and chain[-1].id not in bodies and len(chain) <= len(cassettes):
            parent = by_id.get(chain[-1].parent["id"])
            if parent is None:
                break
            chain.append(parent)
        for each in reversed(chain):
            if each.id in bodies:
                continue
            if each.parent is None:
                bodies[each.id] = each.body
                continue
            parent_id = each.parent["id"]
            whole = join_parent(each, object_of(bodies[parent_id])) if parent_id in bodies else None
            if whole is None:
                raise TapeError(f"{each.path} continues {parent_id}, which is missing or was changed")
            bodies[each.id] = {"json": whole}
    return bodies


class RecordedTape:
    """The recordings of a test. Parallel requests never get the same one."""

    def __init__(self, folder: Path, volatile: Sequence[str] = ()) -> None:
        """Reads a tape; one without a folder is empty. Raises TapeError."""
        self.folder = folder
        listing = _read_list(folder)
        try:
            listed: List[str] = [exchange["file"] for exchange in listing["exchanges"]]
        except (KeyError, TypeError) as error:
            raise TapeError(f"{folder / _LIST_NAME} does not match the tape/1 schema: {error}") from error
        names = [path.name for path in folder.glob(f"*{_CASSETTE_ENDING}")]
        files = sorted(names, key=lambda name: (len(name), name))
        for file in listed:
            if file not in files:
                raise TapeError(f"{folder / _LIST_NAME} names {file}, which does not exist")
        # Files that the list does not name come last.
        ordered = [*listed, *(file for file in files if file not in listed)]
        cassettes = [Cassette(folder / file) for file in ordered]
        bodies = _complete_requests(cassettes)
        self.exchanges = [
            Exchange(each, TapeRequest(each.method, each.request_path, each.query, bodies[each.id]))
            for each in cassettes
        ]
        self._volatile = [*volatile, *listing.get("volatile", [])]
        self._lock = threading.Lock()

    def take(self, provider: Provider, request: TapeRequest, is_exact: bool) -> Union[Match, NoMatch]:
        """Finds the recording of a request and marks it as played, so that no other request gets it."""
        with self._lock:
            match = match_request(self.exchanges, provider, request, self._volatile, is_exact)
            if isinstance(match, Match):
                match.exchange.is_played = True
            return match

    @property
    def unused(self) -> List[str]:
        """Files of recordings that no request asked for."""
        return [exchange.cassette.file for exchange in self.exchanges if not exchange.is_played]
