"""Asks one question through each client, with nothing but a key: no base URL, no proxy. Prints the answers as JSON."""

import asyncio
import json
import os
import sys
import urllib.request

PROMPT = "What is the capital of Portugal?"
MESSAGES = [{"role": "user", "content": PROMPT}]
KEY = "not-to-be-stored-0123456789"
os.environ.update(AWS_ACCESS_KEY_ID="AKIANOTTOBESTORED0000", AWS_SECRET_ACCESS_KEY=KEY, AWS_DEFAULT_REGION="us-east-1")
DEEPSEEK = "https://api.deepseek.com/chat/completions"
BODY = {"model": "deepseek-test", "messages": MESSAGES}


def openai_chat():
    from openai import OpenAI

    return OpenAI(api_key=KEY).chat.completions.create(model="gpt-test", messages=MESSAGES).choices[0].message.content


def openai_async():
    from openai import AsyncOpenAI

    async def ask():
        async with AsyncOpenAI(api_key=KEY) as client:
            answer = await client.chat.completions.create(model="gpt-async", messages=MESSAGES)
            return answer.choices[0].message.content

    return asyncio.run(ask())


def azure():
    from openai import AzureOpenAI

    client = AzureOpenAI(api_key=KEY, azure_endpoint="https://tapedeck.openai.azure.com", api_version="2024-10-21")
    return client.chat.completions.create(model="d", messages=MESSAGES).choices[0].message.content


def anthropic_messages():
    from anthropic import Anthropic

    return Anthropic(api_key=KEY).messages.create(model="claude-test", max_tokens=9, messages=MESSAGES).content[0].text


def anthropic_bedrock():
    from anthropic import AnthropicBedrock

    client = AnthropicBedrock(aws_region="us-east-1")
    return client.messages.create(model="claude-test", max_tokens=9, messages=MESSAGES).content[0].text


def groq_chat():
    from groq import Groq

    return Groq(api_key=KEY).chat.completions.create(model="llama-test", messages=MESSAGES).choices[0].message.content


def google_genai():
    from google import genai

    client = genai.Client(api_key=KEY)
    return client.models.generate_content(model="gemini-test", contents=PROMPT).text


def boto3_converse():
    import boto3

    client = boto3.client("bedrock-runtime")
    answer = client.converse(modelId="m", messages=[{"role": "user", "content": [{"text": PROMPT}]}])
    return answer["output"]["message"]["content"][0]["text"]


def boto3_stream():
    import boto3

    client = boto3.client("bedrock-runtime")
    answer = client.converse_stream(modelId="m", messages=[{"role": "user", "content": [{"text": PROMPT}]}])
    return "".join(event.get("contentBlockDelta", {}).get("delta", {}).get("text", "") for event in answer["stream"])


def text_of(answer):
    return answer["choices"][0]["message"]["content"]


def requests_post():
    import requests

    return text_of(requests.post(DEEPSEEK, json={**BODY, "n": 1}, timeout=60).json())


def httpx_post():
    import httpx

    return text_of(httpx.post(DEEPSEEK, json={**BODY, "n": 2}, timeout=60).json())


def httpx_untrusting():
    import httpx

    with httpx.Client(trust_env=False) as client:
        return text_of(client.post(DEEPSEEK, json={**BODY, "n": 3}, timeout=60).json())


def httpx_transport():
    import httpx

    with httpx.Client(transport=httpx.HTTPTransport(retries=2)) as client:
        return text_of(client.post(DEEPSEEK, json={**BODY, "n": 6}, timeout=60).json())


def httpx_async_transport():
    import httpx

    async def ask():
        async with httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(retries=2)) as client:
            return text_of((await client.post(DEEPSEEK, json={**BODY, "n": 7}, timeout=60)).json())

    return asyncio.run(ask())


def requests_untrusting():
    import requests

    with requests.Session() as session:
        session.trust_env = False
        return text_of(session.post(DEEPSEEK, json={**BODY, "n": 8}, timeout=60).json())


def urllib3_pool():
    import urllib3

    return text_of(urllib3.PoolManager().request("POST", DEEPSEEK, json={**BODY, "n": 9}).json())


def boto3_without_proxies():
    import boto3
    from botocore.config import Config

    client = boto3.client("bedrock-runtime", config=Config(proxies={}))
    answer = client.converse(modelId="direct", messages=[{"role": "user", "content": [{"text": PROMPT}]}])
    return answer["output"]["message"]["content"][0]["text"]


def aiohttp_post():
    import aiohttp

    async def ask():
        async with aiohttp.ClientSession() as session, session.post(DEEPSEEK, json={**BODY, "n": 4}) as response:
            return text_of(await response.json())

    return asyncio.run(ask())


def urllib_post():
    data = json.dumps({**BODY, "n": 5}).encode()
    request = urllib.request.Request(DEEPSEEK, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return text_of(json.load(response))


REALTIME = "wss://api.openai.com/v1/realtime?model=gpt-test"


def ask_realtime(number):
    return json.dumps({"type": "response.create", "response": PROMPT, "number": number})


def websockets_connect():
    import websockets

    async def ask():
        async with websockets.connect(REALTIME) as socket:
            await socket.send(ask_realtime(1))
            return json.loads(await socket.recv())["text"]

    return asyncio.run(ask())


def websocket_client():
    import websocket

    socket = websocket.create_connection(REALTIME)
    socket.send(ask_realtime(2))
    text = json.loads(socket.recv())["text"]
    socket.close()
    return text


CLIENTS = [
    openai_chat,
    openai_async,
    azure,
    anthropic_messages,
    anthropic_bedrock,
    groq_chat,
    google_genai,
    boto3_converse,
    boto3_stream,
    requests_post,
    httpx_post,
    httpx_untrusting,
    httpx_transport,
    httpx_async_transport,
    requests_untrusting,
    urllib3_pool,
    boto3_without_proxies,
    aiohttp_post,
    urllib_post,
    websockets_connect,
    websocket_client,
]


def answer_of(client):
    try:
        return client()
    except Exception as error:  # noqa: BLE001
        return f"{type(error).__name__}: {error}"


json.dump({client.__name__: answer_of(client) for client in CLIENTS}, sys.stdout)
