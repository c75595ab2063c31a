"""Tests whose requests were recorded with other words, for the tests of the pytest plugin."""

import os

from test_trip import ask


def test_fails(tape):
    ask(tape.openai, os.environ.get("PROMPT", "What should I pack?"))


def test_passes(tape):
    try:
        ask(tape.openai, os.environ.get("PROMPT", "What should I pack?"))
    except OSError:
        pass
