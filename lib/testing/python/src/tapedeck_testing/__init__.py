"""Replays the recorded model calls of a test suite, byte for byte. With pytest, use the fixture `tape`."""

from .config import Config, load_config
from .errors import TapeError, TapeMissWarning, TapeNoteWarning
from .faults import CallFault
from .server import ReplayServer
from .tape import SeenRequest, Tape
from .tape_name import tape_folder

__all__ = [
    "CallFault",
    "Config",
    "ReplayServer",
    "SeenRequest",
    "Tape",
    "TapeError",
    "TapeMissWarning",
    "TapeNoteWarning",
    "load_config",
    "tape_folder",
]
