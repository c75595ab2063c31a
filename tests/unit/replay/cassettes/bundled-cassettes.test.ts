import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { authorCassette, authoredModel, scriptSchema } from "#lib/replay/cassettes/author/index";
import { parseCassette, type VerifiedCassette } from "#lib/replay/cassettes/parse-cassette";
import { objectOf } from "#lib/replay/cassettes/request";
import { verticals } from "#lib/replay/cassettes/schemas";
import { serializeCassette } from "#lib/replay/cassettes/seal-cassette";
import { readMessage } from "#tests/support/read-message";

const folder = fileURLToPath(new URL("../../../../content/cassettes/", import.meta.url));
const maxFileByteSize = 150_000;

type Json = Record<string, unknown>;
type Bundled = VerifiedCassette & ReturnType<typeof readMessage> & { id: string; text: string; script: string };

function listIds(ending: string): string[] {
  return verticals.flatMap((vertical) =>
    readdirSync(join(folder, vertical))
      .filter((name) => name.endsWith(ending))
      .map((name) => `${vertical}/${name.slice(0, -ending.length)}`),
  );
}

function load(id: string): Bundled {
  const text = readFileSync(join(folder, `${id}.json`), "utf8");
  const verified = parseCassette(Buffer.from(text));
  const script = readFileSync(join(folder, `${id}.yaml`), "utf8");
  return { id, text, script, ...verified, ...readMessage(verified.chunks) };
}

const readScript = (id: string) => readFileSync(join(folder, `${id}.yaml`), "utf8");

const ids = listIds(".yaml");
const bundled = ids.map(load);

function contentOf({ message }: Bundled): Json[] {
  return (message?.content ?? []) as Json[];
}

function toStream({ chunks }: Bundled): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const { bytes } of chunks) controller.enqueue(bytes);
      controller.close();
    },
  });
}

test("every script has a cassette and every cassette has a script, five per vertical", () => {
  expect(listIds(".json")).toEqual(ids);
  for (const vertical of verticals) {
    expect(ids.filter((id) => id.startsWith(`${vertical}/`))).toHaveLength(5);
  }
});

describe.each(bundled)("$id", (item) => {
  const { id, text, script, cassette, durationMs } = item;
  // Uses the folded message, because a word may be split over several deltas.
  const said = JSON.stringify([cassette.title, cassette.request.body, item.message]);

  test("is exactly what its script builds", () => {
    expect(text).toBe(serializeCassette(authorCassette(script, id, readScript)));
  });

  test("has the script's content, block by block", () => {
    const { blocks } = scriptSchema.parse(parse(script));
    const expected = blocks.map((block) => {
      if (block.type === "text") return { type: block.type, text: block.text };
      if (block.type === "thinking") return { type: block.type, thinking: block.thinking };
      return block.type === "web_search_tool_result" ? { type: block.type } : { type: block.type, input: block.input };
    });
    expect(contentOf(item)).toMatchObject(expected);
  });

  test("names no model and is marked as authored", () => {
    expect([objectOf(cassette.request.body)?.model, item.message?.model]).toEqual([authoredModel, authoredModel]);
    expect(item.message?.id).toMatch(/^msg_authored_/);
    expect(cassette.subtitle).toMatch(/ \(authored\)$/);
    expect(cassette.provenance).toMatchObject({ kind: "authored", timing: "synthetic", clock: "none" });
    expect(said).not.toMatch(/claude|gpt-|gemini/i);
  });

  test("the provider's SDK reads the same message from it", async () => {
    const fetch = async () => new Response(toStream(item), { headers: { "content-type": "text/event-stream" } });
    const client = new Anthropic({ apiKey: "none", maxRetries: 0, fetch });
    const body = objectOf(cassette.request.body) as unknown as Anthropic.MessageStreamParams;
    const reading = client.messages.stream(body).finalMessage();
    if (cassette.end === "error") return expect(reading).rejects.toThrow(/overloaded_error/);
    expect((await reading).content).toEqual(contentOf(item));
  });

  test("is small enough to bundle and long enough to watch", () => {
    expect(Buffer.byteLength(text)).toBeLessThan(maxFileByteSize);
    expect(durationMs).toBeGreaterThan(8000);
    expect(durationMs).toBeLessThan(45_000);
  });

  test("links only to reserved domains", () => {
    for (const [, host] of said.matchAll(/https?:\/\/([^/"\s:)]+)/g)) expect(host).toMatch(/\.example$|^localhost$/);
  });
});

describe("the collection has", () => {
  const has = (matches: (item: Bundled) => boolean) => expect(bundled.filter(matches).length).toBeGreaterThan(0);
  const counts = (item: Bundled, type: string) => contentOf(item).filter((block) => block.type === type).length;
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
      ({ cassette, error }) => cassette.end === "error" && (error as Json | null)?.type === "overloaded_error",
    ],
    ["600 chunks or more", ({ chunks }) => chunks.length >= 600],
    ["characters split across chunks", ({ text }) => (text.match(/"b":/g) ?? []).length >= 20],
    ["an answer after a tool result", ({ script }) => script.includes("type: tool_result")],
    [
      "the first demo",
      ({ id, durationMs }) => id === "developer-tools/explain-sse" && Math.abs(durationMs - 12_000) < 2000,
    ],
  ])("%s", (_name, matches) => has(matches));
});
