import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Folded, framingOf, readEvents } from "#lib/replay/providers/index";
import {
  answerIn,
  answersOf,
  bodyOf,
  idOf,
  retryAfterSeconds,
  send,
  serveCassettes,
  testedAdapters,
} from "#tests/support/conversation-cassettes";
import { type ProtocolName, protocolNames, protocols } from "#tests/support/conversation-protocols";
import type { Served } from "#tests/support/serve";

/** Protocols, each once: `chained` differs from `responses` only in its requests. */
const names = protocolNames.filter((name) => name !== "chained");

/** Puts the answer in a body together. */
function fold(name: ProtocolName, response: Response, body: Buffer): Folded {
  const framing = framingOf(response.headers.get("content-type") ?? undefined);
  return protocols[name].provider.fold(readEvents([{ deltaMs: 0, bytes: body }], framing));
}

describe.each(testedAdapters)("the form of an answer from the %s adapter", (adapter) => {
  let served: Served;
  beforeAll(async () => {
    served = await serveCassettes(adapter);
  });
  afterAll(() => served.stop());

  /** Asks for a cassette by its name. */
  async function ask(name: ProtocolName, cassette: string, { stream, query }: { stream: boolean; query?: string }) {
    const body = { ...protocols[name].requestOf("Anything"), stream };
    const headers = { "x-replay-cassette": idOf(cassette) };
    const response = await send(served.origin, name, body, { headers, ...(query !== undefined && { query }) });
    return { response, body: Buffer.from(await response.arrayBuffer()) };
  }

  describe.each(names)("%s", (name) => {
    const streamType = name === "ollama" ? "application/x-ndjson" : "text/event-stream; charset=utf-8";

    it("is the recorded bytes if it was recorded in this form", async () => {
      const streamed = await ask(name, `${name}-1`, { stream: true });
      expect(streamed.response.headers.get("content-type")).toBe(streamType);
      expect(streamed.body.equals(bodyOf(`${name}-1`))).toBe(true);
      const whole = await ask(name, `${name}-whole`, { stream: false });
      expect(whole.response.headers.get("content-type")).toBe("application/json");
      expect(whole.body.equals(bodyOf(`${name}-whole`))).toBe(true);
    });

    it("is the whole answer of a recorded stream", async () => {
      const { response, body } = await ask(name, `${name}-1`, { stream: false });
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(JSON.parse(body.toString())).toEqual(answersOf(name)[0]);
    });

    it("is a stream of an answer that was recorded whole", async () => {
      const { response, body } = await ask(name, `${name}-whole`, { stream: true });
      expect(response.headers.get("content-type")).toBe(streamType);
      expect(fold(name, response, body)).toEqual({
        body: answerIn(`${name}-whole`, protocols[name]),
        error: null,
        isEnded: true,
      });
    });

    it.each([true, false])(
      "is a recorded error as it was, with the headers that clients read, stream: %s",
      async (stream) => {
        const { response, body } = await ask(name, `${name}-error`, { stream });
        expect(response.status).toBe(429);
        expect(response.headers.get("content-type")).toBe("application/json");
        expect(response.headers.get("retry-after")).toBe(String(retryAfterSeconds));
        expect(body.equals(bodyOf(`${name}-error`))).toBe(true);
      },
    );

    it("has the recorded request id and limits, and each header once", async () => {
      for (const stream of [true, false]) {
        const { response } = await ask(name, `${name}-1`, { stream });
        for (const [header, value] of Object.entries(protocols[name].headers)) {
          expect([header, response.headers.get(header)]).toEqual([header, value]);
        }
        expect(response.headers.get("x-replay-tokens-spent")).toBe("0");
        expect(response.headers.get("cache-control")).toBe("no-cache, no-transform");
      }
    });
  });

  it("has a request id of its own if none was recorded", async () => {
    const anthropic = await ask("anthropic", "anthropic-cut", { stream: false });
    expect(anthropic.response.headers.get("request-id") ?? anthropic.response.headers.get("x-request-id")).toBeTruthy();
    const chat = await ask("chat", "chat-repeat-1", { stream: false });
    expect(chat.response.headers.get("x-request-id")).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it("is a JSON array for Gemini without alt=sse, whichever way it was recorded", async () => {
    for (const cassette of ["gemini-1", "gemini-whole", "gemini-array"]) {
      const { response, body } = await ask("gemini", cassette, { stream: true, query: "" });
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(JSON.parse(body.toString())).toBeInstanceOf(Array);
      expect(fold("gemini", response, body).body).toEqual(answerIn(cassette, protocols.gemini));
    }
  });

  it("is events or a whole answer for a recorded JSON array of Gemini", async () => {
    const sse = await ask("gemini", "gemini-array", { stream: true });
    expect(sse.response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    const expected = answerIn("gemini-array", protocols.gemini);
    expect(fold("gemini", sse.response, sse.body).body).toEqual(expected);
    const whole = await ask("gemini", "gemini-array", { stream: false });
    expect(JSON.parse(whole.body.toString())).toEqual(expected);
  });

  it("is cut off where the recording was, and an error without streaming", async () => {
    await expect(ask("anthropic", "anthropic-cut", { stream: true })).rejects.toThrow("terminated");
    const { response, body } = await ask("anthropic", "anthropic-cut", { stream: false });
    expect(response.status).toBe(500);
    expect(JSON.parse(body.toString())).toMatchObject({ type: "error", error: { type: "api_error" } });
  });
});
