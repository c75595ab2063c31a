"""Replays the tapes of a folder until its input ends. The first line of output is the server's origin."""

import sys
from pathlib import Path

from tapedeck_testing import ReplayServer, load_config

with ReplayServer(load_config(Path(sys.argv[1]))) as server:
    print(server.origin, flush=True)
    sys.stdin.read()
