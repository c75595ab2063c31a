"""Tests of an application that calls a model, for the tests of the pytest plugin."""

import json
import os
import re
import urllib.error
import urllib.request

import pytest


def ask(base_url, prompt, **fields):
    body = {"model": "m-1", "stream": True, "messages": [{"role": "user", "content": prompt}], **fields}
    headers = {"content-type": "application/json", "authorization": "Bearer none"}
    request = urllib.request.Request(f"{base_url}/chat/completions", json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request) as response:
        return response.read().decode()


def test_packs(tape):
    # Recorded again, the test sends other words.
    prompt = os.environ.get("PROMPT", "What should I pack?")
    assert "pack light" in ask(tape.openai, prompt)
    assert [request.body["messages"][0]["content"] for request in tape.requests()] == [prompt]


@pytest.mark.parametrize("city", ["Lisbon", "São Paulo", "a > b"])
def test_city(tape, city):
    assert "pack light" in ask(tape.openai, f"What should I pack for {city}?")


@pytest.mark.xdist_group("cities")
class TestTrip:
    def test_grouped(self, tape):
        assert "pack light" in ask(tape.openai, "What should I pack for the group?")


@pytest.mark.tape(volatile=["/metadata/run"], exact=True)
def test_volatile(tape):
    assert "pack light" in ask(tape.openai, "What now?", metadata={"run": os.getpid()})


@pytest.mark.tape(faults=[{"call": 1, "status": 529, "retry_after_s": 1}])
def test_fault(tape):
    with pytest.raises(urllib.error.HTTPError) as caught:
        ask(tape.openai, "What should I pack?")
    assert (caught.value.code, caught.value.headers["retry-after"]) == (529, "1")
    assert "pack light" in ask(tape.openai, "What should I pack?")


@pytest.mark.tape(
    answers=[
        {"when": re.compile("LISBON", re.I), "tool_calls": [{"name": "get_weather", "input": {"city": "Lisbon"}}]},
        {"status": 529, "retry_after_s": 1},
    ]
)
class TestAnswers:
    @pytest.mark.tape(answers=[{"when": "Porto", "text": "Take a coat."}])
    def test_answered(self, tape):
        assert "Take" in ask(tape.openai, "What should I pack for Porto?")
        assert '"name":"get_weather"' in ask(tape.openai, "What should I pack for Lisbon?")
        with pytest.raises(urllib.error.HTTPError) as caught:
            ask(tape.openai, "What now?")
        assert caught.value.headers["retry-after"] == "1"
