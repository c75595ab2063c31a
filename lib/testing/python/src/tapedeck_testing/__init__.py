"""Replays the recorded model calls of a test suite, byte for byte. With pytest, use the fixture `tape`."""

from .answers import HandWritten
from .errors import TapeError, TapeMissWarning, TapeNoteWarning
from .faults import CallFault
from .server import ReplayServer
from .tape import SeenRequest, Tape

# After the module of the same name.
from .context import tape  # isort: skip

__all__ = [
    "CallFault",
    "HandWritten",
    "ReplayServer",
    "SeenRequest",
    "Tape",
    "TapeError",
    "TapeMissWarning",
    "TapeNoteWarning",
    "tape",
]
