"""What replay needs to know about the protocols of the model providers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Mapping, Sequence, Tuple

from .js_json import stringify

_REQUEST_ID = "req_tapedeck"
_TEST_ERROR = "Tapedeck sends this error, because the test asks for it."


def _objects(value: Any) -> Iterator[Tuple[int, Dict[str, Any]]]:
    """Yields the objects of an array with their index; nothing if the value is no array."""
    for index, item in enumerate(value if isinstance(value, list) else []):
        if isinstance(item, dict):
            yield index, item


def _ends_with(value: Any, ending: str) -> bool:
    return isinstance(value, str) and value.endswith(ending)


def _tool_messages(body: Mapping[str, Any]) -> List[str]:
    messages = _objects(body.get("messages"))
    return [f"/messages/{index}/content" for index, message in messages if message.get("role") == "tool"]


def _anthropic_results(body: Mapping[str, Any]) -> List[str]:
    return [
        f"/messages/{index}/content/{part}/content"
        for index, message in _objects(body.get("messages"))
        for part, block in _objects(message.get("content"))
        if _ends_with(block.get("type"), "tool_result")
    ]


def _responses_results(body: Mapping[str, Any]) -> List[str]:
    items = _objects(body.get("input"))
    return [f"/input/{index}/output" for index, item in items if _ends_with(item.get("type"), "_output")]


def _gemini_results(body: Mapping[str, Any]) -> List[str]:
    return [
        f"/contents/{index}/parts/{number}/functionResponse/response"
        for index, content in _objects(body.get("contents"))
        for number, part in _objects(content.get("parts"))
        if isinstance(part.get("functionResponse"), dict)
    ]


_ANTHROPIC_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    503: "overloaded_error",
    529: "overloaded_error",
}
_OPENAI_KINDS = {
    401: ("invalid_request_error", "invalid_api_key"),
    404: ("invalid_request_error", "model_not_found"),
    413: ("invalid_request_error", "request_too_large"),
    429: ("rate_limit_error", "rate_limit_exceeded"),
    500: ("server_error", None),
    503: ("server_error", "server_overloaded"),
}
_GEMINI_NAMES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def _anthropic_error(status: int, message: str) -> Dict[str, Any]:
    kind = _ANTHROPIC_TYPES.get(status) or ("api_error" if status >= 500 else "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": _REQUEST_ID}


def _openai_error(status: int, message: str) -> Dict[str, Any]:
    kind, code = _OPENAI_KINDS.get(status, ("invalid_request_error", None))
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _gemini_error(status: int, message: str) -> Dict[str, Any]:
    name = _GEMINI_NAMES.get(status) or ("INTERNAL" if status >= 500 else "INVALID_ARGUMENT")
    return {"error": {"code": status, "message": message, "status": name}}


def _ollama_error(_status: int, message: str) -> Dict[str, Any]:
    return {"error": message}


@dataclass(frozen=True)
class Provider:
    """A protocol, by its name in cassettes."""

    name: str
    #: JSON pointers of fields that the client makes up. They are never compared.
    volatile_fields: Tuple[str, ...]
    #: Returns the JSON pointers of the contents of tool results in a request.
    tool_results: Callable[[Mapping[str, Any]], List[str]]
    #: Returns the body of an error in the provider's format.
    error_body: Callable[[int, str], Dict[str, Any]]
    #: How a stream is written: as server-sent events, with or without names, or as JSON lines.
    stream: str
    #: Name of the list to which each turn of a conversation appends.
    history: str = "messages"

    def error_event(self) -> bytes:
        """Returns an error as an event of a stream."""
        body = self.error_body(500, _TEST_ERROR)
        if self.stream == "ndjson":
            return f"{stringify(body)}\n".encode()
        if self.stream == "named":
            return f"event: error\ndata: {stringify({'type': 'error', **body})}\n\n".encode()
        return f"data: {stringify(body)}\n\n".encode()


_OPENAI_VOLATILE = ("/user", "/safety_identifier", "/prompt_cache_key")

anthropic = Provider("anthropic", ("/metadata/user_id",), _anthropic_results, _anthropic_error, "named")
openai_chat = Provider("openai-chat", _OPENAI_VOLATILE, _tool_messages, _openai_error, "unnamed")
openai_responses = Provider("openai-responses", _OPENAI_VOLATILE, _responses_results, _openai_error, "named", "input")
gemini = Provider("gemini", ("/labels",), _gemini_results, _gemini_error, "unnamed", "contents")
ollama = Provider("ollama", ("/keep_alive",), _tool_messages, _ollama_error, "ndjson")

#: All protocols by their names.
PROVIDERS = {each.name: each for each in (anthropic, openai_chat, openai_responses, gemini, ollama)}

#: Upstreams that every proxy has, with the protocols behind them.
BUILT_IN_UPSTREAMS: Mapping[str, Sequence[Provider]] = {
    "anthropic": (anthropic,),
    "openai": (openai_chat, openai_responses),
    "gemini": (gemini,),
    "ollama": (ollama,),
}

#: Variables that may contain the API key of a provider.
_KEY_VARIABLES = (("ANTHROPIC_API_KEY",), ("OPENAI_API_KEY",), ("GEMINI_API_KEY", "GOOGLE_API_KEY"))


def placeholder_keys(environment: Mapping[str, str]) -> Dict[str, str]:
    """Returns the variables that contain the API keys of providers without one, each with a placeholder.

    Of a provider with a key in one variable, the others stay unset: an SDK may prefer them.
    """
    missing = [names for names in _KEY_VARIABLES if not any(environment.get(name) for name in names)]
    return {name: "replayed-by-tapedeck" for names in missing for name in names}


def base_url_at(url: str, upstream: str) -> str:
    """Returns the base URL for an SDK, given the URL of a test: the SDKs of OpenAI expect `/v1` at its end."""
    return f"{url}/{upstream}{'/v1' if upstream == 'openai' else ''}"


def provider_at(providers: Sequence[Provider], path: str) -> Provider:
    """Returns the protocol of a path at an upstream."""
    is_responses = path == "/v1/responses" or path.startswith("/v1/responses/")
    return openai_responses if is_responses and openai_responses in providers else providers[0]
