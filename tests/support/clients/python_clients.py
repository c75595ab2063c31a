"""Runs the conversations with the Python SDKs, which read base URLs and keys from the environment. Prints JSON.

The argument is JSON: the question, the outputs of the tools by name and arguments, and the models.
"""

import json
import sys

import anthropic
import openai
from google import genai
from google.genai import types

given = json.loads(sys.argv[1])
question, models = given["question"], given["models"]


def run_tool(name, arguments):
    return given["outputs"][name][str(next(iter(arguments.values())))]


def run_anthropic():
    client = anthropic.Anthropic(max_retries=0)
    messages, said = [{"role": "user", "content": question}], []
    while True:
        with client.messages.stream(model=models["anthropic"], max_tokens=100, messages=messages) as stream:
            message = stream.get_final_message()
        said.append([block.model_dump(include={"type", "text", "id", "name", "input"}, exclude_none=True) for block in message.content])
        calls = [block for block in message.content if block.type == "tool_use"]
        if not calls:
            return said
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": run_tool(call.name, call.input)} for call in calls
        ]
        messages += [{"role": "assistant", "content": message.content}, {"role": "user", "content": results}]


def run_responses():
    client = openai.OpenAI(max_retries=0)
    items, said = [{"role": "user", "content": question}], []
    while True:
        with client.responses.stream(model=models["responses"], input=items) as stream:
            response = stream.get_final_response()
        said.append(response.output_text)
        calls = [item for item in response.output if item.type == "function_call"]
        if not calls:
            return said
        items += [item.model_dump(include={"type", "role", "id", "content", "call_id", "name", "arguments"}, exclude_none=True) for item in response.output]
        items += [
            {"type": "function_call_output", "call_id": call.call_id, "output": run_tool(call.name, json.loads(call.arguments))}
            for call in calls
        ]


def run_gemini():
    client = genai.Client()
    contents, said = [types.Content(role="user", parts=[types.Part(text=question)])], []
    while True:
        parts = []
        for chunk in client.models.generate_content_stream(model="gemini-any", contents=contents):
            parts += chunk.candidates[0].content.parts
        said.append([part.model_dump(mode="json", include={"text", "function_call"}, exclude_none=True) for part in parts])
        contents.append(types.Content(role="model", parts=parts))
        calls = [part.function_call for part in parts if part.function_call]
        if not calls:
            return said
        results = [
            types.Part.from_function_response(name=call.name, response={"output": run_tool(call.name, call.args)})
            for call in calls
        ]
        contents.append(types.Content(role="user", parts=results))


print(json.dumps({"anthropic": run_anthropic(), "responses": run_responses(), "gemini": run_gemini()}))
