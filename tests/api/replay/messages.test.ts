import { Agent, request } from "node:http";
import Anthropic from "@anthropic-ai/sdk";
import { expect, inject, it } from "vitest";
import { readStream } from "#tests/support/read-stream";

/** What the whole app adds to tests/faults/drop-in*, which have the same requests to its handlers. */

const client = () =>
  new Anthropic({ baseURL: inject("baseUrl"), apiKey: "none", maxRetries: 0, defaultQuery: { speed: "max" } });
const ask = (content: string, id?: string) => ({
  model: id ? `cassette:${id}` : "any-model",
  max_tokens: 64,
  messages: [{ role: "user" as const, content }],
});

it("the SDK raises the cassette's mid-stream error, streaming or not", async () => {
  const body = ask("hello", "developer-tools/ci-diagnosis-overloaded");
  await expect(client().messages.stream(body).finalMessage()).rejects.toThrow(/[Oo]verloaded/);
  await expect(client().messages.create(body)).rejects.toMatchObject({
    status: 529,
    error: { error: { type: "overloaded_error" } },
  });
});

it("the nearest prompt of the site is played, or a 404 in the provider's format", async () => {
  const { response } = await client()
    .messages.create(ask("How do I write a token bucket rate limiter?"))
    .withResponse();
  const chosen = ["x-replay-cassette", "x-replay-match"].map((name) => response.headers.get(name));
  expect(chosen).toEqual(["developer-tools/token-bucket-limiter", "nearest"]);
  await expect(client().messages.create(ask("zzz"))).rejects.toMatchObject({
    status: 404,
    error: { type: "error", error: { type: "not_found_error" } },
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
