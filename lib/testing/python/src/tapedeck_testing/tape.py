"""The tape of one test: where its clients send their requests."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, fields
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import ProxyHandler, Request, build_opener

from .answers import HandWritten
from .errors import TapeError
from .faults import CallFault
from .wire import to_python_names, to_wire

#: Longest wait for the proxy, in seconds: it may still be storing an answer.
_TIMEOUT_S = 120
#: The proxy is on this machine, whatever HTTP_PROXY says.
_opener = build_opener(ProxyHandler({}))


@dataclass(frozen=True)
class SeenRequest:
    """A request that the test's code has sent, and what came of it."""

    method: str
    #: Host that the client asked, or that of the provider whose base URL it has.
    host: str
    path: str
    #: By their names in lower case, without credentials and cookies, and with secrets masked.
    headers: Mapping[str, str]
    #: None if it is not JSON.
    body: Any
    #: None until the answer begins; 101 for a WebSocket.
    status: Optional[int]
    #: Whether the client left before the end of the answer.
    aborted: bool


def _message_of(error: HTTPError) -> str:
    text = error.read().decode("utf-8", "replace")
    try:
        reason = json.loads(text)["error"]
    except (ValueError, KeyError, TypeError):
        return text
    return str(reason["message"]) if isinstance(reason, dict) and "message" in reason else str(reason)


class Tape:
    """The tape of one test, at the proxy of `tapedeck run` or at one of this process."""

    def __init__(
        self,
        origin: str,
        test: str,
        *,
        token: str = "",
        volatile: Sequence[str] = (),
        faults: Sequence[CallFault] = (),
        answers: Sequence[HandWritten] = (),
        exact: Optional[bool] = None,
        app: Optional[bool] = None,
        speed: Union[str, float, None] = None,
    ) -> None:
        """Starts the test, again if it ran before. Raises TapeError if its tape or an option is not valid."""
        self.test = test
        self._headers = {"content-type": "application/json", "x-tapedeck-token": token}
        self._url = f"{origin}/t/{quote(test, safe='')}"
        # Clients that know no base URL are told by their process, and those of processes that the test starts.
        process = os.environ.setdefault("TAPEDECK_PROCESS", str(os.getpid()))
        options: Dict[str, Any] = {
            "volatile": list(volatile),
            "faults": [to_wire(fault) for fault in faults],
            "answers": [to_wire(answer) for answer in answers],
            "process": process,
        }
        options.update({name: flag for name, flag in (("exact", exact), ("app", app), ("speed", speed)) if flag is not None})
        self._upstreams: List[str] = self._control("begin", options)["upstreams"]

    @property
    def anthropic(self) -> str:
        """Base URL for the SDK of Anthropic."""
        return self.base_url("anthropic")

    @property
    def openai(self) -> str:
        """Base URL for the SDK of OpenAI; it ends with `/v1`."""
        return self.base_url("openai")

    @property
    def gemini(self) -> str:
        """Base URL for the SDK of Gemini."""
        return self.base_url("gemini")

    @property
    def ollama(self) -> str:
        """Base URL, or host, for the SDK of Ollama."""
        return self.base_url("ollama")

    def base_url(self, upstream: str) -> str:
        """Returns the base URL of an upstream, such as one in `tapedeck.config.json`. Raises TapeError for any other."""
        if upstream not in self._upstreams:
            raise TapeError(f'There is no upstream "{upstream}". Known are {", ".join(self._upstreams)}.')
        return f"{self._url}/{upstream}{'/v1' if upstream == 'openai' else ''}"

    def requests(self) -> List[SeenRequest]:
        """Returns the requests so far, in order."""
        names = [field.name for field in fields(SeenRequest)]
        return [SeenRequest(**{name: each[name] for name in names}) for each in self._control("requests")]

    def misses(self) -> List[str]:
        """Returns why the requests so far that no recording has are misses, and what to do."""
        return [str(each["message"]) for each in self._control("report")["misses"]]

    def notes(self) -> List[str]:
        """Returns what happened so far that the developer has to know, such as the seed of random delays."""
        return [str(each) for each in self._control("report")["notes"]]

    def unused(self) -> List[str]:
        """Returns the files of recordings that no request has asked for so far."""
        return [str(each) for each in self._control("report")["unused"]]

    def end(self, passed: bool = True) -> List[str]:
        """Ends the test, and returns its notes. While recording again, its tape is replaced if it has passed."""
        return [str(each) for each in self._control("end", {"passed": passed})["notes"]]

    def _control(self, action: str, body: Optional[Mapping[str, Any]] = None) -> Any:
        data = json.dumps(body or {}).encode()
        request = Request(f"{self._url}/__tapedeck/{action}", data, self._headers)
        try:
            with _opener.open(request, timeout=_TIMEOUT_S) as response:
                return json.load(response)
        except HTTPError as error:
            raise TapeError(to_python_names(_message_of(error))) from None
        except URLError as error:
            raise TapeError(f"The proxy at {self._url} cannot be reached: {error.reason}") from None
