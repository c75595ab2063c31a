"""An HTTP server that replays tapes, at the same URLs as the recording proxy."""

from __future__ import annotations

import re
import socketserver
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Dict, List, NamedTuple, Optional
from urllib.parse import unquote

from .config import Config
from .errors import TapeError
from .js_json import parse, stringify
from .providers import openai_chat
from .reply import Piece, Reply, error_reply, whole_reply
from .request import Incoming
from .session import Options, Session
from .tape_name import tape_folder

#: Largest request body, in bytes.
_MAX_BODY_BYTE_SIZE = 32 * 1024 * 1024
#: Longest line of a body that is sent in chunks, in bytes.
_MAX_LINE_BYTE_SIZE = 1000
#: Connections that wait until a thread takes them.
_BACKLOG = 128
#: Name of the tape of requests whose URL names no test.
_DEFAULT_TEST = "default"
#: First segment of paths that control the server instead of reaching an upstream.
_CONTROL = "__tapedeck"
_LOCAL = re.compile(r"(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?\Z")
_WITHOUT_BODY = (204, 304)


class _Route(NamedTuple):
    test: str
    segments: List[str]
    query: str


def _parse_route(url: str) -> _Route:
    path, _, query = url.partition("?")
    segments = path.split("/")[1:]
    if len(segments) < 2 or segments[0] != "t":
        return _Route(_DEFAULT_TEST, segments, query)
    return _Route(unquote(segments[1]), segments[2:], query)


def _json_reply(status: int, body: Any) -> Reply:
    return whole_reply(status, {"content-type": "application/json"}, stringify(body))


class _Server(socketserver.ThreadingMixIn, HTTPServer):
    daemon_threads = True
    request_queue_size = _BACKLOG

    def __init__(self, config: Config) -> None:
        self.config = config
        self._sessions: Dict[str, Session] = {}
        self._lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    def server_bind(self) -> None:
        # HTTPServer would look up the name of the host, which may take seconds.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = "127.0.0.1", self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that closes its connection is no error.
        pass

    def begin(self, test: str, options: Options) -> None:
        """Starts a test, again if it ran before. Raises TapeError."""
        with self._lock:
            known = self._sessions.get(test)
        if known is None:
            self.session(test, options)
        else:
            known.begin(options)

    def session(self, test: str, options: Options = Options()) -> Session:
        """Returns the session of a test, which starts with its first request. Raises TapeError."""
        with self._lock:
            if test not in self._sessions:
                folder = self.config.tapes.joinpath(*tape_folder(test))
                self._sessions[test] = Session(folder, test, self.config, options)
            return self._sessions[test]

    def reply(self, route: _Route, method: str, headers: List[Any], body: Optional[bytes]) -> Reply:
        """Answers a request. Raises TapeError and ValueError."""
        name, rest = (route.segments or [""])[0], route.segments[1:]
        providers = self.config.upstreams.get(name)
        if body is None:
            provider = providers[0] if providers else openai_chat
            return error_reply(provider, 413, "The request is larger than 32 MiB.", {"connection": "close"})
        if name == _CONTROL:
            return self._control(route.test, "/".join(rest), body)
        if providers is None:
            known = ", ".join(f"/{each}" for each in self.config.upstreams)
            return _json_reply(404, {"error": f'There is no upstream "{name}". The proxy has {known}.'})
        incoming = Incoming(providers, method, f"/{'/'.join(rest)}", route.query, headers, body)
        return self.session(route.test).handle(incoming)

    def _control(self, test: str, action: str, body: bytes) -> Reply:
        def refuse(reason: str) -> Reply:
            return _json_reply(400, {"error": reason})

        try:
            json = parse(body.decode("utf-8")) if body else {}
        except ValueError as error:
            return refuse(f"The body is not valid JSON: {error}")
        if action in ("begin", "end") and not isinstance(json, dict):
            return refuse("the options: must be an object")
        if action == "begin":
            try:
                options = Options.from_json(json)
            except TapeError as error:
                return refuse(str(error))
            self.begin(test, options)
            return _json_reply(200, {})
        if action == "end":
            passed = json.get("passed", True)
            if not isinstance(passed, bool):
                return refuse("passed: must be a boolean")
            return _json_reply(200, self.session(test).end(passed))
        if action == "report":
            return _json_reply(200, self.session(test).report())
        if action == "requests":
            return _json_reply(200, self.session(test).requests)
        return _json_reply(404, {"error": f"There is no /{_CONTROL}/{action}."})


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _answer(self) -> None:
        body = self._read_body()
        try:
            reply = self._reply(body)
        except Exception as error:  # Whatever fails, the client learns why.
            reply = error_reply(openai_chat, 500, str(error), {"x-should-retry": "false"})
        self._send(reply)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _answer

    def _reply(self, body: Optional[bytes]) -> Reply:
        origin = self.headers.get("origin")
        places = [self.headers.get("host", ""), *([] if origin is None else [re.sub(r"^https?://", "", origin)])]
        # A web page that guesses the port must not read tapes.
        if not all(_LOCAL.match(place) for place in places):
            return _json_reply(403, {"error": "The proxy answers programs on this machine only."})
        return self.server.reply(_parse_route(self.path), self.command, self.headers.items(), body)

    def _read_body(self) -> Optional[bytes]:
        """Returns the body; None if it is too large."""
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            return self._read_chunks()
        length = self.headers.get("content-length", "0")
        if length.isascii() and length.isdigit() and int(length) <= _MAX_BODY_BYTE_SIZE:
            return self.rfile.read(int(length))
        self.close_connection = True
        return None

    def _read_chunks(self) -> Optional[bytes]:
        pieces: List[bytes] = []
        left = _MAX_BODY_BYTE_SIZE
        while left >= 0:
            size = int(self.rfile.readline(_MAX_LINE_BYTE_SIZE).split(b";")[0], 16)
            if size == 0:
                while self.rfile.readline(_MAX_LINE_BYTE_SIZE).strip():
                    pass
                return b"".join(pieces)
            left -= size
            if left >= 0:
                pieces.append(self.rfile.read(size))
                self.rfile.readline(_MAX_LINE_BYTE_SIZE)
        self.close_connection = True
        return None

    def _send(self, reply: Reply) -> None:
        time.sleep(reply.first_byte_ms / 1000)
        has_body = reply.status not in _WITHOUT_BODY and self.command != "HEAD"
        is_chunked = has_body and self.request_version != "HTTP/1.0"
        self.send_response_only(reply.status)
        self.send_header("date", self.date_time_string())
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if is_chunked:
            self.send_header("transfer-encoding", "chunked")
        elif has_body:
            self.close_connection = True
        self.end_headers()
        if has_body:
            self._send_pieces(reply.playback.pieces, is_chunked)
        if reply.playback.is_cut:
            self.close_connection = True
        elif is_chunked:
            self.wfile.write(b"0\r\n\r\n")

    def _send_pieces(self, pieces: List[Piece], is_chunked: bool) -> None:
        waiting: List[bytes] = []
        for pause_ms, data in pieces:
            if pause_ms > 0:
                self.wfile.write(b"".join(waiting))
                waiting = []
                time.sleep(pause_ms / 1000)
            # An empty chunk would end the body.
            if data:
                waiting.append(b"%x\r\n%b\r\n" % (len(data), data) if is_chunked else data)
        self.wfile.write(b"".join(waiting))


class ReplayServer:
    """Replays the tapes of a project on a free port of the loopback. It opens no connection to a provider."""

    def __init__(self, config: Config) -> None:
        """Starts the server in a thread, which does not keep the process alive."""
        self._server = _Server(config)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def origin(self) -> str:
        """`http://127.0.0.1:<port>`."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        """Stops the server."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> ReplayServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
