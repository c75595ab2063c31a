import { createParser } from "eventsource-parser";
import { describe, expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { authorCassette } from "#lib/replay/cassettes/author/index";
import { decodeChunk } from "#lib/replay/cassettes/decode-cassette";
import type { Cassette } from "#lib/replay/cassettes/format";
import { readRecordedAnswer } from "#lib/replay/cassettes/index";
import { joinParent, objectOf } from "#lib/replay/cassettes/request";
import { readEvents, requireProvider } from "#lib/replay/providers/index";

type Json = Record<string, unknown>;

const parameters = { type: "object", properties: { city: { type: "string" } } };
const named = { name: "look_up", parameters };
const question = { role: "user", content: "Well?" };

/** A request of each provider that allows everything that an answer can have. */
const requests: Record<string, Json> = {
  "openai-chat": {
    stream: true,
    stream_options: { include_usage: true },
    max_completion_tokens: 900,
    tools: [{ type: "function", function: named }],
    messages: [question],
  },
  "openai-responses": {
    stream: true,
    max_output_tokens: 900,
    reasoning: { summary: "auto" },
    include: ["reasoning.encrypted_content"],
    tools: [{ type: "function", ...named }],
    input: [question],
  },
  gemini: {
    generationConfig: { maxOutputTokens: 900, thinkingConfig: { includeThoughts: true } },
    tools: [{ functionDeclarations: [named] }],
    contents: [{ role: "user", parts: [{ text: "Well?" }] }],
  },
  ollama: {
    stream: true,
    think: true,
    options: { num_predict: 900 },
    tools: [{ type: "function", function: named }],
    messages: [question],
  },
};
const names = Object.keys(requests);
const withRefusal = ["openai-chat", "openai-responses"];

function scriptOf(provider: string, changes: Json = {}): string {
  return stringify({
    title: "An example",
    subtitle: "For the tests (authored)",
    provider,
    seed: 7,
    authored_at: "2026-11-01T00:00:00Z",
    pace: { first_token_ms: 500 },
    request: requests[provider],
    blocks: [text("Sí 🙂, and then some more text.")],
    ending: { stop_reason: "end_turn" },
    ...changes,
  });
}

const text = (words: string) => ({ type: "text", text: words });
const thinking = (words: string) => ({ type: "thinking", thinking: words });
const call = (city: string) => ({ type: "tool_use", name: "look_up", input: { city, note: 'a "b" \\ é' } });
const noScripts = () => {
  throw new Error("No other scripts.");
};

function build(provider: string, changes: Json = {}): Cassette {
  return authorCassette(scriptOf(provider, changes), "legal/example", noScripts);
}

function read({ provider, response, chunks }: Cassette) {
  return readRecordedAnswer(requireProvider(provider), { headers: response.headers, chunks: chunks.map(decodeChunk) });
}

function partsOf(cassette: Cassette) {
  return read(cassette).answer?.parts.map((part) =>
    part.kind === "tool" ? [part.kind, part.name, JSON.parse(part.input)] : [part.kind, "text" in part && part.text],
  );
}

describe.each(names)("a script for %s", (provider) => {
  it("gives a stream that folds to a text and parallel tool calls, with ids that show that they are authored", () => {
    const blocks = [text("Two."), call("Köln"), call("Bonn")];
    const cassette = build(provider, { blocks, ending: { stop_reason: "tool_use" } });
    const calls = [call("Köln"), call("Bonn")].map(({ name, input }) => ["tool", name, input]);
    expect(partsOf(cassette)).toEqual([["text", "Two."], ...calls]);
    expect(read(cassette)).toMatchObject({ isEnded: true, error: null, answer: { usage: cassette.usage } });
    expect(Object.values(cassette.usage).some((count) => typeof count === "number" && count > 0)).toBe(true);
    const ids = read(cassette).answer?.ids ?? [];
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => /^call_\w{8,24}$/.test(id))).toHaveLength(2);
  });

  it("keeps the ids that the script gives to tool calls", () => {
    const blocks = [{ ...call("Köln"), id: "call_mine" }];
    const cassette = build(provider, { blocks, ending: { stop_reason: "tool_use" } });
    expect(read(cassette).answer?.ids).toContain("call_mine");
  });

  it("can end at the limit of the request, with exactly that many tokens", () => {
    const { answer, body } = read(build(provider, { ending: { stop_reason: "max_tokens" } }));
    expect(answer?.stopReason).toMatch(/^(length|max_output_tokens|MAX_TOKENS)$/);
    expect(JSON.stringify(body)).toContain(":900");
  });

  it("can end with an error, which leaves the answer unfinished", () => {
    const type = provider === "gemini" ? "UNAVAILABLE" : "server_error";
    const cassette = build(provider, { ending: { error: { type, message: "Too busy." } } });
    const { error, answer } = read(cassette);
    expect(JSON.stringify(error)).toContain("Too busy.");
    expect([cassette.end, answer?.parts.length]).toEqual(["error", 1]);
    expect(requireProvider(provider).statusOf(error ?? {})).toBeGreaterThanOrEqual(500);
  });

  it("needs no subtitle, seed and pace, and has other ids than another script without them", () => {
    const { subtitle: _, seed: __, pace: ___, ...script } = parse(scriptOf(provider)) as Json;
    const [one, again, other] = ["legal/one", "legal/one", "legal/other"].map((id) =>
      authorCassette(stringify(script), id, noScripts),
    );
    expect(one).toEqual(again);
    expect(one?.subtitle).toBe("(authored)");
    expect(other?.chunks[0]?.delta_ms).toBeGreaterThan(500);
    expect(other?.chunks.map(({ delta_ms }) => delta_ms)).not.toEqual(one?.chunks.map(({ delta_ms }) => delta_ms));
  });

  it("is sent in pieces that an unmodified client gets in order, with the same bytes for the same seed", () => {
    const split = build(provider, { split_bytes: true });
    expect(partsOf(split)).toEqual(partsOf(build(provider)));
    expect(split.integrity.body_sha256).toBe(build(provider).integrity.body_sha256);
    expect(build(provider, { seed: 8 }).integrity.body_sha256).not.toBe(split.integrity.body_sha256);
  });
});

it.each(withRefusal)("%s gives a refusal", (provider) => {
  const cassette = build(provider, {
    blocks: [{ type: "refusal", refusal: "I can't do that." }],
    ending: { stop_reason: "refusal" },
  });
  expect(partsOf(cassette)).toEqual([["refusal", "I can't do that."]]);
});

it("signatures and encrypted content say that they are authored, and Gemini signs its first call", () => {
  const blocks = [thinking("Let me see."), call("Köln"), call("Bonn")];
  const bodyOf = (provider: string) => read(build(provider, { blocks, ending: { stop_reason: "tool_use" } })).body;
  const opaque = (text: unknown) => Buffer.from(String(text), "base64").toString("latin1");
  const { output } = bodyOf("openai-responses") as { output: Json[] };
  expect(opaque(output[0]?.encrypted_content)).toMatch(/^tapedeck-authored:/);
  const { candidates } = bodyOf("gemini") as { candidates: { content: { parts: Json[] } }[] };
  const signatures = candidates[0]?.content.parts.flatMap(({ thoughtSignature: signature }) => signature ?? []) ?? [];
  expect(signatures.map(opaque)).toEqual([expect.stringMatching(/^tapedeck-authored:/)]);
});

it("a request to Gemini has the model in its path alone", () => {
  expect(build("gemini").request).toMatchObject({
    path: "/v1beta/models/tapedeck-authored:streamGenerateContent",
    query: "alt=sse",
    body: { json: expect.not.objectContaining({ model: expect.anything() }) },
  });
});

it("the usage of Chat is there for the clients that ask for it, whatever the script asks for", () => {
  for (const stream_options of [undefined, { include_usage: false, include_obfuscation: false }]) {
    const cassette = build("openai-chat", { request: { ...requests["openai-chat"], stream_options } });
    expect(cassette.usage).toMatchObject({ completion_tokens: expect.any(Number) });
    const { body } = cassette.request as { body: { json: Json } };
    expect(body.json.stream_options).toEqual({ ...stream_options, include_usage: true });
  }
});

it("the input of Responses can be a text, also in front of a later turn", () => {
  const first = scriptOf("openai-responses", { request: { stream: true, input: "Well?" } });
  const request = { input: [question] };
  const second = scriptOf("openai-responses", { continues: "legal/one", results: [], request });
  const [one, two] = [authorCassette(first, "legal/one", noScripts), authorCassette(second, "legal/two", () => first)];
  const complete = joinParent(two.request, objectOf(one.request.body));
  expect(objectOf(one.request.body)?.input).toBe("Well?");
  expect(complete?.input).toEqual([question, expect.objectContaining({ role: "assistant" }), question]);
});

it("an error in a stream of Responses has the number after the event before it", () => {
  const { chunks } = build("openai-responses", { ending: { error: { type: "server_error", message: "Too busy." } } });
  const numbers = readEvents(chunks.map(decodeChunk), "sse").map(({ json }) => json?.sequence_number);
  expect(numbers).toEqual([...numbers.keys()]);
});

it("all problems of a script are told at once", () => {
  const rejection = (changes: Json) => {
    try {
      return String(build("openai-chat", changes));
    } catch (error) {
      return (error as Error).message.split("\n");
    }
  };
  expect(rejection({ title: 7, authored_at: "now", blocks: [] })).toEqual([
    expect.stringMatching(/^legal\/example: title: /),
    expect.stringMatching(/^legal\/example: authored_at: /),
    expect.stringMatching(/^legal\/example: blocks: /),
  ]);
  const request = { messages: [question], n: 2, logprobs: true };
  const blocks = [thinking("Hm."), call("x"), text("Yes.")];
  expect(rejection({ request, blocks, ending: { stop_reason: "pause_turn" } })).toEqual([
    expect.stringContaining("request.stream: must be true"),
    "legal/example: request.n: must be 1: a script is one answer",
    "legal/example: request.logprobs: must be absent: a script has no log probabilities",
    expect.stringContaining("blocks.0.type: is thinking"),
    expect.stringContaining("blocks.0: is a thinking block"),
    expect.stringContaining('blocks.1.name: "look_up" is not among'),
    expect.stringContaining("blocks.2: a text block cannot follow"),
    expect.stringContaining("ending.stop_reason: is pause_turn"),
  ]);
});

describe("a script is rejected with an error that names the field:", () => {
  const refused = { blocks: [{ type: "refusal", refusal: "No." }], ending: { stop_reason: "refusal" } };
  it.each<[string, Json, RegExp]>([
    ["openai", {}, /provider: Invalid option/],
    ["openai-chat", { request: { messages: [question] } }, /request\.stream: must be true/],
    ["openai-responses", { request: requests["openai-chat"] }, /request\.input: /],
    ["gemini", { request: { contents: [{ role: "model" }] } }, /request\.contents: must end/],
    ["openai-chat", { blocks: [thinking("Hm.")] }, /blocks\.0\.type: is thinking; openai-chat has/],
    ["ollama", refused, /blocks\.0\.type: is refusal; ollama has/],
    ["openai-chat", { ...refused, ending: { stop_reason: "end_turn" } }, /ending\.stop_reason: must be refusal/],
    [
      "ollama",
      { request: { ...requests.ollama, think: undefined }, blocks: [thinking("Hm."), text("Yes.")] },
      /blocks\.0: .*request\.think is missing/,
    ],
    [
      "gemini",
      { blocks: [{ ...call("x"), name: "other" }], ending: { stop_reason: "tool_use" } },
      /blocks\.0\.name: "other" is not among/,
    ],
    ["openai-chat", { blocks: [call("x"), text("Yes.")] }, /blocks\.1: a text block cannot follow a tool_use/],
    ["ollama", { blocks: [text("One."), text("Two.")] }, /blocks\.1: a text block cannot follow a text/],
    ["gemini", { ending: { stop_reason: "pause_turn" } }, /ending\.stop_reason: is pause_turn; gemini has/],
    [
      "openai-chat",
      { ending: { stop_reason: "end_turn", stop_details: { category: null, explanation: null } } },
      /ending: must have stop_details if and only if/,
    ],
    [
      "gemini",
      { blocks: [{ ...text("x"), citations: [{ type: "char_location", document_index: 0, cited_text: "x" }] }] },
      /blocks\.0\.citations: can only be written for anthropic/,
    ],
    [
      "openai-responses",
      { request: { ...requests["openai-responses"], max_output_tokens: 2 } },
      /request\.max_output_tokens: is 2, but/,
    ],
    [
      "openai-chat",
      { request: { stream: true, messages: [question] }, ending: { stop_reason: "max_tokens" } },
      /request\.max_completion_tokens: is missing/,
    ],
    ["gemini", { blocks: [{ ...call("x"), id: "mine" }] }, /blocks\.0\.id: must start with toolu_ or call_/],
    ["ollama", { results: ["x"] }, /results: needs continues/],
    ["ollama", { continues: "legal/none", results: [] }, /legal\/none: the script: cannot be read: No other scripts/],
  ])("of %s: %j", (provider, changes, message) => {
    expect(() => build(provider, changes)).toThrow(message);
  });
});

describe("a script with sse_forms", () => {
  const bodyOf = (cassette: Cassette) =>
    Buffer.concat(cassette.chunks.map((chunk) => decodeChunk(chunk).bytes)).toString();
  const eventsOf = (cassette: Cassette) => {
    const events: [string | undefined, unknown][] = [];
    const onEvent = ({ event, data }: { event?: string; data: string }) => {
      events.push([event, data.startsWith("{") ? JSON.parse(data) : data]);
    };
    createParser({ onEvent }).feed(bodyOf(cassette));
    return events;
  };

  it.each(["anthropic", "openai-chat", "openai-responses", "gemini"])("has the same events for %s", (provider) => {
    const changes = {
      request: requests[provider] ?? { max_tokens: 900, stream: true, messages: [question] },
      blocks: [text("A text of so many words that it has more events than there are forms of them. Grüße! ".repeat(3))],
    };
    const varied = build(provider, { ...changes, sse_forms: true });
    expect(eventsOf(varied)).toEqual(eventsOf(build(provider, changes)));
    expect(partsOf(varied)).toEqual(partsOf(build(provider, changes)));
    for (const form of [
      /^: \w/m,
      /^:\r\n/m,
      /^data:\{/m,
      /[^\n]\r\r[^\n]/,
      /\r\n\r\n/,
      /^id: /m,
      /^retry: /m,
      /^data: \{\ndata: /m,
    ])
      expect(bodyOf(varied)).toMatch(form);
  });

  it("is refused for JSON lines", () => {
    expect(() => build("ollama", { sse_forms: true })).toThrow("sends no server-sent events");
  });
});
