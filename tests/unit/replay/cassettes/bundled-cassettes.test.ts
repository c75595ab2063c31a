import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { authorCassette, authoredModel, scriptSchema } from "#lib/replay/cassettes/author/index";
import { type Catalogue, describeCassette, MatchIndex, readRecordedAnswer } from "#lib/replay/cassettes/index";
import { parseCassette } from "#lib/replay/cassettes/parse-cassette";
import { joinParent, objectOf } from "#lib/replay/cassettes/request";
import { verticals } from "#lib/replay/cassettes/schemas";
import { serializeCassette } from "#lib/replay/cassettes/seal-cassette";
import { chooseCassette } from "#lib/replay/playback/choose-cassette";
import { digestRequest } from "#lib/replay/playback/read-request";
import { type AnswerPart, requireProvider } from "#lib/replay/providers/index";

const folder = fileURLToPath(new URL("../../../../content/cassettes/", import.meta.url));
const maxFileByteSize = 150_000;

type Json = Record<string, unknown>;
type Bundled = ReturnType<typeof load>;

function listIds(ending: string): string[] {
  return verticals.flatMap((vertical) =>
    readdirSync(join(folder, vertical))
      .filter((name) => name.endsWith(ending))
      .map((name) => `${vertical}/${name.slice(0, -ending.length)}`),
  );
}

const readScript = (id: string) => readFileSync(join(folder, `${id}.yaml`), "utf8");

function load(id: string) {
  const text = readFileSync(join(folder, `${id}.json`), "utf8");
  const verified = parseCassette(Buffer.from(text));
  const { cassette, chunks } = verified;
  const { headers } = cassette.response;
  const { body: message, ...recorded } = readRecordedAnswer(requireProvider(cassette.provider), { headers, chunks });
  const script = readScript(id);
  return { id, text, script, blocks: scriptSchema.parse(parse(script)).blocks, ...verified, ...recorded, message };
}

const ids = listIds(".yaml");
const bundled = ids.map(load);
const index = new MatchIndex(bundled.map(describeCassette));
const catalogue = { matchIndex: async () => index } as unknown as Catalogue;

/** Returns the complete request of a cassette, with what the turns before it have. */
function requestOf({ cassette: { request } }: Bundled): Json | null {
  const parent = bundled.find(({ id }) => id === request.parent?.id);
  return joinParent(request, parent ? requestOf(parent) : null);
}

function contentOf({ message }: Bundled): Json[] {
  return (message?.content ?? []) as Json[];
}

function countOf({ answer }: Bundled, kind: AnswerPart["kind"]): number {
  return answer?.parts.filter((part) => part.kind === kind).length ?? 0;
}

/** Returns a response with the stream of a cassette, for a client. */
function respond({ chunks, cassette }: Bundled): Response {
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const { bytes } of chunks) controller.enqueue(bytes);
      controller.close();
    },
  });
  return new Response(stream, { headers: cassette.response.headers });
}

test("every script has a cassette and every cassette has a script, at least eight per vertical", () => {
  expect(listIds(".json")).toEqual(ids);
  for (const vertical of verticals) {
    expect(ids.filter((id) => id.startsWith(`${vertical}/`)).length).toBeGreaterThanOrEqual(8);
  }
});

describe.each(bundled)("$id", (item) => {
  const { id, text, script, cassette, durationMs, answer } = item;
  // Uses the folded message, because a word may be split over several deltas.
  const said = JSON.stringify([cassette.title, cassette.request.body, item.message]);

  test("is exactly what its script builds", () => {
    expect(text).toBe(serializeCassette(authorCassette(script, id, readScript)));
  });

  test("is played to the request that it was recorded for", async () => {
    const provider = requireProvider(cassette.provider);
    const request = digestRequest(provider, { ...cassette.request, body: requestOf(item) });
    const nearestCassettes = async () => [];
    const chosen = await chooseCassette({ catalogue, nearestCassettes }, { provider, request, named: null });
    expect(chosen).toMatchObject({ id, match: "exact" });
  });

  test("says what its script says", () => {
    const parts = answer?.parts ?? [];
    for (const kind of ["text", "thinking", "refusal"] as const) {
      const texts = item.blocks.map((block) => (kind in block ? (block as unknown as Json)[kind] : ""));
      const found = parts.map((part) => (part.kind === kind ? part.text : ""));
      expect(found.join("")).toBe(texts.join(""));
    }
    const calls = item.blocks.flatMap((block) => ("input" in block ? [[block.name, block.input]] : []));
    expect(parts.flatMap((part) => (part.kind === "tool" ? [[part.name, JSON.parse(part.input)]] : []))).toEqual(calls);
  });

  test("names no model and is marked as authored", () => {
    const { provider, request } = cassette;
    const asked = provider === "gemini" ? request.path.split(/[/:]/)[3] : objectOf(request.body)?.model;
    expect([asked, answer?.model]).toEqual([authoredModel, authoredModel]);
    for (const authoredId of answer?.ids ?? [])
      expect(authoredId).toMatch(/^(?:toolu_01\w{20,24}|call_\w{8,24}|resp_[0-9a-f]{50})$/);
    expect(cassette.subtitle).toMatch(/ \(authored\)$/);
    expect(cassette.provenance).toMatchObject({ kind: "authored", timing: "synthetic", clock: "none" });
    expect(said).not.toMatch(/claude|gpt-|gemini-|llama|qwen/i);
  });

  test.runIf(cassette.provider === "anthropic")("the provider's SDK reads the same message from it", async () => {
    expect(item.message?.id).toMatch(/^msg_01\w{22}$/);
    const client = new Anthropic({ apiKey: "none", maxRetries: 0, fetch: async () => respond(item) });
    const body = objectOf(cassette.request.body) as unknown as Anthropic.MessageStreamParams;
    const reading = client.messages.stream(body).finalMessage();
    if (cassette.end === "error") return expect(reading).rejects.toThrow(/overloaded_error/);
    expect((await reading).content).toEqual(contentOf(item));
  });

  test.runIf(cassette.provider.startsWith("openai-"))("the provider's SDK reads the same answer from it", async () => {
    const client = new OpenAI({ apiKey: "none", maxRetries: 0, fetch: async () => respond(item) });
    const body = objectOf(cassette.request.body);
    if (cassette.provider === "openai-responses") {
      const response = await client.responses.stream(body as never).finalResponse();
      return expect(response).toMatchObject(item.message as object);
    }
    const stream = client.chat.completions.stream({ ...body, response_format: undefined } as never);
    const { choices, usage } = await stream.finalChatCompletion();
    expect(choices).toMatchObject(item.message?.choices as object[]);
    expect(usage).toEqual(cassette.usage);
  });

  test("is small enough to bundle and long enough to watch", () => {
    expect(Buffer.byteLength(text)).toBeLessThan(maxFileByteSize);
    // A turn that only calls tools is short.
    expect(durationMs).toBeGreaterThan(item.blocks.at(-1)?.type === "tool_use" ? 3500 : 8000);
    expect(durationMs).toBeLessThan(45_000);
  });

  test("links only to reserved domains", () => {
    for (const [, host] of said.matchAll(/https?:\/\/([^/"\s:)]+)/g)) expect(host).toMatch(/\.example$|^localhost$/);
  });
});

describe("the collection has", () => {
  const has = (matches: (item: Bundled) => boolean) => expect(bundled.filter(matches).length).toBeGreaterThan(0);
  const counts = (item: Bundled, type: string) => contentOf(item).filter((block) => block.type === type).length;
  const ofProvider =
    (name: string, kind: AnswerPart["kind"], least = 1) =>
    (item: Bundled) =>
      item.cassette.provider === name && countOf(item, kind) >= least;
  const isLater = ({ cassette }: Bundled) => cassette.request.parent !== undefined;
  const cites = (type: string) => (item: Bundled) =>
    contentOf(item).some(({ citations }) => (citations as Json[] | undefined)?.some((one) => one.type === type));

  test.each<[string, (item: Bundled) => boolean]>([
    ["plain text", (item) => contentOf(item).length === 1 && item.message?.stop_reason === "end_turn"],
    ["thinking", (item) => counts(item, "thinking") > 0],
    ["one tool call", (item) => counts(item, "tool_use") === 1],
    ["parallel tool calls", (item) => counts(item, "tool_use") > 1],
    ["a server tool with its results", (item) => counts(item, "web_search_tool_result") > 1],
    ["citations of characters", cites("char_location")],
    ["citations of pages", cites("page_location")],
    ["citations of search results", cites("web_search_result_location")],
    ["many interleaved blocks", (item) => contentOf(item).length >= 10],
    ["a refusal", ({ message }) => message?.stop_reason === "refusal" && message.stop_details !== null],
    ["an end by max_tokens", ({ message }) => message?.stop_reason === "max_tokens"],
    [
      "an overloaded_error in the middle of a stream",
      ({ cassette, error }) =>
        cassette.end === "error" && (error?.error as Json | undefined)?.type === "overloaded_error",
    ],
    ["parallel tool calls of Chat", ofProvider("openai-chat", "tool", 2)],
    ["a refusal of Chat", ofProvider("openai-chat", "refusal")],
    ["a reasoning item", ofProvider("openai-responses", "thinking")],
    ["parallel tool calls of Responses", ofProvider("openai-responses", "tool", 2)],
    ["thoughts of Gemini", ofProvider("gemini", "thinking")],
    ["a function call of Gemini", ofProvider("gemini", "tool")],
    ["a text of Ollama", ofProvider("ollama", "text")],
    ["thinking of Ollama", ofProvider("ollama", "thinking")],
    ["600 chunks or more", ({ chunks }) => chunks.length >= 600],
    ["characters split across chunks", ({ text }) => (text.match(/"b":/g) ?? []).length >= 20],
    ["many forms of server-sent events", ({ text }) => /: processing/.test(text) && /\\r\\r/.test(text)],
    [
      "a structured output",
      ({ id, blocks: [first] }) =>
        id === "finance/receipt-fields" && first?.type === "text" && "total" in JSON.parse(first.text),
    ],
    ["an answer after a tool result", ({ script }) => script.includes("type: tool_result")],
    ...["anthropic", "gemini", "openai-chat", "openai-responses"].map((name): [string, typeof isLater] => [
      `a later turn of ${name}`,
      (item) => isLater(item) && item.cassette.provider === name,
    ]),
    [
      "the first demo",
      ({ id, durationMs }) => id === "developer-tools/explain-sse" && Math.abs(durationMs - 12_000) < 2000,
    ],
  ])("%s", (_name, matches) => has(matches));
});
