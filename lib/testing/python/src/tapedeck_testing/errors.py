"""Errors and warnings of the package."""


class TapeError(Exception):
    """A tape, its configuration or an option is not valid. The message names the file, and the line if it is known."""


class TapeMissWarning(UserWarning):
    """A test passed although no recording has one of its requests."""


class TapeNoteWarning(UserWarning):
    """Something about a test that passed, such as a fault that was not used."""
