import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import OpenAI, { AzureOpenAI } from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findEventEnds } from "#lib/replay/cassettes/index";
import { type Folded, framingOf, readEvents } from "#lib/replay/providers/index";
import {
  answerIn,
  answersOf,
  bodyOf,
  errorIn,
  idOf,
  modelOf,
  repeatedPrompt,
  repeatedTexts,
  retryAfterSeconds,
  send,
  serveCassettes,
  testedAdapters,
} from "#tests/support/conversation-cassettes";
import { type ProtocolName, protocols, providerProtocols, question } from "#tests/support/conversation-protocols";
import { eventually } from "#tests/support/eventually";
import { isExtended } from "#tests/support/extended";
import type { ServedFolder } from "#tests/support/serve-files";

const names = providerProtocols;
const maxBodyByteSize = 32 * 1024 * 1024;
/** Larger than the maximum. */
const tooLarge = Buffer.alloc(maxBodyByteSize + 1024 * 1024, " ");

/** Reads a body until it ends or is cut off. */
async function readBody(response: Response): Promise<{ bytes: Buffer; isCut: boolean }> {
  const pieces: Uint8Array[] = [];
  let isCut = false;
  try {
    for await (const piece of response.body ?? []) pieces.push(piece);
  } catch {
    isCut = true;
  }
  return { bytes: Buffer.concat(pieces), isCut };
}

/** Sends a body that the server may not read to its end, on a connection of its own that stays open for the answer. */
async function postLarge(url: string, body: Buffer): Promise<Response> {
  const agent = new Agent({ keepAlive: true });
  const headers = { "content-type": "application/json", "content-length": body.length };
  const request = httpRequest(url, { method: "POST", agent, headers });
  request.end(body);
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece);
  agent.destroy();
  const type = response.headers["content-type"] ?? "";
  return new Response(Buffer.concat(pieces), { status: response.statusCode ?? 0, headers: { "content-type": type } });
}

/** Puts the answer in a body together. */
function fold(name: ProtocolName, response: Response, body: Buffer): Folded {
  const framing = framingOf(response.headers.get("content-type") ?? undefined);
  return protocols[name].provider.fold(readEvents([{ deltaMs: 0, bytes: body }], framing));
}

describe.each(testedAdapters)("the %s adapter", (adapter) => {
  let served: ServedFolder;
  beforeAll(async () => {
    served = await serveCassettes(adapter);
  });
  afterAll(() => served.stop());

  const ask = (name: ProtocolName, headers: Record<string, string>, prompt = question) => {
    const request = { ...protocols[name].requestOf(prompt), stream: true };
    return send(served.origin, name, request, { headers });
  };
  const first = (name: ProtocolName) => ({ "x-replay-cassette": idOf(`${name}-1`) });

  describe.each(names)("with faults of %s", (name) => {
    const recorded = bodyOf(`${name}-1`);
    const ends = name === "ollama" ? [recorded.indexOf("\n") + 1, recorded.length] : findEventEnds(recorded);

    it("sends a status instead of the answer", async () => {
      const answer = await ask(name, { ...first(name), "x-replay-fault": "status=overloaded" });
      await errorIn(name, answer, name === "anthropic" ? 529 : 503);
    });

    it.each([0, 1])("cuts the connection after %i events", async (count) => {
      const answer = ask(name, { ...first(name), "x-replay-fault": `cut-after-event=${count}` });
      // Without an event, Next.js has not sent the head when the connection closes.
      const { bytes, isCut } = await answer.then(readBody, (error: Error) => {
        expect([adapter, count, error.message]).toEqual(["route", 0, "fetch failed"]);
        return { bytes: Buffer.alloc(0), isCut: true };
      });
      expect(isCut).toBe(true);
      expect(bytes.equals(recorded.subarray(0, count === 0 ? 0 : ends[count - 1]))).toBe(true);
    });

    it("rejects faults and speeds that it does not know", async () => {
      for (const [header, value] of [
        ["x-replay-fault", "nonsense"],
        ["x-replay-speed", "-1"],
      ] as const) {
        const response = await ask(name, { ...first(name), [header]: value });
        expect(await errorIn(name, response, 400)).toContain(header);
      }
    });
  });

  it("takes a fault from the query too, which the header replaces", async () => {
    const body = JSON.stringify({ ...protocols.chat.requestOf(question), stream: true });
    const json = { "content-type": "application/json", ...first("chat") };
    const post = (query: string, headers = {}) =>
      fetch(`${served.origin}/v1/chat/completions?${query}`, {
        method: "POST",
        body,
        headers: { ...json, ...headers },
      });
    expect(await errorIn("chat", await post("fault=status%3D418"), 418)).toContain("418");
    expect(await errorIn("chat", await post("fault=none"), 400)).toMatch(/^fault has "none"/);
    const cut = await readBody(await post("fault=none&speed=max", { "x-replay-fault": "cut-after-event=1" }));
    expect([cut.isCut, cut.bytes.length]).toEqual([true, findEventEnds(bodyOf("chat-1"))[0]]);
  });

  it("has the last answer again after the end of a conversation, on request", async () => {
    const body = {
      ...protocols.chat.requestOf(question),
      messages: Array.from({ length: 9 }, (_, index) => ({ role: index % 2 ? "assistant" : "user", content: "Hm?" })),
    };
    const post = (headers: Record<string, string>) =>
      fetch(`${served.origin}/v1/chat/completions?speed=max`, {
        method: "POST",
        body: JSON.stringify({ ...body, stream: true }),
        headers: { "content-type": "application/json", "x-replay-cassette": idOf("chat-1"), ...headers },
      });
    expect(await errorIn("chat", await post({}), 404)).toContain("x-replay-after-end: repeat");
    expect(await errorIn("chat", await post({ "x-replay-after-end": "stop" }), 400)).toContain("must be repeat");
    const item = { "x-replay-sequence": idOf("chat-1"), "x-replay-test": "after-end" };
    for (const headers of [{}, item]) {
      const again = await post({ "x-replay-after-end": "repeat", ...headers });
      expect([again.status, again.headers.get("x-replay-match")]).toEqual([200, "repeat"]);
    }
  });

  it("plays a sequence of a header to each test once, and answers 400 without the name of a test", async () => {
    const sequence = { "x-replay-sequence": `overloaded, rate_limited,500,${idOf("chat-1")}` };
    const headers = { ...sequence, "x-replay-test": "sequence" };
    for (const status of [503, 429, 500]) await errorIn("chat", await ask("chat", headers), status);
    const played = await ask("chat", headers);
    expect((await readBody(played)).bytes.equals(bodyOf("chat-1"))).toBe(true);
    for (const _again of [1, 2]) expect(await errorIn("chat", await ask("chat", headers), 404)).toContain("4 items");
    const single = { "x-replay-sequence": "overloaded", "x-replay-test": "single" };
    await errorIn("chat", await ask("chat", single), 503);
    expect(await errorIn("chat", await ask("chat", single), 404)).toContain(
      "The sequence of test single has 1 item, which was played. Another test name starts it again.",
    );
    await errorIn("chat", await ask("chat", { ...headers, "x-replay-test": "another" }), 503);
    for (const [wrong, message] of [
      ["", "item 1, which is empty,"],
      ["overloaded,nonsense", 'item 2, "nonsense" must be'],
      ["overloaded,chat/none", 'there is no cassette "chat/none"'],
    ] as const) {
      const answer = await ask("chat", { "x-replay-sequence": wrong, "x-replay-test": "wrong" });
      expect(await errorIn("chat", answer, 400)).toContain(message);
    }
    const combined = await ask("chat", { ...headers, "x-replay-fault": "status=529" });
    expect(await errorIn("chat", combined, 400)).toContain("cannot be combined with x-replay-sequence");
    expect(await errorIn("chat", await ask("chat", sequence), 400)).toContain("x-replay-test");
  });

  describe.each(names)("with an invalid body for %s", (name) => {
    const { provider } = protocols[name];
    const { path } = provider.upstream.pathOf({}, { model: "any", isStream: false });
    const post = (body: string | Uint8Array, headers: Record<string, string> = {}) =>
      fetch(served.origin + path, {
        method: "POST",
        body: body as BodyInit,
        headers: { "content-type": "application/json", ...headers },
      });

    it("answers with an error in the provider's format", async () => {
      const valid = JSON.stringify(protocols[name].requestOf(question));
      expect(await errorIn(name, await post(gzipSync(valid), { "content-encoding": "gzip" }), 400)).toContain("gzip");
      expect(await errorIn(name, await post("model=x", { "content-type": "text/plain" }), 400)).toContain("text/plain");
      for (const body of ["{", "", "[]", "null", '"text"', '{"model":7,"contents":[]}', Buffer.of(0xff)]) {
        await errorIn(name, await post(body), 400);
      }
      expect((await post(valid, { "content-type": "text/plain" })).status).toBe(200);
    });

    it.runIf(isExtended || name === "chat")("answers 413 to one over 32 MiB", async () => {
      expect(await errorIn(name, await postLarge(served.origin + path, tooLarge), 413)).toContain("32 MiB");
    });
  });

  it("plays repeated recordings of a request to a test once each, in order, also at once", async () => {
    const request = async (headers: Record<string, string>) => {
      const response = await send(served.origin, "chat", protocols.chat.requestOf(repeatedPrompt), { headers });
      if (response.status !== 200) return errorIn("chat", response, 404);
      return (await response.json()).choices[0].message.content;
    };
    const test = { "x-replay-test": "repeats" };
    expect([await request(test), await request(test)]).toEqual(repeatedTexts);
    expect(await request(test)).toContain("played all 2 recordings");
    const atOnce = { "x-replay-test": "repeats at once" };
    expect((await Promise.all([request(atOnce), request(atOnce)])).sort()).toEqual([...repeatedTexts].sort());
    expect([await request({}), await request({})]).toEqual([repeatedTexts[0], repeatedTexts[0]]);
  });

  it("lets an unmodified client retry after errors of a sequence", async () => {
    const client = new OpenAI({
      baseURL: `${served.origin}/v1`,
      apiKey: "none",
      maxRetries: 1,
      defaultHeaders: {
        "x-replay-test": "retries",
        "x-replay-sequence": `overloaded,${idOf("chat-1")}`,
        "x-replay-speed": "max",
        "x-replay-fault": "rechunk=1",
      },
    });
    const messages = [{ role: "user" as const, content: question }];
    const stream = client.chat.completions.stream({ model: modelOf("chat-2"), messages });
    expect(JSON.parse(JSON.stringify(await stream.finalChatCompletion()))).toMatchObject(
      answersOf("chat")[0] as object,
    );
  });

  it("answers 404 in the provider's format to paths that no provider has, and ignores a doubled /v1", async () => {
    const get = (path: string, init: RequestInit = {}) => fetch(served.origin + path, init);
    const anthropicVersion = { headers: { "anthropic-version": "2023-06-01" } };
    const messages: string[] = [];
    for (const method of ["GET", "POST"]) {
      for (const rest of ["", "/nothing"]) {
        messages.push(await errorIn("chat", await get(`/v1${rest}`, { method }), 404));
        messages.push(await errorIn("anthropic", await get(`/v1${rest}`, { method, ...anthropicVersion }), 404));
        messages.push(await errorIn("gemini", await get(`/v1beta${rest}`, { method }), 404));
      }
    }
    const post = { method: "POST", body: "{}" };
    messages.push(await errorIn("gemini", await get("/v1beta/models/any:predict", post), 404));
    messages.push(await errorIn("anthropic", await get("/v1/messages/batches", post), 404));
    const named = { ...post, headers: { authorization: `Bearer ${modelOf("chat-1")}` } };
    messages.push(await errorIn("chat", await get("/v1/rerank", named), 404));
    messages.push(await errorIn("gemini", await get("/v1beta/files", named), 404));
    messages.push(await errorIn("chat", await get("/openai/v1/audio/speech", post), 404));
    messages.push(await errorIn("anthropic", await get("/anthropic/v1/files"), 404));
    for (const message of messages) {
      expect(message).toMatch(/^There is no such path here, /);
      expect(message).toContain("POST /v1/messages, ");
      expect(message).toContain("POST /v1beta/models/{model}:generateContent, ");
    }
    const misspelt = await errorIn("chat", await get("/v1/chat/completion", post), 404);
    expect(misspelt).toContain("exactly this request. Did you mean POST /v1/chat/completions? Supported are ");
    expect(messages.filter((message) => message.includes("Did you mean"))).toEqual([]);
    await errorIn("chat", await get("/v1/chat/completions"), 405);
    for (const [name, path] of [
      ["anthropic", "/v1/v1/messages"],
      ["chat", "/v1/v1/chat/completions"],
      ["chat", "/openai/v1/chat/completions"],
      ["chat", "/api/v1/chat/completions"],
      ["chat", "/openai/deployments/gpt/chat/completions?api-version=2024-10-21"],
      ["responses", "/openai/responses?api-version=2025-04-01-preview"],
      ["anthropic", "/anthropic/v1/messages"],
    ] as const) {
      const body = JSON.stringify({ ...protocols[name].requestOf(question), stream: true });
      const response = await get(path, { method: "POST", body, headers: { "x-replay-speed": "max", ...first(name) } });
      expect((await readBody(response)).bytes.equals(bodyOf(`${name}-1`))).toBe(true);
    }
  });

  // Next.js redirects these.
  it.runIf(adapter === "node")("says what to change where a base URL ends with a slash", async () => {
    const post = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
    for (const [name, path] of [
      ["chat", "//v1/chat/completions"],
      ["anthropic", "/v1//messages"],
      ["gemini", "/v1beta//models/any:generateContent"],
    ] as const) {
      const message = await errorIn(name, await fetch(served.origin + path, post), 404);
      expect(message).toBe(
        `The path ${path} has two slashes in a row. Remove the one at the end of the base URL of your client.`,
      );
    }
  });

  it("says what to change where a base URL lacks its version, so that a browser can read it", async () => {
    const browser = { origin: "https://app.example", "access-control-request-method": "POST" };
    for (const [name, path, advice] of [
      ["chat", "/chat/completions", "Add /v1 to the base URL"],
      ["responses", "/responses", "Add /v1 to the base URL"],
      ["anthropic", "/messages", "Add /v1 to the base URL"],
    ] as const) {
      const preflight = await fetch(served.origin + path, { method: "OPTIONS", headers: browser });
      expect([preflight.status, preflight.headers.get("access-control-allow-origin")]).toEqual([204, "*"]);
      const json = { "content-type": "application/json", origin: browser.origin };
      const response = await fetch(served.origin + path, { method: "POST", body: "{}", headers: json });
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(await errorIn(name, response, 404)).toContain(advice);
    }
    const post = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
    const bedrock = await fetch(`${served.origin}/model/anthropic.claude/converse`, post);
    expect([bedrock.status, bedrock.headers.get("x-amzn-errortype"), await bedrock.json()]).toEqual([
      404,
      "ResourceNotFoundException",
      expect.objectContaining({ message: expect.stringContaining("No recording fits"), __type: expect.any(String) }),
    ]);
    const models = await fetch(`${served.origin}/models`, { headers: { accept: "application/json" } });
    expect(await errorIn("chat", models, 404)).toContain("Add /v1 to the base URL");
    const forBrowser = await fetch(`${served.origin}/models`, { headers: { accept: "text/html,*/*" } });
    // The catalogue of models has a page there.
    expect([forBrowser.status, forBrowser.headers.get("content-type")]).toEqual([
      200,
      expect.stringContaining("text/html"),
    ]);
    // Cassettes, and their pages, may have the names of protocols' paths.
    const named = await fetch(`${served.origin}/api/v1/replay/shop/messages`);
    expect(await named.json()).toMatchObject({ code: "not_found", error: expect.stringContaining("shop/messages") });
    const page = await fetch(`${served.origin}/replay/shop/responses`);
    expect([page.status, page.headers.get("content-type")]).toEqual([404, expect.stringContaining("text/html")]);
    const unknown = await fetch(`${served.origin}/llm/generate`, post);
    expect([unknown.status, await unknown.json()]).toEqual([404, expect.objectContaining({ code: "not_found" })]);
  });

  it("answers an unmodified client of Azure", async () => {
    const headers = { "x-replay-speed": "max" };
    const client = new AzureOpenAI({
      endpoint: served.origin,
      apiKey: modelOf("chat-1"),
      apiVersion: "2024-10-21",
      defaultHeaders: headers,
    });
    const messages = [{ role: "user" as const, content: question }];
    const stream = client.chat.completions.stream({ model: "my-deployment", messages });
    expect(JSON.parse(JSON.stringify(await stream.finalChatCompletion()))).toMatchObject(
      answersOf("chat")[0] as object,
    );
  });

  it("lists models in the format of the client", async () => {
    const models = async (headers: Record<string, string>) =>
      (await fetch(`${served.origin}/v1/models`, { headers })).json();
    const id = expect.stringMatching(/^cassette:developer-tools\//);
    const openai = await models({});
    expect(openai.object).toBe("list");
    const listed = ({ data }: { data: { id: string }[] }) => data.map((model) => model.id);
    expect(listed(openai)).toEqual(expect.arrayContaining([modelOf("chat-1"), modelOf("responses-1")]));
    expect(listed(openai)).not.toContain(modelOf("anthropic-1"));
    for (const model of openai.data) {
      expect(model).toEqual({ id, object: "model", created: expect.any(Number), owned_by: "tapedeck" });
    }
    const anthropic = await models({ "anthropic-version": "2023-06-01" });
    expect([anthropic.has_more, anthropic.first_id]).toEqual([false, anthropic.data[0].id]);
    expect(listed(anthropic)).toEqual(expect.arrayContaining([modelOf("anthropic-1"), modelOf("anthropic-whole")]));
    for (const other of ["chat-1", "anthropic-2"]) expect(listed(anthropic)).not.toContain(modelOf(other));
    for (const model of anthropic.data) {
      expect(model).toEqual({ type: "model", id, display_name: expect.any(String), created_at: expect.any(String) });
    }
  });

  describe("the form of an answer", () => {
    /** Asks for a cassette by its name. */
    async function askFor(
      name: ProtocolName,
      cassette: string,
      { stream, query }: { stream: boolean; query?: string },
    ) {
      // Only Chat Completions asks for the usage of a stream.
      const options = stream ? { stream_options: { include_usage: true } } : {};
      const body = { ...protocols[name].requestOf("Anything"), stream, ...options };
      const headers = { "x-replay-cassette": idOf(cassette) };
      const response = await send(served.origin, name, body, { headers, ...(query !== undefined && { query }) });
      return { response, body: Buffer.from(await response.arrayBuffer()) };
    }

    describe.each(names)("%s", (name) => {
      const streamType = name === "ollama" ? "application/x-ndjson" : "text/event-stream; charset=utf-8";

      it("is the recorded bytes if it was recorded in this form", async () => {
        const streamed = await askFor(name, `${name}-1`, { stream: true });
        expect(streamed.response.headers.get("content-type")).toBe(streamType);
        expect(streamed.body.equals(bodyOf(`${name}-1`))).toBe(true);
        const whole = await askFor(name, `${name}-whole`, { stream: false });
        expect(whole.response.headers.get("content-type")).toBe("application/json");
        expect(whole.body.equals(bodyOf(`${name}-whole`))).toBe(true);
      });

      it("is the whole answer of a recorded stream", async () => {
        const { response, body } = await askFor(name, `${name}-1`, { stream: false });
        expect(response.headers.get("content-type")).toBe("application/json");
        expect(JSON.parse(body.toString())).toEqual(answersOf(name)[0]);
      });

      it("is a stream of an answer that was recorded whole", async () => {
        const { response, body } = await askFor(name, `${name}-whole`, { stream: true });
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
          const { response, body } = await askFor(name, `${name}-error`, { stream });
          expect(response.status).toBe(429);
          expect(response.headers.get("content-type")).toBe("application/json");
          expect(response.headers.get("retry-after")).toBe(String(retryAfterSeconds));
          expect(body.equals(bodyOf(`${name}-error`))).toBe(true);
        },
      );

      it("has the recorded request id and limits, and each header once", async () => {
        for (const stream of [true, false]) {
          const { response } = await askFor(name, `${name}-1`, { stream });
          for (const [header, value] of Object.entries(protocols[name].headers)) {
            expect([header, response.headers.get(header)]).toEqual([header, value]);
          }
          expect(response.headers.get("x-replay-tokens-spent")).toBe("0");
          expect(response.headers.get("cache-control")).toBe("no-cache, no-transform");
        }
      });
    });

    it("has a request id of its own if none was recorded", async () => {
      const anthropic = await askFor("anthropic", "anthropic-cut", { stream: false });
      expect(
        anthropic.response.headers.get("request-id") ?? anthropic.response.headers.get("x-request-id"),
      ).toBeTruthy();
      const chat = await askFor("chat", "chat-repeat-1", { stream: false });
      expect(chat.response.headers.get("x-request-id")).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    });

    it("is a JSON array for Gemini without alt=sse, whichever way it was recorded", async () => {
      for (const cassette of ["gemini-1", "gemini-whole", "gemini-array"]) {
        const { response, body } = await askFor("gemini", cassette, { stream: true, query: "" });
        expect(response.headers.get("content-type")).toBe("application/json");
        expect(JSON.parse(body.toString())).toBeInstanceOf(Array);
        expect(fold("gemini", response, body).body).toEqual(answerIn(cassette, protocols.gemini));
      }
    });

    it("is events or a whole answer for a recorded JSON array of Gemini", async () => {
      const sse = await askFor("gemini", "gemini-array", { stream: true });
      expect(sse.response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
      const expected = answerIn("gemini-array", protocols.gemini);
      expect(fold("gemini", sse.response, sse.body).body).toEqual(expected);
      const whole = await askFor("gemini", "gemini-array", { stream: false });
      expect(JSON.parse(whole.body.toString())).toEqual(expected);
    });

    it("is cut off where the recording was, and an error without streaming", async () => {
      await expect(askFor("anthropic", "anthropic-cut", { stream: true })).rejects.toThrow("terminated");
      const { response, body } = await askFor("anthropic", "anthropic-cut", { stream: false });
      expect(response.status).toBe(500);
      expect(JSON.parse(body.toString())).toMatchObject({ type: "error", error: { type: "api_error" } });
    });
  });

  describe("a sequence file", () => {
    const sequences = Object.fromEntries(names.map((name) => [name, ["overloaded", "429", idOf(`${name}-1`)]]));
    let testCount = 0;

    const put = (text: string) => writeFileSync(join(served.folder, "sequences.json"), text);
    const ask = (name: ProtocolName, sequence: string, test = `of the file ${++testCount}`) =>
      send(
        served.origin,
        name,
        { ...protocols[name].requestOf(question), stream: true },
        { headers: { "x-replay-test": test, "x-replay-sequence": sequence } },
      );
    const errorOf = async (name: ProtocolName, sequence: string, test?: string): Promise<[number, string]> => {
      const response = await ask(name, sequence, test);
      const { status } = response;
      return [status, response.ok ? "" : await errorIn(name, response, status)];
    };
    /** Waits until requests for a sequence get this status. */
    const untilStatus = (sequence: string, status: number) =>
      eventually(async () => expect((await ask("chat", sequence)).status).toBe(status));

    it("that the store does not have is a 404", async () => {
      expect(await errorOf("chat", "@chat")).toEqual([404, expect.stringContaining("no such file")]);
    });

    it("has sequences by name, which each test gets once, as those of a header", async () => {
      put(JSON.stringify(sequences));
      await untilStatus("@chat", 503);
      for (const name of names) {
        const test = `${name} in order`;
        const statuses = [await errorOf(name, `@${name}`, test), await errorOf(name, `@${name}`, test)];
        expect(statuses.map(([status]) => status)).toEqual([name === "anthropic" ? 529 : 503, 429]);
        const played = await ask(name, `@${name}`, test);
        expect(Buffer.from(await played.arrayBuffer()).equals(bodyOf(`${name}-1`))).toBe(true);
        expect(await errorOf(name, `@${name}`, test)).toEqual([404, expect.stringContaining("3 items")]);
      }
      const known = `It has ${names.slice(0, 3).join(", ")} and ${names.length - 3} more.`;
      for (const unknown of ["none", "constructor", "", "chat,429"]) {
        const message = `sequences.json has no sequence "${unknown}". ${known}`;
        expect(await errorOf("chat", `@${unknown}`)).toEqual([404, message]);
      }
    });

    it("is read again when it changes, and an error in it stops only requests that name a sequence", async () => {
      put('{"changed": ["418"]}');
      await untilStatus("@changed", 418);
      expect(await errorOf("chat", "@chat")).toEqual([404, expect.stringContaining("It has changed.")]);

      put('{"changed": ["418", "nonsense"]}');
      await untilStatus("@changed", 500);
      for (const name of names) {
        const broken = await ask(name, "@changed");
        expect(broken.headers.get("x-should-retry")).toBe("false");
        expect(await errorIn(name, broken, 500)).toMatch(/^sequences\.json .* changed\.1: must be .* cassettes verify/);
        expect((await ask(name, idOf(`${name}-1`))).status).toBe(200);
      }
      const models = await (await fetch(`${served.origin}/v1/models`)).text();
      expect(models).not.toContain("sequences");
      expect(served.output()).not.toContain("is ignored");

      put('{"changed": ["418"]}');
      await untilStatus("@changed", 418);
      rmSync(join(served.folder, "sequences.json"));
      await untilStatus("@changed", 404);
    });
  });
});
