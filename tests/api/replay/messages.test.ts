import { Agent, request } from "node:http";
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, inject, it } from "vitest";
import { readStoredCassette } from "#lib/replay/cassettes/index";
import { readMessage } from "#tests/support/read-message";
import { readStream } from "#tests/support/read-stream";

const client = () =>
  new Anthropic({ baseURL: inject("baseUrl"), apiKey: "none", maxRetries: 0, defaultQuery: { speed: "max" } });
const ask = (content: string, model = "any-model") => ({
  model,
  max_tokens: 64,
  messages: [{ role: "user" as const, content }],
});

async function recorded(id: string) {
  const cassette = await readStoredCassette(id, { isFile: false });
  return readMessage(cassette?.chunks ?? []).message;
}

function post(body: string | object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${inject("baseUrl")}/v1/messages?speed=max`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: { "content-type": "application/json", ...headers },
  });
}

describe("POST /v1/messages with the unmodified SDK", () => {
  it.each([
    "legal/court-deadlines",
    "finance/bond-duration",
    "small-business/card-reader-fees",
    "finance/deposit-structuring",
  ])("streams the message of %s, named by the model", async (id) => {
    const stream = client().messages.stream(ask("hello", `cassette:${id}`));
    expect(JSON.parse(JSON.stringify(await stream.finalMessage()))).toMatchObject((await recorded(id)) as object);
  });

  it("returns the same message without streaming", async () => {
    const id = "legal/court-deadlines";
    const message = await client().messages.create(ask("hello", `cassette:${id}`));
    expect(message).toMatchObject((await recorded(id)) as object);
  });

  it("raises the cassette's mid-stream error, streaming or not", async () => {
    const body = ask("hello", "cassette:developer-tools/ci-diagnosis-overloaded");
    await expect(client().messages.stream(body).finalMessage()).rejects.toThrow(/[Oo]verloaded/);
    await expect(client().messages.create(body)).rejects.toMatchObject({
      status: 529,
      error: { error: { type: "overloaded_error" } },
    });
  });

  it("chooses by the header, then by the nearest prompt of the site", async () => {
    const byHeader = await client()
      .messages.create(ask("hello"), { headers: { "x-replay-cassette": "finance/loan-comparison" } })
      .withResponse();
    expect(byHeader.response.headers.get("x-replay-cassette")).toBe("finance/loan-comparison");
    const byPrompt = await client().messages.create(ask("How do I write a token bucket rate limiter?")).withResponse();
    expect(byPrompt.response.headers.get("x-replay-cassette")).toBe("developer-tools/token-bucket-limiter");
    expect(byPrompt.response.headers.get("x-replay-match")).toBe("nearest");
    await expect(client().messages.create(ask("zzz"))).rejects.toMatchObject({ status: 404 });
  });

  it("raises the provider's not-found error for an unknown cassette", async () => {
    for (const name of ["legal/none", "nowhere", "../../etc/passwd", "legal/nda-review/x"]) {
      await expect(client().messages.create(ask("hello", `cassette:${name}`))).rejects.toMatchObject({
        status: 404,
        error: { type: "error", error: { type: "not_found_error", message: expect.stringContaining(name) } },
      });
    }
  });
});

describe("POST /v1/messages with bad input", () => {
  it.each([
    ["no JSON", "{", 400, "invalid_request_error"],
    ["not UTF-8 text", "\ud800", 400, "invalid_request_error"],
    ["an array", "[]", 400, "invalid_request_error"],
    ["no model", { max_tokens: 1, messages: [{ role: "user", content: "x" }] }, 400, "invalid_request_error"],
    ["no max_tokens", { model: "m", messages: [{ role: "user", content: "x" }] }, 400, "invalid_request_error"],
    ["no messages", { model: "m", max_tokens: 1, messages: [] }, 400, "invalid_request_error"],
    [
      "content of a wrong type",
      { model: "m", max_tokens: 1, messages: [{ role: "user", content: 7 }] },
      400,
      "invalid_request_error",
    ],
  ])("responds to %s with the provider's error format", async (_name, body, status, type) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      type: "error",
      error: { type, message: expect.any(String) },
      request_id: response.headers.get("x-request-id"),
    });
  });

  it("responds to GET with a 405 in the provider's format, and to browsers' preflights", async () => {
    const get = await fetch(`${inject("baseUrl")}/v1/messages`);
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
    expect(await get.json()).toMatchObject({ type: "error" });
    const preflight = await readStream(`${inject("baseUrl")}/v1/messages`, {
      method: "OPTIONS",
      headers: { "access-control-request-headers": "x-api-key,anthropic-version,content-type" },
    });
    expect(preflight.headers["access-control-allow-headers"]).toBe("x-api-key,anthropic-version,content-type");
  });

  it("uses a connection again after a body that is too large", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sendBody = (body: Buffer) =>
      new Promise<[status: number | undefined, port: number | undefined]>((settle, reject) => {
        const options = { method: "POST", agent, headers: { "content-length": body.length } };
        const sent = request(`${inject("baseUrl")}/v1/messages`, options, (response) => {
          const { localPort } = response.socket;
          response.resume().on("end", () => settle([response.statusCode, localPort]));
        });
        sent.on("error", reject).end(body);
      });
    const [first, firstPort] = await sendBody(Buffer.alloc(33 * 1024 * 1024, " "));
    const [second, secondPort] = await sendBody(Buffer.from("{}"));
    agent.destroy();
    expect([first, second, secondPort]).toEqual([413, 400, firstPort]);
  });

  it("rejects a too large body without a length before reading all of it", async () => {
    let sent = 0;
    const endless = new ReadableStream({
      pull(controller) {
        sent += 16_384;
        if (sent > 100_000_000) controller.close();
        else controller.enqueue(new Uint8Array(16_384).fill(32));
      },
    });
    const answer = fetch(`${inject("baseUrl")}/v1/messages`, {
      method: "POST",
      body: endless,
      duplex: "half",
    } as RequestInit);
    const status = await answer.then(
      (response) => response.status,
      () => 413,
    );
    expect(status).toBe(413);
    expect(sent).toBeLessThan(100_000_000);
  });
});
