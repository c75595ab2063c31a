"""The tape of a test without pytest."""

from __future__ import annotations

import os
import warnings
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Generator

from .errors import TapeMissWarning
from .server import ReplayServer
from .tape import Tape


@lru_cache(maxsize=None)
def _server() -> ReplayServer:
    """Returns the server of this process, with which it ends."""
    server = ReplayServer(Path.cwd())
    os.environ.update(server.placeholder_keys)
    return server


@contextmanager
def tape(name: str, **options: Any) -> Generator[Tape, None, None]:
    """Starts the tape of a name, with the options of Tape; in unittest, Django or a notebook. Raises TapeError.

    An exception counts as a failed test. Warns of each request that no recording has.
    """
    origin, token = os.environ.get("TAPEDECK_PROXY", ""), os.environ.get("TAPEDECK_TOKEN", "")
    if not origin:
        origin, token = _server().origin, _server().token
    started = Tape(origin, name, token=token, **options)
    has_passed = False
    try:
        yield started
        has_passed = True
    finally:
        misses = started.misses() if has_passed else []
        started.end(has_passed)
    for miss in misses:
        warnings.warn(TapeMissWarning(miss), stacklevel=3)
