"""Hand-written answers that a test asks for."""

from __future__ import annotations

import re
from typing import Any, Dict, List, Union

from .faults import Delivery


class HandWritten(Delivery, total=False):
    """A hand-written answer, or an error. One without `when`, `model` and `times` is given to every call that comes to it.

    A fault of the test acts in place of what the answer says of its delivery. Without a `seed`, its random delays are the same
    in each run.
    """

    #: What the last message of the request contains or matches: what the user wrote last, or what tools returned last.
    #: A pattern is one that JavaScript has too.
    when: Union[str, re.Pattern[str]]
    #: The model that the request names. Default: any.
    model: str
    #: The host that is asked, as `api.groq.com`; `*` stands for any part. Default: any.
    host: str
    #: The path that is asked, such as `/v1/embeddings`; `*` stands for any part. Default: any of a chat protocol.
    path: str
    #: Number of calls that get it; the next ones get the next answer that matches. Default: any.
    times: int
    text: str
    #: Is left out in Chat Completions, which have none.
    thinking: str
    #: Each with its `name`, and its `input` if it has any.
    tool_calls: List[Dict[str, Any]]
    #: `max_tokens`: the text was cut at the limit of tokens.
    stop_reason: str
    #: Token counts: `input_tokens`, which include the cached ones, `output_tokens` and `cached_tokens`. Default: an estimate.
    usage: Dict[str, int]
    #: More headers of the response, or other values.
    headers: Dict[str, str]
    #: With a path: a whole answer, with `status` and `headers`, as JSON or as bytes, or as a text in `body`.
    json: Any
    base64: str
    #: Sends this error, 400 to 599, with `retry_after_s`, `code`, `message`, and `body` or `json`, as in a fault.
    status: int
    retry_after_s: float
    code: str
    message: str
    body: str
